"""docs/quick-start.md: a row for each generator, with its folder, and for hosts, with the address that each has."""

import json
import re
from pathlib import Path

import pytest

from documents import text
from runners import SITE
from sitemap_action.__main__ import run
from sitemap_action.setup.generators import GENERATORS

PAGE = text("docs/quick-start.md")
ROWS = re.findall(r"(?m)^\| `([\w-]+)` \| .+? \| `([^`]+)` \| [^|]*\| [^|]*\|$", PAGE)  # --generator, folder
HOSTS = re.findall(r"(?m)^\| `([\w-]+)` \| `/([^`]+)`", PAGE)  # name, and what about.html is listed as


def test_the_table_has_each_generator_with_its_folder() -> None:
    assert {name: GENERATORS[name].output for name, _ in ROWS} == {name: one.output for name, one in GENERATORS.items()}
    assert [row for row in ROWS if not f"/{row[1]}".endswith(f"/{GENERATORS[row[0]].output}")] == []


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
