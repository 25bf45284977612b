"""Starts and ends one headless Chromium that only this process can drive, without rights and without a network.

Theory of operation. Chromium reads commands from file descriptor 3 and writes to 4 (`--remote-debugging-pipe`): there
is no port that another process could connect to, and when this process dies the pipe closes and the browser ends. A
small launcher puts the pipes there, gives up root where this process has it, and becomes the browser. The browser
resolves no name and has a proxy that answers nothing: what a page loads comes through the pipe (`page.py`), or not
at all. Its profile is a new folder. It runs in a session of its own, which is killed as a whole. Of what it says on
stderr the beginning is kept (`FirstWords`): why one that does not start does not.

Through the pipe goes the DevTools protocol: commands, their answers and events, as JSON that ends with a NUL byte.
"""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct

from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.web.printable import printable

_LARGEST = 128 << 20  # bytes of one message: a document of the largest size, escaped

OnEvent: TypeAlias = Callable[[str, dict[str, Any]], None]


class BrowserGoneError(Exception):
    """The browser has ended, or says something that is no message."""


class CommandError(Exception):
    """The browser refuses a command."""


class _Message(msgspec.Struct):
    id: int = 0
    method: str = ""
    params: dict[str, Any] = {}
    result: dict[str, Any] = {}
    error: dict[str, Any] | None = None
    sessionId: str = ""  # noqa: N815 - the protocol's name


class PageCrashedError(Exception):
    """The process of the page has ended."""


class BrowserConnection(asyncio.Protocol):
    """Both ends of the pipe. Events of a session go to the callback that `listen` names."""

    def __init__(self) -> None:
        self.gone: asyncio.Future[None] = asyncio.get_running_loop().create_future()  # done when the browser has ended
        self.foreign = False  # what it says is no message of this protocol
        self._decoder = msgspec.json.Decoder(_Message)
        self._encoder = msgspec.json.Encoder()
        self._buffer = bytearray()
        self._last = 0
        self._waiting: dict[int, tuple[str, asyncio.Future[dict[str, Any]]]] = {}  # with the session
        self._listeners: dict[str, OnEvent] = {}
        self._out: asyncio.WriteTransport | None = None
        self._in: asyncio.ReadTransport | None = None

    async def open(self, read_from: int, write_to: int) -> None:
        loop = asyncio.get_running_loop()
        self._in, _ = await loop.connect_read_pipe(lambda: self, os.fdopen(read_from, "rb", 0))
        self._out, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, os.fdopen(write_to, "wb", 0))

    def close(self) -> None:
        for transport in (self._in, self._out):
            if transport is not None:
                transport.close()
        self.connection_lost(None)

    def listen(self, session: str, on_event: OnEvent | None) -> None:
        if on_event is None:
            self._listeners.pop(session, None)
        else:
            self._listeners[session] = on_event

    async def send(self, method: str, parameters: dict[str, Any] | None = None, session: str = "") -> dict[str, Any]:
        """The result. Raises CommandError, PageCrashedError, BrowserGoneError."""
        number = self.post(method, parameters, session)
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[number] = session, future
        try:
            return await future
        finally:
            self._waiting.pop(number, None)

    def end_waiting(self, session: str) -> None:
        """No answer comes from a page whose process has ended."""
        for other, future in self._waiting.values():
            if other == session and not future.done():
                future.set_exception(PageCrashedError())

    def post(self, method: str, parameters: dict[str, Any] | None = None, session: str = "") -> int:
        """Send a command without waiting for the answer; returns its number. Raises BrowserGoneError."""
        if self.gone.done() or self._out is None:
            raise BrowserGoneError
        self._last += 1
        message = {"id": self._last, "method": method, "params": parameters or {}}
        if session:
            message["sessionId"] = session
        self._out.write(self._encoder.encode(message) + b"\0")
        return self._last

    def data_received(self, data: bytes) -> None:
        begin = len(self._buffer)
        self._buffer += data
        start = 0
        while (end := self._buffer.find(b"\0", max(begin, start))) >= 0:
            self._receive(bytes(self._buffer[start:end]))
            start = end + 1
        del self._buffer[:start]
        if len(self._buffer) > _LARGEST:
            self.close()

    def connection_lost(self, _error: Exception | None) -> None:
        if not self.gone.done():
            self.gone.set_result(None)
        for _, future in self._waiting.values():
            if not future.done():
                future.set_exception(BrowserGoneError())
        for listener in [*self._listeners.values()]:  # a page that waits for an event would wait for ever
            listener("Inspector.detached", {})

    def _receive(self, data: bytes) -> None:
        try:
            message = self._decoder.decode(data)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            self.foreign = True
            self.close()
            return
        if message.method:
            if (listener := self._listeners.get(message.sessionId)) is not None:
                listener(message.method, message.params)
        elif (waiting := self._waiting.get(message.id)) is not None and not waiting[1].done():
            if message.error is None:
                waiting[1].set_result(message.result)
            else:
                waiting[1].set_exception(CommandError(str(message.error.get("message", ""))[:200]))


