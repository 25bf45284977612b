"""Root is given up before anything is read: a child reads and decides, its parent carries out what needs root.

Between them go frames of bytes, so that a child which a page has taken over can request what `Effects` offers, and
nothing else. The child is a program of its own, started without the token of the run: it has it neither in its
environment nor in its memory, and asks its parent for what GitHub's API says. In the child every module is imported
before root is given up, while no file of its user could be one.
"""

import os
import re
import signal
import socket
import struct
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import BinaryIO, cast
from urllib.parse import quote, unquote

import msgspec
from msgspec.structs import replace

from sitemap_action.cli.effects import LocalEffects, require_outputs
from sitemap_action.cli.landlock import write_only_below
from sitemap_action.cli.preload import preload
from sitemap_action.errors import PublishError, UnreachableError, UsageError
from sitemap_action.model.context import Forge
from sitemap_action.model.publication import Published
from sitemap_action.model.step import Step, decode, encode
from sitemap_action.runner.event import read_forge

_COMMAND: tuple[str, ...] = (sys.executable, "-P", "-m", "sitemap_action", "run", "--unprivileged")
CHANNEL = "SITEMAP_ACTION_CHANNEL"  # of the child's environment: its end of the connection
_HELD = "held by the parent process"  # in the place of the token
_NOBODY = 65532  # no user of the image, no group that a host gives rights to
_STOPS = (signal.SIGTERM, signal.SIGINT)
_COUNT, _LENGTH = struct.Struct(">I"), struct.Struct(">Q")
_MOST_FRAMES, _LARGEST = 200_001, 2**30  # of one message, its bytes: more than any plan has
_MOST_MESSAGES = 20_000  # of a child, which needs some ten, and one for each file that it reads by the API
_PIECE = 2**20  # bytes that are read at once: memory grows with what has come, not with what was announced
_WITHHELD = re.compile(r"INPUT_TOKEN|ACTIONS_.*|GITHUB_(?:TOKEN|ENV|OUTPUT|PATH|STATE|STEP_SUMMARY)", re.IGNORECASE)
_UPWARDS = re.compile(r"(?:^|/)\.{1,2}(?:[/?]|$)")
_READ = re.compile(r"(?:git/(?:ref|commits)|commits|compare|contents|deployments)[/?][!-~]{1,4000}")


class RemoteEffects:
    """Requests each effect from the parent."""

    def __init__(self, stream: BinaryIO, *, token: bool = False) -> None:
        self._stream, self._token = stream, token

    def forge(self, environment: Mapping[str, str]) -> Forge | None:
        """The API, read through the parent; None where that has no token."""
        found = read_forge(environment, _HELD) if self._token else None
        return replace(found, relay=self.read) if found else None

    def apply(self, steps: Sequence[Step]) -> Published:
        return msgspec.json.decode(self._request(b"apply", *encode(steps)), type=Published)

    def report(self, form: str, text: str) -> str:
        return self._request(b"report", form.encode(), text.encode(errors="replace"))

    def keep(self, files: Sequence[Step]) -> str:
        return self._request(b"keep", *encode(files))

    def publish_outputs(self, summary: str, outputs: Mapping[str, str]) -> None:
        texts = (summary, *(text for pair in outputs.items() for text in pair))
        self._request(b"outputs", *(text.encode(errors="replace") for text in texts))

    def read(self, url: str, accept: str) -> bytes:
        """What GitHub's API answers; raises UnreachableError."""
        try:
            return self._ask(b"read", url.encode(), accept.encode())
        except PublishError as error:
            raise UnreachableError(str(error), hint=error.hint) from None

    def _request(self, *frames: bytes) -> str:
        return self._ask(*frames).decode()

    def _ask(self, *frames: bytes) -> bytes:
        _send(self._stream, frames)
        answer, *error = _receive(self._stream) or [b"", b"the parent process has ended", b""]
        if error:
            raise PublishError(error[0].decode(), hint=error[1].decode())
        return answer


def is_child(environment: Mapping[str, str]) -> bool:
    """Whether this process was started by `serve_child`."""
    return CHANNEL in environment


def enter_child() -> RemoteEffects:
    """In the process that `serve_child` has started: its effects, after which it has no rights left."""
    preload()
    number, _, token = os.environ.pop(CHANNEL).partition("+")
    end = socket.socket(fileno=int(number))
    end.set_inheritable(False)
    _drop(Path.cwd())
    return RemoteEffects(_stream(end), token=bool(token))


def start(environment: Mapping[str, str]) -> int:
    """The process id of this program in a process of its own."""
    return os.posix_spawn(_COMMAND[0], _COMMAND, environment)


def serve_child(local: LocalEffects) -> int:
    """Start the process that reads and decides, and carry out what it requests; its exit code."""
    here, there = socket.socketpair()
    there.set_inheritable(True)
    sys.stdout.flush()
    sys.stderr.flush()
    kept = {name: value for name, value in os.environ.items() if not _WITHHELD.fullmatch(name)}
    channel = f"{there.fileno()}{'+token' if local.authority.forge else ''}"
    # SQLite reads the variable as it is loaded; else it takes /var/tmp, where the child may not write.
    child = start({**kept, "SQLITE_TMPDIR": tempfile.gettempdir(), CHANNEL: channel})
    there.close()
    local.serving = True
    local.sitemaps_only = Path.cwd().stat().st_uid == 0  # elsewhere the child is the owner, and may write itself

    def forward(number: int, _frame: FrameType | None) -> None:
        local.stop()
        with suppress(ProcessLookupError, PermissionError):
            os.kill(child, number)

    for number in _STOPS:  # as the first process of a container the parent alone receives them
        signal.signal(number, forward)
    watcher = threading.Thread(target=_end_with, args=(child, here), daemon=True)
    watcher.start()
    _serve(here, local)
    watcher.join()  # it waits for the same child, which only then is collected
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code == 0 and not local.published:
        raise RuntimeError("the unprivileged process ended without a result")  # it is no success
    return code if code >= 0 else 128 - code


