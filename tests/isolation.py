"""A Python that other users than root can start, for tests in which root is given up."""

import atexit
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from functools import cache
from pathlib import Path

import pytest

OWNER, GROUP = 1001, 127  # of a workspace; on some runners the group is docker's
AS_ROOT = pytest.mark.skipif(os.name != "posix" or os.getuid() != 0, reason="only root can give root up")


@cache
def python_for_others() -> str:
    """This interpreter or, where only root may enter its folder, the system's with the packages of this one."""
    if all(folder.stat().st_mode & 1 for folder in Path(sys.executable).resolve().parents):
        return sys.executable
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    found = shutil.which(name, path="/usr/local/bin:/usr/bin")
    if found is None:
        pytest.skip(f"no {name} that other users may start")
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    Path(folder).chmod(0o755)
    subprocess.run([found, "-m", "venv", "--without-pip", folder], check=True)
    [packages] = Path(folder).glob("lib/python3*/site-packages")
    (packages / "these.pth").write_text(f"import site; site.addsitedir({sysconfig.get_paths()['purelib']!r})\n")
    return f"{folder}/bin/python"


def command(program: str) -> tuple[str, ...]:
    """In the place of `isolate._COMMAND`: a program of the test, as isolated as the child of a run."""
    return python_for_others(), "-I", "-u", "-B", "-c", program
