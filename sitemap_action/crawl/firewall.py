"""Where a firewall that answers 403 ends a crawl, and what is void behind that place (HTML-40).

Theory of operation. The crawl ends at the third of three required URLs, one requested after the other, that are all
answered 403. Requests behind it are under way by then, and what they answer depends on latencies: it is as if they had
never been sent (NET-16). So what the crawl does with an answer waits while a stop before it is possible: while three
required URLs one after the other are all refused or unanswered. One or two slow pages hold nothing up.
"""

import asyncio
import math
from collections.abc import Callable
from heapq import heappop, heappush
from typing import TypeAlias

_LIMIT = 3  # URLs that a compared sitemap lists
_REFUSED = 403

Action: TypeAlias = Callable[[], None]


class Firewall:
    """A place is even for a required URL, and odd for what comes behind it."""

    def __init__(self, most: int) -> None:
        """`most`: actions that may wait before nothing more is requested (`room`)."""
        self.stopped = ""  # why the crawl ends
        self._most = most
        self._urls: dict[int, str] = {}  # required ones, by number, from the first that may be part of a stop
        self._statuses: dict[int, int] = {}
        self._requested = 0
        self._last = _LIMIT  # number of the first required URL at which a stop is still possible
        self._waiting: list[tuple[int, int, Action]] = []  # (place, order of arrival, what to do), as a heap
        self._arrived = 0
        self._released = asyncio.Event()

    @property
    def place(self) -> int:
        """Of a URL that is not required and comes next."""
        return 2 * self._requested + 1

    def requested(self, url: str) -> int:
        """The place of a required URL."""
        self._requested += 1
        self._urls[self._requested] = url
        if self._requested == self._last:
            self._advance()
        return 2 * self._requested

    def answered(self, place: int, status: int) -> None:
        """Of a required URL."""
        number = place // 2
        if number > self._last - _LIMIT and not self.stopped:
            self._statuses[number] = status
            self._advance()
            self._release(self._safe)

    def act(self, place: int, action: Action) -> None:
        """Do it as soon as no stop before its place is possible; never where there is one."""
        if place <= self._safe:
            action()
        elif not self.stopped:
            self._arrived += 1
            heappush(self._waiting, (place, self._arrived, action))

    async def room(self) -> None:
        """Wait until few actions wait."""
        while len(self._waiting) > self._most:
            self._released.clear()
            await self._released.wait()

    def end(self) -> None:
        """No answer will come any more: do what waits, which no stop has made void."""
        self._release(math.inf)

    @property
    def _safe(self) -> float:
        """The last place before which no stop is possible."""
        return 2 * self._last if self.stopped or self._last <= self._requested else math.inf

    def _advance(self) -> None:
        """To the next possible stop."""
        while self._last <= self._requested:
            known = 0
            for passed in range(_LIMIT):
                status = self._statuses.get(self._last - passed)
                if status is not None and status != _REFUSED:
                    break
                known += status is not None
            else:
                if known == _LIMIT:
                    alike = f"{_LIMIT} pages that the sitemap lists answered {_REFUSED} one after the other"
                    self.stopped = f"{alike}, the last {self._urls[self._last]}"
                return
            self._forget(self._last - passed)
            self._last += _LIMIT - passed

    def _forget(self, number: int) -> None:
        for one in range(self._last - _LIMIT + 1, number + 1):
            self._urls.pop(one, None)
            self._statuses.pop(one, None)

    def _release(self, safe: float) -> None:
        while self._waiting and self._waiting[0][0] <= safe:
            heappop(self._waiting)[2]()
        if self.stopped:
            self._waiting.clear()
        self._released.set()
