"""The one reader of sitemaps: every document, from wherever it is kept, with everything that it lists.

Theory of operation. A loading starts at seeds and walks: a document is requested, received and parsed, and the sitemaps
that it lists are appended to a queue, breadth first (`store/loading_state.py`). A document is known by its URL once, so
indexes that list each other end. Where a state is kept, what a document lists and its new status are one transaction:
a run that is killed resumes with nothing lost, and repeats at most the requests under way.

`Loading` holds no connection: `next_requests` gives what to request, `receive` takes the answer, and a consumer of
`documents` (or `documents_async`) has each document when it is in. Answers are received in the order of the queue
whatever their latencies, so the same site gives the same result. Limits (documents,
depth, entries, bytes) make a loading incomplete, never silently shorter.

A document without a usable answer, or one that breaks off, is *unavailable*: its URLs are unknown, never removed. With
`LoadOptions.entries` off only indexes are parsed, and a consumer reads the entries itself (`look/documents.py`).
"""

import json
from collections import Counter, deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing
from datetime import datetime
from typing import Any, TypeVar

from msgspec import Struct, field
from msgspec.structs import asdict, replace
from xxhash import xxh3_128_hexdigest

from sitemap_action import __version__
from sitemap_action.fetch.base import Answer, Fetcher, Request, RequestKind, Response, Skip, describe_status
from sitemap_action.model.sitemap import BrokenSitemap, SitemapDocument
from sitemap_action.model.wording import setting
from sitemap_action.robots.groups import Profile, parse
from sitemap_action.sitemap.decode import GZIP, declare_charset
from sitemap_action.sitemap.faults import truncate
from sitemap_action.sitemap.protocol import MAX_INFLATED, site_host, without_suffix
from sitemap_action.store.loading_state import LoadingState, ResumeState, SitemapState, SitemapStatus
from sitemap_action.walk.sitemap_intake import NO_SITEMAP, SitemapIntake
from sitemap_action.web.headers import content_type
from sitemap_action.web.urls import normal_form, resolve

_NAMED = 100
"""Unavailable documents that are listed by name; the others are counted."""

_UNAVAILABLE = (SitemapState.PENDING, SitemapState.REQUESTED, SitemapState.FAILED, SitemapState.REFUSED)


class Limits(Struct, frozen=True):
    """How far a loading goes; every limit that is met makes it incomplete."""

    max_documents: int = 500  # requested, whatever they answer
    max_depth: int = 5  # of indexes within indexes; 0 = the seeds alone
    max_inflated: int = MAX_INFLATED  # bytes of one document without compression
    max_entries: int = 5_000_000  # of all documents


class LoadOptions(Limits, frozen=True):
    """How a loading is done."""

    entries: bool = True  # store what documents list; False: only indexes are parsed, a consumer reads the rest
    same_host: bool = False  # only URLs and sitemaps of the hosts of the seeds, and of `site`
    site: str = ""  # whose robots.txt named the seeds (SM-30)


DEFAULTS = LoadOptions()


class Unavailable(Struct, frozen=True):
    """A document that is not, or not wholly, read; what it lists is unknown."""

    url: str
    reason: str
    listed_by: str = ""
    line: int = 0
    entries: int = 0  # read before the damage
    page: bool = False  # it is an HTML page

    def __str__(self) -> str:
        by = f" (listed by {truncate(self.listed_by)}, line {self.line})" if self.listed_by else ""
        if not self.entries:
            return f"sitemap {truncate(self.url)}{by} is unavailable: {self.reason}"
        before = "1 URL" if self.entries == 1 else f"{self.entries:,} URLs"
        return f"sitemap {truncate(self.url)}{by} is damaged: {self.reason}; {before} before that, the rest is unknown"


