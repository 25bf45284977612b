"""act, which plays a workflow as a runner does: each step on this machine, as on a runner of one's own."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from containers import FROM, ROOT, engine_environment, put_engine

ACT = Path(sys.executable).with_name("act")
_PARTS = ("action.yml", "Dockerfile", ".dockerignore", ".ci/git-only", ".ci/browser-only", "pyproject.toml", "README.md", "LICENSE", "requirements.txt", "requirements-dev.txt")  # fmt: skip


def action_repository(root: Path, *folders: str) -> Path:
    """What the image is built from, and further folders of the repository, committed."""
    for name in _PARTS:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, root / name)
    for name in ("sitemap_action", "action", *folders):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    if FROM:
        file = root / "Dockerfile"
        file.write_text(re.sub(r"(?m)^(FROM [^\s@]+)@\S+", r"\1", file.read_text(encoding="utf-8")), encoding="utf-8")
    return committed(root)


def committed(root: Path) -> Path:
    for command in (["init", "-q", "-b", "main"], ["add", "--all"], ["commit", "-qm", "everything"]):
        subprocess.run(["git", "-C", str(root), *command], check=True)
    return root


def act(repository: Path, event: str, *flags: str) -> subprocess.CompletedProcess[str]:
    """Plays the workflows of a repository for an event; SITEMAP_ACTION_KEEP_LOG names a file for what it prints."""
    if not ACT.exists():
        pytest.skip("act is packaged for Linux only")
    programs = repository.with_name(f"{repository.name}-bin")
    programs.mkdir()
    put_engine(programs)
    options = ("--platform", "ubuntu-latest=-self-hosted", "--pull=false", "--action-offline-mode")
    done = subprocess.run(
        [str(ACT), event, *options, "--secret", "GITHUB_TOKEN=a-token-that-only-reads", *flags],
        cwd=repository,
        env={**os.environ, **engine_environment(), "PATH": f"{programs}:{os.environ['PATH']}"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
        check=False,
    )
    if keep := os.environ.get("SITEMAP_ACTION_KEEP_LOG"):
        Path(keep).write_text(done.stdout, encoding="utf-8")
    return done
