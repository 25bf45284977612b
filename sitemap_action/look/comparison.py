"""What is compared: the judged sitemap with the site and with its baseline, and where the site's pages live (B-05)."""

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple, TypeAlias
from urllib.parse import unquote, urlsplit

from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.config.layers import ConfigReader
from sitemap_action.config.lists import ledger_remarks
from sitemap_action.config.schema import AUTO, Config
from sitemap_action.disk.folder import Workspace
from sitemap_action.errors import BaselineError, UsageError
from sitemap_action.html.extract import read as read_document
from sitemap_action.look.baseline import (
    Baseline,
    Choice,
    built_baseline,
    choose_baseline,
    default_baseline,
    find_moved_sitemap,
    only_itself,
)
from sitemap_action.look.branch import (
    BranchTip,
    TargetBranch,
    accepted_list,
    branch_tip,
    find_ledger,
    target_branch,
)
from sitemap_action.look.committed_sitemap import compare_sitemaps, identity
from sitemap_action.look.documents import Documents, FetchSitemap, find_documents, read_entries, same_bytes
from sitemap_action.look.judged_sitemap import NAMES, BuildFolder, Judged, JudgedKind, build_folder, find_judged
from sitemap_action.look.places import may_have_repository
from sitemap_action.look.web_sitemaps import SiteSitemaps, as_production, crawled_mapping
from sitemap_action.model.context import Context
from sitemap_action.model.outcome import Added, Changed
from sitemap_action.model.sitemap import Entry, ShippedSitemap, SitemapDocument
from sitemap_action.model.wording import option
from sitemap_action.setup.generators import PLACEHOLDERS
from sitemap_action.setup.project import MAX_FILE
from sitemap_action.walk.folders import WorkTree
from sitemap_action.web.spellings import is_loopback, is_preview, preview_reason
from sitemap_action.web.urls import directory_of, is_host_of, is_url, same_site

_NAMED = 3  # sitemaps in a note
_START, _NO_SITE = "index.html", "https://build.invalid"  # of what is relative on a page whose address is not known
_SAMPLE = 200  # URLs that are looked up in the build
_DEEPEST = 10  # directories that a site may be below


class Crawled(NamedTuple):
    """What the crawled site declares, for a run without a file; and where the site turned out to be."""

    sitemaps: SiteSitemaps
    config: Config
    context: Context
    notes: tuple[str, ...]


LoadCrawled: TypeAlias = Callable[[Path], Crawled]
"""Takes a folder for documents. Raises UsageError, UnreachableError."""


class ComparisonInputs(Struct, frozen=True):
    """The right-hand sides of both questions, and the site that they are about."""

    judged: Judged
    committed: Documents  # of the judged sitemap
    base: Baseline
    target: TargetBranch
    site_url: str
    address: str  # of the sitemap on the site
    first_run: bool  # no file in the tree nor at the base
    notes: tuple[str, ...]
    tip: BranchTip | None = None  # of the branch that is committed to, which has the judged sitemap
    crawled: Crawled | None = None  # where there is no file


def find_comparison_inputs(  # noqa: PLR0913, PLR0917 - what is compared, and how it is read
    config: Config,
    context: Context,
    reader: ConfigReader,
    production: FetchSitemap | None,
    crawl: LoadCrawled,
    folder: Path,
) -> ComparisonInputs:
    """`production`: None where no site is requested."""
    target, tip = target_branch(config, context, reader), branch_tip(config, context)
    judged, committed = _find_judged(config, context, target, tip, folder)
    target = _with_moved_sitemap(config, target, judged, committed, folder)
    judged, committed = _of_named_site(config, context, judged, committed, target)
    crawled = crawl(folder) if production and _is_served(config, context, judged, committed, target) else None
    if crawled:
        config, committed = crawled.config, crawled.sitemaps.documents
        judged = _judge_served(config, judged, committed)
    choice = Choice(context, judged.path, committed, folder, production)
    theirs = _target_baseline(target, choice) if config.baseline == "auto" else None
    site_url, notes = _site_url(config, context, theirs, committed, judged)
    if crawled and config.source.url:
        judged, committed = _place_on_site(config, judged, committed, Path(context.workspace), site_url)
    address, places = _addresses(config, context, judged, site_url, committed, crawled)
    choice = replace(choice, sitemap=judged.path, committed=committed, address=places[0], likely=places[1:])
    base = theirs or choose_baseline(config.baseline, choice)
    notes += _notes_on_files(config, context, judged, committed, target.sitemap if theirs and theirs.documents else "")
    compared = _question_two(config, choice, base, judged, site_url)
    compared, target = _with_lists(config, context, reader, target, compared, tip, site_url)
    return ComparisonInputs(
        judged=judged,
        committed=committed,
        base=compared,
        target=target,
        site_url=site_url,
        address=address,
        first_run=not committed and not base.documents,
        tip=tip,
        notes=(*notes, *compared.notes),
        crawled=crawled,
    )


