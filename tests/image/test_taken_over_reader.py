"""A page has taken the reader over: a program of the test is in its place, in the container that it would have."""

import json
import os
import shlex
import shutil
from typing import Any

import pytest

from containers import ENGINE, TOKEN, Engine, Ran, Runner

# The engine starts this instead of the reader; what it finds is a line of the log, its standard output the publisher's input.
PROGRAM = """
import json, os, pathlib, socket, sys

def tries(what):
    try:
        what()
    except OSError as error:
        return error.strerror
    return "done"

here = pathlib.Path.cwd()
output = here.parent / "file_commands/set_output_1"
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
everywhere = [path for folder in ("/", "/run", "/var/run", "/github", "/tmp", str(here.parent), "/home", "/root") for path in pathlib.Path(folder).glob("*")]
found = {
    "token": [name for name, value in os.environ.items() if TOKEN in value],
    "workspace": tries(lambda: (here / "written").touch()),
    "replaced": tries(lambda: (here / "dist").rename(here / "moved")),
    "output": tries(lambda: output.open("a")),
    "event": tries(lambda: (here.parent / "workflow/event.json").open("a")),
    "root": tries(lambda: pathlib.Path("/written").touch()),
    "program": tries(lambda: pathlib.Path("/opt/venv/written").touch()),
    "temporary": tries(lambda: pathlib.Path("/tmp/written").touch()),
    "setuid": tries(lambda: os.setresuid(0, 0, 0)) if os.getuid() else "no",
    "capabilities": {status[name].strip() for name in ("CapEff", "CapPrm", "CapInh", "CapBnd", "CapAmb")} == {"0" * 16},
    "privileges": status["NoNewPrivs"].strip(),
    "processes": sorted(int(path.name) for path in pathlib.Path("/proc").glob("[0-9]*")) == [os.getpid()],
    "sockets": [str(path) for path in everywhere if path.is_socket()],
    "user": os.getuid(),
    "folder": sorted(path.name for path in here.parent.iterdir()),
}
sys.stderr.write("found " + json.dumps(found) + "\\n")
sys.stdin.buffer.read(8)
SENDS
"""


def take_over(runner: Runner, sends: str = "", program: str = PROGRAM, **inputs: str) -> Ran:
    """`sends`: what the program does after the publisher has spoken."""
    program = program.replace("TOKEN", repr(TOKEN)).replace("SENDS", sends)
    engine = runner.folder / "bin/docker"
    engine.write_text(f"""#!/bin/bash
if [ "$1" = run ] && [ "${{!#}}" = reader ]; then
    set -- "${{@:1:$#-4}}" --entrypoint /opt/venv/bin/python "${{@:$#-3:1}}" -c {shlex.quote(program)}
fi
exec {shutil.which(ENGINE)} "$@"
""")
    runner.put({"dist/index.html": "x"})
    runner.own()
    return runner.run(path="dist", site_url="https://www.example.com/", **inputs)


def found(ran: Ran) -> dict[str, Any]:
    (line,) = [line for line in ran.log.splitlines() if line.startswith("found ")]
    return dict(json.loads(line.removeprefix("found ")))


@pytest.mark.attack("image")
@pytest.mark.skipif(os.getuid() != 0, reason="owners of files are root's to give")
def test_S_02_what_a_reader_that_was_taken_over_finds(engine: Engine, runner: Runner) -> None:
    assert engine.image
    ran = take_over(runner, mode="write", network="bridge")
    readonly, absent = "Read-only file system", "No such file or directory"
    assert found(ran) == {
        "token": [],
        "workspace": readonly,
        "replaced": readonly,
        "output": absent,
        "event": readonly,
        "root": readonly,
        "program": readonly,
        "temporary": "done",
        "setuid": "Operation not permitted",
        "capabilities": True,
        "privileges": "1",
        "processes": True,
        "sockets": [],
        "user": 1001,
        "folder": ["workflow", "workspace"],
    }
    assert ran.code == 70, "it told no result, whatever it says at its end"
    assert (ran.outputs["result"], ran.outputs["changed"]) == ("", "false")
    assert "the run ended without a result" in ran.log


