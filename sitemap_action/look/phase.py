"""The look phase in its order: sitemaps first, for their URLs are seeds, then every page; nothing is decided."""

from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from sitemap_action.baseline.committed import (
    derive_site_url,
    existing_shards,
    find_sitemap,
    seeds,
    store_checked,
    store_entries,
)
from sitemap_action.baseline.production import FetchSitemap
from sitemap_action.baseline.resolve import Baseline, Choice, choose_baseline, default_baseline
from sitemap_action.baseline.robots import baseline_robots, debt
from sitemap_action.baseline.target_branch import TargetBranch, target_branch
from sitemap_action.checks.all import SetResult
from sitemap_action.checks.base import FileOptions
from sitemap_action.config.locations import AUTO
from sitemap_action.config.parse import ConfigReader
from sitemap_action.config.schema import BaselineDebt, Config
from sitemap_action.errors import UsageError
from sitemap_action.inventory.store import Inventory
from sitemap_action.loader.collect import collect_stored, spool
from sitemap_action.loader.documents import Documents, digest
from sitemap_action.loader.stores import WorkTree
from sitemap_action.look.choose import choose_source, verdict_robots
from sitemap_action.model.context import Context
from sitemap_action.model.finding import Finding
from sitemap_action.model.mask import NO_MASK, Mask
from sitemap_action.model.observer import Observer
from sitemap_action.model.outcome import RunInfo
from sitemap_action.model.page import Page
from sitemap_action.model.site import Role
from sitemap_action.model.sitemap import BrokenSitemap
from sitemap_action.model.source import SourceResult
from sitemap_action.web.site_mapping import is_preview


@dataclass(frozen=True, slots=True)
class LookResult:
    """What the look phase returns, beside the inventory."""

    run: RunInfo
    committed: SetResult  # findings of the rules over files on the checked-out sitemap
    digests: dict[str, str]  # of its files, by path
    robots: bytes | None  # that decides what may be listed
    sitemap_url: str
    shards: tuple[str, ...]  # files of earlier runs, ours by name and by comment
    probes: tuple[Page, ...] = ()  # what the host answers for random paths (HTML-46)
    repeated: frozenset[str] = frozenset()  # keys of short documents that many URLs share (HTML-71)
    public: bool = False  # a preview that search engines can reach (ENV-08)
    base_robots: bytes | None = None  # of the baseline; None when it is not known
    broken: tuple[BrokenSitemap, ...] | None = None  # declared in production and not served; None: not checked
    mask: Mask = NO_MASK  # a URL with one of its secrets is not listed
    debt: tuple[Finding, ...] = ()  # findings on the baseline, where these are to be ignored


@dataclass(frozen=True, slots=True)
class _Comparison:
    """The right-hand sides of both questions, and the site that they are about."""

    sitemap: str  # path of the committed one, or of where it would go
    committed: Documents
    base: Baseline
    target: TargetBranch
    site_url: str
    address: str  # of the sitemap on the site
    first_run: bool  # no file in the tree nor at the base
    notes: tuple[str, ...]


def look(  # noqa: PLR0913 - where and how to look
    config: Config,
    context: Context,
    inventory: Inventory,
    reader: ConfigReader,
    observer: Observer,
    *,
    production: FetchSitemap | None = None,
) -> LookResult:
    """Sitemaps first, for their URLs are seeds, then every page.

    `production` fetches a sitemap that a live site serves; None where no such site is requested.
    """
    if context.access.offline and config.source.url:
        hint = "name the folder of the build (--path dist), or leave --offline out"
        raise UsageError(f"--offline is given, and the site is to be read at {config.source.url}", hint=hint)
    with spool() as folder:
        compared = _compare(config, context, reader, production, folder)
        return _look(config, context, inventory, observer, compared)


