"""`check https://…`: sites that real generators have built, served on loopback, judged with no flag and no repository."""

import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from repositories import create, git
from servers import Reply, Route, Site, redirect, serve, typed
from sitemap_action.__main__ import run
from sitemap_documents import index, urlset

NS = "http://www.sitemaps.org/schemas/sitemap/0.9"
LANGUAGES = ("en", "de", "fr", "it", "es", "pt", "nl", "pl", "sv", "da")
TYPES = {".xml": "application/xml", ".txt": "text/plain", ".css": "text/css", ".js": "text/javascript"}


def words(name: str) -> str:
    return f"The page {name} has words of its own, and enough of them to be one. " * 12


def serve_build(site: Site, folder: Path) -> None:
    """The files of a build as a plain static host serves them: a folder by its index."""
    for file in folder.rglob("*"):
        if file.is_file():
            path, kind = f"/{file.relative_to(folder).as_posix()}", TYPES.get(file.suffix, "text/html; charset=utf-8")
            site.routes[path] = Reply(file.read_bytes(), type=kind)
            if file.name == "index.html":
                site.routes[path.removesuffix("index.html")] = Reply(file.read_bytes(), type=kind)
    missing = folder / "404.html"
    site.routes["*"] = Reply(missing.read_bytes() if missing.exists() else "<h1>nothing here</h1>", 404)


def hugo(folder: Path, address: str, config: str = "") -> Path:
    if not shutil.which("hugo"):
        pytest.skip("hugo is not installed")
    (folder / "layouts/_default").mkdir(parents=True)
    links = '{{ range .Site.RegularPages }}<a href="{{ .RelPermalink }}">{{ .Title }}</a>{{ end }}'
    languages = "{{ range .Translations }}<a href='{{ .RelPermalink }}'>{{ .Lang }}</a>{{ end }}"
    for name in ("single", "list", "home"):
        place = "layouts" if name == "home" else "layouts/_default"
        html = f"<!doctype html><title>{{{{ .Title }}}}</title><h1>{{{{ .Title }}}}</h1>{{{{ .Content }}}}{links}{languages}"
        (folder / place / f"{'index' if name == 'home' else name}.html").write_text(html)
    (folder / "hugo.toml").write_text(
        f'baseURL = "{address}"\ntitle = "Site"\ndisableKinds = ["taxonomy", "term", "RSS"]\n{config}'
    )
    subprocess.run(["hugo", "--quiet"], cwd=folder, check=True)
    return folder / "public"


def ten_languages(folder: Path, address: str) -> Path:
    """Hugo's index has a child for each language."""
    for language in LANGUAGES:
        for name in ("_index", "about", "news"):
            page = folder / f"content/{language}/{name}.md"
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_text(f"---\ntitle: {name} {language}\n---\n{words(f'{name} {language}')}")
    rows = "".join(
        f'[languages.{one}]\nweight = {number}\ntitle = "Site {one}"\ncontentDir = "content/{one}"\n'
        for number, one in enumerate(LANGUAGES, start=1)
    )
    return hugo(folder, address, f'defaultContentLanguage = "en"\ndefaultContentLanguageInSubdir = true\n{rows}')


def mkdocs(folder: Path, address: str, *names: str) -> Path:
    (folder / "docs").mkdir(parents=True)
    for name in ("index", *names):
        (folder / f"docs/{name}.md").write_text(f"# {name}\n\n{words(name)}\n")
    (folder / "mkdocs.yml").write_text(f"site_name: Docs\nsite_url: {address}\n")
    subprocess.run([sys.executable, "-m", "mkdocs", "build", "-q"], cwd=folder, check=True)
    return folder / "site"


def jekyll(folder: Path, *names: str) -> Path:
    """Without the plug-in that writes a sitemap."""
    if not shutil.which("jekyll"):
        pytest.skip("jekyll is not installed")
    folder.mkdir()
    links = "".join(f'<a href="/{name}.html">{name}</a> ' for name in names)
    for name in ("index", *names):
        (folder / f"{name}.html").write_text(f"---\ntitle: {name}\n---\n<title>{name}</title>{words(name)}{links}")
    subprocess.run(["jekyll", "build", "--quiet"], cwd=folder, check=True, capture_output=True)
    return folder / "_site"


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A server, and an empty folder to run in."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    with serve({}) as site:
        yield site


def check(site: Site, *flags: str) -> tuple[int, dict[str, Any]]:
    """The report; the time beside the answers of the server is measured."""
    before = len(site.asked)
    began = time.monotonic()
    code = run(["check", site.url, "--report", "json=report.json", "--no-progress", *flags])
    assert time.monotonic() - began < 2 + 0.05 * (len(site.asked) - before)
    return code, json.loads(Path("report.json").read_text())


