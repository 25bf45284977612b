"""Sitemaps of the web: at a URL or of a whole site, as documents for a comparison, and with the validators of a state.

A 304 stands for what a state has. That is read as hostile: whatever does not decode is asked for as if it were new.
"""

import time
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.config.schema import AUTO, Config, Www
from sitemap_action.errors import BaselineError, UnreachableError
from sitemap_action.fetch.base import (
    HOST_FAILURES,
    Answer,
    Failure,
    Fetcher,
    Headers,
    Request,
    RequestKind,
    Response,
)
from sitemap_action.fetch.policies import open_web
from sitemap_action.look.documents import (
    INDEXES_ALONE,
    NEVER,
    DocumentList,
    Documents,
    FetchSitemap,
    ServedSitemap,
    read_entries,
)
from sitemap_action.look.places import is_sitemap
from sitemap_action.model.mask import Access
from sitemap_action.model.observer import Event, EventKind, Observer
from sitemap_action.model.sitemap import SitemapDocument
from sitemap_action.sitemap.faults import truncate
from sitemap_action.store.codec import pack, unpack
from sitemap_action.store.inventory import Inventory, StoredDocuments, stored_documents
from sitemap_action.store.loading_state import LoadingState, SitemapState
from sitemap_action.walk.declared import Declared, LoadedSitemaps, ObedientFetcher, ServedFetcher, SiteRobots, discover
from sitemap_action.walk.shards import shared_fetcher, stored_name
from sitemap_action.walk.sitemap_loading import (
    LoadOptions,
    Observe,
    Unavailable,
    find_broken,
    ignore,
    load,
)
from sitemap_action.walk.start import blocks_every_crawler, http_options, wait_for_build
from sitemap_action.web.spellings import SiteMapping, as_directory, is_preview, site_mapping
from sitemap_action.web.urls import directory_of, is_url, normal_form, normalize, origin, path_query

GONE = frozenset({404, 410})
_HOSTS = 20  # requested at most: a sitemap that lists URLs of more is no cross-submission


async def cross_submitted(fetcher: Fetcher, keys: Iterable[str], sitemaps: Collection[str]) -> frozenset[str]:
    """Origins of `keys` beside the sitemaps' own whose robots.txt names one of the `sitemaps`."""
    own = {origin(url) for url in sitemaps}
    others = sorted({key[: key.index("/", 8)] for key in keys} - own)[:_HOSTS]
    declared = {other: await discover(fetcher, f"{other}/", paths=()) for other in others}
    return frozenset(other for other, one in declared.items() if not set(one.seeds).isdisjoint(sitemaps))


async def served_documents(fetcher: Fetcher, url: str, folder: Path) -> Documents:
    """The sitemap at a URL, with everything that it lists; no documents when it answers 404 or 410, or has no host.

    Raises UnreachableError when it gives no usable answer, BaselineError when a child does not: there is nothing to
    compare with.
    """
    found, answers = DocumentList(folder), _Statuses(fetcher)
    loaded = await load(answers, [url], LoadingState(), NEVER, INDEXES_ALONE, observe=found.add)
    documents = found.documents(loaded)
    for one in documents.missing:
        status = answers.by_url.get(one.url, 0)
        if not one.listed_by and (status in GONE or one.url in answers.without_name):
            return Documents()
        why = _describe_unread(one, answers)
        if not one.listed_by:
            raise UnreachableError(why, hint="try again, or compare with a file (baseline)")
        what = "which does not exist" if status in GONE else f"which cannot be read: {why}"
        hint = "correct the index on the site, or compare with another sitemap (baseline)"
        raise BaselineError(f"{found.place(one)}: the index lists {truncate(one.url)}, {what}", hint=hint)
    return documents


class _Statuses:
    """A fetcher that remembers the status of each answer, and which URL has a host name that does not exist."""

    def __init__(self, inner: Fetcher) -> None:
        self._inner = inner
        self.by_url: dict[str, int] = {}
        self.without_name: set[str] = set()

    async def fetch(self, request: Request) -> Answer:
        answer = await self._inner.fetch(request)
        if isinstance(answer, Response):
            self.by_url[request.url] = answer.status
        elif answer.failure is Failure.NO_NAME:
            self.without_name.add(request.url)
        return answer


_LARGEST = 50 * 2**20  # bytes of a document: the protocol allows no more
_STORED = frozenset({RequestKind.SITEMAP, RequestKind.ROBOTS})
_decoder = msgspec.msgpack.Decoder(tuple[Headers, bytes])


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
        name = stored_name(request)
        _, packed = self._stored.find([name]).get(name, (b"", b""))
        found = unpack(packed, _decoder)
        return None if found is None else Response(request.url, 200, *found)

    def _store(self, answer: Response, request: Request) -> None:
        """What has moved is asked for where it was: its validators are those of another address."""
        validators = {"etag", "last-modified"}.intersection(name for name, _ in answer.headers)
        if answer.status == 200 and validators and not answer.hops and len(answer.body) < _LARGEST:
            self._stored.store([(stored_name(request), b"", pack((answer.headers, answer.body)))])


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

    async def ask(url: str, folder: Path, likely: Sequence[str]) -> ServedSitemap:
        given = "" if config.source.url == AUTO else config.source.url
        options = replace(http_options(config, access, given, preview=False), timeout=_TIMEOUT, retries=1)
        async with open_web(options) as opened:
            fetcher = conditional_fetcher(opened.fetcher, inventory)
            return await served_sitemap(fetcher, url, folder, robots=config.crawl.robots != "ignore", likely=likely)

    def fetch(url: str, folder: Path, likely: Sequence[str] = ()) -> ServedSitemap:
        import asyncio  # noqa: PLC0415 - few runs fetch a baseline, and the others start sooner

        return asyncio.run(ask(url, folder, likely))

    return fetch


