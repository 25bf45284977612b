"""Removed URLs taken together, and removals that were announced (DIFF-09, DIFF-42)."""

from collections import Counter

from sitemap_action.checks.base import ERROR, WARNING, SiteCheck, rule
from sitemap_action.model.finding import Needs
from sitemap_action.model.outcome import Diff
from sitemap_action.model.site import Reason

_MANY = 3  # removed URLs that lead to one place (DIFF-09)

_RULES = (
    rule(
        "DIFF-09",
        {"many-to-one": ERROR},
        needs=Needs.BASELINE,
        summary="Removed pages are not all redirected to the home page.",
        source="Google Search Central, https://developers.google.com/search/docs/crawling-indexing/site-move-with-url-changes",
        passes="two pages merged into one",
        fails="30 removed pages redirect to /",
        tip="Search engines take that for a soft 404: redirect each page to its successor, or answer 410.",
    ),
    rule(
        "DIFF-42",
        {"removal-unused": WARNING, "removal-expired": WARNING},
        needs=Needs.BASELINE,
        summary="Every announced removal is about to happen.",
        source="a decision of this tool",
        passes="/sale/** until 2027-01-31, and pages below /sale/ vanish",
        fails="an announcement that has expired, or that meets no removal",
        tip="It belongs in the change that removes the page; afterwards take it out of policy.expected-removals.",
    ),
)
_MESSAGES = {
    "many-to-one": "removed pages redirect to the home page, which replaces none of them",
    "removal-unused": "no removal matches the announcement",
    "removal-expired": "the announcement of a removal has expired",
}


class Removals(SiteCheck):
    rules = _RULES
    messages = _MESSAGES

    def end(self, diff: Diff, /) -> None:
        redirected = (Reason.MOVED, Reason.MOVED_TEMPORARY)
        targets = Counter(row.redirect_to for row in diff.removed if row.reason in redirected)
        home = targets[self.options.site_url]
        if home >= _MANY:
            self.report.add("many-to-one", self.options.site_url, detail=f"{home} pages")
        for pattern in diff.unused_removals:
            self.report.add("removal-unused", detail=pattern)
        for pattern in diff.expired_removals:
            self.report.add("removal-expired", detail=pattern)
