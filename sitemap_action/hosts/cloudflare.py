"""Cloudflare: Pages, and Workers with static assets."""

from dataclasses import dataclass

from sitemap_action.hosts.base import BuildFiles, ServedBuild
from sitemap_action.hosts.page_spellings import Spelling, Spellings, StaticHost, row

_BARE, _SLASH, _FILE = Spelling.BARE, Spelling.SLASH, Spelling.FILE

# The columns: /file /file/ /file.html, and /folder /folder/ /folder/index.html.
PAGES = Spellings(row("ok -> ->", _BARE), row("-> ok ->", _SLASH), status=308)
WORKERS = {  # by `html_handling` of the Wrangler configuration
    "auto-trailing-slash": Spellings(row("ok -> ->", _BARE), row("-> ok ->", _SLASH), status=307),
    "force-trailing-slash": Spellings(row("-> ok ->", _SLASH), row("-> ok ->", _SLASH), status=307),
    "drop-trailing-slash": Spellings(row("ok -> ->", _BARE), row("ok -> ->", _BARE), status=307),
    "none": Spellings(row("404 404 ok", _FILE), row("404 404 ok", _FILE), status=307),
}


@dataclass(frozen=True, slots=True)
class CloudflarePages:
    """Implements `HostProfile`."""

    name: str = "cloudflare-pages"

    def build(self, found: BuildFiles, /) -> ServedBuild:
        return ServedBuild(StaticHost(found.files, PAGES))


@dataclass(frozen=True, slots=True)
class CloudflareWorkers:
    """Implements `HostProfile`."""

    name: str = "cloudflare-workers"

    def build(self, found: BuildFiles, /) -> ServedBuild:
        return ServedBuild(StaticHost(found.files, WORKERS["auto-trailing-slash"]))