class Loaded(Struct, frozen=True):
    """The result of a loading; its entries are in the state."""

    documents: int  # read whole
    entries: int  # stored, of all documents
    unavailable: tuple[Unavailable, ...] = ()  # the first hundred
    missing: int = 0  # how many are unavailable
    skipped: Mapping[str, int] = field(default_factory=dict)  # URLs that were skipped, by reason
    faults: Mapping[str, int] = field(default_factory=dict)  # tolerated faults, by code
    notes: tuple[str, ...] = ()
    broken: tuple[BrokenSitemap, ...] = ()  # sitemaps that are named and do not answer as sitemaps, of a site or a URL
    robots_url: str = ""  # of the site that was named; "" where an address of a sitemap was
    robots: bytes | None = None  # its content, None where there is none, and where it could not be read

    def add(self, one: Unavailable) -> "Loaded":
        """The result with one more that is unavailable."""
        return replace(self, unavailable=(*self.unavailable, one), missing=self.missing + 1)

    @property
    def complete(self) -> bool:
        """Only then does an absent URL mean that it is not listed."""
        return not self.missing

    @property
    def incomplete(self) -> tuple[str, ...]:
        """Why not everything was seen, in sentences; empty when it was."""
        more = self.missing - len(self.unavailable)
        return (*map(str, self.unavailable), *([f"{more:,} more sitemaps are unavailable"] if more else []))


def loading_result(
    state: LoadingState, options: LoadOptions, notes: tuple[str, ...] = (), *, stopped: bool = False
) -> Loaded:
    """`stopped`: what is pending is not needed."""
    states = tuple(one for one in _UNAVAILABLE if not (stopped and one is SitemapState.PENDING))
    unavailable: list[Unavailable] = []
    pending = _not_requested(state, options)
    faults: Counter[str] = Counter()
    skipped: Counter[str] = Counter()
    for document in state.statuses(SitemapState.READ, SitemapState.FAILED):
        faults.update(document.faults)
        skipped.update(document.skipped)
    for document in state.statuses(*states):
        reason = document.reason if document.state is not SitemapState.PENDING else pending
        by, line = document.listed_by, document.line
        unavailable.append(Unavailable(document.url, reason, by, line, document.entries, document.page))
        if len(unavailable) == _NAMED:
            break
    return Loaded(
        documents=state.count(SitemapState.READ),
        entries=state.entry_count(),
        unavailable=tuple(unavailable),
        missing=state.count(*states) + state.dropped,
        skipped=dict(sorted(skipped.items())),
        faults=dict(sorted(faults.items())),
        notes=notes,
    )


def _not_requested(state: LoadingState, options: LoadOptions) -> str:
    if state.entry_count() >= options.max_entries:
        one = options.max_entries == 1
        return f"not requested: at most {'1 URL is' if one else f'{options.max_entries:,} URLs are'} read"
    return f"not requested: at most {options.max_documents:,} sitemaps are ({setting('sitemaps.max-documents')})"


_XML_OR_TEXT = frozenset(("application/xml", "text/xml", "text/plain"))
_GZIP = frozenset(("application/gzip", "application/x-gzip", "application/octet-stream"))


def other_media_type(answer: Response) -> str:
    """What is wrong with the media type of a document, as text; "" for XML, text and gzip, and for a file."""
    if not answer.url.startswith(("http://", "https://")) or answer.path:
        return ""
    found, _ = content_type(answer.headers)
    if found in _XML_OR_TEXT or found.endswith("+xml") or (found in _GZIP and answer.body.startswith(GZIP)):
        return ""
    return f"its media type is {found}" if found else "it has no media type"


_QUEUED = (
    SitemapState.PENDING,
    SitemapState.REQUESTED,
    SitemapState.READ,
    SitemapState.DUPLICATE,
    SitemapState.FAILED,
    SitemapState.REFUSED,
)
_DONE = (SitemapState.READ, SitemapState.DUPLICATE, SitemapState.ABSENT)

Observe = Callable[[str, SitemapDocument], None]
"""Takes the URL of a document as it is listed, and the document as it was received."""


Enough = Callable[[LoadingState], bool]
"""Whether a consumer needs no further document: the others are not requested, which is no failure."""


def ignore(_url: str, _document: SitemapDocument) -> None:
    return None


def never(_state: LoadingState) -> bool:
    return False


