"""Firebase Hosting, by `cleanUrls` and `trailingSlash`."""

from dataclasses import dataclass

from sitemap_action.hosts.base import BuildFiles, ServedBuild
from sitemap_action.hosts.page_spellings import Spelling, Spellings, StaticHost, row

_BARE, _SLASH, _FILE = Spelling.BARE, Spelling.SLASH, Spelling.FILE

# By `cleanUrls` and `trailingSlash`; the columns: /file /file/ /file.html, and /folder /folder/ /folder/index.html.
FIREBASE = {
    (False, None): Spellings(row("404 404 ok", _FILE), row("-> ok ok", _SLASH)),
    (False, False): Spellings(row("404 404 ok", _FILE), row("ok -> ok", _BARE)),
    (False, True): Spellings(row("404 404 ok", _FILE), row("-> ok ok", _SLASH)),
    (True, None): Spellings(row("ok -> ->", _BARE), row("-> ok ->", _SLASH)),
    (True, False): Spellings(row("ok -> ->", _BARE), row("ok -> ->", _BARE)),
    (True, True): Spellings(row("-> ok ->", _SLASH), row("-> ok ->", _SLASH)),
}


@dataclass(frozen=True, slots=True)
class Firebase:
    """Implements `HostProfile`."""

    name: str = "firebase"

    def build(self, found: BuildFiles, /) -> ServedBuild:
        return ServedBuild(StaticHost(found.files, FIREBASE[False, None]))
