"""A second run with a state has the report of a fresh run, whatever has changed, and wherever it was killed."""

import json
import random
import signal
import subprocess
import sys
import time
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from examples import PERCENT, share
from servers import Answering, Asked, One, Reply, Route, Site, serve
from sitemap_action.__main__ import run

HOME = "https://www.example.com/"
ETAG = '"v1"'
OLD, NEW = "Mon, 02 Feb 2026 10:00:00 GMT", "Tue, 03 Mar 2026 10:00:00 GMT"
QUICK = ("--set", "http.retries=0", "--set", "sitemaps.use=false")


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def unchanged(body: str, **headers: str) -> Route:
    """Answers 304 to whoever has its ETag, with the headers of today."""
    sent = {name.replace("_", "-"): value for name, value in headers.items()} | {"ETag": ETAG}

    def answer(asked: Asked) -> One:
        same = asked.header("if-none-match") == ETAG
        return Reply(b"" if same else body, 304 if same else 200, sent)

    return Answering(answer)


def page(number: int, *links: str, head: str = "") -> str:
    anchors = "".join(f'<a href="{link}">{link}</a> ' for link in links)
    words = "some words of a page " * 30
    return f"<!doctype html><title>Page {number}</title>{head}<main><h1>{number}</h1>{anchors}{words}{number}</main>"


def flags(site: Site, *options: str) -> list[str]:
    return ["--url", site.url, "--site-url", HOME, "--quiet", "--report", "json=report.json", *QUICK, *options]


def report(site: Site, *options: str) -> dict[str, Any]:
    """Without what it says of the state."""
    run(["check", *flags(site, *options)])
    found: dict[str, Any] = json.loads(Path("report.json").read_text())
    found.pop("state", None)
    found["notes"] = [note for note in found["notes"] if not note.startswith(("state: ", "resumed: "))]
    return found


def twice(before: dict[str, Route], after: dict[str, Route], *options: str) -> tuple[dict[str, Any], list[Asked]]:
    """The report of the second run, which is that of a fresh one; and its requests."""
    with serve(before) as site:
        first = report(site, "--state", "state", *options)
        site.routes.update(after)
        site.asked.clear()
        second = report(site, "--state", "state", *options)
        asked = list(site.asked)
        assert second == report(site, *options)
        assert second == report(site, "--state", "another", *options)
        assert second != first
        return second, asked


ASSETS = '<script src="/assets/app.js"></script><link rel="stylesheet" href="/assets/site.css">'
OPEN, CLOSED = "User-agent: *\nDisallow: /nowhere/\n", "User-agent: *\nDisallow: /assets/\n"


@pytest.mark.parametrize(("before", "after"), [("", CLOSED), (OPEN, CLOSED), (CLOSED, OPEN), (CLOSED, "")])
def test_RB_36_resources_are_judged_by_the_robots_txt_of_today(before: str, after: str) -> None:
    def robots(text: str) -> Route:
        return Reply(text, type="text/plain") if text else 404

    web = {"/": page(0, "/a"), "/a": unchanged(page(1, head=ASSETS)), "/robots.txt": robots(before)}
    second, asked = twice(web, {"/robots.txt": robots(after)})
    assert [one.header("if-none-match") for one in asked if one.path == "/a"] == [ETAG]
    assert any(finding["rule"] == "RB-36" for finding in second["findings"]) is (after == CLOSED)


HEADERS = [
    # id, headers at first, headers of the 304, requests
    ("a noindex", {}, {"X_Robots_Tag": "noindex"}, 2),
    ("a noindex that is taken back", {"X_Robots_Tag": "noindex"}, {"X_Robots_Tag": "all"}, 2),
    ("a nofollow: its links are others", {}, {"X_Robots_Tag": "nofollow"}, 2),
    ("a canonical", {}, {"Link": f'<{HOME}b>; rel="canonical"'}, 2),
    ("another canonical", {"Link": f'<{HOME}b>; rel="canonical"'}, {"Link": f'<{HOME}a>; rel="canonical"'}, 2),
    ("a refresh", {}, {"Refresh": "0; url=/b"}, 2),
    ("a noindex that is gone", {"X_Robots_Tag": "noindex"}, {}, 2),
    ("a canonical that is gone", {"Link": f'<{HOME}b>; rel="canonical"'}, {}, 2),
    ("a refresh that is gone", {"Refresh": "0; url=/b"}, {}, 2),
]


