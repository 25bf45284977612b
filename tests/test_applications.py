"""Client-side applications (`.ci/applications`) as a folder and from nginx: a browser finds every route, and no page twice."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import browser
from client_side import built, listed
from sitemap_action.__main__ import run
from test_deployed_folder import nginx

FALLBACK = "location / { try_files $uri $uri/index.html /index.html; }"
MIXED = "location / { try_files $uri $uri/index.html =404; } location /app/ { try_files $uri $uri/index.html /app/index.html; }"
SOON = ("--set", "render.wait-for-timeout=1")


class Application(NamedTuple):
    """What becomes of the routes that are not listed; each application has one of each kind."""

    name: str
    origin: str
    copy: str  # names another page as its canonical
    private: str  # a script makes it noindex
    withdrawn: str  # is served with noindex, which a script removes
    moved: str  # the router goes elsewhere
    missing: str  # no route: the view of the router for it


APPLICATIONS = (
    Application("react", "https://workshop.example.com/", "lamp", "staff", "withdrawn/", "company", "no-such-page"),
    Application("vue", "https://museum.example.com/", "night", "depot", "withdrawn/", "opening-hours", "cellar"),
    Application(
        "svelte", "https://cinema.example.com/", "premiere", "projectionist", "withdrawn/", "prices", "silent-films"
    ),
)


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SITEMAP_ACTION_BROWSER", browser.program())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def look(origin: str, *source: str) -> dict[str, Any]:
    run(["check", *source, "--site-url", origin, "--report", "json=report.json", "--quiet"])
    report: dict[str, Any] = json.loads(Path("report.json").read_text())
    return report


def paths(report: dict[str, Any], origin: str) -> list[str]:
    return sorted("/" + row["url"].removeprefix(origin) for row in report["added"])


def classes(report: dict[str, Any], origin: str) -> dict[str, str]:
    return {row["url"].removeprefix(origin): row["reason"] for row in report["skipped"]}


def holds(report: dict[str, Any], one: Application) -> None:
    assert report["complete"] is True, report["incomplete"]
    assert paths(report, one.origin) == listed(one.name)
    found = classes(report, one.origin)
    assert found[one.copy] == "deindexed"
    assert found[one.private] == "deindexed"
    assert found[one.withdrawn] == "deindexed"
    assert found[one.moved] == "moved"
    assert found[one.missing] == "soft-404"
    (head,) = [finding for finding in report["findings"] if finding["rule"] == "HTML-72"]
    assert head["url"] == one.origin + one.withdrawn
    assert "noindex, which holds" in head["message"]


@pytest.mark.parametrize("one", APPLICATIONS, ids=[one.name for one in APPLICATIONS])
def test_an_application_in_a_folder(one: Application) -> None:
    holds(look(one.origin, "--path", str(built(one.name))), one)


@pytest.mark.parametrize("one", APPLICATIONS, ids=[one.name for one in APPLICATIONS])
def test_an_application_on_a_server(one: Application, workspace: Path) -> None:
    with nginx(workspace, built(one.name), FALLBACK) as url:
        holds(look(one.origin, "--url", url), one)


def rendered(report: dict[str, Any]) -> int:
    """How many pages a browser rendered."""
    return int(report["rendering"]["pages"]) if "rendering" in report else 0


def test_a_page_that_a_server_rendered_is_left_alone() -> None:
    origin = "https://pilot.example.com/"
    report = look(origin, "--path", str(built("next-like")), "--host", "netlify")
    assert (report["complete"], paths(report, origin)) == (True, listed("next-like"))
    assert rendered(report) == 0
    assert "HTML-70" not in {finding["rule"] for finding in report["findings"]}


@pytest.mark.parametrize("served", [False, True], ids=["in a folder", "on a server"])
def test_of_a_mixed_site_only_the_application_is_rendered(served: bool, workspace: Path) -> None:
    """Its four routes, and the answer for a path that none of them has: a view without links, which is not waited for."""
    origin, folder = "https://islands.example.com/", built("mixed")
    if served:
        with nginx(workspace, folder, MIXED) as url:
            report = look(origin, "--url", url, *SOON)
    else:
        report = look(origin, "--path", str(folder), *SOON)
    assert report["complete"] is True, report["incomplete"]
    assert [path.removesuffix(".html") for path in paths(report, origin)] == listed("mixed")
    assert rendered(report) == 5


def test_without_a_browser_the_report_says_what_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SITEMAP_ACTION_BROWSER", "no-such-browser")
    report = look("https://workshop.example.com/", "--path", str(built("react")))
    assert report["complete"] is False
    (why,) = [reason for reason in report["incomplete"] if "scripts" in reason]
    assert "chromium-headless-shell" in why
    assert "browser: true" in why
    assert rendered(report) == 0
