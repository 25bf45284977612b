"""One build, as a folder and behind nginx: every page has the same class."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from sitemap_action.__main__ import run
from test_deployed_folder import nginx

SITE = "https://www.example.com/"


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def page(name: str, *links: str, head: str = "") -> str:
    anchors = "".join(f'<a href="{link}">{link}</a> ' for link in links)
    text = f"some words about {name} that make a page of its own " * 12
    return f"<!doctype html><title>{name}</title>{head}<main><h1>{name}</h1>{anchors}<p>{text}</main>"


def naming(target: str) -> str:
    return f'<link rel="canonical" href="{target}">'


def lay_out(files: Mapping[str, str], committed: tuple[str, ...]) -> None:
    for name, text in files.items():
        path = Path("site", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    locs = "".join(f"<url><loc>{SITE}{path}</loc></url>" for path in committed)
    Path("sitemap.xml").write_text(f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{locs}</urlset>')


def judged(*arguments: str) -> dict[str, Any]:
    quick = ["--quiet", "--set", "sitemaps.use=false", "--set", "http.retries=0"]
    run(["check", *arguments, "--site-url", SITE, *quick, "--report", "json=report.json"])
    report: dict[str, Any] = json.loads(Path("report.json").read_text())
    return report


def both(tmp_path: Path, files: Mapping[str, str], committed: tuple[str, ...], *more: str) -> list[dict[str, Any]]:
    """The reports on the folder, and over HTTP."""
    lay_out(files, committed)
    folder = judged("--path", "site", *more)
    with nginx(tmp_path, tmp_path / "site") as url:
        return [folder, judged("--url", url, *more)]


def classes(report: dict[str, Any]) -> dict[str, str]:
    """Path → class of every page that was listed or would be."""
    found = {row["url"]: row["class"] for row in report["removed"]}
    found |= {row["url"]: "added" for row in report["added"]}
    found |= {row["url"]: "undetermined" for row in report["undetermined"]}
    return {url.removeprefix(SITE): name for url, name in found.items()}


def findings(report: dict[str, Any], rule: str) -> list[dict[str, Any]]:
    return [row for row in report["findings"] if row["rule"] == rule]


def test_V_27_an_article_with_the_number_of_an_error_is_a_page(tmp_path: Path) -> None:
    files = {"index.html": page("home", "p/501.html", "500/"), "p/501.html": page("jeans"), "500/index.html": page("a")}
    for report in both(tmp_path, files, ("", "p/501.html", "500/")):
        assert (report["result"], classes(report)) == ("in-sync", {})


def test_V_28_an_index_htm_is_listed_where_it_is_served(tmp_path: Path) -> None:
    files = {"index.html": page("home", "legacy/index.htm"), "legacy/index.htm": page("legacy")}
    for report in both(tmp_path, files, ("", "legacy/index.htm")):
        assert (report["result"], classes(report)) == ("in-sync", {})
