"""The site that is named without an option, and what is said where none is (I-05, U-31)."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from servers import serve
from sitemap_action.__main__ import run
from sitemap_action.cli.options import name_where

PAGE = f"<!doctype html><title>Home</title><h1>Home</h1><p>{'words of this page ' * 30}"


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = run([*arguments])
    return code, capsys.readouterr().err


WRONG: list[tuple[str, Sequence[str], str]] = [
    # id, arguments, what is suggested
    ("a letter is missing", ["chek"], "did you mean `sitemap-action check`?"),
    ("a letter too many", ["validatte", "x.xml"], "did you mean `sitemap-action validate`?"),
    ("another word", ["frobnicate"], "see `sitemap-action --help`"),
    ("a hidden command is not suggested", ["runn"], "see `sitemap-action --help`"),
    ("an address", ["https://www.example.com/"], "`sitemap-action check https://www.example.com/`"),
    ("a folder", ["dist"], "`sitemap-action check dist`"),
    ("an option without its value", ["validate", "s.xml", "--fix"], "see `sitemap-action validate --help`"),
    ("a value that no command takes", ["--help=x"], "see `sitemap-action --help`"),
    ("a host", ["check", "www.example.com"], "https://www.example.com"),
    ("a host and a path", ["check", "www.example.com/docs"], "https://www.example.com/docs"),
    ("this machine", ["check", "localhost:8000"], "http://localhost:8000"),
    ("a sitemap", ["check", "sitemap.xml"], "`sitemap-action validate sitemap.xml`"),
    ("twice", ["check", "dist", "--path", "dist"], "give one of them"),
    ("twice the same", ["check", "https://www.example.com/", "--url", "https://www.example.com/"], "give one of them"),
]


@pytest.mark.parametrize(("arguments", "words"), [pytest.param(*row[1:], id=row[0]) for row in WRONG])
def test_U_31_a_near_miss_is_suggested(
    arguments: Sequence[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("dist").mkdir()
    Path("sitemap.xml").touch()
    code, err = said(capsys, *arguments)
    assert code == 2
    assert words in err


def test_U_31_check_alone_names_init_and_what_is_here(capsys: pytest.CaptureFixture[str]) -> None:
    code, err = said(capsys, "check")
    assert code == 2
    assert "no site is given" in err
    assert "`sitemap-action init`" in err
    assert "`sitemap-action check https://www.example.com/`" in err
    for folder in ("dist", "docs/_build/html"):
        Path(folder).mkdir(parents=True)
        Path(folder, "index.html").write_text(PAGE)
    assert "`sitemap-action check dist` (docs/_build/html may be one too)" in said(capsys, "check")[1]
    Path(".github").mkdir()
    Path(".github/sitemap.yml").write_text("select: {exclude: [/x/**]}\n")
    err = said(capsys, "check")[1]
    assert ".github/sitemap.yml names no source" in err
    assert "init" not in err
    Path(".github/sitemap.yml").write_text(
        "source: {path: dist}\nsite-url: https://www.example.com/\nbaseline: committed"
    )
    assert said(capsys, "check", "--offline")[0] == 1  # the source of the config is looked at: there is no sitemap yet


def test_U_31_https_of_a_server_without_it_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    with serve({"/": PAGE}) as site:
        address = site.url.replace("http:", "https:")
        assert run(["check", address, "--set", "http.retries=0"]) == 3
        assert "write http:// and not https://" in capsys.readouterr().out


def test_I_05_a_folder_is_the_path(capsys: pytest.CaptureFixture[str]) -> None:
    Path("dist").mkdir()
    Path("dist/index.html").write_text(PAGE)
    code = run(["check", "dist", "--site-url", "https://www.example.com/", "--format", "json", "--offline"])
    report = json.loads(capsys.readouterr().out)
    assert (code, report["source"]) == (1, {"kind": "folder", "location": "dist"})


ADDRESSES = [
    # WHERE, site-url
    ("https://www.example.com/", "https://www.example.com/"),
    ("https://www.example.com", "https://www.example.com/"),
    ("HTTPS://WWW.example.com/?utm=1#top", "https://www.example.com/"),
    ("https://jane.example.com/project", "https://jane.example.com/project/"),
    ("https://jane.example.com/project/", "https://jane.example.com/project/"),
    ("https://www.example.com/docs/index.html", "https://www.example.com/docs/"),
    ("https://site.vercel.app/", ""),
    ("https://site.pages.dev/", ""),
    ("https://deploy-preview-7--example.netlify.app/", ""),
    ("http://shop/", ""),
    ("https://site.test/", ""),
    ("http://127.0.0.1:8000/", ""),
]


@pytest.mark.parametrize(("where", "site_url"), ADDRESSES)
def test_I_05_an_address_is_where_the_pages_live_unless_it_is_a_preview(where: str, site_url: str) -> None:
    given = name_where({"where": where, "path": None, "url": None, "site_url": None})
    assert (given["site_url"] or "").lower() == site_url
    given = name_where({"where": where, "path": None, "url": None, "site_url": "https://x.example/"})
    assert given["site_url"] == "https://x.example/"


def test_a_fault_of_the_address_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    """One address stands for two options."""
    code, text = said(capsys, "check", "https://www.example.com /")
    assert (code, text.count("https://www.example.com /")) == (2, 1)
