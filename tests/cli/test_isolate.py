"""What a child without root may request of its parent, what the parent refuses, and how their end is judged."""

import os
import signal
import socket
import struct
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from msgspec import msgpack

from children import in_child
from effects import API, OURS, OUTPUTS, REPOSITORY, TOKEN, LocalEffects, PublishError, make_effects, record_reads
from isolation import AS_ROOT, GROUP, OWNER, command
from runner_model import outputs
from sitemap_action.__main__ import run
from sitemap_action.cli.isolate import (
    Answer,
    Apply,
    ReadForge,
    RemoteEffects,
    Request,
    SetOutputs,
    UsageError,
    WriteReport,
    answer_request,
    receive_message,
    run_child,
    serve_requests,
)
from sitemap_action.cli.kernel_locks import write_only_below
from sitemap_action.model.step import CommitFiles, Counts, DeleteFile, FileChange, Published, SiteMark, WriteFile

WRITE = Apply((WriteFile("sitemap.xml", b"x"),))


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    found = tmp_path / "workspace"
    found.mkdir()
    monkeypatch.chdir(found)
    monkeypatch.setenv("GITHUB_OUTPUT", str(tmp_path / "output"))
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary"))
    return found


@pytest.fixture
def local() -> LocalEffects:
    return make_effects()


def ask(local: LocalEffects, request: object) -> Answer:
    return answer_request(local, request if isinstance(request, bytes) else msgpack.encode(request))


def message(request: Request) -> bytes:
    encoded = msgpack.encode(request)
    return struct.pack(">Q", len(encoded)) + encoded


def test_what_is_requested_is_done(local: LocalEffects, workspace: Path) -> None:
    (workspace / "stale-1.xml").write_bytes(OURS)
    odd = os.fsdecode(b"sitemap-\xff.xml")
    here, there = socket.socketpair()
    with here, here.makefile("rwb") as requests:
        parent = threading.Thread(target=serve_requests, args=(there, local))
        parent.start()
        remote = RemoteEffects(requests)
        remote.apply([WriteFile("é/sitemap.xml", b"\0" * 100_000), DeleteFile("stale-1.xml"), WriteFile(odd, b"x")])
        assert remote.report("json", "{}") == "reports/report.json"
        assert remote.report("html", "<p>é\ud800") == "reports/report.html"
        remote.publish_outputs("# é", {"result": "drift"})
        with pytest.raises(PublishError, match="a sitemap cannot be written to") as refused:
            remote.apply([WriteFile("../sitemap.xml", b"")])
        assert refused.value.hint
        here.shutdown(socket.SHUT_RDWR)
        parent.join(60)
        assert not parent.is_alive()
    assert (workspace / "é/sitemap.xml").read_bytes() == b"\0" * 100_000
    assert (workspace / odd).read_bytes() == b"x"
    assert not (workspace / "stale-1.xml").exists()
    assert (workspace / "reports/.gitignore").read_text() == "*\n"
    assert (workspace.parent / "summary").read_text(encoding="utf-8") == "# é"


@pytest.mark.attack("root")
@pytest.mark.parametrize(
    "path", ["../x.xml", "/tmp/x.xml", ".git/x.xml", ".github/x.xml", "x.sh", "\xff/../../x.xml", "a\0.xml", "x" * 5_000]
)  # fmt: skip
def test_a_child_that_was_taken_over_writes_only_sitemaps(local: LocalEffects, workspace: Path, path: str) -> None:
    assert ask(local, Apply((WriteFile(path, b"x"),))).error
    assert list(workspace.parent.rglob("x.*")) == []


@pytest.mark.attack("root")
def test_a_check_writes_nothing_whatever_is_requested(workspace: Path) -> None:
    assert ask(make_effects(writes=False), WRITE).error
    assert list(workspace.iterdir()) == []


@pytest.mark.attack("root")
def test_after_a_signal_nothing_is_written(local: LocalEffects, workspace: Path) -> None:
    local.stop()
    assert "stopped" in str(ask(local, WRITE).error)
    assert list(workspace.iterdir()) == []


