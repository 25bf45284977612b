"""The places that git keeps files in: a commit of a repository here, or on its server."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from sitemap_action.disk.folder import Workspace
from sitemap_action.errors import BaselineError
from sitemap_action.model.sitemap import DocumentKind, DocumentStart
from sitemap_action.repo.git import Git
from sitemap_action.repo.github import GitHub
from sitemap_action.setup.project import MAX_FILE
from sitemap_action.sitemap.read import read


class GitTree(Struct, frozen=True):
    """Files at a commit, as a Store: by path in the workspace, which may be a part of the repository, or hold it."""

    git: Git
    commit: str
    workspace: Path
    top: Path | None  # of the repository's work tree
    remote: GitHub | None = None  # has the files where the commit is not in this clone
    relation: str = ""  # of the commit to this change, for the report
    head: str = ""  # what HEAD is, for the report

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


def read_source(workspace: Workspace, path: str) -> bytes | None:
    """The start of a file, as `Project` has it; None where there is no regular file."""
    try:
        return workspace.read_head(path, MAX_FILE + 1)
    except OSError:
        return None


def list_names(workspace: Workspace, folder: str) -> frozenset[str]:
    """The names in a folder, as `Project` has them; none where there is no folder."""
    try:
        with workspace.folder(folder) as found:
            return frozenset(found.names())
    except OSError:
        return frozenset()


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
        if git.commit("HEAD") is None:
            hint = "the repository has no commit yet; name a file instead"
        raise BaselineError(f"git cannot find {reference}", hint=hint)
    return git, commit


def is_sitemap(content: bytes) -> bool:
    """Whether a document is a sitemap, whatever is wrong with it."""
    start = next(read(content))
    return isinstance(start, DocumentStart) and start.kind is not DocumentKind.UNKNOWN
