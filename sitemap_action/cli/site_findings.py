"""What `validate` says of a named site beside its sitemaps: its robots.txt, and the rules that need its pages."""

from collections.abc import Iterable

from msgspec.structs import replace

from sitemap_action.checks.all import SetResult
from sitemap_action.checks.robots import robots_txt_findings
from sitemap_action.checks.severity import Corners
from sitemap_action.model.finding import Finding, NotChecked
from sitemap_action.robots.groups import Profile, parse
from sitemap_action.walk.declared import AGENTS
from sitemap_action.walk.sitemap_loading import Loaded

_PAGES = {
    "HTML-10": "whether a listed page has noindex",
    "HTML-24": "whether a listed page names another one as its canonical",
    "HTML-40": "whether a listed page answers 200",
    "HTML-41": "whether a listed URL redirects",
    "RB-30": "whether robots.txt disallows a listed page",
}
"""Rules over listed pages, which this command does not request, by what they would say."""


def with_site(result: SetResult, loaded: Loaded, corners: Corners) -> SetResult:
    """As it is where the address of a sitemap was named, and not a site."""
    site = loaded.site
    if site is None:
        return result
    findings: Iterable[Finding] = ()
    if site.content is not None:
        findings = robots_txt_findings(parse(site.content, Profile.GOOGLE), site.url, AGENTS, corners)
    start = site.url.removesuffix("robots.txt")
    hint = f"`sitemap-action check --url {start}` requests every listed page"
    unchecked = (NotChecked(rule, f"the pages, to say {what}", hint) for rule, what in _PAGES.items())
    return replace(
        result,
        findings=tuple(sorted((*result.findings, *findings), key=lambda one: one.rule.id)),
        not_checked=(*result.not_checked, *unchecked),
    )
