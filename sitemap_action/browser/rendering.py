"""Adds to the answer for a page what a browser makes of it: a Fetcher around a Fetcher (HTML-70).

A document is rendered once. What a run with a state has rendered is kept with the served bytes' digest and the answers
that its scripts were given; a later run asks for these again, and renders only where one of them has changed: the shell
of an application stays the same while its scripts and its data do not.
"""

import asyncio
import hashlib
import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Protocol

from msgspec import Struct

from sitemap_action import __version__
from sitemap_action.browser.pool import Browser, Seen, open_browser
from sitemap_action.browser.requests import Resources, loaded
from sitemap_action.config.schema import RenderConfig, RenderWhen
from sitemap_action.fetch.base import Answer, Fetcher, RenderedPage, Request, RequestKind, Response, Skip
from sitemap_action.html.shell_document import needs_rendering
from sitemap_action.model.kept_rendering import KeptRendering
from sitemap_action.model.source import RenderUse
from sitemap_action.web.blockers import bot_challenge
from sitemap_action.web.headers import content_type
from sitemap_action.web.media import HTML_TYPES

_RENDERED = frozenset({RequestKind.PAGE, RequestKind.PROBE})


class RenderMemory(Protocol):
    """What earlier runs have rendered, by URL and digest."""

    def of(self, url: str, digest: bytes) -> KeptRendering | None: ...

    def store(self, url: str, digest: bytes, kept: KeptRendering) -> None: ...


class RenderingFetcher(Struct):
    """Without a browser it only counts: the pages stay as they are served."""

    inner: Fetcher
    browser: Browser | None
    resources: Resources
    options: RenderConfig
    memory: RenderMemory | None = None
    _rendered: int = 0
    _kept: int = 0
    _failed: int = 0
    _seconds: float = 0.0

    async def fetch(self, request: Request) -> Answer:
        answer = await self.inner.fetch(request)
        return await self.seen(answer) if request.kind in _RENDERED else answer

    async def seen(self, answer: Answer) -> Answer:
        """The answer, with what a browser makes of it where it is to be rendered."""
        if self.browser is None or isinstance(answer, Skip) or not self._is_asked(answer):
            return answer
        digest = _digest(answer, self.options)
        if self.memory is not None and (kept := self.memory.of(answer.url, digest)) and await self._holds(kept):
            self._kept += 1
            return answer._replace(rendered=RenderedPage(kept.html, kept.redirect, refused=kept.refused))
        seen = await self.browser.render(answer)
        self._count(seen.page)
        if self.memory is not None and not seen.page.failure:
            self.memory.store(answer.url, digest, _kept(seen))
        return answer._replace(rendered=seen.page)

    def use(self) -> RenderUse | None:
        """None where nothing was to be rendered, or nothing could."""
        if self.browser is None:
            return None
        return RenderUse(
            pages=self._rendered,
            kept=self._kept,
            failed=self._failed,
            seconds=round(self._seconds, 1),
            browser=self.browser.version,
            sandboxed=self.browser.sandboxed,
            sandbox_failure=self.browser.sandbox_failure,
            failure=self.browser.failure,
        )

    def _is_asked(self, answer: Response) -> bool:
        if answer.status != 200 or answer.target or answer.body_skipped or bot_challenge(answer.headers):
            return False
        media_type, _ = content_type(answer.headers)
        if media_type and media_type not in HTML_TYPES:
            return False
        if self.options.when is RenderWhen.ALWAYS:
            return True
        return needs_rendering(answer.body, answer.headers, answer.url, self.options.detect)

    async def _holds(self, kept: KeptRendering) -> bool:
        """Whether each answer that the scripts were given is still the same."""
        answers = await asyncio.gather(*(self.resources.load(url) for url, _ in kept.resources))
        found = zip(kept.resources, answers, strict=True)
        return all(loaded(url, answer).digest == digest for (url, digest), answer in found)

    def _count(self, page: RenderedPage) -> None:
        self._failed += bool(page.failure)
        self._rendered += not page.failure
        self._seconds += page.milliseconds / 1000


def _digest(answer: Response, options: RenderConfig) -> bytes:
    """Of all that decides what a browser makes of an answer, its scripts and their data aside."""
    how = (__version__, options.wait_until, options.wait_for, options.wait_for_timeout, answer.headers)
    about = repr(how).encode(errors="backslashreplace")
    return hashlib.blake2b(len(about).to_bytes(8, "big") + about + answer.body, digest_size=16).digest()


def _kept(seen: Seen) -> KeptRendering:
    page = seen.page
    return KeptRendering(page.html, page.redirect, page.refused, tuple((one.url, one.digest) for one in seen.resources))


@asynccontextmanager
async def open_rendering(  # noqa: PLR0913 - what is rendered, with what, and what is kept of it
    options: RenderConfig,
    inner: Fetcher,
    most: int,
    *,
    memory: RenderMemory | None = None,
    allowed: Callable[[str], bool] = lambda _url: True,
    environment: Mapping[str, str] = os.environ,
) -> AsyncIterator[RenderingFetcher]:
    """`most`: characters of a rendered document; `allowed`: what robots.txt lets scripts load.

    Raises UsageError where all is to be rendered, and there is no browser.
    """
    resources = Resources(inner, allowed)
    async with open_browser(options, resources, most, environment) as browser:
        yield RenderingFetcher(inner, browser, resources, options, memory)
