"""What a sitemap file says: entries, children, and what is wrong with it."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from sitemap_action.model.page import Alternate


class DocumentKind(StrEnum):
    """What a document turned out to be."""

    URLSET = "urlset"
    INDEX = "sitemapindex"
    TEXT = "text"
    RSS = "rss"
    ATOM = "atom"
    UNKNOWN = "unknown"  # no sitemap, or too damaged to tell


@dataclass(frozen=True, slots=True)
class Start:
    """The first event of every document."""

    kind: DocumentKind
    encoding: str = "utf-8"
    compressed: bool = False
    namespaces: tuple[str, ...] = ()  # declared on the root element


class Entry(NamedTuple):
    """One <url>: text as written, white space stripped, entities decoded once."""

    loc: str
    lastmod: str = ""
    changefreq: str = ""
    priority: str = ""
    alternates: tuple[Alternate, ...] = ()
    images: tuple[str, ...] = ()
    extensions: tuple[str, ...] = ()  # every child element of another namespace, as canonical XML, namespaces declared
    line: int = 0  # of <url> in its file, from 1


@dataclass(frozen=True, slots=True)
class Child:
    """One <sitemap> of an index."""

    loc: str
    lastmod: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Broken:
    """A sitemap that something names, and that does not answer as one at that address."""

    url: str
    named_by: str  # URL of the index, or of robots.txt
    line: int
    reason: str
    declared: bool = False  # by robots.txt


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong in a document; `checks` maps the code to a rule."""

    code: str
    line: int = 0
    detail: str = ""
    fatal: bool = False  # what follows in the document could not be read


Event: TypeAlias = Start | Entry | Child | Fault
"""What reading one document yields: one Start, then the rest in document order."""


@dataclass(frozen=True, slots=True)
class SitemapFile:
    """One file to write: path relative to the workspace, its bytes as they go to disk, how many URLs it lists."""

    path: str
    content: bytes
    urls: int
