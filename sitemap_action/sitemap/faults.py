"""Every fault that the reader and the schema gate report: code → message, by whether it is tolerated or fatal.

`TOLERANCES` has every error that is tolerated, with its source. One pass serves both modes. Tolerant: the URLs that
these rows admit are read. Strict: each row is a fault that `checks` maps to a rule. Any other error is fatal (`FATAL`).
"""

from typing import NoReturn

from sitemap_action.model.sitemap import Fault

TOLERATED = {
    # around the document
    "bom": "the document begins with a byte order mark",
    "encoding": "the document is not declared, or not written, as UTF-8",
    "encoding-ascii": "the document is declared as US-ASCII",
    "leading-whitespace": "there is white space before the XML declaration",
    "too-large": "the document is larger than 52,428,800 bytes uncompressed",
    "gzip-name": "the name ends in .gz and the content is not compressed",
    "gzip-nested": "the content is compressed twice",
    "gzip-trailing": "bytes that are not gzip follow the compressed content; they are ignored",
    # the shape of a urlset or index
    "namespace": "the elements are not in the namespace http://www.sitemaps.org/schemas/sitemap/0.9",
    "extension-namespace": "an extension's prefix is bound to another namespace than its own",
    "unbound-prefix": "a namespace prefix is used and never declared",
    "extension-element": "an extension's namespace has no such element below an entry",
    "schema-location": "xsi:schemaLocation does not pair the sitemap namespace with its schema",
    "mixed": "one file holds both <url> and <sitemap>",
    "order": "an element is out of order",
    "duplicate-child": "an element occurs twice in one entry",
    "unknown-element": "an element is not part of the protocol",
    "attribute": "an attribute is not part of the protocol",
    "stray-text": "there is text where only elements are allowed",
    # values
    "missing-loc": "an entry has no <loc>, or an empty one",
    "duplicate-loc": "an entry has more than one <loc>; the first is used",
    "padded-loc": "there is white space around the URL",
    "text-too-long": "the text of an element is longer than any URL or date may be; it is left out",
    "empty-lastmod": "<lastmod> is empty",
    "changefreq": "<changefreq> is none of always, hourly, daily, weekly, monthly, yearly, never",
    "priority": "<priority> is no decimal number from 0.0 to 1.0",
    # text files and feeds
    "text-line": "a line of the text sitemap is no absolute http or https URL",
    "text-name": "the name of a text sitemap does not end in .txt",
    "feed-date": "the date of a feed item cannot be read; it is left out",
    "feed-link": "a feed item has no link; it is left out",
    "feed-version": "search engines read RSS 2.0 and Atom 1.0; this feed is another version",
}
"""What the reader tolerates, and reports."""

FATAL = {
    "empty-document": "the document is empty",
    "malformed": "the document is not well-formed XML",
    "not-utf-8": "the bytes do not match the encoding",
    "doctype": "the document has a DOCTYPE; entities are never expanded",
    "unknown-root": "the document is no sitemap, index, feed or list of URLs",
    "gzip-damaged": "the compressed content is damaged or ends early",
    "compression": "the content is compressed with something other than gzip",
    "inflated": "the content is larger than this tool reads",
    "too-much": "the document exceeds a limit far above those of sitemaps",
}
"""What ends the reading: entries read so far count, the document is incomplete."""

GATE = {
    "loc-short": "the URL is shorter than the schema's 12 characters",
    "loc-long": "the URL has 2,048 characters or more",
    "loc-escape": "the URL has a character that must be escaped, or a % without two hexadecimal digits",
    "empty": "the file has no entries",
    "image": "the image extension does not match its schema",
    "video": "the video extension does not match its schema",
    "news": "the news extension does not match its schema",
    "hreflang": "the xhtml:link extension does not match its schema",
    "schema": "the file does not match the schema",
}
"""What only the schema gate reports, beside the codes above and those of `protocol.lastmod_fault`."""


FAULT_MESSAGES = {**TOLERATED, **FATAL, **GATE}


class StopReading(Exception):  # noqa: N818 - ends one document, is no error of the run
    """Ends the reading of one document."""

    def __init__(self, code: str, line: int = 0, detail: str = "") -> None:
        super().__init__(code)
        self.fault = Fault(code, line, truncate(detail), fatal=True)


