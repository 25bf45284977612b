"""The library: sitemaps for scripts and crawlers, read as a stream or handed out URL by URL.

    from sitemap_action import sitemaps

    for entry in sitemaps.read("https://www.example.com/"):
        print(entry.loc, entry.lastmod)

`read` streams entries: each document's when it is in. `Loader` hands out URLs for a crawler, keeps in a file what was
read and what was acknowledged, and goes on from there after a kill. Both load as `read` and `check` of the command line
do (`walk/sitemap_stream.py`). What is not in `__all__` may change; what is follows semantic versioning.

A source is the URL of a sitemap; the URL of a site (ending in a slash), or of its robots.txt; a path of a sitemap, of a
folder or of a robots.txt; or the document itself, as bytes or as text that begins with `<` or has a line break.

A document that cannot be read is a value (`Unavailable`). What cannot be used at all raises: `UsageError` for a source
that is none, or a state file of another program; `BadPattern`; `PublishError` where the state cannot be written.
"""

from array import array
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterable, Iterator
from contextlib import ExitStack, aclosing, closing
from datetime import UTC, datetime
from itertools import chain, compress, islice, repeat
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeAlias
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import asdict
from xxhash import xxh3_64_intdigest, xxh3_128_hexdigest

from sitemap_action.disk.folder import read_bounded
from sitemap_action.errors import PublishError, SitemapActionError, UsageError
from sitemap_action.fetch.base import AGENT, PRODUCTION_RATE, HttpOptions
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.mask import Access, SecretStruct
from sitemap_action.model.page import Alternate
from sitemap_action.model.wording import Audience, speak_to
from sitemap_action.robots.groups import Profile, parse
from sitemap_action.sitemap.entry_fields import Article, EntryPlace, Image, PageEntry, Video
from sitemap_action.sitemap.protocol import MAX_INFLATED, USUAL_PATHS
from sitemap_action.store.entries import Seen
from sitemap_action.store.loading_state import LoadingState, SitemapState, SitemapStatus
from sitemap_action.store.state import open_state
from sitemap_action.walk.folders import LocalSitemaps, named_file
from sitemap_action.walk.sitemap_loading import Limits, LoadOptions, Unavailable
from sitemap_action.walk.sitemap_stream import SitemapStream, Source, address
from sitemap_action.web.patterns import BadPattern, Patterns, compile_patterns
from sitemap_action.web.spellings import is_loopback
from sitemap_action.web.urls import is_url, normal_form, origin

if TYPE_CHECKING:
    import asyncio

__all__ = [
    "Alternate",
    "Article",
    "BadPattern",
    "Document",
    "Entry",
    "EntryPlace",
    "Http",
    "Image",
    "Limits",
    "Loader",
    "PublishError",
    "Reading",
    "SitemapActionError",
    "SitemapState",
    "Unavailable",
    "UsageError",
    "Video",
    "aread",
    "read",
]

Entry = PageEntry
_PIECE = 500  # entries that are made at once
Name: TypeAlias = str | Path | bytes
"""A source."""


class Http(SecretStruct, frozen=True):
    """How requests are sent. Private addresses are refused, but for the hosts of the sources."""

    user_agent: str = AGENT
    headers: tuple[tuple[str, str], ...] = ()  # sent to the origin of the first source alone
    timeout: float = 20  # seconds, one request from first to last byte
    retries: int = 2  # of what may pass: 408, 429, 5xx, a broken connection
    rate: float | None = None  # requests a second on one host; None: 10, without a limit on loopback
    allow_private_hosts: tuple[str, ...] = ()  # hosts, addresses or CIDR ranges that documents may name
    tls_verify: bool = True


class Document(Struct, frozen=True):
    """One document of a loader.

    `pending` and `requested` are to be read; `read` is read whole; `failed` is damaged or has no usable answer;
    `duplicate` answers at the address of another one; `refused` is not requested, and `reason` says why;
    `stale` was read before a restart, and is requested again where it is still listed.
    """

    url: str
    state: SitemapState
    urls: int  # that it lists and that can be used
    reason: str = ""  # why it is not, or not wholly, read


