"""Text sitemaps and feeds (SM-65, SM-67)."""

from sitemap_action.checks.base import ERROR, GOOGLE, INFO, PROTOCOL, FileCheck, rule
from sitemap_action.model.sitemap import DocumentKind
from sitemap_action.sitemap.limits import MAX_URLS

_RULES = (
    rule(
        "SM-65",
        {"text-line": ERROR, "text-name": ERROR, "text-too-many": (ERROR, "the file lists more than 50,000 URLs")},
        summary="A text sitemap holds one absolute URL per line, at most 50,000, under a name that ends in .txt.",
        source=f"{PROTOCOL}#otherformats; {GOOGLE}build-sitemap",
        passes="https://x.com/a",
        fails="a header line, a # comment, a relative line",
        tip="Write one whole URL on each line and nothing else, in a file that ends in .txt.",
    ),
    rule(
        "SM-67",
        {"feed-version": INFO, "feed-date": INFO, "feed-link": INFO},
        summary="A feed used as a sitemap is RSS 2.0 or Atom 1.0, with a link and a readable date on each item.",
        source=f"{PROTOCOL}#otherformats; {GOOGLE}build-sitemap",
        passes="<pubDate>Tue, 10 May 2005 17:33:30 GMT</pubDate>",
        fails="<pubDate>10.5.2005</pubDate>, an item without link",
        tip="A feed has only recent pages; list the others in a sitemap.",
    ),
)


class TextAndFeedsCheck(FileCheck):
    """The reader reports lines and items; this is what only the end of a file shows."""

    rules = _RULES

    def on_file_start(self) -> None:
        self._text = self.file.kind is DocumentKind.TEXT

    def on_file_end(self) -> None:
        if self._text and self.totals.entries > MAX_URLS:
            self.report.add("text-too-many", detail=f"{self.totals.entries:,}")
