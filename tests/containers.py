"""A step of a job that uses the action, played as a GitHub runner plays it: its files, variables, another user's workspace."""

import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from runner_model import outputs

ROOT = Path(__file__).parents[1]
ENGINE = os.environ.get("SITEMAP_ACTION_ENGINE", "")
_STAND_IN = os.environ.get("SITEMAP_ACTION_CONTAINERS_CONF", "")  # of .ci/base: no registry is contacted
_BASE = re.search(r"(?m)^FROM ([^\s@]+)", (ROOT / "Dockerfile").read_text(encoding="utf-8"))
BASE = _BASE[1] if _BASE else ""  # the base image, without its digest, which the stand-in does not have
FROM = ("--from", f"docker.io/library/{BASE}") if _STAND_IN else ()
RUNNER = (1001, 127)  # the user of a hosted runner; its group was docker's there
TOKEN = "a-token-that-only-reads"
_FOLDERS = ("workspace", "file_commands", "home", "workflow", "temp", "bin")
_FIXED = {"CI": "true", "GITHUB_ACTIONS": "true", "GITHUB_EVENT_NAME": "push", "GITHUB_REPOSITORY": "example/site"}


def action() -> dict[str, Any]:
    return dict(yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8")))


@dataclass(frozen=True, slots=True)
class Ran:
    code: int
    log: str
    folder: Path

    @property
    def workspace(self) -> Path:
        return self.folder / "workspace"

    @property
    def summary(self) -> str:
        return (self.folder / "file_commands/step_summary_1").read_text(encoding="utf-8")

    @property
    def outputs(self) -> dict[str, str]:
        """As the runner reads them."""
        return outputs((self.folder / "file_commands/set_output_1").read_text(encoding="utf-8"))

    @property
    def report(self) -> str:
        return (self.workspace / self.outputs["report-json"]).read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Runner:
    """A job on a machine of its own. `image`: what a release would name; without, the action builds one."""

    folder: Path
    image: str = ""

    @classmethod
    def make(cls, folder: Path, image: str = "") -> "Runner":
        for name in _FOLDERS:
            (folder / name).mkdir(parents=True)
        made = cls(folder, image)
        made.event({})
        put_engine(folder / "bin")
        return made

    @property
    def workspace(self) -> Path:
        return self.folder / "workspace"

    def put(self, files: Mapping[str, str]) -> None:
        for name, text in files.items():
            path = self.workspace / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def event(self, payload: object) -> None:
        (self.folder / "workflow/event.json").write_text(json.dumps(payload), encoding="utf-8")

    def own(self, *owner: int) -> None:
        """Everything belongs to the user of the runner, as after actions/checkout."""
        if os.getuid() != 0:
            return
        for path in (self.folder, *self.folder.rglob("*")):
            os.chown(path, *(owner or RUNNER), follow_symlinks=False)

    def environment(self, **inputs: str) -> dict[str, str]:
        """Of the step: expressions are filled in."""
        known = action()
        (step,) = known["runs"]["steps"]
        given = {f"inputs.{name}": inputs.get(name.replace("-", "_"), entry.get("default", "")) for name, entry in known["inputs"].items()}  # fmt: skip
        given["inputs.token"] = inputs.get("token", TOKEN)
        filled = {name: re.sub(r"\$\{\{ (\S+) }}", lambda found: given[found[1]], text) for name, text in step["env"].items()}  # fmt: skip
        files = self.folder / "file_commands"
        return {
            **filled,
            **engine_environment(),
            **_FIXED,
            "IMAGE": self.image,
            "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}",
            "HOME": str(self.folder / "home"),
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_WORKSPACE": str(self.workspace),
            "GITHUB_EVENT_PATH": str(self.folder / "workflow/event.json"),
            "GITHUB_OUTPUT": str(files / "set_output_1"),
            "GITHUB_STEP_SUMMARY": str(files / "step_summary_1"),
            "RUNNER_TEMP": str(self.folder / "temp"),
        }

    def run(self, *, environment: Mapping[str, str] | None = None, **inputs: str) -> Ran:
        """The step, in containers unless `runtime` says otherwise, on a network that has a server of the test."""
        (step,) = action()["runs"]["steps"]
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        given = {"runtime": "container", "network": "host", **inputs}
        return self.start(command, {**self.environment(**given), **(environment or {})})

    def start(self, command: list[str], environment: Mapping[str, str]) -> Ran:
        self.empty_files()
        done = subprocess.run(
            command,
            cwd=self.workspace,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=600,
            check=False,
        )
        return Ran(done.returncode, done.stdout, self.folder)

    def empty_files(self) -> None:
        """Each step has its own; they belong to the user of the runner."""
        owner = self.workspace.stat()
        for name in ("set_output_1", "step_summary_1"):
            path = self.folder / "file_commands" / name
            path.write_text("")
            shutil.chown(path, owner.st_uid, owner.st_gid)


def put_engine(folder: Path) -> None:
    """On PATH the engine is called docker, whichever it is, and builds from the stand-in."""
    if ENGINE:
        program, options = folder / "docker", shlex.join(FROM)
        program.write_text(f'#!/bin/sh\ncommand=$1\nshift\ncase $command in build) set -- {options} "$@" ;; esac\nexec {shutil.which(ENGINE)} "$command" "$@"\n')  # fmt: skip
        program.chmod(0o755)


@dataclass(frozen=True, slots=True)
class Engine:
    image: str

    def call(self, *arguments: str, timeout: int = 600) -> subprocess.CompletedProcess[str]:
        """Both streams in one, as a runner reads them."""
        return subprocess.run(
            [ENGINE, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, **engine_environment()},
            text=True,
            timeout=timeout,
            check=False,
        )


def engine_environment() -> dict[str, str]:
    """How the engine is found that a machine has."""
    names = ("DOCKER_HOST", "XDG_RUNTIME_DIR")
    given = {name: os.environ[name] for name in names if name in os.environ}
    return given | ({"CONTAINERS_CONF": _STAND_IN} if _STAND_IN else {})
