"""A deployed site as a source, in the order of `DeployedSource._gather`: wait, first requests, start URLs, crawl."""

import asyncio
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from types import FrameType
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.config.schema import Config, Noindex, ScopeOption, SitemapsConfig, Www
from sitemap_action.decide.policy import required_facts
from sitemap_action.errors import TOGETHER
from sitemap_action.fetch.base import Answer, Fetcher
from sitemap_action.fetch.page_from_answer import BlockedResources, access_hint
from sitemap_action.fetch.policies import Web
from sitemap_action.html.document import ALL_OPTIONAL, NO_OPTIONAL, OptionalFacts
from sitemap_action.html.links import Resolver
from sitemap_action.html.soft404 import find_repeated
from sitemap_action.model.mask import NO_MASK, Access
from sitemap_action.model.observer import NULL_OBSERVER, Event, EventKind, Observer
from sitemap_action.model.page import Directive, Page, PageKind
from sitemap_action.model.sitemap import BrokenSitemap
from sitemap_action.model.source import DeadReference, SourceResult
from sitemap_action.robots.groups import Robots
from sitemap_action.store.frontier import Frontier
from sitemap_action.store.inventory import Inventory
from sitemap_action.store.loading_state import LoadingState
from sitemap_action.walk import duplicates, result
from sitemap_action.walk.agent_files import SiteAnswers
from sitemap_action.walk.crawl import Crawl, CrawlLimits, LateRendering, Probes
from sitemap_action.walk.declared import Declared, LoadedSitemaps, ObedientFetcher, ServedFetcher, SiteRobots
from sitemap_action.walk.frontier import PAUSE, Traps, UrlFilter
from sitemap_action.walk.reader import Reader, Scope
from sitemap_action.walk.rendered import open_site
from sitemap_action.walk.result import StopReason, crawl_result, refused_result, shard_result
from sitemap_action.walk.shards import CrawlPart, crawl_part, shared_fetcher
from sitemap_action.walk.sitemap_loading import LoadOptions, find_broken, load
from sitemap_action.walk.start import (
    PrefetchedStart,
    StartResult,
    http_options,
    is_public,
    login_wall,
    preview_directives,
    request_start,
    start_documents,
    wait_for_build,
)
from sitemap_action.web.media import SkipFilter
from sitemap_action.web.patterns import Query, compile_patterns
from sitemap_action.web.spellings import SiteMapping, other_spellings, site_mapping
from sitemap_action.web.urls import normalize, origin, same_site

StartUrls: TypeAlias = Iterator[tuple[str, str]]  # (below site-url, where it is listed)


@contextmanager
def cancel_on_signal(task: "asyncio.Task[None]") -> Iterator[list[int]]:
    """Yields what is received: the first signal cancels the task, a later one has its usual effect on the process."""
    received: list[int] = []
    first_at = 0.0
    loop = asyncio.get_running_loop()

    def cancel(number: int, _frame: FrameType | None) -> None:
        nonlocal first_at
        if not received:
            received.append(number)
            first_at = time.monotonic()
            loop.call_soon_threadsafe(task.cancel)
        elif time.monotonic() - first_at > TOGETHER:
            restore()
            signal.raise_signal(number)

    def restore() -> None:
        while before:
            signal.signal(*before.popitem())

    before = {}
    try:
        for number in (signal.SIGINT, signal.SIGTERM):
            before[number] = signal.getsignal(number)
            signal.signal(number, cancel)
    except ValueError:
        before.clear()  # not the main thread, which alone can set handlers
    try:
        yield received
    finally:
        restore()


_DIGEST = NO_OPTIONAL._replace(digest=True)
_FINGERPRINT = _DIGEST._replace(fingerprint=True)


