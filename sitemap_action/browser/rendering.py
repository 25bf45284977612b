"""A policy round a fetcher that adds to the answer for a page what a browser makes of it (HTML-70).

A document is rendered once a run. None is kept for a later one: the shell of an application stays the same while its
scripts and its data do not, so nothing but rendering tells what it has become.
"""

import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager

from msgspec import Struct

from sitemap_action.browser.pool import Browser, open_browser
from sitemap_action.browser.requests import Resources
from sitemap_action.config.schema import RenderConfig, RenderWhen
from sitemap_action.fetch.base import Answer, Fetcher, RenderedPage, Request, RequestKind, Response, Skip
from sitemap_action.html.extract import needs_rendering
from sitemap_action.model.source import RenderUse
from sitemap_action.web.blockers import bot_challenge
from sitemap_action.web.headers import content_type
from sitemap_action.web.media import HTML_TYPES

_RENDERED = frozenset({RequestKind.PAGE, RequestKind.PROBE})


class RenderingFetcher(Struct):
    """Without a browser it only counts: the pages stay as they are served."""

    inner: Fetcher
    browser: Browser | None
    options: RenderConfig
    _rendered: int = 0
    _failed: int = 0
    _seconds: float = 0.0

    async def fetch(self, request: Request) -> Answer:
        answer = await self.inner.fetch(request)
        return await self.seen(answer) if request.kind in _RENDERED else answer

    async def seen(self, answer: Answer) -> Answer:
        """The answer, with what a browser makes of it where it is to be rendered."""
        if self.browser is None or isinstance(answer, Skip) or not self._needs_browser(answer):
            return answer
        page = await self.browser.render(answer)
        self._count(page)
        return answer._replace(rendered=page)

    def use(self) -> RenderUse | None:
        """None where nothing was to be rendered, or nothing could."""
        if self.browser is None:
            return None
        return RenderUse(
            pages=self._rendered,
            failed=self._failed,
            seconds=round(self._seconds, 1),
            browser=self.browser.version,
            sandboxed=self.browser.sandboxed,
            sandbox_failure=self.browser.sandbox_failure,
            failure=self.browser.failure,
        )

    def _needs_browser(self, answer: Response) -> bool:
        if answer.status != 200 or answer.target or answer.body_skipped or bot_challenge(answer.headers):
            return False
        media_type, _ = content_type(answer.headers)
        if media_type and media_type not in HTML_TYPES:
            return False
        if self.options.when is RenderWhen.ALWAYS:
            return True
        return needs_rendering(answer.body, answer.headers, answer.url, self.options.detect)

    def _count(self, page: RenderedPage) -> None:
        self._failed += bool(page.failure)
        self._rendered += not page.failure
        self._seconds += page.milliseconds / 1000


@asynccontextmanager
async def open_rendering(
    options: RenderConfig,
    inner: Fetcher,
    most: int,
    *,
    allowed: Callable[[str], bool] = lambda _url: True,
    environment: Mapping[str, str] = os.environ,
) -> AsyncIterator[RenderingFetcher]:
    """`most`: characters of a rendered document; `allowed`: what robots.txt lets scripts load.

    Raises UsageError where all is to be rendered, and there is no browser.
    """
    async with open_browser(options, Resources(inner, allowed), most, environment) as browser:
        yield RenderingFetcher(inner, browser, options)
