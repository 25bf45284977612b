"""Vercel, by `cleanUrls` and `trailingSlash`."""

from dataclasses import dataclass

from sitemap_action.hosts.base import BuildFiles, ServedBuild
from sitemap_action.hosts.page_spellings import Spelling, Spellings, StaticHost, row

_BARE, _SLASH, _FILE = Spelling.BARE, Spelling.SLASH, Spelling.FILE

# By `cleanUrls` and `trailingSlash`; the columns: /file /file/ /file.html, and /folder /folder/ /folder/index.html.
VERCEL = {
    (False, None): Spellings(row("404 404 ok", _FILE), row("ok ok ok", _SLASH), status=308),
    (False, False): Spellings(row("404 404 ok", _FILE), row("ok -> ok", _BARE), status=308),
    (False, True): Spellings(row("404 404 ok", _FILE), row("-> ok ok", _SLASH), status=308),
    (True, None): Spellings(row("ok ok ->", _BARE), row("ok ok ->", _BARE), status=308),
    (True, False): Spellings(row("ok -> ->", _BARE), row("ok -> ->", _BARE), status=308),
    (True, True): Spellings(row("-> ok ->", _SLASH), row("-> ok ->", _SLASH), status=308),
}


@dataclass(frozen=True, slots=True)
class Vercel:
    """Implements `HostProfile`."""

    name: str = "vercel"

    def build(self, found: BuildFiles, /) -> ServedBuild:
        return ServedBuild(StaticHost(found.files, VERCEL[False, None]))
