"""The sitemap that `added`, `removed` and `changed` are measured against."""

from dataclasses import dataclass
from pathlib import Path

from sitemap_action.errors import BaselineError
from sitemap_action.repo.git import Git
from sitemap_action.sources.base_commit import BaseCommit
from sitemap_action.sources.documents import Document, Store, documents, git_tree, work_tree


@dataclass(frozen=True, slots=True)
class Baseline:
    """A sitemap to compare with; without documents there was none."""

    description: str
    name: str  # of the file, for a line in it: a path, or COMMIT:PATH as git writes it
    documents: tuple[Document, ...]
    same: bool  # the committed file says the same, byte for byte


def baseline(setting: str, workspace: Path, sitemap: str, committed: tuple[Document, ...]) -> Baseline:
    """`setting`: committed, a path, or git:REF[:PATH]; `auto` is the committed file outside of pull requests."""
    if setting in ("auto", "committed"):
        return Baseline(f"the committed {sitemap}", sitemap, committed, same=True)
    if setting.startswith("git:") and setting.count(":") == 1:
        git, commit = _at(setting, workspace)
        found = documents(sitemap, git_tree(git, commit, workspace))
        return Baseline(setting, f"{commit[:12]}:{sitemap}", found, same=False)
    return Baseline(setting, setting, named(setting, workspace), same=False)


def at_base(commit: BaseCommit, sitemap: str, store: Store, committed: tuple[Document, ...]) -> Baseline:
    """The sitemap of the commit that a pull request is measured against."""
    found = documents(sitemap, store)
    same = bool(found) and [file.content for file in found] == [file.content for file in committed]
    description = f"{sitemap if found else f'no {sitemap}'} at {commit.id[:12]}, {commit.words}"
    return Baseline(description, f"{commit.id[:12]}:{sitemap}", found, same)


def named(name: str, workspace: Path) -> tuple[Document, ...]:
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
