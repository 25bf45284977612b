"""The look phase in its order: sitemaps first, for their URLs are seeds, then every page; nothing is decided."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.checks.all import SetResult
from sitemap_action.checks.base import file_options
from sitemap_action.config.layers import ConfigReader
from sitemap_action.config.schema import BaselineDebt, Config, Lastmod
from sitemap_action.decide.compare import join_urls
from sitemap_action.decide.stated_base import Statements
from sitemap_action.errors import BaselineError, UsageError
from sitemap_action.look.address_history import with_candidates
from sitemap_action.look.baseline import debt
from sitemap_action.look.branch import BranchTip, branch_shards
from sitemap_action.look.committed_sitemap import (
    copies_in_step,
    digests_of_copies,
    existing_shards,
    read_fingerprint_file,
    seeds,
    store_checked,
    store_entries,
)
from sitemap_action.look.comparison import ComparisonInputs, Crawled, find_comparison_inputs, shipped_sitemap
from sitemap_action.look.documents import FetchSitemap, digest, temporary_folder
from sitemap_action.look.judged_sitemap import build_folder
from sitemap_action.look.old_site import read_old_site
from sitemap_action.look.source import ExplainedUrl, Source, choose_source, locate_source, verdict_robots
from sitemap_action.look.source_dates import source_dates
from sitemap_action.look.state import inventory as open_inventory
from sitemap_action.look.state import manifest_of
from sitemap_action.look.web_sitemaps import load_crawled
from sitemap_action.look.web_sitemaps import production as fetch_production
from sitemap_action.look.witness import observe
from sitemap_action.model.context import Context, Detail, RunIdentity, ShardResult
from sitemap_action.model.finding import Finding, Ledger, Place
from sitemap_action.model.observer import Observer
from sitemap_action.model.outcome import BaselineInfo, Cause, CauseKind, RunInfo, StatedBase
from sitemap_action.model.site import Role, SiteShard
from sitemap_action.model.sitemap import CommittedFile, ShippedSitemap
from sitemap_action.model.source import NO_DATES, SourceDates, SourceResult
from sitemap_action.model.wording import option, plural
from sitemap_action.repo.git import Git
from sitemap_action.robots.groups import Profile, parse
from sitemap_action.store.inventory import Inventory
from sitemap_action.store.shards import ShardState
from sitemap_action.walk.declared import LoadedSitemaps
from sitemap_action.walk.folders import WorkTree, find_pings
from sitemap_action.web.spellings import SiteMapping, site_mapping
from sitemap_action.web.urls import is_url, normalize

_Sources: TypeAlias = Callable[[Config, Context], Source]
_ReadOldSite: TypeAlias = Callable[[Inventory, Sequence[Role], Iterable[str]], tuple[list[str], list[str]]]


class LookResult(Struct, frozen=True):
    """What the look phase returns, beside the inventory."""

    run: RunInfo
    committed: SetResult  # findings of the rules over files on the checked-out sitemap
    committed_files: tuple[CommittedFile, ...]
    robots: bytes | None  # that decides what may be listed
    base_robots: bytes | None  # of the baseline; None when it is not known
    sitemap_url: str
    shards: tuple[str, ...]  # files of earlier runs, ours by name and by comment
    branch: BranchTip | None = None  # that is committed to; None where nothing is published
    shipped: ShippedSitemap | None = None  # of the build, where it is not the judged one
    site_url_given: bool = False  # as a flag or an input
    copies: Mapping[str, str] = {}  # digests of files beside it that a writing mode may write, "" where one is missing
    pings: tuple[tuple[Place, str], ...] = ()  # of search engines, by the repository's workflows
    dates: SourceDates = NO_DATES  # of the sources of pages, by git
    debt: tuple[Finding, ...] = ()  # findings on the baseline, where these are to be ignored
    others: frozenset[str] = frozenset()  # numbered files beside the sitemap that are not ours, and are not replaced

    @property
    def digests(self) -> dict[str, str]:
        """The digests of the committed files, by path."""
        return {file.path: file.digest for file in self.committed_files}


def look(  # noqa: PLR0913 - where and how to look
    config: Config,
    context: Context,
    inventory: Inventory,
    reader: ConfigReader,
    observer: Observer,
    *,
    production: FetchSitemap | None = None,
    explained: ExplainedUrl | None = None,
    addresses: Sequence[str] | None = None,
) -> LookResult:
    """Sitemaps first, for their URLs are seeds, then every page.

    `production` fetches a sitemap that a live site serves; None where no such site is requested. `addresses`: as `run`.
    """
    _refuse_impossible(config, context)
    with temporary_folder() as folder:
        compared = find_comparison_inputs(
            config, context, reader, production, partial(_crawl, config, context, inventory, observer), folder
        )
        compared = _with_addresses(config, context, compared, addresses)
        asks = production is not None and explained is None and inventory.shard is None
        asks = asks and bool(config.policy.moved_from)
        old_site = partial(read_old_site, config, context.access, compared.site_url) if asks else None

        def sources(config: Config, context: Context) -> Source:
            url, lines = compared.site_url, tuple(compared.base.ledger.open_addresses())
            choose = partial(choose_source, config, context, url, observer, compared.address, _loaded(compared), lines)
            return choose() if explained is None else explained.choose(choose, config, url)

        found = _look(config, context, inventory, compared, sources, old_site)
        if config.source.witness and explained is None and inventory.shard is None:
            found = _with_witness(config, context, inventory, compared, found, observer)
    workspace = Path(context.workspace)
    stated = _stated_base(config, inventory, compared, found.run.source, found.shipped)
    run = replace(found.run, identity=_identity(context, reader, build=bool(config.source.path)), stated=stated)
    return replace(found, run=run, site_url_given=reader.gives("site-url"), pings=find_pings(workspace))


def _crawl(config: Config, context: Context, inventory: Inventory, observer: Observer, folder: Path) -> Crawled:
    at, seen_by, located = locate_source(config, context)
    loaded, notes = load_crawled(at, seen_by.access, inventory, folder, observer)
    waited = replace(at, crawl=replace(at.crawl, wait_for=""))
    return Crawled(loaded, waited, seen_by, (*located, *notes))


def _identity(context: Context, reader: ConfigReader, *, build: bool) -> RunIdentity:
    """With the config file, and for a build on a machine without events the commit that is checked out."""
    known, workspace = context.identity, Path(context.workspace)
    known = replace(known, config=reader.path if (workspace / reader.path).is_file() else "")
    if context.event or known.commit or not build:
        return known
    with suppress(BaselineError):
        git = Git(workspace)
        known = replace(known, commit=git.commit("HEAD") or "", branch=git.branches()[1])
    return known


def _with_addresses(
    config: Config, context: Context, compared: ComparisonInputs, addresses: Sequence[str] | None
) -> ComparisonInputs:
    if addresses is None:
        return compared
    old = compared.base
    base = with_candidates(config, context, old, compared.committed, compared.site_url, addresses)
    return replace(compared, base=base, notes=(*compared.notes, *base.notes[len(old.notes) :]))


def _refuse_impossible(config: Config, context: Context) -> None:
    """Raises UsageError."""
    if context.access.offline and (address := config.source.url or config.source.witness):
        hint = f"name the folder of the build ({option('path', 'dist')}), or leave --offline out"
        raise UsageError(f"--offline is given, and the site is to be read at {address}", hint=hint)
    if config.source.witness and context.mode.writes:
        hint = "write from one of them; check compares a build with what is served"
        raise UsageError("path and url are both given, and a run that writes reads one of them", hint=hint)


def _with_witness(  # noqa: PLR0913, PLR0917 - what was seen of the build, and where to look
    config: Config,
    context: Context,
    built: Inventory,
    compared: ComparisonInputs,
    seen: LookResult,
    observer: Observer,
) -> LookResult:
    served = replace(config.source, path="", url=config.source.witness)
    config = replace(config, site_url=compared.site_url, sitemap="", source=served)
    config, context, located = locate_source(config, context)
    witness = observe(
        config, context, built, seen.run.source, compared.address, observer, choose_source, compared.base.ledger.lines
    )
    run, source, found = seen.run, seen.run.source, witness.found
    gaps = (Cause(CauseKind.INCOMPLETE, one) for one in found.incomplete)
    source = replace(source, witness=witness, interrupted=source.interrupted or found.interrupted)
    notes = (*run.notes, *located, *found.notes)
    run = replace(run, source=source, incomplete=(*run.incomplete, *gaps), notes=notes)
    return replace(seen, run=run)


def _look(  # noqa: PLR0913, PLR0917 - what is compared, and where to look
    config: Config,
    context: Context,
    inventory: Inventory,
    compared: ComparisonInputs,
    sources: _Sources,
    old_site: _ReadOldSite | None,
) -> LookResult:
    committed, base, ignore = compared.committed, compared.base, BaselineDebt.IGNORE
    options = file_options(config, context.now, base.accepted, every=Detail.FINDINGS in context.details)
    checked, files = store_checked(inventory, committed, compared.address, options, compared.site_url)
    roles, beside = [Role.COMMITTED], _fingerprints(config, context, inventory, compared)
    if not base.same:
        store_entries(inventory, Role.BASELINE, base.documents, compared.site_url)
        roles.append(Role.BASELINE)
    _, config, context, located = compared.crawled or (None, *locate_source(config, context))
    published = _find_published(config, base.ledger)
    listed = seeds(inventory, compared.site_url, roles, config.policy.moved_from, published)
    wanted, moved = old_site(inventory, roles, listed) if old_site else (listed, [])
    found = sources(config, context).gather(inventory, wanted)
    robots = verdict_robots(config, context, found.robots)
    branch = _published_branch(compared, files)
    shards, others = existing_shards(Path(context.workspace), compared.judged.path)
    dates = _source_dates(config, context, compared.site_url)
    copies, notes = _copies(config, context, compared, files)
    return LookResult(
        run=_run_info(compared, (*_notes(inventory, branch), *located, *moved, *dates.notes, *notes), found),
        committed=checked,
        committed_files=files,
        robots=robots,
        base_robots=base.find_robots(config, compared.judged.path, robots),
        sitemap_url=compared.address,
        shards=_without_others(shards, files),
        others=others,
        branch=branch,
        shipped=_shipped_sitemap(config, context, compared),
        copies=copies | beside,
        dates=dates,
        debt=debt(base.documents, compared.address, options) if config.policy.baseline_debt is ignore else (),
    )


def _find_published(config: Config, ledger: Ledger) -> Iterable[str]:
    """URLs of the ledger that are requested, of a build and what is served of it all."""
    if config.source.witness:
        return ledger.lines
    return ledger.requested_addresses() if config.source.url else ()


def _loaded(compared: ComparisonInputs) -> LoadedSitemaps | None:
    """What the crawl need not load; a sitemap that was named is not all that the site declares."""
    if compared.crawled is None or is_url(compared.crawled.config.sitemap):
        return None
    return compared.crawled.sitemaps


def _published_branch(compared: ComparisonInputs, files: Sequence[CommittedFile]) -> BranchTip | None:
    tip, sitemap = compared.tip, compared.judged.path
    if tip is None:
        return None
    shards = _without_others(branch_shards(compared.committed, sitemap), files)
    return replace(tip, shards=shards, superseded=tip.why_superseded(sitemap))


def _shipped_sitemap(config: Config, context: Context, compared: ComparisonInputs) -> ShippedSitemap | None:
    name = compared.address.removeprefix(compared.site_url)
    if name == compared.address:
        return None
    return shipped_sitemap(build_folder(config, context), compared.judged.path, compared.committed, name)


def _stated_base(
    config: Config, found: Inventory, compared: ComparisonInputs, source: SourceResult, shipped: ShippedSitemap | None
) -> StatedBase:
    """URL-35; a shard has read a part alone."""
    if found.shard is not None:
        return StatedBase()
    mapping = SiteMapping(compared.site_url, compared.site_url)
    if source.kind == "url":
        mapping = site_mapping(compared.site_url, normalize(source.location), config.source.mount)
    robots = parse(source.robots or b"", Profile.GOOGLE)
    stated = Statements(found, mapping)
    stated.add_rows(join_urls(found, same=compared.base.same), shipped, built=compared.judged.built)
    declared = () if source.hosting is None else source.hosting.declared
    stated.add_robots(declared or [text for _, text in robots.sitemaps])
    return stated.find_base(config.policy.moved_from)


def _notes(inventory: Inventory, branch: BranchTip | None) -> tuple[str, ...]:
    """Notes on the state, on the shards that are merged, and on a branch that is ahead."""
    superseded = (branch.superseded,) if branch and branch.superseded else ()
    return (*inventory.notes, *(inventory.shards.notes() if inventory.shards else ()), *superseded)


def _describe_feeds(files: Sequence[CommittedFile]) -> list[str]:
    """A note on each feed of an index whose items are no pages, such as the images of a gallery (U-27)."""
    found = [file for file in files if file.ignored]
    return [f"{file.path}: {plural(file.ignored, 'link')} of this feed to no pages do not count" for file in found]


def _without_others(shards: Sequence[str], files: Sequence[CommittedFile]) -> tuple[str, ...]:
    """Shards that no other build has written."""
    others = {file.path for file in files if file.other}
    return tuple(path for path in shards if path not in others)


def _copies(
    config: Config, context: Context, compared: ComparisonInputs, files: Sequence[CommittedFile]
) -> tuple[dict[str, str], list[str]]:
    """Digests of the files beside the sitemap that a writing mode may write, and notes on those that it may not."""
    notes = _describe_feeds(files)
    if not context.mode.writes:
        return {}, notes
    judged, ledger = compared.judged, compared.base.ledger
    own = {ledger.path: digest(ledger.content) if ledger.content is not None else ""} if ledger.path else {}
    here = WorkTree(Path(context.workspace), named=judged.path if judged.named else "")
    store = compared.tip.tree if compared.tip else here
    in_step, others = copies_in_step(compared.committed, store)
    notes += [f"{name} has other URLs than {judged.path}, and is left as it is" for name in others]
    if not (config.output.gzip or len(config.output.format) > 1):
        return own | in_step, notes
    paths = [row.path for row in compared.committed.rows]
    return own | in_step | digests_of_copies(config.output, judged.path, paths, store), notes


def _fingerprints(config: Config, context: Context, inventory: Inventory, compared: ComparisonInputs) -> dict[str, str]:
    """Path and digest of the file."""
    if not (path := config.output.fingerprints):
        return {}
    store = compared.tip.tree if compared.tip else WorkTree(Path(context.workspace))
    return {path: read_fingerprint_file(path, compared.judged.path, compared.site_url, store, inventory)}


def _source_dates(config: Config, context: Context, site_url: str) -> SourceDates:
    if not config.output.takes_from(Lastmod.GIT, Lastmod.AUTO):
        return NO_DATES
    return source_dates(config, context, site_url)


def _gaps(compared: ComparisonInputs, found: SourceResult) -> tuple[Cause, ...]:
    """Why pages may be missing, what is removed is not known, or what the site's own sitemap lists."""
    gaps = [Cause(CauseKind.INCOMPLETE, one) for one in found.incomplete]
    if compared.crawled and (why := compared.crawled.sitemaps.unread) and not found.no_pages:
        gaps.append(Cause(CauseKind.UNREAD_SITEMAP, f"not all that the sitemap of the site lists is known: {why}"))
    if why := compared.base.unread:
        gaps.append(Cause(CauseKind.UNREAD_BASELINE, why))
    return tuple(gaps)