def _with_lists(  # noqa: PLR0913, PLR0917 - what holds, and what it is compared with
    config: Config,
    context: Context,
    reader: ConfigReader,
    target: TargetBranch,
    base: Baseline,
    tip: BranchTip | None,
    site_url: str,
) -> tuple[Baseline, TargetBranch]:
    """The baseline with both lists, and the target branch with what the change does to them."""
    accepted, target = accepted_list(config, context, reader, target, base.tree, site_url)
    ledger, target = find_ledger(config, context, reader, target, tip, site_url)
    return replace(base, accepted=accepted, ledger=ledger, notes=(*base.notes, *ledger_remarks(ledger))), target


def _with_moved_sitemap(
    config: Config, target: TargetBranch, judged: Judged, committed: Documents, folder: Path
) -> TargetBranch:
    """Where the target branch has no sitemap at the known places, the one that became the judged one (I-10)."""
    if config.baseline != "auto" or target.tree is None or target.sitemap:
        return target
    found = find_moved_sitemap(target.tree, judged, committed, config.site_url, folder)
    return replace(target, sitemap=found)


def _find_judged(
    config: Config, context: Context, target: TargetBranch, tip: BranchTip | None, folder: Path
) -> tuple[Judged, Documents]:
    """The judged sitemap of the branch that is committed to, or of the work tree; of a served one no documents yet."""
    judged = (tip.find_judged if tip else find_judged)(config, context, target.sitemap)
    if judged.served:
        return judged, Documents()
    here = WorkTree(Path(context.workspace), named=judged.path if judged.named else "")
    return judged, find_documents(tip.tree if tip else here, judged.path, folder)


def _of_named_site(
    config: Config, context: Context, judged: Judged, committed: Documents, target: TargetBranch
) -> tuple[Judged, Documents]:
    """Of a site that the command line names, the served one, where the file that is here is of another host (I-05)."""
    named = context.names("source.url") and not context.names("sitemap") and is_url(config.source.url)
    check = config.sitemaps.use and not (context.mode.writes or target.tree)
    if not (committed and named and check and _is_production(config, config.site_url)):
        return judged, committed
    other, _ = derive_site_url(committed)
    if not other or is_host_of(other, config.site_url, *config.policy.moved_from):
        return judged, committed
    note = f"{judged.path} is of {other}, another site than {config.site_url}: what this one serves is judged"
    return Judged(f"{config.site_url}{NAMES[0]}", JudgedKind.SERVED, note=note), Documents()


def _is_served(config: Config, context: Context, judged: Judged, committed: Documents, target: TargetBranch) -> bool:
    """Whether the site's own sitemap is judged (I-05): a URL is named, or a site is checked and no file is here."""
    no_file = not (committed or config.sitemap or target.sitemap)
    return judged.served or (no_file and bool(config.source.url) and config.sitemaps.use and not context.mode.writes)


def _judge_served(config: Config, judged: Judged, documents: Documents) -> Judged:
    """Raises BaselineError where a URL was named, and there is nothing."""
    if documents:
        return Judged(documents.rows[0].path, JudgedKind.SERVED, note=judged.note)
    if is_url(config.sitemap):
        raise BaselineError(f"there is no sitemap at {config.sitemap}", hint=f"correct {option('sitemap')}")
    return judged


