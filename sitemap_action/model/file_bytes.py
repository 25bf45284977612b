"""The bytes of the files that would be written: those of a large sitemap are compressed until they are used.

A million URLs are 110 MB, and a tenth of it compressed. What a small sitemap has is kept as it is.
"""

import zlib
from typing import NamedTuple, TypeAlias

from msgspec import Struct

_PLAIN = 4 * 2**20  # bytes that are kept as they are
_LEVEL = 1  # of zlib: the fastest


class _Deflated(NamedTuple):
    data: bytes


Block: TypeAlias = bytes | _Deflated


class FileBytes(Struct, frozen=True):
    """Of one file; `bytes` makes them, and `len` is how many."""

    blocks: tuple[Block, ...]
    size: int

    def __len__(self) -> int:
        return self.size

    def __bytes__(self) -> bytes:
        return b"".join([zlib.decompress(one.data) if isinstance(one, _Deflated) else one for one in self.blocks])


class BlockStore:
    """Makes blocks of some kilobytes for the files of one sitemap, which share the room for what is not compressed."""

    def __init__(self) -> None:
        self._plain = 0

    def block(self, text: str) -> tuple[Block, int]:
        """And its size."""
        data = text.encode()
        self._plain += len(data)
        return data if self._plain <= _PLAIN else _Deflated(zlib.compress(data, _LEVEL)), len(data)


class BlockList:
    """The content of one file while it is made."""

    def __init__(self, store: BlockStore) -> None:
        self._store = store
        self._blocks: list[Block] = []
        self._size = 0

    def add(self, text: str) -> None:
        block, size = self._store.block(text)
        self._blocks.append(block)
        self._size += size

    def between(self, head: bytes, foot: bytes) -> FileBytes:
        return FileBytes((head, *self._blocks, foot), len(head) + self._size + len(foot))
