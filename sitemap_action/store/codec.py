"""Pages, entries and what was read of a document as stored text and bytes; what is unpacked is read as hostile."""

import zlib
from typing import Any, TypeAlias, TypeVar

import msgspec
from msgspec import json

from sitemap_action.model.page import Page
from sitemap_action.model.sitemap import Entry

_encoder = json.Encoder()
_pages = json.Decoder(Page)
_entries = json.Decoder(Entry)
_DEPTH = Page._fields.index("depth")  # before `inlinks`

Packed: TypeAlias = tuple[bytes, bytes]  # digest of all that was read, and what was found
PackedDocument: TypeAlias = tuple[str, bytes, bytes]  # with the URL before these
_T = TypeVar("_T")
_LARGEST = 64 * 2**20  # bytes of one document, unpacked
_packer = msgspec.msgpack.Encoder()


def encode(value: Page | Entry) -> str:
    return _encoder.encode(value).decode()


def decode_page(text: str, inlinks: int, depth: int = 0) -> Page:
    """`inlinks` is counted in its own column while pages are added; `depth`: of a page whose record has none.

    Raises msgspec.MsgspecError for a text that is no page.
    """
    page = _pages.decode(text)
    if not (inlinks or depth or page.inlinks):
        return page
    # Of every page of a site: `_replace` costs as much as all of the decoding.
    return tuple.__new__(Page, (*page[:_DEPTH], page.depth or depth, inlinks, *page[_DEPTH + 2 :]))


def decode_entry(text: str) -> Entry:
    return _entries.decode(text)


def pack(value: Any) -> bytes:
    """b"" where a text is no Unicode."""
    try:
        return zlib.compress(_packer.encode(value), 1)
    except UnicodeEncodeError:
        return b""


def unpack(packed: bytes, decoder: msgspec.msgpack.Decoder[_T]) -> _T | None:
    """None for what `pack` has not made of a value of this type."""
    inflater = zlib.decompressobj()
    try:
        found = inflater.decompress(packed, _LARGEST)
        return decoder.decode(found) if inflater.eof else None
    except (zlib.error, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
