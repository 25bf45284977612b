"""Which URLs a crawl does not request: by name, by the user's choice, by robots.txt, as a trap.

A crawler trap is a URL pattern that produces new URLs without end (URL-33).
"""

import re
from collections import Counter
from enum import Enum, auto

from msgspec import Struct

from sitemap_action.fetch.options import TOKEN
from sitemap_action.model.mask import NO_MASK, SECRET_URL, Mask
from sitemap_action.robots.groups import Robots
from sitemap_action.web.media import SkipFilter
from sitemap_action.web.patterns import Patterns
from sitemap_action.web.site_mapping import SiteMapping
from sitemap_action.web.urls import why_unlistable

MAX_VARIANTS = 200  # of one path by its query, of one address by a date in it
_MAX_SEGMENTS = 20
_MAX_REPEATS = 3
_DATE = r"(?<![0-9])[0-9]{4}[-/](?:0?[1-9]|1[0-2])(?:[-/](?:0?[1-9]|[12][0-9]|3[01]))?(?![0-9])"
_ANY_DATE = re.compile(_DATE)
_LAST_DATE = re.compile(rf"{_DATE}/?$")


class Traps:
    """Counts URLs by pattern; its answers depend on the order of the calls, which is the sorted one (NET-16)."""

    def __init__(self) -> None:
        self._variants: Counter[str] = Counter()

    def find(self, url: str) -> str:
        """The pattern that a URL matches too often, "" when it may be followed, which counts it."""
        path, question, query = url.partition("?")
        segments = path.split("/")[3:]
        if len(segments) > _MAX_SEGMENTS:
            return f"paths of more than {_MAX_SEGMENTS} segments"
        if repeated := _find_repeated(segments):
            return f"paths with /{repeated}/ {_MAX_REPEATS} times"
        patterns = _query_patterns(path, query) if question else _date_patterns(path)
        for pattern in patterns:
            if self._variants[pattern] >= MAX_VARIANTS:
                return f"{pattern}, more than {MAX_VARIANTS} of them"
        for pattern in patterns:
            self._variants[pattern] += 1
        return ""


def _find_repeated(segments: list[str]) -> str:
    """A path segment that occurs too often, as relative links make when they accumulate."""
    if len(segments) - len(set(segments)) < _MAX_REPEATS - 1:
        return ""
    counts = Counter(filter(None, segments))
    return next((segment for segment, count in counts.items() if count >= _MAX_REPEATS), "")


def _query_patterns(path: str, query: str) -> tuple[str, ...]:
    """Patterns of a URL with a query: its path, and the query without its dates."""
    dated = _ANY_DATE.sub("<date>", query)
    return (f"{path}?…",) if dated == query else (f"{path}?…", f"{path}?{dated}")


def _date_patterns(path: str) -> tuple[str, ...]:
    """Pattern of a calendar page, which differs from others in its date only.

    A path that continues after the date, as that of a post, is no calendar.
    """
    if not path[-2:].rstrip("/")[-1:].isdigit():  # most paths do not end in a date, and the search is slow
        return ()
    date = _LAST_DATE.search(path)
    return (f"{path[: date.start()]}<date>",) if date else ()


class Refusal(Enum):
    """What a blocked URL counts as."""

    SKIPPED = auto()  # counted, and not a page of the site for this run
    UNKNOWN = auto()  # a page that may exist: undetermined
    UNLISTABLE = auto()  # never a page of a sitemap, whatever it answers: a row with the reason


class Blocked(Struct, frozen=True):
    refusal: Refusal
    reason: str  # shared by many URLs
    detail: str = ""  # of this URL


class UrlFilter(Struct, frozen=True):
    """To be called once for each URL, in sorted order, so that the same site has the same result (NET-16)."""

    skips: SkipFilter
    exclude: Patterns
    robots: Robots | None  # for crawling, matched with our token (NET-02)
    traps: Traps
    mapping: SiteMapping
    mask: Mask = NO_MASK  # of secret headers
    robots_of_site: bool = False  # its rules are about URLs of the site, not about where it is served

    def blocks(self, url: str, *, required: bool) -> Blocked | None:
        """`required`: a compared sitemap lists the URL, so neither its name nor a trap blocks it."""
        if why := why_unlistable(url) or (SECRET_URL if self.mask and self.mask.hides(url) else ""):
            return Blocked(Refusal.UNLISTABLE, why, why)
        if pattern := self.exclude.match(url):
            return Blocked(
                Refusal.UNKNOWN if required else Refusal.SKIPPED, f"select.exclude has {pattern}", "not fetched"
            )
        if not required and (kind := self.skips.skip_class(url)):
            return Blocked(Refusal.SKIPPED, f"crawl.skip has {kind}")
        if self.robots is not None:
            found = self.robots.block((TOKEN,), url if self.robots_of_site else self.mapping.to_served(url))
            if found is not None:
                return Blocked(Refusal.UNKNOWN, found.sentence(), found.sentence())
        if not required and (pattern := self.traps.find(url)):
            return Blocked(Refusal.SKIPPED, f"endless URLs: {pattern}")
        return None
