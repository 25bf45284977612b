"""One URL of a deployed site, with its redirects, its canonical, robots.txt and, of a shell, what its scripts load."""

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.config.schema import RobotsUnreachable
from sitemap_action.fetch.base import Answer, Fetcher, Response, RobotsAnswer, fetch_robots
from sitemap_action.fetch.page_from_answer import start_page_blocker
from sitemap_action.html.head import canonical_line, noindex_line
from sitemap_action.model.answers import SeenAround
from sitemap_action.model.observer import NULL_OBSERVER
from sitemap_action.model.page import Page, PageKind
from sitemap_action.model.source import SourceResult
from sitemap_action.robots.groups import Profile, Robots, RobotsStatus, parse
from sitemap_action.store.codec import Visit
from sitemap_action.store.frontier import Frontier
from sitemap_action.store.inventory import Inventory
from sitemap_action.walk.crawl import Crawl, CrawlLimits
from sitemap_action.walk.reader import FetchedUrl, Reader, Scope
from sitemap_action.walk.rendered import open_site
from sitemap_action.walk.served_site import DeployedSource
from sitemap_action.walk.start import http_options
from sitemap_action.web.patterns import Query
from sitemap_action.web.urls import normalize

_MOST = 24  # pages, and hops: ten redirects of the URL, as many of its canonical
_SHOWN = frozenset({"content-type", "last-modified", "x-robots-tag", "link", "retry-after"})
_MAX_HEADER = 500  # characters
_NOT_READ = (
    "other pages: which of them link here, and whether the site answers 200 for what does not exist, is not known",
)
_PREVIEW = "the start page of the preview: whether its host adds a noindex to every page (select.noindex) is not known"


class OneUrlSource(Struct):
    """`seen` is what the answers showed, after `gather`."""

    site: DeployedSource
    url: str  # on the site
    seen: SeenAround = SeenAround()

    def gather(self, inventory: Inventory, seeds: Iterable[str]) -> SourceResult:
        for _ in seeds:  # those of another site are stored on the way
            pass
        return asyncio.run(self._gather(inventory))

    async def _gather(self, inventory: Inventory) -> SourceResult:
        config, access = self.site.config, self.site.access
        start = normalize(config.source.url)
        options = http_options(config, access, start, preview=self.site.preview)
        async with open_site(config, options, self.site.robots, self.site.observer.screenshots) as web:
            robots = await fetch_robots(web.fetcher, start)
            self.seen = SeenAround(
                links_known=False,
                no_robots="" if robots.status is RobotsStatus.PARSE else f"{robots.url} {robots.reason}",
                robots=config.crawl.robots.removeprefix("file:") if self.site.robots is not None else robots.url,
                not_read=(*_NOT_READ, *((_PREVIEW,) if self.site.preview else ())),
            )
            rules = self.site.robots if self.site.robots is not None else _rules(robots)
            if self.url and (unreachable := self._unreachable(robots)):
                inventory.add_pages([Page(self.url, PageKind.UNDETERMINED, reason=unreachable)])
            elif self.url.startswith(self.site.site_url):
                obeyed = parse(rules, Profile.RFC) if rules is not None and config.crawl.robots != "ignore" else None
                await self._crawl(inventory, web.fetcher, obeyed)
            return SourceResult(kind="url", location=config.source.url, robots=rules, rendering=web.rendered())

    def _unreachable(self, robots: RobotsAnswer) -> str:
        """Why nothing may be requested (RB-21)."""
        crawl = self.site.config.crawl
        asked = crawl.robots == "auto" and crawl.robots_unreachable is not RobotsUnreachable.ALLOW
        if not asked or robots.status is not RobotsStatus.UNREACHABLE:
            return ""
        return f"{robots.url}: {robots.reason}; until it can be read, everything is disallowed"

    async def _crawl(self, inventory: Inventory, fetcher: Fetcher, obeyed: Robots | None) -> None:
        """A crawl from the URL, that follows nothing but what its verdict depends on."""
        frontier, mapping = Frontier(inventory), self.site.mapping
        frontier.require([self.url])
        frontier.add_starts([(self.url, "")])
        select = self.site.config.select
        reader = _VerdictReader(
            mapping=mapping,
            scope=Scope(mapping, mapping.site, Query(select.query.allow, select.drop_params)),
            thresholds=self.site.config.render.detect,
            add_seen=self._add_seen,
        )
        crawl = Crawl(
            fetcher=fetcher,
            frontier=frontier,
            url_filter=self.site.url_filter(obeyed),
            reader=reader,
            limits=CrawlLimits(_MOST, _MOST, concurrency=1, deadline=0),  # 0: nothing is asked a second time
            observer=NULL_OBSERVER,
            clock=time.monotonic,
        )
        await crawl.run()

    def _add_seen(self, answer: Answer) -> None:
        """What the first document shows, which may be where redirects of the URL end."""
        if not isinstance(answer, Response) or answer.target or self.seen.headers:
            return
        body = answer.body if self.site.mapping.to_site(answer.url) == self.url else b""
        _, hint = start_page_blocker(answer.url, answer.status, answer.headers, "")
        self.seen = replace(
            self.seen,
            directive_line=noindex_line(body),
            canonical_line=canonical_line(body),
            blocker=hint,
            headers=tuple((name, value[:_MAX_HEADER]) for name, value in answer.headers if name in _SHOWN),
        )


class _VerdictReader(Reader, frozen=True, kw_only=True):
    """Reads a page, and of its links only what its verdict depends on."""

    add_seen: Callable[[Answer], None]

    def visits(self, depth: int, fetched: Sequence[FetchedUrl]) -> list[Visit]:
        for one in fetched:
            self.add_seen(one.answer)
        return [
            visit._replace(links=(), targets=self.scope.filter(_verdict_urls(visit.page), visit.page.url))
            for visit in super().visits(depth, fetched)
        ]


def _rules(robots: RobotsAnswer) -> bytes | None:
    return robots.body if robots.status is RobotsStatus.PARSE else None


def _verdict_urls(page: Page) -> Iterator[str]:
    """Whose answers the verdict on the page depends on."""
    if page.target:
        yield page.target
    if page.facts is not None:
        yield from (one.url for one in page.facts.head.canonicals if not one.ignored)
        if page.facts.refresh is not None:
            yield page.facts.refresh.url
