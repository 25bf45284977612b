"""What every source does: fill the inventory, and say what it could not see."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from sitemap_action.inventory.store import Inventory
from sitemap_action.model.page import Page
from sitemap_action.model.sitemap import Broken


@dataclass(frozen=True, slots=True)
class Gathered:
    """How the look went."""

    kind: str  # "folder" or "url"
    location: str
    incomplete: tuple[str, ...] = ()  # why not everything was seen; empty when it was
    nothing: bool = False  # the start page was not reached, or there is no page at all
    notes: tuple[str, ...] = ()
    robots: bytes | None = None  # the site's robots.txt, when it has one
    probes: tuple[Page, ...] = ()  # what the host answers for addresses that nobody has linked (HTML-46)
    broken: tuple[Broken, ...] | None = None  # sitemaps that production names and does not serve; None = not asked
    interrupted: int = 0  # exit code of the signal that ended the look, 0 when none did


class Source(Protocol):
    def gather(self, inventory: Inventory, seeds: Iterable[str]) -> Gathered:
        """Store every page of the site and an answer for every seed (a URL in normal form, below site-url)."""
        ...
