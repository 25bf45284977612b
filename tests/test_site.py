"""The documentation site (docs/site): built once, without a warning; whole, self-contained, and listed by its own sitemap."""

import functools
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from html import unescape
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urljoin

import pytest
import yaml

from axe import barriers
from browser import browser
from documents import ROOT
from sitemap_action.__main__ import run
from sitemap_action.cli.options import RULES
from sitemap_action.config.options import option_rows

pytestmark = pytest.mark.xdist_group("image")  # a container that starts changes the network under a browser
BASE = "/sitemap-action/"
REFERENCE = re.compile(r"""<(a|link|script|img|form|iframe|source)\b[^>]*?\s(?:href|src|action)=["']?([^"'\s>]+)""")
WIDTHS = ((1280, False), (1280, True), (390, False), (390, True))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "site"
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", "docs/site/mkdocs.yml", "--site-dir", str(folder)]  # fmt: skip
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not re.search(r"WARNING|not included in the \"nav\"", done.stderr), done.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, str]:
    """Path on the host → text."""
    return {
        f"{BASE}{file.relative_to(site).as_posix()}".removesuffix("index.html"): file.read_text(encoding="utf-8")
        for file in site.rglob("*.html")
    }


def test_every_document_is_a_page(pages: dict[str, str]) -> None:
    documents = {path.stem for path in (ROOT / "docs").glob("*.md")}
    assert {f"{BASE}{name}/" for name in documents} <= set(pages)
    assert f"{BASE}contributing/" in pages


def test_the_navigation_has_each_page_once(pages: dict[str, str]) -> None:
    listed = re.findall(r'<li><a href="([^"]+)"', pages[BASE].partition("</nav>")[0])
    assert len(listed) == len(set(listed)) == len(pages) - 2, "all but the error page and the search"


def test_every_link_leads_somewhere(site: Path, pages: dict[str, str]) -> None:
    known = {name: set(re.findall(r'\bid="([^"]+)"', text)) for name, text in pages.items()}
    files = {f"{BASE}{path.relative_to(site).as_posix()}" for path in site.rglob("*") if path.is_file()}
    for name, text in pages.items():
        for _, link in REFERENCE.findall(text):
            target, _, anchor = unquote(unescape(link)).partition("#")
            if "://" in target or target.startswith("//"):
                assert link.startswith("https://"), f"{name}: {link}"
                continue
            path = urljoin(name, target) if target else name
            assert path in known or path in files, f"{name} links to {link}"
            if anchor:
                assert anchor in known[path], f"{name} links to {link}"


def test_nothing_is_requested_from_elsewhere(site: Path, pages: dict[str, str]) -> None:
    for name, text in pages.items():
        requested = [
            link for kind, link in REFERENCE.findall(text) if kind in ("script", "img", "iframe", "source", "form")
        ]
        requested += re.findall(r'<link rel="(?:stylesheet|icon)" href="([^"]+)"', text)
        assert not [link for link in requested if "//" in link], name
    for file in site.rglob("*.css"):
        assert not re.search(r"@import|url\(", file.read_text(encoding="utf-8")), file


def test_every_rule_and_every_option_has_an_anchor(pages: dict[str, str]) -> None:
    for one in RULES.values():
        page = pages[f"{BASE}rules/{one.id.partition('-')[0].lower()}/"]
        start = page.index(f'id="{one.id.lower()}"')
        section = page[start : page.find("<h2", start)]
        for part in ("passes", "fails", "to do", "source"):
            assert f">{part}</td>" in section, one.id
        assert f'href="{one.id.partition("-")[0].lower()}/#{one.id.lower()}"' in pages[f"{BASE}rules/"]
    for key, *_ in option_rows():
        assert f'id="{key}"' in pages[f"{BASE}configuration/"]


def test_its_sitemap_is_true(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the project's own action, with the inputs of the workflow."""
    workflow = yaml.safe_load((ROOT / ".github/workflows/docs.yml").read_text(encoding="utf-8"))
    (inputs,) = (step["with"] for step in workflow["jobs"]["site"]["steps"] if step.get("uses") == "./")
    place = tmp_path / inputs["path"]
    shutil.copytree(site, place)
    monkeypatch.chdir(tmp_path)
    given = [f"--{name}={value}" for name, value in inputs.items() if name != "baseline"]
    assert run(["check", *given, "--baseline", "committed"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("in-sync: the sitemap matches the site (exit 0)"), printed
    assert "404.html  excluded: error page of the host" in printed


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    class Handler(SimpleHTTPRequestHandler):
        def translate_path(self, path: str) -> str:
            return super().translate_path(path.removeprefix(BASE.rstrip("/")))

        def log_message(self, *_: object) -> None:
            """Nothing is said."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=site))
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}{BASE}"
    server.shutdown()
    server.server_close()
    thread.join()


def test_it_fits_a_phone_and_a_desk_without_barriers_and_searching_works(address: str) -> None:
    with browser() as page:
        for name in ("", "configuration/", "rules/sm/", "how-it-works/"):
            for width, dark in WIDTHS if not name else WIDTHS[::3]:
                page.open(address + name, width=width, dark=dark)
                assert page.complaints == []
                assert all(one.startswith(address) for one in page.requests), page.requests
                assert page.run("document.documentElement.scrollWidth") == width, f"{name} scrolls sideways"
                assert page.run("getComputedStyle(document.body).backgroundColor !== 'rgb(255, 255, 255)'") is dark
                assert barriers(page) == [], name
        page.open(f"{address}search.html?q=noindex")
        found = "new Promise(done => setInterval(() => document.querySelector('#mkdocs-search-results a') && done(true), 20))"
        assert page.run(found)
