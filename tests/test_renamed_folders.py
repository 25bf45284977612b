"""A change renames a folder of pages: the report, its patch, and a check that is green once the site is built again.

MkDocs and Hugo build their sites themselves. Of Astro and Docusaurus the build is made here: a page of each source,
and what the plug-in of Docusaurus makes of the redirects that node reads in its config.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from repositories import create, git
from sitemap_action.__main__ import run

HOME = "https://www.example.com/"
STUB = '<!doctype html><meta http-equiv="refresh" content="0; url={0}"><link rel="canonical" href="{0}">'


def words(seed: int) -> str:
    return "\n\n".join(" ".join(f"w{seed}x{line}x{number}" for number in range(10)) for line in range(20))


def document(name: str, text: str) -> str:
    return f'<!doctype html><html lang="en"><head><title>{name}</title></head><body><h1>{name}</h1><p>{text}</p></body></html>'


def program(folder: Path, *command: str) -> str:
    ended = subprocess.run(
        command, cwd=folder, env={**os.environ, "LC_ALL": "C.UTF-8"}, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def build_mkdocs(folder: Path) -> None:
    pytest.importorskip("mkdocs_redirects.plugin")
    program(folder, sys.executable, "-m", "mkdocs", "build", "--quiet", "--clean")


def build_hugo(folder: Path) -> None:
    if shutil.which("hugo") is None:
        pytest.skip("hugo is not installed (Debian: hugo)")
    program(folder, "hugo", "--quiet", "--cleanDestinationDir")


def build_pages(folder: Path, sources: str, build: str, below: str = "") -> None:
    """A page of each source: `a.md` is `a/index.html`."""
    shutil.rmtree(folder / build, ignore_errors=True)
    for source in sorted((folder / sources).rglob("*.*")):
        stem = source.relative_to(folder / sources).with_suffix("")
        page = folder / build / below / (stem.parent if stem.name == "index" else stem) / "index.html"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(document(stem.name, source.read_text().rpartition("---")[2]))


def build_astro(folder: Path) -> None:
    build_pages(folder, "src/pages", "dist")


def build_docusaurus(folder: Path) -> None:
    if shutil.which("node") is None:
        pytest.skip("node is not installed (Debian: nodejs)")
    build_pages(folder, "docs", "build", "docs")
    (folder / "build/index.html").write_text(document("home", words(99)))
    shown = program(folder, "node", "-p", "JSON.stringify(require('./docusaurus.config.js').plugins[0][1].redirects)")
    for one in json.loads(shown):
        stub = folder / f"build{one['from']}" / "index.html"
        stub.parent.mkdir(parents=True, exist_ok=True)
        stub.write_text(STUB.format(one["to"]))


class Site(NamedTuple):
    """A repository; `moved`: the folder before and after; `file`: what the patch changes, and a line that it adds."""

    files: Mapping[str, str]
    build: Callable[[Path], None]
    output: str
    moved: tuple[str, str]
    file: str
    line: str
    host: str = "auto"


def pages(folder: str, suffix: str = ".md", head: str = "") -> dict[str, str]:
    inner = {f"{folder}/guide/{name}{suffix}": f"{head}{words(seed)}\n" for seed, name in enumerate("abc")}
    return {f"{folder}/index{suffix}": f"{head}{words(9)}\n", **inner}


def front(name: str) -> str:
    return f"---\ntitle: {name}\n---\n"


LAYOUT = "<!doctype html><html lang=en><head><title>{{ .Title }}</title></head><body>{{ .Content }}</body></html>"
SITES = {
    "MkDocs": Site(
        {
            **pages("docs"),
            "mkdocs.yml": f"site_name: x\nsite_url: {HOME}\nplugins:\n  - redirects:\n      redirect_maps: # by hand\n"
            "        short.md: guide/a.md\n  - search\n",
        },
        build_mkdocs, "site", ("docs/guide", "docs/manual"), "mkdocs.yml", "        guide/b.md: manual/b.md", "github-pages",
    ),
    "Docusaurus": Site(
        {
            **pages("docs"),
            "package.json": '{"dependencies": {"@docusaurus/core": "3"}, "scripts": {"build": "docusaurus build"}}',
            "docusaurus.config.js": f"module.exports = {{\n  title: 'x',\n  url: '{HOME}',\n  baseUrl: '/',\n  plugins: [\n"
            "    [\n      '@docusaurus/plugin-client-redirects',\n      {\n        redirects: [\n"
            "          { from: '/short/', to: '/docs/guide/a/' }, // by hand\n        ],\n      },\n    ],\n  ],\n};\n",
        },
        build_docusaurus, "build", ("docs/guide", "docs/manual"), "docusaurus.config.js",
        "          { from: '/docs/guide/b/', to: '/docs/manual/b/' },", "github-pages",
    ),
    "Hugo on Netlify": Site(
        {
            **pages("content", head=front("x")), "content/_index.md": front("home"), "content/guide/_index.md": front("all") + words(12),
            "hugo.toml": f'baseURL = "{HOME}"\ntitle = "x"\ndisableKinds = ["taxonomy", "term", "RSS", "sitemap"]\n',
            "layouts/_default/single.html": LAYOUT, "layouts/_default/list.html": LAYOUT, "layouts/index.html": LAYOUT,
            "netlify.toml": '[build]\n  publish = "public"\n', "static/_redirects": "# by hand\n/short /guide/a/ 301\n",
        },
        build_hugo, "public", ("content/guide", "content/manual"), "static/_redirects", "/guide/* /manual/:splat 301",
    ),
    "Astro on Vercel": Site(
        {
            **pages("src/pages", ".astro"), "package.json": '{"dependencies": {"astro": "5"}, "scripts": {"build": "astro build"}}',
            "astro.config.mjs": f"export default {{ site: '{HOME}' }};\n",
            "vercel.json": '{\n  "trailingSlash": true,\n  "redirects": [\n'
            '    { "source": "/short/", "destination": "/guide/a/", "permanent": true }\n  ]\n}\n',
        },
        build_astro, "dist", ("src/pages/guide", "src/pages/manual"), "vercel.json",
        '    { "source": "/guide/b/", "destination": "/manual/b/", "permanent": true },',
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SITES)
def test_the_patch_makes_the_check_green(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    site = SITES[name]
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    create(tmp_path)
    for path, text in {**site.files, ".gitignore": f"/{site.output}/\n/p.diff\n"}.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)

    def command(*arguments: str) -> int:
        where = ("--path", site.output, "--site-url", HOME, "--host", site.host, "--sitemap", "sitemap.xml")
        return run([*arguments, *where, "--quiet"])

    def commit() -> None:
        git(tmp_path, "add", "-A")
        git(tmp_path, "commit", "-q", "-m", "change")

    site.build(tmp_path)
    assert command("write") == 0
    commit()
    git(tmp_path, "branch", "base")
    git(tmp_path, "mv", *site.moved)
    commit()
    site.build(tmp_path)
    capsys.readouterr()
    assert command("check", "--set", "baseline=git:base", "--report", "patch=p.diff") == 1
    assert "redirect it to" in capsys.readouterr().out
    before = (tmp_path / site.file).read_text().splitlines()
    git(tmp_path, "apply", "p.diff")
    after = (tmp_path / site.file).read_text().splitlines()
    assert site.line in after
    assert [line for line in before if line not in after] == [line for line in before if "short" in line]
    site.build(tmp_path)
    assert command("check", "--set", "baseline=git:base") == 0, capsys.readouterr().out
    capsys.readouterr()
    assert command("redirects", "--format", "json") == 0
    assert json.loads(capsys.readouterr().out) == []