SENT = """
from msgspec import msgpack
import struct
def send(request):
    text = msgpack.encode(request)
    sys.stdout.buffer.write(struct.pack(">Q", len(text)) + text)
    sys.stdout.buffer.flush()
    return sys.stdin.buffer.read(struct.unpack(">Q", sys.stdin.buffer.read(8))[0])
for path in ("package.json", "../file_commands/set_output_1", ".github/workflows/sitemap.xml", "pom.xml", "sitemap.xml"):
    answer = msgpack.decode(send(["apply", [[{"type": "FileChange", "path": path, "content": b"x"}]]]))
    sys.stderr.write(f"sent {path}: {'refused' if answer['error'] else 'done'}\\n")
sys.stderr.write(f"sent secrets: {'refused' if msgpack.decode(send(['read', ['https://api.github.com/user', '']]))['error'] else 'done'}\\n")
"""


@pytest.mark.attack("image")
def test_S_10_what_it_may_request(engine: Engine, runner: Runner) -> None:
    assert engine.image
    ran = take_over(runner, SENT, mode="write")
    lines = [line.removeprefix("sent ") for line in ran.log.splitlines() if line.startswith("sent ")]
    assert lines == [
        "package.json: refused",
        "../file_commands/set_output_1: refused",
        ".github/workflows/sitemap.xml: refused",
        "pom.xml: refused",
        "sitemap.xml: done",
        "secrets: refused",
    ]
    assert {path.name for path in runner.workspace.iterdir()} == {"dist", "sitemap.xml"}


@pytest.mark.attack("image")
def test_a_state_opens_the_workspace_and_nothing_else(engine: Engine, runner: Runner) -> None:
    assert engine.image
    there = found(take_over(runner, state="kept.state"))
    assert (there["workspace"], there["output"], there["event"], there["token"]) == ("done", "No such file or directory", "Read-only file system", [])  # fmt: skip


# The reader as it is once it has begun: what the kernel keeps from it holds in the container, too.
BEGUN = """
import ctypes, json, os, pathlib, platform, socket, sys
from sitemap_action.cli.isolate import enter_reader, take_streams
server = socket.socket(socket.AF_UNIX)
server.bind("/tmp/socket")
server.listen()
enter_reader(take_streams())

def tries(what):
    try:
        what()
    except OSError as error:
        return error.strerror
    return "done"

def call(number):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(number[platform.machine()], 0x10000000, os.getpid(), 0, 0) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

page, own, event = pathlib.Path("dist/index.html"), pathlib.Path("/tmp/own"), pathlib.Path("../workflow/event.json")
own.write_text("x")
found = {
    "mode of a page": tries(lambda: page.chmod(0o777)),
    "mode of its own file": tries(lambda: own.chmod(0o777)),
    "owner": tries(lambda: os.chown(own, os.getuid(), os.getgid())),
    "attribute": tries(lambda: os.setxattr(own, "user.x", b"x")),
    "socket": tries(lambda: socket.socket(socket.AF_UNIX).connect("/tmp/socket")),
    "namespace": tries(lambda: call({"x86_64": 272, "aarch64": 97})),
    "trace": tries(lambda: call({"x86_64": 101, "aarch64": 117})),
    "empties the event": tries(lambda: os.truncate(event, 0)),
    "temporary": tries(lambda: own.write_text("y")),
}
sys.stderr.write("found " + json.dumps(found) + "\\n")
"""


@pytest.mark.attack("image")
@pytest.mark.parametrize("state", ["", "kept.state"])
def test_S_18_what_the_kernel_keeps_from_it_in_its_container(state: str, engine: Engine, runner: Runner) -> None:
    assert engine.image
    there = found(take_over(runner, program=BEGUN, state=state))
    assert (there.pop("empties the event"), there.pop("temporary")) in {("Read-only file system", "done"), ("Permission denied", "done")}  # fmt: skip
    assert set(there.values()) == {"Operation not permitted"}, there
