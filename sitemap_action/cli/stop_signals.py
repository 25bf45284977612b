"""Signals that end a run: SIGINT, SIGTERM, and SIGHUP where the terminal is gone.

Theory of operation. The first signal is an exception in the main thread, so that the run ends as one that failed:
folders are removed, processes are ended, and no file is half written. A terminal sends a signal to every process of a
group, and `timeout` sends it twice, so what comes within a second is the same wish, and is dropped: a second exception
would end the clean-up of the first. A later one ends the process at once, and so does a clean-up that takes too long.
"""

import math
import os
import signal
import time
from types import FrameType

from sitemap_action.errors import TOGETHER

PATIENCE = 5.0  # seconds that the clean-up may take
_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
_CODE = 128  # and the number of the signal: the exit code, as shells have it


class Terminated(SystemExit):
    """SIGTERM, or the terminal is gone. `code` is the exit code.

    A SystemExit, because an event loop passes on no other exception from the task that it is running.
    """


def ignore_from_now_on() -> None:
    """Once the clean-up is done: where Python ends, signals have their usual effect again, and its exit code."""
    for name in _NAMES:
        if (number := getattr(signal, name, None)) is not None:
            signal.signal(number, signal.SIG_IGN)


class StopSignals:
    """Handlers for the main thread, from `install` on."""

    def __init__(self, patience: float = math.inf) -> None:
        self._patience = patience
        self._first = -math.inf  # when the first signal came

    def install(self) -> None:
        """Where somebody wants the run to outlive a signal, as with nohup, it does."""
        for name in _NAMES:
            number = getattr(signal, name, None)  # Windows has no SIGHUP
            if number is not None and (name == "SIGTERM" or signal.getsignal(number) is not signal.SIG_IGN):
                signal.signal(number, self._handle)

    def _handle(self, number: int, _frame: FrameType | None) -> None:
        now = time.monotonic()
        if self._first == -math.inf:
            self._first = now
            self._limit(number)
            raise KeyboardInterrupt if number == signal.SIGINT else Terminated(_CODE + number)
        if now - self._first > TOGETHER:
            os._exit(_CODE + number)

    def _limit(self, number: int) -> None:
        """By a timer of the system: a thread could not be started inside of a thread's start."""
        if self._patience < math.inf and hasattr(signal, "SIGALRM"):
            signal.signal(signal.SIGALRM, lambda *_: os._exit(_CODE + number))
            signal.setitimer(signal.ITIMER_REAL, self._patience)
