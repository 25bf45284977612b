"""Baselines that a live site serves, and what a baseline's commit had beside its sitemap."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from fakes import HOME, NOW, at
from sitemap_action.baseline.choose import Baseline, baseline, live
from sitemap_action.baseline.entries import derive_site_url, entries
from sitemap_action.baseline.robots import debt, former_robots, served_robots
from sitemap_action.baseline.served import Web, served
from sitemap_action.config.schema import Config, CrawlConfig, SourceConfig
from sitemap_action.errors import BaselineError, UnreachableError
from sitemap_action.loader.documents import Documents, SitemapDocument, Trees, documents, same, work_tree

NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
ADDRESS = at("/sitemap.xml")


def urlset(*paths: str) -> bytes:
    return f"<urlset {NS}>{''.join(f'<url><loc>{at(path)}</loc></url>' for path in paths)}</urlset>".encode()


def index(*paths: str) -> bytes:
    rows = "".join(f"<sitemap><loc>{at(path)}</loc></sitemap>" for path in paths)
    return f"<sitemapindex {NS}>{rows}</sitemapindex>".encode()


def web(pages: Mapping[str, bytes | Exception]) -> Web:
    """A site as a dict; what is not in it is not there."""

    def get(url: str) -> bytes | None:
        found = pages.get(url)
        if isinstance(found, Exception):
            raise found
        return found

    return get


NOTHING = Baseline("the committed sitemap.xml", "sitemap.xml", (), same=True)
ONE = {ADDRESS: urlset("/a", "/b")}
TWO = {ADDRESS: index("/one.xml", "/two.xml"), at("/one.xml"): urlset("/a"), at("/two.xml"): urlset("/b")}


def listed(found: Baseline) -> list[str]:
    return [entry.loc.removeprefix(HOME) for file in found.documents for entry in entries(file)]


@pytest.mark.parametrize("pages", [pytest.param(ONE, id="one file"), pytest.param(TWO, id="an index and its children")])
def test_a_url_as_baseline(pages: dict[str, bytes], tmp_path: Path) -> None:
    found = baseline(ADDRESS, tmp_path, "sitemap.xml", (), web(pages))
    assert (found.description, found.name, found.same, len(found.documents)) == (ADDRESS, ADDRESS, False, len(pages))
    assert listed(found) == listed(found) == ["a", "b"]


REFUSED: list[tuple[str, Mapping[str, bytes | Exception], str]] = [
    # id, what the site serves, words
    ("no answer", {ADDRESS: UnreachableError("it answers 503", hint="later")}, "the baseline cannot be read: it answers 503"),
    ("a child without an answer", {ADDRESS: index("/one.xml", "/two.xml"), at("/one.xml"): urlset("/a"), at("/two.xml"): UnreachableError("it answers 503")}, r"sitemap\.xml:1: the index lists https://www\.example\.com/two\.xml, which cannot be read: it answers 503"),
    ("a child that breaks off", {ADDRESS: index("/one.xml"), at("/one.xml"): urlset("/a")[:-20]}, r"one\.xml:1: "),
    ("nothing there", {}, "there is no sitemap at https://www.example.com/sitemap.xml"),
    ("a child that is not there", {ADDRESS: index("/one.xml")}, r"sitemap\.xml:1: the index lists https://www\.example\.com/one\.xml, which is not there"),
    ("no sitemap at all", {ADDRESS: b"<html></html>"}, "sitemap.xml"),
]  # fmt: skip


@pytest.mark.parametrize(("pages", "words"), [pytest.param(*row[1:], id=row[0]) for row in REFUSED])
def test_a_url_that_is_no_baseline(pages: Mapping[str, bytes | Exception], words: str, tmp_path: Path) -> None:
    with pytest.raises(BaselineError, match=words) as raised:
        listed(baseline(ADDRESS, tmp_path, "sitemap.xml", (), web(pages)))
    assert raised.value.hint


def test_where_no_site_is_asked_a_url_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BaselineError, match="cannot be read here"):
        baseline(ADDRESS, tmp_path, "sitemap.xml", (), None)


AUTO: list[tuple[str, str, Mapping[str, bytes | Exception], list[str], str]] = [
    # id, setting, what the site serves, URLs of the baseline, words of the note
    ("DIFF-22 what the site serves", "auto", ONE, ["a", "b"], f"compared with the one that {ADDRESS} serves"),
    ("nothing there: a first run", "auto", {}, [], ""),
    ("no answer: a first run that says so", "auto", {ADDRESS: UnreachableError("timed out")}, [], "cannot be read: timed out"),
    ("HTML-46 a page for every path is no sitemap", "auto", {ADDRESS: b"<!doctype html><title>App</title>"}, [], "serves something else"),
    ("the user wants the committed file", "committed", ONE, [], ""),
]  # fmt: skip


@pytest.mark.parametrize(("setting", "pages", "urls", "words"), [pytest.param(*row[1:], id=row[0]) for row in AUTO])
def test_auto_where_there_is_no_file(
    setting: str, pages: Mapping[str, bytes | Exception], urls: list[str], words: str
) -> None:
    found, notes = live(setting, ADDRESS, web(pages), NOTHING)
    assert listed(found) == urls
    assert bool(notes) is bool(words)
    assert words in " ".join(notes)


def test_children_are_asked_for_one_at_a_time() -> None:
    asked: list[str] = []

    def get(url: str) -> bytes | None:
        asked.append(url)
        return TWO.get(url)

    files = iter(served(ADDRESS, get))
    assert (next(files).path, asked) == (ADDRESS, [ADDRESS])
    assert (next(files).path, asked) == (at("/one.xml"), [ADDRESS, at("/one.xml")])


def test_files_of_the_work_tree_are_read_one_at_a_time(tmp_path: Path) -> None:
    (tmp_path / "sitemap.xml").write_bytes(index("/one.xml"))
    (tmp_path / "one.xml").write_bytes(urlset("/a"))
    found = documents("sitemap.xml", work_tree(tmp_path))
    assert (len(found), bool(found), same(found, found)) == (2, True, True)
    (tmp_path / "one.xml").write_bytes(urlset("/b"))
    assert [file.content for file in found][1] == urlset("/b")
    assert not documents("other.xml", work_tree(tmp_path))
    assert not same(found, Documents("other.xml", None, work_tree(tmp_path)))


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
    assert derive_site_url([SitemapDocument("sitemap.xml", urlset(*paths))]) == site


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
    ("ignored", Config(crawl=CrawlConfig(robots="ignore")), {"public/robots.txt": NOW_}, NOW_, {"public/robots.txt": THEN}, None),
]  # fmt: skip


def store(files: Files) -> Callable[[str], bytes | None]:
    return files.get


@pytest.mark.parametrize(
    ("config", "tree", "built", "commit", "then"), [pytest.param(*row[1:], id=row[0]) for row in ROBOTS]
)
def test_the_robots_txt_of_then(
    config: Config, tree: Files, built: bytes | None, commit: Files, then: bytes | None
) -> None:
    assert former_robots(config, "public/sitemap.xml", built, Trees(store(commit), store(tree))) == then


def test_what_cannot_be_read_is_not_known() -> None:
    def broken(path: str) -> bytes | None:
        raise BaselineError(f"{path} is a symbolic link")

    assert former_robots(Config(), "sitemap.xml", None, Trees(broken, broken)) is None


SERVED: list[tuple[str, Config, Mapping[str, bytes | Exception], bytes | None]] = [
    # id, config, what the site serves, its robots.txt
    ("RB-35 the production host's", Config(), {at("/robots.txt"): THEN}, THEN),
    ("none there", Config(), {}, b""),
    ("no answer", Config(), {at("/robots.txt"): UnreachableError("timed out")}, None),
    ("ignored", Config(crawl=CrawlConfig(robots="ignore")), {at("/robots.txt"): THEN}, None),
]


@pytest.mark.parametrize(("config", "pages", "found"), [pytest.param(*row[1:], id=row[0]) for row in SERVED])
def test_the_robots_txt_of_a_live_baseline(
    config: Config, pages: Mapping[str, bytes | Exception], found: bytes | None
) -> None:
    assert served_robots(config, at("/maps/sitemap.xml"), web(pages)) == found


def test_findings_of_the_baseline() -> None:
    found = debt([SitemapDocument("sitemap.xml", urlset("/a", "/a"))], ADDRESS, NOW)
    assert {one.rule.id for one in found} == {"SM-31"}
