"""The sitemap that `added`, `removed` and `changed` are measured against, wherever it is kept, and its robots.txt."""

from collections.abc import Callable, Sequence
from pathlib import Path, PurePosixPath
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.checks.all import check_set
from sitemap_action.checks.base import FileOptions
from sitemap_action.config.schema import AUTO, Config
from sitemap_action.errors import BaselineError, UnreachableError
from sitemap_action.fetch.base import Fetcher, Request, RequestKind, Response
from sitemap_action.look.collect import collect_local, collect_stored
from sitemap_action.look.committed_sitemap import read_entries
from sitemap_action.look.documents import (
    Documents,
    Store,
    Trees,
    WorkTree,
    git_sitemap,
    git_tree,
    is_sitemap,
    resolve_commit,
)
from sitemap_action.look.served_sitemap import GONE, asking_again, collect_served
from sitemap_action.model.context import Access
from sitemap_action.model.finding import Finding
from sitemap_action.model.wording import option
from sitemap_action.store.inventory import Inventory
from sitemap_action.web.urls import origin

_TIMEOUT = 10.0  # seconds: a baseline that is the default must not hold a run up


class ServedSitemap(Struct, frozen=True):
    """What the site serves; no documents when the address answers 404 or 410."""

    documents: Documents
    robots: bytes | None = None  # b"" when the site has none, None when that is not known


FetchSitemap: TypeAlias = Callable[[str, Path], ServedSitemap]
"""(URL, folder for its documents). Raises UnreachableError; BaselineError for an index that cannot be read whole."""


def production(config: Config, access: Access, inventory: Inventory) -> FetchSitemap:
    """Only the origin of source.url may be a private address, and it alone gets secrets.

    What a state in the inventory has is asked for with its validators.
    """

    def fetch(url: str, folder: Path) -> ServedSitemap:
        import asyncio  # noqa: PLC0415 - few runs fetch a baseline, and the others start sooner

        return asyncio.run(_fetch(url, folder, config, access, inventory))

    return fetch


async def _fetch(url: str, folder: Path, config: Config, access: Access, inventory: Inventory) -> ServedSitemap:
    from sitemap_action.fetch.options import http_options  # noqa: PLC0415
    from sitemap_action.fetch.policies import open_web  # noqa: PLC0415 - as above

    given = "" if config.source.url == AUTO else config.source.url
    options = replace(http_options(config, access, given, preview=False), timeout=_TIMEOUT, retries=1)
    async with open_web(options) as opened:
        fetcher = asking_again(opened.fetcher, inventory)
        return await served_sitemap(fetcher, url, folder, robots=config.crawl.robots != "ignore")


async def served_sitemap(fetcher: Fetcher, url: str, folder: Path, *, robots: bool) -> ServedSitemap:
    """`robots`: the robots.txt of its origin is fetched too (RB-35)."""
    documents = await collect_served(fetcher, url, folder)
    if not documents or not robots:
        return ServedSitemap(documents)
    answer = await fetcher.fetch(Request(f"{origin(url)}/robots.txt", RequestKind.ROBOTS))
    if not isinstance(answer, Response):
        return ServedSitemap(documents)
    return ServedSitemap(documents, answer.body if answer.status == 200 else b"" if answer.status in GONE else None)


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


_NOT_JUDGED = "a built sitemap is no baseline for itself: whether this change removes pages was not judged"


class BuiltBaseline(Struct, frozen=True):
    """The answer to what is compared, and what to say of it."""

    baseline: Baseline
    notes: tuple[str, ...] = ()
    unread: str = ""  # why there is no answer to what is removed; "" when there is
    alone: bool = False  # only the question whether the sitemap is true is asked


def only_itself(choice: Choice) -> BuiltBaseline:
    """Nobody wants to know what is removed, or nothing can be requested."""
    return BuiltBaseline(_itself(choice), (_NOT_JUDGED,), alone=True)


def built_baseline(addresses: Sequence[str], choice: Choice) -> BuiltBaseline:
    """`addresses`: of the sitemap on the site, then others that it may have had before."""
    if choice.production is None:
        return only_itself(choice)
    address = addresses[0]
    try:
        found, served = _first_served(addresses, choice)
    except (UnreachableError, BaselineError) as error:
        why = f"what this change removes is not known: the sitemap that {address} serves cannot be read: {error}"
        return BuiltBaseline(_itself(choice), unread=why, alone=True)
    if not served.documents:
        note = f"first deployment: {address} does not exist yet, so there is nothing that this change could remove"
        nothing = Baseline(f"none: {address} does not exist yet", address, Documents(), same=False)
        return BuiltBaseline(nothing, (note,))
    description = f"the sitemap that {found} serves"
    baseline = Baseline(description, found, served.documents, same=False, robots=served.robots)
    return BuiltBaseline(baseline, (f"the sitemap is built, and compared with the one that {found} serves",))


def _first_served(addresses: Sequence[str], choice: Choice) -> tuple[str, ServedSitemap]:
    """Raises UnreachableError, and BaselineError for what is no sitemap, or only a part of one."""
    assert choice.production is not None  # noqa: S101 - as the caller has seen
    served = ServedSitemap(Documents())
    for address in addresses:
        served = choice.production(address, choice.folder)
        if served.documents:
            _require_whole(address, served.documents, first=address == addresses[0])
            if is_sitemap(next(iter(served.documents)).content):
                return address, served
            served = ServedSitemap(Documents())
    return addresses[0], served


def _require_whole(address: str, documents: Documents, *, first: bool) -> None:
    if not is_sitemap(next(iter(documents)).content):
        if first:  # a host that answers every path with a page
            raise BaselineError(f"{address} is no sitemap", hint="name another baseline")
        return
    for document in documents:
        for _ in read_entries(document):
            pass


def _itself(choice: Choice) -> Baseline:
    return Baseline("none: removals were not judged", choice.sitemap, choice.committed, same=True)


_NAME = "robots.txt"
_FOLDERS = ("public", "static", "docs", "")  # whose files generators copy into the build


def baseline_robots(config: Config, sitemap: str, served: bytes | None, trees: Trees) -> bytes | None:
    """The robots.txt of the baseline's commit; b"" when it had none, None when that is not known.

    A build contains a copy. Its source is the file of the repository with the same bytes, whose older version is read.
    """
    places = _places(config, sitemap)
    now = {path: _read(trees.now, path) for path in places}
    if served is None:
        return next(
            (found for path in places if now[path] is None and (found := _read(trees.then, path)) is not None), None
        )
    source = next((path for path in places if now[path] == served), None)
    return None if source is None else _read(trees.then, source) or b""


def _places(config: Config, sitemap: str) -> list[str]:
    if config.crawl.robots.startswith("file:"):
        return [config.crawl.robots.removeprefix("file:")]
    folders = [str(PurePosixPath(sitemap).parent), *_FOLDERS, *([config.source.path] if config.source.path else [])]
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
