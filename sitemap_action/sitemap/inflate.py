"""Decompression: gzip by its magic bytes, with several members, at most twice, of bounded size (SM-10)."""

import zlib
from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from msgspec import Struct

from sitemap_action.model.sitemap import Fault
from sitemap_action.sitemap.faults import StopReading, stop_reading
from sitemap_action.sitemap.limits import MAX_BYTES, MAX_INFLATED

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


class Inflated(Struct, frozen=True):
    """The uncompressed bytes of a document; `chunks` raises StopReading where they are damaged or too many."""

    chunks: Iterator[bytes]
    compressed: bool


def inflate(
    data: bytes | Iterable[bytes], report: Callable[[Fault], None], name: str = "", limit: int = MAX_INFLATED
) -> Inflated:
    """`name`: of the file or URL, "" when it implies nothing (a server's Content-Encoding was already decoded)."""
    head, rest = peek(blocks(data), _HEAD)
    layers = 0
    while head.startswith(GZIP):
        layers += 1
        if layers > 2:
            stop_reading("compression", detail="gzip within gzip within gzip")
        head, rest = peek(_limited(_decompressed(chain((head,), rest), report), limit), _HEAD)
    if layers == 2:
        report(Fault("gzip-nested"))
    for magic, kind in _UNSUPPORTED.items():
        if head.startswith(magic):
            stop_reading("compression", detail=kind)
    if not layers and name.lower().endswith(".gz"):
        report(Fault("gzip-name"))
    return Inflated(_measured(_limited(chain((head,), rest), limit), report), layers > 0)


def size_of(content: bytes) -> int:
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


def _decompressed(chunks: Iterator[bytes], report: Callable[[Fault], None]) -> Iterator[bytes]:
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
        stop_reading("gzip-damaged", detail="the compressed data ends early")


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


def _limited(chunks: Iterator[bytes], limit: int) -> Iterator[bytes]:
    left = limit
    for chunk in chunks:
        yield chunk[:left]
        left -= len(chunk)
        if left < 0:
            stop_reading("inflated", detail=f"more than {limit:,} bytes")


def _measured(chunks: Iterator[bytes], report: Callable[[Fault], None]) -> Iterator[bytes]:
    size = 0
    for chunk in chunks:
        if size <= MAX_BYTES < size + len(chunk):
            report(Fault("too-large"))
        size += len(chunk)
        yield chunk
