"""Pages that a browser may have to see, which is known once their facts are read: they are then read again (HTML-70).

To ask before they are read would take a second tree of every document, a sixth of what a crawl costs.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from sitemap_action.crawl.visits import FetchedUrl, needs_scripts
from sitemap_action.fetch.base import Answer, Response
from sitemap_action.model.page import Page
from sitemap_action.store.frontier import Visit

Seen: TypeAlias = Callable[[Answer], Awaitable[Answer]]  # the answer, with what a browser makes of it where it is asked


def may_be_shell(page: Page) -> bool:
    """Whether scripts may have to build the page: never False where `html.shell_document.needs_rendering` is True."""
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
        return isinstance(one.answer, Response) and one.answer.rendered is None and not one.unchanged

    async def add(self, one: FetchedUrl) -> None:
        await self._waiting.put(one)

    async def next(self) -> FetchedUrl:
        """The page with what a browser has made of it, to be read again."""
        one = await self._waiting.get()
        return one._replace(answer=await self._seen(one.answer), seen=True)
