"""The checksum at the end of a state file: SQLite ignores what follows its pages, and detects no changed value."""

import os
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO
from zlib import crc32

from sitemap_action.inventory.safe_database import DamagedStateError

_SEAL = b"STMPSEAL"
_SEAL_SIZE = len(_SEAL) + 12  # with the length of the file, 8 bytes, and its CRC-32
_PAGE = 512  # bytes: every page size of SQLite is a multiple


def append_checksum(path: Path) -> None:
    """Append the checksum, after the last connection was closed; a run that is killed before leaves none."""
    with suppress(OSError), path.open("r+b") as file:
        wal = path.with_name(f"{path.name}-wal")
        if not (wal.exists() and wal.stat().st_size):
            size = file.seek(0, os.SEEK_END)
            size, checksum = _checksum(file, size - size % _PAGE)
            file.truncate(size)
            file.seek(size)
            file.write(_SEAL + size.to_bytes(8, "big") + checksum.to_bytes(4, "big"))


def remove_checksum(path: Path) -> None:
    """Check the checksum and remove it; a file without one is of a run that was killed."""
    with path.open("r+b") as file:
        if (length := _verified(file)) is not None:
            file.truncate(length)


def has_checksum(path: Path) -> bool:
    """Whether the run that wrote the file has ended. Raises DamagedStateError where the checksum is wrong."""
    with path.open("rb") as file:
        return _verified(file) is not None


def _verified(file: BinaryIO) -> int | None:
    """Bytes before the checksum; None where there is none."""
    size = file.seek(0, os.SEEK_END)
    if size % _PAGE == 0:
        return None
    file.seek(max(size - _SEAL_SIZE, 0))
    trailer = file.read(_SEAL_SIZE)
    length, checksum = _checksum(file, size - _SEAL_SIZE)
    if trailer != _SEAL + length.to_bytes(8, "big") + checksum.to_bytes(4, "big"):
        raise DamagedStateError("its checksum is wrong, or it is cut short")
    return length


def _checksum(file: BinaryIO, size: int) -> tuple[int, int]:
    """(length, CRC-32) of the first `size` bytes: it detects damage, not an intention."""
    file.seek(0)
    length = checksum = 0
    while piece := file.read(min(2**20, size - length)):
        length += len(piece)
        checksum = crc32(piece, checksum)
    return length, checksum
