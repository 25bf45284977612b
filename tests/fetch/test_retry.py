"""Retries: which answers, how often, after how long."""

import asyncio
from datetime import UTC, datetime

import pytest

from sitemap_action.fetch.base import Answer, Failure, Request, Response, Skip
from sitemap_action.fetch.policies import Clock, Retry, retry_after

NOW = datetime(2026, 11, 21, 7, 0, 0, tzinfo=UTC)
URL = "https://x.example/"


class Inner:
    """The answers in order; the last one stays."""

    def __init__(self, answers: list[Answer]) -> None:
        self.answers = answers
        self.count = 0

    async def fetch(self, request: Request) -> Answer:
        self.count += 1
        return self.answers[min(self.count, len(self.answers)) - 1]


def status(number: int, after: str = "") -> Response:
    return Response(URL, number, (("retry-after", after),) if after else ())


def skip(failure: Failure) -> Skip:
    return Skip(URL, "why", failure=failure)


def retried(answers: list[Answer], retries: int = 2) -> tuple[Answer, int, list[float]]:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    inner = Inner(answers)
    retry = Retry(inner, retries, 0.5, 60, Clock(now=lambda: NOW, sleep=sleep))
    return asyncio.run(retry.fetch(Request(URL))), inner.count, slept


OK = status(200)


@pytest.mark.parametrize(
    ("answers", "count", "slept"),
    [
        pytest.param([OK], 1, [], id="fine"),
        pytest.param([status(503), status(503), OK], 3, [0.5, 1.0], id="NET-06 503, 503, 200"),
        pytest.param([status(503)], 3, [0.5, 1.0], id="503 for ever"),
        pytest.param([status(429)], 3, [0.5, 1.0], id="429"),
        pytest.param([status(502), OK], 2, [0.5], id="502"),
        pytest.param([status(504), OK], 2, [0.5], id="504"),
        pytest.param([status(408), OK], 2, [0.5], id="408: the server waited for us"),
        pytest.param([status(500)], 3, [0.5, 1.0], id="R-44 500 as often as 503"),
        pytest.param([status(501)], 1, [], id="501 will not change"),
        pytest.param([status(404)], 1, [], id="NET-06 never 404"),
        pytest.param([status(403)], 1, [], id="403"),
        pytest.param([status(301)], 1, [], id="a redirect"),
        pytest.param([skip(Failure.BROKEN), OK], 2, [0.5], id="NET-06 a reset"),
        pytest.param([skip(Failure.TIMEOUT), OK], 2, [0.5], id="NET-06 a timeout"),
        pytest.param([skip(Failure.DNS), OK], 2, [0.5], id="DNS"),
        pytest.param([skip(Failure.CONNECT), OK], 2, [0.5], id="no connection"),
        pytest.param([skip(Failure.TLS)], 1, [], id="a certificate stays as it is"),
        pytest.param([skip(Failure.REFUSED)], 1, [], id="refused by the guard"),
        pytest.param([skip(Failure.TOO_LARGE)], 1, [], id="too large stays too large"),
        pytest.param([status(503), skip(Failure.BROKEN), OK], 3, [0.5, 1.0], id="different troubles"),
        pytest.param([status(429, "7"), OK], 2, [7.0], id="NET-05 Retry-After"),
        pytest.param([status(429, "0"), OK], 2, [0.5], id="no sooner than the backoff"),
        pytest.param([status(503, "Sat, 21 Nov 2026 07:00:09 GMT"), OK], 2, [9.0], id="NET-05 a date"),
        pytest.param([status(503, "soon"), OK], 2, [0.5], id="a word"),
        pytest.param([status(503, "-5"), OK], 2, [0.5], id="NET-05 never negative"),
        pytest.param([status(429, "60"), OK], 2, [60.0], id="at most that"),
    ],
)
def test_NET_06_which_answers_are_retried(answers: list[Answer], count: int, slept: list[float]) -> None:
    answer, times, pauses = retried(answers)
    assert (times, pauses) == (count, slept)
    assert answer is answers[-1]


def test_no_retries() -> None:
    assert retried([status(503)], retries=0)[1:] == (1, [])
    assert retried([status(500)], retries=0)[1:] == (1, [])


@pytest.mark.parametrize("after", ["61", "3600", "9" * 400, "Sun, 22 Nov 2026 07:00:00 GMT"])
def test_NET_05_a_Retry_After_that_is_too_long(after: str) -> None:
    answer, times, slept = retried([status(429, after), OK])
    assert isinstance(answer, Skip)
    assert answer.failure is Failure.BUSY
    assert "answers 429" in answer.reason
    assert "inf s" not in answer.reason
    assert "crawl.retry-after-max" in answer.reason
    assert (times, slept) == (1, [])


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("", None),
        ("7", 7.0),
        (" 7 ", 7.0),
        ("7.5", None),
        ("٧", None),  # a digit, but not one of the grammar
        ("Sat, 21 Nov 2026 07:01:00 GMT", 60.0),  # IMF-fixdate
        ("Saturday, 21-Nov-26 07:01:00 GMT", 60.0),  # RFC 850
        ("Sat Nov 21 07:01:00 2026", 60.0),  # asctime
        ("Sat, 21 Nov 2026 06:00:00 GMT", 0.0),  # gone by
        ("Sat, 99 Nov 2026 06:00:00 GMT", None),
        ("x" * 10_000, None),
        ("Sat, 21 Nov 99999999 06:00:00 GMT", None),
        ("Sat, 21 Nov 2026 07:01:00 +9999999999", None),
    ],
)
def test_NET_05_forms_of_Retry_After(value: str, seconds: float | None) -> None:
    assert retry_after(status(429, value), NOW) == seconds
