"""A temporary folder of this process alone; what a killed process leaves behind, the next one removes."""

import os
import shutil
import sys
import tempfile
import weakref
from contextlib import suppress
from pathlib import Path

if sys.platform != "win32":
    import fcntl


class OwnFolder:
    """Is there until `close`, or until nothing refers to it, or until the process ends."""

    def __init__(self, prefix: str) -> None:
        _remove_abandoned(prefix)
        self.path, lock = _make(prefix)
        self._end = weakref.finalize(self, _remove, self.path, lock)

    def close(self) -> None:
        self._end()


def _make(prefix: str) -> tuple[Path, int | None]:
    """The folder with a lock, which ends with this process however that ends."""
    while True:
        path = Path(tempfile.mkdtemp(prefix=prefix))
        if sys.platform == "win32":
            return path, None
        lock = _locked(path)
        if lock is not None and path.exists():  # else another process took it for abandoned in between
            return path, lock
        _remove(path, lock)


def _locked(path: Path) -> int | None:
    """A descriptor of a folder of this user, locked; None where another process has it, or it is none."""
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


def _remove_abandoned(prefix: str) -> None:
    with suppress(OSError):
        for path in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
            lock = _locked(path)
            if lock is not None:
                _remove(path, lock)


def _remove(path: Path, lock: int | None) -> None:
    shutil.rmtree(path, ignore_errors=True)
    if lock is not None:
        os.close(lock)