def _run_info(compared: ComparisonInputs, notes: tuple[str, ...], found: SourceResult) -> RunInfo:
    base, judged = compared.base, compared.judged
    no_baseline, target = compared.first_run or not base.documents, compared.target.tree or base.tree
    start = target.commit if target else ""
    return RunInfo(
        site_url=compared.site_url,
        source=found,
        sitemap=judged.path,
        baseline=BaselineInfo(
            description=base.description,
            same=base.same,
            name=base.name,
            missing=no_baseline,
            alone=base.alone,
            unasked=base.unasked,
            accepted=base.accepted,
            ledger=base.ledger,
            commit=start,
        ),
        first_run=compared.first_run,
        absent=not compared.committed,
        incomplete=_gaps(compared, found),
        no_pages=found.no_pages,
        notes=(*compared.notes, *compared.target.notes, *notes, *found.notes),
        pull_request=compared.target.description,
        policy=compared.target.policy,
        judged=judged.kind.value,
    )


def look_at_shard(
    config: Config, context: Context, shard: SiteShard, reading: ConfigReader, observer: Observer
) -> ShardResult:
    """What a run looks at before it judges, of the URLs or files of one shard, into the state."""
    with open_inventory(config, context) as found:
        found.shard = ShardState(found.database, manifest_of(config, context, str(shard)), shard)
        served = None if context.access.offline else fetch_production(config, context.access, found)
        seen = look(config, context, found, reading, observer, production=served)
        robots = hashlib.sha256(seen.robots).hexdigest() if seen.robots is not None else ""
        manifest = found.shard.end(tuple(one.sentence for one in seen.run.incomplete), robots)
    return ShardResult(
        shard=shard,
        state=str(context.state),
        looked_at=manifest.urls,
        files=bool(manifest.build),
        incomplete=manifest.incomplete,
        interrupted=seen.run.source.interrupted,
        notes=(*found.notes, *seen.run.notes),
    )