_NOBODY = 65532
_MOST_WORDS, _MOST_LINE = 4096, 200
_PREFIX = lazy_re(r"\[[^\[\]]{0,100}\d{4}/\d{6}[^\[\]]{0,100}\]")  # [process:thread:date/time:level:file(line)]
_WITHOUT = ("Translate", "OptimizationHints", "MediaRouter", "BackForwardCache", "IsolateOrigins", "site-per-process")
_FLAGS = (
    "--headless",
    "--remote-debugging-pipe",
    # Nothing is resolved, connected to or sent, whatever asks for it: WebSockets and workers, too.
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=http://127.0.0.1:9",
    "--proxy-bypass-list=<-loopback>",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-client-side-phishing-detection",
    "--disable-sync",
    "--disable-extensions",
    "--disable-default-apps",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-pings",
    "--disable-breakpad",
    "--disable-crash-reporter",
    "--disable-gpu",
    "--disable-software-rasterizer",
    "--disable-dev-shm-usage",
    "--disable-notifications",
    "--deny-permission-prompts",
    "--disable-remote-fonts",
    "--mute-audio",
    "--hide-scrollbars",
    "--blink-settings=imagesEnabled=false",
    "--js-flags=--max-old-space-size=384",
    # Pages that are rendered side by side are equal: none is in the background.
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    f"--disable-features={','.join(_WITHOUT)}",
)
# argv: descriptors, user, program and its arguments. It runs before the browser, in the process that becomes it.
_LAUNCHER = """
import fcntl, os, sys
reads, writes, user = map(int, sys.argv[1:4])
end = max(255, reads, writes) + 3
reads, writes = [fcntl.fcntl(one, fcntl.F_DUPFD, 5) for one in (reads, writes)]  # either may be 3 or 4
os.dup2(reads, 3)
os.dup2(writes, 4)
os.closerange(5, end)
if user:
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
try:
    os.execv(sys.argv[4], sys.argv[4:])
except OSError as error:
    sys.exit(f"cannot be executed{f' by the user {user}' if user else ''}: {error.strerror}")
"""


class FirstWords(asyncio.Protocol):
    """The beginning of what a browser says on stderr; the rest is read and dropped, so that it never waits."""

    def __init__(self) -> None:
        self.text = b""
        self.ended = asyncio.Event()

    def data_received(self, data: bytes) -> None:
        self.text += data[: _MOST_WORDS - len(self.text)]

    def connection_lost(self, _error: Exception | None) -> None:
        self.ended.set()

    def line(self) -> str:
        """Its first line, without time and process id, which differ between two runs; "" for none."""
        lines = (_PREFIX.sub("", line).strip() for line in self.text.decode(errors="replace").splitlines())
        return printable(next(filter(None, lines), "")[:_MOST_LINE])


class BrowserProcess(Struct):
    """A running browser, and the ends of its pipes that this process has."""

    process: subprocess.Popen[bytes]
    profile: Path
    write_to: int
    read_from: int
    errors_from: int

    def kill(self) -> int:
        """Ends every process of the browser, and removes its profile; returns how it ended, as `Popen.returncode`."""
        if self.process.returncode is None:  # else its id may be that of another one
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
        status = self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)
        return status

    def kill_renderer_above(self, limit: int) -> bool:
        """Ends the largest process where all together have more than `limit` bytes; False where they do not."""
        sizes = dict(memory_of_session(self.process.pid))
        if sum(sizes.values()) <= limit:
            return False
        with suppress(ProcessLookupError, PermissionError):
            os.kill(max(sizes, key=lambda pid: sizes[pid]), signal.SIGKILL)
        return True


def start_browser(program: str, *, sandbox: bool) -> BrowserProcess:
    """Raises OSError."""
    profile = Path(tempfile.mkdtemp(prefix="sitemap-action-browser-"))
    user = _NOBODY if hasattr(os, "geteuid") and os.geteuid() == 0 else 0
    if user:
        os.chown(profile, user, user)
    reads, write_to = os.pipe()
    read_from, writes = os.pipe()
    errors_from, errors = os.pipe()
    flags = (*_FLAGS, f"--user-data-dir={profile}", *(() if sandbox else ("--no-sandbox",)), "about:blank")
    try:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _LAUNCHER, str(reads), str(writes), str(user), program, *flags],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            pass_fds=(reads, writes),
            env=_environment(profile),
            start_new_session=True,
        )
    except OSError:
        for end in (write_to, read_from, errors_from):
            os.close(end)
        shutil.rmtree(profile, ignore_errors=True)
        raise
    finally:
        for end in (reads, writes, errors):
            os.close(end)
    return BrowserProcess(process, profile, write_to, read_from, errors_from)


def _environment(profile: Path) -> dict[str, str]:
    """No token, no proxy, no setting of the user."""
    return {"HOME": str(profile), "TMPDIR": str(profile), "PATH": os.defpath, "LANG": "C.UTF-8", "TZ": "UTC"}


def memory_of_session(session: int) -> Iterator[tuple[int, int]]:
    """(process id, bytes of its own in memory) of every process of a session; none where /proc is missing."""
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, ValueError, IndexError):
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            if int(fields[3]) == session:
                resident, shared = map(int, (entry / "statm").read_text().split()[1:3])
                yield int(entry.name), (resident - shared) * os.sysconf("SC_PAGE_SIZE")


VARIABLE = "SITEMAP_ACTION_BROWSER"
_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find_browser(environment: Mapping[str, str] = os.environ) -> str:
    """The path of a Chromium; "" where none is installed. `SITEMAP_ACTION_BROWSER` names another one, or `none`.

    A program that is named and cannot be run is returned as named: `unusable` says why.
    """
    if sys.platform == "win32":
        return ""  # the pipe needs descriptors that a child inherits by their number
    if named := environment.get(VARIABLE):
        return "" if named == "none" else shutil.which(named) or named
    return next(filter(None, map(shutil.which, _NAMES)), "")


def unusable(program: str) -> str:
    """Why a program cannot be run, as far as its file tells; "" where it can."""
    if shutil.which(program):
        return ""
    path = Path(program)
    if path.is_dir():
        return "it is a folder"
    return "it is not executable" if path.is_file() else "there is no such program"
