"""Compressed bodies, inflated piece by piece and never past a cap: a bomb costs no more than that (NET-11)."""

import zlib
from collections.abc import Iterator

_STEP = 64 * 1024
_AUTO = 47  # zlib: gzip or zlib header, whichever is there
_RAW = -15

CODINGS = "gzip, deflate"


class Inflate:
    """One Content-Encoding: gzip, deflate (with a zlib header, or without as some servers send it), or none.

    Raises zlib.error for a broken stream, and for a coding that was not asked for.
    """

    def __init__(self, coding: str) -> None:
        coding = coding.strip().lower()
        if coding not in {"", "identity", "gzip", "x-gzip", "deflate"}:
            raise zlib.error(f"the coding {coding[:40]!r} was not asked for")
        self._plain = coding in {"", "identity"}
        self._undecided = coding == "deflate"
        self._held = b""  # the first byte, until a second one tells what kind of deflate this is
        self._stream = zlib.decompressobj(_AUTO)
        self._fed = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        """What these bytes inflate to, in pieces of bounded size."""
        if self._plain:
            yield data
            return
        if self._undecided:
            data = self._decided(data)
        while data:
            self._fed = True
            yield self._stream.decompress(data, _STEP)
            data = self._stream.unconsumed_tail or self._next_member()

    def _decided(self, data: bytes) -> bytes:
        """The bytes so far once there are two of them, which make a zlib header or none (RFC 1950 §2.2)."""
        data = self._held + data
        if len(data) < 2:
            self._held = data
            return b""
        self._undecided = False
        if data[0] & 0x0F != zlib.DEFLATED or (data[0] << 8 | data[1]) % 31:
            self._stream = zlib.decompressobj(_RAW)
        return data

    def end(self) -> None:
        """Raises zlib.error when the body ended before its stream did."""
        if self._fed and not self._stream.eof:
            raise zlib.error("it ends too early")

    def _next_member(self) -> bytes:
        """Gzip may hold several members, one after the other (RFC 1952 §2.2)."""
        rest = self._stream.unused_data
        if rest:
            self._stream = zlib.decompressobj(_AUTO)
        return rest