@pytest.mark.parametrize(("before", "after", "requests"), [row[1:] for row in HEADERS], ids=[row[0] for row in HEADERS])
def test_headers_of_a_304_count(before: dict[str, str], after: dict[str, str], requests: int) -> None:
    """RFC 9111 §3.2"""
    body = page(1, "/c")
    web: dict[str, Route] = {"/": page(0, "/a", "/b"), "/b": page(2), "/c": page(3), "/a": unchanged(body, **before)}
    _, asked = twice(web, {"/a": unchanged(body, **after)})
    assert [one.path for one in asked].count("/a") == requests


def test_a_date_of_a_304_counts_and_is_asked_with() -> None:
    """Without a further request; the third run sends the date of the second."""
    a = unchanged(page(1), Last_Modified=OLD, X_Robots_Tag="all")
    b = unchanged(page(2), Last_Modified="Sun, 04 Jan 2026 10:00:00 GMT")  # dates of one day are those of a deployment
    web: dict[str, Route] = {"/": page(0, "/a", "/b"), "/a": a, "/b": b}
    new = unchanged(page(1), Last_Modified=NEW)  # without X-Robots-Tag, which therefore is as it was
    options = ("--set", "output.lastmod=http")
    with serve(web) as site:
        write = ["write", *flags(site, "--state", "state", "--sitemap", "sitemap.xml", *options)]
        assert run(write) == 0
        assert "2026-02-02" in Path("sitemap.xml").read_text()
        site.routes["/a"] = new
        site.asked.clear()
        assert run(write) == 0
        assert "2026-03-03" in Path("sitemap.xml").read_text()
        assert [one.header("if-modified-since") for one in site.asked if one.path == "/a"] == [OLD]
        site.asked.clear()
        run(write)
        assert [one.header("if-modified-since") for one in site.asked if one.path == "/a"] == [NEW]


URLSET = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{}</urlset>'
INDEX = '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{}</sitemapindex>'


def sitemap_at(home: str, *paths: str) -> str:
    return URLSET.format("".join(f"<url><loc>{home}{path}</loc></url>" for path in paths))


def test_NET_15_the_live_sitemap_is_asked_with_its_validators() -> None:
    """An index and its children, and robots.txt; one changes, the others answer 304."""
    with serve({"/": page(0, "/a", "/b"), "/a": page(1), "/b": page(2)}) as site:
        files = "".join(f"<sitemap><loc>{site.url}{name}.xml</loc></sitemap>" for name in ("one", "two"))
        site.routes["/sitemap.xml"] = unchanged(INDEX.format(files))
        site.routes["/one.xml"] = unchanged(sitemap_at(site.url, "", "a"))
        site.routes["/two.xml"] = unchanged(sitemap_at(site.url, "gone"))
        site.routes["/robots.txt"] = unchanged("User-agent: *\nDisallow: /x\n")

        def compared(*options: str) -> dict[str, Any]:
            given = [*flags(site, "--baseline", f"{site.url}sitemap.xml", *options)]
            given[given.index("--site-url") + 1] = site.url
            run(["check", *given])
            found: dict[str, Any] = json.loads(Path("report.json").read_text())
            found["notes"] = [note for note in found["notes"] if not note.startswith("state: ")]
            return {**found, "state": None}

        first = compared("--state", "state")
        assert [row["url"] for row in first["removed"]] == [f"{site.url}gone"]
        site.asked.clear()
        assert compared("--state", "state") == first
        names = ("/sitemap.xml", "/one.xml", "/two.xml")
        asked = {one.path: one.header("if-none-match") for one in site.asked if one.path in names}
        assert asked == dict.fromkeys(names, ETAG)
        assert ETAG in [one.header("if-none-match") for one in site.asked if one.path == "/robots.txt"]
        site.routes["/two.xml"] = sitemap_at(site.url, "gone", "b")
        site.routes["/robots.txt"] = "User-agent: *\nDisallow: /a\n"
        second = compared("--state", "state")
        assert second == compared()
        assert second != first


LISTED = sitemap_at(HOME, "", "a", "only")
LATER: list[tuple[str, dict[str, Route]]] = [
    # id, sitemaps of the second run
    ("gone", {}),
    ("an error", {"/sitemap.xml": Reply(status=503)}),
    ("another path", {"/sitemap_index.xml": sitemap_at(HOME, "", "a")}),
    ("an HTML page", {"/sitemap.xml": page(9)}),
    ("damaged", {"/sitemap.xml": sitemap_at(HOME, "", "a")[:-20]}),
    ("a redirect to one that was read", {"/sitemap.xml": sitemap_at(HOME, "a"), "/sitemap_index.xml": Reply(status=301, headers={"Location": "/sitemap.xml"})}),
    ("an index of a child that is gone", {"/sitemap.xml": INDEX.format(f"<sitemap><loc>{HOME}child.xml</loc></sitemap>")}),
]  # fmt: skip


