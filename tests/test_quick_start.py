"""docs/quick-start.md: a row for each generator, with its folder, and for hosts, with the address that each has."""

import json
import re
from fnmatch import fnmatch
from pathlib import Path

import pytest

from documents import text
from repositories import create
from runners import SITE, urlset
from setup.test_generators import ADDRESSES, OUTPUTS, SITEMAPS
from setup_repositories import REPOSITORIES, project
from sitemap_action.__main__ import run
from sitemap_action.setup.generators import GENERATORS, recognise

PAGE = text("docs/quick-start.md")
ROWS = re.findall(r"(?m)^\| `([\w-]+)` \| .+? \| `([^`]+)` \| [^|]*\| [^|]*\|$", PAGE)  # --generator, folder
HOSTS = re.findall(r"(?m)^\| `([\w-]+)` \| `/([^`]+)`", PAGE)  # name, and what about.html is listed as


def test_the_table_has_each_generator_with_its_folder() -> None:
    """In the order in which they count."""
    assert [name for name, _ in ROWS] == [*GENERATORS]
    assert [row for row in ROWS if not f"/{row[1]}".endswith(f"/{GENERATORS[row[0]].output}")] == []


def test_files_keys_and_packages_of_the_table_are_those_of_repositories_that_are_recognised() -> None:
    """The tests of `init` show what is read of these."""
    shown: dict[str, list[str]] = {}
    for files in (*(one.files for one in REPOSITORIES), *(row[1] for row in (*ADDRESSES, *OUTPUTS, *SITEMAPS))):
        found = recognise(project(files)).site
        assert found
        shown.setdefault(found.generator, []).extend(one.replace('"', "'") for one in (*files, *files.values()))
    unknown = []
    for name, folder in ROWS:
        (row,) = re.findall(rf"(?m)^\| `{name}` \| (.+)$", PAGE)
        for span in re.findall(r"`([^`]+)`", row.replace('"', "'")):
            words = span.rpartition(".")[2].lower()
            there = any(fnmatch(one, f"*{span}") or words in one.lower() for one in shown[GENERATORS[name].name])
            unknown += [(name, span)] * (not there and span != folder)
    assert unknown == []


def test_each_language_of_docusaurus_has_its_own_check_or_one_sitemap_has_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(create(tmp_path / "site"))
    Path(".gitignore").write_text("build/\n")
    for folder, names in (("build", ("docs", "docs/a")), ("build/de", ("docs/de", "docs/de/b"))):
        links = "".join(f"<a href=/{name}/>{name}</a>" for name in names)
        for name in names:
            page = Path("build", *Path(name).parts[1:], "index.html")
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_text(f"<!doctype html><title>{name}</title><p>{name} {'word ' * 60}</p>{links}")
        Path(folder, "sitemap.xml").write_text(urlset(*names))
    quiet = ["--offline", "--quiet", "--report=json=report.json"]
    whole = ["--path=build", f"--site-url={SITE}docs/", *quiet]
    assert run(["check", *whole]) == 1
    assert run(["check", *whole, "--set", "select.exclude=[/docs/de/**]"]) == 0
    assert run(["check", "--path=build/de", f"--site-url={SITE}docs/de/", *quiet]) == 0
    assert run(["write", *whole]) == 0
    assert run(["check", *whole]) == 0
    assert json.loads(Path("report.json").read_text())["counts"]["urls"] == 4


@pytest.mark.parametrize(("host", "stated"), HOSTS)
def test_the_host_has_the_address_that_the_page_says(
    host: str, stated: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("dist").mkdir()
    for page in ("index", "about"):
        link = "" if page == "about" else "<a href=/about.html>About</a>"
        Path(f"dist/{page}.html").write_text(
            f"<!doctype html><title>{page}</title><h1>{page}</h1><p>{page} page</p>{link}"
        )
    given = ["--path=dist", f"--host={host}", f"--site-url={SITE}", "--offline", "--quiet"]
    run(["check", *given, "--report=json=report.json"])
    report = json.loads(Path("report.json").read_text())
    assert sorted(report["stale"]["missing"]) == [SITE, f"{SITE}{stated}"]


def test_the_hosts_that_most_sites_have() -> None:
    names = ["github-pages", "netlify", "vercel", "cloudflare-pages", "firebase", "azure-swa"]
    assert [name for name, _ in HOSTS] == names
