"""`init`, then the build that the generator itself made, then `check`: twelve kinds of repositories, real sources and real sites (`.ci/sites`).

Nothing is edited in between. A red check is honest: what it names is wrong on the site.
"""

import json
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from repositories import create, git
from setup_repositories import urlset
from sitemap_action.__main__ import run
from test_deployed_folder import mkdocs
from test_generated_sites import built

__all__ = ["mkdocs"]

TESTS = Path(__file__).parent
EXAMPLE = TESTS.parent / "examples/docs"


IN_SYNC = "in-sync: the sitemap matches the site (exit 0)"
DRIFT = "drift: the sitemap and the site differ (exit 1)"
INVALID = "invalid: the sitemap is invalid (exit 1)"


class Row(NamedTuple):
    """`built`: in `build/sites`, or the files themselves. `false`: what the generator's sitemap lists and should not."""

    name: str
    built: str | dict[str, str]
    sources: Path | dict[str, str]
    site_url: str  # in the written config
    path: str
    false: tuple[str, ...] = ()
    first: str = IN_SYNC  # line of the report
    missing: tuple[str, ...] = ()
    folder: str = ""  # where in the repository the sources are
    files: dict[str, str] = {}  # what else the repository has  # noqa: RUF012
    warned: tuple[str, ...] = ()


def generator(name: str) -> Path:
    return TESTS / "generators" / name


def page(title: str, body: str) -> str:
    return f"<!doctype html><html lang=en><title>{title}</title><h1>{title}</h1><p>{'What there is to say. ' * 30}</p>{body}"


HARBOUR, OBSERVATORY = "https://harbour.example.com/", "https://observatory.example.com/"
TIDES, BAKERY = "https://tides.example.com/", "https://baker.example.com/"
SHELL = '<!doctype html><html lang="en"><title>Tides</title><body><div id="root"></div><script type="module" src="{}"></script>'
SHOP = {
    "index.html": page("Baker", '<a href="/bread.html">Bread</a>'),
    "bread.html": page("Bread", '<a href="/">Home</a>'),
}
ROWS = (
    Row("MkDocs", "mkdocs", EXAMPLE, "https://docs.example.com/", "site", ("project/writing/",), DRIFT),
    Row("Sphinx", "sphinx-html", generator("sphinx"), "https://lighthouse.example.com/", "docs/_build/html", ("rota.html", "search.html"), DRIFT),
    Row("Docusaurus", "docusaurus-default", generator("docusaurus"), HARBOUR, "build", files={"vercel.json": "{}"}),
    Row("VitePress", "vitepress", generator("vitepress"), "https://orchard.example.com/", "docs/.vitepress/dist", ("drafts.html",), DRIFT),
    Row("Hugo", "hugo", generator("hugo"), "https://harbourmaster.example.com/", "public", ("crew/",), DRIFT),
    Row("Jekyll", "jekyll", generator("jekyll"), "https://hut.example.com/", "_site", ("bookings.html", "map.pdf"), DRIFT),
    Row("Eleventy", "eleventy", generator("eleventy"), "", "_site"),
    Row("Astro", "astro", generator("astro"), OBSERVATORY, "dist"),
    Row("Next export", "next-sitemap", generator("next-sitemap"), "https://planetarium.example.com/", "out", ("404/", "staff/"), INVALID),
    Row("plain HTML", {}, {**SHOP, "CNAME": "baker.example.com\n", "sitemap.xml": urlset(BAKERY, f"{BAKERY}bread.html")}, BAKERY, "."),
    Row("a monorepo", "astro", generator("astro"), OBSERVATORY, "docs/dist", folder="docs", files={
        "package.json": '{"private": true, "workspaces": ["packages/*", "docs"]}', "package-lock.json": "{}",
        "packages/lens/package.json": '{"name": "lens", "scripts": {"build": "tsc"}}', "packages/lens/index.ts": "export {};\n",
    }),
    Row("Vite", {"index.html": SHELL.format("/assets/index-1f.js"), "assets/index-1f.js": "document.title = 'Tides';\n"}, {
        "index.html": SHELL.format("/src/main.tsx"), "vite.config.ts": "export default { plugins: [] }\n",
        "package.json": f'{{"homepage": "{TIDES}", "scripts": {{"build": "vite build"}}, "devDependencies": {{"vite": "*"}}}}',
    }, TIDES, "dist", first=DRIFT, missing=("",), warned=("HTML-70",)),
)  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_the_first_run_is_green_or_honestly_red(
    row: Row,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
    capsys: pytest.CaptureFixture[str],
) -> None:
    made = request.getfixturevalue("mkdocs") if row.built == "mkdocs" else row.built
    top = repository(row, tmp_path)
    monkeypatch.chdir(top)
    assert run(["init"]) == 0
    config = (top / ".github/sitemap.yml").read_text()
    assert f"  path: {row.path} #" in config
    assert f"\nsite-url: {row.site_url}" in config or not row.site_url
    place(built(made) if isinstance(made, str) else made, top / row.path)
    capsys.readouterr()
    code = run(["check", "--report", "json=report.json"])
    assert capsys.readouterr().out.splitlines()[0] == row.first
    report = json.loads(Path("report.json").read_text())
    stale, site = report["stale"], report["site_url"]
    assert [url.removeprefix(site) for url in stale["extra"]] == list(row.false)
    assert [url.removeprefix(site) for url in stale["missing"]] == list(row.missing)
    assert code == (0 if row.first == IN_SYNC else 1)
    assert (report["complete"], report["first_run"]) == (True, bool(row.missing))
    assert report["judged"] == ("committed" if row.missing or row.path == "." else "built")
    assert {one["rule"] for one in report["findings"] if one["severity"] == "warning"} >= {*row.warned}


def repository(row: Row, folder: Path) -> Path:
    top = create(folder / "repository")
    place(row.sources, top / row.folder)
    place(row.files, top)
    if row.path != ".":
        (top / ".gitignore").write_text(f"/{row.path}/\n")
    git(top, "add", "--all")
    git(top, "commit", "-q", "-m", "sources")
    return top


def place(files: Path | dict[str, str], folder: Path) -> None:
    if isinstance(files, Path):
        products = shutil.ignore_patterns(
            ".github", "site", "node_modules", ".venv", *(["sitemap.xml"] if files == EXAMPLE else [])
        )
        shutil.copytree(files, folder, dirs_exist_ok=True, ignore=products)
        return
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
