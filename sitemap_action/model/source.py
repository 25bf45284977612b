"""What every source returns, beside the inventory that it filled."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum

from msgspec import Struct

from sitemap_action.model.finding import Place
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.page import Directive, Page, PageKind
from sitemap_action.model.sitemap import BrokenSitemap


class StatedSpelling(Struct, frozen=True):
    """How a site writes the addresses of its pages x.html, or x/index.html, where the host is not known (HOST-01)."""

    file: str  # "x.html" or "x/index.html"
    counts: Mapping[str, Mapping[str, int]]  # kind of statement → form, such as "/x" → addresses
    asked: str = ""  # the form that the config asks for, which settles a disagreement

    @property
    def agreed(self) -> str:
        """The form that nine of ten statements have; where they disagree that of the config, else "".

        The form of a plain web server needs more than half of all, and of each kind with three statements. Such a
        server has the index of a folder by its name too, and redirects /x there: links may name it so, and count only
        where nothing else does. One or two statements are enough for /x of x.html alone, where links that are relative
        to the page lead to the same pages.
        """
        forms, folder = self._count_forms(), self.plain == "/x/"
        (form, count), total = forms.most_common(1)[0], forms.total()
        if form == "/x/index.html" and self.counts.keys() == {LINKS}:
            return self.plain  # HOST-02
        few = total < _FEW and (folder or form != "/x")
        if count * 10 >= total * 9 and (form == self.plain or not few):
            return form
        stating = [found for kind, found in self.counts.items() if not folder or kind != LINKS]
        sums = [(self._count_plain(found), sum(found.values())) for found in stating or self.counts.values()]
        most = all(plain * 2 > stated for plain, stated in sums if stated >= _FEW)
        plain = few or (most and sum(plain for plain, _ in sums) * 2 > sum(one for _, one in sums))
        return self.plain if plain else self.asked

    def _count_forms(self) -> Counter[str]:
        return sum(map(Counter, self.counts.values()), Counter[str]())

    def _count_plain(self, forms: Mapping[str, int]) -> int:
        """Statements that are true on a plain web server."""
        return sum(count for form, count in forms.items() if form == self.plain or form.endswith(".html"))

    @property
    def plain(self) -> str:
        """The form that a plain web server has."""
        return "/x.html" if self.file == "x.html" else "/x/"

    @property
    def disagreement(self) -> str:
        """Why the address of these pages is not known, as text; "" where it is."""
        how = f"the site does not agree on the addresses of pages {self.file}"
        return "" if self.agreed else f"the host is not known, and {how}"

    @property
    def sentence(self) -> str:
        """The disagreement with what is stated."""
        return f"{self.disagreement}: {self.describe()}"

    def describe(self) -> str:
        """The statements with their numbers, the most frequent form first."""
        forms = self._count_forms()
        rows = {form: [(kind, found[form]) for kind, found in self.counts.items() if form in found] for form in forms}
        order = sorted(forms, key=lambda form: (-forms[form], form))
        return "; ".join(f"{form} in {_list_counts(rows[form])}" for form in order)


_FEW = 3  # statements


def _list_counts(rows: Sequence[tuple[str, int]]) -> str:
    return ", ".join(f"{count:,} {kind if count != 1 else _ONE[kind]}" for kind, count in rows)


LINKS, CANONICALS, ENTRIES = "links", "canonicals", "entries of sitemaps"
_ONE = {LINKS: "link", CANONICALS: "canonical", ENTRIES: "entry of sitemaps"}


class RuleFate(StrEnum):
    """What becomes of a redirect rule."""

    SERVED = "served"
    CHAIN = "chain"  # more redirects follow, and end at a page
    DEAD_END = "dead-end"
    LOOP = "loop"  # back to itself
    UNSERVED = "unserved"  # never
    UNKNOWN = "unknown"


class RedirectRule(Struct, frozen=True):
    """A rule of a host, and what becomes of it."""

    place: Place
    source: str  # as the file has it, like `target`
    target: str
    status: int  # of its answer; 0 for one that no rule can have
    fate: RuleFate = RuleFate.SERVED
    detail: str = ""  # where it ends, or why it is never served or not known, as text


class DeadReference(Struct, frozen=True):
    """A URL of the site that an llms.txt links to, or a page names as its twin, and that leads to nothing (AGT-01)."""

    url: str
    named_by: str  # path or URL of the llms.txt; of a twin the URL of its page
    line: int = 0
    why: str = ""  # what answers there, as text; "" of one that is not asked for yet
    twin: bool = False  # a Markdown twin that a page names


_PLAIN_PATH = lazy_re(r"/[\w./~-]*", re.ASCII)
_REDIRECTS, _GONE = frozenset({301, 302, 303, 307, 308}), 410


class Hosting(Struct, frozen=True):
    """How the static host serves a build."""

    known: bool = True  # else redirects and addresses are what any host may have (HOST-01)
    fallback: str = ""  # how it answers every path without a file with 200, as text (HOST-09)
    partial: tuple[tuple[str, str], ...] = ()  # else: paths such as /app/* of which it does so, and how
    doubled: tuple[str, ...] = ()  # files x.html beside x/index.html (HOST-03)
    hidden: frozenset[str] = frozenset()  # of them, those whose folder has the same URL, so that one of both has none
    stated: tuple[StatedSpelling, ...] = ()  # where it is not: how the site writes its addresses
    undecided: tuple[tuple[str, str], ...] = ()  # a listed URL, and another that the host serves alike (URL-21)
    redirects: tuple[RedirectRule, ...] = ()  # all rules of the host
    needed: Mapping[str, RedirectRule] = {}  # URL without an answer → the rule for it, which is never served (RT-04)
    moved: tuple[Page, ...] = ()  # addresses of the ledger that a rule redirects at once and for good to a page's file
    places: Mapping[str, Place] = {}  # URL → the first link to it, for some that lead nowhere
    declared: tuple[str, ...] = ()  # sitemaps that robots.txt of the build names, as text, also where it does not apply

    @property
    def has_patterns(self) -> bool:
        """Whether a rule redirects more than one path, so that what it does with a made-up one is not known."""
        return any(one.status in _REDIRECTS and not _PLAIN_PATH.fullmatch(one.source) for one in self.redirects)

    def plain_answers(self, origin: str) -> Iterator[Page]:
        """The answers that rules for plain paths of the site promise: a redirect to one, or 410; `origin`: its own."""
        for one in self.redirects:
            if one.fate not in {RuleFate.SERVED, RuleFate.CHAIN} or not _PLAIN_PATH.fullmatch(one.source):
                continue
            url, evidence = f"{origin}{one.source}", str(one.place)
            if one.status == _GONE:
                yield Page(url, PageKind.GONE, one.status, evidence=evidence)
            elif one.status in _REDIRECTS and _PLAIN_PATH.fullmatch(one.target):
                yield Page(url, PageKind.REDIRECT, one.status, f"{origin}{one.target}", evidence=evidence)


class HostPolicy(Struct, frozen=True):
    """What a preview host sends with every page."""

    directives: frozenset[Directive] = frozenset()
    note: str = ""  # for the report
    exposed: str = ""  # the address of a preview that search engines may index (ENV-08)


class StateUse(Struct, frozen=True):
    """What a crawl took from its state. Times are in UTC, as ISO 8601 has them."""

    unchanged: int  # pages that the server confirmed (304), whose facts were not read again
    pages: int  # in all
    since: str  # when the oldest run began that may have read or confirmed them; "" without one
    resumed: int  # URLs that an interrupted run had visited
    begun: str  # when that run began


class RenderUse(Struct, frozen=True):
    """What rendering cost. The seconds are measured: they alone differ between two runs over the same site."""

    pages: int  # that a browser rendered
    failed: int  # that it could not render; each page has the reason
    seconds: float  # that the browser took for all of them, added up
    browser: str  # name and version; "" where it was not started
    sandboxed: bool  # with Chromium's own sandbox
    sandbox_failure: str = ""  # what was seen with it where it ran without, as text
    failure: str = ""  # which program is no usable browser, and why, as text
    unfinished: tuple[str, ...] = ()  # URLs of pages that still waited for something at the end, sorted (G-01)

    @property
    def incomplete(self) -> tuple[str, ...]:
        """Why pages may be missing: what was not seen whole may link to them."""
        if not self.unfinished:
            return ()
        count, first = len(self.unfinished), self.unfinished[0]
        pages = "1 page was" if count == 1 else f"{count:,} pages were"
        return (f"{pages} not finished in the browser, which says nothing of what they are: {first}",)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the report says; without the seconds, so that it is the same in every run over the same site."""
        if not (self.pages or self.failed):
            return ()
        why = f": {self.failure}" if self.failure else ""
        parts = [
            f"{self.pages:,} {'page' if self.pages == 1 else 'pages'} rendered in a browser" if self.pages else "",
            f"{self.failed:,} could not be rendered{why}" if self.failed else "",
        ]
        unboxed = self.browser and not self.sandboxed
        without = f"the browser ran without its sandbox: started with it, {self.sandbox_failure}"
        return ("; ".join(filter(None, parts)), *((without,) if unboxed else ()))


