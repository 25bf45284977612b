"""A folder that was reached through no symbolic link, held by its descriptor: a swap of its path changes nothing.

As root, what is done in it is done with the rights of its owner: root itself neither writes nor changes an owner. Where
a folder has no descriptor (Windows), its path stands for it, and each name is asked before it is used.
"""

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
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


_BY_DESCRIPTOR = os.open in os.supports_dir_fd
_SEARCH = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


class Folder:
    """Names in it are names alone, without a separator. Methods raise OSError with the reason as `strerror`."""

    def __init__(self, path: Path, descriptor: int | None, *, made: bool = False) -> None:
        self._path = path
        self._descriptor = descriptor
        self.made = made  # by this run

    @classmethod
    def at(cls, path: Path) -> "Folder":
        """The folder that a user has named, through whatever links."""
        return cls(path, os.open(path, _SEARCH) if _BY_DESCRIPTOR else None)

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)

    def enter(self, name: str, *, make: bool = False) -> "Folder":
        """A folder in this one; `make`: create it where there is none."""
        made = False
        if make and self.mode(name) is None:
            with self.owners_rights(), suppress(FileExistsError):
                os.mkdir(self._name(name), dir_fd=self._descriptor)
                made = True
        mode = self.mode(name)
        if mode is None:
            raise FileNotFoundError(2, os.strerror(2))
        if stat.S_ISLNK(mode):
            raise through_a_link()
        if not stat.S_ISDIR(mode):
            raise NotADirectoryError(20, os.strerror(20))
        found = os.open(name, _SEARCH | _NO_LINK, dir_fd=self._descriptor) if _BY_DESCRIPTOR else None
        return Folder(self._path / name, found, made=made)

    def mode(self, name: str) -> int | None:
        """The mode of the entry itself, not of a link's target; None where there is no entry."""
        try:
            return os.stat(self._name(name), dir_fd=self._descriptor, follow_symlinks=False).st_mode
        except FileNotFoundError:
            return None

    def names(self) -> list[str]:
        if self._descriptor is None:
            return [found.name for found in self._path.iterdir()]
        listed = os.open(".", os.O_RDONLY, dir_fd=self._descriptor)
        try:
            return os.listdir(listed)  # noqa: PTH208 - a descriptor is no Path
        finally:
            os.close(listed)

    def open_regular(self, name: str) -> BinaryIO:
        """Opens a regular file for reading; a symbolic link is refused."""
        return open_regular(self._name(name), self._descriptor, follow=False)

    def replaced_mode(self, name: str) -> int | None:
        """Permissions of the file that another is to take the place of; None where there is none."""
        mode = self.mode(name)
        if mode is None:
            return None
        refuse_other(mode)
        return mode & 0o777

    def create(self, name: str, flags: int = os.O_EXCL | os.O_CREAT) -> int:
        """The descriptor of a new file, for writing."""
        with self.owners_rights():
            flags |= os.O_WRONLY | _NO_LINK | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
            return os.open(self._name(name), flags, 0o600, dir_fd=self._descriptor)

    def give_name(self, descriptor: int, name: str) -> None:
        """Names a file that was created without a name."""
        with self.owners_rights():
            os.link(f"/proc/self/fd/{descriptor}", name, dst_dir_fd=self._descriptor, follow_symlinks=True)

    def replace(self, name: str, place: str) -> None:
        with self.owners_rights():
            here = self._descriptor
            os.replace(self._name(name), self._name(place), src_dir_fd=here, dst_dir_fd=here)

    def link(self, name: str, place: str) -> None:
        """A second name for a file; raises FileExistsError where that is taken."""
        with self.owners_rights():
            here = self._descriptor
            os.link(self._name(name), self._name(place), src_dir_fd=here, dst_dir_fd=here, follow_symlinks=False)

    def unlink(self, name: str) -> None:
        with self.owners_rights(), suppress(FileNotFoundError):
            os.unlink(self._name(name), dir_fd=self._descriptor)

    @contextmanager
    def owners_rights(self) -> Iterator[None]:
        """As root, takes on user and group of the folder's owner, and no other group; others keep theirs."""
        if self._descriptor is None or os.geteuid() != 0 or not (owner := os.fstat(self._descriptor)).st_uid:
            yield
            return
        group, groups = os.getegid(), os.getgroups()
        try:
            with suppress(OSError):  # root of a container without the capability, or of one that maps no such user
                os.setgroups([])
                os.setegid(owner.st_gid)
                os.seteuid(owner.st_uid)
            yield
        finally:
            with suppress(PermissionError):
                os.seteuid(0)
                os.setegid(group)
                os.setgroups(groups)

    def _name(self, name: str) -> str:
        return name if self._descriptor is not None else str(self._path / name)


@contextmanager
def open_folder(root: Path, names: Sequence[str], *, make: bool = False) -> Iterator[Folder]:
    """The folder below `root` that the names lead to, one by one, through no link; `make`: create what is missing."""
    folder = Folder.at(root)
    try:
        for name in names:
            inner = folder.enter(name, make=make)
            folder.close()
            folder = inner
        yield folder
    finally:
        folder.close()
