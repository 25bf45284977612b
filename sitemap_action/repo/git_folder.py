"""Temporary folders for git: what a killed process leaves is removed by the next run.

While git fetches, credentials are in one. The lock of a folder ends with the process that made it, however that ends.
"""

import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

if sys.platform != "win32":
    import fcntl


def make_folder(prefix: str) -> tuple[Path, Callable[[], None]]:
    """The folder, and what removes it. Folders with this prefix in which no process works any more are removed, too."""
    with suppress(OSError):
        for path in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
            if (lock := _lock(path)) is not None:
                _remove(path, lock)
    for _ in range(3):
        path = Path(tempfile.mkdtemp(prefix=prefix))
        lock = _lock(path)
        if lock is not None and path.exists():
            return path, partial(_remove, path, lock)
        _remove(path, lock)  # another process took it for abandoned in between
    path = Path(tempfile.mkdtemp(prefix=prefix))  # where nothing is locked: Windows, and some file systems
    return path, partial(_remove, path, None)


def _lock(path: Path) -> int | None:
    """A descriptor of a folder of this user, locked; None where another process has it, and on Windows."""
    if sys.platform == "win32":
        return None
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        if os.fstat(descriptor).st_uid == os.geteuid():
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return descriptor
    except OSError:
        pass
    os.close(descriptor)
    return None


def _remove(path: Path, lock: int | None) -> None:
    shutil.rmtree(path, ignore_errors=True)
    if lock is not None:
        os.close(lock)
