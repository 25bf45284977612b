"""The fetcher for the web: libcurl inside a stack of policies.

A request passes them from the outside in; each is a Fetcher around the next:

    FollowRedirects   robots.txt and sitemaps only; each hop enters the guard again
      Guard           refuses URLs that may not be fetched; adds the secret headers for the seed origin
        Retry         fetches again after an answer that may pass; each attempt enters the throttle again
          Throttle    requests in flight and per second, by host, adapted to the host's answers
            log       one line for each request, where that is wanted
            engine    libcurl; judges every address before it connects to it

Theory of operation of the throttle (NET-04, NET-05, NET-08). Each host (origin) has its own limits: requests in flight,
and the interval between two starts.
Full speed is what the options allow; `rate_factor`, between 1/8 and 1, scales both limits. A 429, a 503 or a timeout
halves it, once for all requests that were in flight together. After 20 clean answers the 95th percentile of their
latency is compared with that of earlier ones: where it has doubled, the factor is halved too, else it grows by the
share of one request in flight (additive increase, multiplicative decrease, as in TCP). Crawl-delay sets a lower bound
for the interval; Retry-After moves the next start, for the whole host.
A request within the limits starts at once. Others wait for a lock, which asyncio grants in the order of arrival; its
holder waits until a request has ended, then for the time of the next start (NET-16).
"""

import math
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from msgspec import Struct, field
from msgspec.structs import replace

from sitemap_action.errors import UsageError
from sitemap_action.fetch.base import (
    Answer,
    Engine,
    Failure,
    Fetcher,
    Headers,
    HttpOptions,
    PendingAnswer,
    Request,
    RequestKind,
    Response,
    Skip,
)
from sitemap_action.model.mask import NO_MASK, SECRET_URL, Mask
from sitemap_action.model.source import RenderUse
from sitemap_action.model.wording import setting
from sitemap_action.web.address_gate import AddressGate
from sitemap_action.web.redirect_walk import ChainEnd, RedirectWalk
from sitemap_action.web.urls import BadUrl, origin

if TYPE_CHECKING:
    import asyncio

MAX_HOPS = 5  # RB-19
_FOLLOWED = frozenset({RequestKind.ROBOTS, RequestKind.SITEMAP})


async def follow_redirects(fetcher: Fetcher, request: Request) -> tuple[Answer, Sequence[Response]]:
    """The answer at the end of a chain, and the redirects that lead there: five at most, and none that goes back."""
    walk = RedirectWalk(await fetcher.fetch(request), find_redirect, MAX_HOPS)
    for redirect in walk:
        walk.found = await fetcher.fetch(replace(request, url=redirect.target, etag="", modified=""))
    if walk.found is not None:
        return walk.found, walk.hops
    loop = walk.end is ChainEnd.LOOP
    reason = f"redirects in a loop, back to {walk.hops[-1].target}" if loop else f"more than {MAX_HOPS} redirects"
    return Skip(request.url, reason, failure=Failure.REDIRECTS), walk.hops


def find_redirect(answer: Answer) -> Response | None:
    return answer if isinstance(answer, Response) and answer.target else None


class FollowRedirects:
    """Follows redirects of robots.txt and of sitemap documents inline; every hop passes the guard and the throttle."""

    def __init__(self, inner: Fetcher) -> None:
        self._inner = inner

    def fetch(self, request: Request) -> PendingAnswer:
        return self._fetch_last(request) if request.kind in _FOLLOWED else self._inner.fetch(request)

    async def _fetch_last(self, request: Request) -> Answer:
        answer, redirects = await follow_redirects(self._inner, request)
        if not redirects:
            return answer
        if isinstance(answer, Response):
            return answer._replace(url=request.url, hops=tuple(one.target for one in redirects))
        if answer.failure is Failure.REDIRECTS:
            return answer
        number = "a redirect" if len(redirects) == 1 else f"{len(redirects)} redirects"
        return answer._replace(url=request.url, reason=f"after {number}: {answer.reason}")


_UNMASKED_HEADERS = frozenset({"content-type", "content-encoding", "content-length", "transfer-encoding"})

# Ports of other protocols, to which a request could smuggle a command (Fetch standard, "bad port").
_BAD_PORTS = frozenset(
    """
    0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123
    135 137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993
    995 1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6379 6566 6665 6666 6667 6668 6669 6679 6697 10080
    """.split()  # noqa: SIM905 - as text it can be compared with the standard
)