class Reading:
    """The entries of a source, for `for` and for `async for`; each iteration loads anew.

    After an iteration to its end, `unavailable` has the documents whose URLs are not known, and `complete` is whether
    there are none: only then does an absent URL mean that it is not listed.
    """

    def __init__(self, source: Name, choice: "_Choice", http: Http) -> None:
        self._sources, self._choice, self._http = _sources([source]), choice, http
        self.unavailable: tuple[Unavailable, ...] = ()
        self.notes: tuple[str, ...] = ()  # what was noticed beside that, in sentences
        self.complete = False

    def __iter__(self) -> Iterator[Entry]:
        return chain.from_iterable(self._read())

    def _read(self) -> Iterator[Iterator[Entry]]:
        with open_state(None) as state:
            stream, seen = self._begin(state), Seen()
            with closing(stream.documents()) as documents:
                for document in documents:
                    yield from self._entries(state, document, seen)
            self._end(stream)

    async def __aiter__(self) -> AsyncIterator[Entry]:
        with open_state(None) as state:
            stream, seen = self._begin(state), Seen()
            async with aclosing(stream.documents_async()) as documents:
                async for document in documents:
                    for entry in chain.from_iterable(self._entries(state, document, seen)):
                        yield entry
            self._end(stream)

    def _begin(self, state: LoadingState) -> SitemapStream:
        http = _http_options(self._http, self._sources)
        return SitemapStream(self._sources, state, datetime.now(UTC), self._choice.options, http)

    def _entries(self, state: LoadingState, document: SitemapStatus, seen: Seen) -> Iterator[Iterator[Entry]]:
        """The entries of a document that are wanted, `_PIECE` at a time."""
        chosen, rows = self._choice, state.rows(document, seen)
        if not chosen.takes_all:
            rows = (row for row in rows if chosen.takes(row[1]))
        written = [*map(itemgetter(2), islice(rows, _PIECE))]
        while written:
            yield map(Entry, map(itemgetter(0), written), written, repeat(document.url))
            written = [*map(itemgetter(2), islice(rows, _PIECE))]

    def _end(self, stream: SitemapStream) -> None:
        self.unavailable, self.notes = stream.loaded.unavailable, stream.loaded.notes
        self.complete = stream.loaded.complete


def read(  # noqa: PLR0913 - each is one thing that a caller may say
    source: Name,
    *,
    include: Iterable[str] = (),
    exclude: Iterable[str] = (),
    same_host: bool = False,
    limits: Limits = Limits(),  # noqa: B008 - frozen
    http: Http = Http(),  # noqa: B008 - frozen
) -> Reading:
    """The entries of a source, each URL once, in the order of the documents.

    `include`, `exclude`: globs over paths or URLs (`/blog/**`), or `re:` and a regular expression (RE2, linear time).
    `same_host`: only URLs and sitemaps of the host of the source, with or without `www.`. Raises UsageError,
    BadPattern.
    """
    return Reading(source, _choice(include, exclude, limits, same_host=same_host), http)


aread = read
"""`read` by its name in asynchronous code: `async for entry in aread(source)`."""


