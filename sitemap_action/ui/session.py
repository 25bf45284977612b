"""The runs of one screen: at most one at a time, each a `check` that keeps what it sees, and what they left."""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from enum import StrEnum
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec
from msgspec import Struct

from sitemap_action.config.schema import DEFAULT_CONFIG
from sitemap_action.config.types import RuleNames
from sitemap_action.config.yaml import MAX_BYTES, MappingNode
from sitemap_action.disk.folder import Workspace
from sitemap_action.errors import ConfigError
from sitemap_action.model.observer import Event, EventKind, Progress
from sitemap_action.ui.form import FormProblem, chosen_config, read_base
from sitemap_action.ui.run_statistics import Feed, LogRow, RunStatistics, note

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
        """Starts a command; its standard output goes to the file `output`. It does not get the variables `withhold`."""
        given = {name: text for name, text in os.environ.items() if not name.startswith(_OF_A_RUNNER)}
        with output.open("wb") as stream:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-P",
                "-m",
                "sitemap_action",
                *arguments,
                cwd=folder,
                env={name: text for name, text in given.items() if name not in withhold},
                stdin=subprocess.PIPE,  # ends with this program, however it ends: see `--stop-at-eof`
                stdout=stream,
                stderr=subprocess.PIPE,
                start_new_session=True,  # Ctrl-C in the terminal is for this program, which stops the run itself
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
            )
        return cls(process)

    async def lines(self) -> AsyncIterator[str]:
        """The lines of standard error, until it ends."""
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

    async def wait(self) -> int:
        """The exit code; negative when a signal ended it."""
        return await self._process.wait()

    def interrupt(self) -> None:
        """Stops the run as Ctrl-C does: what was seen is reported and stays in the state."""
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


# --- a run, and the files that it left ---

_SITEMAPS = "sitemap"  # folder of the sitemap files
_MOST_SAID = 12  # lines
_CAUSES = 3  # of a result, before its first line
_INTERRUPTED = (130, 143)  # SIGINT, SIGTERM


class Status(StrEnum):
    """How far a run is."""

    RUNNING = "running"
    STOPPING = "stopping"
    STOPPED = "stopped"  # by the user, with a report of what was seen
    FINISHED = "finished"
    FAILED = "failed"  # without a report


class _Report(Struct, frozen=True):
    """What is read of `report.json`."""

    result: str
    sitemap: str = ""
    complete: bool = True
    causes: list[str] = []
    counts: dict[str, int] = {}
    state: dict[str, Any] = {}


class PastRun(Struct):
    """`folder` holds its files; the fields below it are known once it has ended."""

    number: int
    target: str  # address or folder
    started: str
    folder: Path
    status: Status = Status.RUNNING
    code: int | None = None
    headline: str = ""  # the causes and the first line of the report, or what went wrong
    result: str = ""
    complete: bool = True
    counts: dict[str, int] = {}
    resumed: int = 0
    unchanged: int = 0
    files: tuple[str, ...] = ()  # that can be taken
    sitemap: Path | None = None


def read_files(run: PastRun, code: int, said: Sequence[str]) -> None:
    """Fill in what the ended process has left."""
    run.code = code
    run.status = Status.FAILED
    run.headline = "\n".join(said[-_MOST_SAID:]) or f"the run ended with code {code} and said nothing"
    names = [name for name in ("report.html", "report.json") if (run.folder / name).is_file()]
    run.files = ("sitemap.yml", *names)
    if code in _INTERRUPTED:
        run.status, run.headline = Status.STOPPED, "stopped before the first page was read"
    if len(names) < 2:
        return
    try:
        report = msgspec.convert(json.loads((run.folder / "report.json").read_bytes()), _Report)
    except (OSError, ValueError) as error:
        run.headline = f"the report cannot be read: {error}"
        return
    run.status = Status.STOPPED if code in _INTERRUPTED else Status.FINISHED
    run.result, run.complete, run.counts = report.result, report.complete, report.counts
    first = _first_line(run.folder / "report.txt") or report.result
    run.headline = "\n".join([*report.causes[:_CAUSES], first])
    run.resumed, run.unchanged = report.state.get("resumed", 0), report.state.get("unchanged", 0)
    _take_sitemaps(run, PurePosixPath(report.sitemap).name)


