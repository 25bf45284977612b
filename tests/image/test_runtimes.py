"""Containers and Python give the same: outputs, summary, reports and files of each situation."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from containers import Ran, Runner
from servers import serve

PAGE = "<!doctype html><html lang=en><title>A page</title><p>" + "some words " * 60
BUILD = {"dist/index.html": PAGE + "<a href=/a/>a</a>", "dist/a/index.html": PAGE}
SITE = {"path": "dist", "site_url": "https://www.example.com/"}
NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
COMMITTED = f"<urlset {NAMESPACE}>\n<url><loc>https://www.example.com/</loc></url>\n<url><loc>https://www.example.com/gone/</loc></url>\n</urlset>\n"
SITEMAP = {"sitemap.xml": COMMITTED}
# What the workspace has, the inputs, and the exit code; WORKSPACE is its path, as an expression gives it.
STORIES: dict[str, tuple[Mapping[str, str], Mapping[str, str], int]] = {
    "drift": ({**BUILD, **SITEMAP}, SITE, 1),
    "a write": ({**BUILD, **SITEMAP}, {**SITE, "mode": "write", "max_removed": "5"}, 0),
    "in sync": ({**BUILD, "sitemap.xml": COMMITTED.replace("gone", "a")}, SITE, 0),
    "a first sitemap": (BUILD, {**SITE, "mode": "write", "sitemap": "sitemap.xml"}, 0),
    "an absolute path": ({**BUILD, **SITEMAP}, {**SITE, "path": "WORKSPACE/dist"}, 1),
    "a config": ({**BUILD, **SITEMAP, ".github/sitemap.yml": "policy: {max-removed: 5}\nselect: {exclude: [/a/]}\n"}, SITE, 1),
    "a config that is broken": ({**BUILD, ".github/sitemap.yml": "policy: [\n"}, SITE, 2),
    "no build": (SITEMAP, SITE, 2),
    "no pages": ({"dist/x.txt": "x", **SITEMAP}, SITE, 3),
    "an input that does not exist": ({**BUILD, **SITEMAP}, {**SITE, "mode": "none"}, 2),
    "a sitemap that is invalid": ({**BUILD, "sitemap.xml": "<urlset>"}, SITE, 2),
    "a shell": ({"dist/index.html": "<!doctype html><title>x</title><div id=root></div><script src=/x.js></script>", **SITEMAP}, SITE, 1),
    "a state": ({**BUILD, **SITEMAP}, {**SITE, "state": "kept.state"}, 1),
    "validate": (SITEMAP, {"mode": "validate", "sitemap": "sitemap.xml"}, 0),
}  # fmt: skip


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("toolcache")
    found.chmod(0o755)
    return found


def play(runner: Runner, cache: Path, files: Mapping[str, str], inputs: Mapping[str, str], runtime: str) -> Ran:
    shutil.rmtree(runner.workspace)
    runner.workspace.mkdir()
    runner.put(files)
    runner.own()
    given = {name: text.replace("WORKSPACE", str(runner.workspace)) for name, text in inputs.items()}
    variables = {"RUNNER_TOOL_CACHE": str(cache), "SOURCE_DATE_EPOCH": "1700000000"}
    return runner.run(environment=variables, runtime=runtime, **given)


def everything(ran: Ran) -> dict[str, bytes]:
    """But for a state, which is a database."""
    files = (path for path in ran.workspace.rglob("*") if path.is_file() and not path.name.startswith("kept"))
    return {path.relative_to(ran.workspace).as_posix(): path.read_bytes() for path in files}


@pytest.mark.rows_apart
@pytest.mark.parametrize("name", STORIES)
def test_containers_and_python_give_the_same(name: str, runner: Runner, cache: Path) -> None:
    files, inputs, code = STORIES[name]
    found = []
    for runtime in ("container", "python"):
        ran = play(runner, cache, files, inputs, runtime)
        assert ran.code == code, ran.log
        found.append((ran.outputs, ran.summary, everything(ran)))
    assert found[0] == found[1]
    if code in {0, 1, 3} and inputs.get("mode") != "validate":
        assert any(path.endswith("report.json") for path in found[0][2])


def test_so_do_they_of_a_server(runner: Runner, cache: Path) -> None:
    found = []
    with serve({"/": PAGE + "<a href=/a/>a</a>", "/a/": PAGE, "*": 404}) as site:
        for runtime in ("container", "python"):
            given = {"url": site.url, "site_url": "https://www.example.com/", "sitemap": "sitemap.xml"}
            ran = play(runner, cache, SITEMAP, given, runtime)
            assert ran.code == 1, ran.log
            found.append((ran.outputs, ran.summary, everything(ran)))
    assert found[0] == found[1]


@pytest.mark.skipif(os.getuid() != 0, reason="owners of files are root's to give")
def test_what_is_written_belongs_to_the_owner(runner: Runner, cache: Path) -> None:
    ran = play(runner, cache, {**BUILD, **SITEMAP}, {**SITE, "mode": "write", "max_removed": "5"}, "container")
    owner = ran.workspace.stat()
    assert {(path.lstat().st_uid, path.lstat().st_gid) for path in ran.workspace.rglob("*")} == {(owner.st_uid, owner.st_gid)}  # fmt: skip
