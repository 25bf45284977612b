"""Programs in processes of their own, forked by one that has imported the package and run nothing: a start imports nothing.

What is about the start of an interpreter, or of `python -m`, starts one.
"""

import atexit
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO

MAIN = "from sitemap_action.__main__ import main\nmain()"
# For each program a keeper is forked, which forks the program, says its number, waits for it, and says its exit code.
_SERVER = """
import difflib, gc, json, os, socket, sys
from contextlib import suppress
from importlib import import_module

for name in ("__main__", "cli.check", "cli.read", "cli.small_commands", "cli.validate", "fetch.curl", "sitemaps"):
    import_module(f"sitemap_action.{name}")

def wanted(requests):
    while True:
        text, files, _, _ = socket.recv_fds(requests, 65536, 4)
        if not text:
            sys.exit()
        while not text.endswith(b"\\n"):
            text += requests.recv(65536)
        if os.fork() == 0:
            requests.close()
            return json.loads(text), files
        for file in files:
            os.close(file)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass

gc.freeze()
program, (*streams, answers) = wanted(socket.socket(fileno=int(sys.argv[1])))
os.setsid()
if child := os.fork():
    for file in streams:
        os.close(file)
    os.write(answers, b"%d\\n" % child)
    os.write(answers, b"%d\\n" % os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    os._exit(0)
if program["session"]:
    os.setsid()
for number, file in enumerate(streams):
    os.dup2(file, number)
    os.close(file)
os.close(answers)
os.chdir(program["folder"])
os.environ.clear()
os.environ.update(program["environment"])
sys.argv[1:] = program["arguments"]
exec(compile(program["code"], "<program>", "exec"), {"__name__": "__main__"})
"""


class Program:
    """What was started. Its standard error is kept."""

    def __init__(self, answers: socket.socket, errors: IO[bytes]) -> None:
        self._answers, self._errors = answers.makefile("r"), errors
        self.pid = int(self._answers.readline())

    def has_ended(self) -> bool:
        return bool(select.select([self._answers], [], [], 0)[0])

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    def end(self, timeout: float = 60) -> tuple[int, str]:
        """The exit code, negative when a signal ended it, and what it has said; TimeoutError when it goes on."""
        if not select.select([self._answers], [], [], timeout)[0]:
            self.kill()
            raise TimeoutError
        with self._answers, self._errors as errors:
            errors.seek(0)
            return int(self._answers.readline()), errors.read().decode()


def start(*arguments: str, code: str = MAIN, folder: Path | None = None, environment: Mapping[str, str] | None = None, stdout: int | None = None, session: bool = False) -> Program:  # fmt: skip
    """Like `python -c CODE ARGUMENTS`; `session`: in one of its own. What it prints is dropped without `stdout`."""
    ours, theirs = socket.socketpair()
    errors = tempfile.TemporaryFile()  # noqa: SIM115 - until its end
    program = {"arguments": arguments, "code": code, "folder": str(folder or Path.cwd()), "environment": dict(os.environ if environment is None else environment), "session": session}  # fmt: skip
    with ours, theirs, Path(os.devnull).open("r+b") as null:
        files = [null.fileno(), null.fileno() if stdout is None else stdout, errors.fileno(), theirs.fileno()]
        socket.send_fds(_server(), [json.dumps(program).encode() + b"\n"], files)
        theirs.close()
        return Program(ours, errors)


@cache
def _server() -> socket.socket:
    ours, theirs = socket.socketpair()
    with theirs:
        command = [sys.executable, "-c", _SERVER, str(theirs.fileno())]
        process = subprocess.Popen(
            command,
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours
