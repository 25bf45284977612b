"""Content codings, decoded piece by piece; one that does not reach its end is a fault (NET-15).

libcurl does not report a compressed body that ends early inside a correct Content-Length: the rest of the page would be
missing without notice. So the engine receives the coded body and decodes it here. Brotli is not
requested: the standard library cannot decode it, and libcurl does not say where it ends.
"""

import zlib

ACCEPTED = "gzip, deflate"

_NAMES = {"": "", "identity": "", "gzip": "gzip", "x-gzip": "gzip", "deflate": "deflate"}
_GZIP_WINDOW, _ZLIB_WINDOW, _RAW_WINDOW = 31, 15, -15


class BrokenCodingError(Exception):
    """The body is not in the coding that its header names, or ends before it."""


def find_coding(headers: tuple[tuple[str, str], ...]) -> str:
    """The coding of a body, "" for none; raises BrokenCodingError for one that was not requested, or several."""
    names = ", ".join(value for name, value in headers if name == "content-encoding")
    if (found := _NAMES.get(names.strip().lower())) is None:
        raise BrokenCodingError
    return found


class Decoder:
    """Decodes one body; what follows the end of its coding, and is no further member of it, is a fault too."""

    def __init__(self, coding: str) -> None:
        self._engine = zlib.decompressobj(_GZIP_WINDOW) if coding == "gzip" else None
        self._has_members = coding == "gzip"  # several, one behind the other (RFC 1952 §2.2)
        self._start = b""  # of deflate, while it is not known whether it has a header

    def decode(self, data: bytes, most: int) -> bytes:
        """Return at most `most` bytes: with as many, the body is too large, and the decoder is of no further use."""
        if self._engine is None:
            data = self._start + data
            if len(data) == 1:
                self._start = data
                return b""
            self._engine = _deflate(data)
        found = self._decompress(data, most)
        while self._engine.eof and (rest := self._engine.unused_data) and len(found) < most:
            if not self._has_members:
                raise BrokenCodingError
            self._engine = zlib.decompressobj(_GZIP_WINDOW)
            found += self._decompress(rest, most - len(found))
        return found

    def _decompress(self, data: bytes, most: int) -> bytes:
        assert self._engine is not None  # noqa: S101 - the only caller has made it
        try:
            return self._engine.decompress(data, most)
        except zlib.error:
            raise BrokenCodingError from None

    def finish(self) -> None:
        """End the body: raises BrokenCodingError where the coding has not reached its own."""
        if self._engine is None or not self._engine.eof:
            raise BrokenCodingError


def _deflate(start: bytes) -> "zlib._Decompress":
    """Some servers send deflate without the header of zlib (RFC 9110 §8.4.1.2)."""
    has_header = start[0] & 15 == zlib.DEFLATED and int.from_bytes(start[:2]) % 31 == 0
    return zlib.decompressobj(_ZLIB_WINDOW if has_header else _RAW_WINDOW)
