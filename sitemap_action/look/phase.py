"""The look phase in its order: sitemaps first, for their URLs are seeds, then every page; nothing is decided."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

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
from sitemap_action.look.comparison import ComparisonInputs, ComparisonSearch, Crawled, shipped_sitemap
from sitemap_action.look.documents import FetchSitemap, digest, temporary_folder
from sitemap_action.look.judged_sitemap import build_folder
from sitemap_action.look.old_site import OldSite
from sitemap_action.look.source import ExplainedUrl, Source, choose_source, locate_source, verdict_robots
from sitemap_action.look.source_dates import source_dates
from sitemap_action.look.state import inventory as open_inventory
from sitemap_action.look.state import manifest_of
from sitemap_action.look.web_sitemaps import load_crawled
from sitemap_action.look.web_sitemaps import production as fetch_production
from sitemap_action.look.witness import DeployWitness
from sitemap_action.model.context import Context, Detail, RunIdentity, ShardResult
from sitemap_action.model.finding import Finding, Place
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
from sitemap_action.walk.folders import WorkTree, find_pings
from sitemap_action.web.spellings import SiteMapping, site_mapping
from sitemap_action.web.urls import is_url, normalize


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
        search = ComparisonSearch(config, context, reader, production, folder)
        compared = search.find(partial(_crawl, config, context, inventory, observer))
        compared = _with_addresses(config, context, compared, addresses)
        phase = _LookPhase(config, context, inventory, observer, compared)
        whole = explained is None and inventory.shard is None
        found = phase.look(explained, old_sites=production is not None and whole)
        if config.source.witness and whole:
            found = phase.with_witness(found)
        stated = phase.stated_base(found)
    run = replace(found.run, identity=_identity(context, reader, build=bool(config.source.path)), stated=stated)
    pings = find_pings(Path(context.workspace))
    return replace(found, run=run, site_url_given=reader.gives("site-url"), pings=pings)


def _refuse_impossible(config: Config, context: Context) -> None:
    """Raises UsageError."""
    if context.access.offline and (address := config.source.url or config.source.witness):
        hint = f"name the folder of the build ({option('path', 'dist')}), or leave --offline out"
        raise UsageError(f"--offline is given, and the site is to be read at {address}", hint=hint)
    if config.source.witness and context.mode.writes:
        hint = "write from one of them; check compares a build with what is served"
        raise UsageError("path and url are both given, and a run that writes reads one of them", hint=hint)


def _crawl(config: Config, context: Context, inventory: Inventory, observer: Observer, folder: Path) -> Crawled:
    at, seen_by, located = locate_source(config, context)
    loaded, notes = load_crawled(at, seen_by.access, inventory, folder, observer)
    waited = replace(at, crawl=replace(at.crawl, wait_for=""))
    return Crawled(loaded, waited, seen_by, (*located, *notes))


def _with_addresses(
    config: Config, context: Context, compared: ComparisonInputs, addresses: Sequence[str] | None
) -> ComparisonInputs:
    if addresses is None:
        return compared
    old = compared.base
    base = with_candidates(config, context, old, compared.committed, compared.site_url, addresses)
    return replace(compared, base=base, notes=(*compared.notes, *base.notes[len(old.notes) :]))


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


class _LookPhase:
    """The look at the site, once it is known what is compared."""

    def __init__(
        self, config: Config, context: Context, inventory: Inventory, observer: Observer, compared: ComparisonInputs
    ) -> None:
        self._config, self._context, self._inventory, self._observer = config, context, inventory, observer
        self._compared, self._site_url = compared, compared.site_url
        self._workspace = Path(context.workspace)

    def look(self, explained: ExplainedUrl | None, *, old_sites: bool) -> LookResult:
        """`old_sites`: whether they are requested."""
        config, context, inventory, compared = self._config, self._context, self._inventory, self._compared
        committed, base, ignore = compared.committed, compared.base, BaselineDebt.IGNORE
        options = file_options(config, context.now, base.accepted, every=Detail.FINDINGS in context.details)
        checked, files = store_checked(inventory, committed, compared.address, options, self._site_url)
        roles, beside = [Role.COMMITTED], self._read_fingerprints()
        if not base.same:
            store_entries(inventory, Role.BASELINE, base.documents, self._site_url)
            roles.append(Role.BASELINE)
        _, at, seen_by, located = compared.crawled or (None, *locate_source(config, context))
        wanted: Iterable[str] = seeds(inventory, self._site_url, roles, config.policy.moved_from, self._published())
        moved = list[str]()
        if old_sites and config.policy.moved_from:
            wanted, moved = self._request_old_sites(roles, wanted)
        choose = partial(self._choose_source, at, seen_by)
        source = choose() if explained is None else explained.choose(choose, at, self._site_url)
        found = source.gather(inventory, wanted)
        robots = verdict_robots(config, context, found.robots)
        branch = self._published_branch(files)
        shards, others = existing_shards(self._workspace, compared.judged.path)
        dates = self._source_dates()
        copies, notes = self._copies(files)
        return LookResult(
            run=self._run_info((*self._notes(branch), *located, *moved, *dates.notes, *notes), found),
            committed=checked,
            committed_files=files,
            robots=robots,
            base_robots=base.find_robots(config, compared.judged.path, robots),
            sitemap_url=compared.address,
            shards=_without_others(shards, files),
            others=others,
            branch=branch,
            shipped=self._shipped_sitemap(),
            copies=copies | beside,
            dates=dates,
            debt=debt(base.documents, compared.address, options) if config.policy.baseline_debt is ignore else (),
        )

    def with_witness(self, seen: LookResult) -> LookResult:
        """What was seen of the build, with what is served where it is deployed."""
        compared, run, source = self._compared, seen.run, seen.run.source
        served = replace(self._config.source, path="", url=self._config.source.witness)
        config = replace(self._config, site_url=self._site_url, sitemap="", source=served)
        config, context, located = locate_source(config, self._context)
        looking = DeployWitness(config, context, self._observer, compared.address, choose_source)
        witness = looking.observe(self._inventory, source, compared.base.ledger.lines)
        found = witness.found
        gaps = (Cause(CauseKind.INCOMPLETE, one) for one in found.incomplete)
        source = replace(source, witness=witness, interrupted=source.interrupted or found.interrupted)
        notes = (*run.notes, *located, *found.notes)
        run = replace(run, source=source, incomplete=(*run.incomplete, *gaps), notes=notes)
        return replace(seen, run=run)

    def stated_base(self, seen: LookResult) -> StatedBase:
        """URL-35; a shard has read a part alone."""
        if self._inventory.shard is not None:
            return StatedBase()
        compared, source, mapping = self._compared, seen.run.source, SiteMapping(self._site_url, self._site_url)
        if source.kind == "url":
            mapping = site_mapping(self._site_url, normalize(source.location), self._config.source.mount)
        robots = parse(source.robots or b"", Profile.GOOGLE)
        stated = Statements(self._inventory, mapping)
        rows = join_urls(self._inventory, same=compared.base.same)
        stated.add_rows(rows, seen.shipped, built=compared.judged.built)
        stated.add_robots(source.hosting.declared or [text for _, text in robots.sitemaps])
        return stated.find_base(self._config.policy.moved_from)

    def _published(self) -> Iterable[str]:
        """URLs of the ledger that are requested, of a build and what is served of it all."""
        ledger, source = self._compared.base.ledger, self._config.source
        if source.witness:
            return ledger.lines
        return ledger.requested_addresses() if source.url else ()

    def _request_old_sites(self, roles: Sequence[Role], listed: Iterable[str]) -> tuple[list[str], list[str]]:
        """Stores what each old URL answers (I-01). Returns the seeds with the targets of redirects, and notes."""
        wanted, notes, site_url = [*listed], [], self._site_url  # the pages of other sites are stored on the way
        keys = {key for role in roles for key in self._inventory.identities(role) if not key.startswith(site_url)}
        for base in self._config.policy.moved_from:
            if own := sorted(key for key in keys if key.startswith(base)):
                old = OldSite(self._config, self._context.access, site_url, base)
                pages, said = old.request(own[: self._config.crawl.max_pages])
                self._inventory.add_pages(pages)
                wanted += [page.target for page in pages if page.target.startswith(site_url)]
                notes.append(f"the old site {base} was requested for {len(own):,} listed URLs: {said}")
        return sorted(set(wanted)), notes

    def _choose_source(self, config: Config, context: Context) -> Source:
        compared, crawled = self._compared, self._compared.crawled
        # A sitemap that was named is not all that the site declares.
        loaded = None if crawled is None or is_url(crawled.config.sitemap) else crawled.sitemaps
        published = tuple(compared.base.ledger.open_addresses())
        return choose_source(config, context, self._site_url, self._observer, compared.address, loaded, published)

    def _published_branch(self, files: Sequence[CommittedFile]) -> BranchTip | None:
        tip, sitemap = self._compared.tip, self._compared.judged.path
        if tip is None:
            return None
        shards = _without_others(branch_shards(self._compared.committed, sitemap), files)
        return replace(tip, shards=shards, superseded=tip.why_superseded(sitemap))

    def _shipped_sitemap(self) -> ShippedSitemap | None:
        compared, name = self._compared, self._compared.address.removeprefix(self._site_url)
        if name == compared.address:
            return None
        return shipped_sitemap(
            build_folder(self._config, self._context), compared.judged.path, compared.committed, name
        )

    def _notes(self, branch: BranchTip | None) -> tuple[str, ...]:
        """Notes on the state, on the shards that are merged, and on a branch that is ahead."""
        superseded = (branch.superseded,) if branch and branch.superseded else ()
        shards = self._inventory.shards
        return (*self._inventory.notes, *(shards.notes() if shards else ()), *superseded)

    def _copies(self, files: Sequence[CommittedFile]) -> tuple[dict[str, str], list[str]]:
        """Digests of the files beside the sitemap that a writing mode may write, and notes on those that it may not."""
        feeds = (file for file in files if file.ignored)  # items such as the images of a gallery (U-27)
        notes = [f"{one.path}: {plural(one.ignored, 'link')} of this feed to no pages do not count" for one in feeds]
        output = self._config.output
        if not self._context.mode.writes:
            return {}, notes
        compared, judged, ledger = self._compared, self._compared.judged, self._compared.base.ledger
        own = {ledger.path: digest(ledger.content) if ledger.content is not None else ""} if ledger.path else {}
        here = WorkTree(self._workspace, named=judged.path if judged.named else "")
        store = compared.tip.tree if compared.tip else here
        in_step, others = copies_in_step(compared.committed, store)
        notes += [f"{name} has other URLs than {judged.path}, and is left as it is" for name in others]
        if not (output.gzip or len(output.format) > 1):
            return own | in_step, notes
        paths = [row.path for row in compared.committed.rows]
        return own | in_step | digests_of_copies(output, judged.path, paths, store), notes

    def _read_fingerprints(self) -> dict[str, str]:
        """Path and digest of the file."""
        if not (path := self._config.output.fingerprints):
            return {}
        store = self._compared.tip.tree if self._compared.tip else WorkTree(self._workspace)
        sitemap = self._compared.judged.path
        return {path: read_fingerprint_file(path, sitemap, self._site_url, store, self._inventory)}

    def _source_dates(self) -> SourceDates:
        if not self._config.output.takes_from(Lastmod.GIT, Lastmod.AUTO):
            return NO_DATES
        return source_dates(self._config, self._context, self._site_url)

    def _run_info(self, notes: tuple[str, ...], found: SourceResult) -> RunInfo:
        compared, base, judged = self._compared, self._compared.base, self._compared.judged
        no_baseline, target = compared.first_run or not base.documents, compared.target.tree or base.tree
        return RunInfo(
            site_url=self._site_url,
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
                commit=target.commit if target else "",
            ),
            first_run=compared.first_run,
            absent=not compared.committed,
            incomplete=self._gaps(found),
            no_pages=found.no_pages,
            notes=(*compared.notes, *compared.target.notes, *notes, *found.notes),
            pull_request=compared.target.description,
            policy=compared.target.policy,
            judged=judged.kind.value,
        )

    def _gaps(self, found: SourceResult) -> tuple[Cause, ...]:
        """Why pages may be missing, what is removed is not known, or what the site's own sitemap lists."""
        gaps, crawled = [Cause(CauseKind.INCOMPLETE, one) for one in found.incomplete], self._compared.crawled
        if crawled and (why := crawled.sitemaps.unread) and not found.no_pages:
            gaps.append(Cause(CauseKind.UNREAD_SITEMAP, f"not all that the sitemap of the site lists is known: {why}"))
        if why := self._compared.base.unread:
            gaps.append(Cause(CauseKind.UNREAD_BASELINE, why))
        return tuple(gaps)


def _without_others(shards: Sequence[str], files: Sequence[CommittedFile]) -> tuple[str, ...]:
    """Shards that no other build has written."""
    others = {file.path for file in files if file.other}
    return tuple(path for path in shards if path not in others)


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
