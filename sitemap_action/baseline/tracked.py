"""Whether git tracks a file; where no repository is, it is not started."""

import os
from collections.abc import Iterable, Sequence
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

    unanswered = ""  # why git does not say what the repository that is there tracks; "" where it does, or none is

    def __init__(self, workspace: Path) -> None:
        self._workspace = workspace

    def of(self, paths: Sequence[str]) -> frozenset[str] | None:
        """Those that git tracks; None where there is no repository to ask, or no answer."""
        if not paths:
            return frozenset()
        if (git := self._repository(paths[0])) is None:
            return None
        named = {name: path for path in paths if (name := path_inside(git.top(), self._workspace, path))}
        found = self._listed(git, named)
        return None if found is None else frozenset(path for name, path in named.items() if name in found)

    def below(self, folder: str) -> bool:
        """Whether it tracks anything in a folder."""
        git = self._repository(f"{folder}/file") if folder else None
        name = path_inside(git.top(), self._workspace, folder) if git else ""
        return bool(git and name and self._listed(git, [name]))

    def _listed(self, git: "Git", names: Iterable[str]) -> frozenset[str] | None:
        names = [*names]
        try:
            return git.listed(names) if names else frozenset()
        except BaselineError as error:
            self.unanswered = str(error)
            return None

    def _repository(self, path: str) -> "Git | None":
        return self._here or self._at((self._workspace / path).parent, path)

    @cached_property
    def _here(self) -> "Git | None":
        """Of the workspace itself."""
        return self._at(self._workspace, "")

    def _at(self, folder: Path, path: str) -> "Git | None":
        if not may_have_repository(folder):
            return None
        try:
            git = repository(self._workspace, path)
            if git.top():
                return git
            self.unanswered = git.refusal()
        except BaselineError as error:  # no git is installed, or it is not allowed here
            self.unanswered = str(error)
        return None


def may_have_repository(folder: Path) -> bool:
    """Git is not started where no folder above has a `.git`."""
    folder = Path(os.path.abspath(folder))  # noqa: PTH100 - `resolve` would ask for each part
    return any(os.path.lexists(parent / ".git") for parent in (folder, *folder.parents))