def first_line(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().out.partition("\n")[0]


def test_I_05_an_index_of_ten_children_is_judged_whole(
    served: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    serve_build(served, ten_languages(tmp_path / "hugo", served.url))
    code, report = check(served)
    printed = capsys.readouterr().out
    assert (code, report["result"], report["judged"], report["complete"]) == (0, "in-sync", "served", True)
    assert (report["sitemap"], report["counts"]["urls"]) == (f"{served.url}sitemap.xml", 30)
    assert printed.startswith("in-sync: the sitemap matches the site")
    assert f"served     {served.url}sitemap.xml (30 URLs)" in printed
    assert "removals were not judged" in printed
    asked = [path for path in served.paths if path.endswith(".xml") or path == "/robots.txt"]
    assert sorted(asked) == sorted(
        ["/robots.txt", "/sitemap.xml", *(f"/{one}/sitemap.xml" for one in LANGUAGES)]
    )  # nothing twice


def test_I_05_what_is_missing_dead_and_broken_is_named(
    served: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    serve_build(served, ten_languages(tmp_path / "hugo", served.url))
    del served.routes["/de/about/"], served.routes["/de/about/index.html"]  # dead, and listed
    child = served.routes["/fr/sitemap.xml"]
    assert isinstance(child, Reply)
    text = child.body.decode() if isinstance(child.body, bytes) else child.body
    kept = text.replace(f"<loc>{served.url}fr/news/</loc>", f"<loc>{served.url}fr/</loc>")
    served.routes["/fr/sitemap.xml"] = typed("application/xml", kept)  # a page is missing, another is there twice
    served.routes["/da/sitemap.xml"] = 404
    code, report = check(served)
    printed = capsys.readouterr().out
    assert (code, report["judged"]) == (1, "served")
    assert [(row["url"], row["class"]) for row in report["removed"]] == [(f"{served.url}de/about/", "gone")]
    assert report["stale"]["extra"] == [f"{served.url}de/about/"]
    missing = [f"{served.url}{one}" for one in ("da/", "da/about/", "da/news/", "fr/news/")]
    assert report["stale"]["missing"] == missing
    rules = {row["rule"] for row in report["findings"]}
    assert {"SM-63", "SM-31"} <= rules
    changes = f"{served.url}de/sitemap.xml: remove 1; {served.url}fr/sitemap.xml: add 1; add 3 to one of its files. "
    assert f"Correct what writes {served.url}sitemap.xml: {changes}" in printed
    assert re.search(rf"\+ {served.url}fr/news/ .*\[{served.url}fr/sitemap\.xml\]", printed)
    assert re.search(rf"- {served.url}de/about/ .*\[{served.url}de/sitemap\.xml:\d+\]", printed)
    assert "commit" not in printed


def test_I_05_a_missing_page_belongs_to_the_file_that_alone_has_its_folder(
    served: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    pages = [f"{folder}/{number}" for folder in "abc" for number in "123"]
    links = "".join(f'<a href="/{page}">{page}</a>' for page in pages)
    served.routes |= {f"/{page}": f"<title>{page}</title><p>{words(page)}" for page in pages} | {"/": links}
    children = {"1.xml": ["", "a/1", "a/2", "c/1"], "2.xml": ["b/1", "b/2", "c/2"]}
    for name, listed in children.items():
        served.routes[f"/{name}"] = typed("application/xml", urlset(*(served.url + page for page in listed)))
    served.routes["/sitemap.xml"] = typed("application/xml", index(*(served.url + name for name in children)))
    assert check(served)[0] == 1
    printed = capsys.readouterr().out
    found = [re.search(rf"\+ {served.url}{page} .*\[(.*)\]", printed) for page in ("a/3", "b/3", "c/3")]
    assert [row and row[1] for row in found] == [f"{served.url}1.xml", f"{served.url}2.xml", None]


def test_I_05_a_wrong_line_of_robots_txt_beside_a_good_sitemap_is_a_warning(
    served: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    serve_build(served, mkdocs(tmp_path / "mkdocs", served.url, "about", "guide"))
    served.routes["/robots.txt"] = typed("text/plain", f"User-agent: *\nSitemap: {served.url}sitemap_index.xml\n")
    code, report = check(served)
    assert (code, report["result"], report["judged"]) == (0, "in-sync", "served")
    assert report["sitemap"] == f"{served.url}sitemap.xml"
    (wrong,) = [row for row in report["findings"] if row["rule"] == "RB-32"]
    assert (wrong["severity"], wrong["line"], wrong["url"]) == ("warning", 2, f"{served.url}sitemap_index.xml")
    assert first_line(capsys) == "in-sync: the sitemap matches the site; 1 warning (exit 0)"


def test_I_05_a_site_without_any_sitemap_is_told_what_to_upload(
    served: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    serve_build(served, jekyll(tmp_path / "jekyll", "a", "b"))
    code, report = check(served)
    assert (code, report["result"], report["judged"], report["first_run"]) == (1, "drift", "served", True)
    printed = capsys.readouterr().out
    assert printed.startswith(f"drift: {served.url} has no sitemap: ")
    assert (
        f"Upload one to {served.url}sitemap.xml: `sitemap-action write {served.url} --sitemap sitemap.xml`" in printed
    )
    assert f"Sitemap: {served.url}sitemap.xml" in printed
    assert "commit" not in printed
    assert run(["write", served.url, "--sitemap", "sitemap.xml"]) == 0
    served.routes["/sitemap.xml"] = typed("application/xml", Path("sitemap.xml").read_bytes())
    Path("sitemap.xml").unlink()
    assert check(served)[0] == 0


def test_I_05_a_site_as_WordPress_serves_it(served: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`wp-sitemap.xml` is an index, and no line of robots.txt has to name it."""
    build = mkdocs(tmp_path / "mkdocs", served.url, "about", "guide")
    serve_build(served, build)
    del served.routes["/sitemap.xml"], served.routes["/sitemap.xml.gz"]
    served.routes["/wp-sitemap-posts-page-1.xml"] = typed("application/xml", (build / "sitemap.xml").read_bytes())
    rows = f"<sitemap><loc>{served.url}wp-sitemap-posts-page-1.xml</loc></sitemap>"
    index = f'<?xml version="1.0" encoding="UTF-8"?><sitemapindex xmlns="{NS}">{rows}</sitemapindex>'
    served.routes["/wp-sitemap.xml"] = typed("application/xml", index)
    code, report = check(served)
    assert (code, report["result"], report["sitemap"]) == (0, "in-sync", f"{served.url}wp-sitemap.xml")
    assert first_line(capsys) == "in-sync: the sitemap matches the site (exit 0)"
    assert [path.name for path in Path().iterdir()] == ["report.json"], "and nothing else is written"


def test_I_05_a_wall_is_said_and_no_sitemap_is_missed(
    served: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    serve_build(served, mkdocs(tmp_path / "mkdocs", served.url, "about"))
    inside = dict(served.routes)
    form: Route = "<!doctype html><title>Log in</title><form><input type=password name=p></form>"
    for wall in (401, redirect("/login", 302), form):
        served.routes = dict.fromkeys(inside, wall) | {"/login": form, "*": wall}
        code, report = check(served)
        printed = capsys.readouterr().out
        assert (code, report["result"], report["judged"]) == (3, "inconclusive", "served")
        assert "has no sitemap" not in printed
        assert ("answers 401" in printed) or ("requires a password" in printed)


def test_I_05_what_a_part_of_a_sitemap_lists_is_unknown_and_nothing_is_missing(
    served: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    serve_build(served, ten_languages(tmp_path / "hugo", served.url))
    served.routes["/da/sitemap.xml"] = 503
    code, report = check(served, "--set", "http.retries=0")
    assert (code, report["result"]) == (3, "inconclusive")
    assert report["stale"]["missing"] == []
    assert f"{served.url}da/sitemap.xml answers 503" in capsys.readouterr().out


def test_RB_31_a_child_of_an_index_that_robots_txt_disallows_is_not_requested(
    served: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    serve_build(served, ten_languages(tmp_path / "hugo", served.url))
    robots = f"User-agent: *\nDisallow: /da/sitemap.xml\nSitemap: {served.url}sitemap.xml\n"
    served.routes["/robots.txt"] = typed("text/plain", robots)
    code, report = check(served)
    why = f"{served.url}da/sitemap.xml: {served.url}robots.txt:2 disallows it"
    assert (code, report["result"]) == (3, "inconclusive")
    assert why in capsys.readouterr().out
    Path("sitemap.xml").write_text(f'<urlset xmlns="{NS}"><url><loc>{served.url}en/</loc></url></urlset>')
    assert check(served, "--sitemap", "sitemap.xml")[0] == 1  # beside a file, what the site declares is a start
    assert "/da/sitemap.xml" not in served.paths
    assert check(served, "--sitemap", "sitemap.xml", "--set", "crawl.robots=ignore")[0] == 1
    assert "/da/sitemap.xml" in served.paths


# site of the committed file, flags → which sitemap is judged, and whether the report says why
HERE = {
    "another site": ("https://mine.example.org/", [], "served", True),
    "another site, named": ("https://mine.example.org/", ["--sitemap", "public/sitemap.xml"], "committed", False),
    "this site": ("{}", [], "committed", False),
    "a site that moved here": ("https://mine.example.org/", ["--set", "policy.moved-from=https://mine.example.org/"], "committed", False),
}  # fmt: skip


@pytest.mark.parametrize("case", HERE)
def test_I_05_the_file_of_another_site_is_not_judged_with_the_site_that_is_named(
    case: str, served: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    site, flags, judged, said = HERE[case]
    serve_build(served, mkdocs(tmp_path / "mkdocs", served.url, "about", "guide"))
    repository = create(tmp_path / "repository")
    monkeypatch.chdir(repository)
    Path("public").mkdir()
    rows = "".join(f"<url><loc>{site.format(served.url)}{name}</loc></url>" for name in ("", "about/", "guide/"))
    Path("public/sitemap.xml").write_text(f'<urlset xmlns="{NS}">{rows}</urlset>')
    git(repository, "add", "public")
    _, report = check(served, "--site-url", served.url, "--allow-private-hosts", "127.0.0.1", *flags)
    printed = capsys.readouterr().out
    assert report["judged"] == judged
    assert (f"public/sitemap.xml is of {site}, another site than {served.url}" in printed) is said
    if said:
        assert report["result"] == "in-sync"
