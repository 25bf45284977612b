"""What a child that gave root up may request of its parent, and what the parent refuses."""

import io
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
from msgspec.structs import replace

from children import forked, in_child
from runner_model import outputs
from sitemap_action.cli import privilege
from sitemap_action.cli.effects import OUTPUTS, LocalEffects
from sitemap_action.cli.privilege import RemoteEffects, _answer, _drop, _receive, _serve, enter_child, serve_child
from sitemap_action.config.layers import Origin, Setting
from sitemap_action.errors import PublishError
from sitemap_action.model.context import Forge, Mode
from sitemap_action.model.publication import CommitFiles, Counts, FileChange, Published, Publishing
from sitemap_action.model.step import DeleteFile, WriteFile, encode
from sitemap_action.publish.apply import Authority
from sitemap_action.repo.api import Api, ApiAnswer
from sitemap_action.runner.event import ActionInputs
from sitemap_action.sitemap.write import GENERATOR

WRITE = [b"apply", *encode([WriteFile("sitemap.xml", b"x")])]
ACTION = ActionInputs(Mode.WRITE, "", summary=True, report_path="reports", layers=())


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
    return LocalEffects(ACTION, writes=True)


def test_what_is_requested_is_done(local: LocalEffects, workspace: Path) -> None:
    (workspace / "stale-1.xml").write_text(f"<?xml?>\n{GENERATOR}\n")
    here, there = socket.socketpair()
    with here, here.makefile("rwb") as requests:
        parent = threading.Thread(target=_serve, args=(there, local))
        parent.start()
        remote = RemoteEffects(requests)
        remote.apply([WriteFile("é/sitemap.xml", b"\0" * 100_000), DeleteFile("stale-1.xml")])
        assert remote.report("json", "{}") == "reports/report.json"
        assert remote.report("html", "<p>é") == "reports/report.html"
        remote.publish_outputs("# é", {"result": "drift"})
        with pytest.raises(PublishError, match="a sitemap cannot be written to") as refused:
            remote.apply([WriteFile("../sitemap.xml", b"")])
        assert refused.value.hint
        here.shutdown(socket.SHUT_RDWR)
        parent.join(60)
        assert not parent.is_alive()
    assert (workspace / "é/sitemap.xml").read_bytes() == b"\0" * 100_000
    assert not (workspace / "stale-1.xml").exists()
    assert (workspace / "reports/.gitignore").read_text() == "*\n"
    assert (workspace.parent / "summary").read_text(encoding="utf-8") == "# é"


@pytest.mark.attack("root")
@pytest.mark.parametrize(
    "path", [b"../x.xml", b"/tmp/x.xml", b".git/x.xml", b".github/x.xml", b"x.sh", b"\xff/../../x.xml"]
)
def test_a_child_that_was_taken_over_writes_only_sitemaps(local: LocalEffects, workspace: Path, path: bytes) -> None:
    answer, *error = _answer(local, [b"apply", b"write-file", b"2", path, b"x"])
    assert answer == b""
    assert b"a sitemap cannot be written to" in error[0]
    assert list(workspace.parent.rglob("x.*")) == []


@pytest.mark.attack("root")
def test_a_check_writes_nothing_whatever_is_requested(workspace: Path) -> None:
    assert len(_answer(LocalEffects(ACTION, writes=False), WRITE)) == 3
    assert list(workspace.iterdir()) == []


@pytest.mark.attack("root")
def test_after_a_signal_nothing_is_written(local: LocalEffects, workspace: Path) -> None:
    local.stop()
    assert b"stopped" in _answer(local, WRITE)[1]
    assert list(workspace.iterdir()) == []


@pytest.mark.attack("root")
def test_it_sets_the_outputs_that_there_are_and_no_other(local: LocalEffects, workspace: Path) -> None:
    assert _answer(local, [b"outputs", b"", b"result", b"in-sync", b"report-json", b""]) == [b""]
    found = outputs((workspace.parent / "output").read_text())
    assert set(found) == set(OUTPUTS)
    assert (found["result"], found["changed"]) == ("in-sync", "false")