@pytest.mark.attack("root")
def test_it_sets_the_outputs_that_there_are_and_no_other(local: LocalEffects, workspace: Path) -> None:
    assert ask(local, SetOutputs("# one", {"result": "in-sync", "report-json": ""})) == Answer()
    found = outputs((workspace.parent / "output").read_text())
    assert set(found) == set(OUTPUTS)
    assert (found["result"], found["changed"]) == ("in-sync", "false")
    assert "set already" in str(ask(local, SetOutputs("# two", {"result": "drift"})).error)
    assert (workspace.parent / "summary").read_text() == "# one"


MALFORMED: tuple[tuple[str, object], ...] = (
    ("nothing", b""),
    ("no msgpack", b"\xc1"),
    ("an unknown request", {"type": "Run", "program": "sh"}),
    ("no kind of request", {"steps": []}),
    ("an unknown kind of step", {"type": "Apply", "steps": [{"type": "RunProgram", "path": "sh"}]}),
    ("a step without a field", {"type": "Apply", "steps": [{"type": "WriteFile", "path": "sitemap.xml"}]}),
    ("a step of other types", {"type": "Apply", "steps": [{"type": "WriteFile", "path": 7, "content": b"x"}]}),
    ("good steps before a bad one", {"type": "Apply", "steps": [*msgpack.decode(msgpack.encode(WRITE.steps)), {"type": "?"}]}),
    ("steps that are none", {"type": "Apply", "steps": {}}),
    ("a path of other characters", Apply((WriteFile("\u20ac.xml", b"x"),))),
    ("a sitemap that is deleted beside the report", {"type": "KeepFiles", "files": [{"type": "DeleteFile", "path": "s.xml"}]}),
    ("a result with a line break", SetOutputs("", {"result": "in-sync\nchanged=true"})),
    ("a result that there is not", SetOutputs("", {"result": "fine"})),
    ("an output that there is not", SetOutputs("", {"LD_PRELOAD": "x"})),
    ("an output that begins another", SetOutputs("", {"x<<y": "z"})),
    ("a path with a line break", SetOutputs("", {"sitemap-path": "a\nb"})),
    ("a count that is none", SetOutputs("", {"url-count": "-1"})),
    ("a count of other digits", SetOutputs("", {"url-count": "\u0661"})),
    ("a summary in no UTF-8", b"\x83\xa4type\xaaSetOutputs\xa7summary\xa1\xff\xa7outputs\x80"),
    ("a report of no format", {"type": "WriteReport", "form": "json"}),
    ("a report of a format that is not kept", WriteReport("text", "x")),
    ("a report with a name of its own", WriteReport("../x.html", "x")),
    ("something nested without end", b"\x91" * 100_000),
    ("a length beyond every limit", b"\xdd\xff\xff\xff\xff"),
)  # fmt: skip


@pytest.mark.attack("root")
@pytest.mark.parametrize("request_", [pytest.param(sent, id=name) for name, sent in MALFORMED])
def test_a_malformed_request_is_answered_with_an_error(local: LocalEffects, workspace: Path, request_: object) -> None:
    assert ask(local, request_).error
    assert list(workspace.rglob("*")) == []
    assert (workspace.parent / "output").read_text() == ""


@pytest.mark.attack("root")
@pytest.mark.parametrize("sent", [b"", b"\0", message(WRITE)[:-1], b"\xff" * 8, b"\xff" * 64])
def test_the_parent_stops_listening_to_what_is_no_message(sent: bytes, local: LocalEffects, workspace: Path) -> None:
    here, there = socket.socketpair()
    with here:
        here.sendall(sent)
        here.shutdown(socket.SHUT_WR)
        serve_requests(there, local)
    assert list(workspace.iterdir()) == []


@pytest.mark.attack("root")
def test_S_10_memory_grows_with_what_came(monkeypatch: pytest.MonkeyPatch) -> None:
    """A length is only a number, and a message has a limit."""
    asked: list[int] = []

    class Stream:
        def __init__(self, data: bytes) -> None:
            self.data = data

        def read(self, size: int) -> bytes:
            asked.append(size)
            found, self.data = self.data[:size], self.data[size:]
            return found

    def receive(data: bytes) -> bytes | None:
        return receive_message(Stream(data))  # type: ignore[arg-type]

    assert receive(struct.pack(">Q", 2**29) + b"x") is None
    assert max(asked) <= 2**20
    monkeypatch.setattr("sitemap_action.cli.isolate._LARGEST", 10)
    assert receive(struct.pack(">Q", 10) + b"x" * 10) == b"x" * 10
    assert receive(struct.pack(">Q", 11) + b"x" * 11) is None


