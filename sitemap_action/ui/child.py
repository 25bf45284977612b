"""One command of this program in a process of its own: its lines as they come, and an end that loses nothing."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

_LONGEST = 256 * 1024  # bytes of a line; the rest of a longer one is dropped
_PIECE = 64 * 1024
_PATIENCE = 20.0  # seconds that a stopped run has for its report
_OF_A_RUNNER = ("GITHUB_", "RUNNER_", "INPUT_")  # here a person looks, and no job


class Child:
    """`-P`: the current folder may be anyone's checkout, and no module is imported from there."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    @classmethod
    async def start(
        cls, arguments: Sequence[str], folder: Path, output: Path, *, withhold: frozenset[str] = frozenset()
    ) -> "Child":
        """In `folder`; standard output goes to the file `output`. `withhold`: variables that it does not get."""
        with output.open("wb") as stream:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-P",
                "-m",
                "sitemap_action",
                *arguments,
                cwd=folder,
                env=_environment(os.environ, withhold),
                stdin=subprocess.PIPE,  # ends with this program, however it ends: see `--stop-at-eof`
                stdout=stream,
                stderr=subprocess.PIPE,
                start_new_session=True,  # Ctrl-C in the terminal is for this program, which stops the run itself
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
            )
        return cls(process)

    async def lines(self) -> AsyncIterator[str]:
        """Of standard error, until it ends."""
        stream = self._process.stderr
        assert stream is not None  # noqa: S101 - it was asked for
        pending = b""
        while piece := await stream.read(_PIECE):
            *whole, pending = (pending + piece).split(b"\n")
            pending = pending[:_LONGEST]
            for line in whole:
                yield line[:_LONGEST].decode(errors="replace")
        if pending:
            yield pending.decode(errors="replace")

    async def ended(self) -> int:
        """The exit code; negative when a signal ended it."""
        return await self._process.wait()

    def interrupt(self) -> None:
        """As Ctrl-C does: what was seen is reported and stays in the state."""
        with suppress(ProcessLookupError):
            self._process.send_signal(getattr(signal, "CTRL_BREAK_EVENT", signal.SIGINT))

    async def stop(self) -> None:
        """Interrupted, and killed when that takes too long: the state outlives both."""
        self.interrupt()
        try:
            await asyncio.wait_for(self._process.wait(), _PATIENCE)
        except (TimeoutError, asyncio.CancelledError):
            with suppress(ProcessLookupError):
                self._process.kill()
            raise


def _environment(environment: Mapping[str, str], withhold: frozenset[str]) -> dict[str, str]:
    return {
        name: value for name, value in environment.items() if not name.startswith(_OF_A_RUNNER) and name not in withhold
    }
