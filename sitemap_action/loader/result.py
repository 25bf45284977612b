"""Limits of a loading of sitemaps, and its result."""

from collections import Counter
from collections.abc import Mapping

from msgspec import Struct, field

from sitemap_action.loader.intake import Body
from sitemap_action.model.sitemap import BrokenSitemap
from sitemap_action.sitemap.faults import truncate
from sitemap_action.sitemap.protocol import MAX_INFLATED
from sitemap_action.store.loading_state import LoadingState
from sitemap_action.store.sitemap_status import SitemapState

_NAMED = 100
"""Unavailable documents that are listed by name; the others are counted."""

_UNAVAILABLE = (SitemapState.PENDING, SitemapState.REQUESTED, SitemapState.FAILED, SitemapState.REFUSED)


class LoadOptions(Struct, frozen=True):
    """How far a loading goes; every limit that is met makes it incomplete."""

    max_documents: int = 500  # requested, whatever they answer
    max_depth: int = 5  # of indexes within indexes; 0 = the seeds alone
    max_inflated: int = MAX_INFLATED  # bytes of one document without compression
    max_entries: int = 5_000_000  # of all documents
    entries: bool = True  # store what documents list; False: only indexes are parsed, a consumer reads the rest
    same_host: bool = False  # only URLs and sitemaps of the hosts of the seeds, and of `site`
    site: str = ""  # whose robots.txt named the seeds (SM-30)


DEFAULTS = LoadOptions()


class Unavailable(Struct, frozen=True):
    """A document that is not, or not wholly, read; what it lists is unknown."""

    url: str
    reason: str
    listed_by: str = ""
    line: int = 0
    entries: int = 0  # read before the damage

    def __str__(self) -> str:
        by = f" (listed by {truncate(self.listed_by)}, line {self.line})" if self.listed_by else ""
        if not self.entries:
            return f"sitemap {truncate(self.url)}{by} is unavailable: {self.reason}"
        before = "1 URL" if self.entries == 1 else f"{self.entries:,} URLs"
        return f"sitemap {truncate(self.url)}{by} is damaged: {self.reason}; {before} before that, the rest is unknown"


class SiteRobotsTxt(Struct, frozen=True):
    """The robots.txt of a site whose sitemaps were loaded."""

    url: str
    content: bytes | None  # None where there is none, and where it could not be read


class Loaded(Struct, frozen=True):
    """The result of a loading; its entries are in the state."""

    documents: int  # read whole
    entries: int  # stored, of all documents
    unavailable: tuple[Unavailable, ...] = ()  # the first hundred
    missing: int = 0  # how many are unavailable
    skipped: Mapping[str, int] = field(default_factory=dict)  # URLs that were skipped, by reason
    faults: Mapping[str, int] = field(default_factory=dict)  # tolerated faults, by code
    notes: tuple[str, ...] = ()
    broken: tuple[BrokenSitemap, ...] = ()  # sitemaps that are named and do not answer as sitemaps, of a site or a URL
    site: SiteRobotsTxt | None = None  # where a site was named

    @property
    def complete(self) -> bool:
        """Only then does an absent URL mean that it is not listed."""
        return not self.missing

    @property
    def incomplete(self) -> tuple[str, ...]:
        """Why not everything was seen, in sentences; empty when it was."""
        more = self.missing - len(self.unavailable)
        return (*map(str, self.unavailable), *([f"{more:,} more sitemaps are unavailable"] if more else []))


class Received(Struct, frozen=True):
    """A document as it was received, for an observer of the loading."""

    url: str
    body: Body
    path: str = ""  # of the file that it was kept in, "" when it was fetched
    depth: int = 0  # 0 of a seed


def loaded(state: LoadingState, options: LoadOptions, notes: tuple[str, ...] = (), *, stopped: bool = False) -> Loaded:
    """`stopped`: what is pending is not needed."""
    states = tuple(one for one in _UNAVAILABLE if not (stopped and one is SitemapState.PENDING))
    unavailable: list[Unavailable] = []
    pending = _not_requested(state, options)
    faults: Counter[str] = Counter()
    skipped: Counter[str] = Counter()
    for document in state.statuses(SitemapState.READ, SitemapState.FAILED):
        faults.update(document.faults)
        skipped.update(document.skipped)
    for document in state.statuses(*states):
        reason = document.reason if document.state is not SitemapState.PENDING else pending
        unavailable.append(Unavailable(document.url, reason, document.listed_by, document.line, document.entries))
        if len(unavailable) == _NAMED:
            break
    return Loaded(
        documents=state.count(SitemapState.READ),
        entries=state.stored(),
        unavailable=tuple(unavailable),
        missing=state.count(*states),
        skipped=dict(sorted(skipped.items())),
        faults=dict(sorted(faults.items())),
        notes=notes,
    )


def _not_requested(state: LoadingState, options: LoadOptions) -> str:
    if state.stored() >= options.max_entries:
        return f"not requested: at most {options.max_entries:,} URLs are read"
    return f"not requested: at most {options.max_documents:,} sitemaps are (sitemaps.max-documents)"
