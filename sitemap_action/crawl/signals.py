"""SIGINT and SIGTERM end a crawl cleanly: what was found is reported, and no file is written (exit 130, 143)."""

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from msgspec import Struct


class StopSignal(Struct):
    """The signal that was received, 0 for none."""

    signal: int = 0


@contextmanager
def cancel_on_signal(task: "asyncio.Task[None]") -> Iterator[StopSignal]:
    """The first signal cancels the task; a second one has its usual effect on the process."""
    stop = StopSignal()
    loop = asyncio.get_running_loop()

    def cancel(number: int, _frame: FrameType | None) -> None:
        stop.signal = number
        loop.call_soon_threadsafe(task.cancel)
        restore()

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
