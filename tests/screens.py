"""The screen of `sitemap-action ui` on loopback, in a thread of the test, and what a page of it shows."""

import asyncio
import json
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from browser import Browser
from sitemap_action.cli.options import KNOWN
from sitemap_action.ui.run_statistics import RunStatistics
from sitemap_action.ui.server import ScreenServer, listen
from sitemap_action.ui.session import PastRun, Session

_PATIENCE = 60  # seconds of a busy machine


class RunningScreen:
    """`folder`: the one that it was started in."""

    def __init__(self, folder: Path, files: Path) -> None:
        folder.mkdir(exist_ok=True)
        files.mkdir()
        self.session = Session(folder, files, KNOWN)
        self._server = ScreenServer(self.session, listen(0))
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread()
        self.gate, self.origin = self._server.gate, self._server.origin
        self.port = int(self.origin.rpartition(":")[2])

    @property
    def address(self) -> str:
        return self._server.address

    def serve(self) -> None:
        """Again after `away`: at the same port, with the same runs and the same token."""
        if self._server.should_exit:
            again = ScreenServer(self.session, listen(self.port))
            self.gate._app = again.gate._app  # which ends with the server that is new
            again.config.app = again.gate = self.gate
            self._server = again
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=[self._serve()], daemon=True)
        self._thread.start()

    async def _serve(self) -> None:
        await self._server.serve(sockets=[self._server._listening])

    def away(self) -> None:
        """The program does not answer any more; a run under way goes on as soon as it serves again."""
        self._server.should_exit = True
        self._thread.join(_PATIENCE)
        assert not self._thread.is_alive()

    def end(self) -> None:
        self.away()
        self._loop.run_until_complete(self.session.close())
        self._loop.close()

    @contextmanager
    def client(self, *, entered: bool = True) -> Iterator[httpx.Client]:
        """As a browser: with the cookie, once it has opened the address."""
        own = {"Origin": self.origin, "Sec-Fetch-Site": "same-origin"}
        with httpx.Client(
            base_url=f"{self.origin}{self.gate.place}", headers=own, timeout=_PATIENCE, verify=False
        ) as client:
            if entered:
                assert client.get(self.address).status_code == 303
            yield client

    def state(self) -> dict[str, Any]:
        """What a page is told first."""
        with self.client() as client, client.stream("GET", "events") as answer:
            line = next(line for line in answer.iter_lines() if line.startswith("data: "))
        return dict(json.loads(line.removeprefix("data: ")))


@contextmanager
def screen(folder: Path, files: Path) -> Iterator[RunningScreen]:
    pytest.importorskip("uvicorn", reason="the extra `ui` is not installed")
    running = RunningScreen(folder, files)
    running.serve()
    try:
        yield running
    finally:
        running.end()


class Synthetic:
    """In the place of a child process: the events of a large site, as fast as they are read."""

    def __init__(self, count: int, place: Callable[[int], str], *, wait: float = 0.0) -> None:
        self._count, self._place, self._wait = count, place, wait

    async def lines(self) -> AsyncIterator[str]:
        for number in range(self._count):
            reason = {"reason": f"reason {number % 100}"} if number % 20 == 0 else {}
            yield json.dumps({"what": "fetched", "url": self._place(number), "status": 200, **reason})
            if number % 250 == 0:
                yield json.dumps({"what": "progress", "done": number + 1, "queued": self._count - number})
                await asyncio.sleep(self._wait)

    async def wait(self) -> int:
        return 70

    async def stop(self) -> None:
        pass


def play(running: RunningScreen, child: Synthetic) -> None:
    """A run with these events."""
    session = running.session
    number = len(session.runs) + 1
    folder = session._files / f"run-{number}"
    folder.mkdir()
    past = PastRun(number, "synthetic", "2026-01-01T00:00:00+00:00", folder)
    asyncio.run_coroutine_threadsafe(_play(running, past, child), running._loop).result(60)


async def _play(running: RunningScreen, past: PastRun, child: Synthetic) -> None:
    session = running.session
    session.feed.begin()
    session.tally = RunStatistics(time.monotonic())
    session.runs.append(past)
    session._task = asyncio.create_task(session._follow(past, child, session.tally))  # type: ignore[arg-type]


def until(tab: Browser, condition: str) -> None:
    """The page comes to show it."""
    script = (
        f"new Promise((done, fail) => {{ const end = Date.now() + {_PATIENCE * 500}; (function look() {{ let found; "
        f"try {{ found = {condition}; }} catch {{ found = false; }} if (found) done(true); else if (Date.now() > end) "
        "done(document.body.innerText); else setTimeout(look, 50); })(); })"
    )
    found = tab.run(script)
    assert found is True, f"the page never came to {condition}:\n{found}"


def fill(tab: Browser, **values: str) -> None:
    """Fields by their keys, with _ for . and __ for -."""
    for name, value in values.items():
        key = name.replace("__", "-").replace("_", ".")
        tab.run(f"document.getElementById('field-{key}').value = {json.dumps(value)}")


def text(name: str) -> str:
    return f"document.getElementById('{name}').textContent"
