"""In the container a process without root and without the token reads and decides; its parent publishes for it.

Theory of operation. The parent keeps root. It starts this program again as the owner of the workspace, without the
token in its environment, and Python runs there isolated (`-I`): it imports from the installed packages alone, which
root owns and which no other user may write. The child restricts itself by Landlock to what it has to write, reads the
site and sends requests over a socket; each is one message, encoded by msgspec and decoded with its types verified. A
child that a page has taken over can request what `Request` names, and nothing else: `LocalEffects` and `Authority`
judge every value.
"""

import os
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import BinaryIO, TypeAlias, assert_never, cast
from urllib.parse import quote, unquote

from msgspec import Struct, msgpack
from msgspec.structs import replace

from sitemap_action.browser.process import find_browser
from sitemap_action.cli.act import LocalEffects
from sitemap_action.cli.kernel_locks import refuse_calls, write_only_below
from sitemap_action.errors import PublishError, UnreachableError, UsageError
from sitemap_action.model.context import Forge
from sitemap_action.model.step import DeleteFile, Published, Step, WriteFile
from sitemap_action.repo.github_api import Api
from sitemap_action.runner.event import read_forge

CHANNEL = "SITEMAP_ACTION_CHANNEL"  # variable of the child's environment: the descriptor of its end of the socket
# Isolated Python ignores PYTHONUNBUFFERED and PYTHONDONTWRITEBYTECODE of the image: -u and -B say the same.
_COMMAND = (sys.executable, "-I", "-u", "-B", "-m", "sitemap_action", "run", "--unprivileged")
_HELD = "held by the parent process"  # in the place of the token
_NOBODY = 65532  # no user of the image, no group that a host gives rights to
_STOPS = (signal.SIGTERM, signal.SIGINT)
_LENGTH = struct.Struct(">Q")
_LARGEST = 2**30  # bytes of a message: more than any plan has
_MOST_MESSAGES = 20_000  # of a child, which needs some ten, and one for each file that it reads by the API
_PIECE = 2**20  # bytes that are read at once: memory grows with what has come, not with what was announced
_WITHHELD = re.compile(
    r"INPUT_(?:BRANCH[-_])?TOKEN|ACTIONS_.*|GITHUB_(?:TOKEN|ENV|OUTPUT|PATH|STATE|STEP_SUMMARY)", re.IGNORECASE
)
_UPWARDS = re.compile(r"(?:^|/)\.{1,2}(?:[/?]|$)")
_READ = re.compile(r"(?:git/(?:ref|commits)|commits|compare|contents|deployments)[/?][!-~]{1,4000}")


class Apply(Struct, frozen=True, tag=True):
    """Carry out steps; answered with `Published`."""

    steps: tuple[Step, ...]


class WriteReport(Struct, frozen=True, tag=True):
    """Write a report; answered with its path."""

    form: str
    text: str


class KeepFiles(Struct, frozen=True, tag=True):
    """Put sitemaps beside the report; answered with their folder."""

    files: tuple[Step, ...]


class SetOutputs(Struct, frozen=True, tag=True):
    """Set the outputs of the step, once, and its summary."""

    summary: str
    outputs: dict[str, str]


class ReadForge(Struct, frozen=True, tag=True):
    """Read from GitHub's API with the parent's token; answered with the encoded answer."""

    url: str
    accept: str


Request: TypeAlias = Apply | WriteReport | KeepFiles | SetOutputs | ReadForge
_REQUESTS: "msgpack.Decoder[Request]" = msgpack.Decoder(Request)


class Answer(Struct, frozen=True):
    """What a request came to, or why it is refused."""

    content: bytes = b""
    error: str | None = None
    hint: str = ""


_ENDED = Answer(error="the parent process has ended")


