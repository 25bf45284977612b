"""Pages and entries as JSON text and back: the record columns of the inventory."""

from zlib import crc32

from msgspec import json

from sitemap_action.model.page import Page
from sitemap_action.model.sitemap import Entry

_encoder = json.Encoder()
_pages = json.Decoder(Page)
_entries = json.Decoder(Entry)


def encode(value: Page | Entry) -> str:
    return _encoder.encode(value).decode()


def seal(text: str) -> str:
    """A record with its checksum, which the decoder of JSON does not read."""
    return f"{text}{crc32(text.encode()):08x}"


def sealed(text: str) -> bool:
    return text[-8:] == f"{crc32(text[:-8].encode()):08x}"


def decode_page(text: str, inlinks: int, depth: int = 0) -> Page:
    """`inlinks` is counted in its own column while pages are added; `depth`: of a page whose record has none.

    Raises msgspec.MsgspecError for a text that is no page.
    """
    page = _pages.decode(unsealed(text))
    return page._replace(inlinks=inlinks, depth=page.depth or depth) if inlinks or depth or page.inlinks else page


def decode_entry(text: str) -> Entry:
    return _entries.decode(text)


def unsealed(text: str) -> str:
    """The record, with or without a checksum behind it."""
    return text if text.endswith("]") else text[:-8]
