"""ENV-03, on a site over HTTP: what a preview host says of every page is not what the site says."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from servers import Reply, Route, serve
from sitemap_action.__main__ import run
from test_deployed_folder import nginx

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


def host_policy(report: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [row for row in report["findings"] if row["rule"] == "ENV-03"]


OWN = {"/a": page("a"), "/thanks": page("thanks", head='<meta name="robots" content="noindex">')}


def test_the_host_s_noindex_is_left_out_of_account_and_said() -> None:
    with serve(preview(OWN)) as site:
        report = look(site.url, SITE)
    assert listed(report) == ["", "a"]
    (thanks,) = report["skipped"]
    assert (thanks["reason"], thanks["detail"]) == ("deindexed", 'has <meta name="robots" content="noindex">')
    (finding,) = host_policy(report)
    assert finding["severity"] == "warning"
    assert finding["message"].endswith("policy of its host: X-Robots-Tag: noindex on every one of 3 pages")
    assert "select.noindex" in finding["tip"]


@pytest.mark.parametrize(("setting", "pages"), [("respect", []), ("ignore", ["", "a", "thanks"])])
def test_the_config_may_decide_otherwise(setting: str, pages: list[str]) -> None:
    with serve(preview(OWN)) as site:
        report = look(site.url, SITE, "--set", f"select.noindex={setting}")
    assert listed(report) == pages
    assert not host_policy(report)


def test_on_the_site_itself_it_means_what_it_says() -> None:
    with serve(preview(OWN)) as site:
        report = look(site.url, site.url)
    assert report["added"] == []
    assert not host_policy(report)


def test_what_the_host_does_not_say_of_other_addresses_is_the_site_s() -> None:
    routes = preview(OWN) | {"*": page("fallback")}
    with serve(routes) as site:
        report = look(site.url, SITE)
    assert report["added"] == []


# V-10: what an error answer of the preview has, and nofollow

META = '<meta name="robots" content="noindex, nofollow">'
NO_404: Route = 404
V_10: list[tuple[str, dict[str, str], str, Route]] = [
    ("a header on every answer", NOINDEX, "", Reply("<h1>404</h1>", 404, headers=NOINDEX)),
    ("add_header without always: absent on errors", NOINDEX, "", NO_404),
    ("with nofollow", {"X-Robots-Tag": "noindex, nofollow"}, "", NO_404),
    ("none", {"X-Robots-Tag": "none"}, "", NO_404),
    ("a meta, on the 404 too", {}, META, Reply(page("nothing here", head=META), 404)),
    ("a meta, not on the server's 404", {}, META, NO_404),
]


@pytest.mark.parametrize(("headers", "head", "missing"), [pytest.param(*row[1:], id=row[0]) for row in V_10])
@pytest.mark.parametrize("start", ["/", "/en/"])
def test_V_10_host_policy_and_error_answers(headers: dict[str, str], head: str, missing: Route, start: str) -> None:
    """An error answer without the directive is neutral, and a nofollow beside a noindex stops no discovery."""
    bodies = {start: page("home", "/a", head=head), "/a": page("a", "/b", head=head), "/b": page("b", head=head)}
    routes: dict[str, Route] = {path: Reply(body, headers=headers) for path, body in bodies.items()}
    if start != "/":
        routes["/"] = Reply("", 302, {**headers, "Location": start})
    with serve({**routes, "*": missing}) as site:
        report = look(site.url, SITE)
        assert listed(report) == sorted([start[1:], "a", "b"])
        assert len(host_policy(report)) == 1
        assert not [row for row in look(site.url, site.url)["added"] if row["url"] != site.url]


def test_V_10_a_directive_of_some_pages_counts() -> None:
    """A start page with noindex, nofollow of its own, beside pages without."""
    routes: dict[str, Route] = {"/": page("home", "/a", head=META), "/a": page("a"), "*": 404}
    with serve(routes) as site:
        report = look(site.url, SITE)
    assert host_policy(report) == []
    assert f"{SITE}" not in listed(report)


def test_V_10_nginx_adds_headers_to_successful_answers_alone(tmp_path: Path) -> None:
    root = tmp_path / "site"
    for number in range(20):
        path = root / (f"p{number}/index.html" if number else "index.html")
        path.parent.mkdir(parents=True)
        path.write_text(page(f"page {number}", *(f"/p{other}/" for other in range(1, 20))))
    with nginx(tmp_path, root, "add_header X-Robots-Tag noindex;") as url:
        report = look(url, SITE)
    assert len(report["added"]) == 20
    assert len(host_policy(report)) == 1
