"""The file as a whole: XML, encoding, size, structure (SM-01…17, EXT-01); text and feeds (SM-65, SM-67)."""

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
    rule,
)
from sitemap_action.model.sitemap import DocumentKind
from sitemap_action.sitemap.protocol import MAX_URLS, NEWS

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
