"""Links of a build that lead to nothing, under the rules of its host (HTML-73)."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from msgspec.structs import replace

from sitemap_action.hosts.all import choose_host
from sitemap_action.hosts.base import BuildFiles
from sitemap_action.html.document import NO_OPTIONAL
from sitemap_action.model.finding import Place
from sitemap_action.model.page import Page, PageKind
from sitemap_action.model.source import SourceResult
from sitemap_action.store.inventory import Inventory, temporary
from sitemap_action.walk import build as build_module
from sitemap_action.walk.build import Build
from sitemap_action.walk.built_site import FolderSource

BASE = "https://x.com/"
FILES = {
    "about.html": "",
    "guide/index.html": "",
    "paper.pdf": "",
    "a b.html": "",
    "c/d.html": '<a href="../about.html">',
}


def gathered(
    inventory: Inventory, root: Path, files: Mapping[str, str], host: str = "generic", base: str = BASE
) -> SourceResult:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    promised = frozenset([f"{base}sitemap.xml"])
    source = FolderSource(root, "dist", base, choose_host(host), workspace=root.parent, promised=promised)
    return source.gather(inventory, ())


def dead(inventory: Inventory) -> dict[str, tuple[int, str]]:
    """Path → pages that link to it, and the first of them."""
    return {
        page.url.removeprefix(BASE): (page.inlinks, page.found_on.removeprefix(BASE))
        for page in inventory.pages()
        if page.inlinks and page.found_on and page.kind is PageKind.GONE
    }


LINKS = [
    # host, href on the start page, what is dead
    ("generic", "/about.html", ""),
    ("generic", "/about.html#part", ""),
    ("generic", "/about.html?page=2", ""),
    ("generic", "/guide/", ""),
    ("generic", "/guide", ""),
    ("generic", "/guide/index.html", ""),
    ("generic", "/paper.pdf", ""),
    ("generic", "a%20b.html", ""),
    ("generic", "/a b.html", ""),
    ("generic", "c/../about.html", ""),
    ("generic", "#part", ""),
    ("generic", "mailto:a@x.com", ""),
    ("generic", "https://other.example/about", ""),
    ("generic", "/sitemap.xml", ""),
    ("generic", "/.well-known/security.txt", ""),
    ("generic", "/node_modules/x/readme.html", ""),
    ("generic", "/outside.html", ""),
    ("generic", "/about", "about"),
    ("generic", "/about/", "about/"),
    ("generic", "/About.html", "About.html"),
    ("generic", "/missing?page=2", "missing"),
    ("generic", "/missing#part", "missing"),
    ("generic", "missing.pdf", "missing.pdf"),
    ("generic", "/c/", "c/"),
    ("auto", "/about", ""),
    ("auto", "/about/", ""),
    ("auto", "/guide", ""),
    ("auto", "/missing", "missing"),
    ("github-pages", "/about", ""),
    ("github-pages", "/about/", "about/"),
    ("netlify", "/about", ""),
    ("netlify", "/about/", ""),
    ("netlify", "/old", ""),
    ("netlify", "/away", ""),
    ("netlify", "/nowhere", ""),
    ("netlify", "/circle", ""),
    ("netlify", "/over", "over"),
    ("netlify", "/.netlify/functions/a", ""),
    ("netlify", "/api/a", ""),
    ("netlify", "/missing", "missing"),
    ("nginx-clean", "/about", ""),
    ("s3-website", "/about", "about"),
]
REDIRECTS = """
/old /about 301
/away https://other.example/ 301
/nowhere /missing-too 301
/circle /round 301
/round /circle 301
/over /404.html 410
/api/* https://api.example/:splat 200
"""


@pytest.mark.parametrize(("host", "href", "path"), LINKS, ids=[f"{row[0]} {row[1]}" for row in LINKS])
def test_HTML_73_a_link_that_leads_to_nothing(host: str, href: str, path: str, tmp_path: Path) -> None:
    root, more = tmp_path / "dist", {"_redirects": REDIRECTS} if host == "netlify" else {}
    root.mkdir()
    (root / "outside.html").symlink_to(Path(__file__))
    files = {**FILES, **more, "index.html": f'<a href="{href}">x</a>', "node_modules/x/readme.html": ""}
    with temporary() as inventory:
        gathered(inventory, root, files, host)
        assert dead(inventory) == ({path: (1, "")} if path else {})


@pytest.mark.parametrize(
    ("path", "unread"),
    [("a.html", True), ("a/b.html", True), ("b", True), ("b/", True), ("b/c/d", True), ("c", False), ("bc/d", False)],
)
def test_HTML_73_what_was_not_read_may_be_there(path: str, unread: bool) -> None:
    build = Build("dist", BASE, choose_host("generic")(BuildFiles((), lambda _: None)).host, NO_OPTIONAL)
    build = replace(build, unread=frozenset({"a.html", "a/b.html", "b/"}))
    assert build_module.is_dead(build, build.fetcher(), BASE + path) is not unread


@pytest.mark.parametrize("path", ["nowhere", "circle"])
def test_HTML_73_a_redirect_to_nothing_is_a_page_with_its_ends(path: str, tmp_path: Path) -> None:
    """Its verdict says where it leads."""
    files = {"index.html": f'<a href="/{path}">x</a>', "_redirects": REDIRECTS}
    with temporary() as inventory:
        gathered(inventory, tmp_path / "dist", files, "netlify")
        found = inventory.page(BASE + path)
        assert found is not None
        assert (found.kind, found.found_on, found.inlinks) == (PageKind.REDIRECT, BASE, 1)
        assert inventory.page(found.target) is not None


def test_HTML_73_a_fallback_answers_every_path(tmp_path: Path) -> None:
    files = {"index.html": '<a href="/missing">x</a>', "_redirects": "/* /index.html 200"}
    with temporary() as inventory:
        gathered(inventory, tmp_path / "dist", files, "netlify")
        assert dead(inventory) == {}


def test_HTML_73_a_site_below_a_path(tmp_path: Path) -> None:
    """HOST-13: links out of it lead to another site."""
    files = {"index.html": '<a href="/missing">x</a><a href="gone">y</a>'}
    with temporary() as inventory:
        gathered(inventory, tmp_path / "dist", files, base=f"{BASE}docs/")
        assert dead(inventory) == {"docs/gone": (1, "docs/")}


def test_HTML_73_pages_and_place_of_the_links(tmp_path: Path) -> None:
    """Each page counts once, with whatever query; the first page in order of path is named."""
    files = {
        "index.html": '<a href="/b/">x</a>',
        "a/index.html": "<!doctype html>\n<p>words\n<a class=x href='../missing?a=1&amp;b=2#c'>x</a><a href=/missing>x</a>",
        "b/index.html": '<base href="/missing/">\n\n<a href="../missing">x</a>',
        "c/index.html": '<a href="/a/">x</a><a href="/missing" rel="nofollow">x</a>',
        "404.html": '<a href="/other">x</a>',
    }
    with temporary() as inventory:
        found = gathered(inventory, tmp_path / "dist", files)
        assert dead(inventory) == {"missing": (3, "a/"), "other": (1, "404.html")}
    assert found.hosting.places == {
        f"{BASE}missing": Place("dist/a/index.html", 3),
        f"{BASE}other": Place("dist/404.html", 1),
    }


@pytest.mark.parametrize(
    ("text", "line"),
    [
        pytest.param('\n<a href="x">', 2, id="relative"),
        pytest.param("<a\n\thref = 'x'\n>", 2, id="single quotes and spaces"),
        pytest.param("<p>\n\n<a href=x>", 3, id="no quotes"),
        pytest.param('<a HREF="&#120;">', 1, id="an entity"),
        pytest.param('\r\n<a href="https://x.com/x">', 2, id="absolute"),
        pytest.param("<a href='\nx'>", 1, id="a line break in it"),
        pytest.param(f"<a {'a ' * 9000}\nhref=x>", 2, id="many attributes"),
        pytest.param("<a href='/'>" * 5000 + "<a href=x>", 0, id="too many links"),
    ],
)
def test_HTML_73_line_of_a_link(text: str, line: int, tmp_path: Path) -> None:
    with temporary() as inventory:
        found = gathered(inventory, tmp_path / "dist", {"index.html": text})
        assert found.hosting.places == {f"{BASE}x": Place("dist/index.html", line)}


def test_HTML_73_a_link_of_every_page_is_resolved_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    is_dead = build_module.is_dead
    monkeypatch.setattr(build_module, "is_dead", lambda *given: asked.append(given[2]) or is_dead(*given))
    files = {f"{number}.html": '<a href="/x">x</a><a href="/1.html">y</a>' for number in range(250)}
    with temporary() as inventory:
        gathered(inventory, tmp_path / "dist", files)
        assert dead(inventory) == {"x": (250, "0.html")}
    assert asked == [f"{BASE}x"]


def test_HTML_68_links_under_an_unknown_host_count_for_the_page_that_may_be_there(tmp_path: Path) -> None:
    """`/about` is about.html on most hosts: without one that is named, the page is no orphan."""
    with temporary() as inventory:
        gathered(inventory, tmp_path / "dist", {"index.html": '<a href="/about">x</a>', "about.html": "<p>x"}, "auto")
        assert [page for page in inventory.pages() if not page.inlinks] == [_start(inventory)]


def _start(inventory: Inventory) -> Page:
    found = inventory.page(BASE)
    assert found is not None
    return found
