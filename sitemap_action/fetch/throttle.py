"""How fast each host is asked, and how that follows its answers: a Fetcher round a Fetcher (NET-04, NET-05, NET-08)."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

from sitemap_action.fetch.base import Answer, Failure, Fetcher, Request, Response, Skip
from sitemap_action.fetch.clock import Clock
from sitemap_action.fetch.retry_after import retry_after

ELSEWHERE = 10.0  # requests a second on hosts that are not the seed's
MAX_DELAY = 10.0  # seconds: a longer Crawl-delay would hang a CI job (NET-08)
_LEAST = 1 / 8  # of full speed
_WINDOW = 20  # clean answers, after which the pace is looked at again
_NOTICEABLE = 0.1  # seconds; below that a doubled latency says nothing


@dataclass(frozen=True, slots=True)
class Pace:
    """How one host is asked at present, for who watches."""

    limit: int  # requests in flight
    rate: float | None  # requests a second; None: no limit
    waiting: float  # seconds until the next request may start
    slowed: bool


@dataclass(slots=True)
class _Lane:
    """One host. `share` of full speed goes up and down; requests in flight and their rate follow it alike."""

    concurrency: int
    rate: float | None
    delay: float = 0.0  # seconds between two requests, by the host's own wish
    share: float = 1.0
    limit: int = 0  # requests in flight at most
    interval: float = 0.0  # seconds from one start to the next
    active: int = 0
    next: float = 0.0  # clock time of the next start
    slowed: float = -1.0  # clock time of the last slow-down; what started earlier has nothing to add
    usual: float = 0.0  # seconds of the 95th percentile, when last looked at
    times: list[float] = field(default_factory=list)
    first: asyncio.Lock = field(default_factory=asyncio.Lock)  # held by who is next; those behind stand in a queue
    freed: "asyncio.Future[None] | None" = None

    def __post_init__(self) -> None:
        self.run_at(self.share)

    def run_at(self, share: float) -> None:
        self.share = share
        self.limit = max(1, int(self.concurrency * share))
        self.interval = max(self.delay, 1 / (self.rate * share) if self.rate else 0.0)

    def slow_down(self, clock: float) -> None:
        self.run_at(max(_LEAST, self.share / 2))
        self.slowed = clock
        self.times.clear()

    def look(self, clock: float) -> None:
        """After a window of clean answers: one step faster, or slower where latency has doubled."""
        at_most = sorted(self.times)[len(self.times) * 95 // 100]
        self.times.clear()
        if self.usual and at_most > 2 * max(self.usual, _NOTICEABLE):
            self.slow_down(clock)
            self.usual = at_most  # slower than that is slower again
        else:
            self.run_at(min(1.0, self.share + 1 / self.concurrency))
            self.usual = min(self.usual, at_most) if self.usual else at_most


class Throttle:
    """Requests of one host start in the order in which they were asked for (NET-16)."""

    def __init__(
        self, inner: Fetcher, concurrency: int, rates: Mapping[str, float | None], longest: float, clock: Clock
    ) -> None:
        """`rates` by origin; other origins are asked at ELSEWHERE. `longest` is a pause that is still waited for."""
        self._inner = inner
        self._concurrency, self._rates, self._longest = concurrency, rates, longest
        self._clock = clock
        self._lanes: dict[str, _Lane] = {}

    async def fetch(self, request: Request) -> Answer:
        lane = self._lane(request.url[: request.url.index("/", 8)])
        start = self._clock.monotonic()
        if lane.active >= lane.limit or lane.next > start or lane.first.locked():
            start = await self._turn(lane)
        lane.active += 1
        lane.next = start + lane.interval
        try:
            answer = await self._inner.fetch(request)
        finally:
            lane.active -= 1
            if lane.freed is not None and not lane.freed.done():
                lane.freed.set_result(None)
        self._learn(lane, answer, start)
        return answer

    def delay(self, origin: str, seconds: float) -> None:
        """Keep so far apart, as the host's robots.txt asks (NET-08)."""
        lane = self._lane(origin)
        lane.delay = min(max(seconds, 0.0), MAX_DELAY)
        lane.run_at(lane.share)

    def pace(self, origin: str) -> Pace:
        lane, clock = self._lane(origin), self._clock.monotonic()
        rate = 1 / lane.interval if lane.interval else None
        return Pace(lane.limit, rate, max(0.0, lane.next - clock), lane.share < 1)

    def _lane(self, origin: str) -> _Lane:
        lane = self._lanes.get(origin)
        if lane is None:
            lane = self._lanes[origin] = _Lane(self._concurrency, self._rates.get(origin, ELSEWHERE))
        return lane

    async def _turn(self, lane: _Lane) -> float:
        """Wait until a request may start; the clock time of that."""
        async with lane.first:
            while lane.active >= lane.limit:
                lane.freed = asyncio.get_running_loop().create_future()
                await lane.freed
            while (wait := lane.next - (clock := self._clock.monotonic())) > 0:
                await self._clock.sleep(wait)
            return clock

    def _learn(self, lane: _Lane, answer: Answer, start: float) -> None:
        if isinstance(answer, Skip):
            busy = answer.failure is Failure.TIMEOUT
        else:
            busy = answer.status in {429, 503}
            if busy or 300 <= answer.status < 400:
                self._pause(lane, answer)
            if answer.status < 500 and not busy:
                lane.times.append(answer.seconds)
        if busy and start > lane.slowed:
            lane.slow_down(self._clock.monotonic())
        elif len(lane.times) == _WINDOW:
            lane.look(self._clock.monotonic())

    def _pause(self, lane: _Lane, answer: Response) -> None:
        """Retry-After holds for the host; one that is too long to wait for is the retry's to report (NET-05)."""
        asked = retry_after(answer, self._clock.now())
        if asked is not None and asked <= self._longest:
            lane.next = max(lane.next, self._clock.monotonic() + asked)
