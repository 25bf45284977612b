"""Which spelling of a page is listed: as the host serves it, or as the config asks for it (URL-21)."""

from collections.abc import Callable, Iterator

from sitemap_action.decide.policy import SelectPolicy
from sitemap_action.decide.redirects import Redirects
from sitemap_action.html import canonical
from sitemap_action.model.page import Page, PageKind
from sitemap_action.model.site import AskedSpelling, Role, Site, SpellingState
from sitemap_action.web.spellings import other_slash


def listed_urls(site: Site) -> frozenset[int]:
    """What the committed sitemap lists, for `trailing-slash: keep`; hashes, for a million URLs fit in memory so."""
    return frozenset(hash(url) for url, _ in site.entries(Role.COMMITTED))


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
        self.last: tuple[str, AskedSpelling | None] = ("", None)  # listed URL, and how that came

    def choose(self, page: Page, named: str) -> str:
        """The URL to list a document under; `named`: another URL of it that its canonical names, "" for none."""
        own = named or page.url
        missing: AskedSpelling | None = None
        for url, perhaps in self._wanted_spellings(page, own):
            if url in {own, page.url}:
                return self._choose(url, missing or self._state(page, url, named if url != own else ""))
            if (other := self._site.page(url)) is None:
                continue
            if self._is_same(page, other):
                if self._listable(other):
                    return self._choose(url, self._state(other, url, _canonical(page)))
            elif not perhaps and other.kind is not PageKind.UNDETERMINED:
                missing = AskedSpelling(SpellingState.MISSING, url)
        return self._choose(own, missing)

    def find_state(self, url: str) -> AskedSpelling | None:
        """What became of the spelling that the config asks for, where this URL is listed."""
        listed, spelling = self.last
        return spelling if listed == url else None

    def _wanted_spellings(self, page: Page, url: str) -> Iterator[tuple[str, bool]]:
        """The spellings to list, the best first, and whether the page may well not have each."""
        if self._listed and hash(url) not in self._listed:
            other = other_slash(url, self._start)
            if other and hash(other) in self._listed:
                yield other, True
        for spelled in self._rules.spell(url, self._start, page.path):
            yield spelled, not page.path and spelled.partition("?")[0].endswith(".html")

    def _choose(self, url: str, spelling: AskedSpelling | None) -> str:
        self.last = (url, spelling)
        return url

    def _state(self, page: Page, url: str, named: str) -> AskedSpelling | None:
        if found := self._redirects.hop(page):
            return AskedSpelling(SpellingState.REDIRECTS, found.target)
        if named and named != url:
            return AskedSpelling(SpellingState.NOT_CANONICAL, named)
        others = (page.same_document, page.found_on)  # with the same document, and requested for the sake of that page
        asked = any(other and url in self._rules.spell(other, self._start) for other in others)
        return AskedSpelling(SpellingState.LISTED) if asked else None

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
    targets = canonical.targets(page.facts.head.canonicals) if page.facts is not None else ()
    return targets[0] if targets else ""
