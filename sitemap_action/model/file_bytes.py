"""The bytes of the files that would be written: those of a large sitemap are compressed until they are used.

A million URLs are 110 MB, and a tenth of it compressed. What a small sitemap has is kept as it is.
"""

import zlib
from typing import NamedTuple, TypeAlias

from msgspec import Struct

_PLAIN = 4 * 2**20  # bytes that are kept as they are
_LEVEL = 1  # of zlib: the fastest
_BLOCK, _PIECES = 64 * 2**10, 500  # so many characters, or so many texts, are joined


class _Deflated(NamedTuple):
    data: bytes


Block: TypeAlias = bytes | _Deflated


class FileBytes(Struct, frozen=True):
    """The content of one file; `bytes` makes it, and `len` is its size."""

    blocks: tuple[Block, ...]
    size: int

    def __len__(self) -> int:
        return self.size

    def __bytes__(self) -> bytes:
        return b"".join([zlib.decompress(one.data) if isinstance(one, _Deflated) else one for one in self.blocks])


class BlockStore:
    """The room for what is not compressed, which the files of one sitemap share."""

    def __init__(self) -> None:
        self._plain = 0

    def make_block(self, data: bytes) -> Block:
        self._plain += len(data)
        return data if self._plain <= _PLAIN else _Deflated(zlib.compress(data, _LEVEL))


class BlockList:
    """The content of one file while it is made of small pieces, which are joined to blocks of some kilobytes."""

    def __init__(self, store: BlockStore) -> None:
        self._store = store
        self._pieces: list[str] = []
        self._waiting = 0  # characters of them
        self._blocks: list[Block] = []
        self._size = 0

    def add(self, text: str) -> None:
        self._pieces.append(text)
        self._waiting += len(text)
        if self._waiting >= _BLOCK or len(self._pieces) == _PIECES:
            self._join()

    def frame(self, head: bytes, foot: bytes) -> FileBytes:
        """The file, with what stands before and behind its content."""
        self._join()
        return FileBytes((head, *self._blocks, foot), len(head) + self._size + len(foot))

    def _join(self) -> None:
        if self._pieces:
            data = "".join(self._pieces).encode()
            self._blocks.append(self._store.make_block(data))
            self._size += len(data)
            self._pieces.clear()
            self._waiting = 0
