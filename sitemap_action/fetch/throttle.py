"""How fast each host is fetched, adapted to its answers: a Fetcher around a Fetcher (NET-04, NET-05, NET-08).

Theory of operation. Each host (origin) has its own limits: requests in flight, and the interval between two starts.
Full speed is what the options allow; `rate_factor`, between 1/8 and 1, scales both limits. A 429, a 503 or a timeout
halves it, once for all requests that were in flight together. After 20 clean answers the 95th percentile of their
latency is compared with that of earlier ones: where it has doubled, the factor is halved too, else it grows by the
share of one request in flight (additive increase, multiplicative decrease, as in TCP). Crawl-delay sets a lower bound
for the interval; Retry-After moves the next start, for the whole host.
A request within the limits starts at once. Others wait for a lock, which asyncio grants in the order of arrival; its
holder waits until a request has ended, then for the time of the next start (NET-16).
"""

import asyncio
from collections.abc import Mapping

from msgspec import Struct, field

from sitemap_action.fetch.base import Answer, Failure, Fetcher, Request, Response, Skip
from sitemap_action.fetch.clock import Clock
from sitemap_action.fetch.retry_after import retry_after

OTHER_HOST_RATE = 10.0  # requests a second on hosts that are not the seed's
MAX_DELAY = 10.0  # seconds: a longer Crawl-delay would hang a CI job (NET-08)
_MIN_RATE_FACTOR = 1 / 8
_WINDOW = 20  # clean answers between two looks at the latency
_MIN_LATENCY = 0.1  # seconds; below that a doubled latency is noise


class HostLimits(Struct, frozen=True):
    """The present limits of one host."""

    concurrency: int  # requests in flight
    rate: float | None  # requests a second; None: no limit
    wait: float  # seconds until the next request may start
    slowed: bool  # below full speed


class _HostState(Struct):
    concurrency: int  # at full speed
    rate: float | None  # at full speed, requests a second
    delay: float = 0.0  # seconds between two requests: the host's Crawl-delay
    rate_factor: float = 1.0
    limit: int = 0  # requests in flight at most
    interval: float = 0.0  # seconds from one start to the next
    active: int = 0  # requests in flight
    next_start: float = 0.0  # clock time
    slowed_at: float = -1.0  # clock time of the last slow-down; a request that started earlier causes no other one
    reference_latency: float = 0.0  # seconds, the 95th percentile that later windows are compared with; 0.0: none yet
    latencies: list[float] = field(default_factory=list)  # seconds, of the clean answers of this window
    queue: asyncio.Lock = field(default_factory=asyncio.Lock)  # held by the request that starts next
    request_ended: "asyncio.Future[None] | None" = None  # awaited by the holder of the queue

    def __post_init__(self) -> None:
        self.set_rate_factor(self.rate_factor)

    def set_rate_factor(self, factor: float) -> None:
        self.rate_factor = factor
        self.limit = max(1, int(self.concurrency * factor))
        self.interval = max(self.delay, 1 / (self.rate * factor) if self.rate else 0.0)

    def slow_down(self, clock: float) -> None:
        self.set_rate_factor(max(_MIN_RATE_FACTOR, self.rate_factor / 2))
        self.slowed_at = clock
        self.latencies.clear()

    def review_latency(self, clock: float) -> None:
        """After a window of clean answers: one step faster, or slower where latency has doubled."""
        latency = sorted(self.latencies)[len(self.latencies) * 95 // 100]
        self.latencies.clear()
        if self.reference_latency and latency > 2 * max(self.reference_latency, _MIN_LATENCY):
            self.slow_down(clock)
            self.reference_latency = latency  # the next slow-down needs twice this latency
        else:
            self.set_rate_factor(min(1.0, self.rate_factor + 1 / self.concurrency))
            self.reference_latency = min(self.reference_latency, latency) if self.reference_latency else latency


class Throttle:
    """Requests of one host start in the order of their `fetch` calls (NET-16)."""

    def __init__(
        self, inner: Fetcher, concurrency: int, rates: Mapping[str, float | None], max_wait: float, clock: Clock
    ) -> None:
        """`rates` by origin, else OTHER_HOST_RATE; `max_wait`: seconds, a longer Retry-After causes no pause."""
        self._inner = inner
        self._concurrency, self._rates, self._max_wait = concurrency, rates, max_wait
        self._clock = clock
        self._hosts: dict[str, _HostState] = {}

    async def fetch(self, request: Request) -> Answer:
        host = self._host(request.url[: request.url.index("/", 8)])
        start = self._clock.monotonic()
        if host.active >= host.limit or host.next_start > start or host.queue.locked():
            start = await self._wait_for_start(host)
        host.active += 1
        host.next_start = start + host.interval
        try:
            answer = await self._inner.fetch(request)
        finally:
            host.active -= 1
            if host.request_ended is not None and not host.request_ended.done():
                host.request_ended.set_result(None)
        self._adapt(host, answer, start)
        return answer

    def set_delay(self, origin: str, seconds: float) -> None:
        """The Crawl-delay of the host's robots.txt (NET-08)."""
        host = self._host(origin)
        host.delay = min(max(seconds, 0.0), MAX_DELAY)
        host.set_rate_factor(host.rate_factor)

    def limits(self, origin: str) -> HostLimits:
        host, clock = self._host(origin), self._clock.monotonic()
        rate = 1 / host.interval if host.interval else None
        wait = max(0.0, host.next_start - clock)
        return HostLimits(concurrency=host.limit, rate=rate, wait=wait, slowed=host.rate_factor < 1)

    def _host(self, origin: str) -> _HostState:
        host = self._hosts.get(origin)
        if host is None:
            host = self._hosts[origin] = _HostState(self._concurrency, self._rates.get(origin, OTHER_HOST_RATE))
        return host

    async def _wait_for_start(self, host: _HostState) -> float:
        """Returns when a request may start, with the clock time of that."""
        async with host.queue:
            while host.active >= host.limit:
                host.request_ended = asyncio.get_running_loop().create_future()
                await host.request_ended
            while (wait := host.next_start - (clock := self._clock.monotonic())) > 0:
                await self._clock.sleep(wait)
            return clock

    def _adapt(self, host: _HostState, answer: Answer, start: float) -> None:
        if isinstance(answer, Skip):
            overloaded = answer.failure is Failure.TIMEOUT
        else:
            overloaded = answer.status in {429, 503}
            if overloaded or 300 <= answer.status < 400:
                self._obey_retry_after(host, answer)
            if answer.status < 500 and not overloaded:
                host.latencies.append(answer.seconds)
        if overloaded and start > host.slowed_at:
            host.slow_down(self._clock.monotonic())
        elif len(host.latencies) == _WINDOW:
            host.review_latency(self._clock.monotonic())

    def _obey_retry_after(self, host: _HostState, answer: Response) -> None:
        """Retry-After holds for the host; one that is too long is reported by the retry policy (NET-05)."""
        wait = retry_after(answer, self._clock.now())
        if wait is not None and wait <= self._max_wait:
            host.next_start = max(host.next_start, self._clock.monotonic() + wait)
