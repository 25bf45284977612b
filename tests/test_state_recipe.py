"""The workflows that docs/state.md names: a state goes from run to run, and a pull request leaves none for the default branch."""

from pathlib import Path

import pytest

from documents import text
from servers import Reply, Route, serve
from workflows import Runner, package_manager

BUILD, CRAWL = (text(f"examples/workflows/state-of-a-{kind}.yml") for kind in ("build", "crawl"))
QUIET = ("--quiet", "--dry-run")
TAG = '"1"'


def page(text: str) -> str:
    return (
        f"<!doctype html><title>{text}</title><main>{text} {'some words of a page ' * 30}</main><a href=/a.html>a</a>"
    )


@pytest.fixture
def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Runner:
    workspace = tmp_path / "workspace"
    (workspace / "dist").mkdir(parents=True)
    (workspace / "public").mkdir()
    for name in ("index", "a"):
        (workspace / f"dist/{name}.html").write_text(page(name))
    (workspace / "build.sh").write_text("exit 0")
    monkeypatch.chdir(workspace)
    return Runner(workspace, tools=package_manager(tmp_path / "tools"))


def test_a_build(runner: Runner) -> None:
    runner.play(BUILD, "push", {"github.sha": "1"}, *QUIET)
    assert list(runner.cache) == ["sitemap-build-1"]
    (runner.workspace / "dist/a.html").write_text(page("changed"))
    runner.play(BUILD, "pull_request", {"github.sha": "2"}, *QUIET)
    assert list(runner.cache) == ["sitemap-build-1"]


def test_a_nightly_crawl(runner: Runner) -> None:
    routes: dict[str, Route] = {path: Reply(page(path), headers={"ETag": TAG}) for path in ("/", "/a.html")}
    with serve(routes) as site:
        text = CRAWL.replace("https://www.example.com/", site.url)
        names = {"github.run_attempt": "1", "github.ref_name": "main", "github.event.repository.default_branch": "main"}
        for night in ("1", "2"):
            site.asked.clear()
            runner.play(text, "schedule", {**names, "github.run_id": night}, *QUIET)
        assert [asked.header("if-none-match") for asked in site.asked if asked.path == "/a.html"] == [TAG]
        branch = {**names, "github.run_id": "3", "github.ref_name": "other"}
        runner.play(text, "workflow_dispatch", branch, *QUIET)
    assert list(runner.cache) == ["sitemap-crawl-1-1", "sitemap-crawl-2-1"]
