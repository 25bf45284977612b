"""Standard streams: the report to stdout, everything else to stderr; on GitHub all of it to stdout, in order.

Standard output whose reader may leave, or whose disk is full: neither changes what the run finds.

`check | head -1` has the exit code of `check`, and no error (U-20). What a full disk took no more is said at the end.
"""

import io
import json
import os
import sys
import textwrap
import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import get_terminal_size
from typing import Any, TextIO, cast

from msgspec.structs import asdict

from sitemap_action.errors import PublishError, SitemapActionError, UsageError
from sitemap_action.model.mask import MIN_LENGTH, NO_MASK, Mask
from sitemap_action.model.observer import Event, EventKind, Progress, Screenshots
from sitemap_action.runner.job_log import command, escape_commands, not_masked, printable_message, secrets
from sitemap_action.web.printable import printable


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
    """Makes both streams of a command line safe; the process may have been started without any."""
    if sys.stderr:
        sys.stderr = _text_stream(StandardOutput(sys.stderr.fileno()), line_buffering=True)
    else:
        sys.stderr = _open_null()
    if not sys.stdout:
        sys.stdout = _open_null()
        return
    raw = StandardOutput(sys.stdout.fileno())
    line_buffering = raw.isatty() or os.environ.get("PYTHONUNBUFFERED", "") != ""
    sys.stdout = _text_stream(raw, line_buffering=line_buffering)


def _text_stream(raw: StandardOutput, *, line_buffering: bool) -> TextIO:
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding="utf-8", errors="replace", line_buffering=line_buffering)


def _open_null() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")


def reader_gone() -> bool:
    """Whether what is written to standard output is discarded."""
    raw = _raw_stdout()
    return raw is not None and raw.reader_gone


def flush_stdout() -> None:
    """Writes what is left at the end of a run. Raises PublishError where something was not written."""
    sys.stdout.flush()
    raw = _raw_stdout()
    if raw is not None and raw.failure is not None:
        message = f"cannot write to standard output: {raw.failure.strerror}"
        raise PublishError(message, hint="free some space, or redirect the output to another place")


def _raw_stdout() -> StandardOutput | None:
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    return raw if isinstance(raw, StandardOutput) else None


_ASCII = str.maketrans(
    {
        "✗": "x",
        "✓": "v",
        "→": ">",
        "↳": ">",
        "…": "...",
        "–": "-",
        "“": '"',
        "”": '"',
        "’": "'",
    }
)
_GAP = "  "  # between the parts of a row
_NARROWEST = 20  # columns; a terminal that says less does not know
_RIGHT_TO_LEFT = frozenset({"R", "AL"})


def shows_unicode(environment: Mapping[str, str]) -> bool:
    """Whether the user's locale has Unicode; most terminals without a locale show UTF-8."""
    locale = environment.get("LC_ALL") or environment.get("LC_CTYPE") or environment.get("LANG") or "utf-8"
    return "utf" in locale.lower() and environment.get("TERM") != "dumb"


def fit_lines(text: str, width: int, *, unicode: bool) -> str:
    """The report in lines of at most `width` columns where words allow it; `unicode`: the terminal can show all."""
    lines = [part for line in text.splitlines() for part in _parts(line, max(width, _NARROWEST))]
    shown = "".join(f"{line}\n" for line in lines)
    return shown if unicode else shown.translate(_ASCII).encode("ascii", "backslashreplace").decode()


def _parts(line: str, width: int) -> list[str]:
    """A part that is read from right to left has a line of its own, so that it moves no other part of the row."""
    if not line.isascii() and any(unicodedata.bidirectional(letter) in _RIGHT_TO_LEFT for letter in line):
        indent = line[: len(line) - len(line.lstrip())]
        first, *rest = line.strip().split(_GAP)
        lines = [f"{indent}{first}", *(f"{indent}    {part.strip()}" for part in rest if part.strip())]
    else:
        lines = [line]
    return [part for one in lines for part in _wrap_line(one, width)]


