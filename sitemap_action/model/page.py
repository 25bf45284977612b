"""What one look at one URL found: a page with its facts, or why there are none."""

from enum import StrEnum
from typing import NamedTuple

CANONICAL_TO_HOME = "canonical leads home"
"""The soft-404 signal (HTML-45) that depends on where the start page is: the one that a mount can settle."""


class Directive(NamedTuple):
    """One robots rule as a page or its headers state it (HTML-01…13)."""

    agent: str  # lower case; "" speaks to every robot
    rule: str  # lower case: "noindex", "unavailable_after"
    value: str  # what follows the rule's colon, "" when nothing does
    source: str  # "meta" or "header"


class Canonical(NamedTuple):
    """One rel=canonical as found (HTML-20…27)."""

    href: str  # as written
    url: str  # resolved against the document base; "" when it does not resolve
    source: str  # "link" or "header"
    ignored: str  # why it does not count, in words: "after <img>", "file: URL"; "" when it counts


class Refresh(NamedTuple):
    """A meta or header refresh that leads to another URL (HTML-42)."""

    seconds: int
    url: str


class Alternate(NamedTuple):
    """One language version of a page: hreflang value as written, absolute URL."""

    hreflang: str
    url: str


class PageDate(NamedTuple):
    """One date that a page states about itself."""

    source: str  # "article:modified_time", "dateModified", "time", "last-modified"
    value: str  # as written


class Facts(NamedTuple):
    """All that one document's bytes, headers and URL say (spec section 4), as plain values; the document is let go.

    Images, dates and fingerprint are empty where nobody asked for them.
    """

    title: str = ""
    base: str = ""  # document base URL (HTML-61)
    charset: str = "utf-8"
    size: int = 0  # bytes of the body, uncompressed
    directives: tuple[Directive, ...] = ()
    canonicals: tuple[Canonical, ...] = ()
    refresh: Refresh | None = None
    alternates: tuple[Alternate, ...] = ()
    images: tuple[str, ...] = ()  # absolute URLs: img[src], first srcset candidate, og:image (HTML-67)
    dates: tuple[PageDate, ...] = ()
    fingerprint: str = ""  # of main text, links and JSON-LD, volatile parts left out (DIFF-31)
    words: int = 0  # of the first 1,024 bytes of main text: enough to tell a page that says nothing
    soft404: tuple[str, ...] = ()  # names of soft-404 signals seen in this document alone (HTML-45)
    shell: str = ""  # the clause that calls the page client-rendered, in words; "" when none does (HTML-70)
    script_redirect: str = ""  # a redirect in an inline script of an otherwise empty page, as written (HTML-47)
    hash_routes: int = 0  # links that only a script can follow: #/… and #! (HTML-64)
    nofollow_links: int = 0  # links left out of discovery by rel (HTML-65)


class PageKind(StrEnum):
    """What an answer is, as far as a sitemap cares."""

    PAGE = "page"  # a document that was read
    FILE = "file"  # another listable type: PDF and the like
    REDIRECT = "redirect"
    GONE = "gone"  # 404, 410, 204, no file
    UNDETERMINED = "undetermined"  # no usable answer (HTML-40, NET-07)
    FOREIGN = "foreign"  # named by a sitemap, but not below site-url: never looked at (URL-28)


class Page(NamedTuple):
    """One known URL of the site and what was found there."""

    url: str  # safe normal form, on site-url
    kind: PageKind
    status: int = 0  # HTTP status; 0 when there was no answer
    target: str = ""  # where a redirect leads; of a foreign URL, the same path below site-url
    permanent: bool = False  # of a redirect
    media_type: str = ""
    reason: str = ""  # why there is no document, in words, where the status does not say it
    path: str = ""  # the file in a build directory, relative to it
    twin: str = ""  # the URL that serves the same file and is the one to list
    unlisted: str = ""  # why the host keeps this file out of listings, in words: "error page" (HOST-04)
    depth: int = 0
    inlinks: int = 0  # followable links from other pages of the site
    found_on: str = ""  # first referrer; "" for start pages and files of a folder
    facts: Facts | None = None
