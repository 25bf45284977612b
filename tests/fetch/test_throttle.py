"""How fast each host is fetched, on a clock that the test advances."""

import asyncio
import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from sitemap_action.fetch.base import Answer, Failure, Request, Response, Skip
from sitemap_action.fetch.policies import OTHER_HOST_RATE, Clock, Throttle

SEED = "https://x.example"
LOOP = asyncio.new_event_loop()  # a test asks several times in one run


@pytest.fixture(autouse=True, scope="module")
def _loop() -> Iterator[None]:
    yield
    LOOP.close()


@dataclass
class FakeClock:
    """A clock that jumps to the end of the next sleep."""

    time: float = 0.0
    sleeping: list[tuple[float, int, "asyncio.Future[None]"]] = field(default_factory=list)
    count: int = 0

    async def sleep(self, seconds: float) -> None:
        self.count += 1
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self.sleeping, (self.time + seconds, self.count, future))
        await future

    async def run_until_done(self, tasks: list["asyncio.Task[Answer]"]) -> None:
        while not all(task.done() for task in tasks):
            for _ in range(20):  # every task runs as far as it can
                await asyncio.sleep(0)
            if self.sleeping:
                self.time, _, future = heapq.heappop(self.sleeping)
                if not future.done():
                    future.set_result(None)

    def as_clock(self) -> Clock:
        return Clock(lambda: self.time, lambda: datetime(2026, 11, 21, tzinfo=UTC) + timedelta(seconds=self.time), self.sleep)  # fmt: skip


Behaviour = Callable[[int, str], tuple[float, Answer]]  # how long the n-th request takes, and its answer


@dataclass
class Server:
    clock: FakeClock
    behave: Behaviour
    starts: list[tuple[float, str]] = field(default_factory=list)
    running: int = 0
    most: int = 0

    async def fetch(self, request: Request) -> Answer:
        seconds, answer = self.behave(len(self.starts), request.url)
        self.starts.append((self.clock.time, request.url))
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            await self.clock.sleep(seconds)
        finally:
            self.running -= 1
        return answer

    @property
    def times(self) -> list[float]:
        return [round(time, 3) for time, _ in self.starts]


@dataclass
class Run:
    """A throttle in front of a server with this behaviour."""

    behave: Behaviour
    concurrency: int = 8
    rate: float | None = None

    def __post_init__(self) -> None:
        self.clock = FakeClock()
        self.server = Server(self.clock, self.behave)
        self.throttle = Throttle(self.server, self.concurrency, {SEED: self.rate}, 60, self.clock.as_clock())

    def ask(self, count: int, host: str = SEED) -> list[Answer]:
        async def all_at_once() -> list[Answer]:
            tasks = [asyncio.create_task(self.throttle.fetch(Request(f"{host}/{n}"))) for n in range(count)]
            await self.clock.run_until_done(tasks)
            return [task.result() for task in tasks]

        return LOOP.run_until_complete(all_at_once())


def answers(status: int = 200, seconds: float = 0.01, after: str = "") -> Behaviour:
    headers = (("retry-after", after),) if after else ()
    return lambda _n, url: (seconds, Response(url, status, headers, seconds=seconds))


