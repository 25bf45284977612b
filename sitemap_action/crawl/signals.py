"""SIGINT and SIGTERM end a crawl cleanly: what was found is reported, and no file is written (exit 130, 143)."""

import asyncio
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from msgspec import Struct

from sitemap_action.errors import TOGETHER


class StopSignal(Struct):
    """The signal that was received, 0 for none."""

    signal: int = 0
    at: float = 0.0  # when, by the monotonic clock


@contextmanager
def cancel_on_signal(task: "asyncio.Task[None]") -> Iterator[StopSignal]:
    """The first signal cancels the task; one that comes later has its usual effect on the process."""
    stop = StopSignal()
    loop = asyncio.get_running_loop()

    def cancel(number: int, _frame: FrameType | None) -> None:
        if not stop.signal:
            stop.signal, stop.at = number, time.monotonic()
            loop.call_soon_threadsafe(task.cancel)
        elif time.monotonic() - stop.at > TOGETHER:
            restore()
            signal.raise_signal(number)

    def restore() -> None:
        while before:
            signal.signal(*before.popitem())

    before = {}
    try:
        for number in (signal.SIGINT, signal.SIGTERM):
            before[number] = signal.getsignal(number)
            signal.signal(number, cancel)
    except ValueError:
        before.clear()  # not the main thread, which alone can set handlers
    try:
        yield stop
    finally:
        restore()
