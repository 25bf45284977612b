"""Sites that their own generators built (`.ci/sites`), as a folder and from nginx: every page is listed, or has a reason."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from sitemap_action.__main__ import run
from test_deployed_folder import nginx

BUILDS = Path(__file__).parents[1] / "build/sites"
CLEAN = "location / { try_files $uri $uri/index.html $uri.html =404; }"


class Site(NamedTuple):
    """One build, and what becomes of its pages."""

    name: str
    origin: str
    listed: int
    unlisted: dict[str, str]  # path → class, of the pages in the folder that are not listed
    host: tuple[str, ...] = ()  # where the site's own links and canonicals do not say the addresses that nginx has

    def folder_flags(self, folder: Path) -> tuple[str, ...]:
        return ("--path", str(folder), "--site-url", self.origin, *self.host)


_NGINX = ("--host", "nginx")
_DOCUSAURUS = {"404.html": "excluded", "docs/reference/internal/": "deindexed"}
SITES = (
    Site("docusaurus-default", "https://harbour.example.com/", 26, _DOCUSAURUS, _NGINX),
    Site("docusaurus-true", "https://harbour.example.com/", 26, _DOCUSAURUS),
    Site("vitepress", "https://orchard.example.com/", 5, {"404.html": "excluded", "drafts.html": "deindexed"}),
    Site("eleventy", "https://bakery.example.com/", 8, {"404.html": "excluded", "staff/": "deindexed"}),
    Site("astro", "https://observatory.example.com/", 6, {"404.html": "excluded", "old-notes/": "moved"}),
    Site(
        "hugo",
        "https://harbourmaster.example.com/",
        15,
        {"404.html": "excluded", "de/404.html": "excluded", "crew/": "deindexed", "en/": "moved"},
    ),
    Site(
        "jekyll",
        "https://hut.example.com/",
        6,
        {"404.html": "excluded", "bookings.html": "deindexed", "old-news.html": "deindexed"},
    ),
    Site("django", "https://library.example.com/", 9, {}),
    Site(
        "next-sitemap",
        "https://planetarium.example.com/",
        5,
        {"404.html": "excluded", "404/": "deindexed", "staff/": "deindexed"},
    ),
)


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def built(name: str) -> Path:
    folder = BUILDS / name
    if not (BUILDS / ".sources").exists():
        pytest.skip("the sites of tests/generators are not built: run `make sites`, which needs npm")
    if not folder.exists():
        pytest.skip(f"{name} was not installed: install it (a Debian package), and run `make sites` again")
    return folder


def look(command: str, *arguments: str) -> tuple[int, dict[str, Any]]:
    code = run([command, *arguments, "--report", "json=report.json", "--quiet"])
    return code, json.loads(Path("report.json").read_text())


def classes(report: dict[str, Any], origin: str) -> dict[str, str]:
    """Path → "listed", or the class of a page that is not."""
    found = {row["url"]: "listed" for row in report["added"]}
    found |= {row["url"]: row["reason"] for row in report["skipped"]}
    found |= {row["url"]: "undetermined" for row in report["undetermined"]}
    return {url.removeprefix(origin): reason for url, reason in found.items()}


@pytest.mark.parametrize("site", SITES, ids=lambda site: site.name)
def test_every_file_is_listed_or_has_a_reason(site: Site) -> None:
    folder = built(site.name)
    files = [path.relative_to(folder).as_posix() for path in folder.rglob("*.html")]
    paths = {file.removesuffix("index.html") if Path(file).name == "index.html" else file for file in files}
    code, report = look("write", *site.folder_flags(folder), "--sitemap", "sitemap.xml")
    assert code == 0
    found = classes(report, site.origin)
    assert {path: found[path] for path in paths if found[path] != "listed"} == site.unlisted
    assert sum(reason == "listed" for reason in found.values()) == site.listed
    assert look("check", *site.folder_flags(folder))[0] == 0


def test_HOST_01_pages_of_docusaurus_have_the_addresses_that_its_links_and_canonicals_have() -> None:
    """By default it writes `x/index.html`, and links to `/x`. Without the host that is the page, and it is kept."""
    origin = "https://harbour.example.com/"
    flags = ("--path", str(built("docusaurus-default")), "--site-url", origin)
    code, report = look("write", *flags, "--sitemap", "sitemap.xml")
    assert code == 0
    listed = [path for path, reason in classes(report, origin).items() if reason == "listed"]
    assert len(listed) == 26
    # One page names its address with the slash, as its own canonical too.
    assert [path for path in listed if path.endswith("/")] == ["docs/reference/"]
    assert look("check", *flags)[0] == 0


@pytest.mark.parametrize("site", SITES, ids=lambda site: site.name)
def test_nginx_and_the_folder_agree(site: Site, workspace: Path) -> None:
    folder = built(site.name)
    _, report = look("check", *site.folder_flags(folder))
    by_folder = classes(report, site.origin)
    unlinked = {row["url"].removeprefix(site.origin) for row in report["findings"] if row["rule"] == "HTML-68"}
    with nginx(workspace, folder) as url:
        _, report = look("check", "--url", url, "--site-url", site.origin, "--set", "sitemaps.use=false")
    assert report["complete"]
    served = classes(report, site.origin)
    for path, reason in served.items():
        # In a folder, a link to another spelling of a page counts for the page and has no row of its own.
        assert reason == by_folder.get(path, "moved"), path
    missing = {path for path in by_folder if path not in served and by_folder[path] == "listed"}
    assert missing <= unlinked


@pytest.mark.parametrize(
    ("name", "origin", "listed"),
    [
        ("docusaurus-false", "https://harbour.example.com/", 25),  # no page links to /blog/archive
        ("vitepress-clean", "https://orchard.example.com/", 5),
    ],
)
def test_clean_urls(name: str, origin: str, listed: int, workspace: Path) -> None:
    """A build whose links lack `.html`, from the server that it is made for."""
    with nginx(workspace, built(name), CLEAN) as url:
        code, report = look("write", "--url", url, "--site-url", origin, "--set", "sitemaps.use=false")
        assert code == 0
        found = classes(report, origin)
        assert list(found.values()) == ["listed"] * listed
        assert not [path for path in found if path.endswith(".html")]
        assert look("check", "--url", url, "--site-url", origin, "--set", "sitemaps.use=false")[0] == 0
