"""Standard output whose reader may leave, or whose disk is full: neither changes what the run finds.

`check | head -1` has the exit code of `check`, and no error (U-20). What a full disk took no more is said at the end.
"""

import io
import os
import sys
from pathlib import Path
from typing import Any, TextIO

from sitemap_action.errors import PublishError


class StandardOutput(io.FileIO):
    """After the reader has closed its end, or a write has failed, what is written is discarded."""

    def __init__(self, descriptor: int) -> None:
        super().__init__(descriptor, "w", closefd=False)
        self.reader_gone = False
        self.failure: OSError | None = None

    def write(self, data: Any, /) -> int:
        if not self.reader_gone:
            try:
                return super().write(data) or 0
            except BrokenPipeError:
                self.reader_gone = True
            except OSError as error:
                self.reader_gone = True
                self.failure = error
        return memoryview(data).nbytes


def replace_stdout() -> None:
    """For the process of a command line, which may have been started without standard streams."""
    if sys.stderr:
        sys.stderr = _text_stream(StandardOutput(sys.stderr.fileno()), line_buffering=True)
    else:
        sys.stderr = _discarded()
    if not sys.stdout:
        sys.stdout = _discarded()
        return
    raw = StandardOutput(sys.stdout.fileno())
    line_buffering = raw.isatty() or os.environ.get("PYTHONUNBUFFERED", "") != ""
    sys.stdout = _text_stream(raw, line_buffering=line_buffering)


def _text_stream(raw: StandardOutput, *, line_buffering: bool) -> TextIO:
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding="utf-8", errors="replace", line_buffering=line_buffering)


def _discarded() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")


def reader_gone() -> bool:
    """Whether what is written to standard output is discarded."""
    raw = _raw_stdout()
    return raw is not None and raw.reader_gone


def flush_stdout() -> None:
    """At the end of a run. Raises PublishError where something was not written."""
    sys.stdout.flush()
    raw = _raw_stdout()
    if raw is not None and raw.failure is not None:
        message = f"cannot write to standard output: {raw.failure.strerror}"
        raise PublishError(message, hint="free some space, or redirect the output to another place")


def _raw_stdout() -> StandardOutput | None:
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    return raw if isinstance(raw, StandardOutput) else None
