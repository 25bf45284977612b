"""Azure Static Web Apps."""

from dataclasses import dataclass

from sitemap_action.hosts.base import BuildFiles, ServedBuild
from sitemap_action.hosts.page_spellings import Spelling, Spellings, StaticHost, row

# The columns: /file /file/ /file.html, and /folder /folder/ /folder/index.html.
UNSET = Spellings(row("ok -> ok", Spelling.BARE), row("ok ok ok", Spelling.SLASH))


@dataclass(frozen=True, slots=True)
class AzureStaticWebApps:
    """Implements `HostProfile`."""

    name: str = "azure-swa"

    def build(self, found: BuildFiles, /) -> ServedBuild:
        return ServedBuild(StaticHost(found.files, UNSET))