def test_a_child_that_died_before_the_answer_is_no_error(local: LocalEffects, workspace: Path) -> None:
    here, there = socket.socketpair()
    here.sendall(message(WRITE) * 2)
    here.close()
    serve_requests(there, local)
    assert (workspace / "sitemap.xml").read_bytes() == b"x"


def test_outputs_are_set_when_the_run_set_none(local: LocalEffects, workspace: Path) -> None:
    local.finish("")
    assert outputs((workspace.parent / "output").read_text())["changed"] == "false"
    local.published = True
    local.finish("")
    assert (workspace.parent / "output").read_text().count("changed<<") == 1


CHANGED = [
    ("a workflow", ".github/workflows/sitemap.xml", "", False),
    ("what a build runs", "package.json", "", False),
    ("what a page runs", "public/app.js", "", False),
    ("upwards", "../sitemap.xml", "", False),
    ("git's own", ".git/sitemap.xml", "", False),
    ("a hook's name", "sitemap.sh", "", False),
    ("a sitemap", "public/sitemap.xml", "", True),
    ("its part", "public/sitemap-3.xml.gz", "", True),
    ("of a name that no input has", "public/pages.xml", "", False),
    ("of the name in the input", "public/pages.xml", "public/pages.xml", True),
]


@pytest.mark.attack("root")
@pytest.mark.parametrize(("path", "named", "allowed"), [pytest.param(*row[1:], id=row[0]) for row in CHANGED])
@pytest.mark.parametrize("content", [b"x", None])
def test_which_files_of_a_branch_a_child_may_change(
    path: str, named: str, allowed: bool, content: bytes | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[object] = []
    monkeypatch.setattr(
        "sitemap_action.publish.forge.commit_files", lambda step, *_: (done.append(step), Published())[1]
    )
    local = make_effects(sitemap=named, token=TOKEN, branch="main", serving=True)
    changes = (FileChange("sitemap.xml", b"x"), FileChange(path, content))
    answer = ask(
        local,
        Apply(
            (
                CommitFiles(
                    "main", "a" * 40, Counts(1, 0, 0), SiteMark("https://www.example.com/", "sitemap.xml"), changes
                ),
            )
        ),
    )
    assert (answer.error is None, len(done)) == (allowed, int(allowed)), answer


@pytest.mark.attack("root")
@pytest.mark.parametrize(
    ("named", "path", "allowed"),
    [
        ("", "sitemap.xml", True),
        ("", "public/SiteMap-3.xml.gz", True),
        ("", "sitemap-index.xml", True),
        ("", "package.json", False),
        ("", "pom.xml", False),
        ("", "requirements.txt", False),
        ("", "sitemap/pom.xml", False),
        ("public/pages.xml", "public/pages.xml", True),
        ("public/pages.xml", "public/pages-2.xml", True),
        ("public/pages.xml", "public/pages-index.xml", True),
        ("public/pages.xml", "package.json", False),
    ],
)
def test_S_10_in_a_workspace_of_root_only_sitemaps_are_written(
    named: str, path: str, allowed: bool, workspace: Path
) -> None:
    """There the child could not write itself: what builds execute has other names."""
    local = make_effects(sitemap=named, sitemaps_only=True)
    assert (ask(local, Apply((WriteFile(path, b"x"),))).error is None) is allowed
    assert (workspace / path).exists() is allowed
    local.sitemaps_only = False
    local.apply([WriteFile("pages.xml", b"x")])


READS = [
    ("a file", "contents/public/sitemap.xml?ref=" + "a" * 40, True),
    ("a branch", "git/ref/heads/main", True),
    ("a comparison", "compare/main...topic?per_page=1", True),
    ("deployments", "deployments?sha=" + "a" * 40, True),
    ("the list of secrets", "actions/secrets", False),
    ("another repository", "../../octo-org/other/contents/x", False),
    ("upwards", "contents/../../../user", False),
    ("upwards, encoded", "contents/%2e%2E/../user", False),
    ("a line break", "contents/a\nb", False),
    ("nothing", "", False),
]


@pytest.mark.attack("secrets")
@pytest.mark.parametrize(("path", "allowed"), [pytest.param(*row[1:], id=row[0]) for row in READS])
def test_what_a_child_may_read_with_the_token_of_its_parent(
    path: str, allowed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = record_reads(monkeypatch)
    local = make_effects(token=TOKEN)
    url = f"{API}/repos/{REPOSITORY}/{path}"
    answer = ask(local, ReadForge(url, "application/json"))
    assert (asked, answer.error is None) == (([path], True) if allowed else ([], False)), answer
    assert ask(local, ReadForge("https://evil.example/repos/octo-org/site/contents/x", "")).error
    assert ask(make_effects(), ReadForge(url, "")).error


@pytest.fixture
def reachable(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A workspace that its owner can reach: the folders of pytest are root's alone."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        os.chown(folder, OWNER, GROUP)
        monkeypatch.chdir(folder)
        yield folder


def in_parent(program: str, monkeypatch: pytest.MonkeyPatch, local: LocalEffects, code: int = 0) -> None:
    """Run a program in the place of the child, which has the effects as `effects`; the parent is a process, too."""
    head = "import os, sys, signal\nfrom sitemap_action.cli.isolate import enter_child\neffects = enter_child()\n"
    monkeypatch.setattr("sitemap_action.cli.isolate._COMMAND", command(head + program))
    assert in_child(lambda: os._exit(run_child(local))) == code


@pytest.mark.attack("root")
@AS_ROOT
def test_the_child_has_no_user_and_no_group_of_root(reachable: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = f"""
from pathlib import Path
assert os.getresuid() == ({OWNER},) * 3
assert len({{*os.getresgid()}}) == 1 and os.getgid() not in (0, {GROUP})
assert os.getgroups() == []
try:
    os.setresuid(0, 0, 0)
except PermissionError:
    Path("state.db").touch()
effects.publish_outputs("", {{}})
"""
    os.setgroups([0, GROUP])
    try:
        in_parent(program, monkeypatch, make_effects())
    finally:
        os.setgroups([])
    assert (reachable / "state.db").stat().st_uid == OWNER


@pytest.mark.attack("root")
@AS_ROOT
def test_a_child_that_a_signal_ended_is_no_success(reachable: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = """
from sitemap_action.model.step import WriteFile
effects.apply([WriteFile("sitemap.xml", b"x")])
os.kill(os.getpid(), signal.SIGKILL)
"""
    in_parent(program, monkeypatch, make_effects(), 128 + signal.SIGKILL)
    assert (reachable / "sitemap.xml").read_bytes() == b"x"
    assert (reachable / "sitemap.xml").stat().st_uid == OWNER


@AS_ROOT
def test_a_large_site_is_sorted_where_the_child_may_write(
    reachable: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """SQLite would put what its memory does not hold into /var/tmp, which the child may not write to."""
    program = """
import sqlite3
database = sqlite3.connect("")
database.execute("PRAGMA cache_size = 10")
database.execute("CREATE TABLE entry (url)")
database.executemany("INSERT INTO entry VALUES (?)", ((f"{number * 7919 % 99991:x}",) for number in range(200_000)))
print(sum(1 for _ in database.execute("SELECT url FROM entry ORDER BY url")), flush=True)
effects.publish_outputs("", {})
"""
    monkeypatch.delenv("TMPDIR", raising=False)
    in_parent(program, monkeypatch, make_effects(writes=False))
    assert capfd.readouterr().out == "200000\n"


SEARCH = """
import ctypes
ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)  # PR_SET_DUMPABLE: whoever gave root up may not read itself else
print(sorted(name for name in os.environ if name.startswith(("INPUT_", "ACTIONS_", "GITHUB_"))), flush=True)
key = bytes(number ^ 85 for number in NUMBERS)  # of which not a byte is in the source
found = []
with open("/proc/self/mem", "rb", 0) as memory:
    for line in open("/proc/self/maps"):
        bounds, rights = line.split()[:2]
        start, end = (int(one, 16) for one in bounds.split("-"))
        if "[v" not in line and rights.startswith("rw"):
            memory.seek(start)
            try:
                data = memory.read(end - start)
            except OSError:
                continue
            found.append(data.count(key))
            del data
print("found", sum(found), flush=True)
effects.publish_outputs("", {})
"""


@pytest.mark.attack("secrets")
@AS_ROOT
@pytest.mark.usefixtures("reachable")
def test_the_child_has_no_token(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """Neither in its environment nor in its memory, which it searches: there is only what it searches for."""
    numbers = str([ord(letter) ^ 85 for letter in TOKEN])
    for name in ("INPUT_TOKEN", "GITHUB_TOKEN", "ACTIONS_RUNTIME_TOKEN", "input_token"):
        monkeypatch.setenv(name, TOKEN)
    monkeypatch.setenv("INPUT_PATH", "dist")
    local = make_effects(token=TOKEN)
    in_parent(SEARCH.replace("NUMBERS", numbers), monkeypatch, local)
    names, found = capfd.readouterr().out.splitlines()
    assert names == "['INPUT_PATH']"
    assert found == "found 1"


@pytest.mark.attack("root")
@AS_ROOT
def test_S_02_the_child_has_no_file_of_the_runner(
    reachable: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """On a runner one user owns the workspace and the files by which a step sets variables of later steps."""
    output = reachable.parent / f"{reachable.name}-output"
    monkeypatch.setenv("GITHUB_OUTPUT", str(output))
    program = f"""
from sitemap_action.cli.kernel_locks import write_only_below
opened = [os.path.realpath(f"/proc/self/fd/{{one}}") for one in os.listdir("/proc/self/fd")]
print({str(output)!r} in opened, "GITHUB_OUTPUT" in os.environ, write_only_below([]), flush=True)
effects.publish_outputs("", {{}})
"""
    try:
        in_parent(program, monkeypatch, make_effects())
        os.chown(output, OWNER, OWNER)
        assert capfd.readouterr().out.startswith("False False ")
    finally:
        output.unlink(missing_ok=True)


@pytest.mark.attack("root")
@AS_ROOT
def test_the_child_does_not_set_variables_of_later_steps(
    reachable: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        variables = Path(name, "set_env")
        variables.touch()
        for path in (name, variables):
            os.chown(path, OWNER, OWNER)
        program = f"""
from pathlib import Path
Path("state.db").touch()
try:
    open({str(variables)!r}, "a").write("LD_PRELOAD=x")
except PermissionError:
    print("denied", flush=True)
effects.publish_outputs("", {{}})
"""
        in_parent(program, monkeypatch, make_effects())
        if in_child(lambda: os._exit(not write_only_below([Path("/")]))):
            pytest.skip("the kernel has no Landlock")
        assert capfd.readouterr().out == "denied\n"
        assert variables.read_text() == ""
    assert (reachable / "state.db").exists()


@pytest.mark.attack("imports")
@AS_ROOT
def test_the_child_imports_nothing_from_the_workspace_or_its_owner(
    reachable: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    home = reachable / "home"
    user = home / f".local/lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"
    user.mkdir(parents=True)
    for folder in (reachable, user):
        (folder / "tomllib.py").write_text("print('taken over')")
        (folder / "usercustomize.py").write_text("print('taken over')")
    for name, value in (("HOME", str(home)), ("PYTHONPATH", str(reachable)), ("PYTHONSTARTUP", "tomllib.py")):
        monkeypatch.setenv(name, value)
    in_parent("import tomllib\neffects.publish_outputs('', {})", monkeypatch, make_effects())
    assert sys.modules[RemoteEffects.__module__]._COMMAND[1:4] == ("-I", "-u", "-B")
    assert capfd.readouterr().out == ""


# What the child does at its end, its exit code, and what the parent makes of it.
PUBLISH = "effects.publish_outputs('', {'result': 'in-sync'})"
RAW = "effects._stream.write({}); effects._stream.flush()"
LEAVE = f"""{PUBLISH}
if os.fork() == 0:  # it holds the connection; its parent does not wait for it
    os.closerange(0, 3)
    signal.alarm(120)
    signal.pause()
"""
ENDS = [
    ("a result", PUBLISH, 0, 0),
    ("a result, and an error", PUBLISH, 3, 3),
    ("nothing", "", 0, 70),
    ("nothing, and an error", "", 2, 2),
    ("a message that is cut off", RAW.format(rb"b'\0' * 7 + b'\7' + b'x'".decode()), 0, 70),
    ("no message", RAW.format(r"b'\xff' * 100"), 0, 70),
    ("outputs that there are not", "try:\n    effects.publish_outputs('', {'LD_PRELOAD': 'x'})\nexcept Exception:\n    pass", 0, 70),
    ("a process that it leaves behind", LEAVE, 0, 0),
]  # fmt: skip


@pytest.mark.attack("root")
@AS_ROOT
@pytest.mark.parametrize(("does", "exits", "code"), [row[1:] for row in ENDS], ids=[row[0] for row in ENDS])
def test_S_10_the_exit_code_is_honest(
    does: str, exits: int, code: int, reachable: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run without a result is no success, whatever the child says at its end."""
    (reachable / "w").mkdir()
    os.chown(reachable / "w", OWNER, GROUP)
    monkeypatch.chdir(reachable / "w")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_OUTPUT", str(reachable / "output"))
    head = "import os, sys, signal\nfrom sitemap_action.cli.isolate import enter_child\neffects = enter_child()\n"
    monkeypatch.setattr("sitemap_action.cli.isolate._COMMAND", command(f"{head}{does}\nsys.exit({exits})"))
    assert in_child(lambda: os._exit(run(["run", "--unprivileged"]))) == code
    found = outputs((reachable / "output").read_text())
    assert found["result"] == ("in-sync" if PUBLISH in does else "")


@AS_ROOT
@pytest.mark.parametrize("write", [False, True])
def test_a_whole_run_as_the_container_starts_it(
    write: bool, reachable: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (reachable / "dist").mkdir()
    (reachable / "dist/index.html").write_text("<!doctype html><title>A page</title><p>Some words")
    inputs = {"PATH": "dist", "SITE-URL": "https://www.example.com/", "SITEMAP": "sitemap.xml"}
    for name, value in (inputs | {"MODE": "write" if write else "check", "SUMMARY": "false"}).items():
        monkeypatch.setenv(f"INPUT_{name}", value)
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_OUTPUT", str(reachable / "output"))
    program = "import sys\nfrom sitemap_action.__main__ import run\nsys.exit(run(['run', '--unprivileged']))"
    monkeypatch.setattr("sitemap_action.cli.isolate._COMMAND", command(program))
    assert in_child(lambda: os._exit(run(["run", "--unprivileged"]))) == (0 if write else 1)
    assert f"reading as user {OWNER}" in capfd.readouterr().out
    assert (reachable / "sitemap.xml").exists() is write
    assert (reachable / ".sitemap-action/report.json").stat().st_uid == OWNER


@AS_ROOT
@pytest.mark.usefixtures("reachable")
def test_an_interpreter_that_only_root_may_start_is_a_usage_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, local: LocalEffects
) -> None:
    tmp_path.chmod(0o700)
    (tmp_path / "python").symlink_to(sys.executable)
    monkeypatch.setattr("sitemap_action.cli.isolate._COMMAND", (str(tmp_path / "python"), "-c", ""))
    with pytest.raises(UsageError, match=f"as user {OWNER}: Permission denied") as caught:
        run_child(local)
    assert "--user" in str(caught.value.hint)


def test_a_signal_is_passed_on_and_ends_the_run(
    reachable: Path, monkeypatch: pytest.MonkeyPatch, local: LocalEffects
) -> None:
    """The child ends as it does of itself; its parent writes nothing any more."""
    if os.name != "posix" or os.getuid() != 0:
        pytest.skip("only root can give root up")
    program = """
from pathlib import Path
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
Path("started").touch()
signal.pause()
"""

    def stop() -> None:
        while not (reachable / "started").exists():
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGTERM)

    def work() -> None:
        threading.Thread(target=stop, daemon=True).start()
        code = run_child(local)
        os._exit(code if local.stopped else 1)

    head = "import os, sys, signal\nfrom sitemap_action.cli.isolate import enter_child\neffects = enter_child()\n"
    monkeypatch.setattr("sitemap_action.cli.isolate._COMMAND", command(head + program))
    assert in_child(work) == 143


FAILS: list[tuple[Exception, str]] = [
    (RecursionError("deep"), "deep"),
    (MemoryError(), ""),
    (KeyError("x"), "x"),
    (AssertionError("y"), "y"),
]


@pytest.mark.attack("root")
@pytest.mark.parametrize(("error", "says"), FAILS)
def test_S_10_no_exception_ends_the_parent(
    error: Exception, says: str, local: LocalEffects, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(LocalEffects, "report", fail)
    assert says in str(ask(local, WriteReport("json", "")).error)


def test_the_outputs_of_the_action_are_those_that_are_set() -> None:
    action = yaml.safe_load((Path(__file__).parents[2] / "action.yml").read_text(encoding="utf-8"))
    assert set(OUTPUTS) == set(action["outputs"])
