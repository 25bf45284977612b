"""The web of a crawl with a browser: what robots.txt and the state mean for what it loads."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.config.schema import Config, RenderWhen
from sitemap_action.fetch.base import Answer, Fetcher, Request, RequestKind, Response
from sitemap_action.fetch.options import TOKEN, HttpOptions
from sitemap_action.fetch.policies import Web, open_web
from sitemap_action.robots.groups import Profile, Robots, parse
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
        from sitemap_action.browser.rendering import open_rendering  # noqa: PLC0415 - a run without a browser needs none

        rules = ResourceRules(
            web.fetcher,
            normalize(config.source.url),
            config.crawl.robots == "auto",
            None if robots is None else parse(robots, Profile.RFC),
        )
        async with open_rendering(config.render, rules, config.crawl.max_body, allowed=rules.allows) as rendering:
            later = config.render.when is RenderWhen.AUTO and rendering.browser is not None
            served, seen = (rules, rendering.seen) if later else (None, None)
            yield replace(web, fetcher=rendering, rendered=rendering.use, served=served, seen=seen)
