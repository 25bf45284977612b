"""Hosts of previews and of private networks in what a site publishes (ENV-06)."""

from msgspec.structs import replace

from sitemap_action.checks.base import DESIGN, ERROR, WARNING, FileCheck, SiteCheck, rule
from sitemap_action.model.finding import Needs
from sitemap_action.model.outcome import Diff
from sitemap_action.model.page import Facts
from sitemap_action.model.site import KnownUrl, Verdict
from sitemap_action.web.site_mapping import is_private, leaks
from sitemap_action.web.urls import BadUrl, normalize

_FILES = rule(
    "ENV-06",
    {"leaked-loc": ERROR, "leaked-version": ERROR, "private-address": WARNING},
    needs=Needs.SITE,
    summary="No sitemap, canonical, hreflang or Sitemap line names a private host, a preview or a stage.",
    source=f"{DESIGN}; Google Search Central, "
    "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls",
    passes="https://www.x.com/",
    fails='<link rel="canonical" href="http://localhost:3000/">, https://staging.x.com/ for www.x.com',
    tip="Set the address of the site in the generator, for the build that is deployed.",
)
"""Of files; `LeakedHostsCheck` has the cases of a site."""


class LeakedAddressesCheck(FileCheck):
    """The families that read URLs and language versions report the first two."""

    rules = (_FILES,)
    messages = {  # noqa: RUF012 - as in base
        "leaked-loc": "the sitemap lists a URL of a private host, a preview or a stage",
        "leaked-version": "the sitemap names a language version on a private host, a preview or a stage",
        "private-address": "the sitemap is served at an IP address, or at one that is on no public network",
    }

    def on_file_start(self) -> None:
        if self.options.named and self.file.address and is_private(self.file.address):
            self.report.add("private-address", self.file.address)


class LeakedHostsCheck(SiteCheck):
    rules = (
        replace(
            _FILES,
            cases={
                "leaked-canonical": ERROR,
                "leaked-hreflang": ERROR,
                "leaked-sitemap": ERROR,
                "private-site": ERROR,
                "private-site-given": WARNING,
            },
        ),
    )
    messages = {  # noqa: RUF012 - as in base
        "leaked-canonical": "a canonical names a private host, a preview or a stage",
        "leaked-hreflang": "a language version of a page is on a private host, a preview or a stage",
        "leaked-sitemap": "a Sitemap line of robots.txt names a private host, a preview or a stage",
        "private-site": "site-url is an IP address, or on no public network",
        "private-site-given": "site-url is an IP address, or on no public network: what is written is for a trial here",
    }

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
