"""The program on a site over HTTP: what is found, what prevents it, and what a bad server can cost."""

import json
import re
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import servers
from servers import Answering, Reply, Route, redirect, serve
from sitemap_action.__main__ import run

SITE = "https://www.example.com/"
TEXT = "<p>" + "some words that make a page of its own " * 12


def page(name: str, *links: str, head: str = "") -> str:
    anchors = "".join(f'<a href="{link}">{link}</a> ' for link in links)
    return f"<!doctype html><title>{name}</title>{head}<main><h1>{name}</h1>{anchors}{TEXT} {name}</main>"


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def committed(*paths: str) -> None:
    locs = "".join(f"<url><loc>{SITE}{path}</loc></url>" for path in paths)
    Path("sitemap.xml").write_text(f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{locs}</urlset>')


def gather(url: str, *more: str, command: str = "check", site: str = SITE) -> tuple[int, dict[str, Any]]:
    quick = ["--set", "http.backoff=0.01", "--set", "crawl.retry-after-max=1", "--quiet"]
    code = run([command, "--url", url, "--site-url", site, *quick, *more, "--report", "json=report.json"])
    return code, json.loads(Path("report.json").read_text())


def urls(report: Mapping[str, Any]) -> list[str]:
    return [row["url"] for row in report["added"]]


# What is found


def test_a_preview_is_listed_as_production() -> None:
    """ENV-01, ENV-02: links, canonicals and redirects to either place are one site; production is never requested."""
    routes: dict[str, Route] = {
        "/": page("Home", "/a/", f"{SITE}b.html", "/old", "#top", "mailto:x@y.z"),
        "/a/": page("A", "../", head=f'<link rel="canonical" href="{SITE}a/">'),
        "/b.html": page("B", "//elsewhere.example/"),
        "/old": redirect(f"{SITE}new.html"),
        "/new.html": page("New"),
    }
    with serve(routes) as site:
        code, report = gather(site.url)
        assert (code, report["result"], report["complete"]) == (1, "drift", True)
        assert urls(report) == [SITE, f"{SITE}a/", f"{SITE}b.html", f"{SITE}new.html"]
        assert {row["url"]: row["reason"] for row in report["skipped"]} == {f"{SITE}old": "moved"}
        assert set(site.paths) >= {"/robots.txt", "/", "/a/", "/b.html", "/old", "/new.html"}
        assert {asked.method for asked in site.asked} == {"GET"}  # NET-03
        assert all("sitemap-action/" in asked.header("user-agent") for asked in site.asked)  # NET-01
        code, _ = gather(site.url, command="write")
        assert code == 0
        assert gather(site.url)[0] == 0


def test_a_site_below_a_path_is_served_elsewhere() -> None:
    routes: dict[str, Route] = {
        "/x/": page("Home", "a.html", "/x/b.html", "/other"),
        "/x/a.html": page("A"),
        "/x/b.html": page("B"),
    }
    with serve(routes) as site:
        _, report = gather(f"{site.url}x/", site=f"{SITE}docs/")
        assert urls(report) == [f"{SITE}docs/", f"{SITE}docs/a.html", f"{SITE}docs/b.html"]
        assert "/other" not in site.paths  # crawl.scope: path


def test_blocked_urls_are_not_requested() -> None:
    """By name, by the user's choice, by robots.txt and as traps, before any request."""
    repeated = "/a/" * 3
    routes: dict[str, Route] = {
        "/robots.txt": Reply("User-agent: sitemap-action\nDisallow: /private/\n", type="text/plain"),
        "/": page("Home", "/logo.png", "/paper.pdf", "/feed/", "/draft/x", "/private/x", f"{repeated}x", "/a?b=1"),
        "/a": page("A"),
    }
    with serve(routes) as site:
        _, report = gather(site.url, "--set", "select.exclude=[/draft/**]")
        blocked = {"/logo.png", "/paper.pdf", "/feed/", "/draft/x", "/private/x", f"{repeated}x"}
        assert blocked.isdisjoint(site.paths)
        assert "/a?b=1" in site.paths
        row = next(row for row in report["undetermined"] if row["url"] == f"{SITE}private/x")
        assert "robots.txt line 2 blocks sitemap-action" in row["reason"]  # NET-02


def test_required_pages_are_fetched_without_links_to_them() -> None:
    """DIFF-03, HTML-68: an orphan that exists stays listed; a missing one is removed."""
    committed("", "orphan", "gone")
    with serve({"/": page("Home"), "/orphan": page("Orphan")}) as site:
        code, report = gather(site.url)
        assert code == 1
        assert [(row["url"], row["class"]) for row in report["removed"]] == [(f"{SITE}gone", "gone")]
        assert report["counts"]["urls"] == 2


def test_declared_sitemaps_are_start_urls() -> None:
    """RB-24: what the sitemap of the site lists is fetched, on the preview and not on production."""
    listed = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>{SITE}island</loc></url></urlset>'
    routes: dict[str, Route] = {
        "/robots.txt": Reply(f"Sitemap: {SITE}map.xml\n", type="text/plain"),
        "/map.xml": Reply(listed, type="application/xml"),
        "/": page("Home"),
        "/island": page("Island"),
    }
    with serve(routes) as site:
        assert urls(gather(site.url)[1]) == [SITE, f"{SITE}island"]
        assert urls(gather(site.url, "--set", "sitemaps.use=false")[1]) == [SITE]


# What prevents a crawl


WALLS: list[tuple[str, dict[str, Route], str]] = [
    ("ENV-05 basic authentication", {"*": 401}, "answers 401"),
    (
        "ENV-05 a login elsewhere",
        {"/": redirect("https://vercel.com/login", 302), "*": 404},
        "redirects to https://vercel.com/login, which is another site; send the header x-vercel-protection-bypass",
    ),
    (
        "ENV-05 a bot challenge",
        {"*": Reply(page("Just a moment"), 403, {"cf-mitigated": "challenge"})},
        "bot challenge of Cloudflare",
    ),
    (
        "ENV-05 a login for every URL",
        {"*": page("Site password", head='<input type="password">')},
        "requires a password",
    ),
    ("RB-21 an unreachable robots.txt", {"/robots.txt": 503, "/": page("Home")}, "robots.txt: "),
    ("a missing start page", {"*": 404}, "answers 404"),
    ("a failing start page", {"/": 500, "*": 404}, "answers 500"),
    (
        "NET-02 robots.txt blocks our token",
        {"/robots.txt": "User-agent: sitemap-action\nDisallow: /", "/": page("Home")},
        "robots.txt line 2 blocks sitemap-action",
    ),
]


@pytest.mark.parametrize(("routes", "why"), [row[1:] for row in WALLS], ids=[row[0] for row in WALLS])
def test_a_site_that_cannot_be_read_is_no_empty_site(routes: dict[str, Route], why: str) -> None:
    """Exit 3, no file changed, and a hint on how to get access (ENV-05)."""
    committed("", "a", "b")
    before = Path("sitemap.xml").read_bytes()
    with serve(routes) as site:
        for command in ("check", "write"):
            code, report = gather(site.url, "--set", "http.retries=0", command=command)
            assert (code, report["result"], report["complete"]) == (3, "inconclusive", False)
            assert why in report["incomplete"][0]
            assert report["removed"] == []
    assert Path("sitemap.xml").read_bytes() == before


def test_no_server() -> None:
    with serve({}) as site:
        closed = site.url
    code, report = gather(closed, "--set", "http.retries=0")
    assert (code, report["result"]) == (3, "inconclusive")
    assert closed in report["incomplete"][0]


def test_a_preview_that_blocks_all_crawlers() -> None:
    """ENV-04: a policy of the host, noted once; `Disallow: /` of production counts."""
    routes: dict[str, Route] = {"/robots.txt": "User-agent: *\nDisallow: /\n", "/": page("Home", "/a"), "/a": page("A")}
    with serve(routes) as site:
        _, report = gather(site.url)
        assert urls(report) == [SITE, f"{SITE}a"]
        code, report = gather(site.url, site=site.url)
        assert (code, report["result"]) == (1, "drift")


def test_a_firewall_during_the_crawl() -> None:
    """HTML-40: three consecutive 403 on required pages end the crawl; nothing is removed."""
    committed("", *(f"p{number}" for number in range(9)))
    routes: dict[str, Route] = {"/": page("Home"), "*": 403}
    with serve(routes) as site:
        code, report = gather(site.url)
        assert (code, report["removed"]) == (3, [])
        assert "answered 403 one after the other" in report["incomplete"][0]
        assert sum(path.startswith("/p") for path in site.paths) < 13


def test_a_host_without_404() -> None:
    """HTML-46: the document that every URL returns is no page."""
    committed("", "real", "removed")
    shell = page("Shell", "/real")
    with serve({"/": page("Home", "/real"), "/real": page("Real"), "*": shell}) as site:
        code, report = gather(site.url)
        assert code == 1
        assert [(row["url"], row["class"]) for row in report["removed"]] == [(f"{SITE}removed", "soft-404")]


def test_a_directory_without_404() -> None:
    """HTML-46: an application below a site of files; its pages are found on the second level."""
    committed("", "docs/a", "app/real", "app/removed")
    shell = page("Shell 3 May 2026 10:00", "/app/real")
    routes: dict[str, Route] = {
        "/": page("Home", "/docs/a"),
        "/docs/a": page("A", "/app/real", "/app/removed"),
        "/app/real": page("Real"),
        "/app/removed": shell,
        "*": Answering(lambda asked: shell if asked.path.startswith("/app/") else 404),
    }
    with serve(routes) as site:
        code, report = gather(site.url)
        assert code == 1
        assert [(row["url"], row["class"]) for row in report["removed"]] == [(f"{SITE}app/removed", "soft-404")]


def test_a_directory_and_its_index_file() -> None:
    """URL-22: one document, although each answer contains the time when it was generated."""
    committed("", "b/", "c/")
    generated = "<script>made = %d</script>"
    routes: dict[str, Route] = {
        "/": [page("Home", "/index.html", "/b/", "/c/", head=generated % 1), page("?")],
        "/index.html": page("Home", "/index.html", "/b/", "/c/", head=generated % 2),
        "/b/": page("B", "/b/index.html"),
        "/b/index.html": page("B", "/b/index.html"),
        "/c/": page("C", "/c/index.htm"),
        "/c/index.htm": page("C", "/c/index.htm").replace("<h1>C", "<h1>X"),
    }
    with serve(routes) as site:
        code, report = gather(site.url)
        assert (code, urls(report)) == (1, [f"{SITE}c/index.htm"])


def test_a_marker_is_awaited() -> None:
    with serve({"/": ["old", "old", page("Home, build 7")], "*": 404}) as site:
        short = ["--wait-for", "build 7", "--wait-timeout", "0.001"]
        assert run(["check", "--url", site.url, "--site-url", SITE, *short]) == 3
        assert not Path("report.json").exists()
        site.routes["/"] = page("Home, build 7")
        code, report = gather(site.url, "--wait-for", "build 7")
        assert (code, urls(report)) == (1, [SITE])


# What a bad server can cost


FAULTS: list[tuple[str, Route, str]] = [
    ("reset before the answer", servers.reset(), "undetermined"),
    ("reset in the body", servers.reset(servers.head("Content-Length: 999") + b"<h1>"), "undetermined"),
    ("cut short", servers.cut(), "undetermined"),
    ("closed at once", servers.closed(), "undetermined"),
    ("bad chunks", servers.bad_chunks(), "undetermined"),
    ("chunks that end early", servers.cut_chunks(), "undetermined"),
    ("no gzip", servers.bad_gzip(), "undetermined"),
    ("HTTP/0.9", servers.http09(), "undetermined"),
    ("a header flood", servers.flood(500), "undetermined"),
    ("NET-11 a gzip bomb", servers.bomb(200), "undetermined"),
    ("NET-11 a body without end", servers.endless(), "undetermined"),
    ("a byte now and then", servers.slow(0.2), "undetermined"),
    ("hangs before the answer", servers.hang(), "undetermined"),
    ("hangs in the body", servers.hang(servers.head("Content-Length: 9") + b"<h1>"), "undetermined"),
    ("NET-06 a 5xx burst, then fine", [503, 502, page("Fine")], "listed"),
    ("NET-05 busy, then fine", [servers.busy(0), page("Fine")], "listed"),
    ("NET-05 a 429 storm", servers.busy(0), "undetermined"),
    ("NET-05 busy for too long", servers.busy(86_400), "undetermined"),
    ("HTML-43 a loop", redirect("/fault"), "redirect-broken"),
    ("HTML-41 to no URL", redirect("http://[bad/"), "undetermined"),
    ("off the site", redirect("https://elsewhere.example/x"), "moved-offsite"),
    ("HTML-40 forbidden", 403, "undetermined"),
    ("HTML-40 gone", 410, "gone"),
    ("HTML-40 no content", 204, "gone"),
    ("HTML-48 an image", servers.typed("image/png"), "other-type"),
    ("no type at all", Reply(page("Typeless"), type=""), "listed"),
    ("teapot", 418, "undetermined"),
]


@pytest.mark.attack("cost")
@pytest.mark.parametrize(("fault", "outcome"), [row[1:] for row in FAULTS], ids=[row[0] for row in FAULTS])
def test_one_bad_page_costs_no_more_than_its_cap(fault: Route, outcome: str) -> None:
    """Each has a reason, the rest of the site is found, and nothing hangs."""
    routes: dict[str, Route] = {"/": page("Home", "/fault", "/z"), "/fault": fault, "/z": page("Z"), "*": 404}
    with serve(routes) as site:
        began = time.monotonic()
        _, report = gather(site.url, "--set", "crawl.timeout=0.7", "--set", "crawl.max-body=2MiB")
        assert time.monotonic() - began < 15
        assert {SITE, f"{SITE}z"} <= set(urls(report))
        rows = {row["url"]: row for part in ("skipped", "undetermined") for row in report[part]}
        if outcome == "listed":
            assert f"{SITE}fault" in urls(report)
        elif outcome == "undetermined":
            assert rows[f"{SITE}fault"]["reason"]
            assert report["complete"] is True  # no sitemap lists it (V-11)
        else:
            assert rows[f"{SITE}fault"]["reason"] == outcome


@pytest.mark.parametrize("kind", ["good", "expired", "other-host"])
def test_an_untrusted_certificate(kind: str) -> None:
    """NET-14: an error of its own, and an option to accept it."""
    with serve({"/": page("Home"), "*": 404}, tls=kind) as site:
        code, report = gather(site.url, "--set", "http.retries=0")
        assert code == 3
        assert "certificate" in report["incomplete"][0].lower()
        code, report = gather(site.url, "--tls-verify", "false")
        assert urls(report) == [SITE]


@pytest.mark.attack("cost")
def test_a_calendar_has_an_end() -> None:
    """URL-33: pages without end, and the rest of the site is found."""

    def day(asked: servers.Asked) -> servers.One:
        year, month = map(int, asked.path.strip("/").split("/")[1:])
        return page(f"{year}/{month}", f"/cal/{year + month // 12}/{month % 12 + 1:02}/")

    routes: dict[str, Route] = {
        f"/cal/{year}/{month:02}/": servers.Answering(day) for year in range(2000, 2040) for month in range(1, 13)
    }
    with serve({"/": page("Home", "/cal/2000/01/", "/z"), "/z": page("Z"), "*": 404} | routes) as site:
        _, report = gather(site.url, "--set", "crawl.max-depth=10000")
        assert f"{SITE}z" in urls(report)
        assert 150 < sum(path.startswith("/cal/") for path in site.paths) < 210


def test_limits() -> None:
    """NET-09: a limit that is reached is reported, and is incomplete unless it is the chosen scope."""
    routes: dict[str, Route] = {f"/{number}": page(f"P{number}", f"/{number + 1}") for number in range(30)}
    routes |= {"/": page("Home", *(f"/{number}" for number in range(20))), "*": 404}
    committed("")
    with serve(routes) as site:
        _, report = gather(site.url, "--set", "crawl.max-pages=5")
        assert report["complete"] is False
        assert "stopped after 5 pages (crawl.max-pages); 15 URLs were found and not fetched" in report["incomplete"][0]
        _, deep = gather(site.url, "--set", "crawl.max-depth=1")
        assert "stopped after 1 click (crawl.max-depth); 1 URL was found" in deep["incomplete"][0]
        _, chosen = gather(site.url, "--set", "crawl.max-pages=5", "--set", "crawl.on-limit=accept")
        assert chosen["incomplete"] == []
        assert chosen["counts"]["urls"] == report["counts"]["urls"] == 6


def test_the_deadline() -> None:
    routes: dict[str, Route] = {
        "/": page("Home", *(f"/{number}" for number in range(50))),
        "*": servers.late(0.5, page("Late")),
    }
    with serve(routes) as site:
        began = time.monotonic()
        _, report = gather(site.url, "--set", "crawl.deadline=1", "--set", "sitemaps.use=false")
        assert time.monotonic() - began < 5
        assert "stopped after 1 seconds (crawl.deadline)" in report["incomplete"][0]


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ((), "(which are not run here|which are not run here \\(.*\\)): install Chromium"),
        (("--set", "render.when=never"), r"which are not run here \(render.when is never\): http"),
    ],
)
def test_a_page_that_only_scripts_build_is_no_site_of_one_page(more: Sequence[str], why: str) -> None:
    """HTML-70: its links are unknown, so nothing may be written; a browser is offered where one would be used."""
    shell = '<!doctype html><title>App</title><div id="root"></div>' + '<script src="/x.js"></script>' * 3 + " " * 300
    committed("", "about")
    with serve({"/": shell, "/about": page("About"), "*": 404}) as site:
        _, report = gather(site.url, *more, command="write")
        assert re.match(f"1 page creates its links with scripts, {why}", report["incomplete"][0])
        assert report["removed"] == []