class DeployedSource(Struct, frozen=True):
    """A site over HTTP; `robots` is the robots.txt of the repository (`crawl.robots: file:PATH`)."""

    config: Config
    site_url: str
    access: Access
    observer: Observer
    now: datetime
    robots: bytes | None = None
    loaded: LoadedSitemaps | None = None  # where the look phase has loaded the sitemaps of the site

    @property
    def mapping(self) -> SiteMapping:
        source, www = self.config.source, self.config.crawl.www is Www.SAME
        whole = self.config.crawl.scope is ScopeOption.ORIGIN
        return site_mapping(self.site_url, normalize(source.url), source.mount, www=www, whole=whole)

    @property
    def preview(self) -> bool:
        return not same_site(self.config.source.url, self.site_url, self.config.crawl.www.value)

    @property
    def robots_of_scripts(self) -> bytes | None:
        """The robots.txt that counts for what scripts load, where it is known before the crawl (RB-36)."""
        if self.loaded is not None and self.config.crawl.robots == "auto":
            return self.loaded.declared.robots
        return self.robots

    @property
    def _has_host_policy(self) -> bool:
        """ENV-03: whether directives of the start page may be those of a preview's host."""
        return self.preview and self.config.select.noindex is Noindex.AUTO

    def gather(self, inventory: Inventory, seeds: Iterable[str]) -> SourceResult:
        start = self.mapping.to_site(normalize(self.config.source.url))
        part = crawl_part(inventory, self.config, start, self.site_url)
        part.frontier.require(seeds)
        with inventory.crawling():
            return asyncio.run(self._gather(inventory, part))

    async def _gather(self, inventory: Inventory, part: CrawlPart) -> SourceResult:
        location, frontier, start = self.config.source.url, part.frontier, normalize(self.config.source.url)
        options = part.http_options(http_options(self.config, self.access, start, preview=self.preview))
        async with open_site(self.config, options, self.robots_of_scripts, self.observer.screenshots) as web:
            wait_notes = await wait_for_build(web.fetcher, self.config)
            ends = time.monotonic() + part.deadline - (0 if self.loaded is None else self.loaded.seconds)
            asked = shared_fetcher(web.fetcher, part.inventory, self.access.mask)
            asks_start = part.is_first or self._has_host_policy
            first = await self._request_start(asked, start, asks_page=asks_start)
            if first.refused:
                return self._refuse(inventory, frontier, first)
            url_filter = self.url_filter(first.obeyed)
            probes = Probes(asked, url_filter, self.site_url)
            missing = await probes.probe_site() if asks_start else None
            if missing is not None and (why := await login_wall(asked, url_filter, first.start_page, missing)):
                reason = f"{start} {why}"
                return refused_result(frontier, inventory, location, reason, access_hint(reason))
            if first.delay:
                web.throttle.set_delay(origin(start), part.delay(first.delay))
            self._add_configured_starts(frontier, start)
            sitemap_notes, broken = await self._add_declared_starts(asked, inventory, frontier, first, ends)
            answers, directives = await self._start_answers(asked, first, missing)
            fetcher = PrefetchedStart(web.served or web.fetcher, answers)
            reader = self._reader(part.frontier, probes, first.robots, directives)
            crawl = self._crawl(web, fetcher, reader, probes, part)
            crawl.limits = replace(crawl.limits, deadline=max(0, ends - time.monotonic()))
            resumed = frontier.visited_count()
            stop = await self._run(crawl)
            opened = SourceResult("url", location, first.incomplete, robots=first.robots)
            if part.shard is not None:
                return await self._finish_shard(part, probes, stop, opened)
            dead, dead_notes = await self._find_dead_references(asked, inventory, crawl, 0 if stop.cut_short else ends)
            public = self.preview and not self.access.headers and await is_public(start)
        duplicates.mark_same_documents(inventory, frontier)
        duplicates.mark_duplicates(inventory, frontier)
        used = result.state_use(frontier, resumed)
        notes = (*wait_notes, *first.notes, *sitemap_notes, *dead_notes, *result.notes(used, self.now))
        opened = replace(opened, notes=notes, public=public, broken=broken, state=used, rendering=web.rendered())
        opened = replace(opened, probes=tuple(probes.pages), repeated=find_repeated(crawl.stubs), dead_references=dead)
        return crawl_result(inventory, frontier, self.config, stop, opened)

    async def _request_start(self, fetcher: Fetcher, start: str, *, asks_page: bool) -> StartResult:
        return await request_start(
            fetcher,
            self.config,
            start,
            self.mapping,
            preview=self.preview,
            robots=self.robots,
            asks_page=asks_page,
            declared=None if self.loaded is None else self.loaded.declared,
        )

    async def _find_dead_references(
        self, fetcher: Fetcher, inventory: Inventory, crawl: Crawl, ends: float
    ) -> tuple[tuple[DeadReference, ...], tuple[str, ...]]:
        """What llms.txt and Markdown twins lead to, in the time that is left, and notes (AGT-01, AGT-02)."""
        left = ends - time.monotonic()
        if left <= 0:
            return (), ()
        pages = inventory.pages() if crawl.frontier.has_twins() else ()
        twins = ((url, page.url) for page in pages if page.facts for url in page.facts.head.markdown)
        answers = SiteAnswers(fetcher, inventory, crawl.url_filter, crawl.limits.concurrency)
        try:
            async with asyncio.timeout(left):
                return await answers.find_dead(
                    twins, fallback=crawl.probes is not None and crawl.probes.serves_document
                )
        except TimeoutError:
            return (), ("llms.txt and Markdown twins were not checked: crawl.deadline came first",)

    async def _finish_shard(
        self, part: CrawlPart, probes: Probes, stop: StopReason, opened: SourceResult
    ) -> SourceResult:
        """The result of one shard; the first one probes directories for all."""
        if part.owned is not None and part.is_first and not stop.cut_short:
            await probes.probe_directories(part.owned.one_of_each_directory())
        return shard_result(part.inventory, part.frontier, self.config.crawl, stop, opened)

    def _refuse(self, inventory: Inventory, frontier: Frontier, first: StartResult) -> SourceResult:
        """No page was read; what robots.txt blocks for search engines has a verdict all the same (RB-30)."""
        found = refused_result(frontier, inventory, self.config.source.url, first.refused, first.hint)
        start = self.mapping.to_site(normalize(self.config.source.url))
        if first.blocked_by_robots and start.startswith(self.site_url):
            inventory.add_pages([Page(start, PageKind.UNDETERMINED, reason=first.refused)])
        return replace(found, robots=first.robots)

    def url_filter(self, obeyed: Robots | None) -> UrlFilter:
        """`obeyed`: robots.txt, where the crawl has to obey one."""
        crawl, select = self.config.crawl, self.config.select
        return UrlFilter(
            skips=SkipFilter(crawl.skip, select.types),
            exclude=compile_patterns(select.exclude),
            robots=obeyed,
            traps=Traps(),
            mapping=self.mapping,
            mask=self.access.mask if self.access.headers else NO_MASK,
            robots_of_site=crawl.robots.startswith("file:"),
        )

    def _add_configured_starts(self, frontier: Frontier, start: str) -> None:
        """The start page, and the paths of `crawl.seeds`."""
        base = origin(self.config.source.url)
        frontier.add_starts([(self.mapping.to_site(start), "")])
        seeds = (self.mapping.to_site(normalize(base + path)) for path in self.config.crawl.seeds)
        frontier.add_starts(((url, "crawl.seeds") for url in seeds), depth=1)

    async def _add_declared_starts(
        self, fetcher: Fetcher, inventory: Inventory, frontier: Frontier, first: StartResult, ends: float
    ) -> tuple[tuple[str, ...], tuple[BrokenSitemap, ...] | None]:
        """What the sitemaps of the site list; returns notes, and the broken sitemaps of production.

        `ends`: when the crawl does, by the monotonic clock.
        """
        sitemaps, loaded = self.config.sitemaps, self.loaded
        if loaded is not None:
            return loaded.declared.notes, None if self.preview else loaded.broken
        if not sitemaps.use:
            return (), None
        # Where the host's robots.txt is ignored, notes on what it blocks would be about the host's policy too (ENV-04).
        ignored = first.obeyed is None and first.declared.robots is not None
        declared = replace(first.declared, notes=()) if ignored else first.declared
        obeyed = Declared(declared.robots_url) if ignored or declared.unreachable else declared
        fetcher = ObedientFetcher(fetcher, SiteRobots(obeyed))
        try:
            async with asyncio.timeout(ends - time.monotonic()):
                urls, notes, broken = await declared_urls(
                    fetcher, inventory, declared, sitemaps, self.mapping, now=self.now, observer=self.observer
                )
        except TimeoutError:
            return ("the sitemaps of the site were not read to their end: crawl.deadline came first",), None
        frontier.add_starts(urls, depth=1)
        return notes, None if self.preview else broken

    async def _start_answers(
        self, fetcher: Fetcher, first: StartResult, missing: Page | None
    ) -> tuple[dict[str, Answer], frozenset[Directive]]:
        """Pages that are fetched already, and directives that do not stop the crawl: on a preview those of its host."""
        if not self._has_host_policy:
            return {first.start_page.url: first.start_page}, frozenset()
        answers = await start_documents(fetcher, first.start_page, self.mapping)
        *_, last = answers.values()
        return answers, preview_directives(last, missing, self.config.select.agents)

    def _reader(
        self, frontier: Frontier, probes: Probes, robots: bytes | None, directives: frozenset[Directive]
    ) -> Reader:
        """`robots`: that decides what may be listed; `directives`: of the host, which do not stop the crawl."""
        select = self.config.select
        blocked = BlockedResources(robots or b"", select.agents, f"{origin(self.site_url)}/")
        return Reader(
            mapping=self.mapping,
            scope=Scope(self.mapping, self.mapping.site, Query(select.query.allow, select.drop_params)),
            blocked_resources=blocked,
            other_origins=other_spellings(self.site_url, self.mapping),
            follow_nofollow=self.config.crawl.follow_nofollow,
            resolver=Resolver(),
            optional_facts=self._optional_facts(frontier, probes, resources=blocked.any),
            host_directives=directives,
            asked=select.spelling_rules,
            thresholds=self.config.render.detect,
        )

    def _crawl(self, web: Web, fetcher: Fetcher, reader: Reader, probes: Probes, part: CrawlPart) -> Crawl:
        crawl, http = self.config.crawl, self.config.http
        pause = PAUSE * http.backoff
        limits = CrawlLimits(part.pages, crawl.max_depth, http.concurrency, deadline=part.deadline, pause=pause)
        return Crawl(
            fetcher=fetcher,
            rendering=None if web.seen is None else LateRendering(web.seen, http.concurrency),
            frontier=part.frontier,
            url_filter=probes.url_filter,
            reader=reader,
            limits=limits,
            wait=lambda: web.throttle.wait(origin(self.config.source.url)),
            observer=self.observer,
            clock=time.monotonic,
            probes=None if part.shard else probes,
        )

    def _optional_facts(self, frontier: Frontier, probes: Probes, *, resources: bool) -> Callable[[str], OptionalFacts]:
        """All in a persistent inventory, for a later run; else a fingerprint where there is one to compare with."""
        asked = required_facts(self.config)
        spelled = self.config.select.spelling_rules.any
        every, digest, fingerprint = (
            one.union(asked)._replace(dates=one.dates or asked.dates or frontier.dated, resources=resources)
            for one in (ALL_OPTIONAL, _DIGEST, _FINGERPRINT)
        )

        every = every._replace(resources=True)  # a later run may find them blocked

        def choose_facts(url: str) -> OptionalFacts:
            if frontier.persistent:
                return every
            compared = probes.serves_document or duplicates.is_directory_or_index(url) or spelled
            return fingerprint if compared else digest

        return choose_facts

    async def _run(self, crawl: Crawl) -> StopReason:
        """Until the crawl is done, the deadline passes, or a signal is received; then what was visited is stored."""
        task = asyncio.create_task(crawl.run())
        late = False
        with cancel_on_signal(task) as received:
            _, pending = await asyncio.wait([task], timeout=crawl.limits.deadline)
            if pending:
                late = True
                task.cancel()
                await asyncio.wait([task])
        if not task.cancelled():
            task.result()
        crawl.store()
        return StopReason(
            signal=next(iter(received), 0),
            deadline_passed=late and not received,
            blocked=crawl.firewall,
            limit_reached=crawl.limit_reached,
        )


