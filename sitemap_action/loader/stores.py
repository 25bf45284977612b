"""Where files are kept by path: a work tree, or a commit of a repository."""

import errno
import os
from collections.abc import Callable, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import unquote, urlsplit

from msgspec import Struct

from sitemap_action.disk.folder import read_whole
from sitemap_action.disk.workspace import Workspace
from sitemap_action.errors import BaselineError
from sitemap_action.repo.remote import Remote
from sitemap_action.sitemap.protocol import MAX_INFLATED

if TYPE_CHECKING:
    from sitemap_action.repo.git import Git

Store: TypeAlias = Callable[[str], bytes | None]
"""Path with `/` → content; None when there is no such file. Raises BaselineError when it cannot be read."""


class WorkTree(Struct, frozen=True):
    """Files below a directory, as a Store: through no link, and never what is git's.

    `named`: a path that the command line gave. It may lead anywhere, and what is beside it is below its folder.
    """

    root: Path
    named: str = ""

    def __call__(self, path: str) -> bytes | None:
        try:
            return self._read(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:
                return None  # no file has such a name
            hint = "name a regular file of the workspace that this user may read, without a symbolic link"
            raise BaselineError(f"cannot read {path}: {error.strerror}", hint=hint) from None

    def _read(self, path: str) -> bytes:
        folder = PurePosixPath(self.named).parent
        if self.named == path:
            return read_whole(self.root / path, MAX_INFLATED)
        if self.named and PurePosixPath(path).is_relative_to(folder):
            beside = PurePosixPath(path).relative_to(folder)
            return Workspace(self.root / folder).read_whole(str(beside), MAX_INFLATED)
        return Workspace(self.root).read_whole(path, MAX_INFLATED)


class GitTree(Struct, frozen=True):
    """Files at a commit, as a Store: by path in the workspace, which may be a part of the repository, or hold it."""

    git: "Git"
    commit: str
    workspace: Path
    top: Path | None  # of the repository's work tree
    remote: Remote | None = None  # has the files where the commit is not in this clone

    def __call__(self, path: str) -> bytes | None:
        inside = path_inside(self.top, self.workspace, path)
        return (self.remote or self.git).blob(self.commit, inside) if inside else None

    def first(self, paths: Sequence[str]) -> str:
        """The first of the paths that the commit has; "" when it has none."""
        if self.remote is not None:
            return next((path for path in paths if self(path) is not None), "")
        named = {path: path_inside(self.top, self.workspace, path) for path in paths}
        found = self.git.listed([name for name in named.values() if name], self.commit) if any(named.values()) else ()
        return next((path for path, name in named.items() if name in found), "")


def git_tree(git: "Git", commit: str, workspace: Path, remote: Remote | None = None) -> GitTree:
    return GitTree(git, commit, workspace, git.top(), remote)


class Trees(Struct, frozen=True):
    """All files of the repository, at the commit of a baseline and at the one that is checked out."""

    then: Store
    now: Store


def path_inside(top: Path | None, workspace: Path, path: str) -> str:
    """The path in the repository; "" outside of it."""
    if top is None:
        return ""
    full, root = Path(os.path.normpath(workspace.resolve() / path)), top.resolve()
    return full.relative_to(root).as_posix() if full.is_relative_to(root) else ""


def beside(directory: str, address: str, store: Store) -> tuple[str, bytes] | None:
    """(path, content) of the file that a sitemap of this URL is kept in; None when the directory has none.

    A child is kept beside its index: the longest tail of its URL path that names a file there is that file. With a
    query it is another document, so that the file's name must have the query too.
    """
    parts = urlsplit(address)
    segments = [part for part in unquote(parts.path).split("/") if part not in ("", ".", "..")]
    if parts.query and segments:
        segments[-1] += f"?{parts.query}"
    for start in range(len(segments)):
        path = str(PurePosixPath(directory).joinpath(*segments[start:]))
        if (content := store(path)) is not None:
            return path, content
    return None
