"""Sitemaps that crawlers do not get, or not as sitemaps, where they are named (SM-11, SM-63, RB-31, RB-32)."""

from collections.abc import Sequence

from sitemap_action.checks.base import ERROR, PROTOCOL, SEARCH_CONSOLE, WARNING, Report, SiteCheck, cases_by_code, rule
from sitemap_action.checks.severity import NO_CORNERS, Corners
from sitemap_action.model.finding import Needs
from sitemap_action.model.outcome import Diff
from sitemap_action.model.sitemap import BrokenSitemap

_RULES = (
    rule(
        "SM-11",
        {"served-otherwise": (WARNING, "a sitemap is not served as one at its own address")},
        needs=Needs.LIVE,
        summary="A sitemap is served at its own address, without a redirect, as XML, text or gzip.",
        source="Bing, guidance on sitemaps (July 2025); Yandex, dictionary of sitemap errors",
        passes="200 with Content-Type: application/xml",
        fails="200 with Content-Type: text/html; 301 to another address",
        tip="Serve it with Content-Type: application/xml (application/gzip where it is compressed), and name the "
        "address that answers 200.",
    ),
    rule(
        "SM-63",
        {"child-broken": (ERROR, "the index lists a URL that does not serve a sitemap")},
        needs=Needs.LIVE,
        summary="Every file that an index lists answers 200 and can be read.",
        source=f"{SEARCH_CONSOLE}, Couldn't fetch",
        passes="a file that answers 200 with a sitemap",
        fails="a file that answers 404",
        tip="Until it is served again, crawlers do not see the URLs that it lists.",
    ),
    rule(
        "RB-31",
        {"sitemap-disallowed": (ERROR, "robots.txt disallows a sitemap of the site")},
        needs=Needs.LIVE,
        summary="robots.txt disallows no sitemap of its site.",
        source=f"{SEARCH_CONSOLE}, Sitemap blocked by robots.txt",
        passes="/sitemap.xml, which every crawler may fetch",
        fails="Disallow: /sitemap",
        tip="Remove the rule, or allow the sitemap by a longer one: Allow: /sitemap.xml.",
    ),
    rule(
        "RB-32",
        {"declared-broken": (ERROR, "robots.txt names a URL that does not serve a sitemap")},
        needs=Needs.LIVE,
        summary="Every Sitemap line of robots.txt names the address at which the sitemap answers 200.",
        source=f"{PROTOCOL}#submit_robots; {SEARCH_CONSOLE}, path mismatch",
        passes="https://www.x.com/sitemap.xml, which answers 200",
        fails="https://x.com/sitemap.xml, which redirects to https://www.x.com/sitemap.xml",
        tip="Write the address that the production host itself uses.",
    ),
)
_NEEDS = "the responses of the production host"
_HINT = "name the site by its URL"


class BrokenSitemapsCheck(SiteCheck):
    rules = _RULES

    def on_end(self, _diff: Diff, /) -> None:
        robots, broken = self.options.robots, self.options.broken
        declared = robots is not None and bool(robots.sitemaps)
        report_broken(self.report, broken, index=self.options.index, declared=declared)


def report_broken(report: Report, broken: Sequence[BrokenSitemap] | None, *, index: bool, declared: bool) -> None:
    """`broken`: None when they were not fetched. `index`, `declared`: whether an index, or robots.txt, names any."""
    if broken is None:
        for rule_id in [*(["RB-31", "RB-32", "SM-11"] if declared else []), *(["SM-63"] if index else [])]:
            report.add_not_checked(rule_id, _NEEDS, _HINT)
        return
    for sitemap in broken:
        code = "declared-broken" if sitemap.declared else "child-broken"
        code = "sitemap-disallowed" if sitemap.disallowed else "served-otherwise" if sitemap.served else code
        report.add(code, sitemap.url, sitemap.line, sitemap.reason, path=sitemap.named_by)


def broken_sitemaps_report(corners: Corners = NO_CORNERS) -> Report:
    """For sitemaps that are read without a site."""
    return Report(cases_by_code(_RULES), corners)
