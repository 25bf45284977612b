"""Hostile inputs of the readers beside XML, YAML and robots.txt, and of whole commands: for the test and the benchmark."""

import contextlib
import gzip
import io
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from servers import Reply, serve
from sitemap_action.__main__ import run
from sitemap_action.config.schema import Config
from sitemap_action.errors import BaselineError
from sitemap_action.fetch.curl import parse_head
from sitemap_action.html import directives, extract
from sitemap_action.look.state import inventory
from sitemap_action.model.context import Context, Mode
from sitemap_action.model.page import Page, PageKind
from sitemap_action.repo.git import Git
from sitemap_action.sitemap.read import read

URL = "https://www.example.com/"
NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
NOW = datetime(2026, 1, 1, tzinfo=UTC)
Work = Callable[[str], object]
Table = dict[str, tuple[int, Callable[[int], str]]]

HTML: Table = {
    "nested": (20_000, lambda n: "<div>" * n + "<a href=/a>"),
    "unclosed formatting": (8_000, lambda n: "".join(f"<b a{k}>" for k in range(n)) + "<p>x</p>" * n),
    "attributes": (10_000, lambda n: "<a " + "".join(f"a{k} " for k in range(n)) + "href=/a>"),
    "links": (4_000, lambda n: "".join(f"<a href=/{k}>x</a>" for k in range(n))),
    "equal links": (10_000, lambda n: "<a href=/a>x</a>" * n),
    "canonicals": (4_000, lambda n: "<link rel=canonical href=/a>" * n),
    "directives": (20_000, lambda n: f"<meta name=robots content='{'x,' * n}'>"),
    "options": (10_000, lambda n: "<select>" + "<option>" * n),
    "one long text": (300_000, lambda n: "<p>" + "word " * n),
    "references": (100_000, lambda n: "<p>" + "&amp;" * n),
    "comments": (50_000, lambda n: "<!--x-->" * n),
    "srcset": (10_000, lambda n: "<img srcset='" + "/a 1x, " * n + "'>"),
}
HEADERS: Table = {
    "links": (4_000, lambda n: f"link: {'</a>; rel=x, ' * n}"),
    "open quotes": (20_000, lambda n: f'link: </a>; a="{chr(92) * n}'),
    "parameters": (10_000, lambda n: f"link: </a>{'; a=b' * n}"),
    "directives": (20_000, lambda n: f"x-robots-tag: {'noindex, ' * n}"),
    "agents": (20_000, lambda n: f"x-robots-tag: {'a: ' * n}"),
    "lines": (4_000, lambda n: "x-robots-tag: noindex\r\n" * n),
    "folded lines": (10_000, lambda n: "link: </a>" + "\r\n ;a" * n),
    "a type": (100_000, lambda n: f"content-type: text/html{'; charset' * n}"),
}
GZIP: Table = {
    "a bomb": (2_000_000, lambda n: " " * n),
    "entries": (2_000, lambda n: f"<url><loc>{URL}</loc></url>\n" * n),
}


def rows() -> Iterator[tuple[str, Work, int, Callable[[int], str]]]:
    for name, (parts, make) in HTML.items():
        yield f"html: {name}", _html, parts, make
    for name, (parts, make) in HEADERS.items():
        yield f"headers: {name}", _headers, parts, make
    for name, (parts, make) in GZIP.items():
        yield f"gzip: {name}", _gzip, parts, make
    yield "gzip: members", _members, 300, "x".__mul__
    yield "git: parents of a commit", _parents, 300, "x".__mul__
    yield "git: a blob", _blob, 100_000, "x".__mul__
    yield "state: pages", _state, 300, "x".__mul__
    yield "diff: entries", _diff, 1_000, "x".__mul__
    yield "write: pages of a folder", _write, 40, "x".__mul__
    yield "check: links of a folder that lead to nothing", _dead_links, 20, "x".__mul__
    yield "check: pages of a served site", _served, 15, "x".__mul__
    yield "check: links between pages of a served site", _linked, 15, "x".__mul__


def _html(text: str) -> None:
    document = extract.read(text.encode(), (), URL)
    directives.find_noindex(document.facts.head.directives, now=NOW)


def _headers(text: str) -> None:
    headers = parse_head(f"HTTP/1.1 200 OK\r\n{text}\r\n\r\n".encode())
    extract.read_headers(headers, URL, size=0)


def _gzip(text: str) -> None:
    for _ in read(gzip.compress(f"<urlset {NS}>{text}</urlset>".encode(), 1)):
        pass


def _members(text: str) -> None:
    head, entry, end = (
        gzip.compress(part.encode()) for part in (f"<urlset {NS}>", f"<url><loc>{URL}</loc></url>", "</urlset>")
    )
    for _ in read(head + entry * len(text) + end):
        pass


