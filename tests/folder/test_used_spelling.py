"""Of two spellings that GitHub Pages serves alike, the one of the sitemap, of the start page, or of the pages next to it."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from sitemap_action.__main__ import run

HOST = ["--host", "github-pages", "--site-url", "https://x.com/", "--baseline", "committed", "--quiet"]

# id, links of each page, listed paths
SITES: tuple[tuple[str, Mapping[str, str], set[str]], ...] = (
    ("nothing tells", {"index": "", "a": "", "b/index": ""}, {"", "a.html", "b/"}),
    ("the start page", {"index": "/a /b/", "a": "", "b/index": "/a.html /a.html"}, {"", "a", "b/"}),
    ("a page next to it", {"index": "/b/", "a": "", "b/index": "/a"}, {"", "a", "b/"}),
    ("most of these", {"index": "/b/ /c/", "a": "", "b/index": "/a", "c/index": "/a.html /d.html", "d": ""}, {"", "a.html", "b/", "c/", "d.html"}),
    ("no page two links away", {"index": "/b/", "a": "", "b/index": "/c/", "c/index": "/a"}, {"", "a.html", "b/", "c/"}),
    ("no start page", {"a": "", "b/index": "/a"}, {"a.html", "b/"}),
)  # fmt: skip


@pytest.mark.parametrize(("pages", "listed"), [pytest.param(*row[1:], id=row[0]) for row in SITES])
def test_the_spelling_that_is_used(
    pages: Mapping[str, str], listed: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, links in pages.items():
        file = tmp_path / f"dist/{name}.html"
        file.parent.mkdir(parents=True, exist_ok=True)
        anchors = "".join(f'<a href="{link}">{link}</a>' for link in links.split())
        file.write_text(f"<!doctype html><title>{name}</title><p>{f'The page {name} is itself. ' * 20}</p>{anchors}")
    assert run(["write", "--path", "dist", "--sitemap", "sitemap.xml", *HOST]) == 0
    assert set(re.findall(r"<loc>https://x.com/([^<]*)</loc>", Path("sitemap.xml").read_text())) == listed
