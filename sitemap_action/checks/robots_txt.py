"""Lines of robots.txt that have no effect or another effect than intended (RB-17…34)."""

from collections.abc import Iterable

from sitemap_action.checks.base import INFO, WARNING, Report, SiteCheck, cases_by_code, rule
from sitemap_action.checks.severity import Corners
from sitemap_action.model.finding import Finding, Needs
from sitemap_action.model.outcome import Diff
from sitemap_action.robots.groups import Robots

_RFC = "RFC 9309, https://www.rfc-editor.org/rfc/rfc9309"
_GOOGLE = (
    "Google's robots.txt specification, https://developers.google.com/search/docs/crawling-indexing/robots/robots_txt"
)

_RULES = (
    rule(
        "RB-17",
        {"rule-without-slash": (WARNING, "the rule matches nothing")},
        needs=Needs.SITE,
        summary="The value of a robots.txt rule starts with / or *.",
        source=_GOOGLE,
        passes="Disallow: /private",
        fails="Disallow: private",
        tip="Any other rule matches nothing: start the value with /.",
    ),
    rule(
        "RB-18",
        {"too-large": (WARNING, "robots.txt is larger than crawlers read")},
        needs=Needs.SITE,
        summary="A robots.txt has at most 512,000 bytes.",
        source=f"{_RFC}#section-2.5",
        passes="a rule at byte 511,000",
        fails="a rule at byte 513,000",
        tip="Shorten it with wildcards: rules behind this size do not count.",
    ),
    rule(
        "RB-25",
        {"crawl-delay": (INFO, "Crawl-delay is not a standard field")},
        needs=Needs.SITE,
        summary="Crawl-delay is not part of the standard.",
        source=_GOOGLE,
        passes="none",
        fails="Crawl-delay: 10",
        tip="Google ignores it; Bing reads it as a window of 1 to 30 seconds.",
    ),
    rule(
        "RB-26",
        {"noindex": (WARNING, "Noindex is not supported")},
        needs=Needs.SITE,
        summary="robots.txt has no Noindex.",
        source="Google Search Central, https://developers.google.com/search/docs/crawling-indexing/block-indexing",
        passes='<meta name="robots" content="noindex">',
        fails="Noindex: /x",
        tip="No search engine supports it: put noindex on the page.",
    ),
    rule(
        "RB-27",
        {"html-body": (WARNING, "robots.txt holds HTML")},
        needs=Needs.SITE,
        summary="robots.txt is plain text.",
        source=f"{_RFC}#section-2.3",
        passes="User-agent: *",
        fails="an HTML page",
        tip="Serve a text file at /robots.txt; a host's fallback page often answers in its place.",
    ),
    rule(
        "RB-28",
        {
            "missing-colon": (WARNING, "the line has no colon"),
            "misspelt-field": (WARNING, "the field name is misspelt"),
        },
        needs=Needs.SITE,
        summary="Field names of robots.txt are spelt right and end in a colon.",
        source="google/robotstxt, https://github.com/google/robotstxt",
        passes="Disallow: /x",
        fails="Dissalow: /x, Disallow /x",
        tip="Google tolerates this spelling; others ignore the line.",
    ),
    rule(
        "RB-34",
        {"shadowed": (WARNING, "a crawler with its own group does not follow a rule of the * group")},
        needs=Needs.SITE,
        summary="A group for one crawler repeats the rules of the * group that should apply to it too.",
        source=f"{_RFC}#section-2.2.1",
        passes="both groups disallow /admin/",
        fails="* disallows /admin/, and Googlebot has a group without it",
        tip="A crawler with its own group follows only that group.",
    ),
    rule(
        "SM-68",
        {"relative-sitemap": (WARNING, "the Sitemap line is not an absolute URL")},
        needs=Needs.SITE,
        summary="Sitemap lines in robots.txt are absolute URLs.",
        source="sitemaps.org protocol, https://www.sitemaps.org/protocol.html#submit_robots",
        passes="Sitemap: https://www.example.com/sitemap.xml",
        fails="Sitemap: /sitemap.xml",
        tip="Write the whole address of production: Sitemap: https://www.example.com/sitemap.xml.",
    ),
)
_CASES = cases_by_code(_RULES)


class RobotsTxtCheck(SiteCheck):
    rules = _RULES

    def on_end(self, _diff: Diff, /) -> None:
        if self.options.robots is not None:
            _report_lines(self.report, self.options.robots, self.options.agents, "robots.txt")


def robots_txt_findings(robots: Robots, url: str, agents: Iterable[str], corners: Corners) -> tuple[Finding, ...]:
    """Of the robots.txt of a site whose pages are not known."""
    report = Report(_CASES, corners, whole_file=1)
    _report_lines(report, robots, agents, url)
    return report.findings()


def _report_lines(report: Report, robots: Robots, agents: Iterable[str], path: str) -> None:
    for fault in robots.faults:
        if fault.code in _CASES:
            report.add(fault.code, line=fault.line, detail=fault.detail, path=path)
    names = {agent.casefold(): agent for agent in (*robots.restricted_agents(), *agents)}
    for agent in names.values():
        for verdict in robots.shadowed(agent):
            report.add("shadowed", line=verdict.line, detail=f"{agent} does not follow {verdict.rule}", path=path)
