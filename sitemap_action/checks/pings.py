"""Requests to the ping addresses of search engines, which are gone (SM-69)."""

from sitemap_action.checks.base import INFO, SiteCheck, rule
from sitemap_action.model.finding import Needs
from sitemap_action.model.outcome import Diff

_RULES = (
    rule(
        "SM-69",
        {"ping": (INFO, "a search engine is pinged at an address that is gone")},
        needs=Needs.SITE,
        summary="No workflow or npm script of the repository pings a search engine about the sitemap.",
        source="Google Search Central blog, June 2023, sitemaps ping endpoint is going away; "
        "Bing Webmaster Blog, May 2022, spring cleaning: removed Bing anonymous sitemap submission",
        passes="a Sitemap line in robots.txt, and IndexNow",
        fails="curl https://www.google.com/ping?sitemap=https://www.example.com/sitemap.xml",
        tip="Remove the request. Name the sitemap in robots.txt; index-now-key submits changed URLs.",
    ),
)


class PingsCheck(SiteCheck):
    rules = _RULES

    def on_end(self, _diff: Diff, /) -> None:
        for ping in self.options.pings:
            self.report.add("ping", line=ping.line, detail=ping.engine, path=ping.path)
