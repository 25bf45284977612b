"""The pages of a build that scripts build, found without decoding every record."""

from collections.abc import Iterator

from sitemap_action.html.shell_clauses import CLAUSES, needs_scripts
from sitemap_action.inventory.codec import decode_page
from sitemap_action.inventory.store import Inventory
from sitemap_action.model.page import Page, PageKind

_NOTICE, _FEW, _PER_SCRIPT = CLAUSES


def shells(inventory: Inventory) -> list[Page]:
    """In byte order of the URL; with those that an earlier run has rendered."""
    records = [
        record  # instr of SQLite takes three times as long
        for (record,) in inventory.database.execute("SELECT record FROM page")
        if _NOTICE in record or _FEW in record or _PER_SCRIPT in record
    ]
    pages = (decode_page(record, 0) for record in records)
    found = [page for page in pages if page.kind is PageKind.PAGE and not page.unlisted and _is_shell(page)]
    return sorted(found, key=lambda page: page.url.encode())


def documents(inventory: Inventory) -> Iterator[Page]:
    """Every page that has a document, in byte order of the URL."""
    return (page for page in inventory.pages() if page.kind is PageKind.PAGE and page.facts and not page.unlisted)


def _is_shell(page: Page) -> bool:
    rendering = page.facts.rendering if page.facts is not None else None
    return needs_scripts(page.facts) or (rendering is not None and bool(rendering.shell))
