"""Baselines that a live site serves, and what a baseline's commit had beside its sitemap."""

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from fakes import HOME, NOW, at
from sitemap_action.checks.base import FileOptions
from sitemap_action.config.schema import Config, CrawlConfig, SourceConfig
from sitemap_action.errors import BaselineError
from sitemap_action.look.baseline import (
    Baseline,
    Choice,
    baseline_robots,
    choose_baseline,
    debt,
    default_baseline,
)
from sitemap_action.look.comparison import derive_site_url
from sitemap_action.look.documents import (
    Documents,
    FetchSitemap,
    ServedSitemap,
    find_documents,
    read_entries,
    same_bytes,
)
from sitemap_action.look.web_sitemaps import served_sitemap
from sitemap_action.model.context import Context, Mode
from sitemap_action.model.sitemap import SitemapDocument
from sitemap_action.walk.folders import WorkTree
from webs import Route, Web, dead, index, urlset

ADDRESS = at("/sitemap.xml")


def production(web: Web) -> FetchSitemap:
    """A session with a site that is a dict."""

    def fetch(url: str, folder: Path, likely: Sequence[str] = ()) -> ServedSitemap:
        return asyncio.run(served_sitemap(web, url, folder, robots=True, likely=likely))

    return fetch


def choice(folder: Path, web: Web | None = None) -> Choice:
    fetch = None if web is None else production(web)
    context = Context(Mode.CHECK, datetime.now(UTC), folder, event=True)
    return Choice(context, "sitemap.xml", Documents(), folder, fetch, address=HOME, likely=(ADDRESS,))


NOTHING = Baseline("the committed sitemap.xml", "sitemap.xml", Documents(), same=True)
Routes = Mapping[str, Route]
ONE: Routes = {"/sitemap.xml": urlset("/a", "/b")}
TWO: Routes = {"/sitemap.xml": index("/one.xml", "/two.xml"), "/one.xml": urlset("/a"), "/two.xml": urlset("/b")}
NESTED: Routes = {"/sitemap.xml": index("/one.xml", "/deep.xml"), "/one.xml": urlset("/a"), "/deep.xml": index("/two.xml"), "/two.xml": urlset("/b")}  # fmt: skip


def listed(found: Baseline) -> list[str]:
    return [entry.loc.removeprefix(HOME) for file in found.documents for entry in read_entries(file)]


PAGES = [pytest.param(ONE, id="one file"), pytest.param(TWO, id="an index"), pytest.param(NESTED, id="V-20 nested")]


@pytest.mark.parametrize("pages", PAGES)
def test_a_url_as_baseline(pages: Routes, tmp_path: Path) -> None:
    """Each document is requested once, however often it is read."""
    web = Web(pages)
    found = choose_baseline(ADDRESS, choice(tmp_path, web))
    assert (found.description, found.name, found.same, len(found.documents)) == (ADDRESS, ADDRESS, False, len(pages))
    assert listed(found) == listed(found) == ["a", "b"]
    assert sorted(web.asked) == sorted([*pages, "/robots.txt"])


REFUSED: list[tuple[str, Routes, str]] = [
    # id, what the site serves, words
    ("no answer", {"/sitemap.xml": 503}, "the baseline cannot be read: https://www.example.com/sitemap.xml answers 503"),
    ("a child without an answer", {"/sitemap.xml": index("/one.xml", "/two.xml"), "/one.xml": urlset("/a"), "/two.xml": dead("timed out")}, r"sitemap\.xml:1: the index lists https://www\.example\.com/two\.xml, which cannot be read: https://www.example.com/two.xml: timed out"),
    ("a child that breaks off", {"/sitemap.xml": index("/one.xml"), "/one.xml": urlset("/a")[:-20]}, r"one\.xml:1: "),
    ("nothing there", {}, "there is no sitemap at https://www.example.com/sitemap.xml"),
    ("nothing there any more", {"/sitemap.xml": 410}, "there is no sitemap at https://www.example.com/sitemap.xml"),
    ("not for us", {"/sitemap.xml": 403}, "the baseline cannot be read: https://www.example.com/sitemap.xml answers 403"),
    ("a child that is not there", {"/sitemap.xml": index("/one.xml")}, r"sitemap\.xml:1: the index lists https://www\.example\.com/one\.xml, which does not exist"),
    ("a child that is gone", {"/sitemap.xml": index("/one.xml"), "/one.xml": 410}, r"one\.xml, which does not exist"),
    ("V-20 a child of a child", {"/sitemap.xml": index("/deep.xml"), "/deep.xml": index("/one.xml")}, r"deep\.xml:1: the index lists https://www\.example\.com/one\.xml, which does not exist"),
    ("no sitemap at all", {"/sitemap.xml": "<html></html>"}, "sitemap.xml"),
]  # fmt: skip


@pytest.mark.parametrize(("pages", "words"), [pytest.param(*row[1:], id=row[0]) for row in REFUSED])
def test_a_url_that_is_no_baseline(pages: Routes, words: str, tmp_path: Path) -> None:
    with pytest.raises(BaselineError, match=words) as raised:
        listed(choose_baseline(ADDRESS, choice(tmp_path, Web(pages))))
    assert raised.value.hint


