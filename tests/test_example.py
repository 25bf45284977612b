"""The example documentation: what `make demo` starts from must hold."""

import json
import mimetypes
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from servers import Reply, Route, serve
from sitemap_action.__main__ import run

EXAMPLE = Path(__file__).parents[1] / "examples/docs"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the example with its site, built by MkDocs as `make example` does."""
    copy = tmp_path_factory.mktemp("example") / "docs"
    shutil.copytree(EXAMPLE, copy, ignore=shutil.ignore_patterns("site"))
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--config-file", str(copy / "mkdocs.yml")]
    subprocess.run(command, check=True, env=os.environ | {"SOURCE_DATE_EPOCH": "1767225600"})
    return copy


def listed(sitemap: Path) -> list[str]:
    return re.findall(r"<loc>(.*?)</loc>", sitemap.read_text(encoding="utf-8"))


def test_the_committed_sitemap_is_in_sync(
    built: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(built)
    assert (run(["check"]), capsys.readouterr().err) == (0, "")


def test_it_lists_every_page_but_the_one_that_says_noindex(built: Path) -> None:
    """MkDocs lists that page in its own sitemap: the difference is what this program is for."""
    ours, theirs = set(listed(built / "sitemap.xml")), set(listed(built / "site/sitemap.xml"))
    assert theirs - ours == {"https://docs.example.com/project/writing/"}
    assert ours < theirs


def routes(site: Path) -> dict[str, Route]:
    """A build directory as a static host serves it: a directory by its index file."""
    found: dict[str, Route] = {}
    for file in site.rglob("*.*"):
        path = f"/{file.relative_to(site).as_posix()}".removesuffix("index.html")
        found[path] = Reply(file.read_bytes(), type=mimetypes.guess_type(file.name)[0] or "")
    return found


def test_the_served_example_is_in_sync(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(built)
    file = tmp_path / "report.json"
    with serve(routes(built / "site")) as site:
        code = run(["check", "--url", site.url, "--quiet", "--report", f"json={file}"])
        assert "/project/writing/" in site.paths
    capsys.readouterr()
    report = json.loads(file.read_text(encoding="utf-8"))
    assert (code, report["result"], report["complete"]) == (0, "in-sync", True)
    assert report["counts"]["urls"] == len(listed(built / "sitemap.xml"))
