"""The hosts that no file of the repository configures, and the plain web server, for one that is unknown (HOST-01)."""

from msgspec import Struct

from sitemap_action.hosts.base import BuildFiles, ServedBuild
from sitemap_action.hosts.page_spellings import Spelling, Spellings, StaticHost, row

_BARE, _SLASH, _FILE = Spelling.BARE, Spelling.SLASH, Spelling.FILE

# The columns: /file /file/ /file.html, and /folder /folder/ /folder/index.html.
_PLAIN = Spellings(row("404 404 ok", _FILE), row("-> ok ok", _SLASH), file_first=False)
PLAIN_HOSTS = {
    "generic": _PLAIN,
    "github-pages": Spellings(row("ok 404 ok", _FILE, _FILE, _BARE), row("-> ok ok", _SLASH)),
    "s3-website": Spellings(row("404 404 ok", _FILE), row("-> ok ok", _SLASH), status=302),
    "nginx": _PLAIN,
    "nginx-clean": Spellings(
        row("ok 404 ok", _FILE, _FILE, _BARE), row("ok ok ok", _SLASH, _SLASH, _BARE), file_first=False
    ),
    "render": Spellings(row("ok ok ok", _FILE, _FILE, _BARE, _SLASH), row("ok ok ok", _SLASH, _SLASH, _BARE)),
}


class PlainProfile(Struct, frozen=True):
    """Implements `HostProfile`."""

    name: str

    def build(self, found: BuildFiles, /) -> ServedBuild:
        return ServedBuild(StaticHost(found.files, PLAIN_HOSTS[self.name]))