def load_local(  # noqa: PLR0913 - what to load, with what, into what
    answer: Callable[[Request], Answer],
    seeds: Sequence[str],
    state: LoadingState,
    now: datetime,
    options: LoadOptions = DEFAULTS,
    *,
    observe: Observe = ignore,
) -> Loaded:
    """Read the sitemaps at the seeds and all that they list, from files.

    `observe` gets every document that is received, in order.
    """
    resumed = begin_state(state, loading_key(seeds, options), seeds, (), now)
    loading = Loading(state, options, resumed, seeded=bool(seeds), observe=observe)
    deque(loading.documents(lambda one: answer(request_for(one)), lambda found: found, ahead=1), maxlen=0)
    return loading.finish()


_AHEAD = 4
"""Requests under way; their answers are held in memory until their turn."""

T = TypeVar("T")


def loading_key(names: Sequence[str], options: LoadOptions) -> str:
    """Identifies what decides what is read."""
    return json.dumps([__version__, *names, asdict(options)])


def begin_state(  # noqa: PLR0913 - as `LoadingState.begin`
    state: LoadingState, key: str, seeds: Sequence[str], usual: Sequence[str], now: datetime, *, lasting: bool = False
) -> ResumeState:
    """Begins a state (`LoadingState.begin`) with addresses as a user or a robots.txt has them."""
    return state.begin(key, [*map(_normal, seeds)], [*map(_normal, usual)], now, lasting=lasting)


