"""What `explain` answers about the address, or the file, of a sitemap."""

from typing import NamedTuple

from msgspec import Struct

from sitemap_action.model.sitemap import DocumentKind
from sitemap_action.model.url_answer import AnsweredHop, RobotsLine


class SitemapContent(Struct, frozen=True):
    """What the bytes of one document are."""

    kind: DocumentKind
    entries: int = 0  # of an index, its sitemaps
    encoding: str = ""
    compressed: bool = False  # with gzip, whatever the headers say
    bytes: int = 0  # of the document as it is stored or sent, without a Content-Encoding
    inflated: int = 0  # without compression
    damage: str = ""  # why it could not be read to its end, with the line
    errors: int = 0
    warnings: int = 0
    first: str = ""  # the first error, else the first warning, with its rule and line


class Naming(NamedTuple):
    """What names the sitemap."""

    name: str  # URL or path of a robots.txt or an index
    line: int


class SitemapAnswer(Struct, frozen=True):
    """Why a sitemap can, or cannot, be fetched and read."""

    address: str  # URL or path
    hops: tuple[AnsweredHop, ...] = ()
    status: int = 0  # of the last answer; 0 without one, and for a file
    failure: str = ""  # why there is no answer, or none that counts
    remedy: str = ""
    media_type: str = ""
    coding: str = ""  # Content-Encoding
    transferred: int = 0  # Content-Length of a coded body
    content: SitemapContent | None = None  # None where there is no document
    robots_name: str = ""
    robots: tuple[RobotsLine, ...] = ()
    no_robots: str = ""  # why there are no rules
    named: tuple[Naming, ...] = ()
    not_read: tuple[str, ...] = ()

    @property
    def disallowed(self) -> RobotsLine | None:
        return next((one for one in self.robots if not one.allowed), None)
