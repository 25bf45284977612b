"""The sitemap that `added`, `removed` and `changed` are measured against, wherever it is kept, and its robots.txt.

Where a pull request moves, renames or repacks it, the target branch's is found by name and content (I-10).
"""

from pathlib import Path, PurePosixPath

from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.checks.all import check_set
from sitemap_action.checks.base import FileOptions
from sitemap_action.config.schema import Config
from sitemap_action.errors import BaselineError, UnreachableError
from sitemap_action.look.documents import (
    Documents,
    FetchSitemap,
    ServedSitemap,
    documents_of,
    find_documents,
    git_sitemap,
    read_entries,
)
from sitemap_action.look.judged_sitemap import NAMES, Judged
from sitemap_action.look.places import GitTree, find_commit, git_tree, is_sitemap
from sitemap_action.model.context import Context
from sitemap_action.model.finding import NO_LEDGER, NOTHING_ACCEPTED, AcceptedList, Finding, Ledger
from sitemap_action.model.wording import option
from sitemap_action.sitemap.protocol import url_key, without_suffix
from sitemap_action.walk.folders import Store, WorkTree

_NONE = "none: removals were not judged"
_SUFFIXES = (".xml", ".xml.gz", ".txt", ".txt.gz")
_MOST = 100  # files that are read, the likeliest first
_USUAL = frozenset(without_suffix(name) for name in NAMES)


class Baseline(Struct, frozen=True):
    """A sitemap to compare with; without documents there was none."""

    description: str
    name: str  # of the file, for a line in it: a path, or COMMIT:PATH as git writes it
    documents: Documents
    same: bool  # the committed file has the same bytes
    tree: GitTree | None = None  # of its commit; None when it is from no commit
    robots: bytes | None = None  # of the site that serves it; None when it is not served, or not known
    notes: tuple[str, ...] = ()  # what to say of it
    unread: str = ""  # why there is no answer to what is removed; "" when there is
    alone: bool = False  # only the question whether the sitemap is true is asked
    unasked: str = ""  # description where no page is removed; "" where that is an answer
    accepted: AcceptedList = NOTHING_ACCEPTED
    ledger: Ledger = NO_LEDGER  # whatever the site is compared with

    def find_robots(self, config: Config, sitemap: str, served: bytes | None) -> bytes | None:
        """The robots.txt of then: that of the site which served it, or of its commit. `served`: that of now."""
        if self.tree is None:
            return self.robots
        return baseline_robots(config, sitemap, served, self.tree, self.tree.checked_out())


class Choice(Struct, frozen=True):
    """Where the setting is looked up."""

    context: Context
    sitemap: str  # path of the committed sitemap, or of where it would go
    committed: Documents
    folder: Path  # for documents that are fetched, or read from git
    production: FetchSitemap | None  # None where no site is requested
    address: str = ""  # of the live site, with its final slash, or of its sitemap itself
    likely: tuple[str, ...] = ()  # addresses that the sitemap may have where the site declares none


def choose_baseline(setting: str, choice: Choice) -> Baseline:
    """`setting`: committed, a path, a URL, or git:REF[:PATH]; `auto` is the committed file outside of pull requests."""
    context, sitemap = choice.context, choice.sitemap
    workspace, offline = Path(context.workspace), context.access.offline
    if setting in ("auto", "committed"):
        asked = setting == "committed" or context.event or not choice.committed
        unasked = "" if asked else f"{_NONE}; name {option('baseline')}"
        return Baseline(f"the committed {sitemap}", sitemap, choice.committed, same=True, unasked=unasked)
    if setting.startswith("git:") and setting.count(":") == 1:
        tree = git_tree(*find_commit(setting, workspace, offline=offline), workspace)
        documents = find_documents(tree, sitemap, choice.folder)
        return Baseline(setting, f"{tree.commit[:12]}:{sitemap}", documents, same=False, tree=tree)
    if setting.startswith(("https://", "http://")):
        return _served_baseline(setting, choice)
    if setting.startswith("git:"):
        found = git_sitemap(setting, workspace, offline=offline)
        commit = find_commit(setting.rpartition(":")[0], workspace, offline=offline)
        tree = git_tree(*commit, workspace)
        return Baseline(setting, setting, documents_of(found, choice.folder), same=False, tree=tree)
    documents = find_documents(WorkTree(workspace, named=setting if context.names("baseline") else ""), setting)
    if not documents:
        raise BaselineError(f"there is no sitemap at {setting}", hint="correct the path")
    return Baseline(setting, setting, documents, same=False)


