"""Loading over HTTP on loopback: what only a server can play."""

import asyncio
import gzip
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from servers import Reply, Site, bomb, busy, cut, redirect, reset, serve, typed, zipped
from sitemap_action.fetch.base import HttpOptions
from sitemap_action.fetch.policies import open_web
from sitemap_action.sitemap.protocol import USUAL_PATHS
from sitemap_action.store.loading_state import LoadingState
from sitemap_action.store.state import open_state
from sitemap_action.walk.sitemap_loading import DEFAULTS, Loaded, LoadOptions
from sitemap_action.walk.sitemap_stream import load_url

NS = "http://www.sitemaps.org/schemas/sitemap/0.9"
SETTINGS = HttpOptions("", backoff=0.01, timeout=5, max_sitemap=200_000, max_inflated=1_000_000)


@pytest.fixture
def site() -> Iterator[Site]:
    with serve({}) as found:
        yield found


@pytest.fixture
def state() -> Iterator[LoadingState]:
    with open_state(None) as found:
        yield found


def urls(site: Site, *paths: str) -> Reply:
    rows = "".join(f"<url><loc>{_at(site, path)}</loc></url>" for path in paths)
    return typed("application/xml", f'<urlset xmlns="{NS}">{rows}</urlset>')


def index(site: Site, *paths: str) -> Reply:
    rows = "".join(f"<sitemap><loc>{_at(site, path)}</loc></sitemap>" for path in paths)
    return typed("application/xml", f'<sitemapindex xmlns="{NS}">{rows}</sitemapindex>')


def _at(site: Site, path: str) -> str:
    return site.origin + path if path.startswith("/") else path


def load(
    site: Site, state: LoadingState, path: str = "/i.xml", options: LoadOptions = DEFAULTS, **http: object
) -> Loaded:
    async def run() -> Loaded:
        settings = replace(SETTINGS, seed=site.origin, **http)
        async with open_web(settings, {}) as web:
            return await load_url(web.fetcher, site.origin + path, state, datetime.now(UTC), options)

    return asyncio.run(run())


def listed(site: Site, state: LoadingState) -> list[str]:
    return [key.removeprefix(site.origin) for _, key, _ in state.entries()]


def reasons(site: Site, found: Loaded) -> dict[str, str]:
    return {one.url.removeprefix(site.origin): one.reason for one in found.unavailable}


@pytest.mark.attack("cost")
def test_cycles_through_redirects_of_every_kind(site: Site, state: LoadingState) -> None:
    """An index that lists itself, its redirect, its other spelling, and another index that lists it."""
    site.routes |= {
        "/i.xml": index(site, "/i.xml", "/old.xml", "/%69.xml", "/j.xml", "/1.xml"),
        "/old.xml": redirect("/older.xml"),
        "/older.xml": redirect("/i.xml", 302),
        "/j.xml": index(site, "/i.xml", "/1.xml"),
        "/1.xml": urls(site, "/a"),
    }
    found = load(site, state)
    assert (found.complete, listed(site, state)) == (True, ["/a"])
    assert site.paths.count("/i.xml") == 2  # once by itself, once at the end of the redirects
    assert site.paths.count("/1.xml") == 1


def test_7_503_then_fine_and_429_with_retry_after(site: Site, state: LoadingState) -> None:
    site.routes |= {
        "/i.xml": index(site, "/1.xml", "/2.xml", "/3.xml"),
        "/1.xml": [503, 503, urls(site, "/a")],
        "/2.xml": [busy(0), urls(site, "/b")],
        "/3.xml": 404,
    }
    found = load(site, state)
    assert listed(site, state) == ["/a", "/b"]
    assert [site.paths.count(f"/{n}.xml") for n in (1, 2, 3)] == [3, 2, 1]
    assert reasons(site, found) == {"/3.xml": "answered 404"}


@pytest.mark.attack("cost")
def test_a_chain_of_40_and_a_nested_index(site: Site, state: LoadingState) -> None:
    site.routes |= {f"/{n}.xml": index(site, f"/{n + 1}.xml") for n in range(40)} | {"/40.xml": urls(site, "/deep")}
    found = load(site, state, "/0.xml")
    assert len(site.paths) == 6
    assert reasons(site, found) == {"/6.xml": "it is more than 5 deep (sitemaps.max-depth)"}
    assert load(site, state, "/38.xml").complete
    assert listed(site, state) == ["/deep"]


def test_300_dead_children(site: Site, state: LoadingState) -> None:
    site.routes |= {
        "/i.xml": index(site, "/ok.xml", *(f"/dead/{n}.xml" for n in range(300))),
        "/ok.xml": urls(site, "/a"),
    }
    found = load(site, state)
    assert (found.missing, listed(site, state)) == (300, ["/a"])
    assert len(site.paths) == 302


def test_a_diamond(site: Site, state: LoadingState) -> None:
    site.routes |= {
        "/i.xml": index(site, "/l.xml", "/r.xml"),
        "/l.xml": index(site, "/1.xml"),
        "/r.xml": index(site, "/1.xml"),
        "/1.xml": urls(site, "/a"),
    }
    assert load(site, state).complete
    assert site.paths.count("/1.xml") == 1


