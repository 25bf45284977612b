"""Documents that an earlier run or a shard has read, packed, by URL: one with the same bytes is not parsed again."""

import sqlite3
from collections.abc import Iterable, Sequence

from sitemap_action.store.codec import Packed, PackedDocument
from sitemap_action.store.inventory import Inventory

TABLE = """CREATE TABLE IF NOT EXISTS document (
  url TEXT PRIMARY KEY, digest BLOB NOT NULL, packed BLOB NOT NULL
);"""


class StoredDocuments:
    """Documents of earlier runs; those that are stored replace them."""

    def __init__(self, inventory: Inventory) -> None:
        self._inventory = inventory
        self._database: sqlite3.Connection = inventory.database
        self._database.execute(TABLE)

    def find(self, urls: Sequence[str]) -> dict[str, Packed]:
        marks = ", ".join("?" * len(urls))
        rows = self._database.execute(f"SELECT url, digest, packed FROM document WHERE url IN ({marks})", urls)  # noqa: S608 - only `?`
        return {url: (digest, packed) for url, digest, packed in rows}

    def store(self, documents: Iterable[PackedDocument]) -> None:
        with self._inventory.transaction():
            self._database.executemany("INSERT OR REPLACE INTO document VALUES (?, ?, ?)", documents)


def stored_documents(inventory: Inventory) -> StoredDocuments | None:
    """None where secrets are to be masked: what is packed cannot be."""
    if inventory.masked:
        return None
    return StoredDocuments(inventory)