class UnboundPrefix(StopReading):
    """Ends the first reading of a document with an undeclared prefix; `root`: where the tag of the root begins."""

    def __init__(self, line: int, root: int) -> None:
        super().__init__("unbound-prefix", line)
        self.root = root


def stop_reading(code: str, line: int = 0, detail: str = "") -> NoReturn:
    raise StopReading(code, line, detail)


def truncate(text: str, length: int = 200) -> str:
    """Text from a document, cut to fit a report."""
    return text if len(text) <= length else text[: length - 1] + "…"


_PROTOCOL = "sitemaps.org, https://www.sitemaps.org/protocol.html"
_GOOGLE = "Google Search Central, https://developers.google.com/search/docs/crawling-indexing/sitemaps/"
_URLS = "Google Search Central, https://developers.google.com/search/docs/crawling-indexing/url-structure"
_BING = "Bing Webmaster Blog, February 2023, on lastmod"
_SCHEMA = "sitemap.xsd, https://www.sitemaps.org/schemas/sitemap/0.9/sitemap.xsd"
_ROBOTS = "Google Search Central, https://developers.google.com/search/docs/crawling-indexing/robots/robots_txt"
_XML = "XML 1.0 appendix F, https://www.w3.org/TR/xml/#sec-guessing"

DESIGN = "a decision of this tool"
"""The meaning is unambiguous, and an entry that is read can be checked; no search engine documents it."""

TOLERANCES = {
    # around the document
    "bom": ("the mark is ignored", _XML),
    "encoding": ("the text is decoded as declared, or as its first bytes show", _XML),
    "encoding-ascii": ("ASCII is UTF-8", _XML),
    "leading-whitespace": ("the white space is ignored", DESIGN),
    "too-large": ("read up to sitemaps.max-inflated", DESIGN),
    "gzip-name": ("the bytes decide, not the name", DESIGN),
    "gzip-nested": ("unpacked twice, never a third time", DESIGN),
    "gzip-trailing": ("bytes after the last member are ignored", DESIGN),
    # the shape of a urlset or index
    "namespace": ("elements are matched by local name in the namespace of the root", DESIGN),
    "extension-namespace": ("the extension is kept as written and has no effect", DESIGN),
    "unbound-prefix": ("a usual prefix stands for its own namespace; any other has no effect", DESIGN),
    "extension-element": ("the element is kept as written and has no effect", DESIGN),
    "schema-location": ("the hint is never followed", DESIGN),
    "mixed": ("both kinds are read", DESIGN),
    "order": ("any order", f"{_GOOGLE}combine-sitemap-extensions"),
    "duplicate-child": ("the first counts", DESIGN),
    "unknown-element": ("the element is ignored", DESIGN),
    "attribute": ("the attribute is ignored", DESIGN),
    "stray-text": ("the text is ignored", DESIGN),
    # values
    "missing-loc": ("the entry is left out", DESIGN),
    "duplicate-loc": ("the first counts", DESIGN),
    "padded-loc": ("white space around a URL is not part of it", _SCHEMA),
    "text-too-long": ("the value is left out, the entry with it when it is its URL", DESIGN),
    "empty-lastmod": ("an entry without a date", DESIGN),
    "date": ("the value is kept as written; for filters and sorts it is none", DESIGN),
    "changefreq": ("the value is kept as written; search engines ignore it", f"{_GOOGLE}build-sitemap"),
    "priority": ("the value is kept as written; search engines ignore it", _BING),
    # text files and feeds
    "text-line": ("the line is left out; blank lines are allowed", _PROTOCOL),
    "text-name": ("the bytes decide, not the name", DESIGN),
    "feed-date": ("an entry without a date", DESIGN),
    "feed-link": ("the item is left out", DESIGN),
    "feed-version": ("read as the version that search engines know", _PROTOCOL),
    # URLs
    "loc-schemeless": ("//host/path takes the scheme of its document", DESIGN),
    "loc-fragment": ("the fragment is removed", _URLS),
    "loc-non-ascii": ("percent-encoded as UTF-8", _URLS),
    "loc-idn": ("the host in its ASCII form", _ROBOTS),
}
"""How each error is read that is tolerated, and its source; a code is of a Fault, or of what was corrected in a URL."""
