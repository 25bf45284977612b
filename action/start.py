"""Runs the action without a container: its locked packages in an environment of their own, made once for each version.

Started as `python -I start.py`: only the standard library is imported, and nothing of the workspace. What is installed
is checked by hash, as wheels, so nothing that is downloaded runs meanwhile; the package is copied from this checkout.
"""

import hashlib
import os
import platform
import re
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1]
REQUIREMENTS = SOURCE / "requirements.txt"
PACKAGE = SOURCE / "sitemap_action"
MARKER = "complete"  # written last: what has none was not finished
WINDOWS = os.name == "nt"
_QUIET = ("--quiet", "--disable-pip-version-check", "--no-input")
_CURRENT_PIP = 23  # of 2023, as in Debian 12


class StartError(Exception):
    """The environment cannot be made; says what to do."""


def identity() -> str:
    """Another lock, another package, another interpreter: another environment."""
    found = hashlib.sha256(f"{sys.version}\n{sys.base_prefix}\n{platform.machine()}\n".encode())
    for path in (REQUIREMENTS, *sorted(path for path in PACKAGE.rglob("*") if shipped(path))):
        found.update(f"{path.relative_to(SOURCE).as_posix()}\n".encode())
        found.update(hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()[:16]


def shipped(path: Path) -> bool:
    return path.is_file() and "__pycache__" not in path.parts


def version() -> str:
    found = re.search(r'(?m)^__version__ = "([\w.]+)"$', (PACKAGE / "__init__.py").read_text(encoding="utf-8"))
    return found[1] if found else "unknown"


def place() -> Path:
    """The tool cache of the runner, which a self-hosted runner keeps; else what ends with the job, or this process.

    Where others may write, as in the tool cache of hosted images, somebody else may have made an environment before.
    """
    name = Path("sitemap-action", version(), identity())
    for variable in ("RUNNER_TOOL_CACHE", "RUNNER_TEMP"):
        if folder := os.environ.get(variable):
            found = Path(folder).absolute() / name
            try:
                found.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
            except OSError:
                continue
            if ours_alone(found.parent) and (os.access(found.parent, os.W_OK) or trusted(found)):
                return found
    return Path(tempfile.mkdtemp(prefix="sitemap-action-")) / name.name


def trusted(folder: Path) -> bool:
    """Finished, and made by this user or by root; nobody else could have put anything there."""
    try:
        marker = (folder / MARKER).lstat()
    except OSError:
        return False
    return WINDOWS or (stat.S_ISREG(marker.st_mode) and owned(marker) and ours_alone(folder))


def ours_alone(folder: Path) -> bool:
    """Whether the folder and all above it, links on the way too, are ours or root's, and nobody else may write there.

    In a folder such as /tmp others may write, and replace nothing of ours.
    """
    if WINDOWS:
        return True
    real = Path(os.path.realpath(folder))
    for path in {folder, *folder.parents, real, *real.parents}:
        try:
            found = path.lstat()
        except OSError:
            return False
        shared = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not stat.S_ISLNK(found.st_mode)
        kept = found.st_mode & stat.S_ISVTX and path not in (folder, real)
        if not owned(found) or (shared and not kept):
            return False
    return True


def owned(found: os.stat_result) -> bool:
    return found.st_uid in {os.getuid(), 0}


def interpreter(folder: Path) -> Path:
    return folder / ("Scripts/python.exe" if WINDOWS else "bin/python")


def make(folder: Path) -> None:
    """Beside its place, and moved there when it is complete: two jobs at once do not disturb each other."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    making = Path(tempfile.mkdtemp(prefix=".making-", dir=folder.parent))
    mask = os.umask(0o022)
    try:
        python = str(interpreter(making))
        pip, options = (sys.executable, ["--without-pip"]) if has_current_pip() else (python, [])
        hint = "install venv (Debian: python3-venv)"
        call(sys.executable, "-I", "-m", "venv", *options, str(making), where=making, hint=hint)
        places = "import sysconfig; print(sysconfig.get_path('purelib'))"
        purelib = call(python, "-I", "-c", places, where=making, hint="")
        call(
            *(pip, "-I", "-m", "pip", "install", *_QUIET, "--no-compile", "--no-deps", "--only-binary", ":all:"),
            *("--target", purelib, "--require-hashes", "--requirement", str(REQUIREMENTS)),
            where=making,
            hint="the packages of requirements.txt come from PyPI, or from the index that pip is configured with",
        )
        shutil.copytree(PACKAGE, Path(purelib) / "sitemap_action", ignore=shutil.ignore_patterns("__pycache__"))
        (making / MARKER).touch()
        making.rename(folder)
    except OSError as error:
        if not trusted(folder):
            raise StartError(f"the environment of the action cannot be made in {folder.parent}: {error}") from error
    finally:
        os.umask(mask)
        shutil.rmtree(making, ignore_errors=True)


def has_current_pip() -> bool:
    """Whether the interpreter's own pip serves: to make an environment with one takes longer than to fill it.

    One that a distribution shares between its interpreters may be too old for this one.
    """
    try:
        return int(installed("pip").partition(".")[0]) >= _CURRENT_PIP
    except PackageNotFoundError:
        return False


def call(*command: str, where: Path, hint: str) -> str:
    """Standard output; never started in the workspace."""
    given = {**os.environ, "PIP_REQUIRE_VIRTUALENV": "0"}  # the interpreter's own pip is in none
    done = subprocess.run(command, cwd=where, env=given, capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-3:]
        raise StartError(f"{' '.join(command[1:5])} failed: {' '.join(last)}; {hint}")
    return done.stdout.strip()


def arguments(folder: Path) -> Iterator[str]:
    yield str(interpreter(folder))
    # Isolated: neither the workspace nor PYTHON* variables say what is imported. UTF-8 whatever the code page is.
    yield from ("-I", "-X", "utf8", "-m", "sitemap_action", "run")


def main() -> None:
    folder = place()
    if not trusted(folder):
        if folder.exists():
            raise StartError(f"{folder} belongs to another user, or was not finished; remove it")
        make(folder)
    command = list(arguments(folder))
    sys.stdout.flush()
    if WINDOWS:
        sys.exit(subprocess.run(command, check=False).returncode)
    os.execv(command[0], command)  # noqa: S606 - this process becomes the run, so that signals reach it


if __name__ == "__main__":
    try:
        main()
    except StartError as failure:
        text = str(failure).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
        sys.stdout.write(f"::error title=sitemap-action::{text}\n")
        sys.exit(2)