class Loading:
    """One loading without its requests: which come next, and what each answer means."""

    def __init__(  # noqa: PLR0913 - what is loaded, and who wants it
        self,
        state: LoadingState,
        options: LoadOptions,
        resumed: ResumeState,
        *,
        seeded: bool,
        observe: Observe = ignore,
        enough: Enough = never,
    ) -> None:
        """`resumed`: how `state` was begun; `seeded`: there are seeds, or several sources, so usual paths come last."""
        self._state, self._options, self._seeded = state, options, seeded
        self._observe, self._enough = observe, enough
        self._requested = state.count(*_DONE)
        self._seed_urls: list[str] | None = None  # of every seed and where it answered; None: to be read
        self._notes = _resume_notes(resumed, state)
        self._under_way: deque[tuple[SitemapStatus, Any]] = deque()

    def documents(
        self, begin: Callable[[SitemapStatus], T], answer: Callable[[T], Answer], ahead: int = _AHEAD
    ) -> Iterator[SitemapStatus]:
        """Each document as it is received, a few requests `ahead`; before them those that a killed run has read."""
        yield from self._state.statuses(SitemapState.READ)
        while one := self._next(begin, ahead):
            self.receive(one[0], answer(one[1]))
            yield one[0]

    async def documents_async(
        self, fetch: Callable[[SitemapStatus], Awaitable[Answer]]
    ) -> AsyncGenerator[SitemapStatus]:
        """`documents` in an event loop; to be closed (`contextlib.aclosing`), which ends the requests under way."""
        import asyncio  # noqa: PLC0415 - files are loaded without, and start sooner

        for read in self._state.statuses(SitemapState.READ):
            yield read
        try:
            while one := self._next(lambda status: asyncio.ensure_future(fetch(status)), _AHEAD):
                self.receive(one[0], await one[1])
                yield one[0]
        finally:
            for _, task in self._under_way:
                task.cancel()

    def _next(self, begin: Callable[[SitemapStatus], T], ahead: int) -> tuple[SitemapStatus, T] | None:
        """The first document under way, once others are requested behind it; None at the end."""
        for status in self.next_requests(ahead - len(self._under_way), idle=not self._under_way):
            self._under_way.append((status, begin(status)))
        return self._under_way.popleft() if self._under_way else None

    def next_requests(self, room: int, *, idle: bool) -> list[SitemapStatus]:
        """The documents to request now, at most `room`; `idle`: no request is under way."""
        room = min(room, self._options.max_documents - self._requested)
        if room <= 0 or self._state.entry_count() >= self._options.max_entries:
            return []
        if self._enough(self._state):
            return []
        found = self._state.take_pending(room)
        if not found and idle and self._queue_usual():
            found = self._state.take_pending(room)
        self._requested += len(found)
        return found

    def _queue_usual(self) -> bool:
        """Queue the next usual path; beside seeds every one that is not another format of what was read."""
        if not self._seeded:
            return not self._state.count(*_QUEUED) and self._state.queue_usual()
        formats = {without_suffix(one.url) for one in self._state.statuses(*_QUEUED)}
        chosen: dict[str, SitemapStatus] = {}
        for one in self._state.statuses(SitemapState.USUAL):
            chosen.setdefault(without_suffix(one.url), one)
        queued = [one for name, one in chosen.items() if name not in formats]
        for one in queued:
            self._state.set_status(one, SitemapState.PENDING)
        return bool(queued)

    def receive(self, status: SitemapStatus, answer: Answer) -> None:
        self._receive(status, answer)
        if not status.depth:
            self._seed_urls = None

    def _receive(self, status: SitemapStatus, answer: Answer) -> None:
        if status.state is not SitemapState.REQUESTED:
            return  # another document turned out to be this one while the request was under way
        match answer:
            case Response(status=200, body_skipped=False):
                self._receive_document(status, answer)
            case Response(status=304) if any(status.version[:2]):
                self._state.set_status(status, SitemapState.READ, address=status.address)
            case _ if status.usual and self._seeded:  # nothing names it
                self._state.set_status(status, SitemapState.ABSENT)
            case Skip(reason=reason):
                self._state.set_status(status, SitemapState.FAILED, reason)
            case Response(status=200):
                self._state.set_status(status, SitemapState.FAILED, "the answer does not have the type of a sitemap")
            case Response(status=code) if status.usual and 400 <= code < 500 and code != 429:
                self._state.set_status(status, SitemapState.ABSENT)
            case Response():
                self._state.set_status(status, SitemapState.FAILED, describe_status(answer))

    def finish(self) -> Loaded:
        self._state.end()
        return loading_result(self._state, self._options, tuple(self._notes), stopped=self._enough(self._state))

    def _receive_document(self, status: SitemapStatus, answer: Response) -> None:
        """The address that answered is its identity: the same document under two addresses is read once."""
        address = _normal(answer.hops[-1]) if answer.hops else status.url
        hosts = self._hosts(status, address)
        if hosts and not status.usual and status.depth and site_host(address) not in hosts:
            self._state.set_status(status, SitemapState.FAILED, f"it redirects to another host, {address}", address)
            return
        other = self._state.find_by_address(address, status)
        if other and other.state in {SitemapState.READ, SitemapState.DUPLICATE}:
            self._state.set_status(status, SitemapState.DUPLICATE, f"the same as {other.url}", address)
            return
        named = all(name != "content-encoding" for name, _ in answer.headers)
        body = declare_charset(answer.body, content_type(answer.headers)[1])
        document = SitemapDocument(answer.path or status.url, body, address, named)
        self._read(status, document, answer, hosts)
        if other:
            self._state.set_status(other, SitemapState.DUPLICATE, f"the same as {status.url}", address)

    def _read(self, status: SitemapStatus, document: SitemapDocument, answer: Response, hosts: frozenset[str]) -> None:
        intake = SitemapIntake(
            document,
            max_inflated=self._options.max_inflated,
            hosts=hosts,
            too_deep=self._too_deep(status),
            entries=self._options.entries,
        )
        headers = dict(answer.headers)
        digest = xxh3_128_hexdigest(document.content)  # a collision hides that a document changed, no more
        changed = bool(status.reason) and status.version[2] not in {"", digest}
        status.version = (headers.get("etag", ""), headers.get("last-modified", ""), digest)
        self._state.read(status, document.address, intake.batches(), intake.content)
        if status.usual and intake.content.fault in NO_SITEMAP:
            self._state.set_status(status, SitemapState.ABSENT)
            return
        if changed:
            self._notes.append(f"{status.url} changed since it was first read; what it listed then is dropped")
        if why := other_media_type(answer):
            self._state.media_types[status.url] = why
        self._observe(status.url, document)

    def _too_deep(self, status: SitemapStatus) -> str:
        """Why the children of a document are not requested; "" when they are."""
        limit = self._options.max_depth
        if status.depth < limit:
            return ""
        named = f" ({setting('sitemaps.max-depth')})" if self._options.entries else ""
        return f"it is more than {limit} deep{named}"

    def _hosts(self, status: SitemapStatus, address: str) -> frozenset[str]:
        """Whose URLs are wanted, all when empty: of the site, and of the seeds wherever they answered."""
        if not self._options.same_host:
            return frozenset()
        if self._seed_urls is None:
            seeds = (seed for seed in self._state.statuses(SitemapState.READ, SitemapState.FAILED) if not seed.depth)
            self._seed_urls = [url for seed in seeds for url in (seed.url, seed.address)]
        own = [] if status.depth else [status.url, address]
        return frozenset(
            site_host(url) for url in (self._options.site, *self._seed_urls, *own) if url.startswith("http")
        )


