"""The one phase that asks the world: sitemaps first, for their URLs are seeds, then every page; it decides nothing."""

from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from sitemap_action.checks.all import SetResult
from sitemap_action.config.reading import Reading
from sitemap_action.config.schema import Config
from sitemap_action.errors import UsageError
from sitemap_action.inventory.store import Inventory
from sitemap_action.model.context import Context
from sitemap_action.model.outcome import Look
from sitemap_action.model.site import Role
from sitemap_action.sources import build, listed
from sitemap_action.sources.baseline import Baseline, baseline
from sitemap_action.sources.documents import Document, documents, work_tree
from sitemap_action.sources.shards import existing
from sitemap_action.sources.target_branch import TargetBranch, target_branch


@dataclass(frozen=True, slots=True)
class Seen:
    """What the look phase brought, beside the inventory."""

    look: Look
    committed: SetResult  # what the rules over files say about the checked-out sitemap
    unchanged: dict[str, bytes]  # its files
    robots: bytes | None
    sitemap_url: str
    shards: tuple[str, ...]  # files of earlier runs, ours by name and by comment


@dataclass(frozen=True, slots=True)
class _Compared:
    """The right-hand sides of both questions."""

    sitemap: str  # path of the committed one, or of where it would go
    committed: tuple[Document, ...]
    base: Baseline
    target: TargetBranch
    by_target: bool  # the baseline is the target branch's

    @property
    def stated(self) -> tuple[Document, ...]:
        """Where the site is, says the baseline of a pull request: an edit of the file does not move the site."""
        return (self.by_target and self.base.documents) or self.committed

    @property
    def notes(self) -> tuple[str, ...]:
        if self.by_target and self.base.documents and not self.committed:
            return (f"{self.sitemap} is on the target branch and not here: this pull request deletes it",)
        return ()


def look(config: Config, context: Context, inventory: Inventory, reading: Reading) -> Seen:
    workspace = Path(context.workspace)
    compared = _compared(config, context, reading)
    sitemap, committed, base = compared.sitemap, compared.committed, compared.base
    site_url = config.site_url or _derived(listed.derive_site_url(compared.stated), sitemap)
    address = config.sitemap_url or site_url + PurePosixPath(sitemap).name
    result = listed.store_checked(inventory, committed, address, context.now)
    roles = [Role.COMMITTED]
    if not base.same:
        listed.store(inventory, Role.BASELINE, base.documents)
        roles.append(Role.BASELINE)
    gathered = build.source(config, workspace, site_url).gather(inventory, listed.seed(inventory, site_url, roles))
    note = () if config.site_url else (f"site-url is not set; {sitemap} says {site_url}",)
    return Seen(
        Look(
            site_url=site_url,
            kind=gathered.kind,
            location=gathered.location,
            sitemap=sitemap,
            baseline=base.description,
            same_baseline=base.same,
            first_run=not committed and not base.documents,
            incomplete=gathered.incomplete,
            nothing_seen=gathered.nothing,
            notes=(*note, *compared.notes, *compared.target.notes, *gathered.notes),
            no_baseline=not base.documents,
            baseline_name=base.name,
            pull_request=compared.target.words,
            policy=compared.target.policy,
        ),
        result,
        {document.path: document.content for document in committed},
        build.robots(config, workspace, gathered.robots),
        address,
        existing(workspace, sitemap),
    )


def _compared(config: Config, context: Context, reading: Reading) -> _Compared:
    workspace = Path(context.workspace)
    target = target_branch(config, context, reading)
    sitemap = listed.find(workspace, config.sitemap) or target.sitemap or "sitemap.xml"
    committed = documents(sitemap, work_tree(workspace))
    theirs = target.baseline(sitemap, committed) if config.baseline == "auto" else None
    base = theirs or baseline(config.baseline, workspace, sitemap, committed)
    return _Compared(sitemap, committed, base, target, by_target=theirs is not None)


def _derived(site_url: str, sitemap: str) -> str:
    if site_url:
        return site_url
    raise UsageError(
        f"site-url is not set, and {sitemap} does not tell it",
        hint="say where the pages will live: --site-url https://www.example.com/, or site-url in the config",
    )
