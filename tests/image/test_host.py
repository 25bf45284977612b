"""The variant on the runner's network, as a runner plays its one step: it reaches a server that listens on loopback."""

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from containers import ENGINE, FROM, Engine, Ran, Runner, engine_environment
from servers import serve

HOST = Path(__file__).parents[2] / "host"
ACTION = yaml.safe_load((HOST / "action.yml").read_text(encoding="utf-8"))
PAGE = "<!doctype html><html lang=en><title>A page</title><a href=/a/>a</a><p>" + "some words " * 60


@pytest.fixture
def path(tmp_path: Path) -> str:
    """Whichever engine it is, the step calls it docker."""
    found = shutil.which(ENGINE)
    assert found
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin/docker"
    options = shlex.join(FROM)
    program.write_text(
        f'#!/bin/sh\ncommand=$1\nshift\ncase $command in build) set -- {options} "$@" ;; esac\nexec {found} "$command" "$@"\n'
    )
    program.chmod(0o755)
    return f"{tmp_path / 'bin'}:{os.environ['PATH']}"


def played(runner: Runner, path: str, **inputs: str) -> Ran:
    """Expressions are filled in, and the script is run by bash as a runner runs it."""
    (step,) = ACTION["runs"]["steps"]
    given = {name: inputs.get(name.replace("-", "_"), entry.get("default", "")) for name, entry in ACTION["inputs"].items()}  # fmt: skip
    given |= {"token": "a-token-that-only-reads"}
    values = {"github.action_path": str(HOST), **{f"inputs.{name}": text for name, text in given.items()}}
    variables = {
        name: re.sub(r"\$\{\{ (\S+) }}", lambda found: values[found[1]], text) for name, text in step["env"].items()
    }
    files = runner.folder / "file_commands"
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=runner.workspace,
        env={
            **engine_environment(),
            **variables,
            "PATH": path,
            "GITHUB_ACTIONS": "true",
            "GITHUB_EVENT_NAME": "push",
            "GITHUB_REPOSITORY": "example/site",
            "GITHUB_WORKSPACE": str(runner.workspace),
            "GITHUB_EVENT_PATH": str(runner.folder / "workflow/event.json"),
            "GITHUB_OUTPUT": str(files / "set_output_1"),
            "GITHUB_STEP_SUMMARY": str(files / "step_summary_1"),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
        check=False,
    )
    return Ran(done.returncode, done.stdout, runner.folder)


def test_a_server_of_an_earlier_step_is_reached(engine: Engine, runner: Runner, path: str) -> None:
    assert engine.image
    runner.own()
    with serve({"/": PAGE, "/a/": PAGE, "*": 404}) as site:
        ran = played(runner, path, mode="write", url=site.url, site_url="https://www.example.com/")
        assert {"/", "/a/", "/robots.txt"} <= set(site.paths)
    assert ran.code == 0, ran.log
    assert (ran.outputs["result"], ran.outputs["changed"], ran.outputs["url-count"]) == ("drift", "true", "2")
    assert "https://www.example.com/a/" in (ran.workspace / ran.outputs["sitemap-path"]).read_text()
    assert ran.summary.startswith("### ")
    assert "::add-mask::a-token-that-only-reads\n" in ran.log
    assert "In a container localhost is the container itself" not in ran.log
