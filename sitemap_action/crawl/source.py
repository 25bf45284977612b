"""A deployed site: waited for, asked politely, crawled level by level, its host probed for pages that do not exist."""

import asyncio
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeAlias

from sitemap_action.config.crawling import RobotsUnreachable, ScopeOption, Www
from sitemap_action.config.schema import Config, Noindex
from sitemap_action.crawl import marker, scope, twins
from sitemap_action.crawl.declared import declared_urls
from sitemap_action.crawl.levels import Crawl, CrawlLimits
from sitemap_action.crawl.login import login
from sitemap_action.crawl.probes import Probes
from sitemap_action.crawl.result import StopReason, crawl_result, earlier_result, refused_result
from sitemap_action.crawl.signals import stopping
from sitemap_action.crawl.start import RulesSource, StartOptions, StartResult, begin
from sitemap_action.crawl.traps import Traps
from sitemap_action.crawl.url_filter import UrlFilter
from sitemap_action.crawl.visits import Reader
from sitemap_action.fetch.base import Answer, Asking, Fetcher, Request
from sitemap_action.fetch.build import open_web
from sitemap_action.fetch.http_options import http_options
from sitemap_action.html.extract import ALL_OPTIONAL, NO_OPTIONAL, OptionalFacts
from sitemap_action.html.links import Resolver
from sitemap_action.inventory.frontier import Frontier
from sitemap_action.inventory.store import Inventory
from sitemap_action.model.access import Access
from sitemap_action.model.observer import Observer
from sitemap_action.model.sitemap import BrokenSitemap
from sitemap_action.model.source import SourceResult
from sitemap_action.web import blockers
from sitemap_action.web.patterns import compile_patterns
from sitemap_action.web.site_mapping import SiteMapping, site_mapping
from sitemap_action.web.skip_classes import SkipFilter
from sitemap_action.web.urls import normal, origin, same_site

_COMPARED = NO_OPTIONAL._replace(fingerprint=True)

_Seeded: TypeAlias = tuple[tuple[str, ...], tuple[BrokenSitemap, ...] | None]


