"""Our own workflow as a runner plays it: `uses: ./` builds the image, and the next step asserts the outputs."""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from containers import BASE, ENGINE, FROM, Engine, engine_environment

ROOT = Path(__file__).parents[2]
PARTS = ("action.yml", "Dockerfile", ".dockerignore", ".ci/git-only", "pyproject.toml", "README.md", "LICENSE", "requirements.txt", "requirements-dev.txt")  # fmt: skip
FOLDERS = ("sitemap_action", "host", ".github/workflows", "tests/cases/in-sync", "tests/cases/three-accidents")
JOB_IMAGE = "localhost/sitemap-action-job:test"  # what a job's own steps run in
ACT = Path(sys.executable).with_name("act")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    for name in PARTS:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, root / name)
    for name in FOLDERS:
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    if FROM:
        file = root / "Dockerfile"
        file.write_text(re.sub(r"(?m)^(FROM [^\s@]+)@\S+", r"\1", file.read_text(encoding="utf-8")), encoding="utf-8")
    for command in (["init", "-q", "-b", "main"], ["add", "--all"], ["commit", "-qm", "everything"]):
        subprocess.run(["git", "-C", str(root), *command], check=True)
    return root


@pytest.fixture
def socket(engine: Engine, tmp_path: Path) -> Iterator[str]:
    """act speaks to Docker's API, which podman has when asked."""
    if not ACT.exists():
        pytest.skip("act is packaged for Linux only")
    name = f"docker.io/library/{BASE}"
    if engine.call("image", "inspect", name).returncode != 0:  # a builder may keep what it pulls to itself
        engine.call("pull", name)
    assert engine.call("tag", name, JOB_IMAGE).returncode == 0
    if Path(ENGINE).name != "podman":
        yield os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock")
        return
    address = tmp_path / "podman.sock"
    command = [ENGINE, "system", "service", "--time=0", f"unix://{address}"]
    with subprocess.Popen(command, env=engine_environment()) as service:
        try:
            until = time.monotonic() + 60
            while not address.exists() and service.poll() is None and time.monotonic() < until:
                time.sleep(0.05)
            yield f"unix://{address}"
        finally:
            service.terminate()


def act(repository: Path, socket: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [
            str(ACT), "push", "--job", "action", "--rm", "--platform", f"ubuntu-latest={JOB_IMAGE}", "--pull=false",
            "--action-offline-mode", "--container-daemon-socket", "-", "--secret", "GITHUB_TOKEN=a-token-that-only-reads",
        ],
        cwd=repository,
        env={**engine_environment(), "DOCKER_HOST": socket},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
        check=False,
    )  # fmt: skip


def test_the_next_step_sees_the_outputs(repository: Path, socket: str) -> None:
    done = act(repository, socket)
    if keep := os.environ.get("SITEMAP_ACTION_KEEP_LOG"):
        Path(keep).write_text(done.stdout, encoding="utf-8")
    assert done.returncode == 0, done.stdout
    assert "Job succeeded" in done.stdout
    assert "said: in-sync false 0, drift true" in done.stdout
