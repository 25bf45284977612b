"""Twenty kinds of projects from one table: `init`, the build of the generator, `check`; then a page less, one more, one with noindex.

Builds are those of `.ci/sites`: newest versions at the time of their locks. Nothing is edited between them and the check.
"""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from setup_repositories import urlset
from sitemap_action.__main__ import run
from test_generated_sites import built
from test_init_builds import BAKERY, ROWS, SHOP, Row, generator, page, place, repository

HARBOUR = {
    name: f"[{name}]({name}.md)\n\n{'What there is to say of it, in words of its own. ' * 20}\n"
    for name in ("tides", "fees")
}
ROW = {row.name: row for row in ROWS}


def own(name: str, folder: str, files: Mapping[str, str] | None = None) -> Row:
    sources, address = generator(name.lower()), f"https://{name.lower()}.example.com/"
    return Row(name, name.lower(), sources, address, folder, files=dict(files or {}))


def healthy(name: str, variant: str = "") -> Row:
    """The site of a row without the pages that its sitemap lists against their own word."""
    return ROW[name]._replace(name=variant or name, built=f"{variant or ROW[name].built}-healthy")


MKDOCS = {
    "mkdocs.yml": "site_name: Harbour\nsite_url: https://mkdocs.example.com/\n",
    **{f"docs/{name}.md": text for name, text in {**HARBOUR, "index": "# Harbour\n\n[tides](tides.md) [fees](fees.md)\n"}.items()},
}  # fmt: skip
PLAYED = [
    Row("MkDocs", "mkdocs", MKDOCS, "https://mkdocs.example.com/", "site"),
    healthy("Sphinx"), healthy("Sphinx", "sphinx-dirhtml"), healthy("VitePress"), healthy("Hugo"), healthy("Jekyll"),
    ROW["Docusaurus"]._replace(files={}), ROW["Eleventy"], ROW["Astro"], ROW["a monorepo"],
    ROW["plain HTML"]._replace(sources={**SHOP, "cakes.html": page("Cakes", '<a href="/">Home</a>'), "index.html": SHOP["index.html"] + '<a href="/cakes.html">Cakes</a>', "CNAME": "baker.example.com\n", "sitemap.xml": urlset(BAKERY, f"{BAKERY}bread.html", f"{BAKERY}cakes.html")}),
    own("Next", "out"), own("Zensical", "site"), own("Pelican", "output"), own("Nikola", "output"),
    own("Rspress", "doc_build"), own("HonKit", "public"), own("Lektor", "_build"), own("Gatsby", "public"), own("mdBook", "book"),
]  # fmt: skip


class Played(NamedTuple):
    top: Path
    path: str  # of the build

    def check(self, *more: str) -> dict[str, Any]:
        run(["check", "--offline", "--report", "json=report.json", "--quiet", *more])
        found: dict[str, Any] = json.loads((self.top / "report.json").read_text())
        return found

    def places(self, url: str, site_url: str) -> Iterator[Path]:
        """The files that a URL may be of; the start page is none of them."""
        if path := url.removeprefix(site_url).strip("./"):
            build = self.top / self.path
            yield from (build / path / "index.html", build / path, build / f"{path}.html")


def test_twenty_generators(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    found = {}
    for row in PLAYED:
        (tmp_path / row.name).mkdir()
        top = repository(row, tmp_path / row.name)
        if row.built == "mkdocs":
            subprocess.run([sys.executable, "-m", "mkdocs", "build", "--quiet"], cwd=top, check=True)
        else:
            place(built(row.built) if isinstance(row.built, str) else row.built, top / row.path)
        monkeypatch.chdir(top)
        found[row.name] = played(Played(top, row.path), capsys)
    assert len(found) == 20
    wrong = {name: one for name, one in found.items() if one != "exact"}
    assert not wrong, "\n".join(f"{name}: {one}" for name, one in wrong.items())


def played(one: Played, capsys: pytest.CaptureFixture[str]) -> str:
    """What is wrong, else "exact": green without a warning, at most one note, and each change named and nothing else."""
    assert run(["init"]) == 0
    if not list(
        (one.top / one.path).glob("sitemap*.xml")
    ):  # mdBook makes none: the first one is written for it to copy
        run(["write", "--offline", "--quiet"])
        shutil.copy(one.top / "src/sitemap.xml", one.top / one.path)
    capsys.readouterr()
    code = run(["check", "--offline"])
    printed = capsys.readouterr().out
    report = one.check()
    severities = {row["severity"] for row in report["findings"]}
    notes = len(re.findall("^  note |^(?:Notes|Warnings) ", printed, re.MULTILINE))
    healthy = code == 0 and severities <= {"info"} and notes <= 1 and report["complete"]
    return changed(one, report) if healthy else printed


def changed(one: Played, report: Mapping[str, Any]) -> str:
    """A page less, one more and one with noindex, against the sitemap of before: each is named with its class, and nothing else."""
    judged, build = one.top / report["sitemap"], one.top / one.path
    listed = re.findall(
        "<loc>([^<]+)</loc>",
        "".join(file.read_text() for file in judged.parent.rglob("sitemap*.xml") if file.is_file()),
    )
    urls = sorted({url for url in listed if not url.endswith(".xml")})
    (one.top / "before.xml").write_text(urlset(*urls))
    files = ((url, file) for url in urls for file in one.places(url, report["site_url"]))
    known = [(url, file) for url, file in files if file.is_file() and file.suffix == ".html"]
    (hidden, file), (gone, lost) = known[0], known[-1]
    lost_text = lost.read_text()
    lost.unlink()
    file.write_text(re.sub("(?i)<title", '<meta name="robots" content="noindex"><title', file.read_text(), count=1))
    name = re.sub(r"[^/]+?(?=(?:\.html)?/?$)", "new-page", gone, count=1)
    new = (
        lost.parent.with_name("new-page") / lost.name if lost.name == "index.html" else lost.with_name("new-page.html")
    )
    new.parent.mkdir(exist_ok=True)
    new.write_text(re.sub(r"<(?:link|meta)[^>]*(?:canonical|alternate|og:url)[^>]*>", "", lost_text))
    with (build / "index.html").open("a") as start:
        start.write(f'<a href="{name}">New</a>')
    found = one.check("--baseline", "before.xml")
    removed = {row["url"]: row["class"] for row in found["removed"]}
    said = (removed, found["stale"]["missing"], sorted(found["stale"]["extra"]))
    wanted = ({gone: "gone", hidden: "deindexed"}, [name], sorted([gone, hidden]))
    return "exact" if said == wanted else f"{said} instead of {wanted}"