def default_baseline(setting: str, choice: Choice, nothing: Baseline) -> Baseline:
    """`auto` where there is no file at all: what the site serves; and a note that says so, or why it is not that."""
    if setting != "auto":
        return nothing
    if choice.production is None:
        why = "with --offline the site's own is not requested: removals were not judged"
        notes = (f"there is no sitemap to compare with, and {why}",) if choice.context.access.offline else ()
        return replace(nothing, notes=notes)
    try:
        documents, robots = _fetch_sitemap(choice.production, choice)
    except UnreachableError as error:
        note = f"there is no sitemap to compare with, and the site's own cannot be read: {error}"
        return replace(nothing, notes=(note,))
    except BaselineError as error:
        return replace(nothing, notes=(f"there is no sitemap to compare with: {error}",))
    if not documents:
        return nothing
    found = documents.rows[0].path
    note = f"there is no sitemap in the work tree; compared with the one that {found} serves"
    description = f"the sitemap that {found} serves"
    return Baseline(description, found, documents, same=False, robots=robots, notes=(note,))


def _fetch_sitemap(production: FetchSitemap, choice: Choice) -> ServedSitemap:
    """Raises UnreachableError, and BaselineError for a page that answers in its place."""
    documents, robots = production(choice.address, choice.folder, choice.likely)
    if documents and not documents.has_sitemap():
        raise BaselineError(f"{documents.rows[0].path} is no sitemap", hint="name another baseline")
    return documents, robots


def _served_baseline(url: str, choice: Choice) -> Baseline:
    if choice.production is None:
        why = ": --offline is given" if choice.context.access.offline else ""
        raise BaselineError(f"{url} cannot be read here{why}", hint="name a file, or git:REF")
    try:
        documents, robots = choice.production(url, choice.folder)
    except UnreachableError as error:
        raise BaselineError(f"the baseline cannot be read: {error}", hint=error.hint) from None
    if not documents:
        raise BaselineError(f"there is no sitemap at {url}", hint=f"correct {option('baseline')}")
    return Baseline(url, url, documents, same=False, robots=robots)


_NOT_JUDGED = "a built sitemap is no baseline for itself: whether this change removes pages was not judged"
_NOT_ASKED = "the site is compared with its own sitemap: what it had before was not judged; {named} names an older one"


def only_itself(choice: Choice, *, served: bool = False) -> Baseline:
    """What is removed is not asked, or nothing can be requested."""
    note = _NOT_ASKED.format(named=option("baseline")) if served else _NOT_JUDGED
    return _itself(choice, notes=(note,) if choice.committed else ())


def built_baseline(choice: Choice, what: str) -> Baseline:
    """The sitemap that production serves, for one that this change builds or its preview serves (`what`)."""
    if choice.production is None:
        return only_itself(choice)
    site = choice.address
    try:
        documents, robots = _fetch_sitemap(choice.production, choice)
        _require_whole(documents)
    except (UnreachableError, BaselineError) as error:
        why = f"what this change removes is not known: the sitemap of {site} cannot be read: {error}"
        return _itself(choice, unread=why)
    if not documents:
        note = f"first deployment: {site} serves no sitemap yet, so there is nothing that this change could remove"
        return Baseline(f"none: {site} serves no sitemap yet", site, documents, same=False, notes=(note,))
    found = documents.rows[0].path
    note = f"the sitemap is {what}, and compared with the one that {found} serves"
    return Baseline(f"the sitemap that {found} serves", found, documents, same=False, robots=robots, notes=(note,))


