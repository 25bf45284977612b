"""Where tests make their folders if nothing else is asked for: in memory, where deleting them takes a third of the time."""

import os
from pathlib import Path

_MEMORY = Path("/dev/shm")
_ROOM = 6 << 30  # bytes: all tests at once keep a third of it


def folder_in_memory(place: Path = _MEMORY, wanted: int = _ROOM) -> str:
    """Returns "" where it is too small, or where no program can be started from it, as in most containers."""
    try:
        found = os.statvfs(place)
    except (OSError, AttributeError):  # as on macOS; Windows has no such call
        return ""
    noexec = getattr(os, "ST_NOEXEC", 0)
    room = found.f_bavail * found.f_frsize
    return str(place) if room >= wanted and os.access(place, os.W_OK) and not found.f_flag & noexec else ""
