"""What the kernel keeps from the process that reads a site, and from what it starts: Landlock and seccomp of Linux.

Landlock says where files may be written. It does not govern the modes of files, Unix sockets and namespaces, and its
first versions not `truncate`; a filter of system calls refuses these (S-18). The filter sees numbers and flags, no
paths: so no mode of any file is changed, those of its own files neither.
"""

import ctypes
import os
import platform
import struct
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

# Landlock: system calls, of one number on every architecture, and constants of linux/landlock.h and linux/prctl.h.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION, _PATH_BENEATH, _NO_NEW_PRIVS = 1, 1, 38
_WRITE_FILE, _REFER, _TRUNCATE = 1 << 1, 1 << 13, 1 << 14
_REMOVE_OR_MAKE = sum(1 << bit for bit in range(4, 13))
_FILE_CHANGES = _WRITE_FILE | _TRUNCATE


def write_only_below(places: Iterable[Path]) -> bool:
    """Let this process, and what it starts, write below these places alone, by Landlock of the Linux kernel.

    The child has the rights of the workspace's owner, who on a runner also owns the files by which a step sets
    variables of later steps. False where the kernel has no Landlock, and all may be written.
    """
    if (version := landlock_version()) < 1:
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    changes = _WRITE_FILE | _REMOVE_OR_MAKE | (_REFER if version >= 2 else 0) | (_TRUNCATE if version >= 3 else 0)
    attributes = struct.pack("Q", changes)
    rules = libc.syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), ctypes.c_uint32(0))
    if rules < 0:
        return False
    try:
        for place in places:
            _allow(libc, rules, place, changes)
        _give_up_privileges(libc)
        return bool(libc.syscall(_RESTRICT_SELF, rules, ctypes.c_uint32(0)) == 0)
    finally:
        os.close(rules)


def landlock_version() -> int:
    """The version of its interface; 0 where the kernel has none."""
    if sys.platform != "linux":
        return 0
    libc = ctypes.CDLL(None, use_errno=True)
    return max(0, int(libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION))))


def _give_up_privileges(libc: ctypes.CDLL) -> None:
    zero = ctypes.c_ulong(0)
    libc.prctl(_NO_NEW_PRIVS, ctypes.c_ulong(1), zero, zero, zero)


