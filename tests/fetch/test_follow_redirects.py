"""Redirects that are followed inline."""

import asyncio

import pytest

from sitemap_action.fetch.base import Answer, Failure, Request, RequestKind, Response, Skip
from sitemap_action.fetch.policies import FollowRedirects

ORIGIN = "https://x.example/"


class Chain:
    """/0 redirects to /1 and so on; the last one answers."""

    def __init__(self, last: int, end: Answer | None = None) -> None:
        self.last, self.end = last, end
        self.requests: list[Request] = []

    async def fetch(self, request: Request) -> Answer:
        self.requests.append(request)
        number = int(request.url.removeprefix(ORIGIN))
        if number == self.last:
            return self.end or Response(request.url, 200, body=b"end")
        return Response(request.url, 302, target=f"{ORIGIN}{number + 1}")


def followed(chain: Chain, kind: RequestKind, etag: str = "") -> Answer:
    return asyncio.run(FollowRedirects(chain).fetch(Request(f"{ORIGIN}0", kind, etag)))


@pytest.mark.parametrize("kind", [RequestKind.ROBOTS, RequestKind.SITEMAP])
@pytest.mark.parametrize("hops", [0, 1, 5])
def test_RB_19_five_hops(kind: RequestKind, hops: int) -> None:
    answer = followed(Chain(hops), kind)
    assert isinstance(answer, Response)
    assert (answer.url, answer.body) == (f"{ORIGIN}0", b"end")
    assert answer.hops == tuple(f"{ORIGIN}{number}" for number in range(1, hops + 1))


def test_RB_19_a_sixth_redirect_is_a_failure() -> None:
    chain = Chain(99)
    answer = followed(chain, RequestKind.SITEMAP)
    assert isinstance(answer, Skip)
    assert (answer.failure, answer.url) == (Failure.REDIRECTS, f"{ORIGIN}0")
    assert len(chain.requests) == 6


@pytest.mark.parametrize("kind", [RequestKind.PAGE, RequestKind.PROBE, RequestKind.WAIT])
def test_the_redirect_of_a_page_is_not_followed(kind: RequestKind) -> None:
    answer = followed(Chain(1), kind)
    assert isinstance(answer, Response)
    assert (answer.status, answer.target, answer.hops) == (302, f"{ORIGIN}1", ())


def test_validators_are_sent_to_the_first_URL_only() -> None:
    chain = Chain(1)
    followed(chain, RequestKind.SITEMAP, '"1"')
    assert [request.etag for request in chain.requests] == ['"1"', ""]
    assert [request.kind for request in chain.requests] == [RequestKind.SITEMAP] * 2


def test_a_failure_behind_a_redirect() -> None:
    chain = Chain(2, Skip(f"{ORIGIN}2", "no connection", failure=Failure.CONNECT))
    answer = followed(chain, RequestKind.ROBOTS)
    assert answer == Skip(f"{ORIGIN}0", "after 2 redirects: no connection", failure=Failure.CONNECT)
