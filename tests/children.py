"""Work in a process of its own, so that limits, signals and lost privileges stay there."""

import ctypes
import multiprocessing
import os
from collections.abc import Callable

_VERSION_3 = 0x20080522  # of the capability interface, linux/capability.h


def in_child(work: Callable[[], None]) -> int:
    """The exit code of the work; negative when a signal ended it."""
    child = multiprocessing.get_context("fork").Process(target=work)
    child.start()
    child.join(60)
    assert child.exitcode is not None
    return child.exitcode


def obey_permissions() -> None:
    """Make this process heed the modes of files: root gives up every capability, others need nothing."""
    if os.getuid() != 0:
        return
    header = (ctypes.c_uint32 * 2)(_VERSION_3, 0)
    nothing = (ctypes.c_uint32 * 6)()
    if ctypes.CDLL(None, use_errno=True).capset(header, nothing) != 0:
        raise OSError(ctypes.get_errno(), "capset")
