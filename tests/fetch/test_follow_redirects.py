"""Redirects that are followed where they are asked for."""

import asyncio

import pytest

from sitemap_action.fetch.base import Answer, Failure, Request, Response, Skip, Want
from sitemap_action.fetch.follow_redirects import Follow

ORIGIN = "https://x.example/"


class Chain:
    """/0 leads to /1 and so on; the last one answers."""

    def __init__(self, last: int, end: Answer | None = None) -> None:
        self.last, self.end = last, end
        self.asked: list[Request] = []

    async def fetch(self, request: Request) -> Answer:
        self.asked.append(request)
        number = int(request.url.removeprefix(ORIGIN))
        if number == self.last:
            return self.end or Response(request.url, 200, body=b"end")
        return Response(request.url, 302, target=f"{ORIGIN}{number + 1}")


def followed(chain: Chain, want: Want, etag: str = "") -> Answer:
    return asyncio.run(Follow(chain).fetch(Request(f"{ORIGIN}0", want, etag)))


@pytest.mark.parametrize("want", [Want.ROBOTS, Want.SITEMAP])
@pytest.mark.parametrize("hops", [0, 1, 5])
def test_RB_19_five_hops(want: Want, hops: int) -> None:
    answer = followed(Chain(hops), want)
    assert isinstance(answer, Response)
    assert (answer.url, answer.body) == (f"{ORIGIN}0", b"end")
    assert answer.hops == tuple(f"{ORIGIN}{number}" for number in range(1, hops + 1))


def test_RB_19_a_sixth_is_too_many() -> None:
    chain = Chain(99)
    answer = followed(chain, Want.SITEMAP)
    assert isinstance(answer, Skip)
    assert (answer.failure, answer.url) == (Failure.REDIRECTS, f"{ORIGIN}0")
    assert len(chain.asked) == 6


@pytest.mark.parametrize("want", [Want.PAGE, Want.PROBE, Want.WAIT])
def test_a_page_answers_with_its_redirect(want: Want) -> None:
    answer = followed(Chain(1), want)
    assert isinstance(answer, Response)
    assert (answer.status, answer.target, answer.hops) == (302, f"{ORIGIN}1", ())


def test_validators_belong_to_the_first_URL() -> None:
    chain = Chain(1)
    followed(chain, Want.SITEMAP, '"1"')
    assert [request.etag for request in chain.asked] == ['"1"', ""]
    assert [request.want for request in chain.asked] == [Want.SITEMAP] * 2


def test_a_failure_behind_a_redirect() -> None:
    chain = Chain(2, Skip(f"{ORIGIN}2", "no connection", failure=Failure.CONNECT))
    answer = followed(chain, Want.ROBOTS)
    assert answer == Skip(f"{ORIGIN}0", "after 2 redirects: no connection", failure=Failure.CONNECT)
