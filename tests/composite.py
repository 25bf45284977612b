"""The one step of a composite variant of the action, played as a runner plays it."""

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import yaml

from containers import ENGINE, FROM, Ran, Runner, engine_environment


def docker(folder: Path) -> str:
    """A PATH on which the engine is called docker, whichever it is."""
    found = shutil.which(ENGINE)
    assert found
    folder.mkdir()
    program = folder / "docker"
    options = shlex.join(FROM)
    program.write_text(
        f'#!/bin/sh\ncommand=$1\nshift\ncase $command in build) set -- {options} "$@" ;; esac\nexec {found} "$command" "$@"\n'
    )
    program.chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


def play(variant: Path, runner: Runner, programs: str, **inputs: str) -> Ran:
    """Expressions are filled in, and the script is run by bash as a runner runs it. `variant`: the folder of the action."""
    action = yaml.safe_load((variant / "action.yml").read_text(encoding="utf-8"))
    (step,) = action["runs"]["steps"]
    given = {name: inputs.get(name.replace("-", "_"), entry.get("default", "")) for name, entry in action["inputs"].items()}  # fmt: skip
    given |= {"token": "a-token-that-only-reads"}
    values = {"github.action_path": str(variant), **{f"inputs.{name}": text for name, text in given.items()}}
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
            "PATH": programs,
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
