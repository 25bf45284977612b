"""A run of this session: how it went, and the files that it left."""

import json
import zipfile
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path, PurePosixPath

import msgspec
from msgspec import Struct

_KEPT = "sitemap"  # folder of the sitemap files
_MOST_SAID = 12  # lines
_INTERRUPTED = (130, 143)  # SIGINT, SIGTERM


class Status(StrEnum):
    """How far a run is."""

    RUNNING = "running"
    STOPPING = "stopping"
    STOPPED = "stopped"  # by the user, with a report of what was seen
    FINISHED = "finished"
    FAILED = "failed"  # without a report


class _Counts(Struct, frozen=True):
    urls: int = 0
    stale: int = 0
    added: int = 0
    removed: int = 0
    errors: int = 0
    warnings: int = 0


class _State(Struct, frozen=True):
    resumed: int = 0
    unchanged: int = 0


class _Report(Struct, frozen=True):
    """What is read of `report.json`."""

    result: str
    sitemap: str = ""
    complete: bool = True
    counts: _Counts = _Counts()
    state: _State = _State()


class PastRun(Struct):
    """`folder` holds its files; the fields below it are known once it has ended."""

    number: int
    target: str  # address or folder
    started: str
    folder: Path
    status: Status = Status.RUNNING
    code: int | None = None
    headline: str = ""  # the first line of the report, or what went wrong
    result: str = ""
    complete: bool = True
    counts: _Counts = _Counts()
    resumed: int = 0
    unchanged: int = 0
    files: tuple[str, ...] = ()  # that can be taken
    sitemap: Path | None = None


def finished_run(run: PastRun, code: int, said: Sequence[str]) -> None:
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
    run.headline = _first_line(run.folder / "report.txt") or report.result
    run.result, run.complete, run.counts = report.result, report.complete, report.counts
    run.resumed, run.unchanged = report.state.resumed, report.state.unchanged
    _take_sitemaps(run, PurePosixPath(report.sitemap).name)


def _take_sitemaps(run: PastRun, first: str) -> None:
    """One file by its name; several as an archive."""
    folder = run.folder / _KEPT
    found = sorted(path for path in folder.iterdir() if path.is_file()) if folder.is_dir() else []
    if not found:
        return
    run.sitemap = next((path for path in found if path.name == first), found[0])
    if len(found) == 1:
        run.files = (f"{_KEPT}/{found[0].name}", *run.files)
        return
    with zipfile.ZipFile(run.folder / "sitemap.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for path in found:
            archive.write(path, path.name)
    run.files = ("sitemap.zip", *run.files)


def _first_line(path: Path) -> str:
    with path.open(encoding="utf-8", errors="replace") as stream:
        return stream.readline(2_000).strip()
