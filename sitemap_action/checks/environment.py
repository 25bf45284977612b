"""Hosts of previews and private networks in what a site publishes (ENV-06); another sitemap in the build (ENV-07)."""

from functools import partial

from sitemap_action.checks.base import DESIGN, ERROR, WARNING, FileCheck, SiteCheck, rule, site_rule
from sitemap_action.model.finding import Needs
from sitemap_action.model.outcome import Diff
from sitemap_action.model.page import Facts
from sitemap_action.model.site import KnownUrl, Verdict
from sitemap_action.web.site_mapping import is_loopback, is_private, leaks
from sitemap_action.web.urls import normal_form, origin

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
        if facts is not None and not known.page.unlisted and (facts.head.canonicals or facts.head.alternates):
            self._check_page(known.page.url, facts)

    def on_end(self, _diff: Diff, /) -> None:
        options = self.options
        source = options.run.source
        own = source.kind == "url" and source.location.startswith(self._own) and is_loopback(options.site_url)
        if is_private(options.site_url) and (options.writing or not own):  # a site of this machine is looked at (I-05)
            self.report.add("private-site-given" if options.site_url_given else "private-site", options.site_url)
        served = f"{origin(source.location)}/" if source.kind == "url" else self._own
        for line, url in options.robots.sitemaps if options.robots is not None else ():
            if self._leaks(url) and not url.startswith(served):  # as of its pages: a preview may name itself (I-01)
                self.report.add("leaked-sitemap", url, line, path="robots.txt")

    def _check_page(self, url: str, facts: Facts) -> None:
        for canonical in facts.head.canonicals:
            if not canonical.ignored and self._leaks(canonical.url):
                self.report.add("leaked-canonical", url, detail=canonical.url)
                break
        for version in facts.head.alternates:
            if self._leaks(version.url):
                self.report.add("leaked-hreflang", url, detail=version.url)
                break

    def _leaks(self, url: str) -> bool:
        if url.startswith(self._own):
            return False
        normal = normal_form(url)
        return bool(normal) and leaks(normal, self._own)


_SHIPPED_RULES = (
    site_rule(
        "ENV-07",
        {
            "shipped-differs": (ERROR, "the build ships another sitemap than the one that is judged"),
            "shipped-unread": (ERROR, "the build ships a sitemap that cannot be read"),
            "shipped-absent": (WARNING, "the build ships no sitemap at this address"),
        },
        summary="The sitemap that a build ships at `sitemap-url` is the one that is judged.",
        source=DESIGN,
        passes="public/sitemap.xml is committed, and the generator copies it to dist/sitemap.xml",
        fails="sitemap.xml is right, and dist/sitemap.xml of another generator names localhost",
        tip="Keep the sitemap where the generator copies it into the build, as in public or static, and let nothing "
        "else write one; where the build has one of its own, it can be judged instead: name it in `sitemap`.",
    ),
)


class ShippedCheck(SiteCheck):
    rules = _SHIPPED_RULES

    def on_end(self, _diff: Diff) -> None:
        shipped = self.options.shipped
        if shipped is None:
            return
        if not shipped.present:
            self.report.add("shipped-absent", path=shipped.path)
        elif shipped.unread:
            self.report.add("shipped-unread", path=shipped.path, detail=shipped.unread)
        else:
            parts = [
                f"{len(urls):,} {'URL' if len(urls) == 1 else 'URLs'} {what}, as {urls[0]}"
                for urls, what in ((shipped.lacking, "missing there"), (shipped.only_here, "only there"))
                if urls
            ]
            self.report.add("shipped-differs", path=shipped.path, detail="; ".join(parts))
