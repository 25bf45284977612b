"""Links between pages of the site that lead to no page (HTML-73)."""

from sitemap_action.checks.base import WARNING, SiteCheck, rule
from sitemap_action.model.finding import Needs
from sitemap_action.model.outcome import Diff


class DeadLinksCheck(SiteCheck):
    """A page of a compared sitemap that is gone has a row in the diff, which names who links to it."""

    rules = (
        rule(
            "HTML-73",
            {"dead-link": (WARNING, "a link leads to nothing")},
            needs=Needs.SITE,
            summary="Every link between pages of the site leads to something that is there.",
            source="HTTP status codes, https://developers.google.com/search/docs/crawling-indexing/http-network-errors",
            passes="a linked page answers 200, or redirects to one that does",
            fails="/about links to /team, which answers 404",
            tip="Correct the link, restore the page, or redirect its URL; what another deployment serves is named in "
            "select.exclude.",
        ),
    )

    def on_end(self, diff: Diff, /) -> None:
        for row in diff.skipped:
            if row.links is not None:
                self.report.add("dead-link", row.url, row.links.line, str(row.links), path=row.links.path)