def _allow(libc: ctypes.CDLL, rules: int, place: Path, changes: int) -> None:
    try:
        descriptor = os.open(place, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # there is nothing to write
    try:
        allowed = changes if place.is_dir() else changes & _FILE_CHANGES
        rule = struct.pack("=Qi", allowed, descriptor)
        libc.syscall(_ADD_RULE, rules, _PATH_BENEATH, rule, ctypes.c_uint32(0))
    finally:
        os.close(descriptor)


# seccomp: numbers of linux/audit.h and of the two architectures' tables of system calls, x86_64 and aarch64 (0: none).
_ARCHITECTURES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
_REFUSED = (
    # modes and owners: chmod, fchmod, fchmodat, fchmodat2, chown, fchown, lchown, fchownat
    *((90, 0), (91, 52), (268, 53), (452, 452), (92, 0), (93, 55), (94, 0), (260, 54)),
    # attributes and access lists: setxattr, lsetxattr, fsetxattr, setxattrat, and their removal
    *((188, 5), (189, 6), (190, 7), (463, 463), (197, 14), (198, 15), (199, 16), (466, 466)),
    # other processes: ptrace, process_vm_readv, process_vm_writev, pidfd_getfd
    *((101, 117), (310, 270), (311, 271), (438, 438)),
    # namespaces, and ways round paths: setns, open_by_handle_at, mount, umount2, pivot_root, chroot, open_tree, fsopen
    *((308, 268), (304, 265), (165, 40), (166, 39), (155, 41), (161, 51), (428, 428), (430, 430)),
    # much code of the kernel, for nothing here: bpf, perf_event_open, userfaultfd, add_key, request_key, keyctl
    *((321, 280), (298, 241), (323, 282), (248, 217), (249, 218), (250, 219)),
)
_ABSENT = ((425, 425), (435, 435))  # io_uring_setup, which opens sockets too; clone3, whose flags no filter sees
_FLAGGED = ((272, 97), (56, 220))  # unshare, clone: by the flag of a user namespace
_SOCKET, _SOCKETPAIR, _IOCTL = (41, 198), (53, 199), (16, 29)
_TRUNCATING, _OPEN_BY_STRUCT = (76, 45), (437, 437)  # truncate; openat2
_OPENS = ((2, 0, 1), (257, 56, 2))  # open, openat: the third number is the place of the flags
_NEW_USER, _UNIX, _STREAM, _SEQPACKET, _PUSH_INPUT, _O_TRUNC = 0x10000000, 1, 1, 5, 0x5412, 0o1000
_X32 = 0x40000000
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _AND, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06  # instructions of linux/filter.h
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16  # places in struct seccomp_data
_ERRNO, _ALLOW = 0x00050000, 0x7FFF0000
_EPERM, _ENOSYS = 1, 38
_SECCOMP = {"x86_64": 317, "aarch64": 277}
_SET_FILTER, _ALL_THREADS = 1, 1
_Instruction = tuple[int, int, int, int]


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def refuse_calls() -> bool:
    """Let neither this process nor what it starts make system calls that a reader does not need.

    False where there is no seccomp, or its numbers are not known. Chromium needs some of them for its own sandbox.
    """
    machine = platform.machine()
    if sys.platform != "linux" or machine not in _ARCHITECTURES:
        return False
    code = b"".join(struct.pack("=HBBI", *one) for one in _filter(*_ARCHITECTURES[machine], landlock_version()))
    libc = ctypes.CDLL(None, use_errno=True)
    _give_up_privileges(libc)
    program = _Program(len(code) // 8, code)
    arguments = (ctypes.c_uint(_SET_FILTER), ctypes.c_uint(_ALL_THREADS), ctypes.byref(program))
    return bool(libc.syscall(_SECCOMP[machine], *arguments) == 0)


def _filter(architecture: int, column: int, landlock: int) -> Iterator[_Instruction]:
    """Instructions: (code, jump where it holds, jump where it does not, operand)."""
    yield _LOAD, 0, 0, _ARCHITECTURE
    yield _EQUAL, 1, 0, architecture
    yield _RETURN, 0, 0, _ERRNO | _EPERM
    yield _LOAD, 0, 0, _NUMBER
    if column == 0:
        yield _AT_LEAST, 0, 1, _X32
        yield _RETURN, 0, 0, _ERRNO | _EPERM
    for calls, error in ((_REFUSED, _EPERM), (_ABSENT, _ENOSYS)):
        for number in filter(None, (call[column] for call in calls)):
            yield from _when(number, (), error)
    for call in _FLAGGED:
        yield from _when(call[column], (_argument(0), (_ANY_BIT, 0, 1, _NEW_USER)), _EPERM)
    yield from _when(_SOCKET[column], (_argument(0), (_EQUAL, 0, 1, _UNIX)), _EPERM)
    # A pair of datagram sockets could send to others; `& 15` is the type without its flags.
    kind = (_argument(1), (_AND, 0, 0, 15), (_EQUAL, 2, 0, _STREAM), (_EQUAL, 1, 0, _SEQPACKET))
    yield from _when(_SOCKETPAIR[column], kind, _EPERM)
    yield from _when(_IOCTL[column], (_argument(1), (_EQUAL, 0, 1, _PUSH_INPUT)), _EPERM)
    if landlock < 3:
        yield from _when(_TRUNCATING[column], (), _EPERM)
        yield from _when(_OPEN_BY_STRUCT[column], (), _ENOSYS)
        for *numbers, place in _OPENS:  # to read, and empty it: Landlock asks only for what is opened to write
            read = (
                _argument(place),
                (_ANY_BIT, 0, 3, _O_TRUNC),
                (_AND, 0, 0, os.O_ACCMODE),
                (_EQUAL, 0, 1, os.O_RDONLY),
            )
            yield from _when(numbers[column], read, _EPERM)
    yield _RETURN, 0, 0, _ALLOW


def _argument(place: int) -> _Instruction:
    """Its lower half: the kernel looks at no more of these."""
    return _LOAD, 0, 0, _FIRST_ARGUMENT + 8 * place


def _when(number: int, conditions: tuple[_Instruction, ...], error: int) -> Iterator[_Instruction]:
    """Answer a call with an error where the last instruction before it does not jump over it."""
    if number:
        after = len(conditions) + 2 if conditions else 1
        yield _EQUAL, 0, after, number
        yield from conditions
        yield _RETURN, 0, 0, _ERRNO | error
        if conditions:
            yield _LOAD, 0, 0, _NUMBER
