"""Names, limits and values of the sitemap protocol: namespaces, URLs of <loc>, and the formats of a file."""

import re
from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.web.urls import BadUrl, normal_form, normalize, origin

SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"
IMAGE = "http://www.google.com/schemas/sitemap-image/1.1"
VIDEO = "http://www.google.com/schemas/sitemap-video/1.1"
NEWS = "http://www.google.com/schemas/sitemap-news/0.9"
XHTML = "http://www.w3.org/1999/xhtml"
XSI = "http://www.w3.org/2001/XMLSchema-instance"
SEPARATOR = "\x01"
"""Between namespace and name, as expat gives them: XML has no such character, so that any namespace is read (R-32)."""

ATOM = "http://www.w3.org/2005/Atom"
ATOM_03 = "http://purl.org/atom/ns#"

EXTENSIONS = {"image": IMAGE, "video": VIDEO, "news": NEWS, "xhtml": XHTML}
"""Usual prefix → namespace; no other namespace may be bound to one of these prefixes (EXT-01)."""

PREFIXES = {
    SITEMAP: "sitemap",
    XSI: "xsi",
    "http://www.w3.org/XML/1998/namespace": "xml",
    "http://www.google.com/schemas/sitemap-mobile/1.0": "mobile",
    "http://www.google.com/schemas/sitemap-pagemap/1.0": "pagemap",
    **{uri: prefix for prefix, uri in EXTENSIONS.items()},
}
"""Namespace → its prefix in canonical extensions."""

LEGACY = (
    "",
    "http://www.google.com/schemas/sitemap/0.84",
    "http://www.google.com/schemas/sitemap/0.9",
    "http://www.google.com/schemas/sitemap/0.90",
    "http://www.sitemaps.org/schemas/sitemap/0.90",
    "https://www.google.com/schemas/sitemap/0.84",
    "https://www.google.com/schemas/sitemap/0.9",
)
"""Namespaces that older generators give to the elements of the protocol: tolerated and reported (SM-05)."""


def is_sitemap(namespace: str) -> bool:
    """Whether a namespace is that of the protocol, another spelling of it, or an older one."""
    return namespace in LEGACY or "www.sitemaps.org/schemas/sitemap" in namespace


def is_misspelled(namespace: str) -> bool:
    """Whether a namespace is a misspelling of an extension's, under any prefix (EXT-01)."""
    bare = namespace.strip().removeprefix("https://").removeprefix("http://").rstrip("/").lower()
    return namespace not in EXTENSIONS.values() and any(bare == uri[7:] for uri in EXTENSIONS.values())


USUAL_PATHS = (
    "/sitemap.xml",
    "/sitemap_index.xml",
    "/sitemap-index.xml",
    "/wp-sitemap.xml",
    "/sitemap.xml.gz",
    "/sitemap.txt",
)
"""Tried where robots.txt names no sitemap."""

MAX_URLS = 50_000
"""Of one file, and of an index its children (SM-06, SM-60)."""

MAX_BYTES = 52_428_800
"""Of one file, uncompressed (SM-07)."""

MAX_NEWS = 1_000
"""News of one file (NEWS-02)."""

MAX_INFLATED = 209_715_200
"""Bytes of one file, uncompressed, that are read by default, 200 MiB; more than `MAX_BYTES` is SM-07."""

PADDING = " \t\r\n\x85\xa0\u202f\u205f\u2060\u3000\ufeff" + "".join(map(chr, range(0x2000, 0x200C)))
"""Spaces that editors and content systems put round a URL; most are invisible."""


class ReadLimits(Struct, frozen=True):
    """All far beyond what the protocol allows, so that every breach of the protocol is still read and counted."""

    inflated: int = MAX_INFLATED  # bytes, uncompressed
    entries: int = 1_000_000
    text: int = 65_536  # characters of one element
    depth: int = 64  # of elements below the root
    attributes: int = 100  # of one element
    faults: int = 1_000  # of a text file before its first URL


FREQUENCIES = ("always", "hourly", "daily", "weekly", "monthly", "yearly", "never")
_DECIMAL = lazy_re(r"[+-]?(?:[0-9]{1,50}(?:\.[0-9]{0,50})?|\.[0-9]{1,50})")


def is_priority(text: str) -> bool:
    return _DECIMAL.fullmatch(text) is not None and 0 <= float(text) <= 1


_RFC_3986 = lazy_re(r"https?://[\w.~:/?\[\]@!$&'()*+,;=%-]+", re.ASCII | re.IGNORECASE)


def normalize_loc(loc: str, base: str) -> tuple[str, str]:
    """(normal form, code of what was corrected) of a URL; `base`: URL of the document, "" when it has none.

    The code is "" when nothing was corrected. Raises BadUrl, whose code is why the URL identifies no page.
    """
    try:
        url = normalize(loc)
    except BadUrl as bad:
        if bad.code != "not-absolute" or not loc.startswith("//") or not base:
            raise
        return normalize(f"{base.partition(':')[0]}:{loc}"), "loc-schemeless"
    return url, "loc-fragment" if "#" in loc else ""


def url_key(loc: str) -> str:
    """The normal form of a URL, or its text when it is none."""
    return normal_form(loc) or loc


def original_spelling(loc: str, url: str) -> str:
    """The URL as the sitemap spells it, without fragment, where RFC 3986 allows that; else its normal form `url`."""
    bare = loc.partition("#")[0]
    return bare if _RFC_3986.fullmatch(bare) else url


def site_host(url: str) -> str:
    """The host of a URL without `www.`: children and entries on the same one are read, under any scheme.

    SM-28 is stricter, and a finding. Raises BadUrl.
    """
    return origin(url).partition("://")[2].removeprefix("www.")


Format = Literal["xml", "text", "json"]


def format_of(path: str) -> Format:
    """XML for every name that does not end in .txt or .json, compressed or not."""
    name = path.removesuffix(".gz")
    return "text" if name.endswith(".txt") else "json" if name.endswith(".json") else "xml"


def without_suffix(path: str) -> str:
    """Equal for the formats of one sitemap: /sitemap.xml, /sitemap.xml.gz, /sitemap.txt."""
    return path.partition("?")[0].removesuffix(".gz").removesuffix(".xml").removesuffix(".txt")


def formats_of(path: str, configured: Sequence[Format]) -> tuple[Format, ...]:
    """The formats of a sitemap and the files beside it: its name decides the first; XML only where it is asked for."""
    own = format_of(path)
    others = [one for one in configured if one != own]
    if own == "xml":
        return tuple(configured)
    return (own,) if others == ["xml"] and len(configured) == 1 else (own, *others)
