"""Bytes as stored to bytes as meant: gzip by its magic bytes, several members, at most twice, bounded (SM-10)."""

import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from sitemap_action.model.sitemap import Fault
from sitemap_action.sitemap.faults import StopReading, stop
from sitemap_action.sitemap.names import MAX_BYTES

BLOCK = 65_536
MAX_INFLATED = 209_715_200
"""Read to here, 200 MiB; larger than `MAX_BYTES` is SM-07."""

GZIP = b"\x1f\x8b"
"""What it begins with (RFC 1952 §2.3.1)."""

_OTHERS = {
    b"PK\x03\x04": "zip",
    b"BZh": "bzip2",
    b"\xfd7zXZ": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"7z\xbc\xaf": "7-zip",
}
_MAGIC = 8  # bytes
_MAX_MEMBERS = 10_000


@dataclass(frozen=True, slots=True)
class Plain:
    """A document's bytes without compression; iterating `chunks` raises Stop where they end wrongly."""

    chunks: Iterator[bytes]
    compressed: bool


def plain(
    data: bytes | Iterable[bytes], report: Callable[[Fault], None], name: str = "", limit: int = MAX_INFLATED
) -> Plain:
    """`name`: of the file or URL, "" when it says nothing (a server's Content-Encoding was already undone)."""
    head, rest = peek(blocks(data), _MAGIC)
    layers = 0
    while head.startswith(GZIP):
        layers += 1
        if layers > 2:
            stop("compression", detail="gzip within gzip within gzip")
        head, rest = peek(_capped(_members(chain((head,), rest), report), limit), _MAGIC)
    if layers == 2:
        report(Fault("gzip-nested"))
    for magic, kind in _OTHERS.items():
        if head.startswith(magic):
            stop("compression", detail=kind)
    if not layers and name.lower().endswith(".gz"):
        report(Fault("gzip-name"))
    return Plain(_measured(_capped(chain((head,), rest), limit), report), layers > 0)


def blocks(data: bytes | Iterable[bytes]) -> Iterator[bytes]:
    """The bytes in pieces of at most BLOCK."""
    for piece in (data,) if isinstance(data, bytes) else data:
        for start in range(0, len(piece), BLOCK):
            yield piece[start : start + BLOCK]


def peek(chunks: Iterator[bytes], size: int) -> tuple[bytes, Iterator[bytes]]:
    """The first bytes, `size` of them where there are as many, and the rest; what stops the reading stops it there."""
    taken: list[bytes] = []
    length = 0
    try:
        for chunk in chunks:
            taken.append(chunk)
            length += len(chunk)
            if length >= size:
                break
    except StopReading as end:
        return b"".join(taken), _stopped(end)
    return b"".join(taken), chunks


def _stopped(end: StopReading) -> Iterator[bytes]:
    yield b""
    raise end


def _members(chunks: Iterator[bytes], report: Callable[[Fault], None]) -> Iterator[bytes]:
    """What every member holds; zeros between members are padding (RFC 1952 §2.2, gzip's own practice)."""
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
                    stop("too-much", detail=f"more than {_MAX_MEMBERS:,} gzip members")
                engine = zlib.decompressobj(31)
            yield from _inflated(engine, chunk)
            if not engine.eof:
                break
            chunk, engine = engine.unused_data, None
    if engine is not None:
        stop("gzip-damaged", detail="the compressed data ends early")


def _inflated(engine: "zlib._Decompress", chunk: bytes) -> Iterator[bytes]:
    while True:
        spare = engine.copy()
        try:
            block = engine.decompress(chunk, BLOCK)
        except zlib.error as error:
            yield _rescued(spare, chunk)
            stop("gzip-damaged", detail=str(error))
        if block:
            yield block
        chunk = engine.unconsumed_tail
        if engine.eof or (not chunk and len(block) < BLOCK):
            return


def _rescued(engine: "zlib._Decompress", chunk: bytes) -> bytes:
    """What stands before the damage, byte by byte: the engine throws away the block in which it finds one."""
    good: list[bytes] = []
    try:
        for at in range(len(chunk)):
            good.append(engine.decompress(chunk[at : at + 1], BLOCK))  # noqa: PERF401 - kept when the next one raises
    except zlib.error:
        pass
    return b"".join(good)


def _capped(chunks: Iterator[bytes], limit: int) -> Iterator[bytes]:
    left = limit
    for chunk in chunks:
        yield chunk[:left]
        left -= len(chunk)
        if left < 0:
            stop("inflated", detail=f"more than {limit:,} bytes")


def _measured(chunks: Iterator[bytes], report: Callable[[Fault], None]) -> Iterator[bytes]:
    size = 0
    for chunk in chunks:
        if size <= MAX_BYTES < size + len(chunk):
            report(Fault("too-large"))
        size += len(chunk)
        yield chunk
