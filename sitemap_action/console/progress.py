"""Progress and events of the look phase: one live line on a terminal, a line every ten seconds elsewhere.

Counts of the stream of events come once a second and at the end, for a reader who shows how far the run is.
"""

import json
import time
from collections.abc import Callable, Mapping
from io import TextIOBase
from typing import TextIO

from msgspec.structs import asdict

from sitemap_action.model.observer import Event, EventKind, Progress, Screenshots
from sitemap_action.runner.job_log import escape_commands
from sitemap_action.web.printable import printable

_LIVE_INTERVAL = 0.1  # seconds between two states of the live line
_LOG_INTERVAL = 10.0  # seconds between two lines of a log
_COUNT_INTERVAL = 1.0  # seconds between two counts in the stream of events
_LONGEST = 200  # characters of the current URL
_CLEAR = "\r\x1b[2K"


class ProgressLog:
    """Observer that writes progress to `log` and events, one JSON object a line, to `events`; either may be None."""

    def __init__(
        self,
        log: TextIO | None,
        events: TextIO | TextIOBase | None = None,
        *,
        live: bool = False,
        width: int = 100,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.screenshots: Screenshots | None = None
        self._log = log
        self._events = events
        self.wants_events = events is not None
        self.failure = ""  # why events are missing in their stream
        self._live = live
        self._width = width
        self._clock = clock
        self._start = clock()
        self._last = self._counted = self._start
        self._shown = False
        self._progress: Progress | None = None  # whose counts go on after the last call

    def progress(self, progress: Progress) -> None:
        if self._log is None and self._events is None:
            return
        self._progress = progress
        now = self._clock()
        if self._events is not None and now - self._counted >= _COUNT_INTERVAL:
            self._counted = now
            self._write_record(self._events, {"what": EventKind.PROGRESS, **_counts(progress)})
        if self._log is None:
            return
        if now - self._last < (_LIVE_INTERVAL if self._live else _LOG_INTERVAL):
            return
        self._last = now
        line = _line(progress, now - self._start)
        line = f"{line}  {printable(progress.url[:_LONGEST])}".rstrip()
        if self._live:
            self._log.write(f"{_CLEAR}{line[: self._width - 1]}")
            self._shown = True
        else:
            self._log.write(f"{line}\n")
        self._log.flush()

    def event(self, event: Event) -> None:
        if self._events is not None:
            values = {name: value for name, value in asdict(event).items() if value or name == "what"}
            self._write_record(self._events, values)

    def close(self) -> None:
        """Clear the live line; the last counts are those of the whole run."""
        if self._log is not None and self._shown:
            self._log.write(_CLEAR)
            self._log.flush()
        if self._events is not None and self._progress is not None:
            self._write_record(self._events, {"what": EventKind.PROGRESS, **_counts(self._progress)})
        if self._events is not None:
            self._write_events(self._events, "")

    def _write_record(self, stream: TextIO | TextIOBase, record: Mapping[str, object]) -> None:
        line = escape_commands(json.dumps(record, ensure_ascii=True, separators=(",", ":")))
        self._write_events(stream, f"{line}\n")

    def _write_events(self, stream: TextIO | TextIOBase, text: str) -> None:
        """A disk that is full ends the stream, and not the run; an empty text writes what is held back."""
        try:
            stream.write(text) if text else stream.flush()
        except OSError as error:
            self.failure = error.strerror or str(error)
            self._events = None
            self.wants_events = False


def _counts(progress: Progress) -> dict[str, int]:
    counts = {
        "done": progress.done,
        "queued": max(progress.queued, 0),
        "skipped": progress.skipped,
        "errors": progress.errors,
    }
    return counts if progress.left is None else {**counts, "left": progress.left}


def _line(progress: Progress, seconds: float) -> str:
    rate = progress.done / seconds if seconds > 0 else 0.0
    parts = [f"{progress.done:,} done", f"{max(progress.queued, 0):,} queued", f"{rate:,.0f}/s"]
    parts += [f"{progress.skipped:,} skipped"] if progress.skipped else []
    parts += [f"{progress.errors:,} without an answer"] if progress.errors else []
    queued = progress.queued if progress.left is None else min(progress.queued, progress.left)
    if rate > 0 and queued > rate:
        parts.append(f"about {_duration(queued / rate)} for this level")
    return ", ".join(parts)


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
