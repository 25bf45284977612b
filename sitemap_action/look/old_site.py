"""The old site of one that moves: a redirect is what its server answers, and nothing else proves one (I-01).

`policy.moved-from` lists the old addresses. Every URL below them that a compared sitemap lists is requested before the
new site is read, for the targets of its redirects need an answer too. A URL without an answer stays unproven.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import suppress

from msgspec import Struct

from sitemap_action.config.schema import AUTO, Config
from sitemap_action.fetch.base import Fetcher, Request, RequestKind, fetch_robots
from sitemap_action.fetch.options import http_options
from sitemap_action.fetch.page_from_answer import page_of
from sitemap_action.fetch.policies import open_web
from sitemap_action.look.committed_sitemap import foreign, seeds
from sitemap_action.model.context import Access
from sitemap_action.model.page import Page, PageKind
from sitemap_action.model.site import Role
from sitemap_action.robots.groups import Profile, Robots, RobotsStatus, parse
from sitemap_action.store.inventory import Inventory
from sitemap_action.web.spellings import other_spellings
from sitemap_action.web.urls import origin

_MOST_HOPS = 10
_THIS_RUN = ("sitemap-action",)  # the product token in robots.txt (NET-01)


class OldSite(Struct, frozen=True):
    """What is requested, and how; `site_url` is the new one."""

    config: Config
    access: Access
    site_url: str
    asks: bool  # whether this run requests anything of it

    def read(self, inventory: Inventory, roles: Sequence[Role]) -> tuple[Iterable[str], list[str]]:
        """Stores what each old URL answers. Returns the seeds with the targets of redirects, and notes."""
        listed = seeds(inventory, self.site_url, roles, self.config.policy.moved_from)
        if not self.asks or not self.config.policy.moved_from:
            return listed, []
        wanted, notes = [*listed], []  # the pages of other sites are stored on the way
        keys = {key for role in roles for key in inventory.identities(role) if not key.startswith(self.site_url)}
        for base in self.config.policy.moved_from:
            if own := sorted(key for key in keys if key.startswith(base)):
                pages, said = asyncio.run(self._request(base, own[: self.config.crawl.max_pages]))
                inventory.add_pages(pages)
                wanted += [page.target for page in pages if page.target.startswith(self.site_url)]
                notes.append(f"the old site {base} was requested for {len(own):,} listed URLs: {said}")
        return sorted(set(wanted)), notes

    async def _request(self, base: str, urls: Sequence[str]) -> tuple[list[Page], str]:
        """Pages in byte order of their URLs, and what was answered, as text."""
        config, queue, pages = self.config, iter(urls), dict[str, Page]()
        given = "" if config.source.url == AUTO else config.source.url
        rate = http_options(config, Access(), base, preview=False).rate  # as for any site that is no preview
        async with open_web(http_options(config, self.access, given, preview=False)) as web:
            if rate:
                web.throttle.set_delay(origin(base), 1 / rate)
            robots = await fetch_robots(web.fetcher, base)
            parsed = robots.status is RobotsStatus.PARSE and config.crawl.robots != "ignore"
            obeyed = parse(robots.body, Profile.RFC) if parsed else None

            async def request_all() -> None:
                for url in queue:
                    async for page in self._follow(web.fetcher, base, url, obeyed):
                        pages[page.url] = page

            with suppress(TimeoutError):
                async with asyncio.timeout(config.crawl.deadline), asyncio.TaskGroup() as requests:
                    for _ in range(config.crawl.pace.concurrency):
                        requests.create_task(request_all())
        found = [pages[url] for url in urls if url in pages]
        redirects = sum(1 for page in found if page.kind is PageKind.REDIRECT)
        said = f"{len(found):,} answered, {redirects:,} of them with a redirect"
        said = said if found else f"none answered ({robots.reason or 'robots.txt forbids it'})"
        return [page for _, page in sorted(pages.items())], said

    async def _follow(self, fetcher: Fetcher, base: str, url: str, obeyed: Robots | None) -> AsyncIterator[Page]:
        """Each hop on the old site, in any spelling of its origin; a page that still answers there has not moved."""
        origins = (base, *(f"{one}/" for one in other_spellings(base)))
        for _ in range(_MOST_HOPS):
            if obeyed is not None and obeyed.block(_THIS_RUN, url) is not None:
                return
            page, _ = page_of(await fetcher.fetch(Request(url, RequestKind.PAGE)))
            if page.kind is PageKind.UNDETERMINED:
                return
            if page.kind in {PageKind.PAGE, PageKind.FILE}:
                page = foreign(url, self.site_url, (base,))._replace(status=page.status)
            yield page._replace(url=url)
            url = page.target
            if page.kind is not PageKind.REDIRECT or url.startswith(self.site_url) or not url.startswith(origins):
                return
