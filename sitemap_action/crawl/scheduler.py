"""Hands out the queued URLs of one level in order, and never more than the page limit allows."""

import asyncio
from collections.abc import Iterator

from msgspec import Struct

from sitemap_action.store.frontier import QueuedUrl


class PageBudget(Struct):
    """Pages that may still be fetched. Only answers that are pages are spent, so URLs under way are reserved.

    A URL is handed out only while spent and reserved ones are below the limit. That cuts a sorted level at one place,
    whatever the latencies: behind the URL that is the last page allowed (NET-09, NET-16).
    """

    limit: int
    spent: int = 0
    reserved: int = 0

    @property
    def exhausted(self) -> bool:
        return self.spent >= self.limit

    @property
    def left(self) -> int:
        return max(self.limit - self.spent, 0)

    def reserve(self) -> bool:
        if self.spent + self.reserved >= self.limit:
            return False
        self.reserved += 1
        return True

    def spend(self, *, page: bool) -> None:
        self.reserved -= 1
        self.spent += page


class LevelScheduler:
    """One level. `too_deep`: it is beyond the depth limit, and only required URLs are handed out."""

    def __init__(self, rows: Iterator[QueuedUrl], budget: PageBudget, *, too_deep: bool) -> None:
        self._rows = rows
        self._budget = budget
        self._too_deep = too_deep
        self._postponed: QueuedUrl | None = None  # until the budget allows one more page
        self._freed = asyncio.Event()
        self._stopped = False

    async def next(self) -> QueuedUrl | None:
        """The next URL; None when there is none, or none that may be fetched."""
        while not self._stopped and (row := self._postponed or next(self._rows, None)) is not None:
            self._postponed = None
            if row.required or (not self._too_deep and self._budget.reserve()):
                return row
            if not (self._too_deep or self._budget.exhausted):
                self._postponed = row
                self._freed.clear()
                await self._freed.wait()
        return None

    def stop(self) -> None:
        """Hand out no more URLs; calls of `next` that are waiting return None."""
        self._stopped = True
        self._freed.set()

    def done(self, row: QueuedUrl, *, page: bool) -> None:
        """To be called for every URL that was handed out: frees its reservation."""
        if not row.required:
            self._budget.spend(page=page)
            self._freed.set()