def _take_sitemaps(run: PastRun, first: str) -> None:
    """One file by its name; several as an archive."""
    folder = run.folder / _SITEMAPS
    found = sorted(path for path in folder.iterdir() if path.is_file()) if folder.is_dir() else []
    if not found:
        return
    run.sitemap = next((path for path in found if path.name == first), found[0])
    if len(found) == 1:
        run.files = (f"{_SITEMAPS}/{found[0].name}", *run.files)
        return
    with zipfile.ZipFile(run.folder / "sitemap.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for path in found:
            archive.write(path, path.name)
    run.files = ("sitemap.zip", *run.files)


def _first_line(path: Path) -> str:
    with path.open(encoding="utf-8", errors="replace") as stream:
        return stream.readline(2_000).strip()


_KEPT = 30  # runs; the files of older ones are deleted
_SECRET_HEADERS = "SITEMAP_ACTION_HEADERS"  # noqa: S105 - the name of a variable
_MOST_FOLDERS = 200


class Session:
    """Everything that the open pages share."""

    def __init__(self, root: Path, files: Path, rules: RuleNames, flags: tuple[str, ...] = ()) -> None:
        """`root`: of the folders that may be checked. `files`: a folder for reports and states, of this session alone.

        `flags`: options of the command line that hold for every run, such as --tls-verify.
        """
        self.rules = rules
        self.feed = Feed()
        self.runs: list[PastRun] = []
        self.tally: RunStatistics | None = None
        self.root = root
        self._files, self._flags = files, flags
        self._workspace = Workspace(root)
        self._child: Child | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def running(self) -> bool:
        return self._task is not None and not self._task.done()

    def clock(self) -> float:
        return time.monotonic()

    def base(self) -> tuple[MappingNode | None, str]:
        """The config file of the folder, or why it cannot be used; both empty where there is none."""
        try:
            return read_base(self._workspace.read_whole(DEFAULT_CONFIG, MAX_BYTES), self.rules), ""
        except FileNotFoundError:
            return None, ""
        except OSError as error:
            return None, f"{DEFAULT_CONFIG}: {error.strerror}"
        except ConfigError as error:
            return None, str(error)

    def folders(self, path: str) -> list[str]:
        """The folders in one below the root. Raises OSError."""
        path = path.strip("/")
        with self._workspace.folder(path) as folder:
            names = [name for name in folder.names() if not name.startswith(".")]
        prefix, found = f"{path}/" if path else "", []
        for name in sorted(names)[:_MOST_FOLDERS]:
            try:
                with self._workspace.folder(f"{prefix}{name}"):
                    found.append(f"{prefix}{name}")
            except OSError:
                continue  # a file, or a link
        return found

    async def start(self, values: dict[str, str], *, based: bool, fresh: bool) -> PastRun:
        """`based`: on the folder's config file. `fresh`: without what earlier runs have read. Raises FormProblem."""
        base, problem = self.base() if based else (None, "")
        if problem:
            raise FormProblem({"": problem})
        text, address, source = chosen_config(values, self.rules, base)
        if source:
            self._require_folder(source)
        if self.running:
            raise FormProblem({"": "a run is under way; stop it first"})
        number = self.runs[-1].number + 1 if self.runs else 1
        folder = self._files / f"run-{number}"
        folder.mkdir()
        (folder / "sitemap.yml").write_text(text, encoding="utf-8")
        target = address or source
        state = self._files / f"{sha256(target.encode()).hexdigest()[:20]}.state"
        if fresh:
            state.unlink(missing_ok=True)
        run = PastRun(number, target, datetime.now(UTC).isoformat(timespec="seconds"), folder)
        self._child = await Child.start(
            self._arguments(address, folder, state),
            self.root,
            folder / "report.txt",
            withhold=frozenset() if address else frozenset({_SECRET_HEADERS}),
        )
        self.runs.append(run)
        self._forget_old()
        self.feed.begin()
        self.tally = RunStatistics(self.clock())
        self._task = asyncio.create_task(self._follow(run, self._child, self.tally))
        return run

    def _require_folder(self, path: str) -> None:
        try:
            self._workspace.folder_path(path)
        except OSError as error:
            raise FormProblem({"source.path": f"{path}: {error.strerror}"}) from None

    def _arguments(self, address: str, folder: Path, state: Path) -> list[str]:
        """An address also by its flag: then private ones and secret headers are as on the command line."""
        return [
            "check",
            *("--config", str(folder / "sitemap.yml"), "--state", str(state)),
            *(("--url", address) if address else ()),
            *("--events", "-", "--no-progress", "--format", "text"),
            *("--report", f"html={folder / 'report.html'}", "--report", f"json={folder / 'report.json'}"),
            *("--sitemap-to", str(folder), "--stop-at-eof"),
            *self._flags,
        ]

    async def _follow(self, run: PastRun, child: Child, tally: RunStatistics) -> None:
        """Until it has ended: events into counts and lines, everything else into the log."""
        said: list[str] = []
        async for line in child.lines():
            if (event := _event(line)) is None:
                said = [*said[-50:], line]
                row: LogRow | None = note(line)
            else:
                row = tally.add(event, self.clock())
            if row is not None:
                self.feed.add(row)
        code = await child.wait()
        tally.end(self.clock())
        await asyncio.to_thread(read_files, run, code, said)

    def _forget_old(self) -> None:
        while len(self.runs) > _KEPT:
            shutil.rmtree(self.runs.pop(0).folder, ignore_errors=True)

    def stop(self) -> bool:
        """Whether there was something to stop; the report of what was seen follows."""
        if not self.running or self._child is None:
            return False
        self.runs[-1].status = Status.STOPPING
        self._child.interrupt()
        return True

    async def compare(self, old: PastRun, new: PastRun) -> bytes:
        """What `diff` prints about the sitemaps of two runs, as JSON; raises FormProblem."""
        output = self._files / f"diff-{old.number}-{new.number}.json"
        names = [str(run.sitemap) for run in (old, new) if run.sitemap]
        if len(names) < 2:
            raise FormProblem({"": "one of the two runs has no sitemap"})
        child = await Child.start(["diff", *names, "--format", "json"], self._files, output)
        said = [line async for line in child.lines()]
        if await child.wait() not in (0, 1):
            raise FormProblem({"": "; ".join(said) or "the sitemaps cannot be compared"})
        return output.read_bytes()

    async def close(self) -> None:
        """A run that is under way ends as with Ctrl-C."""
        if self.running and self._child is not None and self._task is not None:
            await self._child.stop()
            await self._task


def _event(line: str) -> Event | Progress | None:
    """None for a line of the log. The name of a file may be no Unicode, which a strict parser refuses."""
    if not line.startswith('{"what":'):
        return None
    try:
        found = json.loads(line)
        kind: type[Event | Progress] = Progress if found["what"] == EventKind.PROGRESS else Event
        return msgspec.convert(found, kind)
    except (ValueError, RecursionError, msgspec.ValidationError):
        return None
