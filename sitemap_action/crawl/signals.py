"""A signal ends a look cleanly: what was seen is reported, and nothing is written (exit 130, 143)."""

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType


@dataclass(slots=True)
class StopSignal:
    """The signal that ended the look, 0 while none has."""

    signal: int = 0


@contextmanager
def stopping(task: "asyncio.Task[None]") -> Iterator[StopSignal]:
    """While this lasts the first signal cancels the task; a second one ends the process as it always would."""
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
        before.clear()  # not the main thread: signals go elsewhere
    try:
        yield stop
    finally:
        restore()
