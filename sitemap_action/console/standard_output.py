"""Standard output whose reader may leave: `check | head -1` has the exit code of `check`, and no error (U-20)."""

import io
import os
import sys
from pathlib import Path
from typing import Any, TextIO


class StandardOutput(io.FileIO):
    """After the reader has closed its end, what is written is discarded."""

    def __init__(self, descriptor: int) -> None:
        super().__init__(descriptor, "w", closefd=False)
        self.reader_gone = False

    def write(self, data: Any, /) -> int:
        if not self.reader_gone:
            try:
                return super().write(data) or 0
            except BrokenPipeError:
                self.reader_gone = True
        return memoryview(data).nbytes


def replace_stdout() -> None:
    """For the process of a command line, which may have been started without standard streams."""
    sys.stderr = sys.stderr or _discarded()
    if not sys.stdout:
        sys.stdout = _discarded()
        return
    raw = StandardOutput(sys.stdout.fileno())
    buffer = io.BufferedWriter(raw)
    line_buffering = raw.isatty() or os.environ.get("PYTHONUNBUFFERED", "") != ""
    sys.stdout = io.TextIOWrapper(buffer, encoding="utf-8", errors="replace", line_buffering=line_buffering)


def _discarded() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")


def reader_gone() -> bool:
    """Whether what is written to standard output is discarded."""
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    return isinstance(raw, StandardOutput) and raw.reader_gone
