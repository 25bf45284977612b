"""act, which plays a workflow as a runner does: each job in a container, and an action in the image that it builds."""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from containers import BASE, ENGINE, FROM, Engine, engine_environment

ROOT = Path(__file__).parents[1]
ACT = Path(sys.executable).with_name("act")
JOB_IMAGE = "localhost/sitemap-action-job:test"  # what a job's own steps run in
_PARTS = ("action.yml", "Dockerfile", ".dockerignore", ".ci/git-only", "pyproject.toml", "README.md", "LICENSE", "requirements.txt", "requirements-dev.txt")  # fmt: skip


def action_repository(root: Path, *folders: str) -> Path:
    """What the image is built from, and further folders of the repository, committed."""
    for name in _PARTS:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, root / name)
    for name in ("sitemap_action", "host", *folders):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    if FROM:
        file = root / "Dockerfile"
        file.write_text(re.sub(r"(?m)^(FROM [^\s@]+)@\S+", r"\1", file.read_text(encoding="utf-8")), encoding="utf-8")
    return committed(root)


def committed(root: Path) -> Path:
    for command in (["init", "-q", "-b", "main"], ["add", "--all"], ["commit", "-qm", "everything"]):
        subprocess.run(["git", "-C", str(root), *command], check=True)
    return root


@contextmanager
def docker_api(engine: Engine, folder: Path) -> Iterator[str]:
    """act speaks to Docker's API, which podman has when asked; yields its address."""
    if not ACT.exists():
        pytest.skip("act is packaged for Linux only")
    name = f"docker.io/library/{BASE}"
    if engine.call("image", "inspect", name).returncode != 0:  # a builder may keep what it pulls to itself
        engine.call("pull", name)
    assert engine.call("tag", name, JOB_IMAGE).returncode == 0
    if Path(ENGINE).name != "podman":
        yield os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock")
        return
    address = folder / "podman.sock"
    command = [ENGINE, "system", "service", "--time=0", f"unix://{address}"]
    with subprocess.Popen(command, env=engine_environment()) as service:
        try:
            until = time.monotonic() + 60
            while not address.exists() and service.poll() is None and time.monotonic() < until:
                time.sleep(0.05)
            yield f"unix://{address}"
        finally:
            service.terminate()


def act(repository: Path, api: str, event: str, *flags: str) -> subprocess.CompletedProcess[str]:
    """Plays the workflows of a repository for an event; SITEMAP_ACTION_KEEP_LOG names a file for what it prints."""
    done = subprocess.run(
        [
            str(ACT), event, "--rm", "--platform", f"ubuntu-latest={JOB_IMAGE}", "--pull=false",
            "--action-offline-mode", "--container-daemon-socket", "-", "--secret", "GITHUB_TOKEN=a-token-that-only-reads",
            *flags,
        ],
        cwd=repository,
        env={**engine_environment(), "DOCKER_HOST": api},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
        check=False,
    )  # fmt: skip
    if keep := os.environ.get("SITEMAP_ACTION_KEEP_LOG"):
        Path(keep).write_text(done.stdout, encoding="utf-8")
    return done
