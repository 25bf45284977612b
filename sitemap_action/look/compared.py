"""The right-hand sides of both questions, and the site that they are about."""

from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from msgspec import Struct

from sitemap_action.config.layers import ConfigReader
from sitemap_action.config.schema import AUTO, Config
from sitemap_action.errors import UsageError
from sitemap_action.look.baseline import (
    Baseline,
    BuiltBaseline,
    Choice,
    FetchSitemap,
    built_baseline,
    choose_baseline,
    default_baseline,
    only_itself,
)
from sitemap_action.look.collect import collect_stored
from sitemap_action.look.documents import Documents, WorkTree
from sitemap_action.look.judged_sitemap import NAMES, Judged, build_folder, find_judged
from sitemap_action.look.site_url import SiteUrl, derive_site_url
from sitemap_action.look.target_branch import TargetBranch, target_branch
from sitemap_action.model.context import Context
from sitemap_action.model.wording import option
from sitemap_action.web.site_mapping import is_preview

if TYPE_CHECKING:
    from sitemap_action.look.branch import BranchTip

_NAMED = 3  # sitemaps in a note


class Compared(Struct, frozen=True):
    judged: Judged
    committed: Documents  # of the judged sitemap
    base: Baseline
    target: TargetBranch
    site_url: str
    address: str  # of the sitemap on the site
    first_run: bool  # no file in the tree nor at the base
    notes: tuple[str, ...]
    tip: "BranchTip | None" = None  # of the branch that is committed to, which has the judged sitemap
    unread: str = ""  # why what is removed is not known
    alone: bool = False  # only the question whether the sitemap is true is asked

    def branch_shards(self) -> tuple[str, ...]:
        """Numbered files of the branch's sitemap, ours by name and by comment."""
        if self.tip is None:
            return ()
        from sitemap_action.look.branch import own_shards  # noqa: PLC0415 - few runs publish

        return own_shards(self.committed, self.judged.path)


def compare(
    config: Config, context: Context, reader: ConfigReader, production: FetchSitemap | None, folder: Path
) -> Compared:
    workspace = Path(context.workspace)
    target = target_branch(config, context, reader)
    tip = _branch_tip(config, context)
    judged = tip.judged(config, context, target.sitemap) if tip else find_judged(config, context, target.sitemap)
    here = WorkTree(workspace, named=judged.path if judged.named else "")
    committed = collect_stored(tip.tree, judged.path, folder) if tip else collect_stored(here, judged.path)
    named, offline = context.names("baseline"), context.access.offline
    choice = Choice(workspace, judged.path, committed, folder, production, named=named, offline=offline)
    theirs = target.baseline(choice) if config.baseline == "auto" else None
    base = theirs or choose_baseline(config.baseline, choice)
    # On a pull request the baseline determines where the site is: an edit of the file does not move the site.
    stated = (theirs and theirs.documents) or committed
    root = workspace / config.source.path if config.source.path and not config.source.url else None
    derived = derive_site_url(stated, root) if not config.site_url else SiteUrl("")
    unset = "site-url is not set, and there is no sitemap to take it from"
    unset = f"site-url is not set, and {judged.path} does not determine it" if stated else unset
    site_url, notes = _site_url(config, derived, judged.path, unset)
    addresses = _addresses(config, context, judged, site_url)
    if theirs and theirs.documents and not (committed and judged.path == target.sitemap):
        notes.append(f"{target.sitemap} is on the target branch and not here: this pull request deletes it")
    if judged.note:
        notes.append(judged.note)
    notes += _others(config, context, judged, committed)
    found = _question_two(config, choice, addresses, base, built=judged.built)
    return Compared(
        judged=judged,
        committed=committed,
        base=found.baseline,
        target=target,
        site_url=site_url,
        address=addresses[0],
        first_run=not committed and not base.documents,
        tip=tip,
        notes=(*notes, *found.notes),
        unread=found.unread,
        alone=found.alone,
    )


def _branch_tip(config: Config, context: Context) -> "BranchTip | None":
    if not context.mode.publishes:
        return None
    from sitemap_action.look.branch import branch_tip  # noqa: PLC0415 - few runs publish

    return branch_tip(config, context)


def _question_two(
    config: Config, choice: Choice, addresses: list[str], base: Baseline, *, built: bool
) -> BuiltBaseline:
    """For a built sitemap the target branch's copy, and what the config names, come before what the site serves."""
    if not choice.committed and not base.documents:
        base, notes = default_baseline(config.baseline, addresses[0], choice, base)
        return BuiltBaseline(base, tuple(notes))
    if not built or not choice.committed:
        return BuiltBaseline(base)
    if config.baseline == "committed":
        return only_itself(choice)
    if config.baseline != "auto" or (base.trees is not None and base.documents):
        return BuiltBaseline(base)
    return built_baseline(addresses, choice)


def _others(config: Config, context: Context, judged: Judged, documents: Documents) -> list[str]:
    """Of several sitemaps of a build one is judged, with all that it lists."""
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


def _site_url(config: Config, stated: SiteUrl, sitemap: str, unset: str) -> tuple[str, list[str]]:
    """As configured, as the sitemap states it, or the address of the source; and a note that says so.

    `unset`: what is said where nothing states it.
    """
    if config.site_url:
        return config.site_url, []
    if stated.url:
        met = (
            f", below which {stated.met} of {stated.asked} URLs looked up have a file in the build"
            if stated.met
            else ""
        )
        return stated.url, [f"site-url is not set; taken from {sitemap}: {stated.url}{met}"]
    if config.source.url not in ("", AUTO) and not is_preview(config.source.url):
        here = config.source.url.partition("?")[0].rpartition("/")[0] + "/"
        return here, [f"site-url is not set; taken from the address of the source: {here}"]
    named = option("site-url", "https://www.example.com/")
    hint = f"set where the pages will live: {named}, or the same key in the config"
    raise UsageError(unset, hint=hint)
