"""Limits of the protocol, and how much of one document the reader accepts."""

from msgspec import Struct

MAX_URLS = 50_000
"""Of one file, and of an index its children (SM-06, SM-60)."""

MAX_BYTES = 52_428_800
"""Of one file, uncompressed (SM-07)."""

MAX_NEWS = 1_000
"""News of one file (NEWS-02)."""

MAX_INFLATED = 209_715_200
"""Bytes of one file, uncompressed, that are read by default, 200 MiB; more than `MAX_BYTES` is SM-07."""

PADDING = " \t\r\n\x85\xa0\u202f\u205f\u2060\u3000\ufeff" + "".join(map(chr, range(0x2000, 0x200C)))
"""Spaces that editors and content systems put round a URL; most are invisible."""


class ReadLimits(Struct, frozen=True):
    """All far beyond what the protocol allows, so that every breach of the protocol is still read and counted."""

    inflated: int = MAX_INFLATED  # bytes, uncompressed
    entries: int = 1_000_000
    text: int = 65_536  # characters of one element
    depth: int = 64  # of elements below the root
    attributes: int = 100  # of one element
    faults: int = 1_000  # of a text file before its first URL
