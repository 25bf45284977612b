"""What a run remembers of a document, as bytes that only the reader understands."""

from typing import TypeAlias

Packed: TypeAlias = tuple[bytes, bytes]  # digest of all that was read, and what was found
PackedDocument: TypeAlias = tuple[str, bytes, bytes]  # with the URL before these
