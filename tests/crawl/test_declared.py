"""A site's own sitemaps as further starts: read where the site is served, told as on the site (ENV-02, HTML-66)."""

import asyncio
from pathlib import Path

import pytest

from crawls import HOME, PREVIEW, Route, Table, at, empty
from sitemap_action.config.crawling import SitemapsConfig
from sitemap_action.crawl.declared import declared_urls
from sitemap_action.fetch.base import Response
from sitemap_action.loader.discover import Declared
from sitemap_action.web.site_mapping import SiteMapping, site_mapping
from webs import NOW, NS


def urlset(*urls: str) -> Response:
    return _xml(f'<urlset xmlns="{NS}">{"".join(f"<url><loc>{url}</loc></url>" for url in urls)}</urlset>')


def index(*urls: str) -> Response:
    return _xml(
        f'<sitemapindex xmlns="{NS}">{"".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in urls)}</sitemapindex>'
    )


def _xml(text: str) -> Response:
    return Response("", 200, (("content-type", "application/xml"),), text.encode())


SAME = SiteMapping(HOME, HOME)
PR = SiteMapping(HOME, PREVIEW)
DOCS = site_mapping(at("/docs/"), f"{PREVIEW}docs/")
MOUNTED = site_mapping(at("/docs/"), PREVIEW)
ROWS: list[tuple[str, SiteMapping, list[str], dict[str, Route], list[str], list[str]]] = [
    # id, places, seeds, routes, URLs on the site, requests
    ("production", SAME, [at("/s.xml")], {at("/s.xml"): urlset(at("/a"), at("/b"))}, [at("/a"), at("/b")], [at("/s.xml")]),
    ("what lies elsewhere is no start", SAME, [at("/s.xml")], {at("/s.xml"): urlset(at("/a"), "https://o.net/")}, [at("/a")], [at("/s.xml")]),
    ("URL-01 in normal form", SAME, [at("/s.xml")], {at("/s.xml"): urlset("HTTPS://WWW.example.com/%7ea#x")}, [at("/~a")], [at("/s.xml")]),
    ("ENV-02 production's address", PR, [at("/s.xml")], {f"{PREVIEW}s.xml": urlset(at("/a"))}, [at("/a")], [f"{PREVIEW}s.xml"]),
    ("ENV-01 a preview that lists itself", PR, [f"{PREVIEW}s.xml"], {f"{PREVIEW}s.xml": urlset(f"{PREVIEW}a")}, [at("/a")], [f"{PREVIEW}s.xml"]),
    ("ENV-02 what an index of a preview lists", PR, [f"{PREVIEW}i.xml"], {f"{PREVIEW}i.xml": index(at("/s.xml")), f"{PREVIEW}s.xml": urlset(at("/a"))}, [at("/a")], [f"{PREVIEW}i.xml", f"{PREVIEW}s.xml"]),
    ("ENV-02 above the directory of the site", DOCS, [at("/s.xml")], {f"{PREVIEW}s.xml": urlset(at("/docs/a"), at("/blog"))}, [at("/docs/a")], [f"{PREVIEW}s.xml"]),
    ("ENV-02 production is never asked, where nothing maps", MOUNTED, [at("/s.xml")], {}, [], []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("where", "seeds", "routes", "urls", "asked"), [pytest.param(*row[1:], id=row[0]) for row in ROWS]
)
def test_rows(
    tmp_path: Path, where: SiteMapping, seeds: list[str], routes: dict[str, Route], urls: list[str], asked: list[str]
) -> None:
    web = Table(routes)
    declared = Declared(at("/robots.txt"), seeds=tuple(seeds), notes=("said",))
    starts = asyncio.run(declared_urls(web, empty(tmp_path), declared, SitemapsConfig(), where, now=NOW))
    assert sorted(starts.urls) == [(url, "the site's sitemap") for url in urls]
    assert [request.url for request in web.requests] == asked
    assert starts.notes[0] == "said"
    assert len(starts.notes) == (1 if urls else 2)


def test_a_sitemap_that_is_not_there_is_said_and_no_failure(tmp_path: Path) -> None:
    declared = Declared(at("/robots.txt"), seeds=(at("/s.xml"),))
    starts = asyncio.run(declared_urls(Table({}), empty(tmp_path), declared, SitemapsConfig(), SAME, now=NOW))
    assert list(starts.urls) == []
    assert starts.notes == (f"sitemap {at('/s.xml')} is unavailable: answered 404; its URLs are no starting points",)


def test_usual_places_that_are_empty_are_nothing_to_speak_of(tmp_path: Path) -> None:
    declared = Declared(at("/robots.txt"), usual=(at("/sitemap.xml"), at("/sitemap.txt")))
    web = Table({})
    starts = asyncio.run(declared_urls(web, empty(tmp_path), declared, SitemapsConfig(), SAME, now=NOW))
    assert (list(starts.urls), starts.notes) == ([], ())
    assert web.asked == ["/sitemap.xml", "/sitemap.txt"]
