"""What the run before this one stored for a URL, for a conditional request."""

import sqlite3
import zlib
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

from msgspec import MsgspecError, Struct

from sitemap_action.model.page import Page
from sitemap_action.store.codec import decode_page

_PARTS = 4
_MAX_INFLATED = 32 * 2**20  # bytes of the links of one page


class PreviousVisit(Struct, frozen=True):
    """What the run before this one stored for a URL."""

    page: Page
    links: tuple[str, ...]
    targets: tuple[str, ...]
    etag: str
    modified: str
    resources: tuple[str, ...] = ()  # URLs of its scripts and style sheets (RB-36)
    headers: frozenset[str] = frozenset()  # digests of headers that a 304 may contradict


def previous_visit(database: sqlite3.Connection, url: str) -> PreviousVisit | None:
    """None where there is none, or a damaged one: the page is then fetched as if it were new."""
    row = database.execute("SELECT record, links, etag, modified FROM previous_visit WHERE url = ?", (url,)).fetchone()
    return None if row is None else decode_visit(url, row)


def decode_visit(url: str, row: tuple[Any, ...]) -> PreviousVisit | None:
    """`row`: record, links, ETag, Last-Modified; None for one that this program does not write."""
    record, compressed, etag, modified = row
    if not (type(record) is type(etag) is type(modified) is str and type(compressed) is bytes):
        return None
    parts = _parts(_inflated(compressed))
    try:
        page = decode_page(record, 0)
    except (MsgspecError, ValueError):
        return None
    if len(parts) != _PARTS or page.url != url:
        return None
    links, targets, resources, headers = map(tuple, parts)
    return PreviousVisit(page, links, targets, etag, modified, resources=resources, headers=frozenset(headers))


def packed(parts: Sequence[Iterable[str]]) -> bytes:
    """Links, targets, resources and headers of one page."""
    first, *others = parts
    return zlib.compress("\n".join(chain(first, *(("", *part) for part in others))).encode(), 1)


def _parts(lines: Iterable[str]) -> list[list[str]]:
    found: list[list[str]] = [[]]
    for line in lines:
        if line:
            found[-1].append(line)
        else:
            found.append([])
    return found


def _inflated(compressed: bytes) -> list[str]:
    """A line for each URL; none where the data is damaged, or longer than any page has."""
    inflater = zlib.decompressobj()
    try:
        text = inflater.decompress(compressed, _MAX_INFLATED).decode()
    except (zlib.error, UnicodeDecodeError):
        return []
    return text.split("\n") if inflater.eof else []