def test_where_no_site_is_asked_a_url_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BaselineError, match="cannot be read here"):
        choose_baseline(ADDRESS, choice(tmp_path))


AUTO: list[tuple[str, str, Routes, list[str], str]] = [
    # id, setting, what the site serves, URLs of the baseline, words of the note
    ("DIFF-22 what the site serves", "auto", ONE, ["a", "b"], f"compared with the one that {ADDRESS} serves"),
    ("V-20 an index of indexes", "auto", NESTED, ["a", "b"], f"compared with the one that {ADDRESS} serves"),
    ("nothing there: a first run", "auto", {}, [], ""),
    ("410: a first run", "auto", {"/sitemap.xml": 410}, [], ""),
    ("no answer: a first run that says so", "auto", {"/sitemap.xml": dead("timed out")}, [], "cannot be read: https://www.example.com/sitemap.xml: timed out"),
    ("HTML-46 a page for every path is no sitemap", "auto", {"/sitemap.xml": "<!doctype html><title>App</title>"}, [], "is no sitemap"),
    ("the user wants the committed file", "committed", ONE, [], ""),
]  # fmt: skip


@pytest.mark.parametrize(("setting", "pages", "urls", "words"), [pytest.param(*row[1:], id=row[0]) for row in AUTO])
def test_auto_where_there_is_no_file(setting: str, pages: Routes, urls: list[str], words: str, tmp_path: Path) -> None:
    found = default_baseline(setting, choice(tmp_path, Web(pages)), NOTHING)
    assert listed(found) == urls
    assert bool(found.notes) is bool(words)
    assert words in " ".join(found.notes)


def test_files_of_the_work_tree_are_read_one_at_a_time(tmp_path: Path) -> None:
    (tmp_path / "sitemap.xml").write_text(index("/one.xml"))
    (tmp_path / "one.xml").write_text(urlset("/a"))
    found = find_documents(WorkTree(tmp_path), "sitemap.xml")
    assert (len(found), bool(found), same_bytes(found, found)) == (2, True, True)
    (tmp_path / "one.xml").write_text(urlset("/b"))
    assert [file.content for file in found][1] == urlset("/b").encode()
    (tmp_path / "one.xml").unlink()
    with pytest.raises(BaselineError, match="was removed while it was read"):
        list(found)
    assert not find_documents(WorkTree(tmp_path), "other.xml")
    assert not same_bytes(found, Documents())


SITES = [
    # id, URLs, site-url
    ("one origin", ["/b", "/a/c"], HOME),
    ("a directory that is listed", ["/docs/b", "/docs/", "/docs/a/c"], f"{HOME}docs/"),
    ("a directory that is not listed", ["/docs/b", "/docs/a"], HOME),
    ("a page that others begin with", ["/docs", "/docs-old", "/docs/a"], HOME),
    ("two directories", ["/a/", "/b/"], HOME),
    ("two origins", ["/a", "http://www.example.com/a"], ""),
    ("no URL", ["a"], ""),
    ("nothing", [], ""),
]  # fmt: skip


@pytest.mark.parametrize(("paths", "site"), [pytest.param(*row[1:], id=row[0]) for row in SITES])
def test_where_the_site_is(paths: list[str], site: str) -> None:
    assert derive_site_url([SitemapDocument("sitemap.xml", urlset(*paths).encode())])[0] == site


BUILDS = [
    # id, URLs, files of the build, site-url
    ("B-05 one language of a site at the root", ["/en/", "/en/a/", "/en/b/"], ["index.html", "en/index.html", "en/a/index.html", "en/b/index.html"], HOME),
    ("B-05 a site below a path", ["/en/", "/en/a/", "/en/b/"], ["index.html", "a/index.html", "b/index.html"], f"{HOME}en/"),
    ("B-05 its start page is not listed", ["/docs/a", "/docs/b"], ["a.html", "b.html"], f"{HOME}docs/"),
    ("B-05 two levels below", ["/x/docs/a.html", "/x/docs/b.html"], ["a.html", "b.html"], f"{HOME}x/docs/"),
    ("B-05 most of them decide", ["/en/", "/en/a/", "/en/gone/"], ["index.html", "a/index.html"], f"{HOME}en/"),
    ("B-05 where both fit, the build has that folder", ["/en/"], ["index.html", "en/index.html"], HOME),
    ("B-05 no page is left", ["/docs/", "/docs/a"], ["other.html"], f"{HOME}docs/"),
    ("B-05 names that are escaped", ["/d/%C3%A4/", "/d/b/"], ["ä/index.html", "b/index.html"], f"{HOME}d/"),
    ("B-05 nothing outside of the build", ["/a/%2e%2e%2fx", "/a/"], ["index.html"], f"{HOME}a/"),
]  # fmt: skip


@pytest.mark.parametrize(("paths", "files", "site"), [pytest.param(*row[1:], id=row[0]) for row in BUILDS])
def test_B_05_where_the_files_of_the_build_are(paths: list[str], files: list[str], site: str, tmp_path: Path) -> None:
    for file in files:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    found, _ = derive_site_url([SitemapDocument("sitemap.xml", urlset(*paths).encode())], tmp_path)
    assert found == site


