"""What goes wrong on the way: limits, outages, connections that end, answers that are late or lost.

hub.fail(secondary_limit(2), on="POST /repos/*/pulls", times=1)
hub.fail(lost(), on="createCommitOnBranch")     # the commit is made, its answer never arrives
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase

from forge.server import Answer, DroppedError

Play = Callable[[Callable[[], Answer]], Answer]  # gets what GitHub would do, and need not do it

_DOCS = "https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api"


@dataclass
class Planned:
    """A fault for the requests whose line, or GraphQL field, fits the pattern."""

    play: Play
    on: str
    times: int
    skip: int

    def takes(self, names: tuple[str, ...]) -> bool:
        if not self.times or not any(fnmatchcase(name, self.on) for name in names):
            return False
        if self.skip:
            self.skip -= 1
            return False
        self.times -= 1
        return True


def answers(status: int, message: str, *, headers: dict[str, str] | None = None, docs: str = _DOCS) -> Play:
    """A refusal in GitHub's shape, instead of what was asked for."""
    body = {"message": message, "documentation_url": docs, "status": str(status)}
    return lambda _: Answer(status, body, headers or {})


def rate_limit(reset_in: int = 1800, status: int = 403) -> Play:
    headers = {
        "x-ratelimit-limit": "1000",
        "x-ratelimit-remaining": "0",
        "x-ratelimit-used": "1000",
        "x-ratelimit-reset": str(int(time.time()) + reset_in),
        "x-ratelimit-resource": "core",
    }
    return answers(status, "API rate limit exceeded for installation.", headers=headers)


def graphql_rate_limit(reset_in: int = 1800) -> Play:
    """GraphQL states it in a 200."""
    headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(time.time()) + reset_in)}
    body = {"errors": [{"type": "RATE_LIMITED", "message": "API rate limit exceeded for installation."}]}
    return lambda _: Answer(200, body, headers)


def secondary_limit(retry_after: int | None = 60, status: int = 403) -> Play:
    message = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
    headers = {} if retry_after is None else {"retry-after": str(retry_after)}
    return answers(status, message, headers=headers, docs=f"{_DOCS}#about-secondary-rate-limits")


def outage(status: int = 502) -> Play:
    """As a load balancer answers: no JSON."""
    body = b"<html><head><title>Unicorn! &middot; GitHub</title></head><body>We had issues.</body></html>"
    return lambda _: Answer(status, body, {"Content-Type": "text/html"})


def graphql_timeout() -> Play:
    """A mutation that ran too long: it may have taken effect, and here it has."""

    def play(carry_out: Callable[[], Answer]) -> Answer:
        carry_out()
        text = "Something went wrong while executing your query. This may be the result of a timeout, or it could be a GitHub bug."
        return Answer(200, {"data": None, "errors": [{"message": text}]})

    return play


def no_json() -> Play:
    return lambda _: Answer(200, b'{"number": 1', {"Content-Type": "application/json; charset=utf-8"})


def moved(to: str) -> Play:
    """A repository that was renamed."""
    body = {"message": "Moved Permanently", "url": to, "documentation_url": "https://docs.github.com/rest"}
    return lambda _: Answer(301, body, {"Location": to})


def dropped() -> Play:
    """The connection ends before anything was done."""

    def play(_: Callable[[], Answer]) -> Answer:
        raise DroppedError

    return play


def lost() -> Play:
    """It is done, and then the connection ends."""

    def play(carry_out: Callable[[], Answer]) -> Answer:
        carry_out()
        raise DroppedError

    return play


def slow(seconds: float) -> Play:
    def play(carry_out: Callable[[], Answer]) -> Answer:
        answer = carry_out()
        time.sleep(seconds)
        return answer

    return play
