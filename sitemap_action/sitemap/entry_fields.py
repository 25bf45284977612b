"""One entry of a sitemap with typed fields, read where they are used: dates, numbers, images, videos and news."""

from collections.abc import Iterator
from datetime import datetime

from msgspec import Struct

from sitemap_action.model.page import Alternate
from sitemap_action.model.sitemap import Entry
from sitemap_action.sitemap.extensions import ExtensionNode, parse_extension
from sitemap_action.sitemap.protocol import FREQUENCIES, is_priority, parse_date


class EntryPlace(Struct, frozen=True):
    """Where an entry stands."""

    sitemap: str  # URL of the document as it is listed, or its path
    line: int  # of its <url>, from 1


class Image(Struct, frozen=True):
    """An image of a page (image:image); texts as written."""

    loc: str
    title: str = ""
    caption: str = ""


class Video(Struct, frozen=True):
    """A video of a page (video:video); texts as written, "" where there is none."""

    loc: str  # content_loc, else player_loc
    thumbnail: str = ""
    title: str = ""
    description: str = ""
    duration: int | None = None  # seconds
    publication_date: datetime | None = None


class Article(Struct, frozen=True):
    """The article of a page (news:news); texts as written, "" where there is none."""

    name: str = ""
    language: str = ""
    title: str = ""
    date: str = ""  # as written

    @property
    def publication_date(self) -> datetime | None:
        """The first instant of the date; None where it is none."""
        return as_instant(self.date)


class PageEntry(Struct, frozen=True, gc=False):  # a million of them are no work for the collector
    """One page that a sitemap lists. `written` has every field as text; a property is None where that is no value."""

    loc: str  # absolute; as written where that is a URL (RFC 3986), else in normal form
    written: Entry
    sitemap: str

    @property
    def lastmod(self) -> datetime | None:
        """The first instant of the date, with its zone; a day begins at 00:00 UTC (W3C NOTE-datetime)."""
        return as_instant(self.written.lastmod)

    @property
    def changefreq(self) -> str | None:
        """One of the seven words of the protocol."""
        return self.written.changefreq if self.written.changefreq in FREQUENCIES else None

    @property
    def priority(self) -> float | None:
        """0.0 to 1.0; None also where there is none, which counts as 0.5 (sitemaps.org)."""
        return float(self.written.priority) if is_priority(self.written.priority) else None

    @property
    def alternates(self) -> tuple[Alternate, ...]:
        """The language versions: `hreflang` and `url`, as written."""
        return self.written.alternates

    @property
    def images(self) -> tuple[Image, ...]:
        """Each that has an address (image:image)."""
        return tuple(
            Image(node.text_of("image:loc"), node.text_of("image:title"), node.text_of("image:caption"))
            for node in self._nodes("image:image")
            if node.text_of("image:loc")
        )

    @property
    def videos(self) -> tuple[Video, ...]:
        """Every video, as the file orders them (video:video)."""
        return tuple(map(_video, self._nodes("video:video")))

    @property
    def news(self) -> tuple[Article, ...]:
        """The article; a valid sitemap has one at most (news:news)."""
        return tuple(map(_publication, self._nodes("news:news")))

    @property
    def origin(self) -> EntryPlace:
        """The document and the line that it stands in."""
        return EntryPlace(self.sitemap, self.written.line)

    def _nodes(self, name: str) -> Iterator[ExtensionNode]:
        start = f"<{name} "
        return (parse_extension(one) for one in self.written.extensions if one.startswith(start))


def as_instant(text: str) -> datetime | None:
    found = parse_date(text)
    return None if found is None else found.instant


def _video(node: ExtensionNode) -> Video:
    seconds = node.text_of("video:duration")
    return Video(
        loc=node.text_of("video:content_loc") or node.text_of("video:player_loc"),
        thumbnail=node.text_of("video:thumbnail_loc"),
        title=node.text_of("video:title"),
        description=node.text_of("video:description"),
        duration=int(seconds) if seconds.isascii() and seconds.isdigit() and len(seconds) < 10 else None,
        publication_date=as_instant(node.text_of("video:publication_date")),
    )


def _publication(node: ExtensionNode) -> Article:
    publication = node.first("news:publication")
    return Article(
        name=publication.text_of("news:name"),
        language=publication.text_of("news:language"),
        title=node.text_of("news:title"),
        date=node.text_of("news:publication_date"),
    )
