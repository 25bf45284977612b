"""Outputs and job summary of a step, as files that are appended to and read by the GitHub runner.

They are opened before a site is read, and never again by their path: later their folder may be under the control of a
page that took the reading process over.
"""

import os
import stat
from collections.abc import Mapping

from msgspec import Struct

from sitemap_action.errors import PublishError

_MAX_SUMMARY = 1024 * 1024  # bytes; past it the runner drops the whole summary of a step
_FLAGS = (
    os.O_WRONLY
    | os.O_APPEND
    | os.O_CREAT
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)  # a pipe without a reader would wait for ever
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_HINT = "start the container as root, as GitHub does, or as the user of the runner"


class RunnerFile(Struct):
    """Open for appending; one that the environment does not name swallows what it is given."""

    path: str = ""
    descriptor: int | None = None
    problem: str = ""  # why it could not be opened

    @classmethod
    def open(cls, path: str | None) -> "RunnerFile":
        """An error is kept until something is to be written: a verdict comes first."""
        if not path:
            return cls()
        try:
            descriptor = os.open(path, _FLAGS, 0o666)
        except (OSError, ValueError) as error:
            return cls(path, problem=getattr(error, "strerror", None) or str(error))
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            return cls(path, problem="it is no regular file")
        return cls(path, descriptor)

    def size(self) -> int:
        return os.fstat(self.descriptor).st_size if self.descriptor is not None else 0

    def append(self, text: str) -> None:
        """Writes UTF-8, which the runner reads; names of files may have characters that UTF-8 cannot encode."""
        problem = self.problem
        if self.descriptor is not None:
            rest = memoryview(text.encode(errors="replace"))
            try:
                while rest:
                    rest = rest[os.write(self.descriptor, rest) :]
            except OSError as error:
                problem = error.strerror or str(error)
        if problem:
            raise PublishError(f"cannot write {self.path} for the runner: {problem}", hint=_HINT)

    def close(self) -> None:
        if self.descriptor is not None:
            os.close(self.descriptor)
            self.descriptor = None


class RunnerFiles:
    """Those of the environment; `summary`: whether one is wanted."""

    def __init__(self, environment: Mapping[str, str], *, summary: bool = True) -> None:
        self._output = RunnerFile.open(environment.get("GITHUB_OUTPUT"))
        self._summary = RunnerFile.open(environment.get("GITHUB_STEP_SUMMARY") if summary else None)

    def write_outputs(self, values: Mapping[str, str]) -> None:
        """Every record has a random delimiter, so that no value can end it and begin another."""
        records = []
        for name, value in values.items():
            delimiter = f"end-{os.urandom(16).hex()}"
            records.append(f"{name}<<{delimiter}\n{value}\n{delimiter}\n")
        self._output.append("".join(records))

    def write_summary(self, markdown: str) -> None:
        """Appends to the summary; a text that would make it too large is left out."""
        if self._summary.size() + len(markdown.encode(errors="replace")) <= _MAX_SUMMARY:
            self._summary.append(markdown)

    def close(self) -> None:
        self._output.close()
        self._summary.close()