def _site_url(
    config: Config, context: Context, theirs: Baseline | None, committed: Documents, judged: Judged
) -> tuple[str, list[str]]:
    """The site URL that is set, or that the sitemap states, or the address of the source; and a note that says so.

    On a pull request the baseline determines where the site is: an edit of the file does not move the site. A site that
    is served where its pages live needs no sitemap to tell; and one of this machine that names no public site is the
    site itself where the command line names it (I-05): in a workflow it is a preview. Raises UsageError.
    """
    if config.site_url:
        return config.site_url, []
    stated = (theirs and theirs.documents) or committed
    source = config.source.url or config.source.witness
    source = "" if source == AUTO else source
    live = bool(source) and not is_preview(source)
    itself = context.names("source.url") and is_loopback(source) and (judged.served or not stated)
    here = directory_of(source) if live or itself else ""
    build = Path(context.workspace) / config.source.path if config.source.path and not config.source.url else None
    url, has_files = derive_site_url(stated, build)
    if url and not (judged.served and (live or (is_preview(url) and here))):
        return url, [f"site-url is not set; taken from {judged.path}: {url}{has_files}{_warn_of_placeholder(url)}"]
    if here:
        return here, [f"site-url is not set; taken from the address of the source: {here}"]
    if canonical := _start_page_canonical(config, context):
        return canonical, [
            f"site-url is not set; taken from the canonical of index.html: {canonical}{_warn_of_placeholder(canonical)}"
        ]
    raise _unknown_site(source, judged.path if stated else "")


def _warn_of_placeholder(url: str) -> str:
    """A warning at the end of a note where the host is the placeholder of a generator; "" for any other."""
    if urlsplit(url).hostname not in PLACEHOLDERS:
        return ""
    return ", the placeholder of a new project: give the generator the address where the site will be served"


def _start_page_canonical(config: Config, context: Context) -> str:
    """The directory that the start page of a build states as its own address; "" without one (U-26)."""
    root = build_folder(config, context).root()
    if root is None:
        return ""
    try:
        body = Workspace(root).read_head(_START, MAX_FILE)
    except OSError:
        return ""
    canonicals = read_document(body, (), f"{_NO_SITE}/{_START}").facts.head.canonicals
    stated = {directory_of(one.url) for one in canonicals if not one.ignored and is_url(one.url)}
    return stated.pop() if len(stated) == 1 and not any(one.startswith(_NO_SITE) for one in stated) else ""


def _unknown_site(source: str, sitemap: str) -> UsageError:
    """`source`: the address that is crawled, "" for a build. `sitemap`: the one that does not tell."""
    why = f"{sitemap} does not determine it" if sitemap else "there is no sitemap to take it from"
    named = option("site-url", "https://www.example.com/")
    hint = f"set where the pages will live: {named}, or the same key in the config"
    reason = preview_reason(source) if source else ""
    if not reason:
        return UsageError(f"site-url is not set, and {why}", hint=hint)
    itself = f"; where they live there, {option('site-url', source)}"
    return UsageError(
        f"{source} counts as a preview, for {reason}; site-url is not set, and {why}", hint=f"{hint}{itself}"
    )


def _place_on_site(
    config: Config, judged: Judged, documents: Documents, workspace: Path, site_url: str
) -> tuple[Judged, Documents]:
    """What the crawled site serves, as the site would; where the site has none, a repository gets its first one."""
    if documents:
        return judged, as_production(documents, crawled_mapping(config, site_url))
    if judged.served or may_have_repository(workspace) or not _is_production(config, site_url):
        return judged, documents
    return Judged(f"{site_url}{NAMES[0]}", JudgedKind.SERVED), documents


