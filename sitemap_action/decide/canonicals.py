"""The page that a canonical names: what is wrong with it (HTML-26), and whether it begins a series (HTML-30)."""

import re

from sitemap_action.model.page import Facts, Page, PageKind
from sitemap_action.model.site import Absent, CanonicalFault, DeindexedBy, Reason

_GONE = frozenset({Reason.GONE, Reason.SOFT_404})


def canonical_fault(target: Page, absent: Absent | None, *, redirects: bool) -> CanonicalFault | None:
    """`absent`: the verdict on the target; None for a listed page. `redirects`: whether the target is a redirect."""
    if absent is None:
        return None
    if target.kind is PageKind.FOREIGN or absent.reason is Reason.UNDETERMINED:
        return None
    if redirects:
        return CanonicalFault.REDIRECTS
    if absent.reason in _GONE:
        return CanonicalFault.GONE
    if absent.reason is not Reason.DEINDEXED:
        return None
    return CanonicalFault.CHAIN if absent.by is DeindexedBy.CANONICAL else CanonicalFault.NOT_INDEXABLE


_LATER = re.compile(r"0*(?:[2-9]|[1-9]\d{1,5})", re.ASCII)  # numbers of pages
_PARAMETERS = frozenset(("page", "paged", "pagenum", "page_num", "pageno", "page_no", "pagenumber", "pg", "seite"))
_WORD = r"(?:page|seite|pagina)[/-]?"
_END = r"(?:/|\.html?|/index\.html?)?"
_FOLDER = re.compile(rf"(.*/){_WORD}(\d{{1,6}}){_END}", re.ASCII)
_FIRST_FILE = re.compile(rf"(?:index\.html?|{_WORD}0*1{_END})?", re.ASCII)


def hides_series(page: Page, first: Page) -> bool:
    """Whether `first`, the canonical of a page, begins the series that the page goes on.

    A server that ignores the parameter answers with the first page again, whose canonical is right.
    """
    return is_later_page(page.url, first.url) and not _same_document(page, first)


def is_later_page(url: str, first: str) -> bool:
    """Whether a URL is that of a later page of the series that begins at `first`."""
    path, _, query = url.partition("?")
    first_path, _, first_query = first.partition("?")
    parameters, others = query.split("&"), first_query.split("&") if first_query else []
    if any(map(_is_later, parameters)):
        same_path = path.rstrip("/") == first_path.rstrip("/")
        return same_path and all(_is_first(one) or (one in parameters and not _is_later(one)) for one in others)
    folder = _FOLDER.fullmatch(path)
    if folder is None or first_query or _LATER.fullmatch(folder[2]) is None:
        return False
    start = folder[1]
    begins = first_path.startswith(start) and _FIRST_FILE.fullmatch(first_path[len(start) :]) is not None
    return begins or first_path == start.rstrip("/")


def _is_later(parameter: str) -> bool:
    name, _, value = parameter.partition("=")
    return name.lower() in _PARAMETERS and _LATER.fullmatch(value) is not None


def _is_first(parameter: str) -> bool:
    name, _, value = parameter.partition("=")
    return name.lower() in _PARAMETERS and value in {"", "0", "1"}


def _same_document(page: Page, other: Page) -> bool:
    if page.path and page.path == other.path:
        return True
    if page.facts is None or other.facts is None:
        return True  # nothing shows that they differ
    if page.facts.digest and page.facts.digest == other.facts.digest:
        return True
    return _content(page.facts) == _content(other.facts)


def _content(facts: Facts) -> tuple[str, int, int, int]:
    """What differs between two pages of a series, and not where a server adds a token to the same page."""
    return facts.head.title, facts.words, facts.links.urls, len(facts.head.alternates)
