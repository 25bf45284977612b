"""Sitemap documents: on one line, of URLs as they are given, relative ones too; and as the program writes them."""

from collections.abc import Iterable

from sitemap_action.model.page import Alternate
from sitemap_action.model.sitemap import ChildSitemap, Entry, SitemapEvent
from sitemap_action.sitemap.protocol import MAX_INFLATED, Format
from sitemap_action.sitemap.read import read
from sitemap_action.sitemap.schema import schema_faults
from sitemap_action.sitemap.split import Layout, Splitter

NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def urlset(*urls: str) -> str:
    return f"<urlset {NS}>{''.join(f'<url><loc>{url}</loc></url>' for url in urls)}</urlset>"


def index(*urls: str) -> str:
    return f"<sitemapindex {NS}>{''.join(f'<sitemap><loc>{url}</loc></sitemap>' for url in urls)}</sitemapindex>"


def write_sitemap(entries: Iterable[Entry], name: str = "sitemap.xml", form: Format = "xml") -> bytes:
    """The one file of so few entries."""
    splitter = Splitter(Layout(name, f"https://www.example.com/{name}", format=form))
    for entry in entries:
        splitter.add(entry)
    (file,) = splitter.finish()
    return file.content


def read_events(data: bytes | list[bytes], name: str = "", inflated: int = MAX_INFLATED) -> list[SitemapEvent]:
    return list(read(data, name=name, inflated=inflated))


def read_entries(data: bytes) -> list[Entry]:
    return [event for event in read(data) if isinstance(event, Entry)]


def read_children(data: bytes) -> list[tuple[str, str]]:
    """(URL, date) of each file of an index."""
    return [(event.loc, event.lastmod) for event in read(data) if isinstance(event, ChildSitemap)]


def is_valid(data: bytes) -> bool:
    return schema_faults(data) == []


def alternates(*pairs: tuple[str, str]) -> tuple[Alternate, ...]:
    return tuple(Alternate(*pair) for pair in pairs)
