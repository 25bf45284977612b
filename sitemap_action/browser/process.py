"""Starts and ends one headless Chromium that only this process can drive, without rights and without a network.

Theory of operation. Chromium reads commands from file descriptor 3 and writes to 4 (`--remote-debugging-pipe`): there
is no port that another process could connect to, and when this process dies the pipe closes and the browser ends. A
small launcher puts the pipes there, gives up root where this process has it, and becomes the browser. The browser
resolves no name and has a proxy that answers nothing: what a page loads comes through the pipe (`browser_page`), or not
at all. Its profile is a new folder. It runs in a session of its own, which is killed as a whole. Of what it says on
stderr the beginning is kept (`FirstWords`): why one that does not start does not.
"""

import asyncio
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from sitemap_action.web.printable import printable

_NOBODY = 65532
_MOST_WORDS, _MOST_LINE = 4096, 200
_PREFIX = re.compile(r"\[[^\]]*\d{4}/\d{6}[^\]]*\]")  # [process:thread:date/time:level:file(line)]
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
import os, sys
reads, writes, user = map(int, sys.argv[1:4])
os.dup2(reads, 100)
os.dup2(writes, 101)
os.dup2(100, 3)
os.dup2(101, 4)
os.closerange(5, 256)
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
