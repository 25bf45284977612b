"""HOST-01: where the host is not known and the site speaks another spelling, the report names hosts and no redirects (V-26)."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from sitemap_action.__main__ import run

SITE = "https://www.example.com/"
NAMES = ("about", "jobs", "price", "team")


class Speaks(NamedTuple):
    """What names the pages x.html without their suffix."""

    canonicals: Sequence[str] = ()
    links: Sequence[str] = ()
    committed: Sequence[str] = ()
    built: Sequence[str] = ()


def sitemap(paths: Sequence[str]) -> str:
    rows = "".join(f"<url><loc>{SITE}{path}</loc></url>\n" for path in ("", *paths))
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{rows}</urlset>\n'


def build(root: Path, speaks: Speaks) -> None:
    (root / "dist").mkdir()
    links = "".join(f'<a href="/{name if name in speaks.links else f"{name}.html"}">{name}</a>' for name in NAMES)
    for name in ("index", *NAMES):
        canonical = f'<link rel="canonical" href="{SITE}{name}">' if name in speaks.canonicals else ""
        words = f"The page {name} has words of its own. " * 20
        (root / f"dist/{name}.html").write_text(f"<!doctype html><title>{name}</title>{canonical}<p>{words}</p>{links}")
    if speaks.committed:
        (root / "sitemap.xml").write_text(sitemap(speaks.committed))
    if speaks.built:
        (root / "dist/sitemap.xml").write_text(sitemap(speaks.built))


def check(*flags: str) -> tuple[int, dict[str, Any]]:
    code = run(
        ["check", "--path", "dist", "--site-url", SITE, "--baseline", "committed", "--report", "json=r.json", *flags]
    )
    return code, json.loads(Path("r.json").read_text())


def named(report: dict[str, Any]) -> list[str]:
    return [row["message"].partition(": ")[2] for row in report["findings"] if row["rule"] == "HOST-01"]


SPEAKING = (
    pytest.param(Speaks(canonicals=NAMES), "named", id="canonicals"),
    pytest.param(Speaks(links=NAMES), "linked as", id="links"),
    pytest.param(Speaks(committed=NAMES), "named", id="the committed sitemap"),
    pytest.param(Speaks(built=NAMES), "named", id="the built sitemap"),
    pytest.param(Speaks(NAMES, NAMES, NAMES, NAMES), "named", id="all"),
)


@pytest.mark.parametrize(("speaks", "verb"), SPEAKING)
def test_the_report_says_which_hosts_would_explain_it(
    speaks: Speaks, verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    build(tmp_path, speaks)
    code, report = check()
    assert code == 1
    assert named(report) == [
        f"4 pages x.html are {verb} /x, as netlify, cloudflare-pages or github-pages would serve them"
    ]
    shown = capsys.readouterr().out
    assert "Redirect each old URL" not in shown
    assert shown.rstrip().endswith(
        "→ Name the host in source.host, which decides the URLs of these pages (HOST-01), and run again."
    )

    code, report = check("--host", "github-pages")
    assert named(report) == []
    assert code == (0 if speaks.committed or speaks.built else 1)  # a first run
    assert not [row for row in report["findings"] if row["rule"] == "HTML-26"]


@pytest.mark.parametrize(
    "speaks",
    [
        pytest.param(Speaks(), id="nothing"),
        pytest.param(Speaks(links=NAMES[:3]), id="three of four links"),
        pytest.param(Speaks(canonicals=NAMES[:1]), id="one canonical"),
        pytest.param(Speaks(committed=[*NAMES[:1], *(f"{name}.html" for name in NAMES[1:])]), id="one entry"),
    ],
)
def test_without_agreement_there_is_no_word(speaks: Speaks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    build(tmp_path, speaks)
    assert named(check()[1]) == []


def folders(root: Path, links: str, listed: str) -> None:
    """As Nuxt builds them: `links` and `listed` are written after the name of a page."""
    shown = "".join(f'<a href="/{name}{links}">{name}</a>' for name in NAMES)
    for path in ("", *(f"{name}/" for name in NAMES)):
        (root / "dist" / path).mkdir(parents=True)
        words = f"The page {path} has words of its own. " * 20
        (root / f"dist/{path}index.html").write_text(f"<!doctype html><title>{path}</title><p>{words}</p>{shown}")
    (root / "sitemap.xml").write_text(sitemap([f"{name}{listed}" for name in NAMES]))


@pytest.mark.parametrize(("links", "listed", "unknown"), [("", "", True), ("/", "", False), ("", "/", False)])
def test_folders_that_the_sitemap_and_all_links_name_without_a_slash(
    links: str, listed: str, unknown: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where only one of both does, the other was changed: a plain server redirects to the slash."""
    monkeypatch.chdir(tmp_path)
    folders(tmp_path, links, listed)
    told = ["4 pages x/index.html are named /x, as vercel, render or azure-swa serve them"] if unknown else []
    assert named(check()[1]) == told
    code, report = check("--host", "vercel")
    assert (code, named(report)) == (0, [])
