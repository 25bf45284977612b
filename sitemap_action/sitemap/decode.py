"""The bytes of a document: decompressed, decoded to UTF-8, and handed to expat in pieces, all in bounded memory.

Gzip is found by its magic bytes, with several members, twice at most (SM-10); the encoding by the byte order mark or
the XML declaration (SM-02, SM-03). Expat before 2.6 scans an unfinished tag or comment again with every piece, so it
waits until the buffer is as long as what is unfinished, which keeps that linear.
"""

import codecs
import zlib
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from xml.parsers.expat import XMLParserType

from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.sitemap import Fault
from sitemap_action.sitemap.faults import StopReading, stop_reading, truncate
from sitemap_action.sitemap.protocol import MAX_BYTES, MAX_INFLATED

BLOCK = 65_536

GZIP = b"\x1f\x8b"
"""Its magic bytes (RFC 1952 §2.3.1)."""

_UNSUPPORTED = {
    b"PK\x03\x04": "zip",
    b"BZh": "bzip2",
    b"\xfd7zXZ": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"7z\xbc\xaf": "7-zip",
}
_HEAD = 8  # bytes that show the compression
_MAX_MEMBERS = 10_000


def inflate(
    data: bytes | Iterable[bytes], report: Callable[[Fault], None], name: str = "", limit: int = MAX_INFLATED
) -> tuple[Iterator[bytes], bool]:
    """(uncompressed bytes in chunks, which raise StopReading where they are damaged or too many; was it compressed).

    `name`: of the file or URL, "" when it implies nothing (a server's Content-Encoding was already decoded).
    """
    head, rest = peek(blocks(data), _HEAD)
    layers = 0
    while head.startswith(GZIP):
        layers += 1
        if layers > 2:
            stop_reading("compression", detail="gzip within gzip within gzip")
        head, rest = peek(_limit_size(_decompress(chain((head,), rest), report), limit), _HEAD)
    if layers == 2:
        report(Fault("gzip-nested"))
    for magic, kind in _UNSUPPORTED.items():
        if head.startswith(magic):
            stop_reading("compression", detail=kind)
    if not layers and name.lower().endswith(".gz"):
        report(Fault("gzip-name"))
    return _report_size(_limit_size(chain((head,), rest), limit), report), layers > 0


def inflated_size(content: bytes) -> int:
    """Bytes of a document, uncompressed: as gzip states it, at most `MAX_INFLATED`."""
    stated = int.from_bytes(content[-4:], "little") if content.startswith(GZIP) else len(content)
    return min(stated, MAX_INFLATED)


def blocks(data: bytes | Iterable[bytes]) -> Iterator[bytes]:
    """The bytes in pieces of at most BLOCK."""
    for piece in (data,) if isinstance(data, bytes) else data:
        for start in range(0, len(piece), BLOCK):
            yield piece[start : start + BLOCK]


def peek(chunks: Iterator[bytes], size: int) -> tuple[bytes, Iterator[bytes]]:
    """The first bytes, at least `size` where there are as many, and the rest, which raises what ended the peek."""
    taken: list[bytes] = []
    length = 0
    try:
        for chunk in chunks:
            taken.append(chunk)
            length += len(chunk)
            if length >= size:
                break
    except StopReading as end:
        return b"".join(taken), _raising(end)
    return b"".join(taken), chunks


def _raising(end: StopReading) -> Iterator[bytes]:
    yield b""
    raise end


def _decompress(chunks: Iterator[bytes], report: Callable[[Fault], None]) -> Iterator[bytes]:
    """The content of every gzip member; zeros between members are padding (RFC 1952 §2.2, as in gzip itself)."""
    engine = None
    members = 0
    for piece in chunks:
        chunk = piece
        while chunk:
            if engine is None:
                chunk = chunk.lstrip(b"\0")
                if not chunk:
                    break
                if chunk[:1] != GZIP[:1]:
                    report(Fault("gzip-trailing"))
                    return
                members += 1
                if members > _MAX_MEMBERS:
                    stop_reading("too-much", detail=f"more than {_MAX_MEMBERS:,} gzip members")
                engine = zlib.decompressobj(31)
            yield from _decompress_chunk(engine, chunk)
            if not engine.eof:
                break
            chunk, engine = engine.unused_data, None
    if engine is not None:
        stop_reading("gzip-damaged")


def _decompress_chunk(engine: "zlib._Decompress", chunk: bytes) -> Iterator[bytes]:
    while True:
        spare = engine.copy()
        try:
            block = engine.decompress(chunk, BLOCK)
        except zlib.error as error:
            yield _before_damage(spare, chunk)
            stop_reading("gzip-damaged", detail=str(error))
        if block:
            yield block
        chunk = engine.unconsumed_tail
        if engine.eof or (not chunk and len(block) < BLOCK):
            return


def _before_damage(engine: "zlib._Decompress", chunk: bytes) -> bytes:
    """The content before a damaged byte, decompressed byte by byte: zlib discards the block in which it finds one."""
    good: list[bytes] = []
    try:
        for at in range(len(chunk)):
            good.append(engine.decompress(chunk[at : at + 1], BLOCK))  # noqa: PERF401 - kept when the next one raises
    except zlib.error:
        pass
    return b"".join(good)


def _limit_size(chunks: Iterator[bytes], limit: int) -> Iterator[bytes]:
    left = limit
    for chunk in chunks:
        yield chunk[:left]
        left -= len(chunk)
        if left < 0:
            stop_reading("inflated", detail=f"more than {limit:,} bytes")