class Loader:
    """URLs of sitemaps, handed out one by one to a consumer that acknowledges each when it is done with it.

    With a `state` file, what was acknowledged is stored when `acknowledge` returns: a consumer that is killed at any
    moment has every URL at least once, and twice at most those that it had not acknowledged. No document that was read
    whole is requested again. Other sources, options or another version of this package begin anew (`notes` says so). A
    state whose URLs are all acknowledged stays finished until `restart`. A file serves one loader at a time.

    A loader belongs to the thread that made it. It reads on only as its consumer asks, a few requests ahead.
    """

    def __init__(  # noqa: PLR0913 - each is one thing that a caller may say
        self,
        sources: Name | Iterable[Name],
        state: str | Path | None = None,
        *,
        include: Iterable[str] = (),
        exclude: Iterable[str] = (),
        same_host: bool = False,
        limits: Limits = Limits(),  # noqa: B008 - frozen
        http: Http = Http(),  # noqa: B008 - frozen
    ) -> None:
        """Begin, or go on from a state; options as of `read`. Raises UsageError, BadPattern, PublishError."""
        self._sources = _sources([sources] if isinstance(sources, Name) else sources)
        self._choice, self._http = _choice(include, exclude, limits, same_host=same_host), http
        self._stack = ExitStack()
        self._state = self._stack.enter_context(open_state(None if state is None else Path(state)))
        self._open()

    def _open(self) -> None:
        http, chosen = _http_options(self._http, self._sources), self._choice
        self._stream = SitemapStream(
            self._sources, self._state, datetime.now(UTC), chosen.options, http, consumer=chosen.patterns
        )
        self._steps: Iterator[SitemapStatus] | None = None
        self._steps_async: AsyncGenerator[SitemapStatus, None] | None = None
        self._step: asyncio.Future[SitemapStatus | None] | None = None  # under way
        self._lock: asyncio.Lock | None = None
        self._ended = False
        self._queue: deque[tuple[int, bytes | None]] = deque()  # batches, and which of their URLs are wanted
        self._batch: Iterator[tuple[str, str]] = iter(())  # identity and spelling of the next URLs
        self._handed: set[int] = set()  # digests
        known = array("q", self._state.acknowledgements() if self._stream.resumes else ())
        self._handled = self._total = len(known)
        self._seen = Seen(_digest, known)
        self._taken: set[int] = set()  # documents
        if self._stream.resumes:
            for document in self._state.statuses(SitemapState.READ):
                self._take(document)

    @property
    def total(self) -> int:
        """URLs that are wanted, each once, of the documents that are read so far."""
        return self._total

    @property
    def handled(self) -> int:
        """URLs that were acknowledged, by earlier runs too."""
        return self._handled

    @property
    def in_progress(self) -> int:
        """URLs that this loader has handed out and that are not acknowledged."""
        return len(self._handed)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left to hand out: every document was read, or has failed."""
        return self._ended and self._total == self._handled + len(self._handed)

    @property
    def is_finished(self) -> bool:
        """Whether it is empty and everything is acknowledged."""
        return self.is_empty and not self._handed

    @property
    def documents(self) -> tuple[Document, ...]:
        """What is known of each document, in the order of discovery; a loading that resumes knows it at once."""
        states = [state for state in SitemapState if state not in {SitemapState.USUAL, SitemapState.ABSENT}]
        return tuple(Document(one.url, one.state, one.entries, one.reason) for one in self._state.statuses(*states))

    @property
    def unavailable(self) -> tuple[Unavailable, ...]:
        """Once it is empty: documents whose URLs are not known. The next run with the state requests them again."""
        return self._stream.loaded.unavailable if self._ended else ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What was noticed, in sentences; whole once it is empty."""
        return (*filter(None, [self._state.note]), *self._stream.loaded.notes)

    def fetch_next(self) -> str | None:
        """The next URL, as its sitemap spells it; None at the end. It waits for a document where one is needed."""
        while (url := self._hand_out()) is None and not self._ended:
            if self._steps_async is not None:
                raise UsageError("afetch_next was called before", hint="use one of the two on a loader")
            if self._steps is None:
                self._steps = self._stream.documents()
            try:
                self._receive(next(self._steps, None))
            except BaseException:
                self._steps = None  # what it ended with may pass
                raise
        return url

    async def afetch_next(self) -> str | None:
        """`fetch_next` in an event loop. A caller that is cancelled loses nothing."""
        import asyncio  # noqa: PLC0415 - files are read without, and start sooner

        self._lock = self._lock or asyncio.Lock()
        while (url := self._hand_out()) is None and not self._ended:
            async with self._lock:
                if not self._queue and not self._ended:
                    self._receive(await self._next_async())
        return url

    async def _next_async(self) -> SitemapStatus | None:
        if self._steps is not None:
            raise UsageError("fetch_next was called before", hint="use one of the two on a loader")
        if self._steps_async is None:
            self._steps_async = self._stream.documents_async()
        import asyncio  # noqa: PLC0415 - as above

        if self._step is None:
            self._step = asyncio.ensure_future(_next_or_none(self._steps_async))
        found = await asyncio.shield(self._step)
        self._step = None
        return found

    def _receive(self, document: SitemapStatus | None) -> None:
        self._ended = document is None
        if document is not None and document.id not in self._taken:
            self._take(document)

    def _take(self, document: SitemapStatus) -> None:
        """Count what is wanted of what a document lists, and queue it by batches: memory does not grow with URLs."""
        self._taken.add(document.id)
        for batch, keys in self._state.batches(document):
            wanted = self._seen.new(keys)
            if not self._choice.takes_all:
                new = repeat(True) if wanted is None else wanted
                wanted = [one and self._choice.takes(key) for one, key in zip(new, keys, strict=False)]
            number = len(keys) if wanted is None else sum(wanted)
            if number:
                self._total += number
                self._queue.append((batch, None if wanted is None else bytes(wanted)))

    def _hand_out(self) -> str | None:
        found = next(self._batch, None)
        while found is None and self._queue:
            batch, wanted = self._queue.popleft()
            rows = self._state.locs(batch)
            self._batch = rows if wanted is None else compress(rows, wanted)
            found = next(self._batch, None)
        if found is None:
            return None
        key, loc = found
        self._handed.add(_digest(key))
        return loc if key == loc or normal_form(loc) == key else key

    def acknowledge(self, url: str) -> bool:
        """The consumer is done with a URL, in any spelling: it is not handed out again. False where it was not."""
        key = _digest(normal_form(url) or url)
        if key not in self._handed:
            return False
        self._state.acknowledge(key)
        self._handed.remove(key)
        self._handled += 1
        return True

    async def aacknowledge(self, url: str) -> bool:
        """`acknowledge` by its name in asynchronous code; it takes microseconds, and does not wait."""
        return self.acknowledge(url)

    def restart(self) -> None:
        """Begin anew: everything is handed out again. Documents that are unchanged since are not sent again."""
        if self._steps_async is not None:
            raise UsageError("a loader that is read asynchronously is not begun anew", hint="restart it before that")
        self._close_steps()
        self._state.mark_complete(anyway=True)
        self._open()

    def close(self) -> None:
        """Ends requests under way and closes the state, which keeps everything. It may be called again."""
        self._close_steps()
        self._stack.close()

    async def aclose(self) -> None:
        """`close` in an event loop."""
        if self._step is not None:
            import asyncio  # noqa: PLC0415 - as above

            self._step.cancel()
            await asyncio.wait([self._step])
        if self._steps_async is not None:
            await self._steps_async.aclose()
        self._stack.close()

    def _close_steps(self) -> None:
        if isinstance(self._steps, Generator):
            self._steps.close()
        self._steps = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.aclose()