class RemoteEffects:
    """The effects of a run, requested from the parent."""

    def __init__(self, stream: BinaryIO, *, token: bool = False) -> None:
        self._stream, self._token = stream, token

    def forge(self, environment: Mapping[str, str]) -> Forge | None:
        """The API, read through the parent; None where that has no token."""
        found = read_forge(environment, _HELD) if self._token else None
        return replace(found, relay=self.read) if found else None

    def apply(self, steps: Sequence[Step]) -> Published:
        return msgpack.decode(self._request(Apply(_encode_paths(steps))), type=Published)

    def report(self, form: str, text: str) -> str:
        return self._request(WriteReport(form, _encodable(text))).decode()

    def keep(self, files: Sequence[Step]) -> str:
        return self._request(KeepFiles(_encode_paths(files))).decode()

    def publish_outputs(self, summary: str, outputs: Mapping[str, str]) -> None:
        values = {name: _encodable(value) for name, value in outputs.items()}
        self._request(SetOutputs(_encodable(summary), values))

    def read(self, url: str, accept: str) -> bytes:
        """What GitHub's API answers; raises UnreachableError."""
        try:
            return self._request(ReadForge(url, accept))
        except PublishError as error:
            raise UnreachableError(str(error), hint=error.hint) from None

    def _request(self, request: Request) -> bytes:
        send_message(self._stream, msgpack.encode(request))
        received = receive_message(self._stream)
        answer = msgpack.decode(received, type=Answer) if received is not None else _ENDED
        if answer.error is not None:
            raise PublishError(answer.error, hint=answer.hint)
        return answer.content


def is_child(environment: Mapping[str, str]) -> bool:
    """Whether this process was started by `run_child`."""
    return CHANNEL in environment


def enter_child() -> RemoteEffects:
    """The effects of a process that `run_child` has started; from now on it writes where it has to, and nowhere else.

    It writes in the workspace (a state, what git fetches) and in the temporary folder, and not to the runner's files.
    """
    number, _, token = os.environ.pop(CHANNEL).partition("+")
    end = socket.socket(fileno=int(number))
    end.set_inheritable(False)
    workspace = Path.cwd()
    write_only_below((workspace, Path(tempfile.gettempdir()), Path("/dev")))
    if not find_browser(os.environ):  # which has a sandbox of its own, of the calls that this refuses
        refuse_calls()
    if not os.access(workspace, os.R_OK | os.X_OK):
        hint = "let other users read it (chmod a+rX), or start the container with --user"
        raise UsageError(f"{workspace} belongs to root, and no other user may read it", hint=hint)
    if not os.access(os.environ.get("HOME", "/"), os.X_OK):
        os.environ["HOME"] = "/"  # git stops at a home that it may not enter
    return RemoteEffects(_open_stream(end), token=bool(token))


def run_child(local: LocalEffects) -> int:
    """Start the process that reads and decides, and carry out what it requests; its exit code."""
    here, there = socket.socketpair()
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        with there:
            child = _start(there.fileno(), token=local.authority.forge is not None)
    except UsageError:
        here.close()
        raise
    local.serving = True
    local.sitemaps_only = Path.cwd().stat().st_uid == 0  # elsewhere the child is the owner, and may write itself

    def forward(number: int, _frame: FrameType | None) -> None:
        local.stop()
        with suppress(ProcessLookupError, PermissionError):
            child.send_signal(number)

    for number in _STOPS:  # as the first process of a container the parent alone receives them
        signal.signal(number, forward)
    watcher = threading.Thread(target=_end_with, args=(child, here), daemon=True)
    watcher.start()
    serve_requests(here, local)
    watcher.join()
    code = child.returncode
    if code == 0 and not local.published:
        raise RuntimeError("the unprivileged process ended without a result")  # it is no success
    return code if code >= 0 else 128 - code


def _start(end: int, *, token: bool) -> "subprocess.Popen[bytes]":
    """The child, as the owner of the workspace, who may read it, without its group: on some runners that is docker's.

    Raises UsageError.
    """
    owner = Path.cwd().stat().st_uid or _NOBODY
    kept = {name: value for name, value in os.environ.items() if not _WITHHELD.fullmatch(name)}
    # SQLite reads the variable as it is loaded; else it takes /var/tmp, where the child may not write.
    given = {"SQLITE_TMPDIR": tempfile.gettempdir(), CHANNEL: f"{end}{'+token' if token else ''}"}
    try:
        return subprocess.Popen(
            _COMMAND, env={**kept, **given}, pass_fds=(end,), user=owner, group=_NOBODY, extra_groups=()
        )
    except OSError as error:
        hint = "start the container with --user, or with the capabilities SETUID and SETGID"
        raise UsageError(f"{_COMMAND[0]} cannot be started as user {owner}: {error.strerror}", hint=hint) from None


