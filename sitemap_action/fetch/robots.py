"""The robots.txt of a host over HTTP: what it says, or why nobody knows (RB-18…21)."""

import asyncio
from dataclasses import dataclass

from sitemap_action.errors import UnreachableError, UsageError
from sitemap_action.fetch.base import Failure, Fetcher, Request, Response, Want
from sitemap_action.fetch.build import open_web
from sitemap_action.fetch.options import HttpOptions
from sitemap_action.robots.groups import RobotsStatus, robots_status
from sitemap_action.web.urls import BadUrl, origin


@dataclass(frozen=True, slots=True)
class RobotsAnswer:
    """What the request for a robots.txt gave."""

    url: str
    status: RobotsStatus
    body: bytes = b""  # the rules, at most the 512,000 bytes that count (RB-18); b"" unless there are some to parse
    why: str = ""  # of anything but rules


async def robots(fetcher: Fetcher, url: str) -> RobotsAnswer:
    """The robots.txt of the URL's scheme, host and port, asked for once (RB-01, RB-22). Raises BadUrl."""
    address = f"{origin(url)}/robots.txt"
    answer = await fetcher.fetch(Request(address, Want.ROBOTS))
    if isinstance(answer, Response):
        read = robots_status(answer.status)
        rules = read is RobotsStatus.PARSE
        return RobotsAnswer(address, read, answer.body if rules else b"", "" if rules else f"answers {answer.status}")
    if answer.failure is Failure.REDIRECTS:  # RB-19: the sixth redirect counts as 404
        return RobotsAnswer(address, RobotsStatus.ALLOW, why=answer.reason)
    return RobotsAnswer(address, RobotsStatus.UNREACHABLE, why=answer.reason)


def fetch(url: str) -> bytes:
    """The rules of the URL's host; b"" where there are none (RB-20).

    Raises UnreachableError where nobody knows (RB-21).
    """
    try:
        options = HttpOptions(seed=origin(url))
    except BadUrl as error:
        raise UsageError(f"this is no URL to ask: {error}") from None
    answer = asyncio.run(_asked(options))
    if answer.status is RobotsStatus.UNREACHABLE:
        hint = "a robots.txt that cannot be read forbids everything until it can; try again, or name a file"
        raise UnreachableError(f"{answer.url}: {answer.why}", hint=hint)
    return answer.body


async def _asked(options: HttpOptions) -> RobotsAnswer:
    async with open_web(options) as web:
        return await robots(web.fetcher, options.seed)