@dataclass(frozen=True, slots=True)
class DeployedSource:
    """A site over HTTP; `robots` are rules of the repository, where it has them (`crawl.robots: file:PATH`)."""

    config: Config
    site_url: str
    access: Access
    observer: Observer
    now: datetime
    robots: bytes | None = None

    @property
    def mapping(self) -> SiteMapping:
        source, www = self.config.source, self.config.crawl.www is Www.SAME
        whole = self.config.crawl.scope is ScopeOption.ORIGIN
        return site_mapping(self.site_url, normal(source.url), source.mount, www=www, whole=whole)

    @property
    def preview(self) -> bool:
        return not same_site(self.config.source.url, self.site_url, self.config.crawl.www.value)

    def gather(self, inventory: Inventory, seeds: Iterable[str]) -> SourceResult:
        frontier = Frontier(inventory)
        frontier.name(seeds)
        if (before := earlier_result(inventory)) is not None and not frontier.unanswered():
            return before
        return asyncio.run(self._look(inventory, frontier))

    async def _look(self, inventory: Inventory, frontier: Frontier) -> SourceResult:
        location = self.config.source.url
        start = normal(location)
        options = http_options(self.config, self.access, start, preview=self.preview)
        async with open_web(options) as web:
            waited = await self._wait(web.fetcher)
            begun = await begin(web.fetcher, self._asked(start))
            if begun.refused:
                return refused_result(frontier, inventory, location, begun.refused, begun.hint)
            gate = self._gate(begun)
            probes = Probes(web.fetcher, gate, self.site_url)
            missing = await probes.at_site()
            if missing is not None and (why := await login(web.fetcher, gate, begun.first, missing)):
                return refused_result(
                    frontier, inventory, location, f"{start} {why}", blockers.access_hint(f"{start} {why}")
                )
            if begun.delay:
                web.throttle.delay(origin(start), begun.delay)
            frontier.begin([(self.mapping.to_site(start), "")])
            said, broken = await self._seed(web.fetcher, inventory, frontier, begun)
            end = await self._driven(self._crawl(web.fetcher, frontier, begun, gate, probes))
        twins.fold(inventory, frontier)
        notes = (*waited, *begun.notes, *said)
        opened = SourceResult(
            "url", location, notes=notes, robots=begun.robots, probes=tuple(probes.pages), broken=broken
        )
        return crawl_result(inventory, frontier, self.config.crawl, end, opened)

    async def _wait(self, fetcher: Fetcher) -> tuple[str, ...]:
        wait = self.config.crawl.wait
        if not wait.marker:
            return ()
        timeout = marker.TIMEOUT if wait.timeout is None else wait.timeout
        address = origin(self.config.source.url) + wait.path
        seconds = await marker.served(
            fetcher, marker.Marker(wait.marker, address, timeout), time.monotonic, asyncio.sleep
        )
        return (f"{address} serves {wait.marker!r} after {seconds:.0f} seconds",)

    def _asked(self, start: str) -> StartOptions:
        crawl = self.config.crawl
        rules = (
            RulesSource.NONE
            if crawl.robots == "ignore"
            else RulesSource.SITE
            if crawl.robots == "auto"
            else RulesSource.FILE
        )
        return StartOptions(
            start,
            self.preview,
            rules,
            self.mapping,
            self.robots,
            crawl.robots_unreachable is RobotsUnreachable.ALLOW,
            self.config.sitemaps.paths,
            host_policy=self.config.select.noindex is not Noindex.RESPECT,
        )

    async def _seed(self, fetcher: Fetcher, inventory: Inventory, frontier: Frontier, begun: StartResult) -> _Seeded:
        """Further starts: paths of the config, and what the site's own sitemaps list; notes, and what is broken."""
        base = origin(self.config.source.url)
        further = (self.mapping.to_site(normal(base + path)) for path in self.config.crawl.seeds)
        frontier.begin(((url, "crawl.seeds") for url in further), depth=1)
        sitemaps = self.config.sitemaps
        if not sitemaps.use:
            return (), None
        # Where the host's robots.txt is set aside, what it keeps from us is its doing too (ENV-04).
        set_aside = begun.robots is None and begun.declared.robots is not None
        declared = replace(begun.declared, notes=()) if set_aside else begun.declared
        starts = await declared_urls(
            fetcher, inventory, declared, sitemaps, self.mapping, now=self.now, observer=self.observer
        )
        frontier.begin(starts.urls, depth=1)
        return starts.notes, None if self.preview else starts.broken

    def _gate(self, begun: StartResult) -> UrlFilter:
        crawl, select = self.config.crawl, self.config.select
        skips = SkipFilter(crawl.skip, select.types)
        of_site = crawl.robots.startswith("file:")
        return UrlFilter(skips, compile_patterns(select.exclude), begun.obeyed, Traps(), self.mapping, of_site)

    def _crawl(
        self, fetcher: Fetcher, frontier: Frontier, begun: StartResult, gate: UrlFilter, probes: Probes
    ) -> Crawl:
        crawl, select = self.config.crawl, self.config.select
        query = scope.Query(select.query.allow, select.drop_params)
        inside = scope.Scope(self.mapping, self.mapping.site, query)

        def optional_facts(url: str) -> OptionalFacts:
            """All facts are there for a later run; in this one a fingerprint counts where there is one to compare."""
            if frontier.lasting:
                return ALL_OPTIONAL
            return _COMPARED if probes.served or twins.possible(url) else NO_OPTIONAL

        return Crawl(
            _Primed(fetcher, {self.mapping.to_served(begun.first.url): begun.first}),
            frontier,
            gate,
            Reader(self.mapping, inside, crawl.follow_nofollow, Resolver(), optional_facts),
            CrawlLimits(crawl.max_pages, crawl.max_depth, crawl.concurrency),
            self.observer,
            time.monotonic,
            probes,
        )

    async def _driven(self, crawl: Crawl) -> StopReason:
        """Until the crawl is done, the deadline passes, or a signal arrives; what was seen by then is stored."""
        task = asyncio.create_task(crawl.run())
        late = False
        with stopping(task) as stop:
            _, pending = await asyncio.wait([task], timeout=self.config.crawl.deadline)
            if pending:
                late = True
                task.cancel()
                await asyncio.wait([task])
        if not task.cancelled():
            task.result()
        crawl.store()
        return StopReason(stop.signal, late and not stop.signal, crawl.blocked, crawl.full)


class _Primed:
    """The start page has been asked for: the crawl gets the same answer, once."""

    def __init__(self, fetcher: Fetcher, answers: dict[str, Answer]) -> None:
        self._fetcher = fetcher
        self._answers = answers

    def fetch(self, request: Request) -> Asking:
        known = self._answers.pop(request.url, None)
        return self._fetcher.fetch(request) if known is None else _given(known)


async def _given(answer: Answer) -> Answer:
    return answer
