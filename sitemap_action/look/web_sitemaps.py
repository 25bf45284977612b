"""Sitemaps of the web: at a URL or of a whole site, as documents for a comparison, and with the validators of a state.

A 304 stands for what a state has. That is read as hostile: whatever does not decode is asked for as if it were new.
"""

import zlib
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
from msgspec.structs import replace

from sitemap_action.config.schema import AUTO, DEFAULT_SITEMAP_PATHS, Config
from sitemap_action.errors import BaselineError, UnreachableError, UsageError
from sitemap_action.fetch.base import HOST_FAILURES, Answer, Fetcher, Headers, Request, RequestKind, Response, remedy
from sitemap_action.fetch.options import http_options
from sitemap_action.fetch.policies import open_web
from sitemap_action.look.documents import INDEXES_ALONE, NEVER, DocumentList, Documents, FetchSitemap, ServedSitemap
from sitemap_action.model.context import Access
from sitemap_action.sitemap.faults import truncate
from sitemap_action.store.inventory import Inventory, StoredDocuments, stored_documents
from sitemap_action.store.loading_state import LoadingState
from sitemap_action.walk.declared import ObedientFetcher, SiteRobots, discover
from sitemap_action.walk.sitemap_loading import (
    Enough,
    Loaded,
    LoadOptions,
    Observe,
    Unavailable,
    find_broken,
    ignore,
    load,
    never,
)
from sitemap_action.web.urls import BadUrl, normalize, origin

GONE = frozenset({404, 410})
_HOSTS = 20  # requested at most: a sitemap that lists URLs of more is no cross-submission


async def load_url(  # noqa: PLR0913 - what to load, with what, into what
    fetcher: Fetcher,
    source: str,
    state: LoadingState,
    now: datetime,
    options: LoadOptions,
    *,
    paths: Sequence[str] = DEFAULT_SITEMAP_PATHS,
    observe: Observe = ignore,
    enough: Enough = never,
) -> Loaded:
    """A sitemap, or all that a site declares when the URL ends in a slash or names its robots.txt.

    `paths`: tried beside what a site declares. Raises UsageError.
    """
    url = _address(source)
    if not urlsplit(url).path.endswith(("/", "/robots.txt")):
        found = await load(fetcher, [url], state, now, options, observe=observe, enough=enough)
        return replace(found, notes=(*found.notes, *_hint(url, found)), broken=find_broken(state))
    declared = await discover(fetcher, url, paths)
    if declared.unreachable:  # RB-21: what the site declares is not known, so nothing is requested
        advice = f"; {remedy(declared.failure)}" if declared.failure in HOST_FAILURES else ""
        return Loaded(0, 0, (Unavailable(declared.robots_url, f"{declared.unreachable}{advice}"),), missing=1)
    robots = SiteRobots(declared)
    found = await load(
        ObedientFetcher(fetcher, robots),
        (*declared.seeds, *declared.disallowed),
        state,
        now,
        replace(options, site=url),
        usual=declared.usual,
        observe=observe,
        enough=enough,
    )
    disallowed = robots.findings(state)
    known = {one.url for one in disallowed}
    others = [one for one in find_broken(state, declared.robots_url, declared.robots) if one.url not in known]
    found = replace(found, robots_url=declared.robots_url, robots=declared.robots)
    return replace(found, notes=(*declared.notes, *found.notes), broken=(*others, *disallowed))


def _address(source: str) -> str:
    """The URL in normal form. Raises UsageError."""
    try:
        return normalize(source)
    except BadUrl as error:
        raise UsageError(
            f"{source} cannot be read: {error}", hint="give a URL such as https://www.example.com/"
        ) from None


def _hint(url: str, found: Loaded) -> list[str]:
    page = found.documents == 0 and any(one.page for one in found.unavailable)
    return [f"{url} is a page; to read what its site declares, give {origin(url)}/"] if page else []


async def cross_submitted(fetcher: Fetcher, keys: Iterable[str], sitemaps: Collection[str]) -> frozenset[str]:
    """Origins of `keys` beside the sitemaps' own whose robots.txt names one of the `sitemaps`."""
    own = {origin(url) for url in sitemaps}
    others = sorted({key[: key.index("/", 8)] for key in keys} - own)[:_HOSTS]
    return frozenset([other for other in others if await _names(fetcher, other, sitemaps)])


async def _names(fetcher: Fetcher, other: str, sitemaps: Collection[str]) -> bool:
    declared = await discover(fetcher, f"{other}/", paths=())
    return not set(declared.seeds).isdisjoint(sitemaps)


async def served_documents(fetcher: Fetcher, url: str, folder: Path) -> Documents:
    """The sitemap at a URL, with everything that it lists; no documents when it answers 404 or 410.

    Raises UnreachableError when it gives no usable answer, BaselineError when a child does not: there is nothing to
    compare with.
    """
    found, answers = DocumentList(folder), _Statuses(fetcher)
    loaded = await load(answers, [url], LoadingState(), NEVER, INDEXES_ALONE, observe=found.add)
    documents = found.documents(loaded)
    for one in documents.missing:
        status = answers.by_url.get(one.url, 0)
        if not one.listed_by and status in GONE:
            return Documents()
        why = f"{one.url} answers {status}" if status else f"{one.url}: {one.reason}"
        if not one.listed_by:
            raise UnreachableError(why, hint="try again, or compare with a file (baseline)")
        what = "which does not exist" if status in GONE else f"which cannot be read: {why}"
        hint = "correct the index on the site, or compare with another sitemap (baseline)"
        raise BaselineError(f"{found.place(one)}: the index lists {truncate(one.url)}, {what}", hint=hint)
    return documents


