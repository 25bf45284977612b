"""A build directory and how it is served."""

from collections.abc import Container

from msgspec import Struct

from sitemap_action.fetch.page_from_answer import BlockedResources
from sitemap_action.folder.fetcher import FolderFetcher
from sitemap_action.hosts.base import Host
from sitemap_action.html.document import OptionalFacts
from sitemap_action.html.shell_thresholds import DEFAULT_THRESHOLDS, ShellThresholds
from sitemap_action.web import urls
from sitemap_action.web.spelling_rules import NO_RULES, SpellingRules


class Build(Struct, frozen=True):
    """All that a process needs to read any of its files."""

    root: str
    base: str  # site-url
    host: Host
    optional_facts: OptionalFacts
    spellings: SpellingRules = NO_RULES
    blocked_resources: BlockedResources = BlockedResources()
    clicks: bool = False  # the links of each page are needed, to count clicks from the start page
    # Files of the build where the host is assumed: another one may serve them at other URLs.
    assumed: Container[str] = frozenset()
    unread: frozenset[str] = frozenset()  # paths that the walk left out, of a directory with a final slash
    promised: frozenset[str] = frozenset()  # URLs that the deployment adds: those of the sitemap
    thresholds: ShellThresholds = DEFAULT_THRESHOLDS

    def url(self, path: str) -> str:
        return urls.normalize(self.base + self.host.address(path)[1:])

    def fetcher(self) -> FolderFetcher:
        return FolderFetcher(self.root, self.base, self.host)

    def likely_file(self, path: str) -> str:
        """The file that a host other than the assumed one may serve at a path; "" for none, or for a known host."""
        stem = path.rstrip("/")
        names = (f"{stem}.html", f"{stem}/index.html", f"{stem.removesuffix('.html')}/index.html")
        return next((name for name in names if name in self.assumed), "")