def _require_whole(documents: Documents) -> None:
    for document in documents:
        for _ in read_entries(document):
            pass


def _itself(choice: Choice, *, notes: tuple[str, ...] = (), unread: str = "") -> Baseline:
    return Baseline(_NONE, choice.sitemap, choice.committed, True, notes=notes, unread=unread, alone=True)


_NAME = "robots.txt"
FOLDERS = ("public", "static", "docs", "")  # whose files generators copy into the build


def baseline_robots(config: Config, sitemap: str, served: bytes | None, then: Store, now: Store) -> bytes | None:
    """The robots.txt of the baseline's commit; b"" when it had none, None when that is not known.

    A build contains a copy. Its source is the file of the repository with the same bytes, whose older version is read.
    """
    places = _robots_places(config, sitemap)
    here = {path: _read(now, path) for path in places}
    if served is None:
        return next((found for path in places if here[path] is None and (found := _read(then, path)) is not None), None)
    source = next((path for path in places if here[path] == served), None)
    return None if source is None else _read(then, source) or b""


def _robots_places(config: Config, sitemap: str) -> list[str]:
    if config.crawl.robots.startswith("file:"):
        return [config.crawl.robots.removeprefix("file:")]
    folders = [str(PurePosixPath(sitemap).parent), *FOLDERS, *([config.source.path] if config.source.path else [])]
    return list(dict.fromkeys(str(PurePosixPath(folder) / _NAME) for folder in folders))


def _read(store: Store, path: str) -> bytes | None:
    try:
        return store(path)
    except BaselineError:
        return None


def debt(documents: Documents, address: str, options: FileOptions) -> tuple[Finding, ...]:
    """Findings of the rules over sitemap files on the baseline."""
    addressed = (replace(document, address=document.address or address) for document in documents)
    return check_set(addressed, options).findings


def find_moved_sitemap(tree: GitTree, judged: Judged, here: Documents, site_url: str, folder: Path) -> str:
    """Path of the sitemap that became the judged one, `here`; "" where the target branch has none of this site.

    A file that the change leaves in place is it only where most of what it lists is judged. Of several it is the one
    of the same name but for letter case and suffix, else the one that shares most URLs with the judged one.
    """
    listed = _urls(here)
    found = []
    for path in _likely_paths(tree, judged.path):
        stays = (tree.workspace / path).is_file()
        if judged.built and stays:
            continue
        documents, urls = _read_sitemap(tree, path, folder)
        shared, same_name = len(urls & listed), _name(path) == _name(judged.path)
        ours = bool(site_url) and all(url.startswith(site_url) for url in urls)
        if urls and (shared * 2 >= len(urls) if stays else same_name or ours or shared):
            found.append((same_name, shared, documents, path))
    return max(found)[-1] if found else ""


def _likely_paths(tree: GitTree, judged: str) -> list[str]:
    """Files that may be a sitemap by their names, those that are called as one is first."""
    paths = [path for path in tree.files() if path.endswith(_SUFFIXES)]
    return sorted(paths, key=lambda path: (_distance(path, judged), path.count("/"), path))[:_MOST]


def _distance(path: str, judged: str) -> int:
    name = PurePosixPath(_name(path)).name
    same = (
        _name(path) == _name(judged),
        name == PurePosixPath(_name(judged)).name or name in _USUAL,
        "sitemap" in name,
    )
    return next((number for number, holds in enumerate(same) if holds), len(same))


def _name(path: str) -> str:
    return without_suffix(path.casefold())


def _read_sitemap(tree: GitTree, path: str, folder: Path) -> tuple[int, set[str]]:
    """Documents and URLs; none where the file is no sitemap, or one that cannot be read whole: it is no baseline."""
    try:
        found = find_documents(tree, path, folder) if is_sitemap(tree(path) or b"") else Documents()
        return len(found), _urls(found)
    except BaselineError:
        return 0, set()


def _urls(documents: Documents) -> set[str]:
    return {url_key(entry.loc) for document in documents for entry in read_entries(document)}
