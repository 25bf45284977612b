"""Whether git tracks a file; where no repository is, it is not started."""

import os
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from sitemap_action.errors import BaselineError
from sitemap_action.loader.stores import path_inside

if TYPE_CHECKING:
    from sitemap_action.repo.git import Git


def repository(workspace: Path, path: str, *, offline: bool = True) -> "Git":
    """The workspace's repository; where several are checked out side by side, that of the folder of the path."""
    from sitemap_action.repo.git import Git  # noqa: PLC0415 - few runs start git, and the others start sooner

    git, folder = Git(workspace, offline=offline), (workspace / path).parent
    here = os.path.isdir(folder)  # noqa: PTH112 - `is_dir` raises where a name is too long
    inside = here and folder.resolve().is_relative_to(workspace.resolve())
    return Git(folder, offline=offline, ceiling=workspace) if path and inside and git.top() is None else git


class Tracked:
    """Paths are relative to the workspace; of several repositories in it the first path's counts."""

    def __init__(self, workspace: Path) -> None:
        self._workspace = workspace

    def of(self, paths: Sequence[str]) -> frozenset[str] | None:
        """Those that git tracks; None where there is no repository to ask."""
        if not paths:
            return frozenset()
        if (git := self._repository(paths[0])) is None:
            return None
        named = {name: path for path in paths if (name := path_inside(git.top(), self._workspace, path))}
        found = git.listed(named) if named else frozenset()
        return frozenset(path for name, path in named.items() if name in found)

    def below(self, folder: str) -> bool:
        """Whether it tracks anything in a folder."""
        git = self._repository(f"{folder}/file") if folder else None
        name = path_inside(git.top(), self._workspace, folder) if git else ""
        return bool(git and name and git.listed([name]))

    def _repository(self, path: str) -> "Git | None":
        if self._here is not None:
            return self._here
        if not _may_have_one((self._workspace / path).parent):
            return None
        try:
            git = repository(self._workspace, path)
            return git if git.top() else None
        except BaselineError:  # no git is installed, or it is not allowed here
            return None

    @cached_property
    def _here(self) -> "Git | None":
        """Of the workspace itself."""
        if not _may_have_one(self._workspace):
            return None
        try:
            git = repository(self._workspace, "")
            return git if git.top() else None
        except BaselineError:
            return None


def _may_have_one(folder: Path) -> bool:
    folder = Path(os.path.abspath(folder))  # noqa: PTH100 - `resolve` would ask for each part
    return any(os.path.lexists(parent / ".git") for parent in (folder, *folder.parents))
