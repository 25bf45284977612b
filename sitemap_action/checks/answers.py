"""Sitemaps that something names, as the production host answers for them (SM-63, RB-32)."""

from collections.abc import Sequence

from sitemap_action.checks.base import ERROR, PROTOCOL, SEARCH_CONSOLE, Case, Report, SiteCheck, rule
from sitemap_action.model.finding import Needs
from sitemap_action.model.outcome import Diff
from sitemap_action.model.sitemap import BrokenSitemap

_RULES = (
    rule(
        "SM-63",
        {"child-broken": ERROR},
        needs=Needs.LIVE,
        summary="Every file that an index lists answers 200 and can be read.",
        source=f"{SEARCH_CONSOLE}, Couldn't fetch",
        passes="a file that answers 200 with a sitemap",
        fails="a file that answers 404",
        tip="Until it is there again, a crawler does not know what it lists.",
    ),
    rule(
        "RB-32",
        {"declared-broken": ERROR},
        needs=Needs.LIVE,
        summary="Every Sitemap line of robots.txt names the address at which the sitemap answers 200.",
        source=f"{PROTOCOL}#submit_robots; {SEARCH_CONSOLE}, path mismatch",
        passes="https://www.x.com/sitemap.xml, which answers 200",
        fails="https://x.com/sitemap.xml, which redirects to https://www.x.com/sitemap.xml",
        tip="Write the address that the production host itself uses.",
    ),
)
_MESSAGES = {
    "child-broken": "the index lists a sitemap that does not answer with one",
    "declared-broken": "robots.txt names a sitemap that does not answer there",
}
_NEEDS = "the answers of the production host"
_HINT = "name the site by its URL"


class Answers(SiteCheck):
    rules = _RULES
    messages = _MESSAGES

    def end(self, _diff: Diff, /) -> None:
        robots, broken = self.options.robots, self.options.broken
        declared = robots is not None and bool(robots.sitemaps)
        tell(self.report, broken, index=self.options.index, declared=declared)


def tell(report: Report, broken: Sequence[BrokenSitemap] | None, *, index: bool, declared: bool) -> None:
    """`broken`: None when nobody asked. `index`, `declared`: whether there is an index, or a line, to ask about."""
    if broken is None:
        for rule_id in [*(["RB-32"] if declared else []), *(["SM-63"] if index else [])]:
            report.not_checked(rule_id, _NEEDS, _HINT)
        return
    for one in broken:
        code = "declared-broken" if one.declared else "child-broken"
        report.add(code, one.url, one.line, one.reason, path=one.named_by)


def answers_report() -> Report:
    """For sitemaps that are looked at without a site behind them."""
    return Report({code: Case(rule, rule.severity, _MESSAGES[code]) for rule in _RULES for code in rule.cases})
