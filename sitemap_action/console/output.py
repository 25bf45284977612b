"""Where text goes: the report to stdout, everything else to stderr; on GitHub all of it to stdout, in order."""

import sys
from collections.abc import Mapping
from io import TextIOWrapper
from typing import TextIO

from sitemap_action.errors import SitemapActionError
from sitemap_action.web.printable import printable

_COLOURS = {"✗": "31", "✓": "32", "-": "31", "!": "33", "+": "32", "~": "36", "?": "33", "→": "1"}


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
        self._colour = sys.stdout.isatty() and not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"

    def report(self, text: str) -> None:
        """The answer of the command, as it is; on a terminal, rows of the text report are coloured by their sign."""
        self._report.write(_coloured(text) if self._colour else text)
        self._report.flush()

    def say(self, text: str) -> None:
        """One line about the run itself."""
        if not self._quiet:
            print(printable(text), file=self._log, flush=True)

    def fail(self, error: SitemapActionError) -> None:
        """What happened, where, what to do: one line each."""
        lines = [printable(line) for line in str(error).splitlines()]
        if self._github:
            lines[0] = "::error title=sitemap-action::" + lines[0].replace("%", "%25")
        else:
            lines[0] = f"error: {lines[0]}"
        if error.hint:
            lines.append(f"hint: {printable(error.hint)}")
        print("\n".join(lines), file=self._log, flush=True)


def _coloured(text: str) -> str:
    return "".join(_coloured_line(line) for line in text.splitlines(keepends=True))


def _coloured_line(line: str) -> str:
    sign = line.lstrip()[:1]
    if sign in _COLOURS and line.lstrip()[1:2] == " ":
        return f"\x1b[{_COLOURS[sign]}m{line.rstrip()}\x1b[0m\n"
    return line
