"""Where text goes: the report to stdout, everything else to stderr; on GitHub all of it to stdout, in order."""

import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from io import TextIOBase, TextIOWrapper
from pathlib import Path
from shutil import get_terminal_size
from typing import TextIO

from sitemap_action.console.debug import DebugLines
from sitemap_action.console.progress import Watcher
from sitemap_action.errors import SitemapActionError, UsageError
from sitemap_action.runner.commands import command, escape_commands, printable_message
from sitemap_action.web.printable import printable

_COLOURS = {"✗": "31", "✓": "32", "-": "31", "!": "33", "+": "32", "~": "36", "?": "33", "→": "1"}

_SECRET = 4  # characters


class Console:
    """Two streams and the rules for using them."""

    def __init__(self, environment: Mapping[str, str], *, quiet: bool = False) -> None:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):
                stream.reconfigure(encoding="utf-8", errors="replace")
        self._github = environment.get("GITHUB_ACTIONS") == "true"
        self._report: TextIO = sys.stdout
        self._log: TextIO = sys.stdout if self._github else sys.stderr
        self._quiet = quiet
        self.debug = environment.get("RUNNER_DEBUG") == "1"  # somebody reruns a job to see what went wrong
        self._colour = sys.stdout.isatty() and not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"

    @contextmanager
    def watch(self, events: str | None = None, *, progress: bool = True) -> Iterator[Watcher]:
        """Who watches the look: nobody when quiet, a person at a terminal, a log; `events` is a file, "-" stderr."""
        live = self._log.isatty() and not self._github
        width = get_terminal_size().columns if live else 0
        with self._events(events) as stream:
            watcher = Watcher(self._log if progress and not self._quiet else None, stream, live=live, width=width)
            try:
                yield watcher
            finally:
                watcher.close()

    @contextmanager
    def _events(self, name: str | None) -> Iterator[TextIO | TextIOBase | None]:
        if name is None:
            yield DebugLines(self._log) if self._github and self.debug else None
            return
        if name == "-":
            yield sys.stderr
            return
        try:
            stream = Path(name).open("w", encoding="utf-8")  # noqa: SIM115 - an error of the run itself is not this one
        except OSError as error:
            raise UsageError(f"cannot write events to {name}: {error.strerror}", hint="correct --events") from None
        with stream:
            yield stream

    def report(self, text: str, *, commands: bool = False) -> None:
        """The answer of the command; on a terminal, rows of the text report are coloured by their sign.

        On GitHub no command comes of it but those that it is made of.
        """
        if self._github and not commands:
            text = escape_commands(text)
        self._report.write(_coloured(text) if self._colour else text)
        self._report.flush()

    def say(self, text: str) -> None:
        """One line about the run itself."""
        if not self._quiet:
            print(printable(text), file=self._log, flush=True)

    def fail(self, error: SitemapActionError) -> None:
        """What happened, where, what to do: one line each, on GitHub as one annotation."""
        hint = [f"hint: {error.hint}"] if error.hint else []
        if self._github:
            text = command("error", printable_message(str(error), *hint), title="sitemap-action")
        else:
            text = "\n".join(map(printable, [*f"error: {error}".splitlines(), *hint]))
        print(text, file=self._log, flush=True)

    def commands(self, lines: str) -> None:
        """Workflow commands, one a line, where somebody acts on them."""
        if self._github:
            self._log.write(lines)
            self._log.flush()

    def mask(self, secrets: Iterable[str]) -> None:
        """Before anything else is printed; a few letters would make every later line unreadable."""
        self.commands("".join(f"{command('add-mask', secret)}\n" for secret in secrets if len(secret) >= _SECRET))

    @contextmanager
    def group(self, title: str) -> Iterator[None]:
        """Lines that the log of a job shows folded."""
        self.commands(f"{command('group', printable(title))}\n")
        try:
            yield
        finally:
            self.commands(f"{command('endgroup')}\n")


def _coloured(text: str) -> str:
    return "".join(_coloured_line(line) for line in text.splitlines(keepends=True))


def _coloured_line(line: str) -> str:
    sign = line.lstrip()[:1]
    if sign in _COLOURS and line.lstrip()[1:2] == " ":
        return f"\x1b[{_COLOURS[sign]}m{line.rstrip()}\x1b[0m\n"
    return line
