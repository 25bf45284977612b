"""The sitemap that `added`, `removed` and `changed` are measured against."""

from pathlib import Path

from msgspec import Struct

from sitemap_action.baseline.base_commit import BaseCommit
from sitemap_action.baseline.production import FetchSitemap
from sitemap_action.errors import BaselineError, UnreachableError
from sitemap_action.loader.collect import collect_local, collect_stored
from sitemap_action.loader.documents import Documents, is_sitemap, same_bytes
from sitemap_action.loader.local import git_sitemap, resolve_commit
from sitemap_action.loader.stores import Trees, WorkTree, git_tree
from sitemap_action.model.wording import option


class Baseline(Struct, frozen=True):
    """A sitemap to compare with; without documents there was none."""

    description: str
    name: str  # of the file, for a line in it: a path, or COMMIT:PATH as git writes it
    documents: Documents
    same: bool  # the committed file has the same bytes
    trees: Trees | None = None  # None when it is from no commit
    robots: bytes | None = None  # of the site that serves it; None when it is not served, or not known


class Choice(Struct, frozen=True):
    """Where the setting is looked up."""

    workspace: Path
    sitemap: str  # path of the committed sitemap, or of where it would go
    committed: Documents
    folder: Path  # for documents that are fetched, or read from git
    production: FetchSitemap | None  # None where no site is requested
    named: bool = False  # the setting is from the command line, so a path may lead anywhere
    offline: bool = False  # nothing is fetched by git either


def choose_baseline(setting: str, choice: Choice) -> Baseline:
    """`setting`: committed, a path, a URL, or git:REF[:PATH]; `auto` is the committed file outside of pull requests."""
    sitemap = choice.sitemap
    if setting in ("auto", "committed"):
        return Baseline(f"the committed {sitemap}", sitemap, choice.committed, same=True)
    if setting.startswith("git:") and setting.count(":") == 1:
        git, commit = resolve_commit(setting, choice.workspace, offline=choice.offline)
        trees = Trees(git_tree(git, commit, choice.workspace), git_tree(git, "HEAD", choice.workspace))
        documents = collect_stored(trees.then, sitemap, choice.folder)
        return Baseline(setting, f"{commit[:12]}:{sitemap}", documents, same=False, trees=trees)
    if setting.startswith(("https://", "http://")):
        return _served(setting, choice)
    if setting.startswith("git:"):
        found = git_sitemap(setting, choice.workspace, offline=choice.offline)
        git, commit = resolve_commit(setting.rpartition(":")[0], choice.workspace, offline=choice.offline)
        trees = Trees(git_tree(git, commit, choice.workspace), git_tree(git, "HEAD", choice.workspace))
        return Baseline(setting, setting, collect_local(found, choice.folder), same=False, trees=trees)
    documents = collect_stored(WorkTree(choice.workspace, named=setting if choice.named else ""), setting)
    if not documents:
        raise BaselineError(f"there is no sitemap at {setting}", hint="correct the path")
    return Baseline(setting, setting, documents, same=False)


def default_baseline(setting: str, address: str, choice: Choice, nothing: Baseline) -> tuple[Baseline, list[str]]:
    """`auto` where there is no file at all: what the site serves; and a note that says so, or why it is not that."""
    if setting != "auto":
        return nothing, []
    if choice.production is None:
        why = "with --offline the site's own is not requested: removals were not judged"
        return nothing, [f"there is no sitemap to compare with, and {why}"] if choice.offline else []
    try:
        served = choice.production(address, choice.folder)
    except UnreachableError as error:
        return nothing, [f"there is no sitemap to compare with, and the site's own cannot be read: {error}"]
    documents = served.documents
    if not documents:
        return nothing, []
    if not is_sitemap(next(iter(documents)).content):  # a host that answers every path with a page
        return nothing, [f"there is no sitemap to compare with: {address} does not serve one"]
    note = f"there is no sitemap in the work tree; compared with the one that {address} serves"
    description = f"the sitemap that {address} serves"
    return Baseline(description, address, documents, same=False, robots=served.robots), [note]


def _served(url: str, choice: Choice) -> Baseline:
    if choice.production is None:
        why = ": --offline is given" if choice.offline else ""
        raise BaselineError(f"{url} cannot be read here{why}", hint="name a file, or git:REF")
    try:
        served = choice.production(url, choice.folder)
    except UnreachableError as error:
        raise BaselineError(f"the baseline cannot be read: {error}", hint=error.hint) from None
    if not served.documents:
        raise BaselineError(f"there is no sitemap at {url}", hint=f"correct {option('baseline')}")
    return Baseline(url, url, served.documents, same=False, robots=served.robots)


def baseline_at(commit: BaseCommit, sitemap: str, trees: Trees, choice: Choice) -> Baseline:
    """The sitemap of the commit that a pull request is measured against."""
    documents = collect_stored(trees.then, sitemap, choice.folder)
    description = f"{sitemap if documents else f'no {sitemap}'} at {commit.id[:12]}, {commit.relation}"
    same = bool(documents) and same_bytes(documents, choice.committed)
    return Baseline(description, f"{commit.id[:12]}:{sitemap}", documents, same, trees)
