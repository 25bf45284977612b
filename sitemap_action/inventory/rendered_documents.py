"""What earlier runs with a state have rendered, packed, by URL and digest; read as hostile."""

import zlib

import msgspec

from sitemap_action.inventory.safe_database import MaskedConnection
from sitemap_action.inventory.store import Inventory
from sitemap_action.model.kept_rendering import KeptRendering

TABLE = """CREATE TABLE IF NOT EXISTS rendered (
  url TEXT PRIMARY KEY, digest BLOB NOT NULL, packed BLOB NOT NULL
);"""
_LARGEST = 64 << 20  # bytes of one document, unpacked
_decoder = msgspec.msgpack.Decoder(KeptRendering)
_encoder = msgspec.msgpack.Encoder()


class RenderedDocuments:
    """One document for each URL, the last that was rendered."""

    def __init__(self, inventory: Inventory) -> None:
        self._inventory = inventory
        inventory.database.execute(TABLE)

    def of(self, url: str, digest: bytes) -> KeptRendering | None:
        rows = self._inventory.database.execute("SELECT digest, packed FROM rendered WHERE url = ?", (url,))
        row = rows.fetchone()
        return None if row is None or row[0] != digest else _unpacked(row[1])

    def store(self, url: str, digest: bytes, kept: KeptRendering) -> None:
        try:
            packed = zlib.compress(_encoder.encode(kept), 1)
        except UnicodeEncodeError:
            return
        with self._inventory.transaction():
            self._inventory.database.execute("INSERT OR REPLACE INTO rendered VALUES (?, ?, ?)", (url, digest, packed))


def rendered_documents(inventory: Inventory) -> RenderedDocuments | None:
    """None without a state, and where secrets are to be masked: what is packed cannot be."""
    if not inventory.persistent or isinstance(inventory.database, MaskedConnection):
        return None
    return RenderedDocuments(inventory)


def _unpacked(packed: bytes) -> KeptRendering | None:
    inflater = zlib.decompressobj()
    try:
        found = inflater.decompress(packed, _LARGEST)
        return _decoder.decode(found) if inflater.eof else None
    except (zlib.error, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
