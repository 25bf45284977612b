"""`init`, then the build that the generator itself made, then `check`: real sources and real sites (`.ci/sites`)."""

import json
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from repositories import create, git
from sitemap_action.__main__ import run
from test_generated_sites import built
from test_real_sites import mkdocs

__all__ = ["mkdocs"]

TESTS = Path(__file__).parent
EXAMPLE = TESTS.parent / "examples/docs"


class Row(NamedTuple):
    """`false`: what the generator's sitemap lists and should not; the check is red and names it."""

    name: str  # of the build
    sources: Path
    site_url: str  # in the written config
    path: str
    false: tuple[str, ...] = ()
    files: dict[str, str] = {}  # what else the repository has  # noqa: RUF012


def generator(name: str) -> Path:
    return TESTS / "generators" / name


_HARBOUR = "https://harbour.example.com/"
ROWS = (
    Row("mkdocs", EXAMPLE, "https://docs.example.com/", "site", false=("project/writing/",)),
    Row("sphinx-html", generator("sphinx"), "https://lighthouse.example.com/", "docs/_build/html", false=("rota.html", "search.html")),
    Row("vitepress", generator("vitepress"), "https://orchard.example.com/", "docs/.vitepress/dist", false=("drafts.html",)),
    Row("eleventy", generator("eleventy"), "", "_site"),
    Row("astro", generator("astro"), "https://observatory.example.com/", "dist"),
    Row("docusaurus-default", generator("docusaurus"), _HARBOUR, "build", files={"vercel.json": "{}"}),
)  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_the_first_run_is_green_or_honestly_red(
    row: Row, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    made = request.getfixturevalue("mkdocs") if row.name == "mkdocs" else built(row.name)
    top = create(tmp_path / "repository")
    monkeypatch.chdir(top)
    products = shutil.ignore_patterns(".github", "site", "sitemap.xml", "node_modules", ".venv")
    shutil.copytree(row.sources, top, dirs_exist_ok=True, ignore=products)
    for path, text in row.files.items():
        (top / path).write_text(text)
    (top / ".gitignore").write_text(f"/{row.path}/\n")
    git(top, "add", "--all")
    git(top, "commit", "-q", "-m", "sources")
    assert run(["init"]) == 0
    config = (top / ".github/sitemap.yml").read_text()
    assert f"  path: {row.path} #" in config
    assert f"\nsite-url: {row.site_url}" in config or not row.site_url
    shutil.copytree(made, top / row.path)
    code = run(["check", "--report", "json=report.json"])
    report = json.loads(Path("report.json").read_text())
    stale = report["stale"]
    assert (stale["missing"], [url.removeprefix(report["site_url"]) for url in stale["extra"]]) == ([], list(row.false))
    assert (code, report["result"]) == ((1, "drift") if row.false else (0, "in-sync"))
    assert (report["judged"], report["complete"], report["first_run"]) == ("built", True, False)
