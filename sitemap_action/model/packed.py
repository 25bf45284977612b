"""What a run remembers of a document, as bytes that only the reader understands; read as hostile."""

import zlib
from typing import Any, TypeAlias, TypeVar

import msgspec

Packed: TypeAlias = tuple[bytes, bytes]  # digest of all that was read, and what was found
PackedDocument: TypeAlias = tuple[str, bytes, bytes]  # with the URL before these
_T = TypeVar("_T")
_LARGEST = 64 * 2**20  # bytes of one document, unpacked
_encoder = msgspec.msgpack.Encoder()


def pack(value: Any) -> bytes:
    """b"" where a text is no Unicode."""
    try:
        return zlib.compress(_encoder.encode(value), 1)
    except UnicodeEncodeError:
        return b""


def unpack(packed: bytes, decoder: msgspec.msgpack.Decoder[_T]) -> _T | None:
    """None for what `pack` has not made of a value of this type."""
    inflater = zlib.decompressobj()
    try:
        found = inflater.decompress(packed, _LARGEST)
        return decoder.decode(found) if inflater.eof else None
    except (zlib.error, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
