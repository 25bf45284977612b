"""ENV-03, on a site over HTTP: what a preview host says of every page is not what the site says."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from servers import Reply, Route, serve
from sitemap_action.__main__ import run

SITE = "https://www.example.com/"
NOINDEX = {"X-Robots-Tag": "noindex"}


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def page(name: str, *links: str, head: str = "") -> str:
    anchors = "".join(f'<a href="{link}">{link}</a> ' for link in links)
    text = f"some words about {name} that make a page of its own " * 12
    return f"<!doctype html><title>{name}</title>{head}<main><h1>{name}</h1>{anchors}<p>{text}</main>"


def preview(own: Mapping[str, str], everywhere: Mapping[str, str] = NOINDEX) -> dict[str, Route]:
    """A host that serves a fallback for every path, with its own headers on all of them."""
    bodies = {"/": page("home", *own), **own, "*": page("fallback")}
    return {path: Reply(body, headers=everywhere) for path, body in bodies.items()}


def look(url: str, site: str, *more: str) -> dict[str, Any]:
    run(["check", "--url", url, "--site-url", site, "--quiet", *more, "--report", "json=report.json"])
    report: dict[str, Any] = json.loads(Path("report.json").read_text())
    return report


def listed(report: Mapping[str, Any]) -> list[str]:
    return [row["url"].removeprefix(SITE) for row in report["added"]]


OWN = {"/a": page("a"), "/thanks": page("thanks", head='<meta name="robots" content="noindex">')}


def test_the_host_s_noindex_is_left_out_of_account_and_said() -> None:
    with serve(preview(OWN)) as site:
        report = look(site.url, SITE)
    assert listed(report) == ["", "a"]
    (thanks,) = report["skipped"]
    assert (thanks["reason"], thanks["detail"]) == ("deindexed", 'has <meta name="robots" content="noindex">')
    (note,) = [note for note in report["notes"] if "ENV-03" in note]
    assert note.startswith("X-Robots-Tag: noindex is on every one of 3 pages and on a URL that does not exist")


@pytest.mark.parametrize(("setting", "pages"), [("respect", []), ("ignore", ["", "a", "thanks"])])
def test_the_config_may_decide_otherwise(setting: str, pages: list[str]) -> None:
    with serve(preview(OWN)) as site:
        report = look(site.url, SITE, "--set", f"select.noindex={setting}")
    assert listed(report) == pages
    assert not any("ENV-03" in note for note in report["notes"])


def test_on_the_site_itself_it_means_what_it_says() -> None:
    with serve(preview(OWN)) as site:
        report = look(site.url, site.url)
    assert report["added"] == []
    assert not any("ENV-03" in note for note in report["notes"])


def test_what_the_host_does_not_say_of_other_addresses_is_the_site_s() -> None:
    routes = preview(OWN) | {"*": page("fallback")}
    with serve(routes) as site:
        report = look(site.url, SITE)
    assert report["added"] == []
