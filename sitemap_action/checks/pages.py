"""Pages that search engines read differently than a browser shows them (HTML-06…70)."""

from sitemap_action.checks.base import INFO, WARNING, SiteCheck, rule
from sitemap_action.html import directives
from sitemap_action.model.finding import Needs
from sitemap_action.model.page import Facts, PageKind
from sitemap_action.model.site import Absent, KnownUrl, Reason, SpellingState, Verdict
from sitemap_action.web.urls import BadUrl, same_site

_GOOGLE = "Google Search Central, https://developers.google.com/search/docs/crawling-indexing/"
_CUTOFF = 2 * 1024 * 1024  # bytes of a document that Googlebot reads (HTML-49)

_RULES = (
    rule(
        "HTML-06",
        {"expiry-unreadable": (WARNING, "the date of unavailable_after is not valid")},
        needs=Needs.SITE,
        summary="The date of unavailable_after is valid.",
        source=f"{_GOOGLE}robots-meta-tag",
        passes="unavailable_after: 2027-01-31",
        fails="unavailable_after: soon",
        tip="An invalid date has no effect.",
    ),
    rule(
        "HTML-40",
        {"no-answer": (WARNING, "a page that is linked, and that no sitemap lists, gives no usable answer")},
        needs=Needs.SITE,
        summary="Every page that is linked gives a usable answer.",
        source="HTTP status codes, https://developers.google.com/search/docs/crawling-indexing/http-network-errors",
        passes="a linked page answers 200, or redirects to one that does",
        fails="a linked page that no sitemap lists answers 401, 403 or 500",
        tip="Correct the page or the links to it, or leave it out with select.exclude.",
    ),
    rule(
        "HTML-44",
        {"insecure-hop": (WARNING, "an https URL redirects to an http URL of the site")},
        needs=Needs.SITE,
        summary="No https URL of the site redirects to an http URL of the site.",
        source=f"{_GOOGLE}consolidate-duplicate-urls",
        passes="https://x.com/a to https://x.com/a/",
        fails="https://x.com/a to http://x.com/a/, which redirects to https://x.com/a/",
        tip="Write the target with https, or as a path alone. Behind a proxy, the application has to know that the "
        "visitor came by https (X-Forwarded-Proto).",
    ),
    rule(
        "HTML-47",
        {"script-redirect": (INFO, "an otherwise empty page redirects with a script")},
        needs=Needs.SITE,
        summary="A redirect is one of the server, not of a script.",
        source=f"{_GOOGLE}301-redirects",
        passes="301 to /b",
        fails="<script>location.href = '/b'</script> on an empty page",
        tip="The script is not run here, and not at once by search engines: redirect on the server.",
    ),
    rule(
        "HTML-49",
        {"page-too-large": (WARNING, "the document is larger than search engines read")},
        needs=Needs.SITE,
        summary="A document has at most 2 MiB.",
        source="Googlebot, https://developers.google.com/search/docs/crawling-indexing/googlebot",
        passes="400 KB",
        fails="3 MB with links at the end",
        tip="Search engines do not read past the first 2 MiB.",
    ),
    rule(
        "HTML-64",
        {"hash-routes": (WARNING, "links point to fragments that only a script can follow")},
        needs=Needs.SITE,
        summary="Links point to URLs, not to fragments that a script turns into pages.",
        source=f"{_GOOGLE}url-structure",
        passes='href="/products"',
        fails='href="#/products"',
        tip="Search engines see one page: use real paths (the History API).",
    ),
    rule(
        "HTML-68",
        {"orphan": (INFO, "no page links to this page")},
        needs=Needs.SITE,
        summary="Every listed page is linked from another page.",
        source=f"{_GOOGLE}links-crawlable",
        passes="linked from the home page",
        fails="listed, and no page links to it",
        tip="Link to it from a page of its section or from a menu, or take it out of the sitemap.",
    ),
    rule(
        "HTML-70",
        {"shell": (WARNING, "the page looks empty without scripts")},
        needs=Needs.SITE,
        summary="A page has its content without running scripts.",
        source=f"{_GOOGLE}javascript/javascript-seo-basics",
        passes="server-rendered or prerendered HTML",
        fails='<div id="root"></div> and nothing else',
        tip="Links and text that only a script creates are not read: prerender the page.",
    ),
)


class PagesCheck(SiteCheck):
    rules = _RULES

    def on_start(self) -> None:
        self._homes = {self.options.site_url}  # and where it redirects to, as far as that sorts behind it

    def on_url(self, known: KnownUrl, verdict: Verdict) -> None:
        page = known.page
        if page.url in self._homes:
            refresh = page.facts.refresh if page.facts is not None else None
            self._homes.add(refresh.url if refresh is not None else page.target)
        if page.kind is PageKind.REDIRECT and not (isinstance(verdict, Absent) and verdict.reason is Reason.EXCLUDED):
            self._check_redirect(page.url, page.target)
        if isinstance(verdict, Absent) and verdict.reason is Reason.UNDETERMINED:
            if known.committed is None and known.baseline is None and page.url != self.options.site_url:
                self.report.add("no-answer", page.url, cause=verdict.detail)
            return
        if page.facts is None or page.unlisted:
            return
        self._check_document(page.url, page.facts)
        if not page.inlinks and not page.twin and page.url not in self._homes:
            self._check_orphan(page.url, verdict)

    def _check_redirect(self, url: str, target: str) -> None:
        if url.startswith("https:") and target.startswith("http:") and _is_same_site(f"https{target[4:]}", url):
            self.report.add("insecure-hop", url, detail=target)

    def _check_orphan(self, url: str, verdict: Verdict) -> None:
        """Links are counted for one spelling of a page, whichever is listed."""
        if isinstance(verdict, Absent):
            if verdict.respelled:
                self.report.add("orphan", verdict.redirect_to)
        elif verdict.spelling is None or verdict.spelling.state is not SpellingState.LISTED:
            self.report.add("orphan", url)

    def _check_document(self, url: str, facts: Facts) -> None:
        for directive in directives.unparsable_dates(facts.directives):
            self.report.add("expiry-unreadable", url, cause=directive.value)
        if facts.refresh is not None:
            self._check_redirect(url, facts.refresh.url)  # a redirect for search engines, with or without a script
        elif facts.script_redirect:
            self.report.add("script-redirect", url, detail=facts.script_redirect)
        if facts.size > _CUTOFF:
            self.report.add("page-too-large", url, detail=f"{facts.size:,} bytes")
        if facts.hash_routes:
            self.report.add("hash-routes", url, detail=f"{facts.hash_routes} links")
        if facts.shell:
            unseen = facts.rendering.failure if facts.rendering is not None else ""
            self.report.add(
                "shell", url, cause=f"{facts.shell}; a browser shows no page: {unseen}" if unseen else facts.shell
            )


def _is_same_site(url: str, site: str) -> bool:
    try:
        return same_site(url, site, "same")
    except BadUrl:
        return False
