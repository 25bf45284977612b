"""Input of a verdict beside the site."""

from datetime import datetime

from msgspec import Struct

from sitemap_action.config.schema import SelectConfig
from sitemap_action.config.writing import OutputConfig
from sitemap_action.model.page import Directive
from sitemap_action.model.source import NO_DATES, SourceDates
from sitemap_action.robots.groups import Robots
from sitemap_action.select.error_documents import NO_ERROR_DOCUMENTS, ErrorDocuments


class SelectPolicy(Struct, frozen=True):
    """What the config, robots.txt and the answers for random paths decide for every page."""

    site_url: str
    select: SelectConfig
    output: OutputConfig
    robots: Robots | None
    now: datetime
    error_documents: ErrorDocuments = NO_ERROR_DOCUMENTS
    host_directives: frozenset[Directive] = frozenset()  # of a preview host, not the site's (ENV-03)
    repeated: frozenset[str] = frozenset()  # keys of short documents that many URLs share (HTML-71)
    listed: frozenset[int] = frozenset()  # hashes of the committed URLs, for `trailing-slash: keep`
    dates: SourceDates = NO_DATES  # by git
    repair: bool = False  # extensions of committed entries, of which some make the sitemap invalid
