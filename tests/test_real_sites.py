"""Documentation that real generators built: nothing lost, the same bytes twice, in sync after a write."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sitemap_action.__main__ import run

ROOT = Path(__file__).parents[1]
PYTHON_DOCS = Path("/usr/share/doc/python3.11-doc/html")  # as Debian builds them with Sphinx
PAGES = 530


@pytest.fixture(scope="module")
def mkdocs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    site = tmp_path_factory.mktemp("mkdocs") / "site"
    config = ROOT / "examples/docs/mkdocs.yml"
    command = [
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "--quiet",
        "--config-file",
        str(config),
        "--site-dir",
        str(site),
    ]
    subprocess.run(command, check=True, env=os.environ | {"SOURCE_DATE_EPOCH": "1767225600"})
    return site


@pytest.fixture(scope="module")
def python_docs() -> Path:
    if not PYTHON_DOCS.is_dir():
        pytest.skip("the Python documentation is not installed (Debian: python3.11-doc)")
    return PYTHON_DOCS


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def look(command: str, site: Path, *more: str) -> tuple[int, dict[str, Any]]:
    arguments = [command, "--path", str(site), "--site-url", "https://docs.example.com/x/", *more]
    code = run([*arguments, "--report", "json=report.json"])
    return code, json.loads(Path("report.json").read_text())


def html_files(site: Path) -> int:
    return sum(1 for path in site.rglob("*.html") if path.is_file())


def test_the_python_documentation(python_docs: Path, workspace: Path) -> None:
    """HTML-27: every page has a file:// canonical, which must not cost a single one."""
    code, report = look("write", python_docs, "--sitemap", "sitemap.xml")
    assert code == 0
    assert report["counts"]["urls"] == html_files(python_docs) == PAGES
    assert report["undetermined"] == []
    dead = [(row["url"].removeprefix("https://docs.example.com/x/"), row["reason"]) for row in report["skipped"]]
    assert dead == [("whatsnew/changelog.html", "gone")]  # which the package of Debian leaves out
    links = report["skipped"][0]["links"]
    assert (links["found_on"].rpartition("/")[2], links["pages"]) == ("contents.html", 17)
    hrefs = re.compile(r'<a [^>]*href="(?:\.\./)?(?:whatsnew/)?changelog\.html')
    assert links["pages"] == sum(hrefs.search(file.read_text()) is not None for file in python_docs.rglob("*.html"))
    assert "changelog.html" in (python_docs / "contents.html").read_text().splitlines()[links["line"] - 1]
    found = {finding["rule"]: finding for finding in report["findings"]}
    assert found["HTML-27"]["count"] == PAGES
    assert found["HTML-27"]["severity"] == "warning"
    orphans = [finding["url"] for finding in report["findings"] if finding["rule"] == "HTML-68"]
    assert len(orphans) == 4  # 526 of the 530 pages are linked

    first = (workspace / "sitemap.xml").read_bytes()
    code, checked = look("check", python_docs)
    assert (code, checked["result"]) == (0, "in-sync")
    (workspace / "sitemap.xml").unlink()
    # More pages than one process reads: whichever worker is first, the report is the same.
    assert look("write", python_docs, "--sitemap", "sitemap.xml") == (0, report)
    assert (workspace / "sitemap.xml").read_bytes() == first


def test_known_is_listed_and_skipped_with_a_reason(mkdocs: Path, workspace: Path) -> None:
    code, report = look("write", mkdocs, "--sitemap", "sitemap.xml", "--site-url", "https://docs.example.com/")
    assert code == 0
    reasons = {row["url"].removeprefix("https://docs.example.com/"): row["reason"] for row in report["skipped"]}
    assert reasons == {"404.html": "excluded", "project/writing/": "deindexed"}
    assert report["counts"]["urls"] + len(reasons) == html_files(mkdocs)
    assert look("check", mkdocs, "--site-url", "https://docs.example.com/")[0] == 0
