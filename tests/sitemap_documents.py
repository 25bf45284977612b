"""Sitemap documents: on one line, of URLs as they are given, relative ones too; and as the program writes them."""

from collections.abc import Iterable

from sitemap_action.model.sitemap import Entry
from sitemap_action.sitemap.protocol import Format
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
