"""How the look at a source went: what every source returns, beside the inventory that it filled."""

from dataclasses import dataclass

from sitemap_action.model.page import Page
from sitemap_action.model.sitemap import Broken


@dataclass(frozen=True, slots=True)
class SourceResult:
    """What was seen as a whole, and why it may not be all."""

    kind: str  # "folder" or "url"
    location: str
    incomplete: tuple[str, ...] = ()  # why not everything was seen; empty when it was
    nothing: bool = False  # the start page was not reached, or there is no page at all
    notes: tuple[str, ...] = ()
    robots: bytes | None = None  # the site's robots.txt, when it has one
    probes: tuple[Page, ...] = ()  # what the host answers for random paths (HTML-46)
    broken: tuple[Broken, ...] | None = None  # sitemaps that production names and does not serve; None = not asked
    interrupted: int = 0  # exit code of the signal that ended the look, 0 when none did
