"""Removed URLs with one redirect target or several hops, and announced removals (DIFF-09, DIFF-10, DIFF-42)."""

import re
from collections import defaultdict
from collections.abc import Sequence

from sitemap_action.checks.base import ERROR, WARNING, SiteCheck, rule
from sitemap_action.model.finding import Needs
from sitemap_action.model.outcome import Diff, Removed
from sitemap_action.model.site import Reason

_FEW_HOPS = 5  # HTML-43
_MANY = 3  # removed URLs that redirect to one target (DIFF-09)
_WORDS = re.compile(r"[a-z0-9]{2,}")
_STOP_WORDS = frozenset(("index", "html", "htm", "php", "page"))
_REDIRECTED = (Reason.MOVED, Reason.MOVED_TEMPORARY)  # permanent redirects to a start page are a class: moved-home
_GOOGLE = "Google Search Central, https://developers.google.com/search/docs/crawling-indexing/"

_RULES = (
    rule(
        "DIFF-09",
        {
            "many-to-home": (ERROR, "removed pages redirect temporarily to the home page, which replaces none of them"),
            "many-to-one": (ERROR, "removed pages redirect to one page that has no word in common with any of them"),
        },
        needs=Needs.BASELINE,
        summary="Removed pages do not all redirect to the home page, or to one unrelated page.",
        source=f"{_GOOGLE}site-move-with-url-changes",
        passes="two pages merged into one",
        fails="30 removed pages redirect to /",
        tip="Search engines treat that as a soft 404: redirect each page to its successor, or answer 410.",
    ),
    rule(
        "DIFF-10",
        {
            "long-way": (WARNING, "a removed page redirects to its successor in several hops"),
            "longer-way": (
                ERROR,
                "a removed page redirects to its successor in more hops than search engines follow at once",
            ),
        },
        needs=Needs.BASELINE,
        summary="A removed page redirects to its successor in one hop.",
        source=f"{_GOOGLE}site-move-with-url-changes",
        passes="/old → /new",
        fails="/old → /newer → /new",
        tip="Point the first redirect at the last page: every hop costs time and can break.",
    ),
    rule(
        "DIFF-42",
        {
            "removal-unused": (WARNING, "no removal matches the announcement"),
            "removal-expired": (WARNING, "the announcement of a removal has expired"),
        },
        needs=Needs.BASELINE,
        summary="Every announced removal matches a removed page and has not expired.",
        source="a decision of this tool",
        passes="/sale/** until 2027-01-31, and pages below /sale/ are removed",
        fails="an announcement that has expired, or that matches no removal",
        tip="Announce a removal in the change that removes the page; then delete it from policy.expected-removals.",
    ),
)


class RemovalsCheck(SiteCheck):
    rules = _RULES

    def on_end(self, diff: Diff, /) -> None:
        by_target: dict[str, list[Removed]] = defaultdict(list)
        for row in diff.removed:
            if row.reason in _REDIRECTED:
                by_target[row.redirect_to].append(row)
            if row.hops > 1:
                case = "longer-way" if row.hops > _FEW_HOPS else "long-way"
                self.report.add(case, row.url, detail=f"{row.hops} hops to {row.redirect_to}")
        for target, rows in by_target.items():
            self._check_target(target, rows)
        for pattern in diff.unused_removals:
            self.report.add("removal-unused", detail=pattern)
        for pattern in diff.expired_removals:
            self.report.add("removal-expired", detail=pattern)

    def _check_target(self, target: str, rows: Sequence[Removed]) -> None:
        if len(rows) < _MANY:
            return
        if target == self.options.site_url:
            self.report.add("many-to-home", target, detail=f"{len(rows)} pages")
        elif not any(_path_words(row.url) & _path_words(target) for row in rows):
            self.report.add("many-to-one", target, detail=f"{len(rows)} pages, such as {rows[0].url}")


def _path_words(url: str) -> frozenset[str]:
    path = url.partition("://")[2].partition("/")[2]
    return frozenset(_WORDS.findall(path.lower())) - _STOP_WORDS
