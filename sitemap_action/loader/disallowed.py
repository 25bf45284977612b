"""Sitemaps that the robots.txt of their own host disallows: they count as not read (RB-31, NET-02)."""

from collections.abc import Iterable

from sitemap_action.fetch.base import Answer, Fetcher, Request, RequestKind, Skip
from sitemap_action.fetch.options import TOKEN
from sitemap_action.loader.discover import Declared
from sitemap_action.model.sitemap import BrokenSitemap
from sitemap_action.robots.groups import Profile, parse
from sitemap_action.store.loading_state import LoadingState
from sitemap_action.web.urls import origin

AGENTS = ("Googlebot", "Bingbot")
"""Whose verdict decides, as for pages by default (`select.agents`)."""


class SiteRobots:
    """The robots.txt of one site, for the URLs of its host."""

    def __init__(self, declared: Declared) -> None:
        self._url = declared.robots_url
        self._origin = origin(declared.robots_url)
        self._robots = parse(declared.robots or b"", Profile.GOOGLE)

    def line(self, url: str, agents: Iterable[str]) -> int:
        """Of the rule that disallows the URL to one of the agents; 0 where none does."""
        if not url.startswith(f"{self._origin}/"):
            return 0
        verdicts = [self._robots.verdict(agent, url) for agent in agents]
        return next((one.line for one in verdicts if not one.allowed), 0)

    def reason(self, line: int) -> str:
        return f"{self._url}:{line} disallows it"

    def findings(self, state: LoadingState) -> tuple[BrokenSitemap, ...]:
        """Sitemaps of the site that its robots.txt disallows to search engines, in order of discovery."""
        lines = ((one.url, self.line(one.url, AGENTS)) for one in state.statuses() if not one.usual or one.entries)
        return tuple(
            BrokenSitemap(url, self._url, line, self.reason(line), declared=True, disallowed=True)
            for url, line in lines
            if line
        )


class ObedientFetcher:
    """Requests no sitemap that the site's robots.txt disallows to this tool."""

    def __init__(self, inner: Fetcher, robots: SiteRobots) -> None:
        self._inner = inner
        self._robots = robots

    async def fetch(self, request: Request) -> Answer:
        if request.kind is RequestKind.SITEMAP and (line := self._robots.line(request.url, (TOKEN,))):
            return Skip(request.url, self._robots.reason(line))
        return await self._inner.fetch(request)