MALFORMED = (
    ("no request at all", []),
    ("unknown request", [b"run", b"sh"]),
    ("unknown kind of step", [b"apply", b"run-program", b"1", b"sh"]),
    ("a kind without its number of fields", [b"apply", b"write-file"]),
    ("a number that is none", [b"apply", b"write-file", b"two", b"sitemap.xml", b"x"]),
    ("a negative number", [b"apply", b"write-file", b"-1", b"sitemap.xml", b"x"]),
    ("a number beyond every limit", [b"apply", b"write-file", b"9" * 30, b"sitemap.xml", b"x"]),
    ("a number of thousands of digits", [b"apply", b"write-file", b"9" * 9_000, b"sitemap.xml", b"x"]),
    ("fields are missing", [b"apply", b"write-file", b"2", b"sitemap.xml"]),
    ("too few fields", [b"apply", b"write-file", b"1", b"sitemap.xml"]),
    ("too many fields", [b"apply", b"delete-file", b"2", b"sitemap.xml", b"x"]),
    ("good steps before a bad one", [b"apply", b"write-file", b"2", b"sitemap.xml", b"x", b"?", b"0"]),
    ("a path with a NUL", [b"apply", b"write-file", b"2", b"a\0.xml", b"x"]),
    ("a path that is too long", [b"apply", b"write-file", b"2", b"x" * 5_000 + b".xml", b"x"]),
    ("a result with a line break", [b"outputs", b"", b"result", b"in-sync\nchanged=true"]),
    ("a result that there is not", [b"outputs", b"", b"result", b"fine"]),
    ("an output that there is not", [b"outputs", b"", b"LD_PRELOAD", b"x"]),
    ("an output that begins another", [b"outputs", b"", b"x<<y", b"z"]),
    ("a path with a line break", [b"outputs", b"", b"sitemap-path", b"a\nb"]),
    ("a count that is none", [b"outputs", b"", b"url-count", b"-1"]),
    ("a count of other digits", [b"outputs", b"", b"url-count", "\u0661".encode()]),
    ("a report in no UTF-8", [b"report", b"json", b"\xff"]),
    ("a report of no format", [b"report", b"{}"]),
    ("a report of a format that is not kept", [b"report", b"text", b"x"]),
    ("a report with a name of its own", [b"report", b"../x.html", b"x"]),
    ("a report in two parts", [b"report", b"json", b"{", b"}"]),
    ("outputs without summary", [b"outputs"]),
    ("an output without value", [b"outputs", b"", b"result"]),
    ("a summary in no UTF-8", [b"outputs", b"\xff"]),
    ("an output in no UTF-8", [b"outputs", b"", b"result", b"\xff"]),
)


@pytest.mark.attack("root")
@pytest.mark.parametrize("frames", [pytest.param(frames, id=name) for name, frames in MALFORMED])
def test_a_malformed_request_is_answered_with_an_error(
    local: LocalEffects, workspace: Path, frames: list[bytes]
) -> None:
    answer, message, _hint = _answer(local, frames)
    assert answer == b""
    assert message
    assert list(workspace.rglob("*")) == []
    assert (workspace.parent / "output").read_text() == ""


def message(*frames: bytes) -> bytes:
    return struct.pack(">I", len(frames)) + b"".join(struct.pack(">Q", len(frame)) + frame for frame in frames)


NO_MESSAGE = (
    ("nothing", b""),
    ("half a count", b"\0"),
    ("no frame", b"\0\0\0\1"),
    ("half a length", b"\0\0\0\1\0\0"),
    ("half a frame", message(b"apply", b"write-file", b"2", b"sitemap.xml", b"a whole sitemap")[:-1]),
    ("more frames than any plan has", b"\xff\xff\xff\xff"),
    ("a frame larger than memory", b"\0\0\0\1" + b"\xff" * 8),
)


