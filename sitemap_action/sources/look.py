"""The one phase that asks the world: sitemaps first, for their URLs are seeds, then every page; it decides nothing."""

from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from sitemap_action.checks.all import SetResult
from sitemap_action.config.schema import Config
from sitemap_action.errors import UsageError
from sitemap_action.inventory.store import Inventory
from sitemap_action.model.context import Context
from sitemap_action.model.outcome import Look
from sitemap_action.model.site import Role
from sitemap_action.sources import build, listed
from sitemap_action.sources.documents import documents, work_tree
from sitemap_action.sources.shards import existing


@dataclass(frozen=True, slots=True)
class Seen:
    """What the look phase brought, beside the inventory."""

    look: Look
    committed: SetResult  # what the rules over files say about the checked-out sitemap
    unchanged: dict[str, bytes]  # its files
    robots: bytes | None
    sitemap_url: str
    shards: tuple[str, ...]  # files of earlier runs, ours by name and by comment


def look(config: Config, context: Context, inventory: Inventory) -> Seen:
    workspace = Path(context.workspace)
    sitemap = listed.find(workspace, config.sitemap)
    committed = documents(sitemap, work_tree(workspace))
    base = listed.baseline(config.baseline, workspace, sitemap, committed)
    site_url = config.site_url or _derived(listed.derive_site_url(committed), sitemap)
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
            notes=(*note, *gathered.notes),
        ),
        result,
        {document.path: document.content for document in committed},
        build.robots(config, workspace, gathered.robots),
        address,
        existing(workspace, sitemap),
    )


def _derived(site_url: str, sitemap: str) -> str:
    if site_url:
        return site_url
    raise UsageError(
        f"site-url is not set, and {sitemap} does not tell it",
        hint="say where the pages will live: --site-url https://www.example.com/, or site-url in the config",
    )
