"""What every source does: fill the inventory, and say what it could not see."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from sitemap_action.inventory.store import Inventory


@dataclass(frozen=True, slots=True)
class Gathered:
    """How the look went."""

    kind: str  # "folder"
    location: str
    incomplete: tuple[str, ...] = ()  # why not everything was seen; empty when it was
    nothing: bool = False  # the start page was not reached, or there is no page at all
    notes: tuple[str, ...] = ()
    robots: bytes | None = None  # the site's robots.txt, when it has one


class Source(Protocol):
    def gather(self, inventory: Inventory, seeds: Iterable[str]) -> Gathered:
        """Store every page of the site and an answer for every seed (a URL in normal form, below site-url)."""
        ...
