"""Sitemaps of several sources, a document at a time: files, addresses, and what sites declare, with one loading.

A consumer has each document when it is in, while a few requests are under way behind it (R-38). Without an event loop,
one in a thread of its own waits for answers, so a consumer may take its time; the state and the parser stay with the
consumer. What a file lists is beside the file, and what an address lists is asked for: the document that a source
names (`LoadingState.root`) decides.
"""

from collections.abc import AsyncGenerator, Coroutine, Generator, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing
from datetime import datetime
from typing import TYPE_CHECKING, Any, Self, TypeAlias, TypeVar
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.errors import UsageError
from sitemap_action.fetch.base import HOST_FAILURES, Answer, Fetcher, HttpOptions, remedy
from sitemap_action.fetch.policies import open_web
from sitemap_action.sitemap.protocol import USUAL_PATHS
from sitemap_action.store.loading_state import LoadingState, SitemapStatus
from sitemap_action.walk.declared import Declared, ObedientFetcher, SiteRobots, discover
from sitemap_action.walk.folders import LocalSitemaps
from sitemap_action.walk.sitemap_loading import (
    Enough,
    Loaded,
    Loading,
    LoadOptions,
    Observe,
    Unavailable,
    begin_state,
    find_broken,
    ignore,
    load,
    loading_key,
    never,
    request_for,
)
from sitemap_action.web.urls import BadUrl, normalize, origin

if TYPE_CHECKING:
    from concurrent.futures import Future

_T = TypeVar("_T")


class SitemapSource(Struct, frozen=True):
    """What to load of one URL: a sitemap, or all that a site declares."""

    url: str
    fetcher: Fetcher  # obeys the robots.txt of a site
    declared: Declared | None = None  # of a site

    @property
    def seeds(self) -> tuple[str, ...]:
        """None where the robots.txt of a site could not be read (RB-21)."""
        return (self.url,) if self.declared is None else (*self.declared.seeds, *self.declared.disallowed)

    @property
    def usual(self) -> tuple[str, ...]:
        return () if self.declared is None else self.declared.usual

    def complete(self, found: Loaded, state: LoadingState) -> Loaded:
        """What was found, with the robots.txt of a site and what that says of it."""
        declared = self.declared
        if declared is None:
            return replace(found, notes=(*found.notes, *_hint(self.url, found)), broken=find_broken(state))
        robots = SiteRobots(declared)
        if declared.unreachable:
            advice = f"; {remedy(declared.failure)}" if declared.failure in HOST_FAILURES else ""
            return found.add(Unavailable(declared.robots_url, f"{declared.unreachable}{advice}"))
        if not found.documents and not found.unavailable and declared.closed:
            found = found.add(Unavailable(declared.closed[0], robots.refusal(declared.closed[0])))
        disallowed = robots.findings(state)
        known = {one.url for one in disallowed}
        others = [one for one in find_broken(state, declared.robots_url, declared.robots) if one.url not in known]
        found = replace(found, robots_url=declared.robots_url, robots=declared.robots)
        return replace(found, notes=(*declared.notes, *found.notes), broken=(*others, *disallowed))


async def find_source(fetcher: Fetcher, source: str, paths: Sequence[str] = USUAL_PATHS) -> SitemapSource:
    """A site's when the URL ends in a slash or names a robots.txt; `paths` are tried beside what it declares.

    Raises UsageError for what is no URL.
    """
    url = address(source)
    if not _names_site(url):
        return SitemapSource(url, fetcher)
    declared = await discover(fetcher, url, paths)
    if declared.unreachable:  # RB-21: what the site declares is not known, so nothing is requested
        declared = replace(declared, seeds=(), disallowed=(), usual=())
    return SitemapSource(url, ObedientFetcher(fetcher, SiteRobots(declared)), declared)


async def load_url(  # noqa: PLR0913 - what to load, with what, into what
    fetcher: Fetcher,
    source: str,
    state: LoadingState,
    now: datetime,
    options: LoadOptions,
    *,
    paths: Sequence[str] = USUAL_PATHS,
    observe: Observe = ignore,
) -> Loaded:
    """What a URL names (`find_source`), loaded. Raises UsageError."""
    one = await find_source(fetcher, source, paths)
    if one.declared is not None:
        options = replace(options, site=one.url)
    found = await load(one.fetcher, one.seeds, state, now, options, usual=one.usual, observe=observe)
    return one.complete(found, state)


def _names_site(url: str) -> bool:
    return urlsplit(url).path.endswith(("/", "/robots.txt"))


async def add_disallowed(fetcher: Fetcher, url: str, state: LoadingState, loaded: Loaded) -> Loaded:
    """With what the robots.txt of the host of a named sitemap disallows of it, and of what it lists (R-37, RB-31).

    That of a site is known from its loading.
    """
    if _names_site(url):
        return loaded
    declared = await discover(fetcher, url, paths=())
    if declared.unreachable:
        note = f"RB-31 is not checked: {declared.robots_url}: {declared.unreachable}"
        return replace(loaded, notes=(*loaded.notes, note))
    return replace(loaded, broken=(*loaded.broken, *SiteRobots(declared).findings(state)))


