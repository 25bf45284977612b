"""The old site of one that moves: a redirect is what its server answers, and nothing else proves one (I-01).

`policy.moved-from` lists the old addresses. Every URL below them that a compared sitemap lists is requested before the
new site is read, for the targets of its redirects need an answer too. A URL without an answer stays unproven.
"""

from collections.abc import Sequence
from contextlib import suppress

from msgspec.structs import replace

from sitemap_action.config.schema import AUTO, Config, RobotsUnreachable
from sitemap_action.fetch.base import Fetcher, Request, RequestKind
from sitemap_action.fetch.page_from_answer import page_of
from sitemap_action.fetch.policies import open_web
from sitemap_action.look.committed_sitemap import foreign
from sitemap_action.model.mask import Access
from sitemap_action.model.page import Page, PageKind
from sitemap_action.walk.declared import Declared, SiteRobots, discover
from sitemap_action.walk.start import http_options
from sitemap_action.web.redirect_walk import RedirectWalk
from sitemap_action.web.spellings import other_spellings
from sitemap_action.web.urls import origin

_MOST_HOPS = 10


class OldSite:
    """The site as it is served below one of its old addresses, `base`; `site_url` is the new one."""

    def __init__(self, config: Config, access: Access, site_url: str, base: str) -> None:
        self._config, self._access, self._site_url, self._base = config, access, site_url, base
        self._origins = (base, *(f"{one}/" for one in other_spellings(base)))

    def request(self, urls: Sequence[str]) -> tuple[list[Page], str]:
        """Pages in byte order of their URLs, and what was answered, as text."""
        import asyncio  # noqa: PLC0415 - few sites move, and the others start sooner

        return asyncio.run(self._request(urls))

    async def _request(self, urls: Sequence[str]) -> tuple[list[Page], str]:
        import asyncio  # noqa: PLC0415 - as above

        config, queue, pages = self._config, iter(urls), dict[str, Page]()
        given = "" if config.source.url == AUTO else config.source.url
        rate = http_options(config, Access(), self._base, preview=False).rate  # as for any site that is no preview
        async with open_web(http_options(config, self._access, given, preview=False)) as web:
            robots = await self._read_robots(web.fetcher)
            if slowest := max(1 / rate if rate else 0, robots.delay):
                web.throttle.set_delay(origin(self._base), slowest)

            async def request_all() -> None:
                for url in queue:
                    found = await self._follow(web.fetcher, url, robots)
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

    async def _read_robots(self, fetcher: Fetcher) -> SiteRobots:
        """Unreachable, it disallows everything (RB-21)."""
        declared = await discover(fetcher, self._base, ())
        if self._config.crawl.robots == "ignore":
            return SiteRobots(Declared(declared.robots_url))
        allowed = self._config.crawl.robots_unreachable is RobotsUnreachable.ALLOW
        return SiteRobots(replace(declared, unreachable="") if allowed else declared)

    async def _follow(self, fetcher: Fetcher, url: str, robots: SiteRobots) -> list[Page]:
        """Each hop on the old site, in any spelling of its origin, as far as it answers."""
        pages = [await self._ask(fetcher, url, robots)]
        walk = RedirectWalk(pages[0], self._find_hop, _MOST_HOPS)
        for hop in walk:
            walk.found = await self._ask(fetcher, hop.target, robots)
            pages.append(walk.found)
        return [page for page in pages if page.kind is not PageKind.UNDETERMINED]

    def _find_hop(self, page: Page) -> Page | None:
        inside = page.target.startswith(self._origins) and not page.target.startswith(self._site_url)
        return page if page.kind is PageKind.REDIRECT and inside else None

    async def _ask(self, fetcher: Fetcher, url: str, robots: SiteRobots) -> Page:
        """A page that still answers there has not moved."""
        if robots.refusal(url):
            return Page(url, PageKind.UNDETERMINED)
        page, _ = page_of(await fetcher.fetch(Request(url, RequestKind.PAGE)))
        if page.kind in {PageKind.PAGE, PageKind.FILE}:
            return foreign(url, self._site_url, (self._base,))._replace(status=page.status)
        return page._replace(url=url)
