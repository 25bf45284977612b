"""Chromium, driven over a pipe by its DevTools protocol: no port, no package, nothing left running."""

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--hide-scrollbars",
    "--no-first-run",
    "--remote-debugging-pipe",
)
_PAINTED = "new Promise(done => requestAnimationFrame(() => setTimeout(done)))"
_PATIENCE = 60  # seconds for one answer of a busy machine


def program() -> str:
    """The browser of this machine, or a skipped test."""
    found = next(filter(None, map(shutil.which, (os.environ.get("SITEMAP_ACTION_TEST_BROWSER", ""), *_NAMES))), None)
    if found is None:
        pytest.skip("no Chromium is installed (Debian: chromium-headless-shell), which these tests drive")
    return found


class Browser:
    """One process with one page; whatever the page logs, throws or requests is kept."""

    def __init__(self, to: int, back: int) -> None:
        self._to, self._back, self._buffer, self._last = to, back, b"", 0
        self._loaded = False
        self.complaints: list[str] = []
        self.requests: list[str] = []
        target = self.send("Target.createTarget", {"url": "about:blank"})["targetId"]
        self._session = ""
        self._session = self.send("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def send(self, method: str, parameters: dict[str, Any] | None = None) -> dict[str, Any]:
        self._last += 1
        session = {"sessionId": self._session} if getattr(self, "_session", "") else {}
        message = {"id": self._last, "method": method, "params": parameters or {}, **session}
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while (answer := self._next()).get("id") != self._last:
            self._event(answer)
        assert "error" not in answer, f"{method}: {answer['error']}"
        return dict(answer["result"])

    def open(self, address: str, *, width: int = 1280, height: int = 900, dark: bool = False) -> None:
        """A page of its own, loaded and painted."""
        self.complaints, self.requests = [], []
        self.resize(width, height)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", {"features": [scheme]})
        for step in ("about:blank", address):  # or a fragment might be all that changes
            self._loaded = False
            self.send("Page.navigate", {"url": step})
            while not self._loaded:
                self._event(self._next())

    def resize(self, width: int, height: int = 900) -> None:
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.send("Emulation.setDeviceMetricsOverride", size)

    def run(self, script: str) -> Any:
        """The value of an expression in the page; promises are awaited."""
        asked = {"expression": script, "awaitPromise": True, "returnByValue": True, "userGesture": True}
        answer = self.send("Runtime.evaluate", asked)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def loading_time(self, address: str) -> float:
        """Seconds of processor time of the page's thread until all of it is painted."""
        self.send("Performance.enable", {"timeDomain": "threadTicks"})
        self.open(address)
        self.run(_PAINTED)
        return self._busy()  # each document begins at 0

    def key_time(self, field: str, key: str) -> float:
        """The same, from a key in a field until what it changes is painted."""
        self.run(f"document.getElementById({field!r}).focus()")
        before = self._busy()
        self.type(key)
        self.run(_PAINTED)
        return self._busy() - before

    def _busy(self) -> float:
        metrics = self.send("Performance.getMetrics")["metrics"]
        return next(float(one["value"]) for one in metrics if one["name"] == "TaskDuration")

    def key(self, key: str, text: str = "") -> None:
        """A key pressed and released."""
        codes = {"Enter": 13, "Tab": 9, "ArrowRight": 39, " ": 32}
        event = {"key": key, "windowsVirtualKeyCode": codes.get(key, 0), "text": text}
        self.send("Input.dispatchKeyEvent", {"type": "keyDown", **event})
        self.send("Input.dispatchKeyEvent", {"type": "keyUp", **event})

    def type(self, text: str) -> None:
        for character in text:
            self.key(character, character)

    def picture(self, path: Path, *, whole: bool = True) -> None:
        taken = self.send("Page.captureScreenshot", {"format": "png", "captureBeyondViewport": whole})
        path.write_bytes(base64.b64decode(taken["data"]))

    def _next(self) -> dict[str, Any]:
        end = time.monotonic() + _PATIENCE
        while b"\0" not in self._buffer:
            assert select.select([self._back], [], [], max(0, end - time.monotonic()))[0], "the browser does not answer"
            piece = os.read(self._back, 1 << 20)
            assert piece, "the browser has ended"
            self._buffer += piece
        message, _, self._buffer = self._buffer.partition(b"\0")
        return dict(json.loads(message))

    def _event(self, event: dict[str, Any]) -> None:
        parameters = event.get("params", {})
        match event.get("method"):
            case "Runtime.exceptionThrown":
                self.complaints.append(json.dumps(parameters["exceptionDetails"]))
            case "Runtime.consoleAPICalled":
                self.complaints.append(json.dumps(parameters["args"]))
            case "Log.entryAdded":
                self.complaints.append(parameters["entry"]["text"])
            case "Page.javascriptDialogOpening":
                self.complaints.append(f"a dialog: {parameters['message']}")
                self._dismiss()
            case "Page.loadEventFired":
                self._loaded = True
            case "Network.requestWillBeSent" if not parameters["request"]["url"].startswith("about:"):
                self.requests.append(parameters["request"]["url"])

    def _dismiss(self) -> None:
        self._last += 1
        message = {"id": self._last, "method": "Page.handleJavaScriptDialog", "params": {"accept": False}}
        os.write(self._to, json.dumps({**message, "sessionId": self._session}).encode() + b"\0")


@contextmanager
def browser() -> Iterator[Browser]:
    """Until the end of the block; its profile is a folder that is removed."""
    command = program()
    reads, to = os.pipe()
    back, writes = os.pipe()
    kept = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (reads, writes)]
    os.close(reads)
    os.close(writes)

    def place() -> None:
        os.dup2(kept[0], 3)
        os.dup2(kept[1], 4)

    with TemporaryDirectory(prefix="sitemap-action-browser-", ignore_cleanup_errors=True) as profile:
        process = subprocess.Popen(
            [command, *_FLAGS, f"--user-data-dir={profile}"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(3, 4),
            preexec_fn=place,  # noqa: PLW1509 - the browser wants its pipes as descriptors 3 and 4
            start_new_session=True,
        )
        for end in kept:
            os.close(end)
        try:
            yield Browser(to, back)
        finally:
            for end in (to, back):
                os.close(end)
            with suppress(subprocess.TimeoutExpired):
                process.wait(10)
            with suppress(ProcessLookupError):
                os.killpg(process.pid, 9)
            process.wait()
