"""A pull request moves, renames or repacks the sitemap: the base's is found as the head's is, and is no first run (I-10)."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import sitemap_documents
from repositories import Origin, checkout, create, git
from runners import SITE, build, urlset
from sitemap_action.__main__ import run

ALL, LEFT = ("a", "b", "c", "d"), ("a", "b", "c")
FILES = dict[str, bytes]


def xml(*names: str) -> bytes:
    return urlset("", *names).encode()


def text(*names: str) -> bytes:
    return "".join(f"{SITE}{name}{'/' if name else ''}\n" for name in ("", *names)).encode()


def packed(*names: str) -> bytes:
    return gzip.compress(xml(*names), mtime=0)


def index(*children: str) -> bytes:
    return sitemap_documents.index(*(f"{SITE}{name}" for name in children)).encode()


def record(place: Path, files: FILES, names: tuple[str, ...], branch: str) -> str:
    """A commit of a build and these files."""
    git(place, "checkout", "-q", "-B", branch)
    git(place, "rm", "-rfq", "--ignore-unmatch", ".")
    pages = {name: page.encode() for name, page in build(*names).items()}
    for name, content in (pages | files | {".github/sitemap.yml": f"site-url: {SITE}\n".encode()}).items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(content)
    git(place, "add", "--all")
    git(place, "commit", "-q", "--allow-empty", "-m", branch)
    return git(place, "rev-parse", "HEAD")


def change(place: Path, base: FILES, head: FILES) -> Origin:
    """The head has lost the page and the row of `d`."""
    create(place)
    first = record(place, base, ALL, "main")
    second = record(place, head, LEFT, "topic")
    merged = git(place, "commit-tree", "-p", first, "-p", second, "-m", "merge", f"{second}^{{tree}}")
    git(place, "checkout", "-q", "main")
    return Origin(place, first, first, second, merged)


# id, what the base has, what the head has, flags of the head's workflow, where the base's is found
MOVES = [
    ("case of the name", {"public/Sitemap.xml": xml(*ALL)}, {"public/sitemap.xml": xml(*LEFT)}, [], "public/Sitemap.xml"),
    ("case of the folder", {"Public/sitemap.xml": xml(*ALL)}, {"public/sitemap.xml": xml(*LEFT)}, [], "Public/sitemap.xml"),
    ("unpacked", {"public/sitemap.xml.gz": packed(*ALL)}, {"public/sitemap.xml": xml(*LEFT)}, [], "public/sitemap.xml.gz"),
    ("packed", {"public/sitemap.xml": xml(*ALL)}, {"public/sitemap.xml.gz": packed(*LEFT)}, ["--sitemap", "public/sitemap.xml.gz"], "public/sitemap.xml"),
    ("text before", {"public/sitemap.txt": text(*ALL)}, {"public/sitemap.xml": xml(*LEFT)}, [], "public/sitemap.txt"),
    ("the workflow names another", {"seo/map.xml": xml(*ALL)}, {"www/pages.xml": xml(*LEFT)}, ["--sitemap", "www/pages.xml"], "seo/map.xml"),
    ("the workflow names another, and the old one stays", {"seo/map.xml": xml(*ALL)}, {"seo/map.xml": xml(*ALL), "www/pages.xml": xml(*LEFT)}, ["--sitemap", "www/pages.xml"], "seo/map.xml"),
    ("an index becomes one file", {"seo/map.xml": index("one.xml", "two.xml"), "seo/one.xml": xml("a"), "seo/two.xml": text("b", "c", "d").replace(SITE.encode() + b"\n", b"")}, {"public/sitemap.xml": xml(*LEFT)}, [], "seo/map.xml"),
    ("it goes, and nothing comes", {"public/Sitemap.xml": xml(*ALL)}, {}, ["--sitemap", "public/sitemap.xml"], "public/Sitemap.xml"),
]  # fmt: skip


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    def go(origin: Origin, *flags: str, depth: int = 1) -> dict[str, Any]:
        place = checkout(origin.directory, origin.merge, tmp_path / "clone", depth=depth)
        monkeypatch.chdir(place)
        monkeypatch.setenv("GITHUB_EVENT_NAME", "pull_request")
        monkeypatch.setenv("GITHUB_SHA", origin.merge)
        monkeypatch.setenv("GITHUB_BASE_REF", "main")
        code = run(["check", "--path", "dist", "--report", "json=out.json", *flags])
        printed = capsys.readouterr()
        report = json.loads(Path("out.json").read_text()) if Path("out.json").exists() else {}
        return {**report, "code": code, "out": printed.out, "err": printed.err}

    return go


@pytest.mark.parametrize(("base", "head", "flags", "found"), [row[1:] for row in MOVES], ids=[row[0] for row in MOVES])
def test_I_10_the_base_s_sitemap_is_found(base: FILES, head: FILES, flags: list[str], found: str, tmp_path: Path, check: Any) -> None:  # fmt: skip
    origin = change(tmp_path / "origin", base, head)
    report = check(origin, *flags)
    assert report["baseline"] == f"{found} at {origin.main[:12]}, the first parent of the merge commit", report["err"]
    assert [(row["url"], row["class"]) for row in report["removed"]] == [(f"{SITE}d/", "gone")]
    assert (report["code"], report["added"], report["first_run"]) == (1, [], False)


# id, what the base has beside: no sitemap of this site
OTHERS = [
    ("of another site", {"shop/sitemap.xml": xml(*ALL).replace(b"www.example.com", b"shop.example.org")}, {}),
    ("of another part, which stays", {"blog/sitemap.xml": urlset("x", "y", "z").encode()}, {"blog/sitemap.xml": urlset("x", "y", "z").encode()}),
    ("a feed and a file of tests", {"tests/data.xml": b"<a/>", "notes.txt": b"hello", "pom.xml": b"<project/>"}, {}),
    ("nothing", {}, {}),
]  # fmt: skip


@pytest.mark.parametrize(("base", "head"), [row[1:] for row in OTHERS], ids=[row[0] for row in OTHERS])
def test_I_10_a_sitemap_of_something_else_is_no_base(base: FILES, head: FILES, tmp_path: Path, check: Any) -> None:
    origin = change(tmp_path / "origin", base, head | {"public/sitemap.xml": xml(*LEFT)})
    report = check(origin)
    assert report["baseline"].startswith("no public/sitemap.xml at "), report["err"]
    assert (report["code"], report["removed"], len(report["added"])) == (0, [], 4)


def test_I_10_what_moved_is_said(tmp_path: Path, check: Any) -> None:
    origin = change(tmp_path / "origin", *[dict(row) for row in MOVES[0][1:3]])
    report = check(origin)
    assert "public/sitemap.xml is compared with public/Sitemap.xml of the target branch, which this change moves" in report["notes"]  # fmt: skip
    assert not any("deletes it" in note for note in report["notes"])