async def declared_urls(  # noqa: PLR0913 - what to read, with what, into what
    fetcher: Fetcher,
    inventory: Inventory,
    declared: Declared,
    options: SitemapsConfig,
    mapping: SiteMapping,
    *,
    now: datetime,
    observer: Observer = NULL_OBSERVER,
) -> tuple[StartUrls, tuple[str, ...], tuple[BrokenSitemap, ...]]:
    """What the sitemaps of a site list, notes, and what is wrong with them.

    Sitemaps of production are requested where the site is served.
    """
    state = LoadingState(inventory.database)
    loaded = await load(
        ServedFetcher(fetcher, mapping.whole_origin()),
        declared.seeds,
        state,
        now,
        LoadOptions(options.max_documents, options.max_depth, options.max_inflated, site=mapping.served),
        usual=declared.usual,
        observe=lambda url, _: observer.event(Event(EventKind.SITEMAP, url)),
    )
    notes = tuple(f"{why}; its URLs are not used as start URLs" for why in loaded.incomplete)
    broken = find_broken(state, declared.robots_url, declared.robots)
    return _start_urls(state, mapping), (*declared.notes, *notes), broken


def _start_urls(state: LoadingState, mapping: SiteMapping) -> StartUrls:
    """Marks the URLs as used in the transaction that stores them: a kill leaves both or neither."""
    for url in state.urls():
        if (on_site := mapping.to_site(url)).startswith(mapping.site):
            yield on_site, "the site's sitemap"
    state.mark_complete()
