"""A container started as a GitHub runner starts an action: mounts, variables, another user's workspace."""

import json
import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from runner_model import outputs

ENGINE = os.environ.get("SITEMAP_ACTION_ENGINE", "")
_STAND_IN = os.environ.get("SITEMAP_ACTION_CONTAINERS_CONF", "")  # of .ci/base: no registry is contacted
_BASE = re.search(r"(?m)^FROM ([^\s@]+)", (Path(__file__).parents[1] / "Dockerfile").read_text(encoding="utf-8"))
BASE = _BASE[1] if _BASE else ""  # the base image, without its digest, which the stand-in does not have
FROM = ("--from", f"docker.io/library/{BASE}") if _STAND_IN else ()
RUNNER = (1001, 127)  # the user of a hosted runner; its group was docker's there
FOLDERS = ("workspace", "file_commands", "home", "workflow")
_WHERE = {
    "HOME": "/github/home",
    "GITHUB_WORKSPACE": "/github/workspace",
    "GITHUB_EVENT_PATH": "/github/workflow/event.json",
    "GITHUB_OUTPUT": "/github/file_commands/set_output_1",
    "GITHUB_STEP_SUMMARY": "/github/file_commands/step_summary_1",
}
_FIXED = {"GITHUB_ACTIONS": "true", "CI": "true", "GITHUB_REPOSITORY": "example/site", "GITHUB_EVENT_NAME": "push"}
_DEFAULTS = {"mode": "check", "config": ".github/sitemap.yml", "summary": "true", "token": "a-token-that-only-reads"}


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


@dataclass(frozen=True, slots=True)
class Runner:
    """One step of a job."""

    engine: "Engine"
    folder: Path

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

    def run(self, *flags: str, environment: Mapping[str, str] | None = None, **inputs: str) -> Ran:
        """Inputs as the runner spells them: upper case, with their dashes."""
        given = {f"INPUT_{name.upper().replace('_', '-')}": text for name, text in {**_DEFAULTS, **inputs}.items()}
        variables = {**_WHERE, **_FIXED, **given, **(environment or {})}
        command = ["run", "--rm", "--workdir", "/github/workspace"]
        command += [part for name in FOLDERS for part in ("-v", f"{self.folder / name}:/github/{name}")]
        command += [part for name, text in variables.items() for part in ("-e", f"{name}={text}")]
        done = self.engine.call(*command, *flags, self.engine.image)
        return Ran(done.returncode, done.stdout, self.folder)


@dataclass(frozen=True, slots=True)
class Engine:
    image: str

    def call(self, *arguments: str, timeout: int = 600) -> subprocess.CompletedProcess[str]:
        """Both streams in one, as a runner reads them."""
        return subprocess.run(
            [ENGINE, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=engine_environment(),
            text=True,
            timeout=timeout,
            check=False,
        )


def engine_environment() -> dict[str, str]:
    return {**os.environ, **({"CONTAINERS_CONF": _STAND_IN} if _STAND_IN else {})}