async def served_sitemap(
    fetcher: Fetcher, url: str, folder: Path, *, robots: bool, likely: Sequence[str] = ()
) -> ServedSitemap:
    """`robots`: the robots.txt of its origin is fetched too (RB-35). `likely`: see `FetchSitemap`."""
    if url.endswith("/"):
        return await _declared_baseline(fetcher, url, folder, likely, robots=robots)
    documents = await served_documents(fetcher, url, folder)
    if not documents or not robots:
        return documents, None
    answer = await fetcher.fetch(Request(f"{origin(url)}/robots.txt", RequestKind.ROBOTS))
    if not isinstance(answer, Response):
        return documents, None
    return documents, answer.body if answer.status == 200 else b"" if answer.status in GONE else None


async def _declared_baseline(
    fetcher: Fetcher, site: str, folder: Path, likely: Sequence[str], *, robots: bool
) -> ServedSitemap:
    """What a site declares is found as `read` finds it (I-06); a part of it is no baseline."""
    declared = await discover(fetcher, site, likely=likely, obeys=lambda _: False)
    if declared.failure is Failure.NO_NAME:  # as 404: nothing is deployed yet
        return Documents(), None
    found = await _SiteLoading(fetcher, declared, site, folder).load()
    if found.unread:
        raise UnreachableError(found.unread, hint="try again, or compare with a file (baseline)")
    if child := next((one for one in found.broken if not (one.declared or one.served)), None):
        hint = "correct the index on the site, or compare with another sitemap (baseline)"
        what = f"the index lists {truncate(child.url)}, which cannot be read: {child.reason}"
        raise BaselineError(f"{child.named_by}:{child.line}: {what}", hint=hint)
    if found.page:
        raise BaselineError(f"{found.page} is no sitemap", hint="name another baseline")
    return found.documents, (declared.robots or b"") if robots else None


# --- what a site declares, as documents ---


class SiteSitemaps(LoadedSitemaps, frozen=True):
    """The sitemaps that a site declares, with all that they list; else the one at a usual address."""

    documents: Documents = Documents()
    unread: str = ""  # why something of it is not known
    page: str = ""  # where there is none: an address that answers with something else


_CLOSED = frozenset({401, 403, 407})  # which says nothing of what is there for others


class _SiteLoading(Struct, frozen=True):
    fetcher: Fetcher
    declared: Declared
    site: str
    folder: Path
    options: LoadOptions = INDEXES_ALONE
    observe: Observe = ignore

    async def load(self) -> SiteSitemaps:
        """What robots.txt names counts before usual addresses, and these where nothing there is one of this site."""
        declared = self.declared
        if declared.unreachable:
            place = origin(declared.robots_url) + "/" if declared.failure in HOST_FAILURES else declared.robots_url
            return SiteSitemaps(declared, unread=f"{place}: {declared.unreachable}")  # RB-21
        named = await self._load(declared.seeds)
        if named.documents or named.unread:
            return named
        usual = await self._load((), declared.usual)
        unread, kept_out = usual.unread, (*declared.disallowed, *declared.closed)
        if not usual.documents and kept_out:
            unread = f"{kept_out[0]}: {SiteRobots(declared).refusal(kept_out[0])}"
        return replace(usual, broken=(*named.broken, *usual.broken), unread=unread)

    async def _load(self, seeds: Sequence[str], usual: Sequence[str] = ()) -> SiteSitemaps:
        found, answers, state = DocumentList(self.folder), _Statuses(self.fetcher), LoadingState()

        def add(url: str, document: SitemapDocument) -> None:
            self.observe(url, document)
            found.add(url, document)

        loaded = await load(answers, seeds, state, NEVER, self.options, usual=usual, observe=add)
        documents = self._keep_sitemaps(found.documents(loaded), state)
        unknown = [one for one in documents.missing if answers.by_url.get(one.url, 0) not in {200, *GONE}]
        unread = next((_describe_unread(one, answers) for one in unknown), "")
        closed = next((url for url in usual if answers.by_url.get(url) in _CLOSED), "") if not documents else ""
        return SiteSitemaps(
            declared=self.declared,
            documents=documents,
            broken=find_broken(state, self.declared.robots_url, self.declared.robots if seeds else None),
            unread=unread or (f"{closed} answers {answers.by_url[closed]}" if closed else ""),
            page=next((url for url in usual if answers.by_url.get(url) == 200), "") if not documents else "",
        )

    def _keep_sitemaps(self, documents: Documents, state: LoadingState) -> Documents:
        """Without pages that answer in their place; none where all are of another site at that host."""
        failed = {one.url for one in state.statuses(SitemapState.FAILED)}
        rows = tuple(
            row for row in documents.rows if row.url not in failed or is_sitemap(documents.store(row.key) or b"")
        )
        kept = replace(documents, rows=rows, site=self.site)
        return kept if not rows or self._lists_site(kept) else Documents(missing=documents.missing)

    def _lists_site(self, documents: Documents) -> bool:
        """Whether it lists anything of a site that is below a directory of its host; a damaged one may."""
        served = directory_of(self.options.site or self.site)
        if "/" in (path_query(self.site or served), path_query(served)):
            return True
        try:
            keys = (normal_form(entry.loc) or "" for document in documents for entry in read_entries(document))
            if self.site:
                return any(key.startswith((self.site, served)) for key in keys)
            return any(key and path_query(key).startswith(path_query(served)) for key in keys)
        except BaselineError:
            return True


