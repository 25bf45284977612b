"""Every HOST rule, end to end: what is listed, what became of the rest, and what is said about it."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from sitemap_action.__main__ import run

SITE = "https://www.example.com/"
COMMON = {"index.html": "", "404.html": "", "file.html": "", "folder/index.html": ""}


class Case(NamedTuple):
    """Files of the workspace (those of the build below `dist`), and what `check` says."""

    files: Mapping[str, str]
    listed: str  # paths below site-url, without the start page
    host: str = "auto"
    classes: Mapping[str, str] = {}  # path → class of one that is not listed
    rules: frozenset[str] = frozenset()  # of the findings about hosts
    note: str = ""
    site: str = SITE
    committed: str = ""


def redirects(text: str, **more: str) -> dict[str, str]:
    return {"dist/_redirects": text, **more}


_TWINS = {"dist/both.html": "", "dist/both/index.html": ""}
_ERRORS = dict.fromkeys(
    ("dist/404/page.html", "dist/p/404.html", "dist/500.html", "dist/403.html", "dist/p/501.html"), ""
)
_NO_PAGES = {
    "dist/google0123456789abcdef.html": "",
    "dist/BingSiteAuth.xml": "",
    "dist/yandex_0123456789abcdef.html": "",
    "dist/0123456789abcdef0123456789abcdef.txt": "0123456789abcdef0123456789abcdef",  # an IndexNow key
    "dist/.hidden/page.html": "",
    "dist/_headers": "",
}
CASES = (
    ("HOST-01 detected", Case({"vercel.json": '{"cleanUrls": true}'}, "file folder", note="addressed as on vercel, by vercel.json")),
    ("HOST-01 unknown", Case({}, "file.html folder/", note="host unknown")),
    ("HOST-01 given", Case({"vercel.json": '{"cleanUrls": true}'}, "file.html folder/", "nginx")),
    ("HOST-02 with a slash", Case({}, "file.html folder/", "s3-website")),
    ("HOST-02 without", Case({"vercel.json": '{"trailingSlash": false}'}, "file.html folder", "vercel")),
    ("HOST-03 two pages", Case(_TWINS, "both.html both/ file.html folder/", "nginx", rules=frozenset({"HOST-03"}))),
    ("HOST-03 one of them", Case({"dist/both.html": ""}, "both.html file.html folder/", "nginx")),
    ("HOST-04 error pages", Case(_ERRORS, "404/page.html file.html folder/ p/501.html", "nginx", {"p/404.html": "excluded", "500.html": "excluded", "403.html": "excluded"})),
    ("HOST-04 no pages", Case(_NO_PAGES, "file.html folder/", "nginx")),
    ("HOST-05 permanent", Case(redirects("/old /file"), "file folder/", "netlify", {"old": "moved"}, frozenset({"HOST-10"}), committed="old")),
    ("HOST-05 temporary", Case(redirects("/old /file 302"), "file folder/", "netlify", {"old": "moved-temporary"}, frozenset({"HOST-10"}), committed="old")),
    ("HOST-05 a file comes first", Case(redirects("/file /folder/"), "file folder/", "netlify")),
    ("HOST-05 unless forced", Case(redirects("/file /folder/ 301!"), "folder/", "netlify", {"file": "moved"})),
    ("HOST-06 always", Case(redirects("/file /folder/ 301"), "folder/", "cloudflare-pages", {"file": "moved"})),
    ("HOST-06 302", Case(redirects("/old /file"), "file folder/", "cloudflare-pages", {"old": "moved-temporary"}, frozenset({"HOST-10"}), committed="old")),
    ("HOST-07 noindex", Case({"dist/_headers": "/folder/*\n  X-Robots-Tag: noindex"}, "file", "netlify", {"folder/": "deindexed"})),
    ("HOST-07 canonical", Case({"dist/_headers": f'/file\n  Link: <{SITE}folder/>; rel="canonical"'}, "folder/", "cloudflare-pages", {"file": "deindexed"})),
    ("HOST-08 308", Case({"vercel.json": '{"redirects": [{"source": "/old", "destination": "/file.html"}]}'}, "file.html folder/", "vercel", {"old": "moved"}, frozenset({"HOST-10"}), committed="old")),
    ("HOST-08 netlify.toml", Case({"netlify.toml": '[[headers]]\nfor = "/file"\nvalues = {X-Robots-Tag = "none"}'}, "folder/", "netlify", {"file": "deindexed"})),
    ("HOST-09 every path", Case(redirects("/* /index.html 200"), "file folder/", "netlify", rules=frozenset({"HOST-09"}))),
    ("HOST-09 a 404", Case({}, "file folder/", "cloudflare-pages")),
    ("HOST-10 a rule decides", Case(redirects("/file /gone 410!"), "folder/", "netlify", {"file": "gone"}, frozenset({"HOST-10"}), committed="file")),
    ("HOST-10 no file", Case({}, "file.html folder/", "nginx", {"none": "gone"}, committed="none")),
    ("HOST-10 a server's own configuration", Case(dict.fromkeys(("nginx.conf", "dist/nginx.conf"), "location = /none { return 301 /file.html; }"), "file.html folder/", "nginx", {"none": "gone"}, committed="none")),
    ("HOST-11 names", Case({"dist/a b#1.html": "", "dist/100%?.html": "", "dist/ü.html": ""}, "%C3%BC.html 100%25%3F.html a%20b%231.html file.html folder/", "nginx")),
    ("HOST-13 below a path", Case({"dist/robots.txt": "User-agent: *\nDisallow: /repo/file.html\n", "dist/index.html": '<a href="/other/">o</a><a href="/repo/none/">n</a>'}, "file.html folder/", "nginx", {"none/": "gone"}, note="robots.txt of the build is not used: it is for a whole host, and this site is below /repo/", site="https://u.github.io/repo/")),
)  # fmt: skip


def make(root: Path, case: Case) -> None:
    for name, text in ({f"dist/{name}": text for name, text in COMMON.items()} | dict(case.files)).items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        page = f"<!doctype html><title>{name}</title><p>{f'The page {name} is itself. ' * 20}</p>"
        file.write_text(page + text if name.endswith(".html") else text)
    if case.committed:
        rows = "".join(f"<url><loc>{case.site}{path}</loc></url>" for path in ("", case.committed))
        (root / "sitemap.xml").write_text(
            f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</urlset>', encoding="utf-8"
        )


@pytest.mark.parametrize("case", [pytest.param(row[1], id=row[0]) for row in CASES])
def test_HOST(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    make(tmp_path, case)
    flags = ["--path", "dist", "--host", case.host, "--site-url", case.site, "--baseline", "committed", "--quiet"]
    assert run(["check", *flags, "--report", "json=report.json"]) in {0, 1}
    report = json.loads(Path("report.json").read_text())
    missing = {url.removeprefix(case.site) for url in report["stale"]["missing"]}
    assert sorted(missing - {""}) == case.listed.split()
    classes = {row["url"].removeprefix(case.site): row["class"] for row in report["removed"]}
    classes |= {row["url"].removeprefix(case.site): row["reason"] for row in report["skipped"]}
    assert {path: classes.get(path) for path in case.classes} == case.classes
    assert {row["rule"] for row in report["findings"] if row["rule"].startswith("HOST")} == case.rules
    notes = of_the_host(report["notes"])
    assert case.note in " | ".join(notes)
    if case.site == SITE and case.host != "auto" and not case.note:
        assert notes == []


def of_the_host(notes: list[str]) -> list[str]:
    """Without that on where a first sitemap goes."""
    return [note for note in notes if not note.startswith("there is no sitemap yet")]


@pytest.mark.skipif(os.name != "posix", reason="names of files are bytes on POSIX")
def test_HOST_12_links_and_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    make(tmp_path, Case({"outside.html": "", "dist/real.html": ""}, ""))
    (tmp_path / "dist/inside.html").symlink_to("real.html")
    (tmp_path / "dist/stolen.html").symlink_to(tmp_path / "outside.html")
    (tmp_path / "dist" / os.fsdecode(b"bad\xff.html")).write_text("<!doctype html><title>x</title>")
    flags = ["--path", "dist", "--host", "nginx", "--site-url", SITE, "--baseline", "committed", "--quiet"]
    assert run(["check", *flags, "--report", "json=report.json"]) == 1
    report = json.loads(Path("report.json").read_text())
    missing = {url.removeprefix(SITE) for url in report["stale"]["missing"]}
    assert missing == {"", "file.html", "folder/", "inside.html", "real.html"}
    assert [note.partition(":")[0] for note in of_the_host(report["notes"])] == [
        "skipped bad\udcff.html",
        "skipped stolen.html",
    ]


def test_every_rule_of_the_sheet_has_a_row() -> None:
    covered = {row[0].split()[0] for row in CASES} | {"HOST-12"}
    assert covered == {f"HOST-{number:02}" for number in range(1, 14)}
