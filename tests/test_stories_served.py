"""Every story of tests/cases whose build nginx can serve: each page has the same class over HTTP as in the folder.

A story with `--offline` is served without it: the server is on this machine, and no name of another host is found here.
"""

import json
import shlex
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from sitemap_action.__main__ import run
from test_cases import CASES, NAMES, lay_out
from test_deployed_folder import nginx
from test_generated_sites import CLEAN

OTHERWISE = {
    "HOST-01-two-hosts": "another host than nginx",
    "HOST-05-netlify-redirects": "another host than nginx",
    "HOST-07-headers-noindex": "another host than nginx",
    "HOST-08-vercel-clean-urls": "another host than nginx",
    "HOST-09-fallback": "another host than nginx",
    "HTML-73-links-to-nothing": "another host than nginx",
    "RT-04-beyond-the-limit": "another host than nginx",
    "URL-21-html-dropped": "another host than nginx",
    "URL-21-slash-added": "another host than nginx",
    "github-pages-spelling": "another host than nginx",
    "robots-ignored": "on a preview, robots.txt that blocks every crawler is the policy of its host (ENV-04)",
}
WITHOUT_HTML = {"HOST-01-canonicals-of-another-host"}  # its host is not known, and the site says that it serves /about


def has_pages(name: str) -> bool:
    return (CASES / name / "expected/report.json").exists() and any((CASES / name / "site").rglob("*.html"))


SERVED = [name for name in NAMES if has_pages(name) and name not in OTHERWISE]


def judged(name: str, *source: str) -> dict[str, Any]:
    command = shlex.split((CASES / name / "command").read_text())
    options = [*source, "--quiet", "--set", "sitemaps.use=false", "--set", "http.retries=0"]
    run(["check", *_without_source(command[1:]), *options, "--report", "json=report.json"])
    report: dict[str, Any] = json.loads(Path("report.json").read_text())
    return report


def _without_source(arguments: list[str]) -> list[str]:
    return [
        argument
        for before, argument in zip(["", *arguments], arguments, strict=False)
        if argument not in {"--path", "--dry-run", "--offline"} and before != "--path"
    ]


def classes(report: dict[str, Any]) -> dict[str, str]:
    found = {row["url"]: row["class"] for row in report["removed"]}
    found |= {url: found.get(url, "extra") for url in report["stale"]["extra"]}
    found |= {row["url"]: "undetermined" for row in report["undetermined"]}
    return found | {row["url"]: "added" for row in report["added"]}


def orphans(report: dict[str, Any]) -> int:
    """Pages that a crawl cannot find, for no page links to them."""
    return sum(finding.get("count", 1) for finding in report["findings"] if finding["rule"] == "HTML-68")


SPELLED = (
    "below-a-path",
    "both-spellings",
    "canonical-preview-query",
    "canonical-without-slash",
    "exclude-is-exact",
    "html-flip-led",
    "index-html-listed",
    "slash-flip",
)
ASKED = ("trailing-slash=add", "trailing-slash=remove", "html-extension=drop", "html-extension=keep")


@pytest.mark.parametrize("name", SERVED)
def test_nginx_and_the_folder_agree(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    agree(name, tmp_path)


@pytest.mark.parametrize("option", ASKED)
@pytest.mark.parametrize("name", SPELLED)
def test_URL_21_they_list_the_same_spellings(
    name: str, option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    # On a host that is not known, each spelling is the page, and the one that is asked for is listed (HOST-01).
    agree(name, tmp_path, "--set", f"select.{option}", host=("--host", "nginx"))


def agree(name: str, workspace: Path, *more: str, host: tuple[str, ...] = ()) -> None:
    lay_out(CASES / name, workspace)
    folder = judged(name, "--path", "site", *host, *more)
    root, path, directives = workspace / "site", urlsplit(folder["site_url"]).path, "error_page 404 /404.html;"
    if name in WITHOUT_HTML:
        directives += CLEAN
    if path != "/":  # a build below a path: the host's root is another one, with another robots.txt (HOST-13)
        root, directives = workspace / ".github", f"location {path} {{ alias {root}/; }}"
    with nginx(workspace, root, directives) as url:
        served = judged(name, "--url", url.removesuffix("/") + path, *more)
    expected, found = classes(folder), classes(served)
    unseen = [url for url, reason in expected.items() if reason == "added" and url not in found]
    assert len(unseen) <= orphans(folder)
    assert found == {url: reason for url, reason in expected.items() if url not in unseen}
    assert served["result"] == folder["result"] or unseen


def test_every_exception_is_a_story() -> None:
    assert OTHERWISE.keys() | WITHOUT_HTML <= {name for name in NAMES if has_pages(name)}
    assert len(SERVED) > 70
