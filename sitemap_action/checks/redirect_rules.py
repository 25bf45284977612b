"""The redirect rules of the host of a build: what they lead to, and those that are never served (RT-01…RT-04)."""

from sitemap_action.checks.base import CRAWLING, DESIGN, ERROR, INFO, WARNING, SiteCheck, site_rule
from sitemap_action.model.outcome import Diff
from sitemap_action.model.site import Absent, KnownUrl, Verdict
from sitemap_action.model.source import RedirectRule, RuleFate

_CODES = {RuleFate.DEAD_END: "dead-end", RuleFate.LOOP: "loop", RuleFate.CHAIN: "chain"}

_RULES = (
    site_rule(
        "RT-01",
        {"dead-end": (WARNING, "a redirect rule leads to nothing")},
        summary="A redirect rule leads to a URL that the site serves, through ten redirects at most.",
        source=f"{CRAWLING}http-network-errors",
        passes="/old /new/ 301, and the build has new/index.html",
        fails="/old /gone 301, and nothing is served at /gone",
        tip="Point the rule at a page that exists, or remove it, so that the old URL answers 404 at once.",
    ),
    site_rule(
        "RT-02",
        {"loop": (WARNING, "a redirect rule leads back to itself")},
        summary="The redirects of a rule do not come back to it.",
        source=f"{CRAWLING}http-network-errors",
        passes="/a /c, /b /c",
        fails="/a /b, /b /a",
        tip="Remove one of these rules: a browser shows an error, and a search engine drops the URL.",
    ),
    site_rule(
        "RT-03",
        {"chain": (INFO, "a redirect rule needs more than one redirect to arrive")},
        summary="A redirect rule leads to its page in one redirect.",
        source=f"{CRAWLING}site-move-with-url-changes",
        passes="/x /z/, /y /z/",
        fails="/x /y, /y /z/",
        tip="Point the rule at the last URL: every redirect on the way costs time and can break.",
    ),
    site_rule(
        "RT-04",
        {
            "rule-unserved": (WARNING, "the host never serves a redirect rule"),
            "rule-needed": (ERROR, "the host never serves a redirect rule that a published URL needs"),
        },
        summary="Every redirect rule is served: the host takes it, and no file or earlier rule comes before it.",
        source=f"{DESIGN}; limits of Cloudflare, https://developers.cloudflare.com/pages/configuration/redirects/",
        passes="2,000 rules without a placeholder, then 100 with one (Cloudflare)",
        fails="/a/* /b at line 2, and 950 rules below it (Cloudflare)",
        tip="Put rules without a placeholder above all others, and remove what a file or an earlier rule hides.",
    ),
)


class RedirectRulesCheck(SiteCheck):
    rules = _RULES

    def on_start(self) -> None:
        self._hosting = self.options.found.hosting
        self._needed = self._hosting.needed if self._hosting is not None else {}
        self._needing: dict[str, str] = {}  # why a rule is never served → the first URL that needs such a rule

    def on_url(self, known: KnownUrl, verdict: Verdict) -> None:
        if self._needed and known.baseline is not None and isinstance(verdict, Absent):
            self._need(known.page.url)

    def _need(self, url: str) -> None:
        if url in self._needed:
            self._needing.setdefault(self._needed[url].detail, url)

    def on_end(self, diff: Diff, /) -> None:
        for row in diff.ledger.dead:
            self._need(row.url)
        unserved: dict[str, list[RedirectRule]] = {}
        unknown: list[RedirectRule] = []
        for rule in self._hosting.redirects if self._hosting is not None else ():
            if code := _CODES.get(rule.fate):
                self.report.add(code, line=rule.place.line, detail=f"{rule.source} {rule.detail}", path=rule.place.path)
            elif rule.fate is RuleFate.UNSERVED:
                unserved.setdefault(rule.detail, []).append(rule)
            elif rule.fate is RuleFate.UNKNOWN:
                unknown.append(rule)
        for why, rules in unserved.items():
            code, first = "rule-needed" if why in self._needing else "rule-unserved", rules[0].place
            url, count = self._needing.get(why, ""), len(rules)
            self.report.add(code, url, first.line, path=first.path, cause=why, count=count)
        if unknown:
            needs = f"what answers on the way of {len(unknown):,} redirect rules"
            hint = f"{unknown[0].place}: {unknown[0].detail}"
            for name in ("RT-01", "RT-02", "RT-03"):
                self.report.add_not_checked(name, needs, hint)
