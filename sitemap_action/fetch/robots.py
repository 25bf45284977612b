"""The robots.txt of a host over HTTP: its rules, or why they are not known (RB-18…21)."""

from collections.abc import Callable

from msgspec import Struct

from sitemap_action.errors import UnreachableError, UsageError
from sitemap_action.fetch.base import HOST_FAILURES, Failure, Fetcher, Request, RequestKind, Response, remedy
from sitemap_action.fetch.options import HttpOptions
from sitemap_action.fetch.policies import open_web
from sitemap_action.model.context import Access
from sitemap_action.robots.groups import RobotsStatus, robots_status
from sitemap_action.web.urls import BadUrl, origin


class RobotsAnswer(Struct, frozen=True):
    """The result of a request for a robots.txt."""

    url: str
    status: RobotsStatus
    body: bytes = b""  # the rules, at most 512,000 bytes (RB-18); b"" unless the status is PARSE
    reason: str = ""  # of any other status
    failure: Failure | None = None  # where nothing was answered


async def fetch_robots(fetcher: Fetcher, url: str) -> RobotsAnswer:
    """The robots.txt of the URL's scheme, host and port, by one request (RB-01, RB-22). Raises BadUrl."""
    address = f"{origin(url)}/robots.txt"
    answer = await fetcher.fetch(Request(address, RequestKind.ROBOTS))
    if isinstance(answer, Response):
        status = robots_status(answer.status)
        if status is RobotsStatus.PARSE:
            return RobotsAnswer(address, status, answer.body)
        return RobotsAnswer(address, status, reason=f"answers {answer.status}")
    if answer.failure is Failure.REDIRECTS:  # RB-19: the sixth redirect counts as 404
        return RobotsAnswer(address, RobotsStatus.ALLOW, reason=answer.reason)
    return RobotsAnswer(address, RobotsStatus.UNREACHABLE, reason=answer.reason, failure=answer.failure)


def fetch_rules(url: str, log: Callable[[str], None] | None = None, allowed: tuple[str, ...] = ()) -> bytes:
    """The rules of the URL's host; b"" where there are none (RB-20). `log` gets a line for each request.

    `allowed`: private hosts that a redirect may lead to. Raises UnreachableError where the rules are not known (RB-21).
    """
    try:
        options = HttpOptions(origin(url), Access(log=log, allow_private_hosts=allowed))
    except BadUrl as error:
        hint = "name a file, or a URL such as https://www.example.com/robots.txt"
        raise UsageError(f"not a URL that can be fetched: {error}", hint=hint) from None
    import asyncio  # noqa: PLC0415 - a run that fetches nothing starts sooner

    answer = asyncio.run(_fetch_robots(options))
    if answer.status is RobotsStatus.UNREACHABLE:
        hint = "while robots.txt cannot be read, everything is disallowed; try again, or give a file"
        hint = remedy(answer.failure) if answer.failure in HOST_FAILURES else hint
        raise UnreachableError(f"{answer.url}: {answer.reason}", hint=hint)
    return answer.body


async def _fetch_robots(options: HttpOptions) -> RobotsAnswer:
    async with open_web(options) as web:
        return await fetch_robots(web.fetcher, options.seed)
