"""Where `read` writes: standard output as it goes, or a file that appears whole, and only when there is an entry."""

import tempfile
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import IO

from click.exceptions import Exit

from sitemap_action.console.streams import Console, reader_gone
from sitemap_action.errors import PublishError

_PIECES = 1_000


class OutputFile:
    """Use as a context: what was there before goes at the start, so that no run leaves another one's answer."""

    def __init__(self, console: Console, output: str | None, head: str) -> None:
        self._console = console
        self._path = Path(output) if output else None
        self._pieces = [head]
        self._file: IO[str] | None = None
        self._came = False

    def __enter__(self) -> None:
        if self._path is None:
            return
        try:
            self._path.unlink(missing_ok=True)
            self._file = tempfile.NamedTemporaryFile(
                "w", encoding="utf-8", newline="\n", dir=self._path.parent, prefix=".sitemap-action-", delete=False
            )
        except OSError as error:
            raise self._cannot(error) from error

    def write_all(self, texts: Iterable[str]) -> None:
        iterator = iter(texts)
        while pieces := list(islice(iterator, _PIECES)):
            self._came = True
            self._pieces += pieces
            self._flush()

    def write(self, text: str) -> None:
        """Records that are many at once."""
        self._came = True
        self._pieces.append(text)
        self._flush()

    def end(self, text: str) -> None:
        """What follows the last record, and is no reason for a file of its own."""
        self._pieces.append(text)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None and (self._came or self._file is None):
                self._flush()
            if self._file is not None and self._path is not None:
                self._file.close()
                if error is None and self._came:
                    Path(self._file.name).chmod(0o644)
                    Path(self._file.name).replace(self._path)
                else:
                    Path(self._file.name).unlink()
        except OSError as problem:
            raise self._cannot(problem) from problem

    def _flush(self) -> None:
        text = "".join(self._pieces)
        self._pieces.clear()
        try:
            if self._file is None:
                self._console.write_report(text)
                if reader_gone():
                    raise Exit(0)  # more records are of no use
            else:
                self._file.write(self._console.mask(text))
        except OSError as error:
            raise self._cannot(error) from error

    def _cannot(self, error: OSError) -> PublishError:
        return PublishError(f"cannot write {self._path}: {error.strerror}", hint="name a file that may be written")
