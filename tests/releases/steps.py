"""A repository such as this one at a release, small; and the program that makes the steps of one."""

import json
import runpy
import shutil
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from hashlib import sha256
from io import StringIO
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / ".ci/releases"
PARTS = ("Dockerfile", "action.yml", "README.md", "LICENSE", "pyproject.toml", "docs/workflows.md", "examples/workflows/preview.yml", "sbom.cdx.json", "sitemap_action/__init__.py")  # fmt: skip
CHANGES = (
    "# Changelog\n\nAbout it.\n\n## Unreleased\n\n### Added\n\n- A change.\n\n## 0.1.0 (2026-01-01)\n\n- The first.\n"
)


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def repository(folder: Path, version: str = "0.1.0") -> Path:
    """With a remote, a real one; its version is fixed, whatever ours is now."""
    place = folder / "repository"
    for name in filter(lambda name: (ROOT / name).exists(), PARTS):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, place / name)
    for name, line in (("pyproject.toml", "version = "), ("sitemap_action/__init__.py", "__version__ = ")):
        lines = (place / name).read_text().splitlines()
        changed = [f'{line}"{version}"' if text.startswith(line) else text for text in lines]
        (place / name).write_text("\n".join(changed) + "\n")
    (place / "CHANGELOG.md").write_text(CHANGES)
    git(folder, "init", "-q", "--bare", "-b", "main", str(folder / "remote.git"))
    git(folder, "init", "-q", "-b", "main", str(place))
    git(place, "add", "--all")
    git(place, "commit", "-qm", "Everything")
    git(place, "remote", "add", "origin", str(folder / "remote.git"))
    git(place, "push", "-q", "origin", "main")
    return place


def run(place: Path, *arguments: str, text: str = "", **environment: str) -> tuple[int, str, str]:
    """(exit code, standard output, standard error), in this process: a start of Python costs more than a command."""
    with (
        pytest.MonkeyPatch.context() as patch,
        redirect_stdout(StringIO()) as out,
        redirect_stderr(StringIO()) as errors,
    ):
        patch.setattr(sys, "argv", [str(PROGRAM), "--root", str(place), *arguments])
        patch.setattr(sys, "stdin", StringIO(text))
        for name, value in environment.items():
            patch.setenv(name, value)
        try:
            runpy.run_path(str(PROGRAM), run_name="__main__")
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
            errors.write("" if isinstance(end.code, int) else f"{end.code}\n")
    return code, out.getvalue(), errors.getvalue()


def index(file: Path, *platforms: str, media: str = "application/vnd.oci.image.index.v1+json") -> str:
    """An index as a registry serves it; returns its digest."""
    images = [
        {
            "mediaType": "application/vnd.oci.image.manifest.v1+json",
            "digest": f"sha256:{sha256(f'{file.name}{name}'.encode()).hexdigest()}",
            "size": 1082,
            "platform": dict(zip(("os", "architecture"), name.split("/"), strict=True)),
        }
        for name in platforms or ("linux/amd64", "linux/arm64")
    ]
    content = json.dumps({"schemaVersion": 2, "mediaType": media, "manifests": images}).encode()
    file.write_bytes(content)
    return f"sha256:{sha256(content).hexdigest()}"


def pinned(place: Path, version: str, folder: Path) -> None:
    """The state of a release before its tag: the owner is known, the version named, every image pinned."""
    for arguments in (["owner", "acme"], ["prepare", version, "--date", "2026-11-22"]):
        assert run(place, *arguments)[0] == 0
        git(place, "commit", "-qam", "Prepared")
    given = []
    for name in ("base", "image", "browser"):
        index(folder / f"{name}.json")
        given += [f"--{name}", str(folder / f"{name}.json")]
    assert run(place, "pin", version, *given)[0] == 0