def sitemap(*paths: str) -> Reply:
    locs = "".join(f"<url><loc>{SITE}{path}</loc></url>" for path in paths)
    return Reply(f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{locs}</urlset>', type="application/xml")


def test_a_served_baseline() -> None:
    """interface.md, `baseline: URL`: compared with what the live site lists."""
    committed("", "new")
    routes: dict[str, Route] = {
        "/": page("Home", "/new"),
        "/new": page("New"),
        "/live.xml": sitemap("", "old"),
        "*": 404,
    }
    with serve(routes) as site:
        code, report = gather(site.url, "--baseline", f"{site.url}live.xml", "--set", "sitemaps.use=false")
        assert code == 1
        assert urls(report) == [f"{SITE}new"]
        assert [(row["url"], row["class"]) for row in report["removed"]] == [(f"{SITE}old", "gone")]
        assert report["baseline"] == f"{site.url}live.xml"


def test_a_first_run_is_compared_with_production() -> None:
    """`baseline: auto`, when neither the work tree nor the base commit has a file."""
    with serve({"*": 404}) as site:
        routes = {
            "/": page("Home"),
            "/old": page("Old", head='<meta name="robots" content="noindex">'),
            "/sitemap.xml": Reply(str(sitemap("", "old").body).replace(SITE, site.url), type="application/xml"),
        }
        site.routes.update(routes)
        code, report = gather(site.url, "--set", "sitemaps.use=false", site=site.url)
        assert code == 1
        assert [(row["url"], row["class"]) for row in report["removed"]] == [(f"{site.url}old", "deindexed")]


@pytest.mark.parametrize("production", [True, False])
def test_sitemaps_that_production_lists_and_does_not_serve(production: bool) -> None:
    """SM-63, RB-32: not checked on a preview, whose answers are not those of production."""
    committed("")
    with serve({"/": page("Home"), "*": 404}) as site:
        rows = "".join(f"<sitemap><loc>{site.url}{name}.xml</loc></sitemap>" for name in "ab")
        site.routes |= {
            "/robots.txt": Reply(f"Sitemap: {site.url}i.xml\nSitemap: {site.url}old.xml\n", type="text/plain"),
            "/i.xml": Reply(f"<sitemapindex>{rows}</sitemapindex>", type="application/xml"),
            "/a.xml": Reply(f"<urlset><url><loc>{site.url}</loc></url></urlset>", type="application/xml"),
            "/old.xml": redirect("/a.xml"),
        }
        _, report = gather(site.url, site=site.url if production else SITE)
        found = [
            (row["rule"], row["url"], row["path"], row["line"])
            for row in report["findings"]
            if row["rule"] in {"SM-63", "RB-32"}
        ]
        unchecked = {row["rule"] for row in report["not_checked"]}
        if production:
            assert found == [
                ("RB-32", f"{site.url}old.xml", f"{site.url}robots.txt", 2),
                ("SM-63", f"{site.url}b.xml", f"{site.url}i.xml", 1),
            ]
            assert not unchecked & {"SM-63", "RB-32"}
        else:
            assert found == []
            assert "RB-32" in unchecked


@pytest.mark.attack("addresses")
def test_a_private_baseline_is_refused() -> None:
    """NET-13: an address from a file of the repository is not trusted."""
    committed("")
    with serve({"*": sitemap("")}) as private, serve({"/": page("Home"), "*": 404}) as site:
        flags = ["--url", site.url, "--site-url", SITE, "--baseline", f"{private.url}sitemap.xml"]
        assert run(["check", *flags]) == 2
        assert private.asked == []
        assert run(["check", *flags, "--allow-private-hosts", "127.0.0.1"]) == 0


def test_a_preview_is_no_site_url(capfd: pytest.CaptureFixture[str]) -> None:
    """Its address is not taken for production; that of this machine is the site itself (I-05)."""
    with serve({"/": page("Home"), "*": 404}) as site:
        assert run(["check", "--url", "http://site.invalid/", "--set", "http.retries=0"]) == 2
        assert "site-url is not set" in capfd.readouterr().err
        assert run(["check", "--url", site.url]) == 1
    assert f"{site.url} has no sitemap" in capfd.readouterr().out
