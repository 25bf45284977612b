"""The plain web server: `index.html` answers for its directory, every other file under its own name (HOST-01)."""

from collections.abc import Container

from msgspec import Struct

from sitemap_action.hosts.base import BuildFiles, ServedBuild
from sitemap_action.hosts.page_spellings import Spelling, Spellings, StaticHost, row

_ROW = Spellings(row("404 404 ok", Spelling.FILE), row("-> ok ok", Spelling.SLASH), file_first=False)


class Generic(Struct, frozen=True):
    """Implements `HostProfile`; this host has no control files."""

    name: str = "generic"

    def build(self, found: BuildFiles, /) -> ServedBuild:
        return ServedBuild(GenericHost(found.files))


class GenericHost(StaticHost):
    """Implements `Host`."""

    def __init__(self, files: Container[str]) -> None:
        super().__init__(files, _ROW)
