"""The action in its containers end to end: `check` and `write`, whoever owns the workspace, whatever a page says."""

import json
import os
import re
import signal
import subprocess
import tarfile
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from containers import ROOT, RUNNER, Engine, Ran, Runner
from servers import serve

PAGE = "<!doctype html><html lang=en><title>A page</title><p>" + "some words " * 60
BUILD = {"dist/index.html": PAGE + "<a href=/a/>a</a>", "dist/a/index.html": PAGE}
SITE = {"path": "dist", "site_url": "https://www.example.com/"}
COMMITTED = """<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
  <url><loc>https://www.example.com/</loc></url>
  <url><loc>https://www.example.com/gone/</loc></url>
</urlset>
"""
OWNER = f"{RUNNER[0]}:{RUNNER[1]}" if os.getuid() == 0 else f"{os.getuid()}:{os.getgid()}"
AS_ROOT = pytest.mark.skipif(os.getuid() != 0, reason="needs root on this side, to give files to other users")


def owners(folder: Path) -> set[str]:
    return {f"{path.lstat().st_uid}:{path.lstat().st_gid}" for path in (folder, *folder.rglob("*"))}


def test_check(runner: Runner) -> None:
    runner.put({**BUILD, "sitemap.xml": COMMITTED})
    runner.own()
    ran = runner.run(**SITE)
    assert ran.code == 1, ran.log
    assert (ran.outputs["result"], ran.outputs["changed"], ran.outputs["stale-count"]) == ("drift", "false", "2")
    assert json.loads((ran.workspace / ran.outputs["report-json"]).read_text())["result"] == "drift"
    assert ran.summary.startswith("### ❌ Sitemap: ")
    assert "::error title=Listed%3A gone,file=sitemap.xml,line=4::https://www.example.com/gone/" in ran.log
    assert ran.log.startswith("::add-mask::a-token-that-only-reads\n")
    assert (ran.workspace / "sitemap.xml").read_text() == COMMITTED
    assert owners(runner.folder) == {OWNER}


