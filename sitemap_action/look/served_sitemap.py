"""The sitemap that a site serves, with all that it lists; what a state has is asked for with its validators (NET-15).

The live sitemap and its robots.txt, where a state has them: the server says whether they are the same (NET-15).

A 304 stands for what is stored. That is read as hostile: whatever does not decode is asked for as if it were new.
"""

import zlib
from pathlib import Path

import msgspec
from msgspec.structs import replace

from sitemap_action.errors import BaselineError, UnreachableError
from sitemap_action.fetch.base import Answer, Fetcher, Headers, Request, RequestKind, Response
from sitemap_action.look.collect import INDEXES_ALONE, NEVER, Collector
from sitemap_action.look.documents import Documents
from sitemap_action.sitemap.faults import truncate
from sitemap_action.store.document_cache import StoredDocuments, stored_documents
from sitemap_action.store.inventory import Inventory
from sitemap_action.store.loading_state import in_memory
from sitemap_action.walk.sitemap_loading import load

GONE = frozenset({404, 410})


async def collect_served(fetcher: Fetcher, url: str, folder: Path) -> Documents:
    """The sitemap at a URL, with everything that it lists; no documents when it answers 404 or 410.

    Raises UnreachableError when it gives no usable answer, BaselineError when a child does not: there is nothing to
    compare with.
    """
    collector, answers = Collector.into(folder), _Statuses(fetcher)
    with in_memory() as state:
        loaded = await load(answers, [url], state, NEVER, INDEXES_ALONE, observe=collector.received)
    for one in collector.missing(loaded):
        status = answers.of.get(one.url, 0)
        if not one.listed_by and status in GONE:
            return Documents()
        why = f"{one.url} answers {status}" if status else f"{one.url}: {one.reason}"
        if not one.listed_by:
            raise UnreachableError(why, hint="try again, or compare with a file (baseline)")
        what = "which does not exist" if status in GONE else f"which cannot be read: {why}"
        hint = "correct the index on the site, or compare with another sitemap (baseline)"
        raise BaselineError(f"{collector.place(one)}: the index lists {truncate(one.url)}, {what}", hint=hint)
    return collector.documents()


class _Statuses:
    """A fetcher that remembers the status of each answer."""

    def __init__(self, inner: Fetcher) -> None:
        self._inner = inner
        self.of: dict[str, int] = {}

    async def fetch(self, request: Request) -> Answer:
        answer = await self._inner.fetch(request)
        if isinstance(answer, Response):
            self.of[request.url] = answer.status
        return answer


_LARGEST = 50 * 2**20  # bytes of a document: the protocol allows no more
_KEPT = frozenset({RequestKind.SITEMAP, RequestKind.ROBOTS})
_headers = msgspec.msgpack.Decoder(Headers)


def asking_again(fetcher: Fetcher, inventory: Inventory) -> Fetcher:
    """The fetcher itself for a run without a state, or with secrets, which a state must not have."""
    stored = stored_documents(inventory) if inventory.persistent else None
    return fetcher if stored is None else _AskingFetcher(fetcher, stored)


class _AskingFetcher:
    def __init__(self, fetcher: Fetcher, stored: StoredDocuments) -> None:
        self._fetcher = fetcher
        self._stored = stored

    async def fetch(self, request: Request) -> Answer:
        if request.kind not in _KEPT:
            return await self._fetcher.fetch(request)
        before = self._before(request)
        if before is not None:
            sent = dict(before.headers)
            request = replace(request, etag=sent.get("etag", ""), modified=sent.get("last-modified", ""))
        answer = await self._fetcher.fetch(request)
        if not isinstance(answer, Response):
            return answer
        if before is not None and answer.status == 304:
            answer = _updated(before, answer.headers)
        self._store(answer, request)
        return answer

    def _before(self, request: Request) -> Response | None:
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
    """Unlike that of a page of a build."""
    return f"{request.kind} {request.url}"


def _updated(before: Response, headers: Headers) -> Response:
    """RFC 9111 §3.2: headers of a 304 take the place of stored ones, but for those of its own, empty body."""
    new = tuple(header for header in headers if not header[0].startswith("content-"))
    names = {name for name, _ in new}
    return before._replace(headers=(*(one for one in before.headers if one[0] not in names), *new))
