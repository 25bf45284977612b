"""Netlify, with and without pretty URLs."""

from dataclasses import dataclass

from sitemap_action.hosts.base import BuildFiles, ServedBuild
from sitemap_action.hosts.page_spellings import Spelling, Spellings, StaticHost, row

# The columns: /file /file/ /file.html, and /folder /folder/ /folder/index.html.
PRETTY = Spellings(row("ok -> ok", Spelling.BARE), row("-> ok ok", Spelling.SLASH))
NOT_PRETTY = Spellings(row("ok ok ok", Spelling.FILE), row("ok ok ok", Spelling.SLASH))


@dataclass(frozen=True, slots=True)
class Netlify:
    """Implements `HostProfile`."""

    name: str = "netlify"
    pretty: bool = True

    def build(self, found: BuildFiles, /) -> ServedBuild:
        return ServedBuild(StaticHost(found.files, PRETTY if self.pretty else NOT_PRETTY))
