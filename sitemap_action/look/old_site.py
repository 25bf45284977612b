"""The old site of one that moves: a redirect is what its server answers, and nothing else proves one (I-01).

`policy.moved-from` lists the old addresses. Every URL below them that a compared sitemap lists is requested before the
new site is read, for the targets of its redirects need an answer too. A URL without an answer stays unproven.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress

from msgspec.structs import replace

from sitemap_action.config.schema import AUTO, Config, CrawlConfig, RobotsUnreachable
from sitemap_action.fetch.base import Fetcher, Request, RequestKind
from sitemap_action.fetch.page_from_answer import page_of
from sitemap_action.fetch.policies import open_web
from sitemap_action.look.committed_sitemap import foreign
from sitemap_action.model.mask import Access
from sitemap_action.model.page import Page, PageKind
from sitemap_action.model.site import Role
from sitemap_action.store.inventory import Inventory
from sitemap_action.walk.declared import Declared, SiteRobots, discover
from sitemap_action.walk.start import http_options
from sitemap_action.web.redirect_walk import RedirectWalk
from sitemap_action.web.spellings import other_spellings
from sitemap_action.web.urls import origin

_MOST_HOPS = 10


def read_old_site(  # noqa: PLR0913, PLR0917 - what is requested, and how
    config: Config, access: Access, site_url: str, inventory: Inventory, roles: Sequence[Role], wanted: Iterable[str]
) -> tuple[list[str], list[str]]:
    """Stores what each old URL answers. Returns the seeds (`wanted`) with the targets of redirects, and notes.

    `site_url`: the new one.
    """
    import asyncio  # noqa: PLC0415 - few sites move, and the others start sooner

    wanted, notes = [*wanted], []  # the pages of other sites are stored on the way
    keys = {key for role in roles for key in inventory.identities(role) if not key.startswith(site_url)}
    for base in config.policy.moved_from:
        if own := sorted(key for key in keys if key.startswith(base)):
            pages, said = asyncio.run(_request(config, access, site_url, base, own[: config.crawl.max_pages]))
            inventory.add_pages(pages)
            wanted += [page.target for page in pages if page.target.startswith(site_url)]
            notes.append(f"the old site {base} was requested for {len(own):,} listed URLs: {said}")
    return sorted(set(wanted)), notes


async def _request(
    config: Config, access: Access, site_url: str, base: str, urls: Sequence[str]
) -> tuple[list[Page], str]:
    """Pages in byte order of their URLs, and what was answered, as text."""
    import asyncio  # noqa: PLC0415 - as above

    queue, pages = iter(urls), dict[str, Page]()
    given = "" if config.source.url == AUTO else config.source.url
    rate = http_options(config, Access(), base, preview=False).rate  # as for any site that is no preview
    async with open_web(http_options(config, access, given, preview=False)) as web:
        robots = await _read_robots(web.fetcher, config.crawl, base)
        if slowest := max(1 / rate if rate else 0, robots.delay):
            web.throttle.set_delay(origin(base), slowest)

        async def request_all() -> None:
            for url in queue:
                found = await _follow(web.fetcher, site_url, base, url, robots)
                pages.update((page.url, page) for page in found)

        with suppress(TimeoutError):
            async with asyncio.timeout(config.crawl.deadline), asyncio.TaskGroup() as requests:
                for _ in range(config.http.concurrency):
                    requests.create_task(request_all())
    answered = [pages[url] for url in urls if url in pages]
    redirects = sum(1 for page in answered if page.kind is PageKind.REDIRECT)
    said = f"{len(answered):,} answered, {redirects:,} of them with a redirect"
    said += f", {robots.delay:g} seconds apart (Crawl-delay)" if robots.delay else ""
    said = said if answered else f"none answered ({robots.refusal(urls[0]) or 'no connection'})"
    return [page for _, page in sorted(pages.items())], said


async def _read_robots(fetcher: Fetcher, crawl: CrawlConfig, base: str) -> SiteRobots:
    """Unreachable, it disallows everything (RB-21)."""
    declared = await discover(fetcher, base, ())
    if crawl.robots == "ignore":
        return SiteRobots(Declared(declared.robots_url))
    allowed = crawl.robots_unreachable is RobotsUnreachable.ALLOW
    return SiteRobots(replace(declared, unreachable="") if allowed else declared)


async def _follow(fetcher: Fetcher, site_url: str, base: str, url: str, robots: SiteRobots) -> list[Page]:
    """Each hop on the old site, in any spelling of its origin, as far as it answers."""
    origins = (base, *(f"{one}/" for one in other_spellings(base)))

    def find_hop(page: Page) -> Page | None:
        inside = page.target.startswith(origins) and not page.target.startswith(site_url)
        return page if page.kind is PageKind.REDIRECT and inside else None

    pages = [await _ask(fetcher, site_url, base, url, robots)]
    walk = RedirectWalk(pages[0], find_hop, _MOST_HOPS)
    for hop in walk:
        walk.found = await _ask(fetcher, site_url, base, hop.target, robots)
        pages.append(walk.found)
    return [page for page in pages if page.kind is not PageKind.UNDETERMINED]


async def _ask(fetcher: Fetcher, site_url: str, base: str, url: str, robots: SiteRobots) -> Page:
    """A page that still answers there has not moved."""
    if robots.refusal(url):
        return Page(url, PageKind.UNDETERMINED)
    page, _ = page_of(await fetcher.fetch(Request(url, RequestKind.PAGE)))
    if page.kind in {PageKind.PAGE, PageKind.FILE}:
        return foreign(url, site_url, (base,))._replace(status=page.status)
    return page._replace(url=url)