def _wrap_line(line: str, width: int) -> list[str]:
    if len(line) <= width:
        return [line]
    indent = line[: len(line) - len(line.lstrip())]
    hanging = indent + "    "
    first, *rest = textwrap.wrap(
        line,
        width,
        initial_indent="",
        subsequent_indent=hanging,
        break_long_words=False,
        break_on_hyphens=False,
        drop_whitespace=True,
        replace_whitespace=False,
    )
    if rest and len(first.strip()) == 1:  # the mark of a row is on the line of its address
        first, rest = f"{first} {rest[0].lstrip()}", rest[1:]
    return [first, *rest]


# --- progress and events of the look phase: one live line on a terminal, a line every ten seconds elsewhere ---

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
        events: TextIO | io.TextIOBase | None = None,
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

    def _write_record(self, stream: TextIO | io.TextIOBase, record: Mapping[str, object]) -> None:
        line = escape_commands(json.dumps(record, ensure_ascii=True, separators=(",", ":")))
        self._write_events(stream, f"{line}\n")

    def _write_events(self, stream: TextIO | io.TextIOBase, text: str) -> None:
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


# --- the console ---

_COLOURS = {"✗": "31", "✓": "32", "-": "31", "!": "33", "+": "32", "~": "36", "?": "33", "→": "1"}

_MIN_SECRET = 4  # characters


class Console:
    """Writes the report to one stream and the log to another, by environment and options."""

    def __init__(self, environment: Mapping[str, str], *, quiet: bool = False) -> None:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(encoding="utf-8", errors="replace")
        self._github = environment.get("GITHUB_ACTIONS") == "true"
        self.mask = Mask(secrets(environment, sys.argv))
        self._report: TextIO = self._mask_stream(sys.stdout)
        self._log: TextIO = self._mask_stream(sys.stdout if self._github else sys.stderr)
        self._quiet = quiet
        self.debug = environment.get("RUNNER_DEBUG") == "1"  # a job rerun with debug logging
        self._width = get_terminal_size().columns if sys.stdout.isatty() else 0
        self._unicode = shows_unicode(environment)
        self._colour = sys.stdout.isatty() and not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"

    def _mask_stream(self, stream: TextIO) -> TextIO:
        return cast("TextIO", MaskedStream(stream, self.mask)) if self.mask else stream

    @contextmanager
    def progress(
        self, events: str | None = None, *, progress: bool = True, screenshots: bool = False
    ) -> Iterator[ProgressLog]:
        """The observer of the look: progress to the log unless quiet, events to the file `events`, "-" for stderr."""
        live = self._log.isatty() and not self._github
        width = get_terminal_size().columns if live else 0
        with self._event_stream(events) as stream:
            log = ProgressLog(self._log if progress and not self._quiet else None, stream, live=live, width=width)
            log.screenshots = Screenshots(self.mask) if screenshots else None
            try:
                yield log
            finally:
                log.close()

    @contextmanager
    def _event_stream(self, name: str | None) -> Iterator[TextIO | io.TextIOBase | None]:
        if name is None:
            yield None
            return
        if name == "-":
            yield self._mask_stream(sys.stderr)
            return
        try:
            stream = Path(name).open("w", encoding="utf-8")  # noqa: SIM115 - an error of the run itself is not this one
        except OSError as error:
            raise UsageError(f"cannot write events to {name}: {error.strerror}", hint="correct --events") from None
        try:
            yield self._mask_stream(stream)
        finally:
            with suppress(OSError):  # said already: what is closed was flushed
                stream.close()

    def request_log(self, *, verbose: bool = False) -> Callable[[str], None] | None:
        """What writes a line for each request: `verbose`, or a job with step debug logging; else None."""
        if self._github and self.debug:
            return lambda line: self.write_commands(f"{command('debug', printable_message(line))}\n")
        return self.log if verbose else None

    def write_report(self, text: str | Iterable[str], *, commands: bool = False, prose: bool = False) -> None:
        """The output of the command; on a terminal, rows of the text report are coloured by their sign.

        `commands`: whether the report is made of workflow commands; in any other, GitHub must read none. `prose`: it is
        for people, and its lines fit the terminal. Of a long report the text comes in parts of whole lines.
        """
        for part in (text,) if isinstance(text, str) else text:
            shown = escape_commands(part) if self._github and not commands else part
            if prose and self._width:
                shown = fit_lines(shown, self._width, unicode=self._unicode)
            shown = "".join(map(_colour_line, shown.splitlines(keepends=True))) if self._colour else shown
            self._report.write(shown)
        self._report.flush()

    def log(self, text: str) -> None:
        """One line about the run; none when quiet."""
        if not self._quiet:
            print(printable(text), file=self._log, flush=True)

    def log_unmasked(self, headers: Iterable[tuple[str, str]]) -> None:
        """Which secret headers have a value that may occur in any text."""
        for name in not_masked(headers):
            self.log(
                f"the value of the header {name} is a word, or shorter than {MIN_LENGTH} characters: it is not masked"
            )

    def log_error(self, error: SitemapActionError) -> None:
        """What happened, where, what to do: one line each, on GitHub as one annotation."""
        hint = [f"hint: {error.hint}"] if error.hint else []
        if self._github:
            text = command("error", printable_message(str(error), *hint), title="sitemap-action")
        else:
            text = "\n".join(map(printable, [*f"error: {error}".splitlines(), *hint]))
        print(text, file=self._log, flush=True)

    def log_warning(self, text: str) -> None:
        """One line, on GitHub as an annotation: the run goes on."""
        if self._github:
            text = command("warning", printable_message(text), title="sitemap-action")
        else:
            text = f"warning: {printable(text)}"
        print(text, file=self._log, flush=True)

    def write_commands(self, lines: str) -> None:
        """Workflow commands, one a line; nothing outside of GitHub."""
        if self._github:
            self._log.write(lines)
            self._log.flush()

    def add_masks(self, secrets: Iterable[str]) -> None:
        """Has the runner mask these from here on; masking a shorter text would make every later line unreadable."""
        if self._github:
            long = (secret for secret in secrets if len(secret) >= _MIN_SECRET)
            sys.stdout.write("".join(f"{command('add-mask', secret)}\n" for secret in long))
            sys.stdout.flush()

    @contextmanager
    def group(self, title: str) -> Iterator[None]:
        """The lines within are folded in the log of a job."""
        self.write_commands(f"{command('group', printable(title))}\n")
        try:
            yield
        finally:
            self.write_commands(f"{command('endgroup')}\n")


