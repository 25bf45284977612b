"""Redirects, each hop judged as a URL before it is followed: the same class for a build and for the site it is on."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from servers import Reply, Route, redirect, serve
from sitemap_action.__main__ import run

SITE = "https://www.example.com/"


def page(name: str, *links: str, head: str = "") -> str:
    anchors = "".join(f'<a href="/{link}">{link}</a> ' for link in links)
    text = f"some words about {name} that make a page of its own " * 12
    return f"<!doctype html><title>{name}</title>{head}<main><h1>{name}</h1>{anchors}<p>{text}</main>"


def stub(to: str) -> str:
    return f'<!doctype html><meta http-equiv="refresh" content="0; url={to}"><title>moved</title>'


HOME = {"index.html": page("home", "new/", "a/"), "new/index.html": page("new"), "a/index.html": page("a")}
A = f'<link rel="canonical" href="{SITE}a/">'
CANONICAL = HOME | {"a/index.html": page("a", head=A)}
BLOCKED = {"robots.txt": "User-agent: *\nDisallow: /mid/\n"}
PDF = Reply(b"%PDF-1.4", type="application/pdf")

# What is left out by choice, or may not be fetched, is no way; nothing of this is "undetermined".
# id: files, (from, to) of permanent redirects, options, the class of /old/
ROWS: dict[str, tuple[Mapping[str, str], tuple[tuple[str, str], ...], tuple[str, ...], str]] = {
    "plain": (HOME, (("old/", "new/"),), (), "moved"),
    "two hops": (HOME, (("old/", "mid/go"), ("mid/go", "new/")), (), "moved"),
    "V-30 a hop that robots.txt blocks": (
        HOME | BLOCKED,
        (("old/", "mid/go"), ("mid/go", "new/")),
        (),
        "redirect-broken",
    ),
    "V-30 refresh stubs, one of them blocked": (
        HOME | BLOCKED | {"old/index.html": stub("/mid/go/"), "mid/go/index.html": stub("/new/")},
        (),
        (),
        "redirect-broken",
    ),
    "V-30 the end of a chain that comes back to it is no loop before the blocked hop": (
        HOME | BLOCKED,
        (("old/", "mid/go"), ("mid/go", "old/")),
        (),
        "redirect-broken",
    ),
    "V-30 a hop of select.exclude": (
        HOME,
        (("old/", "go/x"), ("go/x", "new/")),
        ("--set", "select.exclude=/go/**"),
        "redirect-broken",
    ),
    "V-31 no page by its name, and not there": (HOME, (("old/", "nope.pdf"),), (), "redirect-broken"),
    "V-31 a file that is no page": (HOME | {"plan.pdf": "%PDF-1.4"}, (("old/", "plan.pdf"),), (), "redirect-broken"),
    "V-31 an image": (HOME | {"cat.png": "PNG"}, (("old/", "cat.png"),), (), "redirect-broken"),
    "V-31 a file of a type that is listed": (
        HOME | {"plan.pdf": "%PDF-1.4"},
        (("old/", "plan.pdf"),),
        ("--set", "select.types=html,application/pdf"),
        "moved",
    ),
    "V-31 a page of select.exclude": (
        HOME | {"private/index.html": page("private")},
        (("old/", "private/"),),
        ("--set", "select.exclude=/private/**"),
        "redirect-broken",
    ),
    "V-32 select.query: drop": (HOME, (("old/", "a/?x=1"),), ("--set", "select.query=drop"), "moved"),
    "V-32 select.drop-params": (
        HOME,
        (("old/", "a/?utm_source=old"),),
        ("--set", "select.drop-params=utm_*"),
        "moved",
    ),
    "V-33 the target names the listed page without its query": (
        CANONICAL,
        (("old/", "a/?utm_source=old"),),
        (),
        "moved",
    ),
}


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def classes(*arguments: str) -> dict[str, str]:
    quick = ["--quiet", "--set", "sitemaps.use=false", "--set", "http.retries=0"]
    run(["check", *arguments, "--site-url", SITE, *quick, "--report", "json=report.json"])
    report: dict[str, Any] = json.loads(Path("report.json").read_text())
    found = {row["url"]: row["class"] for row in report["removed"]}
    found |= {row["url"]: "undetermined" for row in report["undetermined"]}
    return {url.removeprefix(SITE): name for url, name in found.items()}


def lay_out(files: Mapping[str, str], rules: tuple[tuple[str, str], ...]) -> None:
    for name, text in files.items():
        path = Path("site", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    Path("site/_redirects").write_text("".join(f"/{old} /{new} 301\n" for old, new in rules))
    locs = "".join(f"<url><loc>{SITE}{path}</loc></url>" for path in ("", "new/", "a/", "old/"))
    Path("sitemap.xml").write_text(f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{locs}</urlset>')


def in_folder(files: Mapping[str, str], rules: tuple[tuple[str, str], ...], *options: str) -> dict[str, str]:
    lay_out(files, rules)
    return classes("--path", "site", "--set", "source.host=netlify", *options)


def served(files: Mapping[str, str], rules: tuple[tuple[str, str], ...], *options: str) -> dict[str, str]:
    lay_out(files, rules)
    routes: dict[str, Route] = {}
    for name, text in files.items():
        body = PDF if name.endswith(".pdf") else Reply(text, type="text/plain") if name == "robots.txt" else text
        for path in (name, f"{name}?utm_source=old", f"{name}?x=1"):
            routes["/" + path.replace("index.html", "")] = body
    routes |= {f"/{old}": redirect(f"/{new}") for old, new in rules}
    with serve(routes) as site:
        return classes("--url", site.url, *options)


@pytest.mark.parametrize("judged", [in_folder, served])
@pytest.mark.parametrize("name", ROWS)
def test_a_redirect_has_one_class(name: str, judged: Callable[..., dict[str, str]]) -> None:
    files, rules, options, expected = ROWS[name]
    assert judged(files, rules, *options) == {"old/": expected}
