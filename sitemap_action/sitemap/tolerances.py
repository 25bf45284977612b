"""Errors in a sitemap that are tolerated: every tolerance in one table, with its source.

One pass serves both modes. Tolerant: the URLs that these rows admit are read. Strict: each row is a fault that
`checks` maps to a rule. An error that is not in this table is fatal (`faults.FATAL`).
"""

from msgspec import Struct

_PROTOCOL = "sitemaps.org, https://www.sitemaps.org/protocol.html"
_GOOGLE = "Google Search Central, https://developers.google.com/search/docs/crawling-indexing/sitemaps/"
_URLS = "Google Search Central, https://developers.google.com/search/docs/crawling-indexing/url-structure"
_BING = "Bing Webmaster Blog, February 2023, on lastmod"
_SCHEMA = "sitemap.xsd, https://www.sitemaps.org/schemas/sitemap/0.9/sitemap.xsd"
_ROBOTS = "Google Search Central, https://developers.google.com/search/docs/crawling-indexing/robots/robots_txt"
_XML = "XML 1.0 appendix F, https://www.w3.org/TR/xml/#sec-guessing"

DESIGN = "a decision of this tool"
"""The meaning is unambiguous, and an entry that is read can be checked; no search engine documents it."""


class Tolerance(Struct, frozen=True):
    """One error that is tolerated."""

    code: str  # of the Fault, or of what was corrected in a URL
    reads: str  # how it is read
    source: str


TOLERANCES = (
    # around the document
    Tolerance("bom", "the mark is ignored", _XML),
    Tolerance("encoding", "the text is decoded as declared, or as its first bytes show", _XML),
    Tolerance("encoding-ascii", "ASCII is UTF-8", _XML),
    Tolerance("leading-whitespace", "the white space is ignored", DESIGN),
    Tolerance("too-large", "read up to sitemaps.max-inflated", DESIGN),
    Tolerance("gzip-name", "the bytes decide, not the name", DESIGN),
    Tolerance("gzip-nested", "unpacked twice, never a third time", DESIGN),
    Tolerance("gzip-trailing", "bytes after the last member are ignored", DESIGN),
    # the shape of a urlset or index
    Tolerance("namespace", "elements are matched by local name in the namespace of the root", DESIGN),
    Tolerance("extension-namespace", "the extension is kept as written and has no effect", DESIGN),
    Tolerance("unbound-prefix", "a usual prefix stands for its own namespace; any other has no effect", DESIGN),
    Tolerance("extension-element", "the element is kept as written and has no effect", DESIGN),
    Tolerance("schema-location", "the hint is never followed", DESIGN),
    Tolerance("mixed", "both kinds are read", DESIGN),
    Tolerance("order", "any order", f"{_GOOGLE}combine-sitemap-extensions"),
    Tolerance("duplicate-child", "the first counts", DESIGN),
    Tolerance("unknown-element", "the element is ignored", DESIGN),
    Tolerance("attribute", "the attribute is ignored", DESIGN),
    Tolerance("stray-text", "the text is ignored", DESIGN),
    # values
    Tolerance("missing-loc", "the entry is left out", DESIGN),
    Tolerance("duplicate-loc", "the first counts", DESIGN),
    Tolerance("padded-loc", "white space around a URL is not part of it", _SCHEMA),
    Tolerance("text-too-long", "the value is left out, the entry with it when it is its URL", DESIGN),
    Tolerance("empty-lastmod", "an entry without a date", DESIGN),
    Tolerance("date", "the value is kept as written; for filters and sorts it is none", DESIGN),
    Tolerance("changefreq", "the value is kept as written; search engines ignore it", f"{_GOOGLE}build-sitemap"),
    Tolerance("priority", "the value is kept as written; search engines ignore it", _BING),
    # text files and feeds
    Tolerance("text-line", "the line is left out; blank lines are allowed", _PROTOCOL),
    Tolerance("text-name", "the bytes decide, not the name", DESIGN),
    Tolerance("feed-date", "an entry without a date", DESIGN),
    Tolerance("feed-link", "the item is left out", DESIGN),
    Tolerance("feed-version", "read as the version that search engines know", _PROTOCOL),
    # URLs
    Tolerance("loc-schemeless", "//host/path takes the scheme of its document", DESIGN),
    Tolerance("loc-fragment", "the fragment is removed", _URLS),
    Tolerance("loc-non-ascii", "percent-encoded as UTF-8", _URLS),
    Tolerance("loc-idn", "the host in its ASCII form", _ROBOTS),
)