def _target_baseline(target: TargetBranch, choice: Choice) -> Baseline | None:
    """The sitemap of the commit that a change is measured against; None where there is no such commit."""
    if (tree := target.tree) is None:
        return None
    sitemap = target.sitemap or choice.sitemap
    documents = find_documents(tree, sitemap, choice.folder)
    description = f"{sitemap if documents else f'no {sitemap}'} at {tree.commit[:12]}, {tree.relation}"
    same = bool(documents) and same_bytes(documents, choice.committed)
    return Baseline(description, f"{tree.commit[:12]}:{sitemap}", documents, same, tree)


def _question_two(config: Config, choice: Choice, base: Baseline, judged: Judged, site_url: str) -> Baseline:
    """No sitemap that a build or a site made is its own baseline.

    It is compared with the target branch's copy, or what the config names, before what production serves.
    """
    itself = bool(config.source.witness) or (judged.served and _is_production(config, site_url))
    if not choice.committed and not base.documents:
        return only_itself(choice) if itself else default_baseline(config.baseline, choice, base)
    if judged.kind is JudgedKind.COMMITTED or not choice.committed:
        return base
    if config.baseline == "committed" or (itself and config.baseline == "auto"):
        return only_itself(choice, served=judged.served)
    if config.baseline != "auto" or (base.tree is not None and base.documents):
        return base
    return built_baseline(choice, "built" if judged.built else "that of the preview")


def _is_production(config: Config, site_url: str) -> bool:
    """Whether the site that is crawled is the one that its pages are listed with."""
    return bool(config.source.url and site_url) and same_site(config.source.url, site_url, config.crawl.www.value)


def _notes_on_files(
    config: Config, context: Context, judged: Judged, committed: Documents, theirs: str
) -> Iterator[str]:
    """`theirs`: path of the target branch's sitemap, where it has one."""
    elsewhere = judged.kind is not JudgedKind.COMMITTED and not (Path(context.workspace) / theirs).is_file()
    if theirs and (elsewhere or not committed):
        yield f"{theirs} is on the target branch and not here: this change deletes it"
    elif theirs and judged.path != theirs:
        yield f"{judged.path} is compared with {theirs} of the target branch, which this change moves"
    if judged.note:
        yield judged.note
    yield from _other_sitemaps(config, context, judged, committed)


def _other_sitemaps(config: Config, context: Context, judged: Judged, documents: Documents) -> list[str]:
    """A note where a build has several sitemaps: one is judged, with all that it lists."""
    if not judged.built or not documents or config.sitemap:
        return []
    others = build_folder(config, context).other_sitemaps(row.path for row in documents.rows)
    if not others:
        return []
    names = ", ".join(others[:_NAMED]) + (f" and {len(others) - _NAMED} more" if others[_NAMED:] else "")
    return [f"not judged: {names}; pages that {judged.path} does not list count as missing, whatever these list"]


def _addresses(  # noqa: PLR0913, PLR0917 - what tells where a sitemap is served
    config: Config, context: Context, judged: Judged, site_url: str, committed: Documents, crawled: Crawled | None
) -> tuple[str, tuple[str, ...]]:
    """The sitemap's address on the site; and where production's own is looked for: at the site, then likely addresses.

    A sitemap that is named is in the place of the site (I-06).
    """
    if config.sitemap_url:
        return config.sitemap_url, (config.sitemap_url,)
    if judged.served and committed:
        address = committed.rows[0].address or committed.rows[0].url
        return address, (site_url, *_hints(config, site_url, crawled))
    build = build_folder(config, context)
    name = PurePosixPath(judged.path).name
    place = build.address(judged.path) if judged.built and build.holds(judged.path) else name
    own = tuple(dict.fromkeys(site_url + one for one in (place, name, *NAMES)))
    return own[0], (site_url, *dict.fromkeys((*_hints(config, site_url, crawled), *own)))


def _hints(config: Config, site_url: str, crawled: Crawled | None) -> tuple[str, ...]:
    """The addresses on production of what a preview declares, and of what it serves undeclared."""
    if crawled is None or not config.source.url:
        return ()
    mapping = crawled_mapping(config, site_url).whole_origin()
    found = crawled.sitemaps
    named = (mapping.to_site(url) for url in (*found.declared.seeds, *(row.url for row in found.documents.rows[:1])))
    return tuple(url for url in dict.fromkeys(named) if url.startswith(mapping.site))