class _Statuses:
    """A fetcher that remembers the status of each answer."""

    def __init__(self, inner: Fetcher) -> None:
        self._inner = inner
        self.by_url: dict[str, int] = {}

    async def fetch(self, request: Request) -> Answer:
        answer = await self._inner.fetch(request)
        if isinstance(answer, Response):
            self.by_url[request.url] = answer.status
        return answer


_LARGEST = 50 * 2**20  # bytes of a document: the protocol allows no more
_STORED = frozenset({RequestKind.SITEMAP, RequestKind.ROBOTS})
_headers = msgspec.msgpack.Decoder(Headers)


def conditional_fetcher(fetcher: Fetcher, inventory: Inventory) -> Fetcher:
    """Asks whether what a state has of sitemaps and robots.txt is still the same (NET-15).

    It is the fetcher itself for a run without a state, or with secrets, which a state must not have.
    """
    stored = stored_documents(inventory) if inventory.persistent else None
    return fetcher if stored is None else _ConditionalFetcher(fetcher, stored)


class _ConditionalFetcher:
    def __init__(self, fetcher: Fetcher, stored: StoredDocuments) -> None:
        self._fetcher = fetcher
        self._stored = stored

    async def fetch(self, request: Request) -> Answer:
        if request.kind not in _STORED:
            return await self._fetcher.fetch(request)
        before = self._find_stored(request)
        if before is not None:
            sent = dict(before.headers)
            request = replace(request, etag=sent.get("etag", ""), modified=sent.get("last-modified", ""))
        answer = await self._fetcher.fetch(request)
        if not isinstance(answer, Response):
            return answer
        if before is not None and answer.status == 304:
            answer = _update(before, answer.headers)
        self._store(answer, request)
        return answer

    def _find_stored(self, request: Request) -> Response | None:
        name = _name(request)
        headers, packed = self._stored.find([name]).get(name, (b"", b""))
        inflater = zlib.decompressobj()
        try:
            body = inflater.decompress(packed, _LARGEST)
            return Response(request.url, 200, _headers.decode(headers), body) if inflater.eof else None
        except (zlib.error, msgspec.MsgspecError, UnicodeDecodeError):
            return None

    def _store(self, answer: Response, request: Request) -> None:
        """What has moved is asked for where it was: its validators are those of another address."""
        validators = {"etag", "last-modified"}.intersection(name for name, _ in answer.headers)
        if answer.status == 200 and validators and not answer.hops and len(answer.body) < _LARGEST:
            headers = msgspec.msgpack.encode(answer.headers)
            self._stored.store([(_name(request), headers, zlib.compress(answer.body, 1))])


def _name(request: Request) -> str:
    """Unlike the name of a page of a build."""
    return f"{request.kind} {request.url}"


def _update(before: Response, headers: Headers) -> Response:
    """RFC 9111 §3.2: headers of a 304 take the place of stored ones, but for those of its own, empty body."""
    new = tuple(header for header in headers if not header[0].startswith("content-"))
    names = {name for name, _ in new}
    return before._replace(headers=(*(one for one in before.headers if one[0] not in names), *new))


_TIMEOUT = 10.0  # seconds: a baseline that is the default must not hold a run up


def production(config: Config, access: Access, inventory: Inventory) -> FetchSitemap:
    """Only the origin of source.url may be a private address, and it alone gets secrets.

    What a state in the inventory has is asked for with its validators.
    """

    def fetch(url: str, folder: Path) -> ServedSitemap:
        import asyncio  # noqa: PLC0415 - few runs fetch a baseline, and the others start sooner

        return asyncio.run(_fetch(url, folder, config, access, inventory))

    return fetch


async def _fetch(url: str, folder: Path, config: Config, access: Access, inventory: Inventory) -> ServedSitemap:
    given = "" if config.source.url == AUTO else config.source.url
    options = replace(http_options(config, access, given, preview=False), timeout=_TIMEOUT, retries=1)
    async with open_web(options) as opened:
        fetcher = conditional_fetcher(opened.fetcher, inventory)
        return await served_sitemap(fetcher, url, folder, robots=config.crawl.robots != "ignore")


async def served_sitemap(fetcher: Fetcher, url: str, folder: Path, *, robots: bool) -> ServedSitemap:
    """`robots`: the robots.txt of its origin is fetched too (RB-35)."""
    documents = await served_documents(fetcher, url, folder)
    if not documents or not robots:
        return documents, None
    answer = await fetcher.fetch(Request(f"{origin(url)}/robots.txt", RequestKind.ROBOTS))
    if not isinstance(answer, Response):
        return documents, None
    return documents, answer.body if answer.status == 200 else b"" if answer.status in GONE else None
