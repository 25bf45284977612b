"""robots.txt over HTTP: redirects, statuses, sizes, by table and from a real server on loopback."""

import asyncio

import pytest

from servers import Reply, closed, endless, head, redirect, serve
from sitemap_action.__main__ import run
from sitemap_action.cli.small_commands import fetch_rules
from sitemap_action.errors import UnreachableError, UsageError
from sitemap_action.fetch.base import MAX_ROBOTS, Answer, Failure, Request, RequestKind, Response, Skip, fetch_robots
from sitemap_action.robots.groups import RobotsStatus

RULES = b"User-agent: *\nDisallow: /x\n"
ADDRESS = "https://x.com/robots.txt"


class One:
    """A fetcher with one answer."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.requests: list[Request] = []

    async def fetch(self, request: Request) -> Answer:
        self.requests.append(request)
        return self.answer


@pytest.mark.parametrize(
    ("answer", "status", "body", "reason"),
    [
        (Response(ADDRESS, 200, body=RULES), RobotsStatus.PARSE, RULES, ""),
        (Response(ADDRESS, 404, body=b"<html>"), RobotsStatus.ALLOW, b"", "answers 404"),  # RB-20
        (Response(ADDRESS, 403), RobotsStatus.ALLOW, b"", "answers 403"),  # RB-20
        (Response(ADDRESS, 302), RobotsStatus.ALLOW, b"", "answers 302"),  # no target
        (Response(ADDRESS, 429), RobotsStatus.UNREACHABLE, b"", "answers 429"),  # RB-21
        (Response(ADDRESS, 503, body=RULES), RobotsStatus.UNREACHABLE, b"", "answers 503"),  # RB-21
        (
            Skip(ADDRESS, "no connection", failure=Failure.CONNECT),
            RobotsStatus.UNREACHABLE,
            b"",
            "no connection",
        ),  # RB-21
        (Skip(ADDRESS, "asks to wait", failure=Failure.BUSY), RobotsStatus.UNREACHABLE, b"", "asks to wait"),  # RB-21
        (
            Skip(ADDRESS, "private", failure=Failure.REFUSED),
            RobotsStatus.UNREACHABLE,
            b"",
            "private",
        ),  # by the guard
        (Skip(ADDRESS, "too many", failure=Failure.REDIRECTS), RobotsStatus.ALLOW, b"", "too many"),  # RB-19
    ],
)
def test_RB_19_RB_20_RB_21_what_an_answer_means(answer: Answer, status: RobotsStatus, body: bytes, reason: str) -> None:
    fetcher = One(answer)
    found = asyncio.run(fetch_robots(fetcher, "https://x.com/some/page?q"))
    assert (found.url, found.status, found.body, found.reason) == (ADDRESS, status, body, reason)
    assert fetcher.requests == [Request(ADDRESS, RequestKind.ROBOTS)]  # RB-01, RB-22


def test_RB_19_five_redirects_are_followed_and_a_sixth_counts_as_404() -> None:
    hops = {f"/{number}": redirect(f"/{number + 1}", 302) for number in range(1, 5)}
    with serve({"/robots.txt": redirect("/1"), **hops, "/5": Reply(RULES)}) as site:
        assert fetch_rules(f"{site.url}page") == RULES
        assert site.paths == ["/robots.txt", "/1", "/2", "/3", "/4", "/5"]
        site.routes |= {"/5": redirect("/6"), "/6": Reply(RULES)}
        assert fetch_rules(f"{site.url}page") == b""


@pytest.mark.attack("cost")
def test_RB_18_a_body_without_end_is_cut() -> None:
    with serve({"/robots.txt": endless(head("Connection: close"), b"#" * 65536)}) as site:
        assert fetch_rules(site.url) == b"#" * MAX_ROBOTS


def test_RB_21_no_answer_at_all() -> None:
    with serve({"/robots.txt": closed()}) as site, pytest.raises(UnreachableError, match="without an answer") as caught:
        fetch_rules(site.url)
    assert caught.value.exit_code == 3
    assert len(site.asked) == 3  # NET-06


@pytest.mark.attack("addresses")
def test_NET_13_a_redirect_to_a_private_address_is_refused() -> None:
    with serve({"/robots.txt": Reply(RULES)}) as inside, serve({"/robots.txt": redirect(inside.url)}) as site:
        with pytest.raises(UnreachableError, match="allow-private-hosts"):
            fetch_rules(site.url)
        assert inside.asked == []


@pytest.mark.attack("secrets")
def test_a_password_is_refused_and_not_shown() -> None:
    with pytest.raises(UsageError, match="has a user name") as caught:
        fetch_rules("https://user:secret@x.com/")
    assert "secret" not in str(caught.value)


def test_the_command_on_a_real_server(capsys: pytest.CaptureFixture[str]) -> None:
    with serve({"/robots.txt": Reply(RULES)}) as site:
        assert run(["robots", f"{site.url}any/page", "--agent", "Googlebot", f"{site.url}x", f"{site.url}y"]) == 1
    printed = capsys.readouterr().out
    assert f"disallowed  {site.url}x" in printed
    assert f"allowed     {site.url}y" in printed
    assert site.asked[0].header("user-agent").startswith("sitemap-action/")  # NET-01
