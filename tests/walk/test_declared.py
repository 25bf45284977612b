"""Sitemaps of the site as further start URLs: requested where it is served, listed as on the site (ENV-02, HTML-66)."""

import asyncio
from pathlib import Path

import pytest

from crawls import HOME, PREVIEW, FakeWeb, Route, at, new_inventory
from sitemap_action.config.schema import SitemapsConfig
from sitemap_action.fetch.base import Response
from sitemap_action.walk.declared import Declared
from sitemap_action.walk.served_site import declared_urls
from sitemap_action.web.spellings import SiteMapping, site_mapping
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
    # id, mapping, seeds, routes, URLs on the site, requests
    ("production", SAME, [at("/s.xml")], {at("/s.xml"): urlset(at("/a"), at("/b"))}, [at("/a"), at("/b")], [at("/s.xml")]),
    ("a URL of another site is no start URL", SAME, [at("/s.xml")], {at("/s.xml"): urlset(at("/a"), "https://o.net/")}, [at("/a")], [at("/s.xml")]),
    ("URL-01 in normal form", SAME, [at("/s.xml")], {at("/s.xml"): urlset("HTTPS://WWW.example.com/%7ea#x")}, [at("/~a")], [at("/s.xml")]),
    ("ENV-02 production's address", PR, [at("/s.xml")], {f"{PREVIEW}s.xml": urlset(at("/a"))}, [at("/a")], [f"{PREVIEW}s.xml"]),
    ("ENV-01 a preview that lists itself", PR, [f"{PREVIEW}s.xml"], {f"{PREVIEW}s.xml": urlset(f"{PREVIEW}a")}, [at("/a")], [f"{PREVIEW}s.xml"]),
    ("ENV-02 sitemaps of an index on a preview", PR, [f"{PREVIEW}i.xml"], {f"{PREVIEW}i.xml": index(at("/s.xml")), f"{PREVIEW}s.xml": urlset(at("/a"))}, [at("/a")], [f"{PREVIEW}i.xml", f"{PREVIEW}s.xml"]),
    ("ENV-02 above the directory of the site", DOCS, [at("/s.xml")], {f"{PREVIEW}s.xml": urlset(at("/docs/a"), at("/blog"))}, [at("/docs/a")], [f"{PREVIEW}s.xml"]),
    ("ENV-02 production is never requested when its address does not map", MOUNTED, [at("/s.xml")], {}, [], []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("where", "seeds", "routes", "urls", "requested"), [pytest.param(*row[1:], id=row[0]) for row in ROWS]
)
def test_start_urls(
    tmp_path: Path,
    where: SiteMapping,
    seeds: list[str],
    routes: dict[str, Route],
    urls: list[str],
    requested: list[str],
) -> None:
    web = FakeWeb(routes)
    declared = Declared(at("/robots.txt"), seeds=tuple(seeds), notes=("a note",))
    urls_found, notes, _ = asyncio.run(
        declared_urls(web, new_inventory(tmp_path), declared, SitemapsConfig(), where, now=NOW)
    )
    assert sorted(urls_found) == [(url, "the site's sitemap") for url in urls]
    assert [request.url for request in web.requests] == requested
    assert notes[0] == "a note"
    assert len(notes) == (1 if urls else 2)


def test_a_missing_sitemap_is_a_note(tmp_path: Path) -> None:
    declared = Declared(at("/robots.txt"), seeds=(at("/s.xml"),))
    urls_found, notes, _ = asyncio.run(
        declared_urls(FakeWeb({}), new_inventory(tmp_path), declared, SitemapsConfig(), SAME, now=NOW)
    )
    assert list(urls_found) == []
    assert notes == (f"sitemap {at('/s.xml')} is unavailable: answered 404; its URLs are not used as start URLs",)


def test_missing_sitemaps_at_conventional_paths_are_no_note(tmp_path: Path) -> None:
    declared = Declared(at("/robots.txt"), usual=(at("/sitemap.xml"), at("/sitemap.txt")))
    web = FakeWeb({})
    urls_found, notes, _ = asyncio.run(
        declared_urls(web, new_inventory(tmp_path), declared, SitemapsConfig(), SAME, now=NOW)
    )
    assert (list(urls_found), notes) == ([], ())
    assert web.requested == ["/sitemap.xml", "/sitemap.txt"]
