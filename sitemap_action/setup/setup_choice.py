"""Everything that `init` has found out, and that its two files and its report are made from."""

from msgspec import Struct, field

from sitemap_action.setup.generated_site import GeneratedSite
from sitemap_action.setup.own_workflows import OwnWorkflows
from sitemap_action.setup.project import Stated
from sitemap_action.setup.public_address import PublicAddress
from sitemap_action.setup.tool_versions import ToolStep

CONFIG = ".github/sitemap.yml"
WORKFLOW = ".github/workflows/sitemap.yml"


class SetupChoice(Struct, frozen=True):
    site: GeneratedSite
    folder: str  # of the site's sources; "" is the top of the repository
    address: PublicAddress
    branch: Stated  # the default one
    committed: Stated | None = None  # a sitemap that is tracked, and what tells
    host: Stated | None = None  # `where` is the evidence
    submodules: bool = False
    workflows: OwnWorkflows = field(default_factory=OwnWorkflows)
    tools: tuple[ToolStep, ...] = ()  # that the build needs in a version of its own

    @property
    def keeps_baseline(self) -> bool:
        """The generator's own sitemap is in no commit: the default branch's is kept in the cache."""
        return self.committed is None and self.site.sitemap is not None

    @property
    def states_address(self) -> str:
        """The sitemap that a run takes site-url from where the config has none; "" without one."""
        if self.committed:
            return self.committed.value
        return f"the {self.site.sitemap.name} of the build" if self.site.sitemap else ""

    @property
    def first_sitemap(self) -> str:
        """Where a first `write` puts one; "" where there is a sitemap, or the place is not known."""
        if self.committed or self.site.sitemap or self.site.copied is None:
            return ""
        return f"{self.site.copied}/sitemap.xml" if self.site.copied else "sitemap.xml"
