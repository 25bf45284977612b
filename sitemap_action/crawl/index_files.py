"""Two URLs for one document: a directory and its index file, when a server returns the same for both (URL-22)."""

from collections.abc import Iterator

from sitemap_action.model.page import Page, PageKind
from sitemap_action.store.frontier import Frontier
from sitemap_action.store.inventory import Inventory

_NAMES = ("index.html", "index.htm")
_ENDINGS = ("/", *(f"/{name}" for name in _NAMES))


def directory(url: str) -> str:
    """The directory of an index file, "" for any other URL."""
    parent, _, name = url.rpartition("/")
    return f"{parent}/" if name in _NAMES else ""


def served_directory(url: str) -> str:
    """The directory that every server has where it has this URL: only an index.html is one's page everywhere."""
    return directory(url) if url.endswith("/index.html") else ""


def is_directory_or_index(url: str) -> bool:
    return url.endswith(_ENDINGS)


def mark_duplicates(inventory: Inventory, frontier: Frontier) -> None:
    """Index files that are the same document as their directory get it as their twin."""
    frontier.store_duplicates(_duplicates(inventory, frontier))


def _duplicates(inventory: Inventory, frontier: Frontier) -> Iterator[tuple[int, Page]]:
    for row_id, page in frontier.pages_by_file_name(_NAMES):
        other = inventory.page(directory(page.url))
        if other is not None and _same(page, other):
            yield row_id, page._replace(twin=other.twin or other.url)


def _same(page: Page, other: Page) -> bool:
    """Both answered 200, with documents of one fingerprint, size and title."""
    if page.kind is not PageKind.PAGE or other.kind is not PageKind.PAGE or page.facts is None or other.facts is None:
        return False
    return page.facts.fingerprint != "" and (page.facts.fingerprint, page.facts.size, page.facts.title) == (
        other.facts.fingerprint,
        other.facts.size,
        other.facts.title,
    )
