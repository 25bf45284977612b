"""Addresses that search engines take for different pages or sites, or index twice (URL-24…29)."""

from collections import Counter

from sitemap_action.checks.base import CRAWLING, DESIGN, ERROR, WARNING, SiteCheck, site_rule
from sitemap_action.model.outcome import Diff
from sitemap_action.model.page import Page
from sitemap_action.model.site import AskedSpelling, KnownUrl, Listed, SpellingState, Verdict
from sitemap_action.web.urls import anomalies, case_key, composition_key

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


class AddressesCheck(SiteCheck):
    rules = (*_RULES, OTHER_BASE)

    def on_start(self) -> None:
        self._links = 0
        self._elsewhere: Counter[str] = Counter()  # links to other spellings of the site, by origin
        hosting = self.options.found.hosting
        self._undecided = dict(hosting.undecided) if hosting is not None else {}
        self._spelled: dict[int, str] = {}  # hash of a case key → a listed URL with capital or non-ASCII letters

    def on_url(self, known: KnownUrl, verdict: Verdict) -> None:
        page = known.page
        if page.facts is not None:
            self._links += page.facts.links.urls
            for origin, count in page.facts.links.other_spellings:
                self._elsewhere[origin] += count
        if isinstance(verdict, Listed):
            self._check_url(page.url)
            if verdict.spelling is None:
                self._check_same_document(page)
            elif verdict.spelling.state is not SpellingState.LISTED:
                self.report.add(f"spelling-{verdict.spelling.state}", page.url, detail=_detail(verdict.spelling, page))

    def on_end(self, _diff: Diff, /) -> None:
        if (stated := self.options.run.stated).base:
            named = ", ".join(f"{number:,} {kind}" for kind, number in stated.kinds)
            self.report.add("other-base", stated.base, detail=named)
        found = self._elsewhere.total()
        if found >= _MIN_LINKS and found * 100 >= self._links * _SHARE:
            spelled = ", ".join(f"{count:,} to {origin}/" for origin, count in self._elsewhere.most_common())
            self.report.add("other-spelling", detail=f"{spelled}, of {self._links:,} links")

    def _check_url(self, url: str) -> None:
        if "//" in url[8:] or "=" in url:
            for code in anomalies(url):
                if code in _ANOMALIES:
                    self.report.add(code, url)
        is_plain = url == url.lower()
        if is_plain and not self._spelled:
            return
        folded = url if is_plain and "%" not in url else case_key(composition_key(url))
        key = hash(folded)
        if key in self._spelled:
            self._report_twin(url, self._spelled[key])
        elif not is_plain:
            self._spelled[key] = url if len(self._spelled) < _NAMED else ""

    def _report_twin(self, url: str, other: str) -> None:
        same_letters = bool(other) and composition_key(url) == composition_key(other)
        self.report.add("composition-twin" if same_letters else "case-twin", url, detail=other)

    def _check_same_document(self, page: Page) -> None:
        if page.url in self._undecided and page.facts is not None and not page.facts.head.canonicals:
            self.report.add("served-alike", page.url, detail=self._undecided[page.url])
        if page.same_document and page.url < page.same_document:
            self.report.add("same-document", page.url, detail=page.same_document)


def _detail(spelling: AskedSpelling, page: Page) -> str:
    evidence = f" ({page.evidence})" if page.evidence else ""
    return f"{'to ' if spelling.state is SpellingState.REDIRECTS else ''}{spelling.other}{evidence}"