class SourceDates(Struct, frozen=True):
    """What git tells of the sources of pages (DIFF-34)."""

    by_page: Mapping[str, str] = {}  # newest author date, by the key of a page (`web.patterns.page_key`)
    refused: bool = False  # the history is not whole, or there is none
    notes: tuple[str, ...] = ()


NO_DATES = SourceDates()


class SourceResult(Struct, frozen=True):
    """Facts about the site as a whole, and why pages may be missing."""

    kind: str  # "folder" or "url"
    location: str
    incomplete: tuple[str, ...] = ()  # reasons why pages may be missing
    no_pages: bool = False  # the start page was not reached, or there is no page
    notes: tuple[str, ...] = ()
    robots: bytes | None = None  # the site's robots.txt, when it has one
    dead_references: tuple[DeadReference, ...] = ()  # of llms.txt, and Markdown twins
    probes: tuple[Page, ...] = ()  # responses to requests for random paths (HTML-46); of a folder, its error pages
    repeated: frozenset[str] = frozenset()  # keys of short documents that many URLs share (HTML-71)
    public: bool = False  # a preview that search engines can reach (ENV-08)
    broken: tuple[BrokenSitemap, ...] | None = (
        None  # sitemaps that production names and does not serve; None: not requested
    )
    hosting: Hosting = Hosting()  # of a folder
    witness: "ServedSite | None" = None  # of a folder: what is served where it is deployed (WIT-01…03)
    state: StateUse | None = None  # None where nothing came from a state
    interrupted: int = 0  # exit code of the signal that ended the run, 0 without one
    rendering: RenderUse | None = None  # None where no browser was to be used, or none is installed


class ServedSite(Struct, frozen=True):
    """What the address of the deploy witness serves, beside the build that is expected there (WIT-01…03)."""

    found: SourceResult  # of its crawl
    pages: Mapping[str, Page]  # by URL on the site: those that were asked for, and where redirects of them lead
    sitemap: frozenset[str] | None  # URLs that its sitemaps list; None where that is not known
    earlier: frozenset[str] = frozenset()  # URLs that the sitemap listed in an earlier run with the state
    missing: tuple[str, ...] = ()  # URLs that were made up
    other_case: tuple[str, str] = ("", "")  # a URL of the build, and the same one with the case of its letters swapped
