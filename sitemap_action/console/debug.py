"""Lines that a job's log shows only to whoever asked for step debug logging (`RUNNER_DEBUG`)."""

import io
from typing import TextIO

from sitemap_action.runner.commands import command


class DebugLines(io.TextIOBase):
    """Takes whole lines, as events come, and passes each on as one command."""

    def __init__(self, log: TextIO) -> None:
        self._log = log

    def write(self, text: str) -> int:
        self._log.writelines(f"{command('debug', line)}\n" for line in text.splitlines())
        return len(text)

    def flush(self) -> None:
        self._log.flush()
