"""What is compared: the judged sitemap with the site and with its baseline, and where the site's pages live (B-05)."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.config.layers import ConfigReader
from sitemap_action.config.schema import AUTO, Config
from sitemap_action.errors import BaselineError, UsageError
from sitemap_action.look.baseline import (
    Baseline,
    Choice,
    built_baseline,
    choose_baseline,
    default_baseline,
    only_itself,
)
from sitemap_action.look.branch import BranchTip, TargetBranch, branch_shards, branch_tip, target_branch
from sitemap_action.look.committed_sitemap import compare_sitemaps, identity
from sitemap_action.look.documents import Documents, FetchSitemap, find_documents, read_entries, same_bytes
from sitemap_action.look.judged_sitemap import NAMES, BuildFolder, Judged, build_folder, find_judged
from sitemap_action.look.moved_sitemap import find_moved_sitemap
from sitemap_action.look.places import WorkTree
from sitemap_action.model.context import Context
from sitemap_action.model.outcome import Added, Changed
from sitemap_action.model.sitemap import ShippedSitemap, SitemapDocument
from sitemap_action.model.wording import option
from sitemap_action.web.site_mapping import is_preview

_NAMED = 3  # sitemaps in a note
_SAMPLE = 200  # URLs that are looked up in the build
_DEEPEST = 10  # directories that a site may be below


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

    def branch_shards(self) -> tuple[str, ...]:
        """Numbered files of the branch's sitemap, ours by name and by comment."""
        return branch_shards(self.committed, self.judged.path) if self.tip else ()


def find_comparison_inputs(
    config: Config, context: Context, reader: ConfigReader, production: FetchSitemap | None, folder: Path
) -> ComparisonInputs:
    workspace = Path(context.workspace)
    target = target_branch(config, context, reader)
    tip = branch_tip(config, context)
    judged = tip.find_judged(config, context, target.sitemap) if tip else find_judged(config, context, target.sitemap)
    here = WorkTree(workspace, named=judged.path if judged.named else "")
    committed = find_documents(tip.tree, judged.path, folder) if tip else find_documents(here, judged.path)
    if config.baseline == "auto":
        target = _with_moved_sitemap(target, judged, committed, config.site_url, folder)
    named, offline = context.names("baseline"), context.access.offline
    choice = Choice(
        workspace, judged.path, committed, folder, production, named=named, event=context.event, offline=offline
    )
    theirs = _target_baseline(target, choice) if config.baseline == "auto" else None
    base = theirs or choose_baseline(config.baseline, choice)
    # On a pull request the baseline determines where the site is: an edit of the file does not move the site.
    stated = (theirs and theirs.documents) or committed
    root = workspace / config.source.path if config.source.path and not config.source.url else None
    site_url, notes = (config.site_url, []) if config.site_url else _derived_site_url(config, stated, root, judged.path)
    addresses = _addresses(config, context, judged, site_url)
    if theirs and theirs.documents:
        notes += _moves(target.sitemap, judged.path if committed else "")
    if judged.note:
        notes.append(judged.note)
    notes += _other_sitemaps(config, context, judged, committed)
    compared = _question_two(config, choice, addresses, base, built=judged.built)
    return ComparisonInputs(
        judged=judged,
        committed=committed,
        base=compared,
        target=target,
        site_url=site_url,
        address=addresses[0],
        first_run=not committed and not base.documents,
        tip=tip,
        notes=(*notes, *compared.notes),
    )


def _moves(theirs: str, ours: str) -> list[str]:
    if not ours:
        return [f"{theirs} is on the target branch and not here: this pull request deletes it"]
    moved = f"{ours} is compared with {theirs} of the target branch, which this change moves"
    return [moved] if ours != theirs else []


def _with_moved_sitemap(
    target: TargetBranch, judged: Judged, committed: Documents, site_url: str, folder: Path
) -> TargetBranch:
    """Where the target branch has no sitemap at the known places, the one that became the judged one (I-10)."""
    if target.tree is None or target.sitemap:
        return target
    found = find_moved_sitemap(target.tree, judged, committed, site_url, folder)
    return replace(target, sitemap=found)


def _target_baseline(target: TargetBranch, choice: Choice) -> Baseline | None:
    """The sitemap of the commit that a pull request is measured against; None outside of pull requests."""
    if (commit := target.commit) is None or (tree := target.tree) is None:
        return None
    sitemap = target.sitemap or choice.sitemap
    documents = find_documents(tree, sitemap, choice.folder)
    description = f"{sitemap if documents else f'no {sitemap}'} at {commit.id[:12]}, {commit.relation}"
    same = bool(documents) and same_bytes(documents, choice.committed)
    return Baseline(description, f"{commit.id[:12]}:{sitemap}", documents, same, tree)


def _question_two(config: Config, choice: Choice, addresses: list[str], base: Baseline, *, built: bool) -> Baseline:
    """A built sitemap is compared with the target branch's copy, or what the config names, before what is served."""
    if not choice.committed and not base.documents:
        return default_baseline(config.baseline, addresses[0], choice, base)
    if not built or not choice.committed:
        return base
    if config.baseline == "committed":
        return only_itself(choice)
    if config.baseline != "auto" or (base.tree is not None and base.documents):
        return base
    return built_baseline(addresses, choice)


def _other_sitemaps(config: Config, context: Context, judged: Judged, documents: Documents) -> list[str]:
    """A note where a build has several sitemaps: one is judged, with all that it lists."""
    if not judged.built or not documents or config.sitemap:
        return []
    others = build_folder(config, context).other_sitemaps(row.path for row in documents.rows)
    if not others:
        return []
    names = ", ".join(others[:_NAMED]) + (f" and {len(others) - _NAMED} more" if others[_NAMED:] else "")
    return [f"not judged: {names}; pages that {judged.path} does not list count as missing, whatever these list"]


def _addresses(config: Config, context: Context, judged: Judged, site_url: str) -> list[str]:
    """Where the site serves the sitemap, and where it may have served one before."""
    build = build_folder(config, context)
    if config.sitemap_url:
        return [config.sitemap_url]
    name = PurePosixPath(judged.path).name
    place = build.address(judged.path) if judged.built and build.holds(judged.path) else name
    return list(dict.fromkeys(site_url + one for one in (place, name, *NAMES)))


def _derived_site_url(config: Config, stated: Documents, build: Path | None, sitemap: str) -> tuple[str, list[str]]:
    """The site URL that the sitemap states, or the address of the source; and a note that says so. Raises UsageError.

    `stated`: documents of the `sitemap`, which are read once for their URLs alone.
    """
    url, has_files = derive_site_url(stated, build)
    if url:
        return url, [f"site-url is not set; taken from {sitemap}: {url}{has_files}"]
    if config.source.url not in ("", AUTO) and not is_preview(config.source.url):
        here = config.source.url.partition("?")[0].rpartition("/")[0] + "/"
        return here, [f"site-url is not set; taken from the address of the source: {here}"]
    unknown = f"site-url is not set, and {sitemap} does not determine it"
    message = unknown if stated else "site-url is not set, and there is no sitemap to take it from"
    named = option("site-url", "https://www.example.com/")
    hint = f"set where the pages will live: {named}, or the same key in the config"
    raise UsageError(message, hint=hint)


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
    return best, f", below which {files[best]} of {len(sample.keys)} URLs looked up have a file in the build"


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
    lacking = tuple(row.url for row in rows if not isinstance(row, Added))
    return ShippedSitemap(path, present=True, only_here=added, lacking=lacking) if rows else None
