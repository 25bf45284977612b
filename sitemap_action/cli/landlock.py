"""Landlock of the Linux kernel: a process may write below named folders alone, and so may what it starts.

The unprivileged process has the rights of the workspace's owner, who on a runner also owns the files by which a step
sets variables of later steps.
"""

import ctypes
import os
import struct
import sys
from collections.abc import Iterable
from pathlib import Path

# System calls, of one number on every architecture, and constants of linux/landlock.h and linux/prctl.h.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION, _PATH_BENEATH, _NO_NEW_PRIVS = 1, 1, 38
_WRITE_FILE, _REFER, _TRUNCATE = 1 << 1, 1 << 13, 1 << 14
_REMOVE_OR_MAKE = sum(1 << bit for bit in range(4, 13))
_OF_FILES = _WRITE_FILE | _TRUNCATE


def write_only_below(places: Iterable[Path]) -> bool:
    """Files and folders that may be written from now on; False where the kernel has no Landlock, and all may be."""
    if sys.platform != "linux":
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    version = libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION))
    if version < 1:
        return False
    changes = _WRITE_FILE | _REMOVE_OR_MAKE | (_REFER if version >= 2 else 0) | (_TRUNCATE if version >= 3 else 0)
    attributes = struct.pack("Q", changes)
    rules = libc.syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), ctypes.c_uint32(0))
    if rules < 0:
        return False
    try:
        for place in places:
            _allow(libc, rules, place, changes)
        zero = ctypes.c_ulong(0)
        libc.prctl(_NO_NEW_PRIVS, ctypes.c_ulong(1), zero, zero, zero)
        return bool(libc.syscall(_RESTRICT_SELF, rules, ctypes.c_uint32(0)) == 0)
    finally:
        os.close(rules)


def _allow(libc: ctypes.CDLL, rules: int, place: Path, changes: int) -> None:
    try:
        descriptor = os.open(place, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # there is nothing to write
    try:
        allowed = changes if place.is_dir() else changes & _OF_FILES
        rule = struct.pack("=Qi", allowed, descriptor)
        libc.syscall(_ADD_RULE, rules, _PATH_BENEATH, rule, ctypes.c_uint32(0))
    finally:
        os.close(descriptor)