class Guard:
    """Refuses URLs that are not http(s) or name a private address; adds secret headers for the seed origin alone.

    A host name is judged by the engine, on each address that it resolves to.
    """

    def __init__(  # noqa: PLR0913 - what is asked, what answers, and what is kept secret
        self,
        inner: Fetcher,
        gate: AddressGate,
        seed: str,
        secrets: Headers,
        *,
        mask: Mask = NO_MASK,
        private_seed: bool = True,
    ) -> None:
        self._inner = inner
        self._gate = gate
        self._seed_prefix = f"{seed}/" if seed else ""
        self._secrets = secrets
        self._mask = mask
        self._refusals: dict[str, str] = {}  # by origin; "" where it may be fetched
        self._seed_refusal = self._refusal(f"{seed}/") if seed and not private_seed else ""

    def fetch(self, request: Request) -> PendingAnswer:
        url = request.url
        if " " in url or not (url.isascii() and url.isprintable()):
            return _refuse(url, "not fetched: the URL is not in normal form")
        if self._secrets and self._mask.hides(url):
            return _refuse(self._mask(url), f"not fetched: {SECRET_URL}")
        if self._seed_prefix and url.startswith(self._seed_prefix):
            if self._seed_refusal:
                return _refuse(url, self._seed_refusal)
            if self._secrets:
                request = replace(request, headers=self._secrets)
        elif refusal := self._refusal(url):
            return _refuse(url, refusal)
        return self._fetch_masked(request) if self._secrets else self._inner.fetch(request)

    async def _fetch_masked(self, request: Request) -> Answer:
        """Masks secrets that a server or an engine's error message repeats: nothing that is read from it has one."""
        answer = await self._inner.fetch(request)
        if isinstance(answer, Response):
            return self._mask_response(answer, request.kind)
        return answer._replace(reason=self._mask(answer.reason))

    def _mask_response(self, answer: Response, kind: RequestKind) -> Response:
        """Mask all but the body of a robots.txt: the mark would be a wildcard in it; rules are masked where cited."""
        headers = tuple(
            (name, value if name in _UNMASKED_HEADERS else self._mask(value)) for name, value in answer.headers
        )
        return answer._replace(
            headers=headers,
            body=answer.body if kind is RequestKind.ROBOTS else self._mask.data(answer.body),
            target=self._mask(answer.target),
            hops=tuple(map(self._mask, answer.hops)),
        )

    def _refusal(self, url: str) -> str:
        """Why the URL's origin may not be fetched; "" where it may."""
        try:
            site = origin(url)
        except BadUrl as error:
            return f"not fetched: {error}"
        if site not in self._refusals:
            self._refusals[site] = self._origin_refusal(site)
        return self._refusals[site]

    def _origin_refusal(self, site: str) -> str:
        port = urlsplit(site).port
        if str(port) in _BAD_PORTS:
            return f"not fetched: port {port} is used for something other than web pages"
        return self._gate.literal_refusal(f"{site}/")


async def _refuse(url: str, reason: str) -> Answer:
    return Skip(url, reason, failure=Failure.REFUSED)


_MAX_DIGITS = 9  # a longer number of seconds is as good as infinite


def retry_after(response: Response, now: datetime) -> float | None:
    """Seconds, never negative; None where the header is missing or has no known form."""
    value = next((value for name, value in response.headers if name == "retry-after"), "").strip()
    if value.isascii() and value.isdigit():
        return float(value) if len(value) <= _MAX_DIGITS else math.inf
    if not value:
        return None
    from email.utils import parsedate_to_datetime  # noqa: PLC0415 - few answers have a date there

    try:
        date = parsedate_to_datetime(value)  # reads all three forms of an HTTP-date
    except (ValueError, TypeError, IndexError, OverflowError):  # what email.utils raises differs between versions
        return None
    date = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max(0.0, (date - now).total_seconds())


def _now() -> datetime:
    return datetime.now(UTC)


async def _sleep(seconds: float) -> None:
    import asyncio  # noqa: PLC0415 - a run that fetches nothing starts sooner

    await asyncio.sleep(seconds)


class Clock(NamedTuple):
    monotonic: Callable[[], float] = time.monotonic
    now: Callable[[], datetime] = _now  # compared with the dates of Retry-After
    sleep: Callable[[float], Awaitable[None]] = _sleep


_STATUSES = frozenset({408, 429, 500, 502, 503, 504})
_FAILURES = frozenset({Failure.DNS, Failure.CONNECT, Failure.TIMEOUT, Failure.BROKEN})


class Retry:
    """Each retry waits for `backoff` seconds, twice as long as the one before, or for the server's Retry-After.

    No jitter: requests that failed together are spread out by the throttle, which each retry enters (NET-16). A
    Retry-After of more than `max_wait` seconds ends the retries.
    """

    def __init__(self, inner: Fetcher, retries: int, backoff: float, max_wait: float, clock: Clock) -> None:
        self._inner = inner
        self._retries, self._backoff, self._max_wait, self._clock = retries, backoff, max_wait, clock

    async def fetch(self, request: Request) -> Answer:
        answer = await self._inner.fetch(request)
        tried = 0
        while _is_transient(answer):
            wait = retry_after(answer, self._clock.now()) if isinstance(answer, Response) else None
            if wait is not None and wait > self._max_wait:
                return self._refuse_wait(answer, wait)
            if tried >= self._retries:
                break
            await self._clock.sleep(max(self._backoff * 2**tried, wait or 0))
            answer = await self._inner.fetch(request)
            tried += 1
        return answer

    def _refuse_wait(self, answer: Answer, wait: float) -> Skip:
        status = answer.status if isinstance(answer, Response) else 0
        asked = f"{wait:.0f} s" if math.isfinite(wait) else "for years"
        reason = (
            f"answers {status} and asks to wait {asked}, "
            f"longer than {setting('crawl.retry-after-max') or 'a reader'} allows ({self._max_wait:.0f} s)"
        )
        return Skip(answer.url, reason, failure=Failure.BUSY)