def _report_size(chunks: Iterator[bytes], report: Callable[[Fault], None]) -> Iterator[bytes]:
    size = 0
    for chunk in chunks:
        if size <= MAX_BYTES < size + len(chunk):
            report(Fault("too-large"))
        size += len(chunk)
        yield chunk


_DECLARATION_HEAD = 1024
_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_NO_BOM = ((b"<\0?\0", "utf-16-le"), (b"\0<\0?", "utf-16-be"))
_DECLARED = lazy_re(rb"""\s*<\?xml\s[^>]{0,200}?encoding\s{0,20}=\s{0,20}["']([A-Za-z][A-Za-z0-9._:-]{0,60})["']""")
_OPENED = lazy_re(rb"""\s*<\?xml\s{1,20}version\s{0,20}=\s{0,20}["'][0-9.]{1,10}["']""")
_TEXT_CODEC = lazy_re(r"iso(8859|2022)|cp\d|koi8|mac|ascii|shift_jis|euc_|gb|big5|hz|johab|tis|ptcp|kz")


def decode(chunks: Iterator[bytes], report: Callable[[Fault], None]) -> tuple[Iterator[bytes], str]:
    """(UTF-8 without byte order mark, which raises StopReading on a byte that does not decode; the encoding it had).

    Only UTF-8 is valid; other encodings are tolerated and reported.
    """
    head, chunks = peek(chunks, _DECLARATION_HEAD)
    if head.startswith(codecs.BOM_UTF8):
        report(Fault("bom"))
        head = head[3:]
    rest = chain((head,), chunks)
    for mark, encoding in (*_BOMS, *_NO_BOM):
        if head.startswith(mark):
            report(Fault("encoding", 1, encoding.rpartition("-")[0].upper()))
            return _to_utf_8(rest, encoding), encoding
    found = _DECLARED.match(head[:_DECLARATION_HEAD])
    return _decode_as(found[1].decode("ascii"), rest, report) if found else (rest, "utf-8")


def declare_charset(content: bytes, label: str) -> bytes:
    """The document with the charset of its Content-Type declared in it, where no byte order mark tells (RFC 7303).

    A text, which declares nothing, is UTF-8 then; compressed bytes, and a charset that is not known, stay.
    """
    known = _codec(label) or ("utf-8" if label.lower() in {"utf-8", "utf8", "us-ascii", "ascii"} else "")
    marks = (codecs.BOM_UTF8, GZIP, *(mark for mark, _ in (*_BOMS, *_NO_BOM)))
    if not known or content.startswith(marks):
        return content
    if not content.lstrip().startswith(b"<"):
        return content if known == "utf-8" else content.decode(known, "replace").encode()
    if found := _DECLARED.match(content[:_DECLARATION_HEAD]):
        return content[: found.start(1)] + label.encode() + content[found.end(1) :]
    if known == "utf-8":
        return content
    if opened := _OPENED.match(content[:_DECLARATION_HEAD]):
        return content[: opened.end()] + b' encoding="%b"' % label.encode() + content[opened.end() :]
    return b'<?xml version="1.0" encoding="%b"?>' % label.encode() + content.lstrip()


def _decode_as(name: str, chunks: Iterator[bytes], report: Callable[[Fault], None]) -> tuple[Iterator[bytes], str]:
    if name.lower() in {"utf-8", "utf8"}:
        return chunks, "utf-8"
    if name.lower() in {"us-ascii", "ascii"}:
        return _check_ascii(chunks, report), "us-ascii"
    report(Fault("encoding", 1, f"declared as {truncate(name, 60)}"))
    codec = _codec(name)
    return (_to_utf_8(chunks, codec), codec) if codec else (chunks, name.lower())


def _codec(name: str) -> str:
    """Python's name of a single- or multi-byte charset; "" for others, which are read as UTF-8."""
    try:
        found = codecs.lookup(name).name
    except (LookupError, ValueError):
        return ""
    return found if _TEXT_CODEC.match(found.replace("-", "_").replace("iso_", "iso")) else ""


def _check_ascii(chunks: Iterator[bytes], report: Callable[[Fault], None]) -> Iterator[bytes]:
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


MAX_TOKEN = 8_388_608
"""Bytes of one tag or comment."""

TOO_LONG = f"a tag or comment of more than {MAX_TOKEN:,} bytes"


class PendingInput:
    """The bytes that a parser has not been given yet, and of those it was, how many belong to an unfinished token."""

    def __init__(self, parser: XMLParserType) -> None:
        self.parsed = 0  # bytes that the parser was given
        self.unfinished = 0  # of these, bytes of a tag or comment that has not ended
        self._parser = parser
        self._buffer: list[bytes] = []
        self._buffered = 0  # bytes of it

    @property
    def waiting(self) -> bool:
        """The parser is within a token, or has not been given everything."""
        return bool(self._buffer or self.unfinished)

    def add(self, piece: bytes) -> bool:
        """Whether it is time to parse."""
        self._buffer.append(piece)
        self._buffered += len(piece)
        return self._buffered >= self.unfinished

    def take(self) -> bytes:
        """What is to be parsed now."""
        piece = b"".join(self._buffer)
        self._buffer.clear()
        self._buffered = 0
        self.parsed += len(piece)
        return piece

    def measure(self) -> int:
        """After it was parsed: the bytes of an unfinished token."""
        self.unfinished = self.parsed - max(self._parser.CurrentByteIndex, 0)
        return self.unfinished
