"""Work in a process of its own, so that limits, signals and lost privileges stay there; and servers that others wrote."""

import ctypes
import http.client
import itertools
import multiprocessing
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path

_PORTS = range(10_000, 32_000)  # below those that a system gives to clients and for port 0
_numbers = itertools.count(os.getpid() * 500)
_START = 120.0  # seconds: Wrangler takes twenty beside five others
_VERSION_3 = 0x20080522  # of the capability interface, linux/capability.h


def in_child(work: Callable[[], None]) -> int:
    """The exit code of the work; negative when a signal ended it."""
    child = multiprocessing.get_context("fork").Process(target=work)
    child.start()
    child.join(60)
    assert child.exitcode is not None
    return child.exitcode


def obey_permissions() -> None:
    """Make this process heed the modes of files: root gives up every capability, others need nothing."""
    if os.getuid() != 0:
        return
    header = (ctypes.c_uint32 * 2)(_VERSION_3, 0)
    nothing = (ctypes.c_uint32 * 6)()
    if ctypes.CDLL(None, use_errno=True).capset(header, nothing) != 0:
        raise OSError(ctypes.get_errno(), "capset")


def free_port() -> int:
    """A port that nothing else of the tests takes before the program that it is for, which may start for seconds."""
    while True:
        port = _PORTS[next(_numbers) % len(_PORTS)]
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


@contextmanager
def running(command: list[str], port: int, folder: Path, environment: Mapping[str, str] | None = None) -> Iterator[str]:
    """The address of a server, from its first answer until the end of the block. It writes beside the folder."""
    log = folder.with_name(f"{folder.name}.log")
    with log.open("wb") as output:
        server = subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env=os.environ | dict(environment or {}),
            start_new_session=True,
        )
        try:
            _wait(server, port, log)
            yield f"http://127.0.0.1:{port}/"
        finally:
            _end(server)


def _wait(server: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    """Until it answers: some listen for a moment only to see whether the port is free."""
    until = time.monotonic() + _START
    while server.poll() is None and time.monotonic() < until:
        with (
            suppress(OSError, http.client.HTTPException),
            closing(http.client.HTTPConnection("127.0.0.1", port, timeout=30)) as client,
        ):
            client.request("GET", "/")
            client.getresponse().read()
            return
        time.sleep(0.02)
    raise AssertionError(f"no answer on port {port}: {log.read_text(errors='replace')}")


def _end(server: "subprocess.Popen[bytes]") -> None:
    """With the processes that it has started: some servers are a command that leaves the serving to another process."""
    server.terminate()
    server.wait()
    with suppress(ProcessLookupError):  # none is left
        os.killpg(server.pid, signal.SIGKILL)
