"""Bytes in any encoding to UTF-8 bytes, by the byte order mark or the XML declaration (SM-02, SM-03)."""

import codecs
import re
from collections.abc import Callable, Iterator
from itertools import chain

from msgspec import Struct

from sitemap_action.model.sitemap import Fault
from sitemap_action.sitemap.faults import stop_reading, truncate
from sitemap_action.sitemap.inflate import peek

_HEAD = 1024
_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_NO_BOM = ((b"<\0?\0", "utf-16-le"), (b"\0<\0?", "utf-16-be"))
_DECLARED = re.compile(rb"""\s*<\?xml\s[^>]{0,200}?encoding\s{0,20}=\s{0,20}["']([A-Za-z][A-Za-z0-9._:-]{0,60})["']""")
_TEXT_CODEC = re.compile(r"iso(8859|2022)|cp\d|koi8|mac|ascii|shift_jis|euc_|gb|big5|hz|johab|tis|ptcp|kz")


class Decoded(Struct, frozen=True):
    """A document as UTF-8 without byte order mark; `chunks` raises StopReading on a byte that does not decode."""

    chunks: Iterator[bytes]
    encoding: str


def decode(chunks: Iterator[bytes], report: Callable[[Fault], None]) -> Decoded:
    """Only UTF-8 is valid; other encodings are tolerated and reported."""
    head, chunks = peek(chunks, _HEAD)
    if head.startswith(codecs.BOM_UTF8):
        report(Fault("bom"))
        head = head[3:]
    rest = chain((head,), chunks)
    for mark, encoding in (*_BOMS, *_NO_BOM):
        if head.startswith(mark):
            report(Fault("encoding", 1, encoding.rpartition("-")[0].upper()))
            return Decoded(_to_utf_8(rest, encoding), encoding)
    found = _DECLARED.match(head[:_HEAD])
    return _decode_as(found[1].decode("ascii"), rest, report) if found else Decoded(rest, "utf-8")


def _decode_as(name: str, chunks: Iterator[bytes], report: Callable[[Fault], None]) -> Decoded:
    if name.lower() in {"utf-8", "utf8"}:
        return Decoded(chunks, "utf-8")
    if name.lower() in {"us-ascii", "ascii"}:
        return Decoded(_ascii(chunks, report), "us-ascii")
    report(Fault("encoding", 1, f"declared as {truncate(name, 60)}"))
    codec = _codec(name)
    return Decoded(_to_utf_8(chunks, codec), codec) if codec else Decoded(chunks, name.lower())


def _codec(name: str) -> str:
    """Python's name of a single- or multi-byte charset; "" for others, which are read as UTF-8."""
    try:
        found = codecs.lookup(name).name
    except (LookupError, ValueError):
        return ""
    return found if _TEXT_CODEC.match(found.replace("-", "_").replace("iso_", "iso")) else ""


def _ascii(chunks: Iterator[bytes], report: Callable[[Fault], None]) -> Iterator[bytes]:
    pure = True
    for chunk in chunks:
        pure = pure and chunk.isascii()
        yield chunk
    report(Fault("encoding-ascii", 1) if pure else Fault("encoding", 1, "declared as US-ASCII, holds other bytes"))


def _to_utf_8(chunks: Iterator[bytes], encoding: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        first = True
        for chunk in chunks:
            text = decoder.decode(chunk)
            yield (text.removeprefix("\ufeff") if first else text).encode()
            first = first and not text
        yield decoder.decode(b"", final=True).encode()
    except UnicodeError as error:
        stop_reading(
            "not-utf-8", detail=f"{encoding}: {error.reason if isinstance(error, UnicodeDecodeError) else error}"
        )
