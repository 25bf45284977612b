"""Answers that prove little: error pages that answer 200, what a preview host sends (ENV-03, 08, HTML-45, 46, 71)."""

from sitemap_action.checks.base import DESIGN, WARNING, SiteCheck, rule
from sitemap_action.html.soft404 import is_empty, stub_key
from sitemap_action.model.finding import Needs
from sitemap_action.model.outcome import Diff
from sitemap_action.model.page import PageKind
from sitemap_action.model.site import KnownUrl, Listed, Verdict

_SIGNALS = 2  # one alone is no sign of an error page (HTML-45)
_GOOGLE = "Google Search Central, https://developers.google.com/search/docs/crawling-indexing/"

_RULES = (
    rule(
        "ENV-03",
        {"host-noindex": (WARNING, "directives on every page of the preview are treated as policy of its host")},
        needs=Needs.SITE,
        summary="Directives that a preview host sends with every page do not count.",
        source=DESIGN,
        passes="noindex on /thanks/ alone counts, on the preview as in production",
        fails="X-Robots-Tag: noindex on every page of a preview",
        tip="Production must not have them. select.noindex: respect lets them count, ignore sets every noindex aside.",
    ),
    rule(
        "ENV-08",
        {"preview-indexable": (WARNING, "search engines may index this preview")},
        needs=Needs.SITE,
        summary="Search engines cannot index a preview.",
        source=DESIGN,
        passes="X-Robots-Tag: noindex on every answer, or a login",
        fails="https://pr-7--x.netlify.app/ answers everyone, without noindex",
        tip="Let the preview host send X-Robots-Tag: noindex, or put it behind a login.",
    ),
    rule(
        "HTML-45",
        {
            "error-signals": (WARNING, "the page answers 200 and looks like an error page"),
            "empty": (WARNING, "the page is empty: it has no title, no text and no link"),
        },
        needs=Needs.SITE,
        summary="A page that answers 200 is not empty, and does not look like an error page.",
        source=f"{_GOOGLE}http-network-errors",
        passes='a page titled "Peugeot 404 Cabriolet"',
        fails='a page titled "Page not found", with few words',
        tip="If the page does not exist, answer 404; else give it a title and a text of its own.",
    ),
    rule(
        "HTML-46",
        {"no-404": (WARNING, "a URL that does not exist answers 200, so a missing page is only found by its document")},
        needs=Needs.SITE,
        summary="A URL that does not exist answers 404.",
        source="Bar-Yossef et al., Sic transit gloria telae, WWW 2004",
        passes="a random path answers 404",
        fails="a random path answers 200 with index.html",
        tip="Let the host answer 404 for unknown URLs: add a 404.html, or remove the catch-all rewrite.",
    ),
    rule(
        "HTML-71",
        {"one-body": (WARNING, "pages answer 200 with one error page or one short text")},
        needs=Needs.SITE,
        summary="Pages with few words do not all have one text.",
        source=DESIGN,
        passes="five stubs with different titles and texts",
        fails="every page of /blog/ answers 200 with the same error message",
        tip="If an application failed, repair it or let it answer 500; else give each page its own text.",
    ),
)


class HostAnswersCheck(SiteCheck):
    rules = _RULES

    def on_url(self, known: KnownUrl, verdict: Verdict) -> None:
        facts = known.page.facts
        if facts is None or not isinstance(verdict, Listed) or verdict.unverified:
            return
        if self.options.repeated and stub_key(facts) in self.options.repeated:
            self.report.add("one-body", known.page.url, detail=facts.title)
        elif len(facts.soft404) >= _SIGNALS:
            self.report.add("error-signals", known.page.url, cause=", ".join(facts.soft404))
        elif known.page.kind is PageKind.PAGE and is_empty(facts):
            self.report.add("empty", known.page.url)

    def on_end(self, _diff: Diff, /) -> None:
        if self.options.host_policy:
            self.report.add("host-noindex", detail=self.options.host_policy)
        if self.options.exposed:
            self.report.add("preview-indexable", self.options.exposed)
        if self.options.fallback:
            self.report.add("no-404", self.options.fallback)
