"""Addresses that search engines take for different pages or index twice (URL-24…29), and canonicals (HTML-21…31)."""

from collections import Counter

from sitemap_action.checks.base import (
    CRAWLING,
    DESIGN,
    ERROR,
    WARNING,
    FileCheck,
    FileOptions,
    Report,
    SiteCheck,
    site_rule,
)
from sitemap_action.html import directives
from sitemap_action.html.directives import canonical_targets
from sitemap_action.model.outcome import Diff
from sitemap_action.model.page import Canonical, Facts, Page
from sitemap_action.model.site import (
    Absent,
    CanonicalFault,
    KnownUrl,
    Listed,
    Reason,
    SpellingState,
    Verdict,
)
from sitemap_action.model.sitemap import Entry
from sitemap_action.web.urls import anomalies, case_key, composition_key, normal_form

_STRUCTURE = f"{CRAWLING}url-structure"
_NAMED = 100_000  # URLs that are kept as text to name a twin; of further ones only a hash is
_MIN_LINKS, _SHARE = 3, 10  # links to another spelling of the site, and percent of all links (URL-28)
_ANOMALIES = frozenset(("session-id", "double-slash"))

_RULES = (
    site_rule(
        "URL-21",
        {
            "same-document": (
                WARNING,
                "two listed URLs answer with the same document, and nothing prefers one of them",
            ),
            "served-alike": (
                WARNING,
                "the host serves this page under several URLs, and nothing on the site prefers one",
            ),
            "spelling-redirects": (WARNING, "a URL is listed as the config asks for it, and the host redirects it"),
            "spelling-not-canonical": (
                WARNING,
                "a URL is listed as the config asks for it, and its page names another canonical",
            ),
            "spelling-missing": (WARNING, "a page does not have the URL that the config asks for, and keeps its own"),
        },
        summary="A document has one address: the one that is listed, that answers 200 and that a canonical names.",
        source=f"{CRAWLING}consolidate-duplicate-urls",
        passes="/about, and /about.html redirects to it",
        fails="/about and /about.html answer with the same document, and no canonical, link or redirect prefers one",
        tip="Redirect one of them to the other, or name one as the canonical. Where select.trailing-slash or "
        "select.html-extension asks for another spelling than the host serves, correct the one or the other.",
    ),
    site_rule(
        "URL-24",
        {"session-id": (WARNING, "a listed URL has a session id")},
        summary="A listed URL has no session id.",
        source=_STRUCTURE,
        passes="https://x.com/a",
        fails="https://x.com/a;jsessionid=1A2B, https://x.com/a?sid=1",
        tip="Every visitor gets other URLs for the same pages: keep the session in a cookie, or set "
        "select.drop-params.",
    ),
    site_rule(
        "URL-25",
        {"case-twin": (WARNING, "two listed URLs differ only in the case of letters")},
        summary="No two listed URLs differ only in the case of letters.",
        source=_STRUCTURE,
        passes="/apple",
        fails="/Apple and /apple",
        tip="Search engines take them for two pages: redirect one to the other.",
    ),
    site_rule(
        "URL-26",
        {"double-slash": (WARNING, "the path of a listed URL has an empty segment")},
        summary="The path of a listed URL has no empty segment.",
        source=DESIGN,
        passes="https://x.com/a/b",
        fails="https://x.com/a//b",
        tip="Some servers merge the slashes and some do not: correct the link.",
    ),
    site_rule(
        "URL-28",
        {"other-spelling": (WARNING, "links lead to another spelling of this site")},
        summary="Pages link to each other with the scheme and host of site-url.",
        source="Search Console Help, sitemaps report, https://support.google.com/webmasters/answer/7451001",
        passes="https://www.x.com/ links to https://www.x.com/a",
        fails="https://www.x.com/ links to http://www.x.com/a or https://x.com/a",
        tip="Correct the links, or the scheme or host of site-url. Where www. and the bare domain are one site, "
        "crawl.www: same follows both.",
    ),
    site_rule(
        "URL-29",
        {"composition-twin": (WARNING, "two listed URLs differ only in Unicode composition")},
        summary="No two listed URLs differ only in how Unicode composes a letter.",
        source="Unicode Standard Annex #15, https://www.unicode.org/reports/tr15/",
        passes="/caf%C3%A9",
        fails="/caf%C3%A9 and /cafe%CC%81",
        tip="File names of macOS are decomposed: rename the file, or redirect one URL to the other.",
    ),
)


