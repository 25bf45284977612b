"""What earlier runs with a state have rendered, packed, by URL and digest; read as hostile."""

import msgspec

from sitemap_action.inventory.store import Inventory
from sitemap_action.model.kept_rendering import KeptRendering
from sitemap_action.model.packed import pack, unpack

TABLE = """CREATE TABLE IF NOT EXISTS rendered (
  url TEXT PRIMARY KEY, digest BLOB NOT NULL, packed BLOB NOT NULL
);"""
_decoder = msgspec.msgpack.Decoder(KeptRendering)


class RenderedDocuments:
    """One document for each URL, the last that was rendered."""

    def __init__(self, inventory: Inventory) -> None:
        self._inventory = inventory
        inventory.database.execute(TABLE)

    def of(self, url: str, digest: bytes) -> KeptRendering | None:
        rows = self._inventory.database.execute("SELECT digest, packed FROM rendered WHERE url = ?", (url,))
        row = rows.fetchone()
        return None if row is None or row[0] != digest else unpack(row[1], _decoder)

    def store(self, url: str, digest: bytes, kept: KeptRendering) -> None:
        if packed := pack(kept):
            with self._inventory.transaction():
                row = (url, digest, packed)
                self._inventory.database.execute("INSERT OR REPLACE INTO rendered VALUES (?, ?, ?)", row)


def rendered_documents(inventory: Inventory) -> RenderedDocuments | None:
    """None without a state, and where secrets are to be masked: what is packed cannot be."""
    if not inventory.persistent or inventory.masked:
        return None
    return RenderedDocuments(inventory)
