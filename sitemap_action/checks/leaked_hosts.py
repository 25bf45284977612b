"""Hosts of previews and of private networks in what a site publishes (ENV-06)."""

from functools import partial

from sitemap_action.checks.base import DESIGN, ERROR, WARNING, FileCheck, SiteCheck, rule
from sitemap_action.model.finding import Needs
from sitemap_action.model.outcome import Diff
from sitemap_action.model.page import Facts
from sitemap_action.model.site import KnownUrl, Verdict
from sitemap_action.web.site_mapping import is_private, leaks
from sitemap_action.web.urls import BadUrl, normalize

_IN_FILES = {
    "leaked-loc": (ERROR, "the sitemap lists a URL of a private host, a preview or a stage"),
    "leaked-version": (ERROR, "the sitemap names a language version on a private host, a preview or a stage"),
    "private-address": (WARNING, "the sitemap is served at an IP address, or at one that is on no public network"),
}
_ON_SITE = {
    "leaked-canonical": (ERROR, "a canonical names a private host, a preview or a stage"),
    "leaked-hreflang": (ERROR, "a language version of a page is on a private host, a preview or a stage"),
    "leaked-sitemap": (ERROR, "a Sitemap line of robots.txt names a private host, a preview or a stage"),
    "private-site": (ERROR, "site-url is an IP address, or on no public network"),
    "private-site-given": (
        WARNING,
        "site-url is an IP address, or on no public network: what is written is for a trial here",
    ),
}
_LEAKS = partial(
    rule,
    "ENV-06",
    needs=Needs.SITE,
    summary="No sitemap, canonical, hreflang or Sitemap line names a private host, a preview or a stage.",
    source=f"{DESIGN}; Google Search Central, "
    "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls",
    passes="https://www.x.com/",
    fails='<link rel="canonical" href="http://localhost:3000/">, https://staging.x.com/ for www.x.com',
    tip="Set the address of the site in the generator, for the build that is deployed.",
)


class LeakedAddressesCheck(FileCheck):
    """The families that read URLs and language versions report the first two."""

    rules = (_LEAKS(_IN_FILES),)

    def on_file_start(self) -> None:
        if self.options.named and self.file.address and is_private(self.file.address):
            self.report.add("private-address", self.file.address)


class LeakedHostsCheck(SiteCheck):
    rules = (_LEAKS(_ON_SITE),)

    def on_start(self) -> None:
        self._own = self.options.site_url[: self.options.site_url.index("/", 8) + 1]

    def on_url(self, known: KnownUrl, _verdict: Verdict) -> None:
        facts = known.page.facts
        if facts is not None and not known.page.unlisted and (facts.canonicals or facts.alternates):
            self._check_page(known.page.url, facts)

    def on_end(self, _diff: Diff, /) -> None:
        options = self.options
        if is_private(options.site_url):
            self.report.add("private-site-given" if options.site_url_given else "private-site", options.site_url)
        for line, url in options.robots.sitemaps if options.robots is not None else ():
            if self._leaks(url):
                self.report.add("leaked-sitemap", url, line, path="robots.txt")

    def _check_page(self, url: str, facts: Facts) -> None:
        for canonical in facts.canonicals:
            if not canonical.ignored and self._leaks(canonical.url):
                self.report.add("leaked-canonical", url, detail=canonical.url)
                break
        for version in facts.alternates:
            if self._leaks(version.url):
                self.report.add("leaked-hreflang", url, detail=version.url)
                break

    def _leaks(self, url: str) -> bool:
        if url.startswith(self._own):
            return False
        try:
            return leaks(normalize(url), self._own)
        except BadUrl:
            return False
