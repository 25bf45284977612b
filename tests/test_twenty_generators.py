"""Twenty kinds of projects from one table: `init`, the build of the generator, `check`; then a page less, one more, one with noindex.

Builds are those of `.ci/sites`: newest versions at the time of their locks. mdBook is in neither PyPI, npm nor Debian, and Gatsby's packages
take longer than all others together: their builds here have the shape of what they write, by tests/setup_repositories.py.
"""

import json
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from repositories import create, git
from setup_repositories import REPOSITORIES, urlset
from sitemap_action.__main__ import run
from test_generated_sites import built
from test_init_builds import BAKERY, ROWS, SHOP, Row, generator, place, repository
from test_real_sites import mkdocs

__all__ = ["mkdocs"]


def own(name: str, folder: str, files: Mapping[str, str] | None = None) -> Row:
    return Row(
        name,
        name.lower(),
        generator(name.lower()),
        f"https://{name.lower()}.example.com/",
        folder,
        files=dict(files or {}),
    )


PLAYED = [
    *(row for row in ROWS if row.name not in {"Vite", "plain HTML"}),  # of one page, and of two: tests/test_init_builds.py
    Row("plain HTML", {}, {**SHOP, "cakes.html": SHOP["bread.html"].replace("Bread", "Cakes"), "index.html": SHOP["index.html"] + '<a href="/cakes.html">Cakes</a>', "CNAME": "baker.example.com\n", "sitemap.xml": urlset(BAKERY, f"{BAKERY}bread.html", f"{BAKERY}cakes.html")}, BAKERY, "."),
    Row("Sphinx, folders", "sphinx-dirhtml", generator("sphinx"), "https://lighthouse.example.com/", "docs/_build/html"),
    own("Zensical", "site"), own("Pelican", "output"), own("Nikola", "output"), own("Rspress", "doc_build"),
    own("HonKit", "public"), own("Lektor", "_build"),
]  # fmt: skip
IMITATED = ("Gatsby", "mdBook")
# What a project has beside "in sync", and is right; all others are green without a warning or a note on their files.
RIGHT: dict[str, dict[str, str]] = {
    "Sphinx": {"HTML-68": "info: no page links to the index of terms but by rel=index"},
    "Sphinx, folders": {"HTML-68": "info: as above"},
    "Docusaurus": {"HTML-68": "info: no page links to the archive", "SM-50": "info: a frequency and a priority"},
    "Hugo": {
        "HL-07": "info: no x-default",
        "SM-29": "warning: the sitemap of a language lists pages above it",
        "SM-50": "info: as above",
    },
    "Next export": {"SM-50": "info: as above"},
    "Pelican": {"HTML-68": "info: no page links to the lists of authors and tags", "SM-50": "info: as above"},
    "Nikola": {"HTML-68": "info: no page links to the archive"},
    "Rspress": {
        "HOST-01": "warning: only some hosts serve its addresses",
        "SM-14": "warning: elements out of order",
        "SM-50": "info: as above",
    },
    "HonKit": {"SM-50": "info: as above"},
}


class Played(NamedTuple):
    top: Path
    path: str  # of the build

    def check(self, *more: str) -> dict[str, Any]:
        run(["check", "--offline", "--report", "json=report.json", "--quiet", *more])
        found: dict[str, Any] = json.loads((self.top / "report.json").read_text())
        return found


def projects(folder: Path, example: Path) -> Iterator[tuple[str, str, Callable[[], Path]]]:
    """(name, folder of the build, what makes the repository with its build)"""

    def real(row: Row) -> Path:
        top = repository(row, folder / row.name)
        place(
            example if row.built == "mkdocs" else built(row.built) if isinstance(row.built, str) else row.built,
            top / row.path,
        )
        return top

    def imitated(name: str) -> Path:
        (one,) = (one for one in REPOSITORIES if one.name == name)
        top = create(folder / name / "repository")
        one.write(top)
        git(top, "add", "--all")
        git(top, "commit", "-q", "-m", "sources")
        one.make(top)
        return top

    for row in PLAYED:
        yield row.name, row.path, lambda row=row: real(row)  # type: ignore[misc]
    for name in IMITATED:
        yield name, next(one.output for one in REPOSITORIES if one.name == name), lambda name=name: imitated(name)  # type: ignore[misc]


def pages(build: Path, report: Mapping[str, Any], urls: list[str]) -> dict[str, Path]:
    """URL → file, of the pages that the sitemap lists and that are no start page."""
    found = {}
    for url in urls:
        path = url.removeprefix(report["site_url"])
        path = path.strip("./")
        for file in (build / path / "index.html", build / path, build / f"{path}.html"):
            if path and file.is_file() and file.suffix == ".html":
                found.setdefault(url, file)
    return found


def test_twenty_generators(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mkdocs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = {}
    for name, path, make in projects(tmp_path, mkdocs):
        (tmp_path / name).mkdir()
        top = make()
        monkeypatch.chdir(top)
        found[name] = played(Played(top, path), capsys)
    assert len(found) == 20
    wanted = {name: {rule: why.partition(":")[0] for rule, why in RIGHT.get(name, {}).items()} for name in found}
    wrong = {name: one for name, one in found.items() if one != (0, wanted[name], "exact")}
    assert not wrong, "\n".join(f"{name}: {one}" for name, one in wrong.items())


def played(one: Played, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, str], str]:
    """(exit code, rule → severity, what is wrong after the change)"""
    assert run(["init"]) == 0
    build = one.top / one.path
    run(["write", "--offline", "--quiet"])  # what the sitemap lists and says noindex: each is a row of ROWS
    if (source := one.top / "pages/sitemap.xml").exists():  # which mdBook copies
        shutil.copy(source, build)
    capsys.readouterr()
    code = run(["check", "--offline"])
    printed = capsys.readouterr().out.splitlines()
    assert sum(line.startswith("  note ") for line in printed) <= 1, printed
    report = one.check()
    rules = {row["rule"]: row["severity"] for row in report["findings"]}
    return code, rules, printed[0] if code else changed(one, build, report)


def changed(one: Played, build: Path, report: Mapping[str, Any]) -> str:
    """A page less, one more and one with noindex, against the sitemap of before: each is named with its class, and nothing else."""
    judged = one.top / report["sitemap"]
    listed = re.findall("<loc>([^<]+)</loc>", "".join(file.read_text() for file in judged.parent.rglob("sitemap*.xml")))
    urls = sorted({url for url in listed if not url.endswith(".xml")})
    (one.top / "before.xml").write_text(urlset(*urls))
    known = pages(build, report, urls)
    (gone, lost), (hidden, file) = list(known.items())[-1], next(iter(known.items()))
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
    stale = found["stale"]
    exact = (removed, stale["missing"], sorted(stale["extra"])) == (
        {gone: "gone", hidden: "deindexed"},
        [name],
        sorted([gone, hidden]),
    )
    return (
        "exact"
        if exact
        else f"{removed}, missing {stale['missing']}, extra {stale['extra']}, instead of {gone}, {hidden}, {name}"
    )
