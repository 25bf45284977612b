"""Input of a verdict beside the site: the policy, and what the host serves for missing URLs (HTML-45, HTML-46).

A document that is served with 200 for a random path is a fallback: another page that is the same document is no page,
or a shell that only a browser tells apart from others. Where the start page is that document too, no answer proves
anything. A document that is served with 404, or 404.html of a build, is the site's own error page: with the same text,
or the same title beside a title that says so, another page is an error page that answers 200.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.config.schema import Config, Extension, OutputConfig, SelectConfig
from sitemap_action.decide.redirects import landing_page
from sitemap_action.html import directives
from sitemap_action.html.document import NO_OPTIONAL, OptionalFacts
from sitemap_action.html.soft404 import document_key
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.page import Directive, Facts, Page, PageKind, Soft404
from sitemap_action.model.site import Site
from sitemap_action.model.source import NO_DATES, HostPolicy, SourceDates, StatedSpelling
from sitemap_action.robots.groups import Robots
from sitemap_action.web.patterns import Versions

_ERROR_NAME = lazy_re(r"/404(?:\.html?|/)?$")


class ErrorDocuments(Struct, frozen=True):
    """Empty where a missing page answers 404 without a document."""

    fallbacks: frozenset[str] = frozenset()  # keys of documents served with 200
    not_found: frozenset[str] = frozenset()  # keys of documents served with 404
    titles: frozenset[str] = frozenset()  # of these, and of fallbacks that say that nothing was found
    fallback_type: str = ""  # media type of a fallback that is no HTML, where the start page is one too
    fallback_target: str = ""  # where the start page and missing pages redirect to
    everywhere: str = ""  # why no answer proves anything, as text; "" where answers do

    def explain_unknown(self, page: Page) -> str:
        """Why an answer says nothing about a page, as text; "" where it does."""
        if self.fallback_target and self.fallback_target in (_path(page.target), _path(page.url)):
            return f"URLs that do not exist redirect to {self.fallback_target} too"
        facts = page.facts
        if page.kind is PageKind.FILE:
            same = self.fallback_type and page.media_type == self.fallback_type
            return f"URLs that do not exist answer with {self.fallback_type} too" if same else ""
        if facts is None or not self.is_fallback(facts) or not (self.everywhere or facts.shell):
            return ""
        why = facts.rendering.failure if facts.shell and facts.rendering is not None else ""
        made = "" if self.everywhere and not why else ", and only scripts make a page of it"
        unseen = f", which could not be run ({why})" if why else ""
        return f"answers with the same document as URLs that do not exist{made}{unseen}"

    def is_fallback(self, facts: Facts) -> bool:
        return bool(self.fallbacks) and document_key(facts) in self.fallbacks

    def soft404(self, facts: Facts) -> str:
        """The proof that a page is an error page, as text; "" for none."""
        if self.is_fallback(facts):
            return "with the same document as URLs that do not exist"
        if self.not_found and facts.words and document_key(facts) in self.not_found:
            return "with the text of the site's own 404 page"
        if facts.head.title in self.titles and Soft404.TITLE in facts.soft404:
            return "with the title of the site's own 404 page"
        return ""

    def has(self, page: Page | None) -> bool:
        """Whether a page is the error page of the site, by its name and by what it is."""
        if page is None or not _ERROR_NAME.search(page.url):
            return False
        return bool(page.unlisted or page.kind is PageKind.GONE or (page.facts and self.soft404(page.facts)))


NO_ERROR_DOCUMENTS = ErrorDocuments()


def error_documents(site: Site, site_url: str, probes: Sequence[Page]) -> ErrorDocuments:
    """`probes`: answers for random paths; of a folder, its error pages."""
    found = [(probe, probe.facts) for probe in probes if probe.facts is not None and probe.facts.fingerprint]
    own = [facts for probe, facts in found if probe.kind is PageKind.GONE]
    documents = ErrorDocuments(
        fallbacks=frozenset().union(*(_keys(facts) for probe, facts in found if probe.kind is PageKind.PAGE)),
        not_found=frozenset(document_key(facts) for facts in own if facts.words),
        titles=frozenset(
            facts.head.title
            for probe, facts in found
            if facts.head.title and (probe.kind is PageKind.GONE or Soft404.TITLE in facts.soft404)
        ),
    )
    beside_start = (probe for probe in probes if f"{probe.url.rpartition('/')[0]}/" == site_url)
    probe, start = next(beside_start, None), site.page(site_url)
    return documents if probe is None or start is None else _with_start(documents, site, start, probe)


def _with_start(documents: ErrorDocuments, site: Site, start: Page, probe: Page) -> ErrorDocuments:
    """The documents, with what the start page and a missing page beside it have in common."""
    why = f"{start.url} answers as URLs that do not exist do: {{}}, so no answer proves that a page exists (HTML-46)"
    if start.kind is PageKind.REDIRECT and not start.permanent and _path(start.target) == _path(probe.target):
        same = f"with a redirect to {start.target}"
        return replace(documents, fallback_target=_path(start.target), everywhere=why.format(same))
    page = landing_page(site, start.url)
    if page is None or page.kind is not probe.kind:
        return documents
    if page.kind is PageKind.FILE and page.media_type == probe.media_type:
        return replace(documents, fallback_type=page.media_type, everywhere=why.format(f"with {page.media_type}"))
    if page.kind is PageKind.PAGE and page.facts and probe.facts and document_key(page.facts) in _keys(probe.facts):
        title = page.facts.head.title
        same = f"with the same document, {title!r}" if title else "with the same document"
        unseen = "" if page.facts.rendering else "; render.when: always sees what scripts make of it"  # G-06
        return replace(documents, everywhere=f"{why.format(same)}{unseen}")
    return documents


def _keys(facts: Facts) -> frozenset[str]:
    """The keys of a missing page: a page that was not rendered is compared with what is served for one."""
    served = () if facts.rendering is None else (facts.rendering.served_key,)
    return frozenset(filter(None, (document_key(facts), *served)))


def _path(url: str) -> str:
    return url.partition("?")[0]


class SelectPolicy(Struct, frozen=True):
    """What the config, robots.txt and the answers for random paths decide for every page."""

    site_url: str
    select: SelectConfig
    output: OutputConfig
    robots: Robots | None
    now: datetime
    error_documents: ErrorDocuments = NO_ERROR_DOCUMENTS
    host_directives: frozenset[Directive] = frozenset()  # of a preview host, not the site's (ENV-03)
    stated: tuple[StatedSpelling, ...] = ()  # how the site writes its addresses, where the host is not known (HOST-01)
    repeated: frozenset[str] = frozenset()  # keys of short documents that many URLs share (HTML-71)
    listed: frozenset[int] = frozenset()  # hashes of the committed URLs, for `trailing-slash: keep`
    dates: SourceDates = NO_DATES  # by git
    versions: Versions | None = None  # of a documentation, whose old ones are not listed (VER-01)
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
    if not directives.find_noindex(shared, agents):
        return HostPolicy()
    return HostPolicy(shared, _note(shared, counts, pages_read))


def indexable(start: Page, agents: Sequence[str]) -> bool:
    """ENV-08: whether search engines may index a host with this start page."""
    return start.facts is not None and not directives.find_noindex(start.facts.head.directives, agents)


def _note(shared: frozenset[Directive], counts: Counter[Directive], pages_read: int) -> str:
    names = ", ".join(sorted(map(directives.source_text, shared)))
    least = min(counts[one] for one in shared)
    where = f"every one of {pages_read:,} pages" if least == pages_read else f"{least:,} of {pages_read:,} pages"
    return f"{names} on {where}"


def required_facts(config: Config) -> OptionalFacts:
    """What a config asks of every page, beside what every page is read for."""
    output, extensions = config.output, config.output.extensions
    return NO_OPTIONAL._replace(
        images=Extension.IMAGE in extensions,
        videos=Extension.VIDEO in extensions,
        articles=Extension.NEWS in extensions,
        dates=output.needs_dates,
        fingerprint=bool(output.fingerprints or config.source.witness),
    )
