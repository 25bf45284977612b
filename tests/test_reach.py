"""What a crawl reaches, and what a verdict says of the rest: other spellings, odd links, unanswered pages, first runs."""

import json
from pathlib import Path
from typing import Any

import pytest

from servers import Route, redirect, serve
from sitemap_action.__main__ import run

SITE = "https://www.example.com/"
TEXT = "<p>" + "some words that make a page of its own " * 12


def page(name: str, *links: str, head: str = "") -> str:
    anchors = "".join(f'<a href="{link}">{name}</a> ' for link in links)
    return f"<!doctype html><title>{name}</title>{head}<main><h1>{name}</h1>{anchors}{TEXT} {name}</main>"


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def committed(*paths: str) -> None:
    locs = "".join(f"<url><loc>{SITE}{path}</loc></url>" for path in paths)
    Path("sitemap.xml").write_text(f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{locs}</urlset>')


def gather(source: str, *more: str, command: str = "check") -> tuple[int, dict[str, Any]]:
    """`source`: an address, or a folder."""
    where = ["--url", source] if "://" in source else ["--path", source]
    quick = ["--set", "http.backoff=0.01", "--set", "crawl.retry-after-max=1", "--quiet"]
    code = run([command, *where, "--site-url", SITE, *quick, *more, "--report", "json=report.json"])
    return code, json.loads(Path("report.json").read_text())


def folder(files: dict[str, str]) -> str:
    for path, text in files.items():
        target = Path("site") / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    return "site"


def test_V_18_an_unanswered_page_stands_in_the_first_line(capsys: pytest.CaptureFixture[str]) -> None:
    committed("", "slow")
    routes: dict[str, Route] = {"/": page("Home", "/slow"), "/slow": 503}
    with serve(routes) as site:
        code, report = gather(site.url)
    assert (code, report["result"], report["complete"]) == (0, "in-sync", False)
    assert report["incomplete"] == [f"1 page gave no usable answer: {SITE}slow (answered 503)"]
    first = capsys.readouterr().out.partition("\n")[0]
    assert first == "in-sync: the sitemap matches the site; 1 page gave no usable answer (exit 0)"


LONG = f"search?q={'x' * 2_100}"
ODD_LINKS = [
    # id, link, how the row shows it, reason
    ("V-14 too long for a sitemap", f"/{LONG}", f"{SITE}{LONG}", "and a sitemap takes fewer than 2,048 (URL-32)"),
    (
        "V-14 too long for anything",
        f"/{'y' * 9_000}",
        f"{SITE}{'y' * (8_193 - len(SITE))}",
        "more than 8,192 characters",
    ),
    ("V-29 a malformed escape", "/90%+of+My+Mind", f"{SITE}90%+of+My+Mind", "not followed by two hexadecimal digits"),
    ("V-29 relative, and malformed", "100%", f"{SITE}100%", "a literal % is written %25 (URL-30)"),
    (
        "V-29 a password",
        "https://me:secret@www.example.com/a",
        "https://***@www.example.com/a",
        "the URL has a user name or password (URL-20)",
    ),
]


@pytest.mark.parametrize("served", [False, True], ids=["folder", "served"])
@pytest.mark.parametrize(("link", "url", "why"), [pytest.param(*row[1:], id=row[0]) for row in ODD_LINKS])
def test_V_14_V_29_a_link_that_no_sitemap_can_list_has_a_row(
    link: str, url: str, why: str, served: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    committed("", "z.html")
    home = page("Home", "/z.html", "mailto:a%20b@example.com", "https://u:p@elsewhere.example/", link, link)
    files = {"index.html": home, "z.html": page("About", link)}
    if served:
        routes: dict[str, Route] = {"/": files["index.html"], "/z.html": files["z.html"], "*": page("Any")}
        with serve(routes) as site:
            code, report = gather(site.url, command="write")
            assert not any("%+" in path or path == "/100%" or len(path) > 500 for path in site.paths)
    else:
        code, report = gather(folder(files), command="write")
    assert (code, report["result"], report["complete"]) == (0, "in-sync", True)
    (row,) = report["skipped"]
    assert (row["url"], row["reason"], row["found_on"]) == (url, "excluded", SITE)
    assert why in row["detail"]
    printed = capsys.readouterr().out
    assert why in printed
    assert "secret" not in printed
    assert max(map(len, printed.splitlines())) < 800


def test_V_14_a_redirect_to_a_URL_that_is_too_long_is_broken() -> None:
    committed("", "old")
    with serve({"/": page("Home"), "/old": redirect(f"/{LONG}")}) as site:
        code, report = gather(site.url)
        assert all(len(path) < 500 for path in site.paths)
    (row,) = report["removed"]
    assert (code, row["class"]) == (1, "redirect-broken")
    assert "a sitemap takes fewer than 2,048" in row["detail"]


@pytest.mark.parametrize("served", [False, True], ids=["folder", "served"])
def test_V_14_a_listed_URL_that_is_too_long_leaves_the_file(served: bool) -> None:
    """SM-22: the committed file is invalid; a write repairs it."""
    committed("", LONG)
    if served:
        with serve({"/": page("Home"), "/search": page("Search")}) as site:
            code, report = gather(site.url, command="write")
    else:
        code, report = gather(folder({"index.html": page("Home")}), command="write")
    assert (code, report["result"], report["changed_files"]) == (0, "drift", True)
    assert [(row["url"], row["class"]) for row in report["removed"]] == [(f"{SITE}{LONG}", "excluded")]
    assert LONG not in Path("sitemap.xml").read_text()