def _end_with(child: int, end: socket.socket) -> None:
    """When the child has ended, no more is read: what it has started may hold its end of the connection."""
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    with suppress(OSError):
        end.shutdown(socket.SHUT_RD)


def _stream(end: socket.socket) -> BinaryIO:
    return cast("BinaryIO", end.makefile("rwb"))


def _drop(workspace: Path) -> None:
    """Become the owner of the workspace, who may read it, without its group: on some runners that is docker's.

    It writes in the workspace (a state, what git fetches) and in the temporary folder, and not to the runner's files.
    """
    owner = workspace.stat().st_uid or _NOBODY
    os.setgroups([])
    os.setresgid(_NOBODY, _NOBODY, _NOBODY)
    os.setresuid(owner, owner, owner)
    write_only_below((workspace, Path(tempfile.gettempdir()), Path("/dev")))
    if not os.access(workspace, os.R_OK | os.X_OK):
        hint = "let other users read it (chmod a+rX), or start the container with --user"
        raise UsageError(f"{workspace} belongs to root, and no other user may read it", hint=hint)
    if not os.access(os.environ.get("HOME", "/"), os.X_OK):
        os.environ["HOME"] = "/"  # git stops at a home that it may not enter


def _serve(end: socket.socket, local: LocalEffects) -> None:
    """Answer requests until the child has ended, has sent too many, or sends something other than a message."""
    with suppress(OSError, MemoryError), end, _stream(end) as stream:
        for _ in range(_MOST_MESSAGES):
            if (frames := _receive(stream)) is None:
                return
            _send(stream, _answer(local, frames))


def _answer(local: LocalEffects, frames: Sequence[bytes]) -> Sequence[bytes]:
    """One frame, or an empty one with an error and its hint; raises nothing, whatever the frames are."""
    try:
        return [_carry_out(local, frames)]
    except (PublishError, UnreachableError) as error:
        return _refusal(str(error), error.hint)
    except Exception as error:  # noqa: BLE001 - nothing that a child sends ends its parent
        return _refusal(f"a request of the unprivileged process was refused: {error}", "")


def _carry_out(local: LocalEffects, frames: Sequence[bytes]) -> bytes:
    match frames:
        case [b"apply", *parts]:
            return msgspec.json.encode(local.apply(list(decode(parts))))
        case [b"read", url, accept]:
            return _read(local.authority.forge, url.decode(), accept.decode())
        case [b"report", form, text]:
            return local.report(form.decode(), text.decode()).encode()
        case [b"keep", *parts]:
            return local.keep(list(decode(parts))).encode()
        case [b"outputs", summary, *texts]:
            outputs = _pairs([text.decode() for text in texts])
            require_outputs(outputs)
            local.publish_outputs(summary.decode(), outputs)
            return b""
        case _:
            raise ValueError("it is not apply, read, report, keep or outputs")


def _read(forge: Forge | None, url: str, accept: str) -> bytes:
    """A file, a commit or a deployment of the repository; raises ValueError for everything else."""
    from sitemap_action.repo.api import Api  # noqa: PLC0415 - most runs ask GitHub nothing

    below = f"{forge.api}/repos/{quote(forge.repository)}/" if forge else ""
    path = url.removeprefix(below)
    if forge is None or path == url or _UPWARDS.search(unquote(path)) or not _READ.fullmatch(path):
        raise ValueError(f"it is nothing that a run reads: {url[:200]!r}")
    return msgspec.msgpack.encode(Api(forge).get(path, accept))


def _refusal(*texts: str) -> Sequence[bytes]:
    return [b"", *(text.encode(errors="replace") for text in texts)]


def _pairs(texts: Sequence[str]) -> Mapping[str, str]:
    return dict(zip(texts[::2], texts[1::2], strict=True))


def _send(stream: BinaryIO, frames: Sequence[bytes]) -> None:
    stream.write(_COUNT.pack(len(frames)))
    for frame in frames:
        stream.write(_LENGTH.pack(len(frame)))
        stream.write(frame)
    stream.flush()


def _receive(stream: BinaryIO) -> list[bytes] | None:
    """One whole message; None when the peer has ended, or sent something else."""
    if (count := _number(stream, _COUNT, _MOST_FRAMES)) is None:
        return None
    frames, left = [], _LARGEST
    for _ in range(count):
        size = _number(stream, _LENGTH, left)
        if size is None or (frame := _frame(stream, size)) is None:
            return None
        frames.append(frame)
        left -= size
    return frames


def _frame(stream: BinaryIO, size: int) -> bytes | None:
    pieces = []
    while size:
        pieces.append(stream.read(min(size, _PIECE)))
        if not pieces[-1]:
            return None
        size -= len(pieces[-1])
    return b"".join(pieces)


def _number(stream: BinaryIO, form: struct.Struct, most: int) -> int | None:
    data = stream.read(form.size)
    if len(data) < form.size:
        return None
    number: int = form.unpack(data)[0]
    return number if number <= most else None