def derive_site_url(documents: Iterable[SitemapDocument], build: Path | None = None) -> tuple[str, str]:
    """The origin of all URLs and, of the directories that they share, the one below which they have files in the build.

    Without a build, or where no file fits, it is that common directory when it is itself listed. It is "" where the
    sitemap does not determine it. With the URL comes, for a note, how many URLs have a file where there was a choice.
    """
    origins: set[str] = set()
    first = last = ""
    sample = _Sample()
    for key in (identity(entry.loc) for document in documents for entry in read_entries(document)):
        if "://" in key:
            origins.add(key[: key.index("/", 8)])
            first, last = min(first or key, key), max(last, key)
            sample.add(key)
    if len(origins) != 1:
        return "", ""
    # What all keys begin with, first and last of them begin with; and it comes before all that begin with it.
    stated = first if first.endswith("/") and last.startswith(first) else f"{origins.pop()}/"
    shared = os.path.commonprefix([first, last])  # noqa: RUF071 - cut at its last directory next
    candidates = list(_directories(shared))
    if build is None or len(candidates) == 1:
        return stated, ""
    files = {one: sum(_has_file(build, key[len(one) :]) for key in sample.keys) for one in candidates}
    best = max(candidates, key=lambda one: files[one])  # of equal ones the first: the build has that directory
    if not files[best]:
        return stated, ""
    return best, f", below which {files[best]:,} of {len(sample.keys):,} URLs looked up have a file in the build"


class _Sample:
    """Some of the URLs, evenly spread, however many come."""

    def __init__(self) -> None:
        self.keys: list[str] = []
        self._seen, self._step = 0, 1

    def add(self, key: str) -> None:
        if self._seen % self._step == 0:
            if len(self.keys) == _SAMPLE:
                del self.keys[1::2]
                self._step *= 2
            if self._seen % self._step == 0:
                self.keys.append(key)
        self._seen += 1


def _directories(prefix: str) -> Iterator[str]:
    """The directories from the origin down to the last one of a prefix of URLs."""
    end = prefix.find("/", 8)
    for _ in range(_DEEPEST):
        if end < 0:
            return
        yield prefix[: end + 1]
        end = prefix.find("/", end + 1)


def _has_file(build: Path, path: str) -> bool:
    name = unquote(path.partition("?")[0])
    if "\0" in name or ".." in name.split("/") or name.startswith("/"):
        return False
    names = (f"{name}index.html",) if name.endswith("/") or not name else (name, f"{name}.html", f"{name}/index.html")
    return any(os.path.isfile(f"{build}/{one}") for one in names)  # noqa: PTH113 - names may be too long for a Path


def shipped_sitemap(build: BuildFolder, judged: str, documents: Documents, name: str) -> ShippedSitemap | None:
    """`documents`: of the judged sitemap; `name`: its address, relative to site-url. None where both are the same."""
    name = unquote(name.partition("?")[0])
    path = str(PurePosixPath(build.inside or build.path) / name)
    root = build.root()
    if root is None or not documents or path == judged:
        return None
    try:
        shipped = find_documents(WorkTree(root), name)
        if not shipped:
            return ShippedSitemap(path)
        return None if same_bytes(shipped, documents) else _shipped_difference(path, documents, shipped)
    except BaselineError as error:
        return ShippedSitemap(path, present=True, unread=str(error))


def _shipped_difference(path: str, judged: Documents, shipped: Documents) -> ShippedSitemap | None:
    rows = [row for row in compare_sitemaps(judged, shipped) if not isinstance(row, Changed)]
    added = tuple(row.url for row in rows if isinstance(row, Added))
    lacking = tuple(row.loc for row in rows if isinstance(row, Entry))
    return ShippedSitemap(path, present=True, only_here=added, lacking=lacking) if rows else None