def _describe_unread(one: Unavailable, answers: _Statuses) -> str:
    status = answers.by_url.get(one.url, 0)
    return f"{one.url} answers {status}" if status else f"{one.url}: {one.reason}"


# --- what the site that is crawled declares (I-05) ---


def load_crawled(
    config: Config, access: Access, inventory: Inventory, folder: Path, observer: Observer
) -> tuple[SiteSitemaps, tuple[str, ...]]:
    """The judged sitemap of a run without a file, and notes; the marker of a new build is awaited before."""
    import asyncio  # noqa: PLC0415 - as above

    return asyncio.run(_load_crawled(config, access, inventory, folder, observer))


async def _load_crawled(
    config: Config, access: Access, inventory: Inventory, folder: Path, observer: Observer
) -> tuple[SiteSitemaps, tuple[str, ...]]:
    import asyncio  # noqa: PLC0415 - as above

    named = normalize(config.sitemap) if is_url(config.sitemap) else ""
    start = normalize(as_directory(config.source.url, config.site_url)) if config.source.url else named
    site_url = config.site_url or ("" if is_preview(start) else directory_of(start))  # "": nothing tells it yet
    mapping = crawled_mapping(config, site_url) if config.source.url and site_url else None
    preview = bool(config.source.url) and (mapping is None or origin(mapping.site) != origin(start))

    def obeys(robots: bytes) -> bool:
        """ENV-04: what blocks every crawler of a preview is the policy of its host."""
        return config.crawl.robots == "auto" and not (preview and blocks_every_crawler(robots, start))

    def observe(url: str, _document: SitemapDocument) -> None:
        observer.event(Event(EventKind.SITEMAP, url))

    async with open_web(http_options(config, access, start, preview=preview)) as opened:
        notes = await wait_for_build(opened.fetcher, config)
        began = time.monotonic()
        fetcher = conditional_fetcher(shared_fetcher(opened.fetcher, inventory, access.mask), inventory)
        if named:
            declared = Declared(f"{origin(named)}/robots.txt", seeds=(named,))
        else:
            declared = await discover(fetcher, start, config.sitemaps.paths, obeys=obeys)
            fetcher = ObedientFetcher(fetcher, SiteRobots(declared)) if obeys(declared.robots or b"") else fetcher
            fetcher = ServedFetcher(fetcher, mapping and mapping.whole_origin(), start)
        limits = config.sitemaps
        options = LoadOptions(limits.max_documents, limits.max_depth, limits.max_inflated, entries=False, site=start)
        try:
            async with asyncio.timeout(config.crawl.deadline):
                site = mapping.site if mapping else ""
                found = await _SiteLoading(fetcher, declared, site, folder, options, observe).load()
        except TimeoutError:
            found = SiteSitemaps(declared, unread="crawl.deadline came before its end")
        found = replace(found, seconds=time.monotonic() - began)
    return found, notes


def crawled_mapping(config: Config, site_url: str) -> SiteMapping:
    start = normalize(as_directory(config.source.url, site_url))
    return site_mapping(site_url, start, config.source.mount, www=config.crawl.www is Www.SAME)


def as_production(documents: Documents, mapping: SiteMapping) -> Documents:
    """The documents of a preview as production would serve them: one that names itself names the site (I-01)."""
    if mapping.is_identity:
        return replace(documents, site=mapping.site)
    served, site, store = mapping.served.encode(), mapping.site.encode(), documents.store
    whole, its_whole = served.rstrip(b"/") + b"<", site.rstrip(b"/") + b"/<"

    def read(key: str) -> bytes | None:
        content = store(key)
        return None if content is None else content.replace(whole, its_whole).replace(served, site)

    rows = tuple(row._replace(address=mapping.whole_origin().to_site(row.address)) for row in documents.rows)
    return replace(documents, rows=rows, store=read, site=mapping.site)
