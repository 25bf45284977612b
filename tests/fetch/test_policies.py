"""All policies around libcurl, in their order."""

import asyncio
import sys

import pytest
from msgspec.structs import replace

from servers import Route, busy, redirect, reset, serve
from sitemap_action.errors import UsageError
from sitemap_action.fetch.base import Answer, Failure, HttpOptions, Request, RequestKind, Response, Skip
from sitemap_action.fetch.policies import open_web

QUICK = HttpOptions("", backoff=0.01)


def ask(options: HttpOptions, url: str, kind: RequestKind = RequestKind.PAGE) -> Answer:
    async def once() -> Answer:
        async with open_web(options, {}) as web:
            return await web.fetcher.fetch(Request(url, kind))

    return asyncio.run(once())


@pytest.mark.parametrize(
    ("route", "body", "count"),
    [
        ([503, 503, "fine"], b"fine", 3),  # NET-06
        ([reset(), reset(), "fine"], b"fine", 3),
        ([busy(0), "fine"], b"fine", 2),  # NET-05
        ([500, "fine"], b"fine", 2),
        ([503, 503, 503, "too late"], b"<h1>503</h1>", 3),
    ],
)
def test_NET_06_retries_pass_through_all_policies(route: Route, body: bytes, count: int) -> None:
    with serve({"/": route}) as site:
        answer = ask(replace(QUICK, seed=site.origin), site.url)
    assert isinstance(answer, Response)
    assert answer.body == body
    assert len(site.asked) == count


def test_NET_05_a_long_Retry_After_ends_the_retries() -> None:
    with serve({"/": busy(3600)}) as site:
        answer = ask(replace(QUICK, seed=site.origin), site.url)
    assert isinstance(answer, Skip)
    assert answer.failure is Failure.BUSY
    assert len(site.asked) == 1


def test_NET_13_each_hop_passes_guard_and_retry() -> None:
    with serve({"*": "inside"}) as inside:
        with serve({"/a": redirect("/b"), "/b": [503, redirect("/c")], "/c": redirect(inside.url)}) as site:
            answer = ask(replace(QUICK, seed=site.origin), f"{site.url}a", RequestKind.SITEMAP)
        assert site.paths == ["/a", "/b", "/b", "/c"]
        assert inside.asked == []
    assert isinstance(answer, Skip)
    assert answer.failure is Failure.REFUSED
    assert answer.reason.startswith("after 3 redirects: ")


def test_NET_08_the_limits_of_a_host_can_be_read_and_set() -> None:
    async def check(options: HttpOptions) -> None:
        async with open_web(options, {}) as web:
            host = web.throttle.host(site.origin)
            assert (host.limit, host.interval) == (8, 0)
            web.throttle.set_delay(site.origin, 0.2)
            assert host.interval == 0.2
            await web.fetcher.fetch(Request(site.url))
            assert 0 < web.throttle.wait(site.origin) <= 0.2

    with serve({"/": "x"}) as site:
        asyncio.run(check(replace(QUICK, seed=site.origin)))


def test_without_libcurl_a_request_is_a_usage_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pycurl", None)
    monkeypatch.delitem(sys.modules, "sitemap_action.fetch.curl", raising=False)
    with pytest.raises(UsageError, match="libcurl cannot be used") as caught:
        ask(QUICK, "https://x.example/")
    assert caught.value.hint == "install pycurl"


def test_only_codings_are_accepted_that_are_checked_to_their_end() -> None:
    """NET-15, V-17."""
    with serve({"/": "fine"}) as site:
        ask(replace(QUICK, seed=site.origin), site.url)
    assert site.asked[0].header("accept-encoding") == "gzip, deflate"
