"""How many cores this process may use, which is not how many the machine has, and processes for them."""

import math
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sitemap_action.errors import UnreachableError

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor


_MOST = 8  # one process stores what the others have read: more of them would wait for it, each with its memory
_QUOTAS = (  # files of a control group: microseconds of CPU time, in a period of as many
    ("/sys/fs/cgroup/cpu.max", ""),
    ("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "/sys/fs/cgroup/cpu/cpu.cfs_period_us"),
)


def available_cores() -> int:
    """The cores of this process's affinity, and no more than its control group pays for."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, math.ceil(min(cores, _quota())))


def pool_size() -> int:
    """Processes that read files; with one, this process reads them itself."""
    return min(available_cores(), _MOST)


@contextmanager
def process_pool(count: int, *begin: Any) -> "Iterator[ProcessPoolExecutor]":
    """Processes that end with the block, also where a signal ends it, and with this process, however that ends.

    `begin`: a function that each of them calls first, and its arguments. Forks on Linux, as Python did before 3.14:
    they import nothing. Raises UnreachableError when one is ended from outside.
    """
    import multiprocessing  # noqa: PLC0415 - a small site starts no process
    from concurrent.futures import BrokenExecutor, ProcessPoolExecutor  # noqa: PLC0415 - as above

    context = multiprocessing.get_context("fork" if sys.platform == "linux" else None)
    pool = ProcessPoolExecutor(count, mp_context=context, initializer=_begin, initargs=begin)
    try:
        with _without_signals():
            pool.submit(_do_nothing)  # starts the processes, and the thread that watches them
        yield pool
    except BrokenExecutor as error:
        for process in multiprocessing.active_children():
            process.kill()  # the pool's own end is SIGTERM
        hint = "give the job more memory, or divide the site between runners (check --shard)"
        why = "a process that reads files was ended from outside, as when memory is short"
        raise UnreachableError(f"no verdict: {why}", hint=hint) from error
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def _without_signals() -> "Iterator[None]":
    """A process that starts has the mask of this one, so that no signal meets it half made."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(function: Callable[..., object] | None = None, *arguments: Any) -> None:
    """Prepare a process of a pool. Signals are for its parent, which would wait for the rest of a result for ever."""
    import threading  # noqa: PLC0415 - a small site starts no process

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if sys.platform != "win32":
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if function is not None:
        function(*arguments)


def _do_nothing() -> None:
    """What a pool has to be given before it starts."""


def _end_with_parent() -> None:
    import multiprocessing  # noqa: PLC0415 - as in `process_pool`

    if (parent := multiprocessing.parent_process()) is not None:
        parent.join()
        os._exit(1)


def _quota() -> float:
    for quota, period in _QUOTAS:
        with suppress(OSError, ValueError):
            texts = (Path(quota).read_text() + (f" {Path(period).read_text()}" if period else "")).split()
            given, of = float(texts[0]), float(texts[1])  # "max" is no number
            return given / of if given > 0 < of else math.inf
    return math.inf
