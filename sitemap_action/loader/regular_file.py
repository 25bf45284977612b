"""Bytes of a regular file, at most so many: a device, a pipe or a folder under its name is an error."""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)  # a pipe without a writer would wait for ever
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


def read_whole(path: Path, limit: int) -> bytes:
    """Raises OSError, with the reason as `strerror`; also for a file of more than `limit` bytes."""
    with _opened(path) as file:
        return bounded(file, limit)


def read_head(path: Path, limit: int) -> bytes:
    """The first `limit` bytes. Raises OSError as `read_whole`."""
    with _opened(path) as file:
        return file.read(limit)


def bounded(file: BinaryIO, limit: int) -> bytes:
    """All that a stream holds. The size counts as it is read: a file may grow, and one below /proc states none."""
    data = file.read(limit + 1)
    if len(data) > limit:
        raise OSError(errno.EFBIG, f"it holds more than {limit:,} bytes")
    return data


def _opened(path: Path) -> BinaryIO:
    """The kind is asked before a device is opened, which may do something, and again of what was opened."""
    try:
        _refuse_other(path.stat().st_mode)
        descriptor = os.open(path, _FLAGS)
    except ValueError:  # a name with NUL, or one that the file system cannot spell
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT)) from None
    file = os.fdopen(descriptor, "rb")
    try:
        _refuse_other(os.fstat(descriptor).st_mode)
    except OSError:
        file.close()
        raise
    return file


def _refuse_other(mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder")
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is no regular file")