class MaskedStream(io.TextIOBase):
    """A stream that gets no secret; its writers write whole lines."""

    def __init__(self, stream: TextIO, mask: Mask) -> None:
        self._stream, self._mask = stream, mask

    def write(self, text: str) -> int:
        self._stream.write(self._mask(text))
        return len(text)

    def flush(self) -> None:
        self._stream.flush()

    def isatty(self) -> bool:
        return self._stream.isatty()


class PrintableStream(io.TextIOBase):
    """Standard error, each line made printable: what libraries and Python print there must be safe in a log.

    Runners read workflow commands from standard output alone, so that none can come from here.
    """

    def __init__(self, stream: TextIO, mask: Mask = NO_MASK) -> None:
        self._stream, self._mask = stream, mask
        self._unfinished = ""

    def write(self, text: str) -> int:
        *lines, self._unfinished = (self._unfinished + text).replace("\r", "\n").split("\n")
        self._stream.writelines(f"{printable(self._mask(line))}\n" for line in lines)
        return len(text)

    def flush(self) -> None:
        """An unfinished line stays here: its end may change how it is printed."""
        self._stream.flush()

    def finish(self) -> None:
        if self._unfinished:
            self.write("\n")
        self.flush()

    def isatty(self) -> bool:
        return self._stream.isatty()


def _colour_line(line: str) -> str:
    """A row in the colour of its sign."""
    sign = line.lstrip()[:1]
    if sign in _COLOURS and line.lstrip()[1:2] == " ":
        return f"\x1b[{_COLOURS[sign]}m{line.rstrip()}\x1b[0m\n"
    return line
