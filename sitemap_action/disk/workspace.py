"""The one place that resolves a path which a config, an input, a state or a report names: below a folder, by no link.

The command line may name what it likes, and does not come here.
"""

import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import BinaryIO

from msgspec import Struct

from sitemap_action.disk.folder import Folder, open_folder, read_bounded
from sitemap_action.web.printable import fold_file_name

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
