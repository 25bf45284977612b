"""Two URLs for one document: a directory and its index file, when a server gives both the same (URL-22)."""

from collections.abc import Iterator

from sitemap_action.inventory.frontier import Frontier
from sitemap_action.inventory.store import Inventory
from sitemap_action.model.page import Page, PageKind

INDEX = ("index.html", "index.htm")
_ENDS = ("/", *(f"/{name}" for name in INDEX))


def directory(url: str) -> str:
    """The directory whose index file a URL names; "" when it names none."""
    parent, _, name = url.rpartition("/")
    return f"{parent}/" if name in INDEX else ""


def possible(url: str) -> bool:
    """Whether a URL names a directory or its index file."""
    return url.endswith(_ENDS)


def fold(inventory: Inventory, frontier: Frontier) -> None:
    frontier.fold(_twins(inventory, frontier))


def _twins(inventory: Inventory, frontier: Frontier) -> Iterator[tuple[int, Page]]:
    for row_id, page in frontier.named_alike(INDEX):
        other = inventory.page(directory(page.url))
        if other is not None and _same(page, other):
            yield row_id, page._replace(twin=other.url)


def _same(page: Page, other: Page) -> bool:
    """Both answered 200, with documents that say the same and are of one size."""
    if page.kind is not PageKind.PAGE or other.kind is not PageKind.PAGE or page.facts is None or other.facts is None:
        return False
    return page.facts.fingerprint != "" and (page.facts.fingerprint, page.facts.size, page.facts.title) == (
        other.facts.fingerprint,
        other.facts.size,
        other.facts.title,
    )
