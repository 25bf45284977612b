"""The example documentation: what `make demo` starts from must hold."""

import json
import mimetypes
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from servers import Reply, Route, serve
from sitemap_action.__main__ import run
from sitemap_action.fetch.curl_engine import CurlFetcher
from sitemap_action.fetch.httpx_engine import HttpxFetcher

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


def test_both_engines_give_the_same_report(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(built)
    opened: list[str] = []
    for name, fetcher_class in (("libcurl", CurlFetcher), ("httpx", HttpxFetcher)):
        start = fetcher_class.__init__

        def spy(self: object, *given: object, name: str = name, start: Callable[..., None] = start) -> None:
            opened.append(name)
            start(self, *given)

        monkeypatch.setattr(fetcher_class, "__init__", spy)
    outcomes = []
    with serve(routes(built / "site")) as site:
        for engine in ("libcurl", "httpx"):
            report = tmp_path / f"{engine}.json"
            arguments = ["--url", site.url, "--set", f"http.engine={engine}", "--quiet", "--report", f"json={report}"]
            outcomes.append((run(["check", *arguments]), json.loads(report.read_text(encoding="utf-8"))))
            assert "/project/writing/" in site.paths
            assert set(opened) == {engine}
            opened.clear()
            site.asked.clear()
    capsys.readouterr()
    assert outcomes[0] == outcomes[1]
    code, report = outcomes[0]
    assert (code, report["result"], report["complete"]) == (0, "in-sync", True)
    assert report["counts"]["urls"] == len(listed(built / "sitemap.xml"))
