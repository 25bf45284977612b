"""HOST-01, I-03: where the host is not known, pages have the addresses that links, canonicals and sitemap agree on."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from sitemap_action.__main__ import run
from sitemap_documents import urlset

SITE = "https://www.example.com/"
NAMES = ("about", "jobs", "price", "team")
VALUES = (
    "azure-swa, cloudflare-pages, cloudflare-workers, github-pages, netlify, netlify-plain, nginx-clean, render for /x"
)


class Stated(NamedTuple):
    """What each kind of statement writes behind the name of a page; None where it names none."""

    links: str | None = None
    canonicals: str | None = None
    committed: str | None = None
    built: str | None = None


def build(root: Path, stated: Stated, file: str = ".html", names: Sequence[str] = NAMES) -> None:
    """Pages x.html, or x/index.html."""
    links = "".join(f'<a href="/{name}{stated.links}">{name}</a>' for name in names if stated.links is not None)
    for name in ("", *names):
        path = root / "dist" / (f"{name}{file}" if name else "index.html")
        path.parent.mkdir(parents=True, exist_ok=True)
        own = name if not name else f"{name}{stated.canonicals}"
        canonical = "" if stated.canonicals is None else f'<link rel="canonical" href="{SITE}{own}">'
        words = f"The page {name} has words of its own. " * 20
        path.write_text(f"<!doctype html><title>{name}</title>{canonical}<p>{words}</p>{links}")
    for place, ending in (("sitemap.xml", stated.committed), ("dist/sitemap.xml", stated.built)):
        if ending is not None:
            (root / place).write_text(urlset(SITE, *(f"{SITE}{name}{ending}" for name in names)))


def look(command: str, *flags: str) -> tuple[int, dict[str, Any]]:
    shared = ["--path", "dist", "--site-url", SITE, "--baseline", "committed", "--report", "json=r.json"]
    code = run([command, *shared, *flags])
    return code, json.loads(Path("r.json").read_text())


def named(report: Mapping[str, Any]) -> list[str]:
    return [row["message"] for row in report["findings"] if row["rule"] == "HOST-01"]


def classes(report: Mapping[str, Any]) -> set[str]:
    return {row["class"] for row in report["removed"]} | {row["class"] for row in report["stale"].get("classes", ())}


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


AGREEING = (
    # pages, what the site states, the form
    (".html", Stated("", "", "", None), ""),
    (".html", Stated("", "", None, ""), ""),
    (".html", Stated(None, None, ""), ""),
    (".html", Stated("/", "/", "/"), "/"),
    (".html", Stated(".html", ".html", ".html"), ".html"),
    ("/index.html", Stated("", "", "", None), ""),
    ("/index.html", Stated("/", "/", None, "/"), "/"),
    ("/index.html", Stated("/index.html", "/index.html", "/index.html"), "/index.html"),
    ("/index.html", Stated("/", None, "/"), "/"),
)


@pytest.mark.parametrize(("file", "stated", "form"), AGREEING)
def test_I_03_the_spelling_that_the_site_states_is_the_page(
    file: str, stated: Stated, form: str, tmp_path: Path
) -> None:
    build(tmp_path, stated, file)
    code, report = look("check")
    assert (code, report["result"], report["counts"]["urls"]) == (0, "in-sync", 5)
    plain = form in {"/" if file.startswith("/") else ".html", "/index.html"}
    assert len(named(report)) == (0 if plain else 1)
    assert (VALUES in "".join(named(report))) == (file == ".html" and not form)


@pytest.mark.parametrize("stated", [Stated(""), Stated(None, ""), Stated("", "")])
def test_I_03_links_or_canonicals_alone_are_believed(stated: Stated, tmp_path: Path) -> None:
    """A first run writes what the site states."""
    build(tmp_path, stated)
    assert look("write", "--sitemap", "new.xml")[0] == 0
    assert Path("new.xml").read_text().count("</loc>") == 5
    assert all(f"<loc>{SITE}{name}</loc>" in Path("new.xml").read_text() for name in NAMES)


OTHER_SPELLINGS = ("", "/", ".html")


@pytest.mark.parametrize("spelling", OTHER_SPELLINGS)
def test_I_03_another_spelling_of_a_file_is_that_page_and_never_gone(spelling: str, tmp_path: Path) -> None:
    """One entry of twenty: nine of ten agree."""
    names = [f"page-{number}" for number in range(20)]
    build(tmp_path, Stated("", "", ""), names=names)
    file = Path("sitemap.xml")
    file.write_text(file.read_text().replace("page-7<", f"page-7{spelling}<"))
    code, report = look("check")
    if not spelling:
        assert (code, report["result"]) == (0, "in-sync")
        return
    assert (report["stale"]["missing"], report["stale"]["extra"]) == ([f"{SITE}page-7"], [f"{SITE}page-7{spelling}"])
    assert {row["class"] for row in report["removed"]} <= {"merged"}
    assert report["complete"]


def test_I_03_a_page_without_a_file_is_gone_as_ever(tmp_path: Path) -> None:
    build(tmp_path, Stated("", "", ""))
    Path("dist/team.html").unlink()
    _, report = look("check")
    assert [(row["url"], row["class"]) for row in report["removed"]] == [(f"{SITE}team", "gone")]


DISAGREEING = (
    (".html", Stated(".html", None, ""), "4 links", "4 entries of sitemaps"),
    (".html", Stated("", ".html", ""), "4 links, 4 entries of sitemaps", "4 canonicals"),
    ("/index.html", Stated("/", None, ""), "4 links", "4 entries of sitemaps"),
    (".html", Stated("/", "", ".html"), "4 canonicals", "4 entries of sitemaps"),
)


@pytest.mark.parametrize(("file", "stated", "one", "other"), DISAGREEING)
def test_I_03_where_the_site_disagrees_no_page_is_lost_and_nothing_is_written(
    file: str, stated: Stated, one: str, other: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build(tmp_path, stated, file)
    before = Path("sitemap.xml").read_bytes()
    code, report = look("check")
    shown = capsys.readouterr().out
    assert (code, report["result"], report["complete"]) == (3, "inconclusive", False)
    assert (report["removed"], report["stale"]["extra"], report["counts"]["undetermined"]) == ([], [], 4)
    first = shown.partition("\n")[0]
    assert first.startswith(
        "inconclusive: the host is not known, and the site does not agree on the addresses of pages x"
    )
    assert one in first
    assert other in first
    assert shown.rstrip().splitlines()[-1].startswith("→ Name the host in source.host (--host NAME)")
    (finding,) = named(report)
    assert "source.host: " in finding
    assert look("write")[0] == 3
    assert Path("sitemap.xml").read_bytes() == before


def test_I_03_a_first_run_of_a_site_that_disagrees_writes_nothing(tmp_path: Path) -> None:
    build(tmp_path, Stated("", ".html"))
    assert look("write", "--sitemap", "new.xml")[0] == 3
    assert not Path("new.xml").exists()


@pytest.mark.parametrize("host", ["github-pages", "render", "netlify-plain", "nginx-clean"])
def test_I_03_a_named_host_decides(host: str, tmp_path: Path) -> None:
    build(tmp_path, Stated(".html", None, ""))
    code, report = look("check", "--host", host)
    assert (code, named(report)) == (0, [])


def test_I_03_files_are_read_again_where_most_pages_have_another_spelling_than_the_first(tmp_path: Path) -> None:
    """Relative links depend on the address of their page, and every one counts once."""
    names = [f"page-{number:02}" for number in range(40)]
    build(tmp_path, Stated("", ""), names=names)
    Path("dist/index.html").write_text(f'<title>home</title><a href="/page-00.html">x</a><p>{"some words " * 40}')
    Path("dist/page-00.html").write_text(
        f"<title>list</title>{''.join(f'<a href={name}>x</a>' for name in names)}<p>{'more words ' * 40}"
    )
    assert look("write", "--sitemap", "new.xml")[0] == 0
    code, report = look("check", "--sitemap", "new.xml")
    assert (code, report["counts"]["urls"]) == (0, 41)
    assert f"<loc>{SITE}page-39</loc>" in Path("new.xml").read_text()
    assert not [row for row in report["findings"] if row["rule"] in {"HTML-68", "HTML-73", "URL-21"}]


def test_I_03_file_and_folder_of_one_name_keep_their_own_addresses(tmp_path: Path) -> None:
    build(tmp_path, Stated("", "", None))
    Path("dist/about").mkdir()
    Path("dist/about/index.html").write_text(f"<title>about</title><p>{'folder words ' * 40}")
    look("write", "--sitemap", "new.xml")
    text = Path("new.xml").read_text()
    assert f"<loc>{SITE}about</loc>" in text
    assert f"<loc>{SITE}about/</loc>" in text


NEXT = (
    pytest.param({"vercel.json": "{}", "dist/_next/static/a.js": ""}, (), id="_next in the build"),
    pytest.param({"vercel.json": "{}", "next.config.mjs": ""}, (), id="next.config in the repository"),
    pytest.param({"vercel.json": '{"trailingSlash": false}', "next.config.ts": ""}, (), id="trailingSlash"),
    pytest.param({"dist/_next/static/a.js": ""}, ("--host", "vercel"), id="the host is named"),
)


@pytest.mark.parametrize(("files", "flags"), NEXT)
@pytest.mark.parametrize("file", [".html", "/index.html"])
def test_I_04_a_next_export_on_vercel_has_clean_urls(
    files: Mapping[str, str], flags: Sequence[str], file: str, tmp_path: Path
) -> None:
    """Exported with trailingSlash, a page is a folder, which keeps its slash."""
    slash = "" if file == ".html" or "trailingSlash" in files.get("vercel.json", "") else "/"
    build(tmp_path, Stated(slash, slash, slash), file)
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    code, report = look("check", *flags)
    assert (code, report["result"], report["counts"]["urls"], named(report)) == (0, "in-sync", 5, [])
    assert "without .html" in "".join(report["notes"])


def test_I_04_another_build_on_vercel_keeps_the_names_of_its_files(tmp_path: Path) -> None:
    build(tmp_path, Stated(".html", ".html", ".html"))
    Path("vercel.json").write_text("{}")
    code, report = look("check")
    assert (code, report["result"]) == (0, "in-sync")


SETTLED = (
    # pages, what the site states, what the config asks for, result
    (".html", Stated(".html", None, None, ""), "select.html-extension=drop", "in-sync"),
    (".html", Stated("", None, None, ".html"), "select.html-extension=keep", "in-sync"),
    (".html", Stated(".html", None, None, ""), "select.html-extension=host", "inconclusive"),
    ("/index.html", Stated("/", None, None, ""), "select.trailing-slash=remove", "in-sync"),
)


@pytest.mark.parametrize(("file", "stated", "asked", "result"), SETTLED)
def test_the_config_settles_what_the_site_disagrees_on(
    file: str, stated: Stated, asked: str, result: str, tmp_path: Path
) -> None:
    """As with generators whose sitemap lists /x, while their links have x.html."""
    build(tmp_path, stated, file)
    found = look("check", "--set", asked)[1]
    assert (found["result"], bool(named(found))) == (result, result == "inconclusive")
