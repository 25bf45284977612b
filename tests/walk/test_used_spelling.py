"""Of two spellings that GitHub Pages serves alike, the one of the sitemap, of the start page, or of the pages next to it."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from sitemap_action.__main__ import run
from sitemap_documents import urlset

HOST = ["--host", "github-pages", "--site-url", "https://x.com/", "--baseline", "committed", "--quiet"]

# id, links of each page, listed paths, and URL-21
SITES: tuple[tuple[str, Mapping[str, str], set[str], str], ...] = (
    ("nothing tells", {"index": "", "a": "", "b/index": ""}, {"", "a.html", "b/"}, "a.html: a"),
    ("the start page", {"index": "/a /b/", "a": "", "b/index": "/a.html /a.html"}, {"", "a", "b/"}, ""),
    ("a page next to it", {"index": "/b/", "a": "", "b/index": "/a"}, {"", "a", "b/"}, ""),
    ("most of these", {"index": "/b/ /c/", "a": "", "b/index": "/a", "c/index": "/a.html /d.html", "d": ""}, {"", "a.html", "b/", "c/", "d.html"}, ""),
    ("no page two links away", {"index": "/b/", "a": "", "b/index": "/c/", "c/index": "/a"}, {"", "a.html", "b/", "c/"}, "a.html: a"),
    ("no start page", {"a": "", "b/index": "/a"}, {"a.html", "b/"}, "a.html: a"),
    ("a canonical", {"index": "", "a": "canonical", "b/index": ""}, {"", "a.html", "b/"}, ""),
    ("folders alone", {"index": "", "b/index": ""}, {"", "b/"}, ""),
)  # fmt: skip


@pytest.mark.parametrize(("pages", "listed", "alike"), [pytest.param(*row[1:], id=row[0]) for row in SITES])
def test_the_spelling_that_is_used(
    pages: Mapping[str, str], listed: set[str], alike: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, links in pages.items():
        file = tmp_path / f"dist/{name}.html"
        file.parent.mkdir(parents=True, exist_ok=True)
        canonical = '<link rel="canonical" href="https://x.com/a.html">' if links == "canonical" else ""
        anchors = "".join(f'<a href="{link}">{link}</a>' for link in links.split() if link[0] == "/")
        file.write_text(
            f"<!doctype html><title>{name}</title>{canonical}<p>{f'The page {name} is itself. ' * 20}</p>{anchors}"
        )
    assert run(["write", "--path", "dist", "--sitemap", "sitemap.xml", *HOST, "--report", "json=report.json"]) == 0
    assert set(re.findall(r"<loc>https://x.com/([^<]*)</loc>", Path("sitemap.xml").read_text())) == listed
    found = [row for row in json.loads(Path("report.json").read_text())["findings"] if row["rule"] == "URL-21"]
    shown = [f"{row['url']}{row['message'].rpartition(': ')[2]}" for row in found]
    assert shown == [f"https://x.com/{alike.replace(': ', 'https://x.com/')}"] * bool(alike)


def test_a_redirect_in_the_sitemap_is_no_spelling_of_its_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor is that where it leads: the links of the site tell."""
    monkeypatch.chdir(tmp_path)
    Path("dist/a").mkdir(parents=True)
    files = {"index": '<a href="/b/">b</a><a href="/a">a</a>', "b": "", "a/index": ""}
    for name, links in files.items():
        Path(f"dist/{name}.html").write_text(f"<!doctype html><title>{name}</title><p>{name} {'text ' * 40}</p>{links}")
    Path("dist/_redirects").write_text("/old /b 301\n/older /a/ 302\n")
    Path("sitemap.xml").write_text(urlset(*(f"https://x.com/{path}" for path in ("", "old", "older"))))
    command = ["--path", "dist", "--sitemap", "sitemap.xml", *HOST, "--host", "netlify-plain"]
    run(["write", *command, "--set", "policy.max-removed=none"])
    assert re.findall(r"<loc>https://x.com/([^<]*)</loc>", Path("sitemap.xml").read_text()) == ["", "a", "b/"]