def address(source: str) -> str:
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


Source: TypeAlias = str | LocalSitemaps
"""A URL, or documents of this machine."""


class SitemapStream:
    """One loading; iterated once, by `documents` or by `documents_async`."""

    def __init__(  # noqa: PLR0913 - what to load, with what, into what
        self,
        sources: Mapping[str, Source],
        state: LoadingState,
        now: datetime,
        options: LoadOptions,
        http: HttpOptions,
        *,
        paths: Sequence[str] = USUAL_PATHS,
        consumer: Sequence[str] | None = None,
        enough: Enough = never,
    ) -> None:
        """`sources`: by the name that a user gives them. `consumer`: the patterns of one that acknowledges URLs, whose
        state is resumed whatever its age. For the others see `Loading`.
        """
        self.state = state
        self.loaded = Loaded(0, 0)  # once every document was given out
        self._urls = [one for one in sources.values() if isinstance(one, str)]
        self._local = {seed: one for one in sources.values() if not isinstance(one, str) for seed in one.seeds}
        self._key = loading_key((*sources, *paths, *(consumer or ())), options)
        self._several, self._lasting = len(sources) > 1, consumer is not None
        self._now, self._options, self._http, self._paths, self._enough = now, options, http, paths, enough

    @property
    def resumes(self) -> bool:
        """Whether the state is of these sources and options, and has not ended."""
        return self.state.is_of(self._key)

    def documents(self) -> Generator[SitemapStatus, None, None]:
        """Each document when it is in, after those that a killed run has read. Raises UsageError for what is no URL."""
        if not self._urls:
            loading = self._begin(())
            yield from loading.documents(self._answer, lambda answer: answer, ahead=1)
            self._finish(loading, ())
            return
        with _WebThread(self._http) as web:
            found = web.wait(self._find(web.fetcher))
            loading = self._begin(found)
            yield from loading.documents(lambda one: web.begin(self._fetch(one, found)), lambda future: future.result())
            self._finish(loading, found)

    async def documents_async(self) -> AsyncGenerator[SitemapStatus, None]:
        """`documents` in an event loop; to be closed (`contextlib.aclosing`)."""
        async with AsyncExitStack() as stack:
            found: Sequence[SitemapSource] = ()
            if self._urls:
                web = await stack.enter_async_context(open_web(self._http))
                found = await self._find(web.fetcher)
            loading = self._begin(found)
            documents = loading.documents_async(lambda one: self._fetch(one, found))
            async with aclosing(documents):
                async for one in documents:
                    yield one
            self._finish(loading, found)

    async def _find(self, fetcher: Fetcher) -> Sequence[SitemapSource]:
        """Each obeys the robots.txt of those before it, too: the last one's fetcher is that of all."""
        found: list[SitemapSource] = []
        for url in self._urls:
            one = await find_source(fetcher, url, self._paths)
            found.append(one)
            fetcher = one.fetcher
        return found

    def _begin(self, found: Sequence[SitemapSource]) -> Loading:
        sites = [one.url for one in found if one.declared is not None]
        options = replace(self._options, site=sites[0]) if sites else self._options
        seeds = [*self._local, *(seed for one in found for seed in one.seeds)]
        usual = [url for one in found for url in one.usual]
        resumed = begin_state(self.state, self._key, seeds, usual, self._now, lasting=self._lasting)
        return Loading(self.state, options, resumed, seeded=bool(seeds) or self._several, enough=self._enough)

    def _finish(self, loading: Loading, found: Sequence[SitemapSource]) -> None:
        loaded = loading.finish()
        for one in found:
            loaded = one.complete(loaded, self.state)
        self.loaded = loaded

    def _answer(self, one: SitemapStatus) -> Answer:
        return self._local[self.state.root(one).url].answer_or_skip(request_for(one))

    async def _fetch(self, one: SitemapStatus, found: Sequence[SitemapSource]) -> Answer:
        if self.state.root(one).url in self._local:
            return self._answer(one)
        return await found[-1].fetcher.fetch(request_for(one))


class _WebThread:
    """A fetcher on an event loop in a thread of its own, for a consumer without one."""

    fetcher: Fetcher

    def __init__(self, options: HttpOptions) -> None:
        self._options = options

    def __enter__(self) -> Self:
        import asyncio  # noqa: PLC0415 - files are loaded without, and start sooner
        import threading  # noqa: PLC0415 - as above

        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="sitemaps", daemon=True)
        self._thread.start()
        self._web = open_web(self._options)
        self.fetcher = self.wait(self._web.__aenter__()).fetcher
        return self

    def begin(self, coroutine: Coroutine[Any, Any, _T]) -> "Future[_T]":
        import asyncio  # noqa: PLC0415 - as above

        return asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    def wait(self, coroutine: Coroutine[Any, Any, _T]) -> _T:
        return self.begin(coroutine).result()

    def __exit__(self, *error: object) -> None:
        self.wait(self._close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _close(self) -> None:
        import asyncio  # noqa: PLC0415 - as above

        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await self._web.__aexit__(None, None, None)
