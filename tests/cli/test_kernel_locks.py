"""What a process may write after it has restricted itself, tried in one."""

import asyncio
import ctypes
import multiprocessing
import os
import platform
import socket
import sqlite3
import subprocess
import tempfile
import threading
from contextlib import closing
from pathlib import Path

import pytest

from children import in_child
from repositories import checkout, pull_request
from sitemap_action.cli.kernel_locks import refuse_calls, write_only_below
from sitemap_action.repo.git import Git

pytestmark = pytest.mark.attack("kernel")


def restricted(*places: Path) -> None:
    if not write_only_below(places):
        os._exit(77)


def outcome(code: int) -> None:
    if code == 77:
        pytest.skip("the kernel has no Landlock")
    assert code == 0


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    (outside / "env").write_text("kept")
    (outside / "folder").mkdir()
    return inside, outside


ATTEMPTS = {
    "append": lambda outside: (outside / "env").open("a").write("x"),
    "truncate": lambda outside: os.truncate(outside / "env", 0),
    "write": lambda outside: (outside / "env").write_text("x"),
    "create": lambda outside: (outside / "new").touch(),
    "remove": lambda outside: (outside / "env").unlink(),
    "remove a folder": lambda outside: (outside / "folder").rmdir(),
    "make a folder": lambda outside: (outside / "other").mkdir(),
    "link": lambda outside: (outside / "link").symlink_to("env"),
    "make a pipe": lambda outside: os.mkfifo(outside / "pipe"),
    "rename": lambda outside: (outside / "env").rename(outside / "other"),
    "move out": lambda outside: (outside / "env").rename(outside.parent / "inside/env"),
    "hard link": lambda outside: os.link(outside / "env", outside.parent / "inside/env"),
}


@pytest.mark.parametrize("attempt", ATTEMPTS.values(), ids=ATTEMPTS)
def test_nothing_else_is_changed(attempt: object, folders: tuple[Path, Path]) -> None:
    inside, outside = folders

    def work() -> None:
        restricted(inside)
        with pytest.raises(OSError, match=r"denied|cross-device"):
            attempt(outside)  # type: ignore[operator]

    outcome(in_child(work))
    assert sorted(path.name for path in outside.iterdir()) == ["env", "folder"]
    assert (outside / "env").read_text() == "kept"


def test_what_is_named_is_written_and_everything_is_read(folders: tuple[Path, Path]) -> None:
    inside, outside = folders

    def work() -> None:
        restricted(inside, Path("/dev"), inside / "missing")
        (inside / "a").write_text((outside / "env").read_text())
        (inside / "a").rename(inside / "b")
        subprocess.run(["true"], check=True, stdout=subprocess.DEVNULL)

    outcome(in_child(work))
    assert (inside / "b").read_text() == "kept"


def test_a_program_that_is_started_is_restricted_too(folders: tuple[Path, Path]) -> None:
    inside, outside = folders

    def work() -> None:
        restricted(inside)
        assert subprocess.run(["rm", str(outside / "env")], capture_output=True, check=False).returncode

    outcome(in_child(work))
    assert (outside / "env").exists()


# --- S-18: what Landlock does not govern ---


def filtered() -> None:
    if not refuse_calls():
        os._exit(77)


def _call(number_on: dict[str, int], *arguments: int) -> object:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(number_on[platform.machine()], *map(ctypes.c_long, arguments)) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return None


def _fchmod(outside: Path) -> None:
    with (outside / "env").open() as stream:  # reading it is allowed
        os.fchmod(stream.fileno(), 0o777)


def _send(outside: Path) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        one.connect(str(outside / "socket"))


def _send_by_pair(outside: Path) -> None:
    one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    with one, other:
        one.sendto(b"x", str(outside / "datagrams"))


