"""Generators judge: the URLs that a build has on its host are those of the sitemap that its generator wrote.

MkDocs, Sphinx with sphinx-sitemap, VitePress, Eleventy (a template), Docusaurus and Astro build their sites beforehand
(`.ci/sites`, `examples/docs`). Each difference is listed with its rule; any other one fails.
"""

import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from sitemap_action.__main__ import run
from test_deployed_folder import mkdocs
from test_generated_sites import built

__all__ = ["mkdocs"]

NOINDEX = "HTML-10: the page says noindex"
SLASHES = "URL-21: the host redirects the path of a folder to the one with a slash"
_ENTRY = re.compile(r"<url>\s*<loc>([^<]*)</loc>.*?</url>", re.DOTALL)


class Site(NamedTuple):
    """A build, and how its generator's sitemap differs from what the host serves. Both map a path to a reason."""

    name: str
    host: str
    origin: str
    urls: int  # that belong in the sitemap
    missing: Mapping[str, str] = {}
    extra: Mapping[str, str] = {}


_DOCUSAURUS = "https://harbour.example.com/"
_SLASHLESS = (
    *("blog", "blog/archive", "blog/page/2", "blog/page/3", "blog/tags", "blog/tags/cranes", "blog/tags/notes"),
    *("blog/tags/notes/page/2", "blog/tags/notes/page/3", "docs/category/guide", "docs/guide/first-move"),
    *("docs/guide/releases-1.2", "docs/guide/schedules", "docs/intro", "docs/reference/move-command", "docs/tags"),
    *("docs/tags/cranes", "docs/tags/planning", "pricing"),
    *(f"blog/2026/0{month}/10/note-{month}" for month in range(1, 6)),
)
SITES = (
    Site("mkdocs", "generic", "https://docs.example.com/", 11, extra={"project/writing/": NOINDEX}),
    Site("mkdocs", "github-pages", "https://docs.example.com/", 11, extra={"project/writing/": NOINDEX}),
    Site(
        "sphinx-html",
        "generic",
        "https://lighthouse.example.com/",
        5,
        extra={"rota.html": NOINDEX, "search.html": NOINDEX},
    ),
    Site(
        "sphinx-html",
        "github-pages",
        "https://lighthouse.example.com/",
        5,
        extra={"rota.html": NOINDEX, "search.html": NOINDEX},
    ),
    Site(
        "sphinx-dirhtml", "generic", "https://lighthouse.example.com/", 5, extra={"rota/": NOINDEX, "search/": NOINDEX}
    ),
    Site("vitepress", "generic", "https://orchard.example.com/", 5, extra={"drafts.html": NOINDEX}),
    Site("vitepress", "github-pages", "https://orchard.example.com/", 5, extra={"drafts.html": NOINDEX}),
    Site("vitepress-clean", "github-pages", "https://orchard.example.com/", 5, extra={"drafts": NOINDEX}),
    Site("vitepress-clean", "netlify", "https://orchard.example.com/", 5, extra={"drafts": NOINDEX}),
    Site("vitepress-clean", "cloudflare-pages", "https://orchard.example.com/", 5, extra={"drafts": NOINDEX}),
    Site("vitepress-clean", "nginx-clean", "https://orchard.example.com/", 5, extra={"drafts": NOINDEX}),
    Site("eleventy", "generic", "https://bakery.example.com/", 8),
    Site("eleventy", "netlify", "https://bakery.example.com/", 8),
    Site("astro", "generic", "https://observatory.example.com/", 6),
    Site("astro", "netlify", "https://observatory.example.com/", 6),
    Site("docusaurus-true", "github-pages", _DOCUSAURUS, 26),
    Site("docusaurus-false", "github-pages", _DOCUSAURUS, 26),
    Site("docusaurus-false", "netlify", _DOCUSAURUS, 26),
    Site("docusaurus-default", "vercel", _DOCUSAURUS, 26),
    Site(
        "docusaurus-default",
        "github-pages",
        _DOCUSAURUS,
        26,
        missing={f"{path}/": SLASHES for path in _SLASHLESS},
        extra=dict.fromkeys(_SLASHLESS, SLASHES),
    ),
)


@pytest.fixture(params=SITES, ids=lambda site: f"{site.name} on {site.host}")
def site(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    """The site, with a copy of its build in `dist`."""
    found: Site = request.param
    folder = request.getfixturevalue("mkdocs") if found.name == "mkdocs" else built(found.name)
    shutil.copytree(folder, tmp_path / "dist")
    monkeypatch.chdir(tmp_path)
    return found


def look(command: str, site: Site, *more: str) -> tuple[int, dict[str, Any]]:
    arguments = ["--path", "dist", "--host", site.host, "--site-url", site.origin, "--baseline", "committed"]
    code = run([command, *arguments, *more, "--quiet", "--report", "json=report.json"])
    return code, json.loads(Path("report.json").read_text())


def sitemaps() -> list[Path]:
    return sorted(Path("dist").glob("sitemap*.xml"))


def entries(files: list[Path]) -> list[str]:
    return [url for file in files for url in _ENTRY.findall(file.read_text())]


def paths(site: Site, urls: list[str]) -> set[str]:
    return {url.removeprefix(site.origin) for url in urls}


def test_without_a_sitemap_the_same_urls_are_found(site: Site) -> None:
    theirs = paths(site, entries(sitemaps()))
    for file in Path("dist").glob("sitemap*"):
        file.unlink()
    assert look("write", site, "--sitemap", "new.xml")[0] == 0
    ours = paths(site, entries([Path("new.xml")]))
    assert (ours - theirs, theirs - ours) == (site.missing.keys(), site.extra.keys())
    assert len(ours) == site.urls


def test_the_generators_sitemap_is_true_but_for_what_is_listed(site: Site) -> None:
    code, report = look("check", site)
    stale = report["stale"]
    assert paths(site, stale["missing"]) == site.missing.keys()
    assert paths(site, stale["extra"]) == site.extra.keys()
    differs = bool(site.missing or site.extra)
    assert (code, report["result"]) == ((1, "drift") if differs else (0, "in-sync"))


def test_an_entry_that_is_deleted_or_invented_is_stale(site: Site) -> None:
    """Question 1, of a sitemap that is true before (`write` repairs it in place)."""
    look("write", site)
    file = sitemaps()[0]
    *_, url = entries([file])
    true = file.read_text()
    assert look("check", site)[1]["result"] == "in-sync"

    file.write_text(_ENTRY.sub(lambda found: "" if found[1] == url else found[0], true))
    code, report = look("check", site)
    assert (code, report["result"]) == (1, "drift")
    assert (report["stale"]["missing"], report["stale"]["extra"]) == ([url], [])

    file.write_text(true.replace(f"<loc>{url}</loc>", f"<loc>{url}none</loc>"))
    code, report = look("check", site)
    assert (code, report["result"]) == (1, "drift")
    assert (report["stale"]["missing"], report["stale"]["extra"]) == ([url], [f"{url}none"])
