"""What a crawl does not ask for: by its name, by the user's choice, by robots.txt, or because it has no end."""

from dataclasses import dataclass
from enum import Enum, auto

from sitemap_action.crawl.traps import Traps
from sitemap_action.fetch.options import TOKEN
from sitemap_action.robots.groups import Robots
from sitemap_action.web.patterns import Patterns
from sitemap_action.web.site_mapping import SiteMapping
from sitemap_action.web.skip_classes import SkipFilter


class Refusal(Enum):
    """What becomes of a URL that is not asked for."""

    SKIPPED = auto()  # counted, and no page of the site as far as this run knows
    UNKNOWN = auto()  # a page that may well be there: undetermined


@dataclass(frozen=True, slots=True)
class Blocked:
    refusal: Refusal
    reason: str  # many URLs share it
    detail: str = ""  # of this URL


@dataclass(frozen=True, slots=True)
class UrlFilter:
    """Asked once for each URL, in sorted order, so that one site gives one answer (NET-16)."""

    skips: SkipFilter
    exclude: Patterns
    robots: Robots | None  # for crawling, by our own token (NET-02)
    traps: Traps
    mapping: SiteMapping  # robots.txt applies to the served URLs
    of_site: bool = False  # unless it is the site's own, from the repository

    def blocks(self, url: str, *, named: bool) -> Blocked | None:
        """`named`: a sitemap of the repository lists it, so neither its name nor a trap keeps it unasked."""
        if pattern := self.exclude.match(url):
            return Blocked(
                Refusal.UNKNOWN if named else Refusal.SKIPPED, f"select.exclude has {pattern}", "not asked for"
            )
        if not named and (kind := self.skips.skip_class(url)):
            return Blocked(Refusal.SKIPPED, f"crawl.skip has {kind}")
        if self.robots is not None:
            verdict = self.robots.verdict(TOKEN, url if self.of_site else self.mapping.to_served(url))
            if not verdict.allowed:
                where = f"robots.txt line {verdict.line} keeps {TOKEN} out: {verdict.rule}"
                return Blocked(Refusal.UNKNOWN, where, where)
        if not named and (pattern := self.traps.caught(url)):
            return Blocked(Refusal.SKIPPED, f"no end in sight: {pattern}")
        return None