REFUSED = {
    "chmod": lambda outside: (outside / "env").chmod(0o777),
    "fchmod of a file that is read": _fchmod,
    "chown": lambda outside: os.chown(outside / "env", os.getuid(), os.getgid()),
    "an attribute": lambda outside: os.setxattr(outside / "env", "user.x", b"x"),
    "a Unix socket": _send,
    "a pair of datagram sockets": _send_by_pair,
    "a user namespace": lambda _: _call({"x86_64": 272, "aarch64": 97}, 0x10000000),
    "a user namespace by clone": lambda _: _call({"x86_64": 56, "aarch64": 220}, 0x10000000 | 17, 0, 0, 0, 0),
    "a user namespace by clone3": lambda _: _call({"x86_64": 435, "aarch64": 435}, 0, 0),
    "io_uring, which opens sockets too": lambda _: _call({"x86_64": 425, "aarch64": 425}, 8, 0),
    "to trace another process": lambda _: _call({"x86_64": 101, "aarch64": 117}, 16, os.getppid(), 0, 0),
    "to read another's memory": lambda _: _call({"x86_64": 310, "aarch64": 270}, os.getppid(), 0, 0, 0, 0, 0),
}


@pytest.mark.parametrize("attempt", REFUSED.values(), ids=REFUSED)
def test_S_18_calls_that_a_reader_does_not_need_are_refused(attempt: object, folders: tuple[Path, Path]) -> None:
    _, outside = folders
    with socket.socket(socket.AF_UNIX) as stream, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as datagrams:
        stream.bind(str(outside / "socket"))
        stream.listen()
        datagrams.bind(str(outside / "datagrams"))
        before = (outside / "env").stat()

        def work() -> None:
            filtered()
            with pytest.raises(OSError, match=r"not permitted|not implemented"):
                attempt(outside)  # type: ignore[operator]

        outcome(in_child(work))
        assert (outside / "env").stat().st_mode == before.st_mode
        datagrams.setblocking(False)
        with pytest.raises(BlockingIOError):
            datagrams.recv(1)


EMPTIED = {
    "truncate": lambda file: os.truncate(file, 0),
    "open": lambda file: os.open(file, os.O_RDONLY | os.O_TRUNC),
    "openat2": lambda _: _call({"x86_64": 437, "aarch64": 437}, 0, 0, 0, 0),
}


@pytest.mark.parametrize("attempt", EMPTIED.values(), ids=EMPTIED)
def test_S_18_truncate_is_refused_where_landlock_does_not(attempt: object, folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    """Versions 1 and 2 of Landlock, Linux 5.13 to 6.1."""
    _, outside = folders
    monkeypatch.setattr("sitemap_action.cli.kernel_locks.landlock_version", lambda: 2)

    def work() -> None:
        filtered()
        with pytest.raises(OSError, match=r"not permitted|not implemented"):
            attempt(outside / "env")  # type: ignore[operator]
        with (outside / "env").open("r+b") as stream:
            stream.truncate(2)
        (outside / "env").write_text("kept")

    outcome(in_child(work))
    assert (outside / "env").read_text() == "kept"


def test_S_18_what_a_reader_does_goes_on(tmp_path: Path) -> None:
    """Threads, processes, pairs of sockets, servers on loopback, names, git, a database and temporary files."""
    origin = pull_request(tmp_path / "origin", {"a": "x"}, {"a": "y"}, main={"a": "x", "b": "later"})
    clone = checkout(origin.directory, origin.merge, tmp_path / "clone")

    def work() -> None:
        filtered()
        thread = threading.Thread(target=(tmp_path / "thread").touch)
        thread.start()
        thread.join()
        with multiprocessing.get_context("fork").Pool(2) as pool:
            assert pool.map(abs, [-1, -2]) == [1, 2]
        one, other = socket.socketpair()
        with one, other, socket.create_server(("127.0.0.1", 0)) as server:
            one.sendall(b"x")
            assert other.recv(1) == b"x"
            socket.create_connection(server.getsockname()).close()
            assert socket.getaddrinfo("localhost", 80)
        repository = Git(clone)
        assert not repository.has(origin.main)
        assert repository.fetch(origin.main)
        assert repository.blob(origin.main, "a") == b"x"
        with closing(sqlite3.connect(tmp_path / "state")) as database:
            database.execute("pragma journal_mode=wal")
            database.execute("create table a (b)")
        with tempfile.TemporaryDirectory(dir=tmp_path) as folder:
            (Path(folder) / "a").write_text("x")
        asyncio.run(asyncio.sleep(0))

    outcome(in_child(work))
    assert (tmp_path / "thread").exists()