def _look(
    config: Config, context: Context, inventory: Inventory, observer: Observer, compared: _Comparison
) -> LookResult:
    committed, base, address, sitemap = compared.committed, compared.base, compared.address, compared.sitemap
    options = FileOptions(context.now, search_console_submitted=config.sitemaps.search_console_submitted)
    checked = store_checked(inventory, committed, address, options)
    roles = [Role.COMMITTED]
    if not base.same:
        store_entries(inventory, Role.BASELINE, base.documents)
        roles.append(Role.BASELINE)
    config, context, located = _located(config, context)
    source = choose_source(config, context, compared.site_url, observer)
    found = source.gather(inventory, seeds(inventory, compared.site_url, roles))
    robots = verdict_robots(config, context, found.robots)
    return LookResult(
        run=_run_info(compared, (*inventory.notes, *located), found),
        committed=checked,
        digests={document.path: digest(document.content) for document in committed},
        robots=robots,
        sitemap_url=address,
        shards=existing_shards(Path(context.workspace), sitemap),
        probes=found.probes,
        repeated=found.repeated,
        public=found.public,
        base_robots=base.robots if base.trees is None else baseline_robots(config, sitemap, robots, base.trees),
        broken=found.broken,
        debt=debt(base.documents, address, context.now) if config.policy.baseline_debt is BaselineDebt.IGNORE else (),
    )


def _located(config: Config, context: Context) -> tuple[Config, Context, tuple[str, ...]]:
    """With an address in the place of `auto`, and the notes about it."""
    if config.source.url != AUTO:
        return config, context, ()
    from sitemap_action.look.deployment import locate_source  # noqa: PLC0415 - few runs look for a deployment

    found = locate_source(config, context)
    return found.config, found.context, found.notes


def _run_info(compared: _Comparison, notes: tuple[str, ...], found: SourceResult) -> RunInfo:
    return RunInfo(
        site_url=compared.site_url,
        kind=found.kind,
        location=found.location,
        sitemap=compared.sitemap,
        baseline=compared.base.description,
        same_baseline=compared.base.same,
        first_run=compared.first_run,
        incomplete=found.incomplete,
        no_pages=found.no_pages,
        notes=(*compared.notes, *compared.target.notes, *notes, *found.notes),
        no_baseline=compared.first_run or not compared.base.documents,
        baseline_name=compared.base.name,
        pull_request=compared.target.description,
        policy=compared.target.policy,
        interrupted=found.interrupted,
    )


def _compare(
    config: Config, context: Context, reader: ConfigReader, production: FetchSitemap | None, folder: Path
) -> _Comparison:
    workspace = Path(context.workspace)
    target = target_branch(config, context, reader)
    sitemap = find_sitemap(workspace, config.sitemap) or target.sitemap or "sitemap.xml"
    committed = collect_stored(WorkTree(workspace, named=config.sitemap if context.names("sitemap") else ""), sitemap)
    choice = Choice(
        workspace=workspace,
        sitemap=sitemap,
        committed=committed,
        folder=folder,
        production=production,
        named=context.names("baseline"),
        offline=context.access.offline,
    )
    theirs = target.baseline(choice) if config.baseline == "auto" else None
    base = theirs or choose_baseline(config.baseline, choice)
    # On a pull request the baseline determines where the site is: an edit of the file does not move the site.
    stated = (theirs and theirs.documents) or committed
    site_url, notes = _site_url(config, derive_site_url(stated) if not config.site_url else "", sitemap)
    address = config.sitemap_url or site_url + PurePosixPath(sitemap).name
    if theirs and theirs.documents and not committed:
        notes.append(f"{sitemap} is on the target branch and not here: this pull request deletes it")
    first_run = not committed and not base.documents
    if first_run:
        base, more = default_baseline(config.baseline, address, choice, base)
        notes += more
    return _Comparison(
        sitemap=sitemap,
        committed=committed,
        base=base,
        target=target,
        site_url=site_url,
        address=address,
        first_run=first_run,
        notes=tuple(notes),
    )


def _site_url(config: Config, stated: str, sitemap: str) -> tuple[str, list[str]]:
    """As configured, as the sitemap states it, or the address of the source; and a note that says so."""
    if config.site_url:
        return config.site_url, []
    if stated:
        return stated, [f"site-url is not set; taken from {sitemap}: {stated}"]
    if config.source.url not in ("", AUTO) and not is_preview(config.source.url):
        here = config.source.url.partition("?")[0].rpartition("/")[0] + "/"
        return here, [f"site-url is not set; taken from the address of the source: {here}"]
    raise UsageError(
        f"site-url is not set, and {sitemap} does not determine it",
        hint="set where the pages will live: --site-url https://www.example.com/, or site-url in the config",
    )