def test_NET_04_eight_at_a_time() -> None:
    run = Run(answers())
    run.ask(40)
    assert run.server.most == 8
    assert run.server.times == [round(0.01 * (n // 8), 3) for n in range(40)]


def test_NET_16_requests_start_in_the_order_of_their_calls() -> None:
    run = Run(lambda n, url: (0.01 * (1 + n * 7 % 5), Response(url, 200)), concurrency=3, rate=200)
    run.ask(30)
    assert [url for _, url in run.server.starts] == [f"{SEED}/{n}" for n in range(30)]


def test_NET_04_requests_a_second_are_limited() -> None:
    run = Run(answers(), rate=10)
    run.ask(11)
    assert run.server.times == [round(n / 10, 3) for n in range(11)]


def test_each_host_has_limits_of_its_own() -> None:
    run = Run(answers(), rate=None)
    run.ask(5)
    before = run.clock.time
    run.ask(3, "https://y.example")
    assert [time - before for time in run.server.times[5:]] == pytest.approx(
        [0, 1 / OTHER_HOST_RATE, 2 / OTHER_HOST_RATE]
    )


def test_NET_08_crawl_delay() -> None:
    run = Run(answers(), rate=10)
    run.throttle.set_delay(SEED, 2)
    run.ask(4)
    assert run.server.times == [0, 2, 4, 6]


def test_NET_08_a_long_delay_is_capped() -> None:
    run = Run(answers())
    run.throttle.set_delay(SEED, 86_400)
    run.ask(2)
    assert run.server.times == [0, 10]


def test_NET_04_the_first_429_halves_both() -> None:
    run = Run(answers(429), rate=10)
    run.ask(1)
    limits = run.throttle.host(SEED)
    assert (limits.limit, 1 / limits.interval, limits.rate_factor) == (4, 5.0, 0.5)


@pytest.mark.parametrize("answer", [Response(SEED, 503), Skip(SEED, "late", failure=Failure.TIMEOUT)])
def test_NET_04_a_503_or_a_timeout_halves_them_too(answer: Answer) -> None:
    run = Run(lambda _n, _url: (1, answer))
    run.ask(1)
    assert run.throttle.host(SEED).limit == 4


@pytest.mark.parametrize("answer", [Response(SEED, 404), Response(SEED, 500), Skip(SEED, "reset", failure=Failure.BROKEN)])  # fmt: skip
def test_other_answers_change_nothing(answer: Answer) -> None:
    run = Run(lambda _n, _url: (1, answer))
    run.ask(1)
    assert run.throttle.host(SEED).limit == 8


def test_a_burst_of_429_slows_down_once() -> None:
    """Eight were in flight when the first 429 came; the others are no new sign."""
    run = Run(lambda n, url: (0.01 * (n + 1), Response(url, 429)))
    run.ask(8)
    assert run.throttle.host(SEED).limit == 4


def test_one_request_at_a_time_is_the_slowest() -> None:
    run = Run(answers(429), rate=10)
    run.ask(30)
    limits = run.throttle.host(SEED)
    assert (limits.limit, 1 / limits.interval) == (1, 1.25)


def test_NET_04_it_recovers_by_one_for_twenty_clean_answers() -> None:
    run = Run(lambda n, url: (0.01, Response(url, 429 if n == 0 else 200, seconds=0.01)))
    limits = []
    for count in (1, 19, 1, 20, 20, 20, 20):
        run.ask(count)
        limits.append(run.throttle.host(SEED).limit)
    assert limits == [4, 4, 5, 6, 7, 8, 8]
    assert run.throttle.host(SEED).rate_factor == 1


def test_NET_04_doubled_latency_halves() -> None:
    run = Run(lambda n, url: (seconds := 0.2 if n < 40 else 0.5, Response(url, 200, seconds=seconds)))
    run.ask(40)
    assert run.throttle.host(SEED).limit == 8
    run.ask(20)
    assert run.throttle.host(SEED).limit == 4
    run.ask(20)  # as slow as before: that is the reference now
    assert run.throttle.host(SEED).limit == 5


def test_latency_below_a_tenth_of_a_second_changes_nothing() -> None:
    run = Run(lambda n, url: (seconds := 0.001 if n < 40 else 0.01, Response(url, 200, seconds=seconds)))
    run.ask(80)
    assert run.throttle.host(SEED).limit == 8


@pytest.mark.parametrize("status", [429, 503, 301])
def test_NET_05_retry_after_pauses_the_host(status: int) -> None:
    run = Run(lambda n, url: (0.01, Response(url, status if n == 0 else 200, (("retry-after", "7"),) if n == 0 else ())), concurrency=1)  # fmt: skip
    run.ask(3)
    assert run.server.times == [0, 7.01, 7.02]


def test_NET_05_the_pause_holds_for_all_waiting_requests() -> None:
    run = Run(lambda n, url: (0.01, Response(url, 429 if n < 4 else 200, (("retry-after", "7"),) if n < 4 else ())), concurrency=4)  # fmt: skip
    run.ask(8)
    assert min(run.server.times[4:]) == 7.01


def test_NET_05_another_host_goes_on() -> None:
    run = Run(lambda n, url: (0.01, Response(url, 429 if n == 0 else 200, (("retry-after", "7"),) if n == 0 else ())))
    run.ask(1)
    run.ask(1, "https://y.example")
    assert run.server.times == [0, 0.01]
    assert run.throttle.wait(SEED) == pytest.approx(6.99)


def test_a_Retry_After_that_is_too_long_causes_no_pause() -> None:
    run = Run(answers(429, after="3600"), concurrency=1)
    run.ask(2)
    assert run.server.times == [0, 0.01]


def test_a_cancelled_request_frees_its_place_in_the_queue() -> None:
    run = Run(answers(seconds=10), concurrency=1)

    async def cancel_some() -> None:
        tasks = [asyncio.create_task(run.throttle.fetch(Request(f"{SEED}/{n}"))) for n in range(4)]
        for _ in range(20):
            await asyncio.sleep(0)
        tasks[1].cancel()  # the next one
        tasks[2].cancel()  # in the queue
        await run.clock.run_until_done(tasks)
        assert tasks[3].result() == Response(f"{SEED}/3", 200, seconds=10)

    LOOP.run_until_complete(cancel_some())
    assert [url for _, url in run.server.starts] == [f"{SEED}/0", f"{SEED}/3"]
