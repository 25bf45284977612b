"""One URL of a deployed site, with its redirects, its canonical, robots.txt and, of a shell, what its scripts load."""

import asyncio
import time
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from sitemap_action.config.schema import CrawlConfig, RobotsUnreachable
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


def gather_one_url(site: DeployedSource, url: str, inventory: Inventory) -> tuple[SourceResult, SeenAround]:
    """What is known of the site, and what the answers showed; `url`: on the site, "" for one of another host."""
    return asyncio.run(_gather(site, url, inventory))


async def _gather(site: DeployedSource, url: str, inventory: Inventory) -> tuple[SourceResult, SeenAround]:
    config = site.config
    start = normalize(config.source.url)
    options = http_options(config, site.access, start, preview=site.preview)
    async with open_site(config, options, site.robots, site.observer.screenshots) as web:
        robots = await fetch_robots(web.fetcher, start)
        seen = SeenAround(
            links_known=False,
            no_robots="" if robots.status is RobotsStatus.PARSE else f"{robots.url} {robots.reason}",
            robots=config.crawl.robots.removeprefix("file:") if site.robots is not None else robots.url,
            not_read=(*_NOT_READ, *((_PREVIEW,) if site.preview else ())),
        )
        rules = site.robots if site.robots is not None else _rules(robots)
        if url and (unreachable := _unreachable(config.crawl, robots)):
            inventory.add_pages([Page(url, PageKind.UNDETERMINED, reason=unreachable)])
        elif url.startswith(site.site_url):
            obeyed = parse(rules, Profile.RFC) if rules is not None and config.crawl.robots != "ignore" else None
            for answer in await _crawl(site, url, inventory, web.fetcher, obeyed):
                seen = _with_answer(seen, answer, is_page=site.mapping.to_site(answer.url) == url)
        return SourceResult(kind="url", location=config.source.url, robots=rules, rendering=web.rendered()), seen


def _unreachable(crawl: CrawlConfig, robots: RobotsAnswer) -> str:
    """Why nothing may be requested (RB-21)."""
    asked = crawl.robots == "auto" and crawl.robots_unreachable is not RobotsUnreachable.ALLOW
    if not asked or robots.status is not RobotsStatus.UNREACHABLE:
        return ""
    return f"{robots.url}: {robots.reason}; until it can be read, everything is disallowed"


async def _crawl(
    site: DeployedSource, url: str, inventory: Inventory, fetcher: Fetcher, obeyed: Robots | None
) -> Sequence[Answer]:
    """A crawl from the URL, that follows nothing but what its verdict depends on; returns the answers."""
    frontier, mapping, select = Frontier(inventory), site.mapping, site.config.select
    frontier.require([url])
    frontier.add_starts([(url, "")])
    reader = _VerdictReader(
        mapping=mapping,
        scope=Scope(mapping, mapping.site, Query(select.query.allow, select.drop_params)),
        thresholds=site.config.render.detect,
        answers=[],
    )
    crawl = Crawl(
        fetcher=fetcher,
        frontier=frontier,
        url_filter=site.url_filter(obeyed),
        reader=reader,
        limits=CrawlLimits(_MOST, _MOST, concurrency=1, deadline=0),  # 0: nothing is asked a second time
        observer=NULL_OBSERVER,
        clock=time.monotonic,
    )
    await crawl.run()
    return reader.answers


def _with_answer(seen: SeenAround, answer: Answer, *, is_page: bool) -> SeenAround:
    """Adds what the first document shows, which may be where redirects of the URL end; `is_page`: it is at the URL."""
    if not isinstance(answer, Response) or answer.target or seen.headers:
        return seen
    body = answer.body if is_page else b""
    _, hint = start_page_blocker(answer.url, answer.status, answer.headers, "")
    return replace(
        seen,
        directive_line=noindex_line(body),
        canonical_line=canonical_line(body),
        blocker=hint,
        headers=tuple((name, value[:_MAX_HEADER]) for name, value in answer.headers if name in _SHOWN),
    )


class _VerdictReader(Reader, frozen=True, kw_only=True):
    """Reads a page, and of its links only what its verdict depends on."""

    answers: list[Answer]

    def visits(self, depth: int, fetched: Sequence[FetchedUrl]) -> list[Visit]:
        self.answers.extend(one.answer for one in fetched)
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
