"""Whose turn it is: hands out what waits at one level, in order, and never more than the page limit can count."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass

from sitemap_action.inventory.frontier import Waiting


@dataclass(slots=True)
class PageBudget:
    """Pages that may still be fetched. Only what turns out to be a page is spent, so URLs under way are reserved.

    Handing a URL out only while spent and reserved ones stay below the limit cuts a sorted level at one place,
    whatever the latencies: behind the URL that is the last page allowed (NET-09, NET-16).
    """

    limit: int
    spent: int = 0
    reserved: int = 0

    @property
    def over(self) -> bool:
        return self.spent >= self.limit

    def reserve(self) -> bool:
        if self.spent + self.reserved >= self.limit:
            return False
        self.reserved += 1
        return True

    def spend(self, *, page: bool) -> None:
        self.reserved -= 1
        self.spent += page


class LevelScheduler:
    """One level. `closed`: it is too deep, and only named URLs are to be had."""

    def __init__(self, rows: Iterator[Waiting], budget: PageBudget, *, closed: bool) -> None:
        self._rows = rows
        self._budget = budget
        self._closed = closed
        self._ahead: Waiting | None = None
        self._freed = asyncio.Event()
        self._ended = False

    async def next(self) -> Waiting | None:
        """The next URL; None when there is none, or none to be had."""
        while not self._ended and (row := self._ahead or next(self._rows, None)) is not None:
            self._ahead = None
            if row.named or (not self._closed and self._budget.reserve()):
                return row
            if not (self._closed or self._budget.over):
                self._ahead = row
                self._freed.clear()
                await self._freed.wait()
        return None

    def end(self) -> None:
        """Nothing more is handed out, not even to who waits."""
        self._ended = True
        self._freed.set()

    def done(self, row: Waiting, *, page: bool) -> None:
        """Every URL that was handed out comes back here, so that what it had reserved is free."""
        if not row.named:
            self._budget.spend(page=page)
            self._freed.set()
