"""Which URLs of a level a crawl requests, which it requests a second time, and what makes it give up.

`LevelScheduler` hands out the queued URLs of one level in order, and never more than the page limit allows.
`SecondPass`: a retry waits for a second; an overload or a restart of the server takes longer (NET-06). So before a page
counts as one without an answer it is requested once more, after all others and a pause.
`Refusals`: three URLs of a compared sitemap, one after the other, that are all answered 403 are a firewall (HTML-40).
They are looked for when all of a level is known, so that the same server ends a crawl at the same level (NET-16).
"""

import asyncio
from collections.abc import Iterator

from msgspec import Struct, field

from sitemap_action.fetch.base import Answer, Failure, Skip
from sitemap_action.model.page import Page
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
    def is_exhausted(self) -> bool:
        return self.spent >= self.limit

    @property
    def pages_left(self) -> int:
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
            if not (self._too_deep or self._budget.is_exhausted):
                self._postponed = row
                self._freed.clear()
                await self._freed.wait()
        return None

    def stop(self) -> None:
        """Hand out no more URLs; calls of `next` that are waiting return None."""
        self._stopped = True
        self._freed.set()

    def release(self, row: QueuedUrl, *, page: bool) -> None:
        """Free the reservation of a URL, once each that was handed out is known to be a page or none."""
        if not row.required:
            self._budget.spend(page=page)
            self._freed.set()


PAUSE = 20
"""Times `http.backoff`, which is 10 seconds."""

_FIREWALL = 3  # URLs that a compared sitemap lists
_REFUSED = 403
_HOPELESS = 20  # requests that failed again, with none that succeeded: the server is down


class SecondPass(Struct):
    """Collects URLs that failed, by depth; each is requested once more. Counts how these requests end."""

    queued: dict[int, list[QueuedUrl]] = field(default_factory=dict)
    _again: set[str] = field(default_factory=set)  # URLs that were handed out
    _failed: int = 0
    _succeeded: bool = False

    def add(self, row: QueuedUrl, depth: int, answer: Answer, page: Page) -> None:
        """A server that asks for a longer pause than is allowed is not asked again."""
        if row.url in self._again:
            self._failed += page.transient
            self._succeeded = self._succeeded or not page.transient
        elif page.transient and not (isinstance(answer, Skip) and answer.failure is Failure.BUSY):
            self.queued.setdefault(depth, []).append(row)

    @property
    def hopeless(self) -> bool:
        return not self._succeeded and self._failed >= _HOPELESS

    def take(self) -> list[tuple[int, list[QueuedUrl]]]:
        """(depth, its URLs), both sorted as in the crawl (NET-16)."""
        levels = sorted(self.queued.items())
        self.queued = {}
        self._again.update(row.url for _, rows in levels for row in rows)
        return [(depth, sorted(rows, key=lambda row: row.url)) for depth, rows in levels]


class Refusals(Struct):
    """Collects what the required URLs of a level answer; `firewall` is why the crawl ends, "" while it goes on."""

    firewall: str = ""
    _level: list[tuple[str, bool]] = field(default_factory=list)
    _run: int = 0  # refused ones, one after the other, also over the end of a level

    def add(self, url: str, status: int) -> None:
        self._level.append((url, status == _REFUSED))

    def end_level(self) -> None:
        for url, refused in sorted(self._level):
            self._run = self._run + 1 if refused else 0
            if self._run == _FIREWALL:
                alike = f"{_FIREWALL} pages that the sitemap lists answered {_REFUSED} one after the other"
                self.firewall = f"{alike}, the last {url}"
                break
        self._level.clear()
