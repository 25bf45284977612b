"""Pages, entries, visits and what was read of a document as stored text and bytes; stored data is read as hostile."""

import zlib
from collections.abc import Iterable
from itertools import chain
from typing import Any, NamedTuple, TypeAlias, TypeVar

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
_PARTS = 4  # lists of texts of a visit
_LONGEST_LINKS = 32 * 2**20  # bytes of the links of one page


class Visit(NamedTuple):
    """Result of one fetch: the page, its links, and the validators for a later run."""

    id: int  # of the URL; 0 of a visit by another run
    page: Page
    links: tuple[str, ...] = ()  # followable, each counts as one link to its URL
    targets: tuple[str, ...] = ()  # of redirect, canonical, alternate: queued, and not counted as links
    etag: str = ""
    modified: str = ""
    resources: tuple[str, ...] = ()  # URLs of its scripts and style sheets (RB-36), for a later run
    headers: tuple[str, ...] = ()  # digests of headers that a 304 may contradict, for a later run


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


def unpack(packed: bytes, decoder: msgspec.msgpack.Decoder[_T], largest: int = _LARGEST) -> _T | None:
    """None for what `pack` has not made of a value of this type."""
    inflater = zlib.decompressobj()
    try:
        found = inflater.decompress(packed, largest)
        return decoder.decode(found) if inflater.eof else None
    except (zlib.error, TypeError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def pack_links(visit: Visit) -> bytes:
    """Links, targets, resources and headers of one page."""
    parts = (visit.targets, visit.resources, visit.headers)
    return zlib.compress("\n".join(chain(visit.links, *(("", *part) for part in parts))).encode(), 1)


def decode_visit(url: str, row: tuple[Any, ...]) -> Visit | None:
    """`row`: record, links, ETag, Last-Modified; None for one that this program does not write."""
    record, compressed, etag, modified = row
    if not (type(record) is type(etag) is type(modified) is str and type(compressed) is bytes):
        return None
    parts = _split_parts(_inflate_lines(compressed))
    try:
        page = decode_page(record, 0)
    except (msgspec.MsgspecError, ValueError):
        return None
    if len(parts) != _PARTS or page.url != url:
        return None
    links, targets, resources, headers = map(tuple, parts)
    return Visit(0, page, links, targets, etag, modified, resources, headers)


def _split_parts(lines: Iterable[str]) -> list[list[str]]:
    found: list[list[str]] = [[]]
    for line in lines:
        if line:
            found[-1].append(line)
        else:
            found.append([])
    return found


def _inflate_lines(compressed: bytes) -> list[str]:
    """A line for each URL; none where the data is damaged, or longer than any page has."""
    inflater = zlib.decompressobj()
    try:
        text = inflater.decompress(compressed, _LONGEST_LINKS).decode()
    except (zlib.error, UnicodeDecodeError):
        return []
    return text.split("\n") if inflater.eof else []
