"""The fast path for a whole urlset of simple entries, where only entries are wanted and no faults.

Four times as fast as reading it event by event, and exact: where one byte is not as expected, the file is left to
`read`. The bytes before the first entry are always parsed by `read`.
"""

import re
from itertools import accumulate, repeat

from msgspec import Struct

from sitemap_action.model.sitemap import DocumentKind, DocumentStart, Entry, Fault
from sitemap_action.sitemap.decode import inflate
from sitemap_action.sitemap.escape import unescape
from sitemap_action.sitemap.faults import StopReading
from sitemap_action.sitemap.protocol import ReadLimits
from sitemap_action.sitemap.read import read

_MAX_BYTES = 67_108_864  # more than any file may have (SM-07), and few enough for memory
START = rb"<url>"
"""The start tag of an entry."""

_CHARACTER = rb"[!-%'-;=?-\[\]-~]"  # printable ASCII but space, & < > and the backslash
_VALUE = rb"%s{1,4096}+(?:&(?:amp|lt|gt|quot|apos);%s{0,4096}+){0,100}+" % (_CHARACTER, _CHARACTER)
_WHITE = rb"[ \t\r\n]*+"
_FIELDS = b"".join(
    rb"(?:<%s>(%s{1,100}+)</%s>%s)?+" % (name, _CHARACTER, name, _WHITE)
    for name in (b"lastmod", b"changefreq", b"priority")
)
_ENTRY = rb"<url>%s<loc>(%s)</loc>%s%s</url>%s" % (_WHITE, _VALUE, _WHITE, _FIELDS, _WHITE)
_ENTRIES = re.compile(rb"(?:%s)++</urlset>%s" % (_ENTRY.replace(b"(%s" % _CHARACTER, b"(?:%s" % _CHARACTER), _WHITE))
_LOC = re.compile(rb"<loc>([^<]*)</loc>")
_ROW = re.compile(_ENTRY)


class Rows(Struct, frozen=True):
    """Entries in document order, field by field; a field is text as written, b"" where there is none."""

    locs: list[bytes]
    fields: list[tuple[bytes, bytes, bytes]]  # lastmod, changefreq, priority; empty when no entry has any
    lines: list[int]  # of each <url>, from 1


def rows(data: bytes) -> Rows | None:
    """None where the file is not a urlset of simple entries."""
    try:
        text = _inflated(data)
    except StopReading:
        return None
    start = text.find(START)
    if start < 0 or b"\\" in text or text.count(b"\r") != text.count(b"\r\n"):  # a lone CR ends a line for expat
        return None
    if _ENTRIES.fullmatch(text, start) is None or not opens_urlset(text[:start]):
        return None
    parts = text.split(START)
    if len(parts) > ReadLimits().entries:
        return None
    lines = list(accumulate(map(bytes.count, parts[:-1], repeat(b"\n"))))
    if b"<lastmod>" in text or b"<changefreq>" in text or b"<priority>" in text:
        found = _ROW.findall(text, start)
        locs, fields = [row[0] for row in found], [row[1:] for row in found]
    else:
        locs, fields = _LOC.findall(text, start), []
    if b"&" in text:
        locs = [unescape(loc.decode()).encode() if b"&" in loc else loc for loc in locs]
    return Rows(locs, fields, [line + 1 for line in lines])


def _inflated(data: bytes) -> bytes:
    """The uncompressed bytes; empty when there are too many."""
    pieces, size = [], 0
    for chunk in inflate(data, lambda _fault: None).chunks:
        pieces.append(chunk)
        size += len(chunk)
        if size > _MAX_BYTES:
            return b""
    return b"".join(pieces)


def opens_urlset(head: bytes) -> bool:
    """Whether a document that begins with these bytes is in a urlset before its first entry, without fatal fault."""
    events = read(head + b"</urlset>")
    start = next(events)
    if not isinstance(start, DocumentStart) or start.kind is not DocumentKind.URLSET or start.encoding != "utf-8":
        return False
    return not any(isinstance(event, Entry) or (isinstance(event, Fault) and event.fatal) for event in events)