BEFORE = ("/sitemap.xml", "/sitemap_index.xml", "/child.xml")
# With each commit every pair of a second run, a first one and an ETag; at night each of the three together.
FORGOTTEN = [
    pytest.param(row[1], before, validated, id=f"{row[0]}-{'ETag' if validated else ''}-{before}")
    for number, (row, before) in enumerate(product(LATER, BEFORE))
    for validated in (True, False)
    if PERCENT >= 100 or validated is (number % 2 == 0)
]


@pytest.mark.parametrize(("later", "before", "validated"), FORGOTTEN)
def test_what_a_sitemap_listed_that_is_not_read_again_is_forgotten(
    later: dict[str, Route], before: str, validated: bool
) -> None:
    pages: dict[str, Route] = {"/": page(0, "/a"), "/a": page(1), "/only": page(2)}
    index = {"/sitemap.xml": INDEX.format(f"<sitemap><loc>{HOME}child.xml</loc></sitemap>")}
    first = {before: unchanged(LISTED) if validated else LISTED} | (index if before == "/child.xml" else {})
    Path("sitemap.xml").write_text(sitemap_at(HOME, ""))  # judged: the served ones are start URLs, and no more
    none: dict[str, Route] = dict.fromkeys(("/sitemap.xml", "/sitemap_index.xml", "/child.xml"), Reply(status=404))
    found, _ = twice(pages | first, none | later, "--set", "sitemaps.use=true")
    assert not any(row["url"] == f"{HOME}only" for row in found["added"])


@pytest.mark.parametrize("status", [404, 503])
def test_read_forgets_it_too(status: int, capsys: pytest.CaptureFixture[str]) -> None:
    with serve({"/sitemap.xml": LISTED}) as site:
        command = ["read", f"{site.url}sitemap.xml", "--state", "state", "--allow-private-hosts", "127.0.0.1"]
        assert run(command) == 0
        assert f"{HOME}only" in capsys.readouterr().out
        site.routes["/sitemap.xml"] = Reply(status=status)
        assert run(command) == 3
        printed = capsys.readouterr()
        assert printed.out == ""
        assert f"is unavailable: answered {status}" in printed.err


def site_of(count: int, version: int) -> dict[str, Route]:
    """Some pages change from version to version, some in their headers alone."""

    def answer(asked: Asked) -> One:
        number = int(asked.path.strip("/") or 0)
        tag = f'"{version if number % 7 == 3 else 0}"'
        headers = {"ETag": tag, "Last-Modified": (OLD, NEW)[version]}
        if number % 11 == 5:
            headers["X-Robots-Tag"] = ("all", "noindex")[version]
        if asked.header("if-none-match") == tag:
            return Reply(status=304, headers=headers, delay=0.002)
        if number % 13 == 12:
            return Reply(status=301, headers={"Location": f"/{number // 2}"})
        extra = [f"/{count + number}"] if version and number % 7 == 3 else []
        links = [f"/{(number * 3 + each) % count}" for each in range(1, 5)]
        return Reply(page(number, *links, *extra, head=ASSETS), headers=headers, delay=0.002)

    numbers: dict[str, Route] = {f"/{number}": Answering(answer) for number in range(2 * count)}
    robots = Reply((OPEN, CLOSED)[version], type="text/plain")
    return numbers | {"/": Answering(answer), "/robots.txt": robots}


@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX")
def test_a_second_run_that_is_killed_anywhere() -> None:
    chance, count = random.Random(1), 250
    with serve(site_of(count, 0)) as site:
        report(site, "--state", "state")
        site.routes.update(site_of(count, 1))
        kills = 0
        for requests in sorted(chance.sample(range(20, count), share(3))):
            site.asked.clear()
            command = [sys.executable, "-m", "sitemap_action", "check", *flags(site, "--state", "state")]
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while len(site.asked) < requests and process.poll() is None:
                time.sleep(0.005)
            process.send_signal(signal.SIGKILL)
            kills += process.wait() == -signal.SIGKILL
        assert kills
        second = report(site, "--state", "state")
        assert second == report(site)
        assert any(finding["rule"] == "RB-36" for finding in second["findings"])
