"""Which URLs a crawl does not request: by name, by the user's choice, by robots.txt, or as a crawler trap."""

from enum import Enum, auto

from msgspec import Struct

from sitemap_action.crawl.traps import Traps
from sitemap_action.fetch.options import TOKEN
from sitemap_action.model.mask import NO_MASK, SECRET_URL, Mask
from sitemap_action.robots.groups import Robots
from sitemap_action.web.patterns import Patterns
from sitemap_action.web.site_mapping import SiteMapping
from sitemap_action.web.skip_classes import SkipFilter
from sitemap_action.web.unlistable import why_unlistable


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
