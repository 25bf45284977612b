"""How many cores this process may use, which is not how many the machine has, and processes for them."""

import math
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

_MOST = 8  # one process stores what the others have read: more of them would wait for it, each with its memory
_QUOTAS = (  # files of a control group: microseconds of CPU time, in a period of as many
    ("/sys/fs/cgroup/cpu.max", ""),
    ("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "/sys/fs/cgroup/cpu/cpu.cfs_period_us"),
)


def available_cores() -> int:
    """Those of its affinity, and no more than its control group pays for."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, math.ceil(min(cores, _quota())))


def pool_size() -> int:
    """Processes that read files; with one, this process reads them itself."""
    return min(available_cores(), _MOST)


def process_pool(
    count: int, initializer: Callable[..., object] | None = None, initargs: tuple[Any, ...] = ()
) -> "ProcessPoolExecutor":
    """Forks on Linux, as Python did before 3.14: they import nothing (`cli/preload.py`)."""
    import multiprocessing  # noqa: PLC0415 - a small site starts no process
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415 - as above

    context = multiprocessing.get_context("fork" if sys.platform == "linux" else None)
    return ProcessPoolExecutor(count, mp_context=context, initializer=initializer, initargs=initargs)


def _quota() -> float:
    for quota, period in _QUOTAS:
        with suppress(OSError, ValueError):
            texts = (Path(quota).read_text() + (f" {Path(period).read_text()}" if period else "")).split()
            given, of = float(texts[0]), float(texts[1])  # "max" is no number
            return given / of if given > 0 < of else math.inf
    return math.inf
