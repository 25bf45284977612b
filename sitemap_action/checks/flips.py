"""Pages that change their addresses together, and how many of the old addresses redirect (DIFF-11)."""

from sitemap_action.checks.base import INFO, WARNING, SiteCheck, rule
from sitemap_action.model.finding import Needs
from sitemap_action.model.outcome import Diff

_RULES = (
    rule(
        "DIFF-11",
        {
            "flip": (INFO, "pages change their URLs together, and every old URL reaches the new one"),
            "flip-uncovered": (WARNING, "pages change their URLs together, and not every old URL reaches the new one"),
        },
        needs=Needs.BASELINE,
        summary="Where pages change their URLs together, every old URL reaches the new one.",
        source="Google Search Central, https://developers.google.com/search/docs/crawling-indexing/site-move-with-url-changes",
        passes="all 2,000 pages lose .html, and each old URL redirects to the new one",
        fails="all 2,000 pages lose .html, and the old URLs are gone",
        tip="Redirect each old URL to its new one with 301 or 308: links and search engines still use it.",
    ),
)


class FlipsCheck(SiteCheck):
    rules = _RULES

    def on_end(self, diff: Diff, /) -> None:
        for flip in diff.flips:
            code = "flip" if flip.percent == 100 else "flip-uncovered"
            self.report.add(code, flip.pages[0][0], detail=f"{', '.join(flip.change)}: {flip.describe(diff.baseline)}")
