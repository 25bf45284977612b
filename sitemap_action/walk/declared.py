"""The sitemaps that a site declares in robots.txt or has at usual paths.

A sitemap that the robots.txt of its own host disallows counts as not read (RB-31, NET-02).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.fetch.base import (
    TOKEN,
    Answer,
    Failure,
    Fetcher,
    Request,
    RequestKind,
    Skip,
    fetch_robots,
)
from sitemap_action.fetch.policies import MAX_DELAY
from sitemap_action.model.sitemap import BrokenSitemap
from sitemap_action.robots.groups import Profile, Robots, RobotsStatus, parse
from sitemap_action.sitemap.protocol import USUAL_PATHS
from sitemap_action.store.loading_state import LoadingState
from sitemap_action.web.spellings import SiteMapping
from sitemap_action.web.urls import normalize, origin, path_query, resolve


class Declared(Struct, frozen=True):
    """What to load: `seeds`, and the `usual` addresses that are a sitemap; without seeds the first of these."""

    robots_url: str
    robots: bytes | None = None  # None where there is none, and where it could not be read
    seeds: tuple[str, ...] = ()
    disallowed: tuple[str, ...] = ()  # named by the robots.txt that disallows them, and no seeds
    usual: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()  # usual addresses that robots.txt disallows: what is there is not known
    unreachable: str = ""  # why robots.txt could not be read: nothing is known of what the site declares (RB-21)
    failure: Failure | None = None  # where nothing was answered
    notes: tuple[str, ...] = ()


def obey(_robots: bytes) -> bool:
    return True


async def discover(
    fetcher: Fetcher,
    site: str,
    paths: Sequence[str] = USUAL_PATHS,
    likely: Sequence[str] = (),
    obeys: Callable[[bytes], bool] = obey,
) -> Declared:
    """`site`: any URL of it; usual paths are tried in its directory first, and before them the `likely` addresses.

    `obeys`: whether sitemaps that this robots.txt disallows are left out.
    """
    answer = await fetch_robots(fetcher, site)
    robots_url = answer.url
    if answer.status is RobotsStatus.UNREACHABLE:
        return Declared(robots_url, unreachable=answer.reason, failure=answer.failure)
    body = answer.body if answer.status is RobotsStatus.PARSE else None
    robots = parse(body or b"", Profile.GOOGLE)
    notes: list[str] = []
    named = tuple(dict.fromkeys(_lines(robots, robots_url, notes)))
    if not obeys(body or b""):
        return Declared(robots_url, body, named, usual=tuple(_usual(site, paths, likely)), notes=tuple(notes))
    seeds = tuple(_drop_disallowed(robots, iter(named), robots_url, notes))
    disallowed = tuple(url for url in named if url not in seeds)
    about_usual = [] if seeds else notes  # beside what it names, no address was to be expected
    addresses = tuple(_usual(site, paths, likely))
    usual = tuple(_drop_disallowed(robots, iter(addresses), robots_url, about_usual))
    closed = tuple(url for url in addresses if url not in usual)
    return Declared(robots_url, body, seeds, disallowed, usual, closed, notes=tuple(notes))


def _lines(robots: Robots, base: str, notes: list[str]) -> Iterator[str]:
    """RB-24: any number, any host; SM-68: a relative one is resolved, with a note."""
    for line, text in robots.sitemaps:
        url = resolve(base, text)
        if url is None:
            notes.append(f"{base}:{line}: {text} is not the address of a sitemap")
            continue
        if not text.lower().startswith(("http://", "https://")):
            notes.append(f"{base}:{line}: {text} is relative; it is read as {url}")
        yield url


def _usual(site: str, paths: Sequence[str], likely: Sequence[str]) -> Iterator[str]:
    page = normalize(site)
    directory = page[: page.partition("?")[0].rindex("/") + 1]
    addresses = [base + path.lstrip("/") for base in (directory, f"{origin(page)}/") for path in paths]
    return iter(dict.fromkeys([*map(normalize, likely), *addresses]))


def _drop_disallowed(robots: Robots, urls: Iterator[str], robots_url: str, notes: list[str]) -> Iterator[str]:
    """RB-31: an address that the same robots.txt disallows is not requested (NET-02)."""
    for url in urls:
        verdict = robots.verdict(TOKEN, url)
        if verdict.allowed or origin(url) != origin(robots_url):
            yield url
        else:
            notes.append(f"{url} is not requested: {robots_url}:{verdict.line} disallows it")


AGENTS = ("Googlebot", "Bingbot")
"""Whose verdict decides, as for pages by default (`select.agents`)."""


class SiteRobots:
    """The robots.txt of one site, for the URLs of its host."""

    def __init__(self, declared: Declared) -> None:
        self._url = declared.robots_url
        self._origin = origin(declared.robots_url)
        self._robots = parse(declared.robots or b"", Profile.GOOGLE)
        self._unreachable = declared.unreachable

    def line(self, url: str, agents: Iterable[str]) -> int:
        """The line of the rule that disallows the URL to one of the agents; 0 where none does."""
        if not url.startswith(f"{self._origin}/"):
            return 0
        verdicts = [self._robots.verdict(agent, url) for agent in agents]
        return next((one.line for one in verdicts if not one.allowed), 0)

    @property
    def delay(self) -> float:
        """Seconds between two requests of this tool (NET-08)."""
        return min(self._robots.crawl_delay(TOKEN) or 0.0, MAX_DELAY)

    def reason(self, line: int) -> str:
        return f"{self._url}:{line} disallows it"

    def refusal(self, url: str) -> str:
        """Which line disallows the URL to this tool, or that this is not known; "" where it may be requested."""
        if self._unreachable and url.startswith(f"{self._origin}/"):
            return f"{self._url}: {self._unreachable}"
        line = self.line(url, (TOKEN,))
        return self.reason(line) if line else ""

    def findings(self, state: LoadingState) -> tuple[BrokenSitemap, ...]:
        """Sitemaps of the site that its robots.txt disallows to search engines, in order of discovery."""
        lines = ((one.url, self.line(one.url, AGENTS)) for one in state.statuses() if not one.usual or one.entries)
        return tuple(
            BrokenSitemap(url, self._url, line, self.reason(line), declared=True, disallowed=True)
            for url, line in lines
            if line
        )


class LoadedSitemaps(Struct, frozen=True):
    """What a site declares, once its sitemaps are loaded: a crawl requests none of them again."""

    declared: Declared
    broken: tuple[BrokenSitemap, ...] = ()  # what is named, and proven not to answer as a sitemap
    seconds: float = 0  # that loading took, which count towards crawl.deadline


class ServedFetcher:
    """Requests the sitemaps of the site, and those that they list, where the site is served (ENV-02)."""

    def __init__(self, fetcher: Fetcher, mapping: SiteMapping | None, served: str = "") -> None:
        """`mapping`: None where it is not known where the pages will live; `served` then has every path of any host."""
        self._fetcher, self._mapping, self._served = fetcher, mapping, served

    async def fetch(self, request: Request) -> Answer:
        url, mapping = request.url, self._mapping
        if mapping is None:
            url = origin(self._served) + path_query(url)
        elif origin(url := mapping.to_served(url)) == (site := origin(mapping.site)) != origin(mapping.served):
            why = f"{site} is not fetched, and no other place that serves it is known"
            return Skip(request.url, why, failure=Failure.REFUSED)
        answer = await self._fetcher.fetch(replace(request, url=url))
        return answer._replace(url=request.url)


class ObedientFetcher:
    """Requests no sitemap that the site's robots.txt disallows to this tool."""

    def __init__(self, inner: Fetcher, robots: SiteRobots) -> None:
        self._inner = inner
        self._robots = robots

    async def fetch(self, request: Request) -> Answer:
        if request.kind is RequestKind.SITEMAP and (why := self._robots.refusal(request.url)):
            return Skip(request.url, why)
        return await self._inner.fetch(request)
