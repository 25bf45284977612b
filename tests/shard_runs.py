"""A site looked at whole, and as N shards that are merged: what each run reports, and what each asks the site for."""

import io
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from sitemap_action.__main__ import run
from sitemap_action.fetch.base import Engine, Request, Response, Skip
from sitemap_action.store.shards import NOTE

COUNTS = (1, 2, 3, 8)
PAUSES = ("--set", "http.retries=0", "--set", "http.backoff=0.001")


def quiet(*arguments: str) -> tuple[int, str]:
    """(exit code, everything that was printed)."""
    printed = io.StringIO()
    with redirect_stdout(printed), redirect_stderr(printed):
        code = run([*arguments, "--quiet"])
    return code, printed.getvalue()


def state(number: int, of: int) -> str:
    return f"states/{number}-of-{of}"


def look(number: int, of: int, *options: str) -> tuple[int, str]:
    Path("states").mkdir(exist_ok=True)
    return quiet("check", *options, "--shard", f"{number}/{of}", "--state", state(number, of))


def states(of: int) -> list[str]:
    return [state(number, of) for number in range(1, of + 1)]


def whole(*options: str) -> tuple[int, bytes]:
    return _report("check", *options)


def merged(given: Sequence[str], *options: str) -> tuple[int, bytes]:
    """Exit code, and the report without the notes on shards."""
    return _report("merge", *given, *options)


def _report(*arguments: str) -> tuple[int, bytes]:
    file = Path("report.json")
    file.unlink(missing_ok=True)
    code, printed = quiet(*arguments, "--report", f"json={file}")
    return code, without_notes(file.read_text()) if file.exists() else printed.encode()


def without_notes(report: str) -> bytes:
    """Every byte of a report but the identity of its run and the lines of the notes on shards."""
    report = re.sub(r'\n  "run": \{[^{}]*\},', "", report)
    lines = report.splitlines(keepends=True)
    kept = [line for line in lines if not line.strip().startswith(f'"{NOTE}')]
    text = "".join(kept).replace('"notes": [\n  ],', '"notes": [],')
    json.loads(text)
    return text.encode()


class CountingEngine:
    """Remembers which URLs it was asked for."""

    def __init__(self, engine: Any, asked: list[str]) -> None:
        self._engine = engine
        self._asked = asked

    async def fetch(self, request: Request) -> Response | Skip:
        self._asked.append(request.url)
        answer: Response | Skip = await self._engine.fetch(request)
        return answer

    async def close(self) -> None: ...


@contextmanager
def served_by(engine: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Every run inside gets its answers from this engine; yields the URLs that are asked for."""
    asked: list[str] = []

    def opened(*_: object) -> Engine:
        return CountingEngine(engine, asked)

    with monkeypatch.context() as patch:
        patch.setattr("sitemap_action.fetch.policies._engine", opened)
        yield asked
