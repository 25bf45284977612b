"""What the host serves for URLs that do not exist, and which pages are the same document (HTML-45, HTML-46).

A document that is served with 200 for a random path is a fallback: another page that is the same document is no page,
or a shell that only a browser tells apart from others. Where the start page is that document too, no answer proves
anything. A document that is served with 404, or 404.html of a build, is the site's own error page: with the same text,
or the same title beside a title that says so, another page is an error page that answers 200.
"""

import re
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.decide.redirects import landing_page
from sitemap_action.html.soft404 import document_key
from sitemap_action.model.page import Facts, Page, PageKind, Soft404
from sitemap_action.model.site import Site

_NAME = re.compile(r"/404(?:\.html?|/)?$")


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
        if page is None or not _NAME.search(page.url):
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
        return replace(documents, everywhere=why.format(same))
    return documents


def _keys(facts: Facts) -> frozenset[str]:
    """The keys of a missing page: a page that was not rendered is compared with what is served for one."""
    served = () if facts.rendering is None else (facts.rendering.served_key,)
    return frozenset(filter(None, (document_key(facts), *served)))


def _path(url: str) -> str:
    return url.partition("?")[0]
