"""Waiting for the new build, on a clock that only `sleep` advances."""

import asyncio

import pytest

from crawls import HOME, FakeWeb, Route
from sitemap_action.errors import UnreachableError
from sitemap_action.fetch.base import Answer, Failure, Request, RequestKind, Response, Skip
from sitemap_action.walk.start import wait_for_marker

DOWN = Skip(HOME, "no connection", failure=Failure.CONNECT)


class Deployed(FakeWeb):
    """Returns the answers one after another, then the last one always."""

    def __init__(self, *answers: Route) -> None:
        super().__init__({})
        self.answers = list(answers)

    async def fetch(self, request: Request) -> Answer:
        self.routes[request.url] = self.answers[min(len(self.requests), len(self.answers) - 1)]
        return await super().fetch(request)


class FakeTime:
    """A clock, and a `sleep` that advances it."""

    def __init__(self) -> None:
        self.now = 100.0

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        assert seconds > 0
        self.now += seconds


def wait(web: Deployed, timeout: float = 600.0, url: str = f"{HOME}status") -> float:
    time = FakeTime()
    return asyncio.run(wait_for_marker(web, url, "build 7", timeout, clock=time.clock, sleep=time.sleep))


NEW, OLD = "<p>build 7</p>", "<p>build 6</p>"
WAITS = [
    # id, answers in order, seconds, requests
    ("served at once", [NEW], 1, 2),
    ("after a while", [OLD, OLD, NEW], 11, 4),
    ("a server that is not up yet", [DOWN, 502, NEW], 11, 4),
    ("one of two servers is old", [NEW, OLD, NEW, NEW], 7, 4),
    ("in the body of any status", [Response("", 404, body=b"build 7")], 1, 2),
]


@pytest.mark.parametrize(("answers", "seconds", "requests"), [pytest.param(*row[1:], id=row[0]) for row in WAITS])
def test_waits(answers: list[Route], seconds: int, requests: int) -> None:
    web = Deployed(*answers)
    assert wait(web) == seconds
    assert len(web.requested) == requests


def test_no_request_can_be_answered_by_a_cache() -> None:
    web = Deployed(OLD, NEW)
    wait(web, url=f"{HOME}status?a=1")
    assert web.requested == [f"/status?a=1&sitemap-action={number}" for number in range(3)]
    assert {request.kind for request in web.requests} == {RequestKind.WAIT}


TOO_LATE = [
    # id, answers in order, timeout, message
    ("never served", [OLD], 12, "does not serve 'build 7' after 12 seconds: it answers 200"),
    ("no server", [DOWN], 12, "does not serve 'build 7' after 12 seconds: no connection"),
    ("a wall", [401], 3, "does not serve 'build 7' after 3 seconds: it answers 401"),
]


@pytest.mark.parametrize(("answers", "timeout", "message"), [pytest.param(*row[1:], id=row[0]) for row in TOO_LATE])
def test_too_late(answers: list[Route], timeout: float, message: str) -> None:
    """Exit 3: the old site must not be checked."""
    with pytest.raises(UnreachableError, match=message) as caught:
        wait(Deployed(*answers), timeout)
    assert caught.value.exit_code == 3
    assert "crawl.wait" in caught.value.hint


def test_the_last_pause_ends_at_the_timeout() -> None:
    assert wait(Deployed(NEW), timeout=3) == 1
    assert wait(Deployed(OLD, NEW), timeout=7) == 6
