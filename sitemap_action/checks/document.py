"""The file as a whole, and the files that an index lists.

XML, encoding, size, structure (SM-01…17, EXT-01); text and feeds (SM-65, SM-67); indexes (SM-51, SM-60…64); named
sitemaps that are not served (SM-11, SM-63, RB-31, RB-32).
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from sitemap_action.checks.base import (
    DESIGN,
    ERROR,
    GOOGLE,
    INFO,
    PROTOCOL,
    SCHEMA,
    SEARCH_CONSOLE,
    WARNING,
    FileCheck,
    FileOptions,
    Report,
    SiteCheck,
    cases_by_code,
    directory_url,
    live_rule,
    rule,
)
from sitemap_action.checks.severity import NO_CORNERS, Corners
from sitemap_action.model.finding import Needs
from sitemap_action.model.outcome import Diff
from sitemap_action.model.sitemap import BrokenSitemap, ChildSitemap, DocumentKind, Entry
from sitemap_action.sitemap.protocol import MAX_URLS, NEWS, LatestDate, parse_date
from sitemap_action.web.urls import normal_form

_ENCODING = (
    rule(
        "SM-01",
        {"malformed": ERROR, "empty-document": ERROR, "too-much": ERROR},
        summary="The file is well-formed XML 1.0.",
        source=f"{PROTOCOL}#escaping",
        passes="<loc>https://x.com/?a=1&amp;b=2</loc>",
        fails="<loc>https://x.com/?a=1&b=2</loc>, &nbsp;, a control character",
        tip="Escape & as &amp; and let a sitemap library or this tool write the file.",
    ),
    rule(
        "SM-02",
        {"not-utf-8": ERROR, "encoding": ERROR, "encoding-ascii": WARNING},
        summary="The file is UTF-8 and declares no other encoding.",
        source=PROTOCOL,
        passes='encoding="utf-8", or no declaration',
        fails='encoding="ISO-8859-1", UTF-16',
        tip="Save the file as UTF-8.",
    ),
    rule(
        "SM-03",
        {"bom": WARNING},
        summary="The file does not begin with a byte order mark.",
        source=DESIGN,
        passes="the first byte is <",
        fails="the file begins with the bytes EF BB BF",
        tip="Save the file as UTF-8 without BOM.",
    ),
    rule(
        "SM-04",
        {"leading-whitespace": ERROR},
        summary="Nothing precedes the XML declaration.",
        source=f"{SEARCH_CONSOLE}, Leading whitespace",
        passes="<?xml at the first byte",
        fails="a blank line before <?xml",
        tip="Look for a blank line in the template that writes the file.",
    ),
    rule(
        "SM-05",
        {"namespace": ERROR, "unknown-root": ERROR},
        summary="The root is urlset or sitemapindex in the namespace http://www.sitemaps.org/schemas/sitemap/0.9.",
        source=f"{PROTOCOL}; {SEARCH_CONSOLE}, Incorrect namespace",
        passes='<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
        fails='<urlset xmlns="https://www.sitemaps.org/schemas/sitemap/0.9">, no namespace, an HTML page',
        tip="Copy the namespace exactly: http, no final slash.",
    ),
)
_SIZE = (
    rule(
        "SM-06",
        {"too-many-urls": (ERROR, "the file lists more than 50,000 URLs")},
        summary="A file lists at most 50,000 URLs.",
        source=PROTOCOL,
        passes="50,000 <url>",
        fails="50,001 <url>",
        tip="Split the file and list the parts in an index; `write` does both.",
    ),
    rule(
        "SM-07",
        {"too-large": ERROR, "inflated": ERROR},
        summary="A file has at most 52,428,800 bytes uncompressed.",
        source=PROTOCOL,
        passes="52,428,800 bytes",
        fails="52,428,801 bytes; a .gz of 3 MB that inflates to 60 MB",
        tip="Split the file and list the parts in an index; `write` does both.",
    ),
    rule(
        "SM-09",
        {"empty": WARNING},
        summary="The file has at least one entry; only a news sitemap may be empty.",
        source=f"{SCHEMA}; {SEARCH_CONSOLE}, Empty sitemap; {GOOGLE}news-sitemap",
        passes="a news sitemap between two articles",
        fails='<urlset xmlns="…"/>',
        tip="Check whether the build found its pages.",
    ),
    rule(
        "SM-10",
        {
            "gzip-damaged": ERROR,
            "compression": ERROR,
            "gzip-nested": ERROR,
            "gzip-trailing": WARNING,
            "gzip-name": WARNING,
        },
        summary="A compressed file is gzip, compressed once and undamaged.",
        source=f"{PROTOCOL}; {SEARCH_CONSOLE}, Compression error",
        passes="sitemap.xml.gz",
        fails="a truncated gzip file, a .zip, plain XML under a name that ends in .gz",
        tip="Compress the file once with gzip, name it .xml.gz, and write it to its end.",
    ),
)
_STRUCTURE = (
    rule(
        "SM-12",
        dict.fromkeys(("schema", "image", "video", "news", "hreflang", "extension-element"), ERROR),
        summary="The file is valid against the schema of sitemaps and their extensions.",
        source=SCHEMA,
        passes="an image sitemap with the image schema loaded",
        fails="<image:imag> under <url>",
        tip="Correct the element that is named here, or let `sitemap-action write` write the file.",
    ),
    rule(
        "SM-13",
        {"doctype": ERROR},
        summary="The file has no DOCTYPE; entities are never expanded.",
        source=DESIGN,
        passes="<?xml …?><urlset …>",
        fails="<!DOCTYPE urlset …>",
        tip="Remove the DOCTYPE; write characters as they are.",
    ),
    rule(
        "SM-14",
        {"order": WARNING, "duplicate-child": ERROR},
        summary="An entry holds loc, lastmod, changefreq, priority in this order, each at most once.",
        source=f"{SCHEMA}; {GOOGLE}combine-sitemap-extensions",
        passes="<loc>…</loc><lastmod>…</lastmod><priority>…</priority>",
        fails="<priority> before <lastmod>, two <lastmod>",
        tip="Write loc first, then lastmod, changefreq, priority, and each once.",
    ),
    rule(
        "SM-15",
        {"unknown-element": ERROR, "attribute": ERROR, "stray-text": ERROR},
        summary="An entry contains no unknown element, no attribute and no stray text.",
        source=f"{SCHEMA}; {SEARCH_CONSOLE}, Invalid XML",
        passes="<url><loc>…</loc></url>",
        fails='<url id="1">, <image> without prefix',
        tip="Remove it; an extension needs its prefix and namespace, such as image:image.",
    ),
    rule(
        "SM-16",
        {"schema-location": INFO},
        summary="xsi:schemaLocation, where present, pairs the sitemap namespace with its schema.",
        source=f"{PROTOCOL}#validating",
        passes="http://www.sitemaps.org/schemas/sitemap/0.9 http://www.sitemaps.org/schemas/sitemap/0.9/sitemap.xsd",
        fails="an odd number of words",
        tip="Remove the attribute, or write the namespace and its schema as a pair.",
    ),
    rule(
        "SM-17",
        {"mixed": ERROR},
        summary="A urlset contains only <url>, an index only <sitemap>.",
        source=SCHEMA,
        passes="a urlset of <url>",
        fails="<sitemap> in a urlset",
        tip="Put sitemaps into an index of their own, and pages into a urlset.",
    ),
    rule(
        "EXT-01",
        {"extension-namespace": ERROR, "unbound-prefix": ERROR},
        summary="The prefixes image, video, news and xhtml are declared, with exactly their own namespaces.",
        source=f"{GOOGLE}combine-sitemap-extensions; {SEARCH_CONSOLE}, Incorrect namespace",
        passes='xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"',
        fails='xmlns:image="https://www.google.com/schemas/sitemap-image/1.1"',
        tip="Copy the namespace exactly: http, no final slash.",
    ),
)


class DocumentCheck(FileCheck):
    """The reader and the schema gate report most faults; these are what only the end of a file shows."""

    rules = _ENCODING + _SIZE + _STRUCTURE

    def on_file_end(self) -> None:
        if self.file.kind not in {DocumentKind.INDEX, DocumentKind.TEXT} and self.file.entries > MAX_URLS:
            self.report.add("too-many-urls", detail=f"{self.file.entries:,}")
        # Entries without <loc> are SM-20.
        listed = self.file.entries or self.file.children or "SM-20" in self.report.rules_in_file
        may_be_empty = NEWS in self.file.namespaces or self.file.feed_of_index  # U-27
        if self.file.complete and not listed and not may_be_empty:
            self.report.add("empty")


_TEXT_AND_FEEDS = (
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
        tip="List the other pages in a sitemap: a feed has only recent ones.",
    ),
)


class TextAndFeedsCheck(FileCheck):
    """The reader reports lines and items; this is what only the end of a file shows."""

    rules = _TEXT_AND_FEEDS

    def on_file_start(self) -> None:
        self._text = self.file.kind is DocumentKind.TEXT

    def on_file_end(self) -> None:
        if self._text and self.file.entries > MAX_URLS:
            self.report.add("text-too-many", detail=f"{self.file.entries:,}")


_INDEX_RULES = (
    rule(
        "SM-51",
        {
            "child-date-old": (ERROR, "the index has an older date for a file than the file's newest entry"),
            "child-date-stamped": (WARNING, "every file in the index is dated today, and no entry in them is"),
        },
        summary="An index dates a file by its last change: not before its newest entry, not by the date of the build.",
        source=f"{PROTOCOL}#sitemapIndexTagDefinitions; {GOOGLE}large-sitemaps",
        passes="a file that did not change keeps its date",
        fails="a date before the newest entry's; every file dated today on each run",
        tip="Use the newest lastmod of the file's entries, or leave it out.",
        needs=Needs.SET,
    ),
    rule(
        "SM-60",
        {"too-many-children": (ERROR, "the index lists more than 50,000 files")},
        summary="An index lists at most 50,000 sitemaps.",
        source=f"{PROTOCOL}#index; {GOOGLE}large-sitemaps",
        passes="50,000 <sitemap>",
        fails="50,001 <sitemap>",
        tip="Make a second index and name both in robots.txt.",
    ),
    rule(
        "SM-61",
        {"index-nested": (ERROR, "an index lists another index")},
        summary="An index lists sitemaps, not indexes.",
        source=f"{SEARCH_CONSOLE}, Incorrect sitemap index format: nested sitemap indexes",
        passes="an index that lists a urlset",
        fails="an index that lists an index",
        tip="List the sitemaps of the inner index in the outer one, or name each index in robots.txt.",
        needs=Needs.SET,
    ),
    rule(
        "SM-62",
        {"child-scope": (ERROR, "a file of the index is on another site, or not below its directory")},
        summary="The files of an index are on its own site, in its directory or below.",
        source=f"{GOOGLE}large-sitemaps; {PROTOCOL}#location",
        passes="/public/a/s.xml in /public/i.xml",
        fails="/s.xml in /public/i.xml",
        tip="Move the index to the root of the site, or the file below the index.",
    ),
    rule(
        "SM-64",
        {"too-many-indexes": (WARNING, "more than 500 indexes")},
        summary="A site has at most 500 indexes; Search Console accepts no more.",
        source=f"{GOOGLE}large-sitemaps",
        passes="1 index",
        fails="501 indexes",
        tip="Merge small sitemaps: one index takes 50,000 of them.",
        needs=Needs.SET,
    ),
)
_MAX_INDEXES = 500
_DAY = timedelta(days=1)


class IndexCheck(FileCheck):
    """An index is compared with the files it lists after the last file."""

    rules = _INDEX_RULES

    def __init__(self, options: FileOptions, report: Report) -> None:
        super().__init__(options, report)
        self._children: dict[str, tuple[str, ChildSitemap]] = {}  # by URL: path of its index, and itself
        self._files: dict[str, tuple[DocumentKind, datetime | None]] = {}  # by URL: with the latest date of its entries
        self._selves: dict[str, tuple[str, ChildSitemap]] = {}  # that lie in the place of an index of unknown address
        self._indexes = 0

    def on_file_start(self) -> None:
        self._scope = directory_url(self.file.address)
        self._latest = LatestDate()
        if self.file.kind is DocumentKind.INDEX:
            self._indexes += 1
            if not self.file.address:
                self.report.add_without_address("SM-62")

    def on_entry(self, entry: Entry) -> None:
        self._latest.add(entry.lastmod)

    def on_child(self, child: ChildSitemap) -> None:
        url = normal_form(child.loc)
        if not url:
            return
        if not self.file.address and urlsplit(url).path.rpartition("/")[2] == self.file.path.rpartition("/")[2]:
            self._selves.setdefault(url, (self.file.path, child))
        if not url.startswith(self._scope):
            self.report.add("child-scope", child.loc, child.line)
        if len(self._children) < MAX_URLS:
            self._children.setdefault(url, (self.file.path, child))

    def on_file_end(self) -> None:
        if self.file.children > MAX_URLS:
            self.report.add("too-many-children", detail=f"{self.file.children:,}")
        if self.file.address:
            latest = self._latest.parsed
            self._files[self.file.address] = (self.file.kind, latest.instant if latest else None)

    def on_end(self) -> None:
        if self._indexes > _MAX_INDEXES:
            self.report.add("too-many-indexes", detail=str(self._indexes), path="")
        for url, (index, child) in self._selves.items():
            if url not in self._files:  # no other file is at that place: the index lists itself
                self.report.add("index-nested", child.loc, child.line, path=index)
        for url, (index, child) in self._children.items():
            kind, latest = self._files.get(url, (None, None))
            if kind is DocumentKind.INDEX:
                self.report.add("index-nested", child.loc, child.line, path=index)
            date = parse_date(child.lastmod)
            # A day has no hours and no zone.
            if date and latest and date.instant + (_DAY if date.timed else 2 * _DAY) < latest:
                self.report.add("child-date-old", child.loc, child.line, child.lastmod, path=index)
        self._check_stamped()

    def _check_stamped(self) -> None:
        """All of two or more files dated today, although every date in them is older (SM-51)."""
        now = self.options.now
        read = {url: found for url, found in self._children.items() if url in self._files}
        dates = [(parse_date(child.lastmod), self._files[url][1]) for url, (_, child) in read.items()]
        if len(dates) > 1 and all(
            date and abs(now - date.instant) < _DAY and latest and latest < now - 2 * _DAY for date, latest in dates
        ):
            self.report.add("child-date-stamped", path=next(iter(read.values()))[0])


_UNREAD = (
    live_rule(
        "SM-11",
        {"served-otherwise": (WARNING, "a sitemap is not served as one at its own address")},
        summary="A sitemap is served at its own address, without a redirect, as XML, text or gzip.",
        source="Bing, guidance on sitemaps (July 2025); Yandex, dictionary of sitemap errors",
        passes="200 with Content-Type: application/xml",
        fails="200 with Content-Type: text/html; 301 to another address",
        tip="Serve it with Content-Type: application/xml (application/gzip where it is compressed), and name the "
        "address that answers 200.",
    ),
    live_rule(
        "SM-63",
        {"child-broken": (ERROR, "the index lists a URL that does not serve a sitemap")},
        summary="Every file that an index lists answers 200 and can be read.",
        source=f"{SEARCH_CONSOLE}, Couldn't fetch",
        passes="a file that answers 200 with a sitemap",
        fails="a file that answers 404",
        tip="Serve the sitemap again, or take it out of the index: crawlers do not see the URLs that it lists.",
    ),
    live_rule(
        "RB-31",
        {"sitemap-disallowed": (ERROR, "robots.txt disallows a sitemap of the site")},
        summary="robots.txt disallows no sitemap of its site.",
        source=f"{SEARCH_CONSOLE}, Sitemap blocked by robots.txt",
        passes="/sitemap.xml, which every crawler may fetch",
        fails="Disallow: /sitemap",
        tip="Remove the rule, or allow the sitemap by a longer one: Allow: /sitemap.xml.",
    ),
    live_rule(
        "RB-32",
        {"declared-broken": (ERROR, "robots.txt names a URL that does not serve a sitemap")},
        summary="Every Sitemap line of robots.txt names the address at which the sitemap answers 200.",
        source=f"{PROTOCOL}#submit_robots; {SEARCH_CONSOLE}, path mismatch",
        passes="https://www.x.com/sitemap.xml, which answers 200",
        fails="https://x.com/sitemap.xml, which redirects to https://www.x.com/sitemap.xml",
        tip="Write the address that the production host itself uses.",
    ),
)
_NEEDS = "the responses of the production host"
_HINT = "check the site where it is served, by its address"


class BrokenSitemapsCheck(SiteCheck):
    rules = _UNREAD

    def on_end(self, _diff: Diff, /) -> None:
        robots, found = self.options.robots, self.options.found
        broken = found.broken if found.witness is None else found.witness.found.broken
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
    """An empty report of these rules, for sitemaps that are read without a site."""
    return Report(cases_by_code(_UNREAD), corners)