def request_for(status: SitemapStatus) -> Request:
    etag, modified, _ = status.version
    return Request(status.url, RequestKind.SITEMAP, etag, modified)


def _normal(url: str) -> str:
    """The normal form of a URL; any other text stays, for the fetcher knows it, and a sitemap cannot name it."""
    return normal_form(url) or url


def _resume_notes(resumed: ResumeState, state: LoadingState) -> list[str]:
    match resumed:
        case ResumeState.NEW:
            return []
        case ResumeState.RESUMED:
            return [f"resumed: {state.count(SitemapState.READ):,} sitemaps had been read"]
        case ResumeState.OTHER:
            return ["the state is of other sitemaps or options and is not used"]
        case ResumeState.AGAIN:
            return ["the state is of a run that has ended; unchanged documents are taken from it"]


async def load(  # noqa: PLR0913 - what to load, with what, into what
    fetcher: Fetcher,
    seeds: Sequence[str],
    state: LoadingState,
    now: datetime,
    options: LoadOptions = DEFAULTS,
    *,
    usual: Sequence[str] = (),
    observe: Observe = ignore,
) -> Loaded:
    """Read the sitemaps at the seeds and all that they list.

    `usual`: addresses that are tried after the seeds, without any until one is a sitemap; it is no failure that none
    is. `observe` gets every document that is received, in order.
    """
    resumed = begin_state(state, loading_key((*seeds, *usual), options), seeds, usual, now)
    loading = Loading(state, options, resumed, seeded=bool(seeds), observe=observe)
    async with aclosing(loading.documents_async(lambda one: fetcher.fetch(request_for(one)))) as documents:
        async for _ in documents:
            pass
    return loading.finish()


_ANSWERED = (SitemapState.READ, SitemapState.DUPLICATE, SitemapState.FAILED)


def find_broken(state: LoadingState, robots_url: str = "", robots: bytes | None = None) -> tuple[BrokenSitemap, ...]:
    """Sitemaps that do not answer as one at the address that names them (SM-11, SM-63, RB-32), in order of discovery.

    `robots_url`: where the seeds are what the robots.txt of a site names.
    """
    lines = dict(_addresses_with_lines(robots_url, robots or b""))
    found = []
    for document in state.statuses(*_ANSWERED):
        if document.listed_by and document.state is SitemapState.FAILED:
            found.append(BrokenSitemap(document.url, document.listed_by, document.line, document.reason))
        elif not document.listed_by and document.url in lines and (why := _wrong_answer(document)):
            found.append(BrokenSitemap(document.url, robots_url, lines[document.url], why, declared=True))
        elif document.state is not SitemapState.FAILED and (why := _served_otherwise(document, state)):
            line = document.line or lines.get(document.url, 0)
            by = document.listed_by or (robots_url if line else document.url)
            found.append(BrokenSitemap(document.url, by, line, why, served=True))
    return tuple(found)


def _addresses_with_lines(robots_url: str, robots: bytes) -> Iterator[tuple[str, int]]:
    for line, text in reversed(parse(robots, Profile.GOOGLE).sitemaps):
        if url := resolve(robots_url, text):
            yield url, line


def _wrong_answer(document: SitemapStatus) -> str:
    if document.state is SitemapState.FAILED:
        return document.reason
    return _redirect(document)


def _served_otherwise(document: SitemapStatus, state: LoadingState) -> str:
    """Nothing names a usual path, so it may redirect to the sitemap."""
    return ("" if document.usual else _redirect(document)) or state.media_types.get(document.url, "")


def _redirect(document: SitemapStatus) -> str:
    """A file has the path at which it was found for an address, and nothing redirects to it."""
    served = document.address.startswith(("http://", "https://"))
    return f"it redirects to {document.address}" if served and document.address != document.url else ""