@pytest.mark.attack("root")
@pytest.mark.parametrize("sent", [pytest.param(sent, id=name) for name, sent in NO_MESSAGE])
def test_a_child_that_dies_halfway_has_requested_nothing(sent: bytes) -> None:
    assert _receive(io.BytesIO(sent)) is None  # type: ignore[arg-type]


@pytest.mark.attack("root")
@pytest.mark.parametrize("sent", [pytest.param(sent, id=name) for name, sent in NO_MESSAGE])
def test_the_parent_stops_listening_to_what_is_no_message(sent: bytes, local: LocalEffects, workspace: Path) -> None:
    here, there = socket.socketpair()
    with here:
        here.sendall(sent)
        here.shutdown(socket.SHUT_WR)
        _serve(there, local)
    assert list(workspace.iterdir()) == []


def test_a_child_that_died_before_the_answer_is_no_error(local: LocalEffects, workspace: Path) -> None:
    here, there = socket.socketpair()
    here.sendall(message(*WRITE) * 2)
    here.close()
    _serve(there, local)
    assert (workspace / "sitemap.xml").read_bytes() == b"x"


def test_outputs_are_set_when_the_run_set_none(local: LocalEffects, workspace: Path) -> None:
    local.finish()
    assert outputs((workspace.parent / "output").read_text())["changed"] == "false"
    local.published = True
    local.finish()
    assert (workspace.parent / "output").read_text().count("changed<<") == 1


AS_ROOT = pytest.mark.skipif(os.name != "posix" or os.getuid() != 0, reason="only root can give root up")
OWNER, GROUP = 1001, 127  # of the workspace; on some runners the group is docker's


