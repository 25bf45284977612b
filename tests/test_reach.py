"""What a crawl reaches, and what a verdict says of the rest: other spellings, odd links, unanswered pages, first runs."""

import json
from pathlib import Path
from typing import Any

import pytest

from servers import Route, serve
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
