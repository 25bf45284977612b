"""The places that keep files: a work tree, and a commit of a repository here or on its server.

Only the user names a file. A sitemap names URLs, which are looked up beside the first file, by path; nothing in a
sitemap reaches any other file, and a sitemap of the web reaches none.
"""

import errno
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import TypeAlias
from urllib.parse import unquote, urlsplit

from msgspec import Struct

from sitemap_action.disk.folder import Workspace, read_whole
from sitemap_action.errors import BaselineError
from sitemap_action.model.sitemap import DocumentKind, DocumentStart
from sitemap_action.repo.git import Git
from sitemap_action.repo.github import GitHub
from sitemap_action.sitemap.protocol import MAX_INFLATED
from sitemap_action.sitemap.read import read

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

    git: Git
    commit: str
    workspace: Path
    top: Path | None  # of the repository's work tree
    remote: GitHub | None = None  # has the files where the commit is not in this clone

    def __call__(self, path: str) -> bytes | None:
        inside = path_inside(self.top, self.workspace, path)
        return (self.remote or self.git).blob(self.commit, inside) if inside else None

    def find_first(self, paths: Sequence[str]) -> str:
        """The first of the paths that the commit has; "" when it has none."""
        if self.remote is not None:
            return next((path for path in paths if self(path) is not None), "")
        named = {path: path_inside(self.top, self.workspace, path) for path in paths}
        found = self.git.find_first(self.commit, [name for name in named.values() if name])
        return next((path for path, name in named.items() if name == found and found), "")

    def files(self) -> Iterator[str]:
        """Every file of the commit that lies in the workspace, by its path there. Raises BaselineError."""
        if self.top is None:
            return
        top, root = self.top.resolve(), self.workspace.resolve()
        for name in (self.remote or self.git).walk_files(self.commit):
            if (top / name).is_relative_to(root):
                yield (top / name).relative_to(root).as_posix()

    def checked_out(self) -> "GitTree":
        """The commit of the work tree, in the same repository."""
        return git_tree(self.git, "HEAD", self.workspace)


def git_tree(git: Git, commit: str, workspace: Path, remote: GitHub | None = None) -> GitTree:
    return GitTree(git, commit, workspace, git.top(), remote)


def path_inside(top: Path | None, workspace: Path, path: str) -> str:
    """The path in the repository; "" outside of it."""
    if top is None:
        return ""
    full, root = Path(os.path.normpath(workspace.resolve() / path)), top.resolve()
    return full.relative_to(root).as_posix() if full.is_relative_to(root) else ""


def may_have_repository(folder: Path) -> bool:
    """Git is not started where no folder above has a `.git`."""
    folder = Path(os.path.abspath(folder))  # noqa: PTH100 - `resolve` would ask for each part
    return any(os.path.lexists(parent / ".git") for parent in (folder, *folder.parents))


def repository(workspace: Path, path: str, *, offline: bool = True) -> Git:
    """The workspace's repository; where several are checked out side by side, that of the folder of the path."""
    git, folder = Git(workspace, offline=offline), (workspace / path).parent
    here = os.path.isdir(folder)  # noqa: PTH112 - `is_dir` raises where a name is too long
    inside = here and folder.resolve().is_relative_to(workspace.resolve())
    return Git(folder, offline=offline, ceiling=workspace) if path and inside and git.top() is None else git


def find_commit(name: str, workspace: Path, *, offline: bool = False) -> tuple[Git, str]:
    """The repository and the commit of git:REF[:PATH]; a full object id may be fetched, as a depth-1 clone needs."""
    reference = name.removeprefix("git:").partition(":")[0]
    git = Git(workspace, offline=offline)
    if git.top() is None:
        why = f": {refusal}" if (refusal := git.refusal()) else ""
        raise BaselineError(
            f"{workspace} is not a git repository{why}", hint="name a file instead, or run in a checkout"
        )
    commit = git.commit(reference)
    if commit is None and git.fetch(reference):
        commit = git.commit(reference)
    if commit is None:
        hint = "fetch it first (actions/checkout with fetch-depth: 0); a branch is origin/NAME there"
        raise BaselineError(f"git cannot find {reference}", hint=hint)
    return git, commit


def find_beside(directory: str, address: str, store: Store) -> tuple[str, bytes] | None:
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


def is_sitemap(content: bytes) -> bool:
    """Whether a document is a sitemap, whatever is wrong with it."""
    start = next(read(content))
    return isinstance(start, DocumentStart) and start.kind is not DocumentKind.UNKNOWN
