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


class ComparisonSearch:
    """Finds what is compared, step by step, with what git and the site tell."""

    def __init__(
        self, config: Config, context: Context, reader: ConfigReader, production: FetchSitemap | None, folder: Path
    ) -> None:
        """`production`: None where no site is requested. `folder`: for documents."""
        self._config, self._context, self._reader, self._folder = config, context, reader, folder
        self._production, self._workspace = production, Path(context.workspace)
        self._target, self._tip = target_branch(config, context, reader), branch_tip(config, context)
        self._crawled: Crawled | None = None

    def find(self, crawl: LoadCrawled) -> ComparisonInputs:
        judged, committed = self._find_judged()
        self._find_moved_sitemap(judged, committed)
        judged, committed = self._of_named_site(judged, committed)
        if self._production and self._is_served(judged, committed):
            self._crawled = crawl(self._folder)
            self._config, committed = self._crawled.config, self._crawled.sitemaps.documents
            judged = self._judge_served(judged, committed)
        choice = Choice(self._context, judged.path, committed, self._folder, self._production)
        theirs = self._target_baseline(choice) if self._config.baseline == "auto" else None
        site_url, notes = self._site_url(theirs, committed, judged)
        if self._crawled and self._config.source.url:
            judged, committed = self._place_on_site(judged, committed, site_url)
        address, places = self._addresses(judged, site_url, committed)
        choice = replace(choice, sitemap=judged.path, committed=committed, address=places[0], likely=places[1:])
        base = theirs or choose_baseline(self._config.baseline, choice)
        notes += self._notes_on_files(judged, committed, self._target.sitemap if theirs and theirs.documents else "")
        compared = self._with_lists(self._question_two(choice, base, judged, site_url), site_url)
        return ComparisonInputs(
            judged=judged,
            committed=committed,
            base=compared,
            target=self._target,
            site_url=site_url,
            address=address,
            first_run=not committed and not base.documents,
            tip=self._tip,
            notes=(*notes, *compared.notes),
            crawled=self._crawled,
        )

    def _find_judged(self) -> tuple[Judged, Documents]:
        """The judged sitemap of the branch that is committed to, or of the work tree; of a served one no documents."""
        find = self._tip.find_judged if self._tip else find_judged
        judged = find(self._config, self._context, self._target.sitemap)
        if judged.served:
            return judged, Documents()
        here = WorkTree(self._workspace, named=judged.path if judged.named else "")
        return judged, find_documents(self._tip.tree if self._tip else here, judged.path, self._folder)

    def _find_moved_sitemap(self, judged: Judged, committed: Documents) -> None:
        """Where the target branch has no sitemap at the known places, the one that became the judged one (I-10)."""
        target, config = self._target, self._config
        if config.baseline == "auto" and target.tree is not None and not target.sitemap:
            found = find_moved_sitemap(target.tree, judged, committed, config.site_url, self._folder)
            self._target = replace(target, sitemap=found)

    def _of_named_site(self, judged: Judged, committed: Documents) -> tuple[Judged, Documents]:
        """Of a site that the command line names, the served one, where the file here is of another host (I-05)."""
        config, context = self._config, self._context
        named = context.names("source.url") and not context.names("sitemap") and is_url(config.source.url)
        check = config.sitemaps.use and not (context.mode.writes or self._target.tree)
        if not (committed and named and check and self._is_production(config.site_url)):
            return judged, committed
        other, _ = derive_site_url(committed)
        if not other or is_host_of(other, config.site_url, *config.policy.moved_from):
            return judged, committed
        note = f"{judged.path} is of {other}, another site than {config.site_url}: what this one serves is judged"
        return Judged(f"{config.site_url}{NAMES[0]}", JudgedKind.SERVED, note=note), Documents()

    def _is_served(self, judged: Judged, committed: Documents) -> bool:
        """Whether the site's own sitemap is judged (I-05): a URL is named, or a site is checked and no file is here."""
        config = self._config
        no_file = not (committed or config.sitemap or self._target.sitemap)
        checks = bool(config.source.url) and config.sitemaps.use and not self._context.mode.writes
        return judged.served or (no_file and checks)

    def _judge_served(self, judged: Judged, documents: Documents) -> Judged:
        """Raises BaselineError where a URL was named, and there is nothing."""
        if documents:
            return Judged(documents.rows[0].path, JudgedKind.SERVED, note=judged.note)
        if is_url(self._config.sitemap):
            raise BaselineError(f"there is no sitemap at {self._config.sitemap}", hint=f"correct {option('sitemap')}")
        return judged

    def _target_baseline(self, choice: Choice) -> Baseline | None:
        """The sitemap of the commit that a change is measured against; None where there is no such commit."""
        if (tree := self._target.tree) is None:
            return None
        sitemap = self._target.sitemap or choice.sitemap
        documents = find_documents(tree, sitemap, choice.folder)
        description = f"{sitemap if documents else f'no {sitemap}'} at {tree.commit[:12]}, {tree.relation}"
        same = bool(documents) and same_bytes(documents, choice.committed)
        return Baseline(description, f"{tree.commit[:12]}:{sitemap}", documents, same, tree)

    def _site_url(self, theirs: Baseline | None, committed: Documents, judged: Judged) -> tuple[str, list[str]]:
        """The site URL that is set, or that the sitemap states, or the address of the source; and a note that says so.

        On a pull request the baseline determines where the site is: an edit of the file does not move the site. A site
        that is served where its pages live needs no sitemap to tell; and one of this machine that names no public site
        is the site itself where the command line names it (I-05): in a workflow it is a preview. Raises UsageError.
        """
        config = self._config
        if config.site_url:
            return config.site_url, []
        stated = (theirs and theirs.documents) or committed
        source = config.source.url or config.source.witness
        source = "" if source == AUTO else source
        live = bool(source) and not is_preview(source)
        itself = self._context.names("source.url") and is_loopback(source) and (judged.served or not stated)
        here = directory_of(source) if live or itself else ""
        build = self._workspace / config.source.path if config.source.path and not config.source.url else None
        url, has_files = derive_site_url(stated, build)
        if url and not (judged.served and (live or (is_preview(url) and here))):
            return url, [f"site-url is not set; taken from {judged.path}: {url}{has_files}{_warn_of_placeholder(url)}"]
        if here:
            return here, [f"site-url is not set; taken from the address of the source: {here}"]
        if url := self._start_page_canonical():
            found = f"taken from the canonical of index.html: {url}{_warn_of_placeholder(url)}"
            return url, [f"site-url is not set; {found}"]
        raise _unknown_site(source, judged.path if stated else "")

    def _start_page_canonical(self) -> str:
        """The directory that the start page of a build states as its own address; "" without one (U-26)."""
        root = build_folder(self._config, self._context).root()
        if root is None:
            return ""
        try:
            body = Workspace(root).read_head(_START, MAX_FILE)
        except OSError:
            return ""
        canonicals = read_document(body, (), f"{_NO_SITE}/{_START}").facts.head.canonicals
        stated = {directory_of(one.url) for one in canonicals if not one.ignored and is_url(one.url)}
        return stated.pop() if len(stated) == 1 and not any(one.startswith(_NO_SITE) for one in stated) else ""

    def _place_on_site(self, judged: Judged, documents: Documents, site_url: str) -> tuple[Judged, Documents]:
        """What the crawled site serves, as the site would; where it has none, a repository gets its first one."""
        if documents:
            return judged, as_production(documents, crawled_mapping(self._config, site_url))
        if judged.served or may_have_repository(self._workspace) or not self._is_production(site_url):
            return judged, documents
        return Judged(f"{site_url}{NAMES[0]}", JudgedKind.SERVED), documents

    def _addresses(self, judged: Judged, site_url: str, committed: Documents) -> tuple[str, tuple[str, ...]]:
        """The sitemap's address on the site; and where production's own is looked for: at the site, then likely ones.

        A sitemap that is named is in the place of the site (I-06).
        """
        if named := self._config.sitemap_url:
            return named, (named,)
        if judged.served and committed:
            address = committed.rows[0].address or committed.rows[0].url
            return address, (site_url, *self._hints(site_url))
        build = build_folder(self._config, self._context)
        name = PurePosixPath(judged.path).name
        place = build.address(judged.path) if judged.built and build.holds(judged.path) else name
        own = tuple(dict.fromkeys(site_url + one for one in (place, name, *NAMES)))
        return own[0], (site_url, *dict.fromkeys((*self._hints(site_url), *own)))

    def _hints(self, site_url: str) -> tuple[str, ...]:
        """The addresses on production of what a preview declares, and of what it serves undeclared."""
        if self._crawled is None or not self._config.source.url:
            return ()
        mapping, found = crawled_mapping(self._config, site_url).whole_origin(), self._crawled.sitemaps
        served = (*found.declared.seeds, *(row.url for row in found.documents.rows[:1]))
        named = dict.fromkeys(mapping.to_site(url) for url in served)
        return tuple(url for url in named if url.startswith(mapping.site))

    def _question_two(self, choice: Choice, base: Baseline, judged: Judged, site_url: str) -> Baseline:
        """No sitemap that a build or a site made is its own baseline.

        It is compared with the target branch's copy, or what the config names, before what production serves.
        """
        setting = self._config.baseline
        itself = bool(self._config.source.witness) or (judged.served and self._is_production(site_url))
        if not choice.committed and not base.documents:
            return only_itself(choice) if itself else default_baseline(setting, choice, base)
        if judged.kind is JudgedKind.COMMITTED or not choice.committed:
            return base
        if setting == "committed" or (itself and setting == "auto"):
            return only_itself(choice, served=judged.served)
        if setting != "auto" or (base.tree is not None and base.documents):
            return base
        return built_baseline(choice, "built" if judged.built else "that of the preview")

    def _is_production(self, site_url: str) -> bool:
        """Whether the site that is crawled is the one that its pages are listed with."""
        url, crawl = self._config.source.url, self._config.crawl
        return bool(url and site_url) and same_site(url, site_url, crawl.www.value)

    def _notes_on_files(self, judged: Judged, committed: Documents, theirs: str) -> Iterator[str]:
        """`theirs`: path of the target branch's sitemap, where it has one."""
        elsewhere = judged.kind is not JudgedKind.COMMITTED and not (self._workspace / theirs).is_file()
        if theirs and (elsewhere or not committed):
            yield f"{theirs} is on the target branch and not here: this change deletes it"
        elif theirs and judged.path != theirs:
            yield f"{judged.path} is compared with {theirs} of the target branch, which this change moves"
        if judged.note:
            yield judged.note
        if not judged.built or not committed or self._config.sitemap:
            return
        # Of several sitemaps of a build one is judged, with all that it lists.
        others = build_folder(self._config, self._context).other_sitemaps(row.path for row in committed.rows)
        if others:
            names = ", ".join(others[:_NAMED]) + (f" and {len(others) - _NAMED} more" if others[_NAMED:] else "")
            yield f"not judged: {names}; pages that {judged.path} does not list count as missing, whatever these list"

    def _with_lists(self, base: Baseline, site_url: str) -> Baseline:
        """The baseline with both lists; the target branch gets what the change does to them."""
        config, context, reader = self._config, self._context, self._reader
        accepted, target = accepted_list(config, context, reader, self._target, base.tree, site_url)
        ledger, self._target = find_ledger(config, context, reader, target, self._tip, site_url)
        return replace(base, accepted=accepted, ledger=ledger, notes=(*base.notes, *ledger_remarks(ledger)))


def _warn_of_placeholder(url: str) -> str:
    """A warning at the end of a note where the host is the placeholder of a generator; "" for any other."""
    if urlsplit(url).hostname not in PLACEHOLDERS:
        return ""
    return ", the placeholder of a new project: give the generator the address where the site will be served"


def _unknown_site(source: str, sitemap: str) -> UsageError:
    """`source`: the address that is crawled, "" for a build. `sitemap`: the one that does not tell."""
    why = f"{sitemap} does not determine it" if sitemap else "there is no sitemap to take it from"
    named = option("site-url", "https://www.example.com/")
    hint = f"set where the pages will live: {named}, or the same key in the config"
    if not (reason := preview_reason(source) if source else ""):
        return UsageError(f"site-url is not set, and {why}", hint=hint)
    itself = f"; where they live there, {option('site-url', source)}"
    return UsageError(
        f"{source} counts as a preview, for {reason}; site-url is not set, and {why}", hint=f"{hint}{itself}"
    )


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