def _is_transient(answer: Answer) -> bool:
    """Whether a request may be answered when it is sent again; all that may is tried equally often (R-44)."""
    return answer.failure in _FAILURES if isinstance(answer, Skip) else answer.status in _STATUSES


OTHER_HOST_RATE = 10.0  # requests a second on hosts that are not the seed's
MAX_DELAY = 10.0  # seconds: a longer Crawl-delay would hang a CI job (NET-08)
_MIN_RATE_FACTOR = 1 / 8
_WINDOW = 20  # clean answers between two looks at the latency
_MIN_LATENCY = 0.1  # seconds; below that a doubled latency is noise


def _create_lock() -> "asyncio.Lock":
    import asyncio  # noqa: PLC0415 - as above

    return asyncio.Lock()


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
    queue: "asyncio.Lock" = field(default_factory=_create_lock)  # held by the request that starts next
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
        host = self.host(request.url[: request.url.index("/", 8)])
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
        host = self.host(origin)
        host.delay = min(max(seconds, 0.0), MAX_DELAY)
        host.set_rate_factor(host.rate_factor)

    def wait(self, origin: str) -> float:
        """Seconds until the next request to the host may start."""
        return max(0.0, self.host(origin).next_start - self._clock.monotonic())

    def host(self, origin: str) -> _HostState:
        host = self._hosts.get(origin)
        if host is None:
            host = self._hosts[origin] = _HostState(self._concurrency, self._rates.get(origin, OTHER_HOST_RATE))
        return host

    async def _wait_for_start(self, host: _HostState) -> float:
        """Returns when a request may start, with the clock time of that."""
        import asyncio  # noqa: PLC0415 - as above

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


class RequestLog:
    """Around an engine; a line has the status or the reason, the time, the size, and the URL."""

    def __init__(self, inner: Engine, log: Callable[[str], None], clock: Clock) -> None:
        self._inner = inner
        self._log = log
        self._clock = clock

    async def fetch(self, request: Request) -> Answer:
        began = self._clock.monotonic()
        answer = await self._inner.fetch(request)
        milliseconds = (self._clock.monotonic() - began) * 1000
        self._log(f"GET {request.url} ({request.kind}): {_outcome(answer)} after {milliseconds:,.0f} ms")
        return answer

    async def close(self) -> None:
        await self._inner.close()


def _outcome(answer: Answer) -> str:
    if not isinstance(answer, Response):
        return answer.reason
    target = f" to {answer.target}" if answer.target else ""
    size = f", {len(answer.body):,} bytes" if answer.body else ""
    return f"{answer.status}{target}{size}"


class Web(Struct, frozen=True):
    """The fetcher of a crawl, and the throttle inside it, which takes the site's Crawl-delay."""

    fetcher: Fetcher
    throttle: Throttle
    single: Fetcher  # the same, without following a redirect
    rendered: Callable[[], RenderUse | None] = lambda: None  # what a browser did so far
    served: Fetcher | None = None  # without a browser, which `seen` asks once a page is read
    seen: Callable[[Answer], Awaitable[Answer]] | None = None


@asynccontextmanager
async def open_web(options: HttpOptions, environment: Mapping[str, str] = os.environ) -> AsyncIterator[Web]:
    """Raises UsageError where libcurl cannot be loaded."""
    access = options.access
    gate = AddressGate(options.seed, access.allow_private_hosts, private_seed=options.private_seed)
    engine = _engine(options, gate, environment)
    clock = Clock()
    if access.log is not None:
        engine = RequestLog(engine, access.log, clock)
    rates = {options.seed: options.rate}
    throttle = Throttle(engine, options.concurrency, rates, options.retry_after_max, clock)
    retry = Retry(throttle, options.retries, options.backoff, options.retry_after_max, clock)
    guard = Guard(retry, gate, options.seed, access.headers, mask=access.mask, private_seed=options.private_seed)
    try:
        yield Web(FollowRedirects(guard), throttle, guard)
    finally:
        await engine.close()


def _engine(options: HttpOptions, gate: AddressGate, environment: Mapping[str, str]) -> Engine:
    """The engine: libcurl is loaded by the first request of a run: a check of a folder sends none."""
    try:
        from sitemap_action.fetch.curl import CurlFetcher  # noqa: PLC0415 - as the docstring says
    except ImportError as error:
        raise UsageError(f"libcurl cannot be used: {error}", hint="install pycurl") from None
    return CurlFetcher(options, gate, environment)
