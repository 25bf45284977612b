"""A crawl with a browser: what its pages may load, and when it is asked (HTML-70).

Whether a browser has to see a page is known once its facts are read: the page is then read again (`LateRendering`). To
ask before would take a second tree of every document, a sixth of what a crawl costs.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.config.schema import Config, RenderWhen
from sitemap_action.fetch.base import Answer, Fetcher, Request, RequestKind, Response
from sitemap_action.fetch.options import TOKEN, HttpOptions
from sitemap_action.fetch.policies import Web, open_web
from sitemap_action.model.page import Page
from sitemap_action.robots.groups import Profile, Robots, parse
from sitemap_action.store.codec import Visit
from sitemap_action.walk.reader import FetchedUrl, needs_scripts
from sitemap_action.web.urls import normalize, origin


class ResourceRules(Struct):
    """What robots.txt lets scripts load: a search engine obeys it there too, and sees the page without the rest.

    A file that forbids the start page itself is policy of a preview's host, or not obeyed: else no page is rendered.
    """

    inner: Fetcher
    start: str
    reads: bool  # the site's own robots.txt is the one that counts
    rules: Robots | None = None

    async def fetch(self, request: Request) -> Answer:
        answer = await self.inner.fetch(request)
        if self.reads and request.kind is RequestKind.ROBOTS and isinstance(answer, Response) and answer.status == 200:
            self.rules = parse(answer.body, Profile.RFC)
        return answer

    def allows(self, url: str) -> bool:
        if self.rules is None or not url.startswith(f"{origin(self.start)}/"):
            return True
        return self.rules.verdict(TOKEN, url).allowed or not self.rules.verdict(TOKEN, self.start).allowed


@asynccontextmanager
async def open_site(config: Config, options: HttpOptions, robots: bytes | None) -> AsyncIterator[Web]:
    """`robots`: that of the repository, where it is the one that counts. Raises UsageError."""
    async with open_web(options) as web:
        if config.render.when is RenderWhen.NEVER:
            yield web
            return
        from sitemap_action.browser.pool import open_rendering  # noqa: PLC0415 - a run without a browser needs none

        rules = ResourceRules(
            web.fetcher,
            normalize(config.source.url),
            config.crawl.robots == "auto",
            None if robots is None else parse(robots, Profile.RFC),
        )
        async with open_rendering(config.render, rules, config.crawl.max_body, allowed=rules.allows) as rendering:
            later = config.render.when is RenderWhen.AUTO and rendering.browser is not None
            served, seen = (rules, rendering.render) if later else (None, None)
            yield replace(web, fetcher=rendering, rendered=rendering.use, served=served, seen=seen)


Seen: TypeAlias = Callable[[Answer], Awaitable[Answer]]  # the answer, with what a browser makes of it where it is asked


def may_be_shell(page: Page) -> bool:
    """Whether scripts may have to build the page: never False where `html.extract.needs_rendering` is True."""
    return needs_scripts(page) or (page.facts is not None and page.facts.script_redirect != "")


class LateRendering:
    """A queue of pages that wait for a browser. A full one stops the reading of pages, and so the crawl."""

    def __init__(self, seen: Seen, most: int) -> None:
        self._seen = seen
        self._waiting: asyncio.Queue[FetchedUrl] = asyncio.Queue(most)

    def wants(self, one: FetchedUrl, visit: Visit) -> bool:
        """Whether a browser is to be asked before the visit counts."""
        if one.seen or not may_be_shell(visit.page):
            return False
        return isinstance(one.answer, Response) and one.answer.rendered is None and not one.is_unchanged

    async def add(self, one: FetchedUrl) -> None:
        await self._waiting.put(one)

    async def next(self) -> FetchedUrl:
        """The page with what a browser has made of it, to be read again."""
        one = await self._waiting.get()
        return one._replace(answer=await self._seen(one.answer), seen=True)