def _parents(text: str) -> None:
    """Of a commit that git is given as it is."""
    with _folder() as folder:
        _git("init", "-q")
        tree = _git("mktree", given="")
        body = (
            f"tree {tree}\n"
            + f"parent {'0123456789' * 4}\n" * len(text)
            + "author A <a@x> 1 +0000\ncommitter A <a@x> 1 +0000\n\nx\n"
        )
        commit = _git("hash-object", "-w", "--stdin", "--literally", "-t", "commit", given=body)
        assert len(Git(folder).parents(commit)) == len(text)


def _blob(text: str) -> None:
    with _folder() as folder:
        _git("init", "-q")
        (folder / "sitemap.xml").write_text(text)
        _git("add", "--all")
        _git("commit", "-qm", "x")
        with suppress(BaselineError):
            assert Git(folder).blob("HEAD", "sitemap.xml") == text.encode()


def _git(*arguments: str, given: str | None = None) -> str:
    done = subprocess.run(["git", *arguments], input=given, capture_output=True, check=True, text=True, env=os.environ)
    return done.stdout.strip()


def _state(text: str) -> None:
    """Written by one run, read by the next."""
    with _folder() as folder:
        context = Context(Mode.CHECK, NOW, folder, state=folder / "state")
        with inventory(Config(), context) as found:
            found.add_pages(Page(f"{URL}{number}", PageKind.PAGE, 200) for number in range(len(text)))
            found.add_links((f"{URL}{number}", 1) for number in range(len(text)))
        with inventory(Config(), context) as found:
            list(found.pages())


def _diff(text: str) -> None:
    with _folder() as folder:
        for name in ("a", "b"):
            body = "".join(f"<url><loc>{URL}{name}/{number}</loc></url>\n" for number in range(len(text)))
            (folder / f"{name}.xml").write_text(f"<urlset {NS}>\n{body}</urlset>")
        assert _run("diff", "a.xml", "b.xml") == 1


def _write(text: str) -> None:
    with _folder() as folder:
        for number in range(len(text)):
            path = folder / "dist" / str(number)
            path.mkdir(parents=True)
            (path / "index.html").write_text(_page(number, len(text)))
        (folder / "dist/index.html").write_text(_page(0, len(text)))
        assert _run(
            "write",
            "--path",
            "dist",
            "--site-url",
            URL,
            "--sitemap",
            "sitemap.xml",
            "--baseline",
            "committed",
            "--offline",
        ) in {0, 1}


def _dead_links(text: str) -> None:
    """Ten of each page alone, ten that all pages have, and one to the next of a chain of redirects."""
    with _folder() as folder:
        (folder / "dist").mkdir()
        for number in range(len(text)):
            hrefs = [f"/own/{number}-{k}" for k in range(10)] + [f"/all/{k}" for k in range(10)] + [f"/to/{number}"]
            anchors = "".join(f"<a href={href}>x</a>" for href in hrefs)
            (folder / f"dist/{number}.html").write_text(_page(number, len(text)) + anchors)
        rules = "".join(f"/to/{number} /to/{number + 1} 301\n" for number in range(len(text)))
        (folder / "dist/_redirects").write_text(rules)
        options = ("--path", "dist", "--site-url", URL, "--sitemap", "sitemap.xml", "--baseline", "committed")
        assert _run("check", *options, "--offline", "--set", "source.host=netlify") in {0, 1}


def _served(text: str) -> None:
    _check({f"/{number}/": _page(number, len(text)) for number in range(len(text))})


def _linked(text: str) -> None:
    """Each page links to ten times as many addresses as there are pages."""
    count = len(text)
    found = {
        f"/{number}/": _page(number, count) + "".join(f"<a href=/{k}/#{number}>x</a>" for k in range(100))
        for number in range(count)
    }
    _check(found)


def _check(pages: dict[str, str]) -> None:
    with _folder(), serve({"/": _page(0, len(pages)), "*": Reply(status=404), **pages}) as site:
        options = ["--set", "crawl.requests-per-second=1000", "--max-removed", "100%"]
        assert _run("check", "--url", site.url, "--site-url", site.url, "--baseline", "committed", *options) in {0, 1}


def _page(number: int, count: int) -> str:
    return f"<!doctype html><title>{number}</title><p>{'some words ' * 60}<a href=/{(number + 1) % count}/>next</a><a href=/{(2 * number + 1) % count}/>x</a>"


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    before = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="growth-") as name:
        os.chdir(name)
        try:
            yield Path(name)
        finally:
            os.chdir(before)


def _run(*arguments: str) -> int:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return run([*arguments])