def test_a_sitemap_that_needs_more_than_memory(runner: Runner) -> None:
    locs = "".join(f"<url><loc>https://www.example.com/gone/{number}/</loc></url>" for number in range(50_000))
    runner.put({**BUILD, "sitemap.xml": f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{locs}</urlset>'})
    runner.own()
    ran = runner.run(**SITE)
    assert ran.code == 1, ran.log
    assert (ran.outputs["result"], ran.outputs["stale-count"]) == ("drift", "50002")


def test_write(runner: Runner) -> None:
    runner.put({**BUILD, "public/sitemap.xml": COMMITTED, ".github/sitemap.yml": "policy: {max-removed: 5}\n"})
    runner.own()
    ran = runner.run(mode="write", **SITE)
    assert ran.code == 0, ran.log
    assert (ran.outputs["result"], ran.outputs["changed"]) == ("drift", "true")
    text = (ran.workspace / ran.outputs["sitemap-path"]).read_text()
    assert re.findall("<loc>(.*)</loc>", text) == ["https://www.example.com/", "https://www.example.com/a/"]
    assert owners(runner.folder) == {OWNER}
    assert runner.run(**SITE | {"path": "dist"}).code == 0


@AS_ROOT
@pytest.mark.parametrize("owner", [(0, 0), (1001, 127)], ids=["root", "another user"])
def test_what_the_owner_may_not_read_is_not_read(runner: Runner, owner: tuple[int, int]) -> None:
    """Root looked at nothing, and root of the container has no capability."""
    runner.put({**BUILD, "dist/a/index.html": PAGE})
    runner.own(*owner)
    hidden = runner.workspace / "dist/a/index.html"
    os.chown(hidden, 65532, 65532)
    hidden.chmod(0o640)
    for path in (runner.folder, *(runner.folder / name for name in ("workspace", "workflow", "home"))):
        path.chmod(0o755)
    ran = runner.run(**SITE)
    assert ran.code in {1, 3}, ran.log
    assert "ermission denied" in ran.log
    assert ran.outputs["complete"] == "true"  # no sitemap lists the page (V-11)


@AS_ROOT
def test_a_container_job_leaves_folders_of_root_in_a_workspace_of_another(runner: Runner) -> None:
    """No process of the action has the rights of root: it says what it may not write."""
    runner.put({**BUILD, "public/sitemap.xml": COMMITTED})
    runner.own()
    for path in (runner.workspace / "public", runner.workspace / "public/sitemap.xml"):
        os.chown(path, 0, 0)
    ran = runner.run(mode="write", max_removed="5", **SITE)
    assert (ran.code, ran.outputs["changed"]) == (4, "false"), ran.log
    assert "ermission denied" in ran.log


@AS_ROOT
def test_a_workspace_of_root(runner: Runner) -> None:
    runner.put(BUILD)
    runner.own(0, 0)
    runner.workspace.chmod(0o700)
    ran = runner.run(mode="write", sitemap="sitemap.xml", **SITE)
    assert ran.code == 0, ran.log
    assert "reading as user 0" in ran.log


def test_the_program_in_a_pipeline_elsewhere(engine: Engine, runner: Runner) -> None:
    """Any user, a root that cannot be written, no network, no HOME."""
    runner.put({**BUILD, "sitemap.xml": COMMITTED})
    runner.own(65532, 65532)
    flags = ("--read-only", "--cap-drop", "ALL", "--user", "65532:65532", "--network", "none", "--workdir", "/w")
    options = (
        "--path",
        "dist",
        "--site-url",
        "https://www.example.com/",
        "--sitemap",
        "sitemap.xml",
        "--max-removed",
        "5",
    )
    done = engine.call("run", "--rm", *flags, "-v", f"{runner.workspace}:/w", runner.image, "write", *options)
    assert done.returncode == 0, done.stdout
    assert "/a/" in (runner.workspace / "sitemap.xml").read_text()


def test_an_error_is_one_annotation_and_outputs_are_set(runner: Runner) -> None:
    runner.own()
    ran = runner.run(site_url="https://www.example.com/", path="dist")
    assert ran.code == 2
    assert ran.log.count("::error ") == 1
    assert ran.summary.startswith("### ❌ Sitemap: it could not be checked\n\n- the folder dist does not exist\n")
    assert (ran.outputs["result"], ran.outputs["changed"], ran.outputs["complete"]) == ("", "false", "false")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_cancelled_ends_and_says_so(runner: Runner, number: int) -> None:
    """A runner tells the shell of the step, and nobody else."""
    runner.own()
    runner.empty_files()
    # A shell cannot trap what was ignored when it began, as SIGINT is below a shell's `&`.
    start = ["env", "--default-signal=INT,TERM", "bash", str(ROOT / "action/start.sh")]
    with serve({"/": PAGE, "*": 404}) as site:
        inputs = {"url": site.url, "site_url": "https://www.example.com/", "wait_for": "never", "network": "host"}
        with subprocess.Popen(
            start,
            cwd=runner.workspace,
            env=runner.environment(runtime="container", **inputs),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as step:
            while not site.paths and step.poll() is None:
                time.sleep(0.05)
            step.send_signal(number)
            log, _ = step.communicate(timeout=60)
    ran = Ran(step.returncode, log, runner.folder)
    assert ran.code == 128 + signal.SIGTERM, ran.log
    assert "terminated: nothing was written after that" in ran.log
    assert (ran.outputs["result"], ran.outputs["changed"]) == ("", "false")


def _containers_left(engine: Engine) -> str:
    """An engine on a busy machine removes what has ended (--rm) a moment after its command has returned."""
    for _ in range(100):
        if not (left := engine.call("ps", "--all", "--quiet", "--filter", "name=sitemap-action-").stdout):
            break
        time.sleep(0.1)
    return left


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_containers_start_leaves_none(number: int, runner: Runner, engine: Engine) -> None:
    """At ten moments of a run, from the first on; tests/test_start_script.py plays each command of the script."""
    runner.put(BUILD)
    runner.own()
    start = ["env", "--default-signal=INT,TERM", "bash", str(ROOT / "action/start.sh")]
    for moment in range(10):
        runner.empty_files()
        given = runner.environment(runtime="container", **SITE)
        with subprocess.Popen(start, cwd=runner.workspace, env=given, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as step:  # fmt: skip
            with suppress(subprocess.TimeoutExpired):
                step.wait(moment / 6)
            step.send_signal(number)
            log, _ = step.communicate(timeout=60)
        assert step.returncode in {0, 1, 128 + signal.SIGTERM, -number}, (moment, log)
        assert _containers_left(engine) == "", (moment, log)
        assert not list((runner.folder / "temp").iterdir()), (moment, log)


def test_a_shell_for_other_runners(engine: Engine) -> None:
    """GitLab starts its own shell in the image."""
    done = engine.call("run", "--rm", "--entrypoint", "", engine.image, "sh", "-c", "sitemap-action --version")
    assert done.returncode == 0, done.stdout
    assert "sitemap-action, version" in done.stdout


def test_nothing_in_the_image_raises_privileges(engine: Engine) -> None:
    found = engine.call("run", "--rm", "--entrypoint", "find", engine.image, "/", "-xdev", "-type", "f", "-perm", "/6000")  # fmt: skip
    assert found.stdout == ""


def test_the_image_is_small(engine: Engine, tmp_path: Path) -> None:
    """90 MB as a registry sends it; the base image is a part of that."""
    file = tmp_path / "image.tar"
    assert engine.call("save", "--output", str(file), engine.image).returncode == 0
    with tarfile.open(file) as image, ThreadPoolExecutor() as pool:
        files = (image.extractfile(member) for member in image if member.isfile())
        packed = sum(pool.map(lambda layer: len(zlib.compress(layer, 6)), [file.read() for file in files if file]))
    assert packed <= 90 * 1000 * 1000, f"{packed:,} bytes"


def test_the_baseline_comes_from_the_merge_commit(runner: Runner) -> None:
    """git works in a workspace of somebody else, without a line of configuration left behind."""
    runner.put({**BUILD, "sitemap.xml": COMMITTED})
    git = ["git", "-C", str(runner.workspace)]
    for command in (["init", "-q", "-b", "main"], ["add", "sitemap.xml"], ["commit", "-qm", "base"]):
        subprocess.run([*git, *command], check=True)
    base = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    subprocess.run([*git, "checkout", "-qb", "topic"], check=True)
    runner.put({"sitemap.xml": COMMITTED.replace("/gone/", "/a/")})
    subprocess.run([*git, "commit", "-qam", "topic"], check=True)
    subprocess.run([*git, "checkout", "-q", "main"], check=True)
    subprocess.run([*git, "merge", "-q", "--no-ff", "-m", "merge", "topic"], check=True)
    merge = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    repository = {"full_name": "example/site"}
    runner.event({"number": 7, "pull_request": {"base": {"ref": "main", "sha": base}, "head": {"repo": repository}}})
    runner.own()
    ran = runner.run(environment={"GITHUB_EVENT_NAME": "pull_request", "GITHUB_SHA": merge}, **SITE)
    assert ran.code == 1, ran.log
    assert (ran.outputs["stale-count"], ran.outputs["removed-count"]) == ("0", "1")
    assert owners(runner.folder) == {OWNER}
    assert not (runner.folder / "home/.gitconfig").exists()
