"""rel=canonical across the site: ignored, relative, contradictory, or many to one page (HTML-21…31)."""

from collections import Counter

from sitemap_action.checks.base import CRAWLING, ERROR, WARNING, SiteCheck, site_rule
from sitemap_action.html import directives
from sitemap_action.html.directives import canonical_targets
from sitemap_action.model.outcome import Diff
from sitemap_action.model.page import Canonical, Facts
from sitemap_action.model.site import Absent, CanonicalFault, KnownUrl, Reason, Verdict

_CONSOLIDATE = f"{CRAWLING}consolidate-duplicate-urls"
_MASS_PAGES, _MASS_SHARE = 5, 0.2  # HTML-31

_RULES = (
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
        tip="A relative canonical also works on a test host, and lets it be indexed.",
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
        tip="A template has a fixed canonical: every page that uses it leaves the index.",
    ),
)


class CanonicalsCheck(SiteCheck):
    """Why a canonical is wrong; that a page is not listed because of it is a row of the diff."""

    rules = _RULES

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
        return directives.decide(own, self.options.agents).noindex