def _end_with(child: "subprocess.Popen[bytes]", end: socket.socket) -> None:
    """When the child has ended, no more is read: what it has started may hold its end of the connection."""
    child.wait()
    with suppress(OSError):
        end.shutdown(socket.SHUT_RD)


def _open_stream(end: socket.socket) -> BinaryIO:
    return cast("BinaryIO", end.makefile("rwb"))


def serve_requests(end: socket.socket, local: LocalEffects) -> None:
    """Answer requests until the child has ended, has sent too many, or sends something other than a message."""
    with suppress(OSError, MemoryError), end, _open_stream(end) as stream:
        for _ in range(_MOST_MESSAGES):
            if (message := receive_message(stream)) is None:
                return
            send_message(stream, msgpack.encode(answer_request(local, message)))


def answer_request(local: LocalEffects, message: bytes) -> Answer:
    """Raises nothing, whatever the message is."""
    try:
        return Answer(_carry_out(local, _REQUESTS.decode(message)))
    except (PublishError, UnreachableError) as error:
        return Answer(error=_encodable(str(error)), hint=_encodable(error.hint))
    except Exception as error:  # noqa: BLE001 - nothing that a child sends ends its parent
        return Answer(error=_encodable(f"a request of the unprivileged process was refused: {error}"))


def _carry_out(local: LocalEffects, request: Request) -> bytes:
    match request:
        case Apply(steps=steps):
            return msgpack.encode(local.apply(_decode_paths(steps)))
        case WriteReport(form=form, text=text):
            return local.report(form, text).encode()
        case KeepFiles(files=files):
            return local.keep(_decode_paths(files)).encode()
        case SetOutputs(summary=summary, outputs=outputs):
            local.require_outputs(outputs)
            local.publish_outputs(summary, outputs)
            return b""
        case ReadForge(url=url, accept=accept):
            return _read_forge(local.authority.forge, url, accept)
        case _:
            assert_never(request)


def _read_forge(forge: Forge | None, url: str, accept: str) -> bytes:
    """A file, a commit or a deployment of the repository; raises ValueError for everything else."""
    below = f"{forge.api}/repos/{quote(forge.repository)}/" if forge else ""
    path = url.removeprefix(below)
    if forge is None or path == url or _UPWARDS.search(unquote(path)) or not _READ.fullmatch(path):
        raise ValueError(f"it is nothing that a run reads: {url[:200]!r}")
    return msgpack.encode(Api(forge).get(path, accept))


def _encode_paths(steps: Iterable[Step]) -> tuple[Step, ...]:
    """A file name may not be UTF-8, a text of a message is: there each byte of the name is a character."""
    return tuple(_with_path(step, lambda path: os.fsencode(path).decode("latin-1")) for step in steps)


def _decode_paths(steps: Iterable[Step]) -> list[Step]:
    return [_with_path(step, lambda path: os.fsdecode(path.encode("latin-1"))) for step in steps]


def _with_path(step: Step, change: Callable[[str], str]) -> Step:
    return replace(step, path=change(step.path)) if isinstance(step, WriteFile | DeleteFile) else step


def _encodable(text: str) -> str:
    return text.encode(errors="replace").decode()


def send_message(stream: BinaryIO, message: bytes) -> None:
    stream.write(_LENGTH.pack(len(message)))
    stream.write(message)
    stream.flush()


def receive_message(stream: BinaryIO) -> bytes | None:
    """One whole message; None when the peer has ended, or sent something else."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size or (left := _LENGTH.unpack(head)[0]) > _LARGEST:
        return None
    pieces = []
    while left:
        pieces.append(stream.read(min(left, _PIECE)))
        if not pieces[-1]:
            return None
        left -= len(pieces[-1])
    return b"".join(pieces)