@pytest.mark.attack("addresses")
def test_a_child_on_another_host_meets_the_gate_for_itself(site: Site, state: LoadingState) -> None:
    """NET-13: the seed may be on loopback, and that allowance reaches nothing that a sitemap names."""
    with serve({"*": "secret"}) as other:
        elsewhere = other.url.replace("127.0.0.1", "localhost")
        site.routes |= {
            "/i.xml": index(site, f"{other.url}1.xml", f"{elsewhere}2.xml", "/3.xml"),
            "/3.xml": urls(site, "/a"),
        }
        found = load(site, state)
        assert listed(site, state) == ["/a"]
        assert found.missing == 2
        assert other.asked == []
        assert "allow-private-hosts" in next(iter(reasons(site, found).values()))


@pytest.mark.attack("addresses")
def test_a_redirect_is_judged_like_a_url(site: Site, state: LoadingState) -> None:
    with serve({"*": "secret"}) as other:
        site.routes |= {
            "/i.xml": index(site, "/1.xml", "/2.xml"),
            "/1.xml": redirect(other.url),
            "/2.xml": redirect("file:///etc/passwd"),
        }
        assert load(site, state).missing == 2
        assert other.asked == []


@pytest.mark.attack("cost")
@pytest.mark.parametrize(("hops", "complete"), [(1, True), (5, True), (6, False)])
def test_redirect_chains(hops: int, complete: bool, site: Site, state: LoadingState) -> None:
    site.routes |= {f"/{n}.xml": redirect(f"/{n + 1}.xml") for n in range(hops)} | {f"/{hops}.xml": urls(site, "/a")}
    found = load(site, state, "/0.xml")
    assert (found.complete, listed(site, state)) == (complete, ["/a"] if complete else [])


@pytest.mark.attack("cost")
def test_truncated_bomb_and_oversized_children(site: Site, state: LoadingState) -> None:
    whole = gzip.compress(urls(site, *(f"/{n}" for n in range(1000))).body.encode(), mtime=0)
    site.routes |= {
        "/i.xml": index(
            site, "/cut.xml", "/reset.xml", "/half.xml.gz", "/bomb.xml", "/bomb.xml.gz", "/big.xml", "/ok.xml"
        ),
        "/cut.xml": cut(1000, b"<urlset><url><loc>https://x.com/</loc></url>"),
        "/reset.xml": reset(),
        "/half.xml.gz": typed("application/gzip", whole[: len(whole) // 2]),
        "/bomb.xml": bomb(20),
        "/bomb.xml.gz": typed("application/gzip", bomb(20).body),
        "/big.xml": typed("application/xml", b" " * 300_000),
        "/ok.xml": urls(site, "/ok"),
    }
    found = load(site, state, options=LoadOptions(max_inflated=1_000_000))
    assert set(reasons(site, found)) == set(site.routes) - {"/i.xml", "/ok.xml"}
    assert "/ok" in listed(site, state)
    assert 0 < len(listed(site, state)) < 1000  # what the half file holds, and the whole one


def test_gzip_by_header_by_name_and_twice(site: Site, state: LoadingState) -> None:
    packed = gzip.compress(urls(site, "/c").body.encode(), mtime=0)
    site.routes |= {
        "/i.xml": index(site, "/a.xml", "/b.xml.gz", "/c.xml.gz", "/d.xml.gz"),
        "/a.xml": zipped(urls(site, "/a").body.encode()),
        "/b.xml.gz": typed("application/gzip", gzip.compress(urls(site, "/b").body.encode(), mtime=0)),
        "/c.xml.gz": Reply(
            gzip.compress(packed, mtime=0), headers={"Content-Encoding": "gzip"}, type="application/gzip"
        ),
        "/d.xml.gz": urls(site, "/d"),
    }
    found = load(site, state)
    assert (found.complete, listed(site, state)) == (True, ["/a", "/b", "/c", "/d"])
    assert found.faults == {"gzip-name": 1}


def test_everything_a_site_declares(site: Site, state: LoadingState) -> None:
    """RB-24, and path scope is a finding, not a reason to look away (SM-29)."""
    site.routes |= {
        "/robots.txt": typed("text/plain", f"Sitemap: {site.url}deep/s.xml\nSITEMAP: /rel.xml"),
        "/deep/s.xml": urls(site, "/deep/a", "/above"),
        "/rel.xml": urls(site, "/b"),
    }
    found = load(site, state, "/")
    assert (found.complete, listed(site, state)) == (True, ["/deep/a", "/above", "/b"])
    assert site.paths[:3] == ["/robots.txt", "/deep/s.xml", "/rel.xml"]
    assert set(site.paths[3:]) == {*USUAL_PATHS}


def test_robots_404_leads_to_the_usual_paths(site: Site, state: LoadingState) -> None:
    site.routes |= {"/sitemap-index.xml": index(site, "/1.xml"), "/1.xml": urls(site, "/a")}
    found = load(site, state, "/")
    assert (found.complete, listed(site, state)) == (True, ["/a"])
    assert site.paths == ["/robots.txt", "/sitemap.xml", "/sitemap_index.xml", "/sitemap-index.xml", "/1.xml"]


def test_RB_21_robots_503_ends_it(site: Site, state: LoadingState) -> None:
    site.routes |= {"/robots.txt": 503, "/sitemap.xml": urls(site, "/a")}
    found = load(site, state, "/")
    assert reasons(site, found) == {"/robots.txt": "answers 503"}
    assert set(site.paths) == {"/robots.txt"}


def test_a_page_instead_of_a_sitemap_is_named(site: Site, state: LoadingState) -> None:
    site.routes["/blog"] = "<!doctype html><h1>Blog</h1>"
    found = load(site, state, "/blog")
    assert found.notes == (f"{site.url}blog is a page; to read what its site declares, give {site.url}",)
