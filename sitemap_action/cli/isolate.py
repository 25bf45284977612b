"""Two containers: in one a process without token reads and decides; in the other its peer publishes for it.

Theory of operation. `action/start.sh` starts both, without a capability, as the owner of the workspace. The reader's
container has neither the token nor the runner's files, and no state named, a workspace that it cannot write. Standard
input and output of each are the other's: a request is one message, the name of an effect with its arguments, encoded by
msgpack and decoded with their types verified. The publisher speaks first, so that secrets are masks before anything is
read. A reader that a page has taken over can request what `_ARGUMENTS` names, and nothing else: `LocalEffects` and
`Authority` judge every value. Landlock and seccomp restrict it within its container, too.
"""

import io
import os
import signal
import struct
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, cast
from urllib.parse import quote, unquote

from msgspec import Raw, Struct, msgpack
from msgspec.structs import replace

from sitemap_action.browser.process import find_browser
from sitemap_action.cli.effects import LocalEffects
from sitemap_action.cli.kernel_locks import refuse_calls, write_only_below
from sitemap_action.errors import PublishError, UnreachableError
from sitemap_action.model.context import Forge
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.step import FileChange, Published, Step
from sitemap_action.repo.github_api import Api
from sitemap_action.runner.event import read_forge

READER, PUBLISHER = "reader", "publisher"
_HELD = "held by the publisher"  # in the place of the token
_STOPS = (signal.SIGTERM, signal.SIGINT)
_NO_RESULT = 70  # exit code of a publisher that was told none, as of a bug
_LENGTH = struct.Struct(">Q")
_LARGEST = 2**30  # bytes of a message: more than any plan has
_MOST_MESSAGES = 20_000  # of a reader, which needs some ten, and one for each file that it reads by the API
_PIECE = 2**20  # bytes that are read at once: memory grows with what has come, not with what was announced
_UPWARDS = lazy_re(r"(?:^|/)\.{1,2}(?:[/?]|$)")
_READ = lazy_re(r"(?:git/(?:ref|commits)|commits|compare|contents|deployments)[/?][!-~]{1,4000}")


_ARGUMENTS: Mapping[str, Any] = {  # of each effect that a reader may request, with the types that they must have
    "apply": tuple[tuple[Step, ...]],  # answered with `Published`
    "report": tuple[str, str],  # format and text; answered with its path
    "keep": tuple[tuple[Step, ...]],  # sitemaps beside the report; answered with their folder
    "publish_outputs": tuple[str, dict[str, str]],  # summary and outputs of the step, once
    "read": tuple[str, str],  # of GitHub's API, with the publisher's token: URL and media type
}


class Answer(Struct, frozen=True):
    """What a request came to, or why it is refused."""

    content: bytes = b""
    error: str | None = None
    hint: str = ""


_ENDED = Answer(error="the process that publishes has ended")


class RemoteEffects:
    """The effects of a run, requested from the publisher."""

    def __init__(self, stream: BinaryIO, *, token: bool = False) -> None:
        self._stream, self._token = stream, token

    def forge(self, environment: Mapping[str, str]) -> Forge | None:
        """The API, read through the publisher; None where that has no token."""
        found = read_forge(environment, _HELD) if self._token else None
        return replace(found, relay=self.read) if found else None

    def apply(self, steps: Sequence[Step]) -> Published:
        return msgpack.decode(self._request("apply", _encode_paths(steps)), type=Published)

    def report(self, form: str, text: str) -> str:
        return self._request("report", form, _encodable(text)).decode()

    def keep(self, files: Sequence[Step]) -> str:
        return self._request("keep", _encode_paths(files)).decode()

    def publish_outputs(self, summary: str, outputs: Mapping[str, str]) -> None:
        values = {name: _encodable(value) for name, value in outputs.items()}
        self._request("publish_outputs", _encodable(summary), values)

    def read(self, url: str, accept: str) -> bytes:
        """What GitHub's API answers; raises UnreachableError."""
        try:
            return self._request("read", url, accept)
        except PublishError as error:
            raise UnreachableError(str(error), hint=error.hint) from None

    def _request(self, effect: str, *arguments: object) -> bytes:
        received = None
        with suppress(OSError):
            send_message(self._stream, msgpack.encode((effect, arguments)))
            received = receive_message(self._stream)
        answer = msgpack.decode(received, type=Answer) if received is not None else _ENDED
        if answer.error is not None:
            raise PublishError(answer.error, hint=answer.hint)
        return answer.content


def enter_reader(stream: BinaryIO) -> RemoteEffects:
    """The effects of the process that reads; from now on it writes where it has to, and nowhere else.

    That is the temporary folder and, where its container was given a workspace to write, a state there. Raises
    SystemExit where the publisher ends before it speaks: it has said why.
    """
    write_only_below((Path.cwd(), Path(tempfile.gettempdir()), Path("/dev")))
    if not find_browser(os.environ):  # which has a sandbox of its own, of the calls that this refuses
        refuse_calls()
    if (token := receive_message(stream)) is None:
        sys.exit(0)
    return RemoteEffects(stream, token=bool(token))


def serve_reader(stream: BinaryIO, local: LocalEffects) -> int:
    """Tell the reader to begin, and carry out what it requests; 0 where it told a result, whatever that is."""
    local.serving = True
    for number in _STOPS:  # as the first process of its container this one has no other handler
        signal.signal(number, lambda *_: local.stop())
    with suppress(OSError):
        send_message(stream, b"token" if local.authority.forge else b"")
        serve_requests(stream, local)
    return 0 if local.published else _NO_RESULT


def take_streams() -> BinaryIO:
    """Standard input and output as one stream; what is printed from now on goes to standard error."""
    sys.stdout.flush()
    received, sent = os.dup(0), os.dup(1)
    os.dup2(2, 1)
    with Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    return cast("BinaryIO", io.BufferedRWPair(io.FileIO(received), io.FileIO(sent, "w")))


def serve_requests(stream: BinaryIO, local: LocalEffects) -> None:
    """Answer requests until the reader has ended, has sent too many, or sends something other than a message."""
    with suppress(OSError, MemoryError):
        for _ in range(_MOST_MESSAGES):
            if (message := receive_message(stream)) is None:
                return
            send_message(stream, msgpack.encode(answer_request(local, message)))


def answer_request(local: LocalEffects, message: bytes) -> Answer:
    """Raises nothing, whatever the message is."""
    try:
        effect, arguments = msgpack.decode(message, type=tuple[str, Raw])
        return Answer(_carry_out(local, effect, msgpack.decode(arguments, type=_ARGUMENTS[effect])))
    except (PublishError, UnreachableError) as error:
        return Answer(error=_encodable(str(error)), hint=_encodable(error.hint))
    except Exception as error:  # noqa: BLE001 - nothing that a reader sends ends its publisher
        return Answer(error=_encodable(f"a request of the process that reads was refused: {error}"))


def _carry_out(local: LocalEffects, effect: str, arguments: tuple[Any, ...]) -> bytes:
    """`arguments`: of the types in `_ARGUMENTS`."""
    match effect, *arguments:
        case "apply", steps:
            return msgpack.encode(local.apply(_decode_paths(steps)))
        case "keep", files:
            return local.keep(_decode_paths(files)).encode()
        case "report", form, text:
            return local.report(form, text).encode()
        case "publish_outputs", summary, outputs:
            local.require_outputs(outputs)
            local.publish_outputs(summary, outputs)
            return b""
    return _read_forge(local.authority.forge, *arguments)


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
    return replace(step, path=change(step.path)) if isinstance(step, FileChange) else step


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
