"""Discovery: the sitemaps that a robots.txt declares, the usual paths, and the address of the committed one."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from sitemap_action.config.schema import DEFAULT_SITEMAP_PATHS
from sitemap_action.fetch.base import Failure, Fetcher
from sitemap_action.fetch.options import TOKEN
from sitemap_action.fetch.robots import fetch_robots
from sitemap_action.robots.groups import Profile, Robots, RobotsStatus, parse
from sitemap_action.web.urls import normalize, origin, resolve


class Declared(Struct, frozen=True):
    """What to load: `seeds`, and the `usual` addresses that are a sitemap; without seeds the first of these."""

    robots_url: str
    robots: bytes | None = None  # None where there is none, and where it could not be read
    seeds: tuple[str, ...] = ()
    disallowed: tuple[str, ...] = ()  # named by the robots.txt that disallows them, and no seeds
    usual: tuple[str, ...] = ()
    unreachable: str = ""  # why robots.txt could not be read: nothing is known of what the site declares (RB-21)
    failure: Failure | None = None  # where nothing was answered
    notes: tuple[str, ...] = ()


async def discover(
    fetcher: Fetcher, site: str, paths: Sequence[str] = DEFAULT_SITEMAP_PATHS, committed: str = ""
) -> Declared:
    """`site`: any URL of it; usual paths are tried in its directory first. `committed`: the committed one's address."""
    answer = await fetch_robots(fetcher, site)
    robots_url = answer.url
    if answer.status is RobotsStatus.UNREACHABLE:
        return Declared(robots_url, unreachable=answer.reason, failure=answer.failure)
    body = answer.body if answer.status is RobotsStatus.PARSE else None
    robots = parse(body or b"", Profile.GOOGLE)
    notes: list[str] = []
    named = tuple(dict.fromkeys(_lines(robots, robots_url, notes)))
    seeds = tuple(_allowed(robots, iter(named), robots_url, notes))
    disallowed = tuple(url for url in named if url not in seeds)
    about_usual = [] if seeds else notes  # beside what it names, no address was to be expected
    usual = tuple(_allowed(robots, _usual(site, paths, "" if seeds else committed), robots_url, about_usual))
    return Declared(robots_url, body, seeds, disallowed, usual, notes=tuple(notes))


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


def _usual(site: str, paths: Sequence[str], committed: str) -> Iterator[str]:
    page = normalize(site)
    directory = page[: page.partition("?")[0].rindex("/") + 1]
    addresses = [base + path.lstrip("/") for base in (directory, f"{origin(page)}/") for path in paths]
    return iter(dict.fromkeys([*addresses, *([normalize(committed)] if committed else [])]))


def _allowed(robots: Robots, urls: Iterator[str], robots_url: str, notes: list[str]) -> Iterator[str]:
    """RB-31: an address that the same robots.txt disallows is not requested (NET-02)."""
    for url in urls:
        verdict = robots.verdict(TOKEN, url)
        if verdict.allowed or origin(url) != origin(robots_url):
            yield url
        else:
            notes.append(f"{url} is not requested: {robots_url}:{verdict.line} disallows it")
