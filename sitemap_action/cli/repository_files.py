"""The repository as `init` needs it: bounded reads through no link, what git tracks, its branches and its remote."""

from pathlib import Path

from sitemap_action.baseline.tracked import Tracked
from sitemap_action.disk.workspace import Workspace
from sitemap_action.errors import BaselineError
from sitemap_action.repo.git import Git
from sitemap_action.setup.project import MAX_FILE, Fact, Project, safe_branch

_ABSENT = (FileNotFoundError, NotADirectoryError, IsADirectoryError)
_USUAL_BRANCHES = ("main", "master", "trunk")


class RepositoryFiles:
    """Paths are relative to the top of the checkout; without one, to the folder that `init` runs in."""

    def __init__(self, here: Path) -> None:
        self.notes: list[str] = []
        self._git = Git(here)
        self._no_git = ""  # why it is not asked
        self.top = self._find_top(here)
        self._workspace = Workspace(self.top)
        self._tracked = Tracked(self.top)
        self._folders: dict[str, frozenset[str]] = {}
        self._tracks_anything = self._ask_git()

    def project(self, folder: str) -> Project:
        return Project(folder, self.read, self.names, self.counts, self.notes)

    def read(self, path: str) -> bytes | None:
        try:
            return self._workspace.read_head(path, MAX_FILE + 1)
        except _ABSENT:
            return None
        except OSError as error:
            sentence = f"{path} is not read: {error.strerror}"
            if sentence not in self.notes:
                self.notes.append(sentence)
            return None

    def names(self, folder: str) -> frozenset[str]:
        if folder not in self._folders:
            try:
                with self._workspace.folder(folder) as found:
                    self._folders[folder] = frozenset(found.names())
            except OSError:
                self._folders[folder] = frozenset()
        return self._folders[folder]

    def tracked(self, paths: list[str]) -> frozenset[str] | None:
        """Those that git tracks; None where there is no repository, or one without any file yet."""
        return self._tracked.of(paths) if self._tracks_anything else None

    def counts(self, path: str) -> bool:
        """As a source, not as a product of some build."""
        found = self.tracked([path])
        return found is None or path in found

    def default_branch(self) -> Fact:
        if self._no_git:
            return Fact("main", f"assumed: {self._no_git}")
        default, here = self._git.branches()
        if safe_branch(default):
            return Fact(default, "the default branch of origin")
        why = "assumed: origin names no default branch" if not default else "assumed: that of origin needs quotes"
        usual = next((name for name in _USUAL_BRANCHES if self._git.commit(f"refs/heads/{name}")), "")
        if usual or not safe_branch(here):
            return Fact(usual or "main", why)
        return Fact(here, "assumed: the branch that is checked out")

    def remote(self) -> str:
        return "" if self._no_git else self._git.origin()

    def _ask_git(self) -> bool:
        """Whether it tracks anything; one that cannot read its repository is not asked again."""
        if self._no_git:
            return False
        try:
            self._git.branches()
            return bool(self._git.listed(sorted(self.names("") - {".git"})))
        except BaselineError as error:
            self._no_git = "git is not asked"
            self.notes.append(f"git is not asked: {error}")
            return False

    def _find_top(self, here: Path) -> Path:
        self._no_git = "there is no git repository here"
        try:
            top, refusal = self._git.top(), self._git.refusal()
        except BaselineError as error:
            self._no_git = "git is not asked"
            self.notes.append(f"git is not asked: {error}")
            return here
        if top is None:
            what = f"the git repository is not used: {refusal}" if refusal else "there is no git repository here"
            self.notes.append(f"{what}; this folder is taken for the top, and every file for one that is tracked")
            return here
        self._no_git = ""
        return top
