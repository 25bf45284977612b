"""Regular files are read, and files are replaced whole, in a folder that was reached through no symbolic link.

A folder is held by its descriptor: a swap of its path changes nothing. As root, what is done in it is done with the
rights of its owner: root itself neither writes nor changes an owner. Where a folder has no descriptor (Windows), its
path stands for it, and each name is asked before it is used.

New content is whole on the disk before it takes the place of a file, which happens at once (`Draft`). A draft has no
name until then, so that a killed run leaves none behind. Where the file system makes no such file it has a random name,
and is deleted by that name alone.

`Workspace` is the one place that resolves a path which a config, an input, a state or a report names: below a folder,
by no link. The command line may name what it likes, and does not come here.
"""

import errno
import os
import stat
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path, PurePath
from types import TracebackType
from typing import BinaryIO, Self

from msgspec import Struct

from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.web.printable import fold_file_name

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
        return read_bounded(file, limit)


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


def read_bounded(file: BinaryIO, limit: int) -> bytes:
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
        return None if (found := self.state(name)) is None else found.st_mode

    def state(self, name: str) -> os.stat_result | None:
        """What the file system has of the entry itself, not of a link's target; None where there is no entry."""
        try:
            return os.stat(self._name(name), dir_fd=self._descriptor, follow_symlinks=False)
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
        """Act with user and group of the folder's owner, and no other group, as root; others keep theirs."""
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
    folder = Folder(root, os.open(root, _SEARCH) if _BY_DESCRIPTOR else None)  # through whatever links a user names
    try:
        for name in names:
            inner = folder.enter(name, make=make)
            folder.close()
            folder = inner
        yield folder
    finally:
        folder.close()


_UNNAMED = getattr(os, "O_TMPFILE", 0) if Path("/proc/self/fd").is_dir() else 0


class Draft:
    """New content of a file. Use as a context: what took no place is gone at its end. Methods raise OSError."""

    def __init__(self, folder: Folder, place: str, *, unnamed: bool = True) -> None:
        """`place`: the file to be replaced or created; what is there and is no regular file is refused.

        `unnamed`: such a draft holds a descriptor to its end, of which a process has few.
        """
        self._folder, self._place, self._name = folder, place, ""
        mode = folder.mode(place)
        if mode is not None:
            refuse_other(mode)
        self._mode = 0o644 if mode is None else mode & 0o777
        self._descriptor = self._create_unnamed() if unnamed and _UNNAMED else None
        if self._descriptor is None:
            self._name = _random_name()
            self._descriptor = folder.create(self._name)

    def _create_unnamed(self) -> int | None:
        try:
            return self._folder.create(".", _UNNAMED)
        except OSError:
            return None  # not on this file system; anything else is an error of the file with a name too

    def write(self, content: bytes) -> None:
        assert self._descriptor is not None  # noqa: S101 - until it is synced
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(self._descriptor, rest) :]

    def sync(self) -> None:
        """All of the content is on the disk; a full one is found here, before any file is replaced."""
        if self._descriptor is None:
            return
        os.fsync(self._descriptor)
        if hasattr(os, "fchmod"):
            os.fchmod(self._descriptor, self._mode)
        if self._name:
            self._close()

    def take_place(self) -> None:
        self._folder.replace(self._give_name(), self._place)
        self._name = ""

    def take_free_place(self) -> None:
        """Take a place where nothing is yet: raises FileExistsError for whatever is there by now."""
        self._folder.link(self._give_name(), self._place)

    def _give_name(self) -> str:
        self.sync()
        if self._descriptor is not None:
            name = _random_name()
            self._folder.give_name(self._descriptor, name)
            self._name = name
        return self._name

    def _close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()
        if self._name:
            self._folder.unlink(self._name)


_DRAFT = lazy_re(r"\.sitemap-action-[0-9a-f]{32}")
_OLD = 3600  # seconds; a younger draft may be that of another run


def _random_name() -> str:
    return f".sitemap-action-{os.urandom(16).hex()}"


def remove_old_drafts(folder: Folder) -> None:
    """What killed runs have left, where it may be removed (R-39)."""
    with suppress(OSError):
        for name in filter(_DRAFT.fullmatch, folder.names()):
            found = folder.state(name)
            if found is not None and stat.S_ISREG(found.st_mode) and time.time() - found.st_mtime > _OLD:
                folder.unlink(name)


def replace_file(folder: Folder, name: str, content: bytes) -> None:
    """Write a whole file, or leave the existing one as it is. Raises OSError."""
    remove_old_drafts(folder)
    with Draft(folder, name) as draft:
        draft.write(content)
        draft.take_place()


GIT = frozenset({".git", "git~1"})  # never read: the token of a checkout may be in its configuration
FORGE = frozenset({".github", "github~1"})  # read, never written
_LONGEST, _DEEPEST = 4095, 100  # characters, folders: what is made name by name has to be deleted again


def path_names(path: str, root: Path, closed: frozenset[str] = GIT) -> tuple[str, ...]:
    """The names that a path consists of, below `root`; raises OSError with the reason as `strerror`.

    Nothing on the disk is asked: `open_folder` follows the names. `closed`: folders whose content is out of bounds.
    """
    if "\0" in path:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    pure = PurePath(path)
    if len(path) > _LONGEST or len(pure.parts) > _DEEPEST:
        raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))
    if pure.anchor and pure.is_relative_to(root.absolute()):
        pure = pure.relative_to(root.absolute())
    if pure.anchor or ".." in pure.parts:
        raise PermissionError(errno.EPERM, "it is outside of the workspace")
    if found := closed_folder(pure.parts, closed):
        raise PermissionError(errno.EPERM, f"it is in {found}")
    return pure.parts


def closed_folder(names: Iterable[str], closed: frozenset[str] = GIT) -> str:
    """The name among them of a folder that is out of bounds, however a file system spells it; "" for none."""
    return min(closed & {fold_file_name(name) for name in names}, default="")


class Workspace(Struct, frozen=True):
    """A folder that everything in it belongs to; each method resolves its path once, and reads what that led to."""

    root: Path

    def read_whole(self, path: str, limit: int) -> bytes:
        """Raises OSError, with the reason as `strerror`; also for a file of more than `limit` bytes."""
        with self._open(path) as file:
            return read_bounded(file, limit)

    def read_head(self, path: str, limit: int) -> bytes:
        """The first `limit` bytes. Raises OSError as `read_whole`."""
        with self._open(path) as file:
            return file.read(limit)

    @contextmanager
    def folder(self, path: str) -> Iterator[Folder]:
        with open_folder(self.root, path_names(path, self.root)) as found:
            yield found

    def folder_path(self, path: str) -> Path:
        """The path of a folder that is read by it: no part is a link. Raises OSError."""
        names = path_names(path, self.root)
        with open_folder(self.root, names):
            return self.root.joinpath(*names)

    @contextmanager
    def _open(self, path: str) -> Iterator[BinaryIO]:
        names = path_names(path, self.root)
        if not names:
            raise IsADirectoryError(errno.EISDIR, "it is a folder")
        with open_folder(self.root, names[:-1]) as folder, folder.open_regular(names[-1]) as file:
            yield file