OTHER_BASE = site_rule(
    "URL-35",
    {"other-base": (ERROR, "the site states another base than site-url")},
    summary="No other base than `site-url` is stated by nine tenths of what canonicals, language versions, og:url, "
    "links with a host, sitemaps and robots.txt of the site name. Else there is no verdict, and nothing is written.",
    source=DESIGN,
    passes="site-url is https://x.com/, and the canonicals name https://x.com/a",
    fails="site-url is https://www.x.com/, and all canonicals name https://x.com/a",
    tip="Correct site-url. Where the site moves, build it with its new address, or list the old one in "
    "policy.moved-from.",
)


class _Spellings:
    """The spelling of each listed URL, and of those before it."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._spelled: dict[int, str] = {}  # hash of a case key → a listed URL with capital or non-ASCII letters

    def check(self, url: str, line: int = 0) -> None:
        """`url`: in normal form, each one once."""
        if "//" in url[8:] or "=" in url:
            for code in anomalies(url):
                if code in _ANOMALIES:
                    self._report.add(code, url, line)
        is_plain = url == url.lower()
        if is_plain and not self._spelled:
            return
        folded = url if is_plain and "%" not in url else case_key(composition_key(url))
        key = hash(folded)
        if key in self._spelled:
            self._report_twin(url, self._spelled[key], line)
        elif not is_plain:
            self._spelled[key] = url if len(self._spelled) < _NAMED else ""

    def _report_twin(self, url: str, other: str, line: int) -> None:
        same_letters = bool(other) and composition_key(url) == composition_key(other)
        self._report.add("composition-twin" if same_letters else "case-twin", url, line, other)


class ListedAddressesCheck(FileCheck):
    """The addresses in a sitemap that is judged without its site (R-40)."""

    rules = tuple(one for one in _RULES if one.id in {"URL-24", "URL-25", "URL-26", "URL-29"})

    def __init__(self, options: FileOptions, report: Report) -> None:
        super().__init__(options, report)
        self._spellings = _Spellings(report)

    def on_entry(self, entry: Entry) -> None:
        if self.options.named and (url := normal_form(entry.loc)) and hash(url) not in self.report.listed:
            self._spellings.check(url, entry.line)


class AddressesCheck(SiteCheck):
    rules = (*_RULES, OTHER_BASE)

    def on_start(self) -> None:
        self._links = 0
        self._elsewhere: Counter[str] = Counter()  # links to other spellings of the site, by origin
        self._undecided = dict(self.options.found.hosting.undecided)
        self._spellings = _Spellings(self.report)

    def on_url(self, known: KnownUrl, verdict: Verdict) -> None:
        page = known.page
        if page.facts is not None:
            self._links += page.facts.links.urls
            for origin, count in page.facts.links.other_spellings:
                self._elsewhere[origin] += count
        if isinstance(verdict, Listed):
            self._spellings.check(page.url)
            if verdict.spelling is None:
                self._check_same_document(page)
            elif verdict.spelling is not SpellingState.LISTED:
                self.report.add(f"spelling-{verdict.spelling}", page.url, detail=_describe_spelling(verdict))

    def on_end(self, _diff: Diff, /) -> None:
        if (stated := self.options.run.stated).base:
            named = ", ".join(f"{number:,} {kind}" for kind, number in stated.kinds)
            self.report.add("other-base", stated.base, detail=named)
        found = self._elsewhere.total()
        if found >= _MIN_LINKS and found * 100 >= self._links * _SHARE:
            spelled = ", ".join(f"{count:,} to {origin}/" for origin, count in self._elsewhere.most_common())
            self.report.add("other-spelling", detail=f"{spelled}, of {self._links:,} links")

    def _check_same_document(self, page: Page) -> None:
        if page.url in self._undecided and page.facts is not None and not page.facts.head.canonicals:
            self.report.add("served-alike", page.url, detail=self._undecided[page.url])
        if page.same_document and page.url < page.same_document:
            self.report.add("same-document", page.url, detail=page.same_document)


def _describe_spelling(verdict: Listed) -> str:
    evidence = f" ({verdict.page.evidence})" if verdict.page.evidence else ""
    return f"{'to ' if verdict.spelling is SpellingState.REDIRECTS else ''}{verdict.other_spelling}{evidence}"


# --- rel=canonical across the site: ignored, relative, contradictory, or many to one page ---

_CONSOLIDATE = f"{CRAWLING}consolidate-duplicate-urls"
_MASS_PAGES, _MASS_SHARE = 5, 0.2  # HTML-31

_CANONICAL_RULES = (
    site_rule(
        "HTML-21",
        {"canonical-place": (ERROR, "the canonical is in a place where search engines ignore it")},
        summary="A canonical is in the head, before any element that ends the head for search engines.",
        source=f"{CRAWLING}valid-page-metadata",
        passes="<link rel=canonical> before a tracking <img>",
        fails="<link rel=canonical> after a tracking <img>",
        tip="Move the link up, directly below <title>: where it is, search engines do not see it.",
    ),
    site_rule(
        "HTML-23",
        {"canonical-relative": (WARNING, "the canonical is relative")},
        summary="A canonical is an absolute URL.",
        source=_CONSOLIDATE,
        passes="https://www.example.com/a",
        fails="/a",
        tip="Write the whole address: a relative canonical also holds on a test host, and lets that be indexed.",
    ),
    site_rule(
        "HTML-25",
        {
            "canonical-conflict": (ERROR, "two canonicals contradict each other"),
            "canonical-twice": (WARNING, "the same canonical is given twice"),
        },
        summary="A page has one canonical.",
        source=_CONSOLIDATE,
        passes="one link",
        fails="one to /a and one to /b",
        tip="Search engines ignore both: keep the correct one.",
    ),
    site_rule(
        "HTML-26",
        {
            "canonical-redirects": (ERROR, "the canonical redirects"),
            "canonical-gone": (ERROR, "the canonical is no page"),
            "canonical-not-indexable": (ERROR, "the canonical is not indexable"),
            "canonical-chain": (ERROR, "the canonical names another page as its canonical"),
            "canonical-returns": (WARNING, "the canonical redirects back to the page, which is listed"),
        },
        summary="A canonical names a page that answers 200, is indexable and names no other page.",
        source=_CONSOLIDATE,
        passes="/about/ names https://www.example.com/about/",
        fails="/about/ names /about, which redirects to /about/",
        tip="Name the URL that answers 200, with the final slash, extension and host that the server uses.",
    ),
    site_rule(
        "HTML-27",
        {"canonical-ignored": (WARNING, "the canonical is ignored")},
        summary="A canonical is an http or https URL without fragment; any other is ignored.",
        source=_CONSOLIDATE,
        passes="https://www.example.com/a",
        fails="file:///usr/share/doc/a.html, #main, nothing",
        tip="Set the site's address in the generator, or remove the link.",
    ),
    site_rule(
        "HTML-28",
        {"canonical-http": (ERROR, "an https page has an http canonical")},
        summary="An https page has no http canonical.",
        source=_CONSOLIDATE,
        passes="https → https",
        fails="https → http",
        tip="Write the canonical with https; it often comes from a base URL in the generator's config.",
    ),
    site_rule(
        "HTML-29",
        {"canonical-noindex": (WARNING, "the page is noindex and names another page as its canonical")},
        summary="A page that is noindex names no other page as its canonical.",
        source=_CONSOLIDATE,
        passes="noindex alone",
        fails="noindex and a canonical to another page",
        tip="Keep one of them: noindex for a page that should not be found, a canonical for a duplicate.",
    ),
    site_rule(
        "HTML-30",
        {"canonical-series": (WARNING, "a later page of a series names the first one as its canonical")},
        summary="A later page of a series does not name the first one as its canonical.",
        source="Google Search Central, "
        "https://developers.google.com/search/docs/specialty/ecommerce/pagination-and-incremental-page-loading",
        passes="/blog?page=2 names itself",
        fails="/blog?page=2 or /blog/page/2/ names /blog",
        tip="Let each page of the series name itself: what only later pages link to is not found otherwise.",
    ),
    site_rule(
        "HTML-31",
        {"canonical-mass": (ERROR, "many pages name one other page as their canonical")},
        summary="The pages of a site do not all name one other page as their canonical.",
        source="a decision of this tool: five pages and a fifth of the site",
        passes="2 of 100 pages name a hub",
        fails="every page names the home page",
        tip="Let the template name each page itself: with a fixed canonical every page that uses it leaves the index.",
    ),
)


class CanonicalsCheck(SiteCheck):
    """Why a canonical is wrong; that a page is not listed because of it is a row of the diff."""

    rules = _CANONICAL_RULES

    def on_start(self) -> None:
        self._pages = 0
        self._targets: Counter[str] = Counter()

    def on_url(self, known: KnownUrl, verdict: Verdict) -> None:
        facts = known.page.facts
        if facts is None or known.page.unlisted:
            return
        self._pages += 1
        for link in facts.head.canonicals:
            self._check_link(known.page.url, link, stub=facts.refresh is not None)
        self._check_targets(known.page.url, facts, verdict)

    def on_end(self, _diff: Diff, /) -> None:
        for target, count in self._targets.most_common(1):
            if count >= _MASS_PAGES and count >= self._pages * _MASS_SHARE:
                self.report.add("canonical-mass", target, detail=f"{count:,} of {self._pages:,} pages name {target}")

    def _check_link(self, url: str, link: Canonical, *, stub: bool) -> None:
        """`stub`: the page redirects, and no test host is indexed by it."""
        ignored = link.ignored
        if ignored.startswith(("after ", "in ")):
            self.report.add("canonical-place", url, cause=ignored)
        elif ignored and not link.conditional:
            self.report.add("canonical-ignored", url, detail=f"{ignored}: {link.href}" if link.href else ignored)
        elif not ignored and not stub and "://" not in link.href.partition("?")[0]:
            self.report.add("canonical-relative", url, detail=link.href)

    def _check_targets(self, url: str, facts: Facts, verdict: Verdict) -> None:
        targets = canonical_targets(facts.head.canonicals)
        valid = sum(1 for link in facts.head.canonicals if not link.ignored)
        if len(targets) > 1:
            self.report.add("canonical-conflict", url, detail=" and ".join(targets[:2]))
        elif valid > 1:
            self.report.add("canonical-twice", url, detail=targets[0])
        if len(targets) != 1 or targets[0] == url:
            return
        self._targets[targets[0]] += 1
        absent = isinstance(verdict, Absent)
        returns = verdict.canonical_fault is CanonicalFault.RETURNS
        if verdict.canonical_fault is not None and not (returns and absent):
            self.report.add(f"canonical-{verdict.canonical_fault}", url, detail=targets[0])
        if url.startswith("https:") and targets[0].startswith("http:"):
            self.report.add("canonical-http", url, detail=targets[0])
        if isinstance(verdict, Absent) and verdict.reason is Reason.DEINDEXED and not returns and self._noindex(facts):
            self.report.add("canonical-noindex", url, detail=targets[0])

    def _noindex(self, facts: Facts) -> bool:
        own = directives.without_host(facts.head.directives, self.options.host.directives)
        return directives.find_noindex(own, self.options.agents) is not None
