"""Input of a verdict beside the site."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime

from msgspec import Struct

from sitemap_action.config.schema import Extension, OutputConfig, SelectConfig
from sitemap_action.decide.error_documents import NO_ERROR_DOCUMENTS, ErrorDocuments
from sitemap_action.html import directives
from sitemap_action.html.document import NO_OPTIONAL, OptionalFacts
from sitemap_action.model.page import Directive, Page, PageKind
from sitemap_action.model.source import NO_DATES, HostPolicy, SourceDates
from sitemap_action.robots.groups import Robots


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


_SHARE = 95  # percent of the pages
_KINDS = frozenset({PageKind.PAGE, PageKind.FILE})


def find_host_policy(pages: Iterable[Page], start: Page, probes: Sequence[Page], agents: Sequence[str]) -> HostPolicy:
    """Every directive of a header or meta with noindex that the start page and 95 % of all pages have.

    `probes`: answers for random paths. One that answers 200 without the directive shows that the site sets it; an error
    page may lack it for its own reasons, as where a server adds headers to successful answers alone. A directive of
    some pages is the site's, and counts.
    """
    candidates = directives.beside_noindex(() if start.facts is None else start.facts.head.directives, agents)
    for probe in probes:
        if probe.kind in _KINDS and probe.facts is not None:
            candidates &= frozenset(probe.facts.head.directives)
    if not candidates:
        return HostPolicy()
    counts: Counter[Directive] = Counter()
    pages_read = 0
    for page in pages:
        if page.kind in _KINDS and page.facts is not None and not page.twin:
            counts.update(candidates.intersection(page.facts.head.directives))
            pages_read += 1
    shared = frozenset(one for one in candidates if counts[one] * 100 >= pages_read * _SHARE)
    if not directives.decide(shared, agents).noindex:
        return HostPolicy()
    return HostPolicy(shared, _note(shared, counts, pages_read))


def indexable(start: Page, agents: Sequence[str]) -> bool:
    """ENV-08: whether search engines may index a host with this start page."""
    return start.facts is not None and not directives.decide(start.facts.head.directives, agents).noindex


def _note(shared: frozenset[Directive], counts: Counter[Directive], pages_read: int) -> str:
    names = ", ".join(sorted(map(directives.source_text, shared)))
    least = min(counts[one] for one in shared)
    where = f"every one of {pages_read:,} pages" if least == pages_read else f"{least:,} of {pages_read:,} pages"
    return f"{names} on {where}"


def required_facts(output: OutputConfig) -> OptionalFacts:
    """What a config asks of every page, beside what every page is read for."""
    extensions = output.extensions
    return NO_OPTIONAL._replace(
        images=Extension.IMAGE in extensions,
        videos=Extension.VIDEO in extensions,
        articles=Extension.NEWS in extensions,
        dates=output.needs_dates,
        fingerprint=bool(output.fingerprints),
    )
