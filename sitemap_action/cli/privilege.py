"""Root is given up before anything is read: a child looks and decides, the parent does for it what needs root.

Between them go frames of plain bytes, so that a child which a page has taken over can ask for what `Hands` offers, and
for nothing else.
"""

import json
import os
import signal
import socket
import struct
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import BinaryIO, cast

from sitemap_action.cli.effects import Effects, LocalEffects
from sitemap_action.errors import PublishError, UsageError
from sitemap_action.model.step import DeleteFile, Step, WriteFile

_NOBODY = 65532  # no user of the image, no group that a host gives rights to
_STOPS = (signal.SIGTERM, signal.SIGINT)
_COUNT, _LENGTH = struct.Struct(">I"), struct.Struct(">Q")


class RemoteEffects:
    """Asks the parent."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def apply(self, steps: Sequence[Step]) -> None:
        parts = (part for step in steps for part in (step.path.encode(errors="surrogateescape"), _content(step)))
        self._ask(b"apply", *parts)

    def report(self, text: str) -> str:
        return self._ask(b"report", text.encode(errors="replace"))

    def publish_outputs(self, summary: str, outputs: Mapping[str, str]) -> None:
        self._ask(b"outputs", summary.encode(errors="replace"), json.dumps(dict(outputs)).encode())

    def _ask(self, *frames: bytes) -> str:
        _send(self._stream, frames)
        answer, *error = [frame.decode() for frame in _receive(self._stream) or [b"", b"the parent is gone", b""]]
        if error:
            raise PublishError(error[0], hint=error[1])
        return answer


def give_up_root(local: LocalEffects) -> Effects | int:
    """In the child, which has no rights left: what it asks its parent with. In the parent: the child's exit code."""
    if os.geteuid() != 0:
        return local
    here, there = socket.socketpair()
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        here.close()
        local.published = True  # the parent tells, not this copy
        _drop(Path.cwd())
        return RemoteEffects(_stream(there))
    there.close()

    def forward(number: int, _frame: FrameType | None) -> None:
        local.stop()
        os.kill(child, number)

    for number in _STOPS:  # as the first process of a container the parent alone hears them
        signal.signal(number, forward)
    with here, _stream(here) as stream:
        while (frames := _receive(stream)) is not None:
            _send(stream, _answer(local, frames))
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return code if code >= 0 else 128 - code


def _stream(end: socket.socket) -> BinaryIO:
    return cast("BinaryIO", end.makefile("rwb"))


def _drop(workspace: Path) -> None:
    """The owner of the workspace may read it. Of its group nothing is taken: on some runners it is docker's."""
    owner = workspace.stat().st_uid or _NOBODY
    os.setgroups([])
    os.setresgid(_NOBODY, _NOBODY, _NOBODY)
    os.setresuid(owner, owner, owner)
    if not os.access(workspace, os.R_OK | os.X_OK):
        hint = "let others read it (chmod a+rX), or start the container with --user"
        raise UsageError(f"{workspace} belongs to root, and nobody else may read it", hint=hint)
    if not os.access(os.environ.get("HOME", "/"), os.X_OK):
        os.environ["HOME"] = "/"  # git stops at a home that it may not enter


def _answer(local: Effects, frames: Sequence[bytes]) -> Sequence[bytes]:
    try:
        match frames:
            case [b"apply", *parts]:
                local.apply(list(map(_step, parts[::2], parts[1::2])))
            case [b"report", text]:
                return [local.report(text.decode()).encode()]
            case [b"outputs", summary, outputs]:
                local.publish_outputs(summary.decode(), _outputs(outputs))
    except PublishError as error:
        return [b"", str(error).encode(errors="replace"), error.hint.encode(errors="replace")]
    return [b""]


def _content(step: Step) -> bytes:
    match step:
        case WriteFile():
            return b"w" + step.content
        case DeleteFile():
            return b"d"


def _step(path: bytes, content: bytes) -> Step:
    name = path.decode(errors="surrogateescape")
    return WriteFile(name, content[1:]) if content[:1] == b"w" else DeleteFile(name)


def _outputs(text: bytes) -> Mapping[str, str]:
    values = json.loads(text)
    return {str(name): str(value) for name, value in values.items()}


def _send(stream: BinaryIO, frames: Sequence[bytes]) -> None:
    stream.write(_COUNT.pack(len(frames)))
    for frame in frames:
        stream.write(_LENGTH.pack(len(frame)))
        stream.write(frame)
    stream.flush()


def _receive(stream: BinaryIO) -> list[bytes] | None:
    """None when the other side is gone."""
    if len(head := stream.read(_COUNT.size)) < _COUNT.size:
        return None
    frames = []
    for _ in range(_COUNT.unpack(head)[0]):
        size = stream.read(_LENGTH.size)
        if len(size) < _LENGTH.size:
            return None
        frames.append(stream.read(_LENGTH.unpack(size)[0]))
    return frames