def _digest(key: str) -> int:
    """A hash of 64 bits with a sign, as SQLite stores it; the same in every process."""
    return xxh3_64_intdigest(key.encode()) - 2**63


async def _next_or_none(documents: AsyncGenerator[SitemapStatus, None]) -> SitemapStatus | None:
    return await anext(documents, None)


# --- what a caller says, as the loading takes it ---


class _Choice(Struct, frozen=True):
    """Which URLs are wanted."""

    include: Patterns
    exclude: Patterns
    options: LoadOptions

    @property
    def patterns(self) -> tuple[str, ...]:
        return (*self.include.patterns, "", *self.exclude.patterns)

    @property
    def takes_all(self) -> bool:
        return not (self.include.patterns or self.exclude.patterns)

    def takes(self, key: str) -> bool:
        wanted = not self.include.patterns or self.include.match(key) is not None
        return wanted and self.exclude.match(key) is None


def _choice(include: Iterable[str], exclude: Iterable[str], limits: Limits, *, same_host: bool) -> _Choice:
    options = LoadOptions(**asdict(limits), same_host=same_host)
    return _Choice(compile_patterns(tuple(include)), compile_patterns(tuple(exclude)), options)


def _sources(names: Iterable[Name]) -> dict[str, Source]:
    """Raises UsageError. From here on sentences name parameters, where those of the command line name its flags."""
    speak_to(Audience.SCRIPT)
    found: dict[str, Source] = {}
    for name in names:
        if isinstance(name, bytes) or (isinstance(name, str) and _DOCUMENT.search(name)):
            found |= _content(name if isinstance(name, bytes) else name.encode())
        elif is_url(str(name)):
            found[str(name)] = address(str(name))
        elif Path(name).name == "robots.txt":
            found |= _content(_read(Path(name)))
        else:
            found[str(name)] = named_file(str(name), USUAL_PATHS)
    return found


_DOCUMENT = lazy_re(r"\A\s*<|\n")  # what no path has


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return read_bounded(file, MAX_INFLATED)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}", hint="name a file that can be read") from None


def _content(content: bytes) -> dict[str, Source]:
    """A document; of a robots.txt the sitemaps that it names, by absolute URLs."""
    lines = () if b"<" in content[:100] else parse(content, Profile.GOOGLE).sitemaps
    if lines:
        return {text: address(text) for _, text in lines}
    name = f"text:{xxh3_128_hexdigest(content)}"
    return {name: LocalSitemaps(lambda _: None, "", (name,), {name: content})}


def _http_options(http: Http, sources: dict[str, Source]) -> HttpOptions:
    """A private address is what a caller names, and what `allow_private_hosts` has (NET-13)."""
    urls = [one for one in sources.values() if isinstance(one, str)]
    hosts = tuple(host for url in urls[1:] if (host := urlsplit(url).hostname))
    access = Access(http.headers, tls_verify=http.tls_verify, allow_private_hosts=(*http.allow_private_hosts, *hosts))
    default = None if urls and is_loopback(urls[0]) else PRODUCTION_RATE
    return HttpOptions(
        seed=origin(urls[0]) if urls else "",
        access=access,
        user_agent=http.user_agent,
        timeout=http.timeout,
        retries=http.retries,
        rate=http.rate or default,
    )