@pytest.fixture
def reachable(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A workspace that its owner can reach: the folders of pytest are root's alone."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        os.chown(folder, OWNER, GROUP)
        monkeypatch.chdir(folder)
        yield folder


@pytest.mark.attack("root")
@AS_ROOT
def test_the_drop_leaves_no_user_and_no_group_of_root(reachable: Path) -> None:
    def drop() -> None:
        os.setgroups([0, GROUP])
        _drop(reachable)
        assert os.getresuid() == (OWNER,) * 3
        assert len(set(os.getresgid())) == 1
        assert os.getgid() not in {0, GROUP}
        assert os.getgroups() == []
        with pytest.raises(PermissionError):
            os.setresuid(0, 0, 0)

    assert in_child(drop) == 0


@pytest.mark.attack("root")
@AS_ROOT
def test_a_child_that_a_signal_ended_is_no_success(
    local: LocalEffects, reachable: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def work() -> None:
        enter_child().apply([WriteFile("sitemap.xml", b"x")])
        os.kill(os.getpid(), signal.SIGKILL)

    monkeypatch.setattr(privilege, "start", forked(work))

    def run() -> None:
        assert serve_child(local) == 128 + signal.SIGKILL

    assert in_child(run) == 0
    assert (reachable / "sitemap.xml").read_bytes() == b"x"
    assert (reachable / "sitemap.xml").stat().st_uid == OWNER


@pytest.mark.attack("root")
@AS_ROOT
def test_a_child_is_collected_after_its_watcher_has_seen_it_end(
    local: LocalEffects, reachable: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The watcher comes to its wait late: the child has closed the connection and ended long ago."""
    monkeypatch.setattr(privilege, "start", forked(lambda: enter_child().publish_outputs("", {})))
    wait, failures = os.waitid, list[object]()

    def late(*what: int) -> object:
        time.sleep(0.3)
        return wait(*what)

    def run() -> None:
        monkeypatch.setattr(os, "waitid", late)
        monkeypatch.setattr(threading, "excepthook", failures.append)
        assert serve_child(local) == 0
        time.sleep(0.5)
        assert not failures

    assert in_child(run) == 0


SORT = """
from sitemap_action.cli.privilege import enter_child
from sitemap_action.inventory.store import temporary
from sitemap_action.model.site import Role
from sitemap_action.model.sitemap import Entry

effects = enter_child()
with temporary() as inventory:
    urls = (f"https://www.example.com/{number:x}/" for number in range(200_000))
    inventory.add_entries(Role.COMMITTED, ((url, Entry(url)) for url in urls))
    print(sum(1 for _ in inventory.entries(Role.COMMITTED)), flush=True)
effects.publish_outputs("", {})
"""


@AS_ROOT
def test_a_large_site_is_sorted_where_the_child_may_write(
    reachable: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """SQLite would put what its memory does not hold into /var/tmp, which the child may not write to."""
    monkeypatch.delenv("TMPDIR", raising=False)
    monkeypatch.setattr(privilege, "_COMMAND", (sys.executable, "-c", SORT))

    def run() -> None:
        assert serve_child(LocalEffects(ACTION, writes=False)) == 0

    assert in_child(run) == 0, capfd.readouterr().err
    assert capfd.readouterr().out == "200000\n"


TOKEN = "ghs_0aBcDeFgHiJkLmNoPqRsTuVwXyZ"
SEARCH = """
import ctypes, os
from sitemap_action.cli.privilege import enter_child

effects = enter_child()
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
def test_the_child_has_no_token(
    reachable: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Neither in its environment nor in its memory, which it searches: there is only what it searches for."""
    numbers = str([ord(letter) ^ 85 for letter in TOKEN])
    script = SEARCH.replace("NUMBERS", numbers)
    monkeypatch.setattr(privilege, "_COMMAND", (sys.executable, "-c", script))
    for name in ("INPUT_TOKEN", "GITHUB_TOKEN", "ACTIONS_RUNTIME_TOKEN", "input_token"):
        monkeypatch.setenv(name, TOKEN)
    monkeypatch.setenv("INPUT_PATH", "dist")
    forge = Forge("https://api.github.example", "octo-org/site", TOKEN)
    local = LocalEffects(ACTION, writes=True, authority=Authority(Publishing(), forge))

    def run() -> None:
        assert serve_child(local) == 0

    assert in_child(run) == 0
    names, found = capfd.readouterr().out.splitlines()
    assert names == "['INPUT_PATH']"
    assert found == "found 1"


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
        "sitemap_action.publish.commit.commit_files", lambda step, *_: (done.append(step), Published())[1]
    )
    layers = (Setting(Origin.INPUT, "input sitemap", "sitemap", named),) if named else ()
    authority = Authority(Publishing(branch="main"), Forge("https://api.github.example", "octo-org/site", TOKEN))
    local = LocalEffects(replace(ACTION, layers=layers), writes=True, authority=authority, serving=True)
    step = CommitFiles(
        "main", "a" * 40, Counts(1, 0, 0), "", (FileChange("sitemap.xml", b"x"), FileChange(path, content))
    )
    answer = _answer(local, [b"apply", *encode([step])])
    assert (len(answer) == 1, len(done)) == (allowed, int(allowed)), answer


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
    asked: list[str] = []
    monkeypatch.setattr(Api, "get", lambda _, path, __: (asked.append(path), ApiAnswer(200, "text/plain", b"x"))[1])
    forge = Forge("https://api.github.example", "octo-org/site", TOKEN)
    local = LocalEffects(ACTION, writes=True, authority=Authority(Publishing(), forge))
    url = f"https://api.github.example/repos/octo-org/site/{path}"
    answer, *error = _answer(local, [b"read", url.encode(), b"application/json"])
    assert (asked, bool(error)) == (([path], False) if allowed else ([], True)), answer
    assert len(_answer(local, [b"read", b"https://evil.example/repos/octo-org/site/contents/x", b""])) == 3
    assert len(_answer(LocalEffects(ACTION, writes=True), [b"read", url.encode(), b""])) == 3
