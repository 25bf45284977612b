"""Documentation that real generators built: nothing lost, the same bytes twice, in sync after a write.

As a folder and over HTTP it has the same entries, except pages without links to them.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from children import free_port, running
from sitemap_action.__main__ import run

ROOT = Path(__file__).parents[1]
PYTHON_DOCS = Path("/usr/share/doc/python3.11-doc/html")  # as Debian builds them with Sphinx
PAGES = 530
DOCS = "https://docs.example.com/"
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
CONFIG = """
daemon off; worker_processes 1; pid {root}/pid; error_log {root}/error.log;
events {{ worker_connections 256; }}
http {{
  access_log off; types {{ text/html html htm; application/xml xml; application/javascript js; text/css css; text/plain txt; }}
  client_body_temp_path {root}/t; proxy_temp_path {root}/t; fastcgi_temp_path {root}/t; uwsgi_temp_path {root}/t;
  scgi_temp_path {root}/t;
  server {{ listen 127.0.0.1:{port}; root {site}; absolute_redirect off; {directives} }}
}}
"""


@contextmanager
def nginx(root: Path, site: Path, directives: str = "") -> Iterator[str]:
    if NGINX is None:
        pytest.skip("nginx is not installed (Debian: nginx-light)")
    port, config = free_port(), root / "nginx.conf"
    user = "user root;" if Path("/proc/self").stat().st_uid == 0 else ""
    config.write_text(user + CONFIG.format(root=root, site=site, port=port, directives=directives))
    with running([NGINX, "-c", str(config)], port, root) as url:
        yield url


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


def entries(*source: str, site: str) -> tuple[set[str], dict[str, Any]]:
    flags = ["--site-url", site, "--report", "json=report.json", "--quiet"]
    assert run(["check", *source, *flags, "--set", "sitemaps.use=false"]) == 1
    report = json.loads(Path("report.json").read_text())
    return {row["url"] for row in report["added"]}, report


def test_mkdocs(mkdocs: Path, workspace: Path) -> None:
    by_folder, folder = entries("--path", str(mkdocs), site=DOCS)
    with nginx(workspace, mkdocs) as url:
        over_http, http = entries("--url", url, site=DOCS)
    assert by_folder - over_http == {f["url"] for f in folder["findings"] if f["rule"] == "HTML-68"}
    assert over_http <= by_folder
    assert over_http
    assert http["complete"] is True


@pytest.mark.skipif(not PYTHON_DOCS.is_dir(), reason="python3.11-doc is not installed")
def test_the_python_documentation(workspace: Path) -> None:
    """HTML-27: every page has a file:// canonical, which must not cost a single one."""
    code, report = look("write", PYTHON_DOCS, "--sitemap", "sitemap.xml")
    assert code == 0
    assert report["counts"]["urls"] == html_files(PYTHON_DOCS) == PAGES
    assert report["undetermined"] == []
    dead = [(row["url"].removeprefix("https://docs.example.com/x/"), row["reason"]) for row in report["skipped"]]
    assert dead == [("whatsnew/changelog.html", "gone")]  # which the package of Debian leaves out
    links = report["skipped"][0]["links"]
    assert (links["found_on"].rpartition("/")[2], links["pages"]) == ("contents.html", 17)
    hrefs = re.compile(r'<a [^>]*href="(?:\.\./)?(?:whatsnew/)?changelog\.html')
    assert links["pages"] == sum(hrefs.search(file.read_text()) is not None for file in PYTHON_DOCS.rglob("*.html"))
    assert "changelog.html" in (PYTHON_DOCS / "contents.html").read_text().splitlines()[links["line"] - 1]
    found = {finding["rule"]: finding for finding in report["findings"]}
    assert found["HTML-27"]["count"] == PAGES
    assert found["HTML-27"]["severity"] == "warning"
    orphans = [finding["url"] for finding in report["findings"] if finding["rule"] == "HTML-68"]

    first = (workspace / "sitemap.xml").read_bytes()
    (workspace / "sitemap.xml").unlink()
    # More pages than one process reads: whichever worker is first, the report is the same.
    assert look("write", PYTHON_DOCS, "--sitemap", "sitemap.xml") == (0, report)
    assert (workspace / "sitemap.xml").read_bytes() == first

    (workspace / "sitemap.xml").unlink()
    by_folder = {row["url"] for row in report["added"]}
    with nginx(workspace, PYTHON_DOCS) as url:
        over_http, http = entries("--url", url, site=f"{DOCS}x/")
    assert (len(by_folder), len(over_http), len(orphans)) == (530, 526, 4)
    assert by_folder - over_http == {*orphans}
    assert over_http <= by_folder
    assert http["complete"] is True


def test_known_is_listed_and_skipped_with_a_reason(mkdocs: Path, workspace: Path) -> None:
    code, report = look("write", mkdocs, "--sitemap", "sitemap.xml", "--site-url", "https://docs.example.com/")
    assert code == 0
    reasons = {row["url"].removeprefix("https://docs.example.com/"): row["reason"] for row in report["skipped"]}
    assert reasons == {"404.html": "excluded", "project/writing/": "deindexed"}
    assert report["counts"]["urls"] + len(reasons) == html_files(mkdocs)
    assert look("check", mkdocs, "--site-url", "https://docs.example.com/")[0] == 0
