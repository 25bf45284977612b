"""What was read of each file of a build, for the next run with the same state: packed documents by URL."""

import sqlite3
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from sitemap_action.inventory.safe_database import MaskedConnection
from sitemap_action.inventory.store import Inventory
from sitemap_action.model.packed import Packed, PackedDocument

if TYPE_CHECKING:
    from sitemap_action.inventory.shards import Shards

TABLE = """CREATE TABLE IF NOT EXISTS document (
  url TEXT PRIMARY KEY, digest BLOB NOT NULL, packed BLOB NOT NULL
);"""
_FORGET = "DELETE FROM document WHERE url NOT IN (SELECT url.url FROM page JOIN url ON url.id = page.url_id)"


class StoredDocuments:
    """Of the runs before this one; those that are stored replace them."""

    def __init__(self, inventory: Inventory) -> None:
        self._inventory = inventory
        self._database: sqlite3.Connection = inventory.database
        self._database.execute(TABLE)

    def of(self, urls: Sequence[str]) -> dict[str, Packed]:
        marks = ", ".join("?" * len(urls))
        rows = self._database.execute(f"SELECT url, digest, packed FROM document WHERE url IN ({marks})", urls)  # noqa: S608 - only `?`
        return {url: (digest, packed) for url, digest, packed in rows}

    def store(self, documents: Iterable[PackedDocument]) -> None:
        with self._inventory.transaction():
            self._database.executemany("INSERT OR REPLACE INTO document VALUES (?, ?, ?)", documents)

    def forget_others(self) -> None:
        """Those of files that the build has no more."""
        self._database.execute(_FORGET)


class ShardDocuments:
    """Of the shards that a run merges; what they have not read is not kept."""

    def __init__(self, shards: "Shards") -> None:
        self.of = shards.documents

    def store(self, documents: Iterable[PackedDocument]) -> None: ...

    def forget_others(self) -> None: ...


def stored_documents(inventory: Inventory) -> StoredDocuments | ShardDocuments | None:
    """None without a state, and where secrets are to be masked: what is packed cannot be."""
    if inventory.shards is not None:
        return ShardDocuments(inventory.shards)
    if not inventory.persistent or isinstance(inventory.database, MaskedConnection):
        return None
    return StoredDocuments(inventory)
