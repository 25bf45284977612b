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
    with open_regular(path) as file:
        return bounded(file, limit)


def read_head(path: Path | str, limit: int, *, follow: bool = True) -> bytes:
    """The first `limit` bytes. Raises OSError as `read_whole`."""
    descriptor, pieces = _descriptor(path, None, follow=follow), []
    try:
        while limit > 0 and (piece := os.read(descriptor, limit)):
            pieces.append(piece)
            limit -= len(piece)
    finally:
        os.close(descriptor)
    return b"".join(pieces)


def bounded(file: BinaryIO, limit: int) -> bytes:
    """All that a stream holds. The size counts as it is read: a file may grow, and one below /proc states none."""
    data = file.read(limit + 1)
    if len(data) > limit:
        raise OSError(errno.EFBIG, f"it holds more than {limit:,} bytes")
    return data


def open_regular(path: Path | str, folder: int | None = None, *, follow: bool = True) -> BinaryIO:
    """The kind is asked before a device is opened, which may do something, and again of what was opened.

    `folder`: the descriptor that a name is relative to. `follow`: whether the file may be a symbolic link.
    """
    return os.fdopen(_descriptor(path, folder, follow=follow), "rb")


def _descriptor(path: Path | str, folder: int | None, *, follow: bool) -> int:
    try:
        refuse_other(os.stat(path, dir_fd=folder, follow_symlinks=follow).st_mode)
        descriptor = os.open(path, _FLAGS | (0 if follow else getattr(os, "O_NOFOLLOW", 0)), dir_fd=folder)
    except ValueError:  # a name with NUL, or one that the file system cannot spell
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT)) from None
    try:
        refuse_other(os.fstat(descriptor).st_mode)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def refuse_other(mode: int) -> None:
    """Raises OSError for what is no regular file."""
    if stat.S_ISLNK(mode):
        raise through_a_link()
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder")
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is no regular file")


def through_a_link() -> OSError:
    return OSError(errno.ELOOP, "it goes through a symbolic link")
