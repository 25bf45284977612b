"""Which URL of a page is listed: as the host serves it, or as the config asks for it (URL-21); and what a canonical
names: what is wrong with that page (HTML-26), and whether it begins a series (HTML-30).
"""

import re
from collections.abc import Callable, Iterator
from typing import TypeAlias

from sitemap_action.decide.policy import SelectPolicy
from sitemap_action.decide.redirects import Redirects
from sitemap_action.html.directives import canonical_targets
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.page import Facts, Page, PageKind
from sitemap_action.model.site import (
    Absent,
    CanonicalFault,
    DeindexedBy,
    Reason,
    Role,
    Site,
    SpellingState,
)
from sitemap_action.web.spellings import other_slash


def listed_urls(site: Site) -> frozenset[int]:
    """What the committed sitemap lists, for `trailing-slash: keep`; hashes, for a million URLs fit in memory so."""
    return frozenset(hash(url) for url, _ in site.entries(Role.COMMITTED))


_Asked: TypeAlias = tuple[SpellingState | None, str]
"""What became of the spelling that the config asks for, and the one that host, canonical or config would have."""
_AS_IT_IS: _Asked = (None, "")


class SpellingChoice:
    """Chooses among the spellings of a page; `last` is what became of the choice for the page that was asked last."""

    def __init__(
        self, site: Site, policy: SelectPolicy, redirects: Redirects, listable: Callable[[Page], bool]
    ) -> None:
        """`listable`: whether a URL that has its own document, or redirects, may be listed."""
        self._site = site
        self._redirects = redirects
        self._rules = policy.select.spelling_rules
        self._start = policy.site_url
        self._listed = policy.listed
        self._listable = listable
        self.last: tuple[str, _Asked] = ("", _AS_IT_IS)  # listed URL, and how that came

    def choose(self, page: Page, named: str) -> str:
        """The URL to list a document under; `named`: another URL of it that its canonical names, "" for none."""
        own = named or page.url
        missing: _Asked | None = None
        for url, perhaps in self._wanted_spellings(page, own):
            if url in {own, page.url}:
                return self._choose(url, missing or self._state(page, url, named if url != own else ""))
            if (other := self._site.page(url)) is None:
                continue
            if self._is_same(page, other):
                if self._listable(other):
                    return self._choose(url, self._state(other, url, _canonical(page)))
            elif not perhaps and other.kind is not PageKind.UNDETERMINED:
                missing = (SpellingState.MISSING, url)
        return self._choose(own, missing or _AS_IT_IS)

    def find_state(self, url: str) -> _Asked:
        """What became of the spelling that the config asks for, where this URL is listed."""
        listed, spelling = self.last
        return spelling if listed == url else _AS_IT_IS

    def _wanted_spellings(self, page: Page, url: str) -> Iterator[tuple[str, bool]]:
        """The spellings to list, the best first, and whether the page may well not have each."""
        if self._listed and hash(url) not in self._listed:
            other = other_slash(url, self._start)
            if other and hash(other) in self._listed:
                yield other, True
        for spelled in self._rules.spell(url, self._start, page.path):
            yield spelled, not page.path and spelled.partition("?")[0].endswith(".html")

    def _choose(self, url: str, spelling: _Asked) -> str:
        self.last = (url, spelling)
        return url

    def _state(self, page: Page, url: str, named: str) -> _Asked:
        if found := self._redirects.hop(page):
            return (SpellingState.REDIRECTS, found.target)
        if named and named != url:
            return (SpellingState.NOT_CANONICAL, named)
        others = (page.same_document, page.found_on)  # with the same document, and requested for the sake of that page
        asked = any(other and url in self._rules.spell(other, self._start) for other in others)
        return (SpellingState.LISTED, "") if asked else _AS_IT_IS

    def _is_same(self, page: Page, other: Page) -> bool:
        """Whether both URLs are the same page: one file, one document, or a redirect between them."""
        if other.twin == page.url or (page.path and page.path == other.path):
            return True
        if self._redirects.hop(other) is not None:
            return self._redirects.leads_back(other, page)
        one, two = page.facts, other.facts
        if one is None or two is None:
            return False
        if one.digest and one.digest == two.digest:
            return True
        return bool(one.fingerprint) and (one.fingerprint, one.head.title) == (two.fingerprint, two.head.title)


def _canonical(page: Page) -> str:
    targets = canonical_targets(page.facts.head.canonicals) if page.facts is not None else ()
    return targets[0] if targets else ""


_GONE = frozenset({Reason.GONE, Reason.SOFT_404})


def canonical_fault(target: Page, absent: Absent | None, *, redirects: bool) -> CanonicalFault | None:
    """`absent`: the verdict on the target; None for a listed page. `redirects`: whether the target is a redirect."""
    if absent is None or target.kind is PageKind.FOREIGN or absent.reason is Reason.UNDETERMINED:
        return None
    if redirects:
        return CanonicalFault.REDIRECTS
    if absent.reason in _GONE:
        return CanonicalFault.GONE
    if absent.reason is not Reason.DEINDEXED:
        return None
    return CanonicalFault.CHAIN if absent.by is DeindexedBy.CANONICAL else CanonicalFault.NOT_INDEXABLE


_LATER = lazy_re(r"0*(?:[2-9]|[1-9]\d{1,5})", re.ASCII)  # numbers of pages
_PARAMETERS = frozenset(("page", "paged", "pagenum", "page_num", "pageno", "page_no", "pagenumber", "pg", "seite"))
_WORD = r"(?:page|seite|pagina)[/-]?"
_END = r"(?:/|\.html?|/index\.html?)?"
_FOLDER = lazy_re(rf"(.*/){_WORD}(\d{{1,6}}){_END}", re.ASCII)
_FIRST_FILE = lazy_re(rf"(?:index\.html?|{_WORD}0*1{_END})?", re.ASCII)


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
