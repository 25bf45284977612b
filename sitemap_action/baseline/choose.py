"""The sitemap that `added`, `removed` and `changed` are measured against."""

from dataclasses import dataclass
from pathlib import Path

from sitemap_action.baseline.base_commit import BaseCommit
from sitemap_action.baseline.served import Web, served
from sitemap_action.errors import BaselineError, UnreachableError
from sitemap_action.loader.documents import Documents, Files, Trees, documents, git_tree, is_sitemap, same, work_tree
from sitemap_action.repo.git import Git


@dataclass(frozen=True, slots=True)
class Baseline:
    """A sitemap to compare with; without documents there was none."""

    description: str
    name: str  # of the file, for a line in it: a path, or COMMIT:PATH as git writes it
    documents: Files
    same: bool  # the committed file says the same, byte for byte
    trees: Trees | None = None  # None when it is from no commit


def baseline(setting: str, workspace: Path, sitemap: str, committed: Files, web: Web | None) -> Baseline:
    """`setting`: committed, a path, a URL, or git:REF[:PATH]; `auto` is the committed file outside of pull requests."""
    if setting in ("auto", "committed"):
        return Baseline(f"the committed {sitemap}", sitemap, committed, same=True)
    if setting.startswith("git:") and setting.count(":") == 1:
        git, commit = _at(setting, workspace)
        trees = Trees(git_tree(git, commit, workspace), git_tree(git, "HEAD", workspace))
        return Baseline(setting, f"{commit[:12]}:{sitemap}", documents(sitemap, trees.then), same=False, trees=trees)
    if setting.startswith(("https://", "http://")):
        return _live(setting, web)
    return Baseline(setting, setting, named(setting, workspace), same=False)


def live(setting: str, address: str, web: Web, nothing: Baseline) -> tuple[Baseline, list[str]]:
    """`auto` where there is no file at all: what the site serves; and a note that says so, or why it is not that."""
    if setting != "auto":
        return nothing, []
    try:
        found = served(address, web)
    except UnreachableError as error:
        return nothing, [f"there is no sitemap to compare with, and the site's own cannot be read: {error}"]
    if not found:
        return nothing, []
    if not is_sitemap(found.content or b""):  # a host that answers every path with a page
        return nothing, [f"there is no sitemap to compare with: {address} serves something else"]
    note = f"there is no sitemap in the work tree; compared with the one that {address} serves"
    return Baseline(f"the sitemap that {address} serves", address, found, same=False), [note]


def _live(url: str, web: Web | None) -> Baseline:
    if web is None:
        raise BaselineError(f"{url} cannot be read here", hint="name a file, or git:REF")
    try:
        found = served(url, web)
    except UnreachableError as error:
        raise BaselineError(f"the baseline cannot be read: {error}", hint=error.hint) from None
    if not found:
        raise BaselineError(f"there is no sitemap at {url}", hint="correct baseline (--baseline)")
    return Baseline(url, url, found, same=False)


def at_base(commit: BaseCommit, sitemap: str, trees: Trees, committed: Files) -> Baseline:
    """The sitemap of the commit that a pull request is measured against."""
    found = documents(sitemap, trees.then)
    description = f"{sitemap if found else f'no {sitemap}'} at {commit.id[:12]}, {commit.words}"
    return Baseline(description, f"{commit.id[:12]}:{sitemap}", found, bool(found) and same(found, committed), trees)


def named(name: str, workspace: Path) -> Documents:
    """The files of a sitemap that the user named: a path, or git:REF:PATH. Raises BaselineError when there is none."""
    if name.startswith("git:"):
        _, reference, path = (*name.split(":", 2), "")[:3]
        if not path:
            raise BaselineError(f"{name} names no file", hint=f"add its path: git:{reference}:public/sitemap.xml")
        git, commit = _at(name, workspace)
        found = documents(path, lambda path: git.blob(commit, path))
    else:
        found = documents(name, work_tree(workspace))
    if not found:
        raise BaselineError(f"there is no sitemap at {name}", hint="correct the path")
    return found


def _at(setting: str, workspace: Path) -> tuple[Git, str]:
    """The repository and the commit of git:REF[:PATH]; a full object id may be fetched, as a depth-1 clone needs."""
    reference = setting.removeprefix("git:").partition(":")[0]
    git = Git(workspace)
    if git.top() is None:
        raise BaselineError(f"{workspace} is no git repository", hint="name a file instead, or run in a checkout")
    commit = git.commit(reference)
    if commit is None and git.fetch(reference):
        commit = git.commit(reference)
    if commit is None:
        hint = "fetch it first (actions/checkout with fetch-depth: 0); a branch is origin/NAME there"
        raise BaselineError(f"git does not know {reference}", hint=hint)
    return git, commit