def test_B_05_of_many_urls_some_are_looked_up(tmp_path: Path) -> None:
    """Spread over all of the sitemap, wherever its pages are."""
    (tmp_path / "z").mkdir()
    for number in range(900, 1000):
        (tmp_path / f"z/{number}.html").touch()
    paths = [f"/docs/z/{number:03}.html" for number in range(1000)]
    found, note = derive_site_url([SitemapDocument("sitemap.xml", urlset(*paths).encode())], tmp_path)
    met, asked = map(int, re.findall(r"\d+", note))
    assert (found, asked < 250, met > 5) == (f"{HOME}docs/", True, True)


THEN, NOW_, SHUT = b"# then\n", b"# now\n", b"Disallow: /\n"
Files = Mapping[str, bytes]
ROBOTS: list[tuple[str, Config, Files, bytes | None, Files, bytes | None]] = [
    # id, config, files that are checked out, robots.txt of the build, files of the baseline's commit, what it was then
    ("unchanged", Config(), {"public/robots.txt": NOW_}, NOW_, {"public/robots.txt": NOW_}, NOW_),
    ("changed beside the sitemap", Config(), {"public/robots.txt": NOW_}, NOW_, {"public/robots.txt": THEN}, THEN),
    ("changed in the folder of static files", Config(), {"static/robots.txt": NOW_}, NOW_, {"static/robots.txt": THEN}, THEN),
    ("a build that is committed", Config(source=SourceConfig(path="dist")), {"dist/robots.txt": NOW_}, NOW_, {"dist/robots.txt": THEN}, THEN),
    ("of two files the one that is served", Config(), {"public/robots.txt": SHUT, "static/robots.txt": NOW_}, NOW_, {"public/robots.txt": SHUT, "static/robots.txt": THEN}, THEN),
    ("new with this change", Config(), {"public/robots.txt": NOW_}, NOW_, {}, b""),
    ("gone with this change", Config(), {}, None, {"static/robots.txt": THEN}, THEN),
    ("never there", Config(), {}, None, {}, None),
    ("built into a folder that nobody commits", Config(source=SourceConfig(path="dist")), {}, NOW_, {}, None),
    ("made by the build", Config(), {"public/robots.txt": b"# template"}, NOW_, {"public/robots.txt": b"# template"}, None),
    ("a file that the config names", Config(crawl=CrawlConfig(robots="file:seo/robots.txt")), {"seo/robots.txt": NOW_}, NOW_, {"seo/robots.txt": THEN, "public/robots.txt": SHUT}, THEN),
    ("V-02 ignored by the crawl", Config(crawl=CrawlConfig(robots="ignore")), {"public/robots.txt": NOW_}, NOW_, {"public/robots.txt": THEN}, THEN),
]  # fmt: skip


def store(files: Files) -> Callable[[str], bytes | None]:
    return files.get


@pytest.mark.parametrize(
    ("config", "tree", "built", "commit", "then"), [pytest.param(*row[1:], id=row[0]) for row in ROBOTS]
)
def test_the_robots_txt_of_then(
    config: Config, tree: Files, built: bytes | None, commit: Files, then: bytes | None
) -> None:
    assert baseline_robots(config, "public/sitemap.xml", built, store(commit), store(tree)) == then


def test_what_cannot_be_read_is_not_known() -> None:
    def broken(path: str) -> bytes | None:
        raise BaselineError(f"{path} is a symbolic link")

    assert baseline_robots(Config(), "sitemap.xml", None, broken, broken) is None


SERVED: list[tuple[str, Routes, bytes | None]] = [
    # id, what the site serves, its robots.txt
    ("RB-35 the production host's", {"/robots.txt": THEN}, THEN),
    ("none there", {}, b""),
    ("none there any more", {"/robots.txt": 410}, b""),
    ("not for us", {"/robots.txt": 403}, None),
    ("no answer", {"/robots.txt": dead()}, None),
]


@pytest.mark.parametrize(("pages", "robots"), [pytest.param(*row[1:], id=row[0]) for row in SERVED])
def test_the_robots_txt_of_a_live_baseline(pages: Routes, robots: bytes | None, tmp_path: Path) -> None:
    found = choose_baseline(
        at("/maps/sitemap.xml"), choice(tmp_path, Web({"/maps/sitemap.xml": urlset("/a"), **pages}))
    )
    assert found.robots == robots


def test_a_robots_txt_that_is_ignored_is_not_requested(tmp_path: Path) -> None:
    web = Web(ONE)
    asyncio.run(served_sitemap(web, ADDRESS, tmp_path, robots=False))
    assert web.asked == ["/sitemap.xml"]


def test_findings_of_the_baseline() -> None:
    documents = find_documents({"sitemap.xml": urlset("/a", "/a").encode()}.get, "sitemap.xml")
    found = debt(documents, ADDRESS, FileOptions(NOW))
    assert {one.rule.id for one in found} == {"SM-31"}
