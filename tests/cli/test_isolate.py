"""What the process that reads may request of the one that publishes, what that refuses, and how their end is judged."""

import os
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import pytest
import yaml
from msgspec import msgpack

from children import in_child
from effects import API, OURS, OUTPUTS, REPOSITORY, TOKEN, LocalEffects, PublishError, make_effects, record_reads
from isolation import HEAD, command, in_reader, serve, with_reader
from runner_model import outputs
from sitemap_action.cli import isolate
from sitemap_action.cli.isolate import (
    Answer,
    RemoteEffects,
    answer_request,
    receive_message,
)
from sitemap_action.cli.kernel_locks import write_only_below
from sitemap_action.model.step import CommitFiles, Counts, FileChange, Published, SiteMark
from sitemap_action.repo.github import GitHub

WRITE = ("apply", ((FileChange("sitemap.xml", b"x"),),))


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


def message(request: object) -> bytes:
    encoded = msgpack.encode(request)
    return struct.pack(">Q", len(encoded)) + encoded


def test_what_is_requested_is_done(local: LocalEffects, workspace: Path) -> None:
    (workspace / "stale-1.xml").write_bytes(OURS)
    odd = os.fsdecode(b"sitemap-\xff.xml")
    here, there = socket.socketpair()
    with here, here.makefile("rwb") as requests:
        parent = threading.Thread(target=serve, args=(there, local))
        parent.start()
        remote = RemoteEffects(requests)
        remote.apply(
            [FileChange("é/sitemap.xml", b"\0" * 100_000), FileChange("stale-1.xml", None), FileChange(odd, b"x")]
        )
        assert remote.report("json", "{}") == "reports/report.json"
        assert remote.report("html", "<p>é\ud800") == "reports/report.html"
        remote.publish_outputs("# é", {"result": "drift"})
        with pytest.raises(PublishError, match="a sitemap cannot be written to") as refused:
            remote.apply([FileChange("../sitemap.xml", b"")])
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
    assert ask(local, ("apply", ((FileChange(path, b"x"),),))).error
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
    assert ask(local, ("publish_outputs", ("# one", {"result": "in-sync", "report-json": ""}))) == Answer()
    found = outputs((workspace.parent / "output").read_text())
    assert set(found) == set(OUTPUTS)
    assert (found["result"], found["changed"]) == ("in-sync", "false")
    assert "set already" in str(ask(local, ("publish_outputs", ("# two", {"result": "drift"}))).error)
    assert (workspace.parent / "summary").read_text() == "# one"


MALFORMED: tuple[tuple[str, object], ...] = (
    ("nothing", b""),
    ("no msgpack", b"\xc1"),
    ("an unknown request", ("run", ("sh",))),
    ("no name of an effect", ((),)),
    ("an unknown kind of step", ("apply", ([{"type": "RunProgram", "path": "sh"}],))),
    ("a step without a field", ("apply", ([{"type": "FileChange", "path": "sitemap.xml"}],))),
    ("a step of other types", ("apply", ([{"type": "FileChange", "path": 7, "content": b"x"}],))),
    ("good steps before a bad one", ("apply", ([WRITE[1][0][0], {"type": "?"}],))),
    ("steps that are none", ("apply", ({},))),
    ("a path of other characters", ("apply", ((FileChange("\u20ac.xml", b"x"),),))),
    ("a sitemap that is deleted beside the report", ("keep", ([FileChange("s.xml", None)],))),
    ("a result with a line break", ("publish_outputs", ("", {"result": "in-sync\nchanged=true"}))),
    ("a result that there is not", ("publish_outputs", ("", {"result": "fine"}))),
    ("an output that there is not", ("publish_outputs", ("", {"LD_PRELOAD": "x"}))),
    ("an output that begins another", ("publish_outputs", ("", {"x<<y": "z"}))),
    ("a path with a line break", ("publish_outputs", ("", {"sitemap-path": "a\nb"}))),
    ("a count that is none", ("publish_outputs", ("", {"url-count": "-1"}))),
    ("a count of other digits", ("publish_outputs", ("", {"url-count": "\u0661"}))),
    ("a summary in no UTF-8", b"\x92\xafpublish_outputs\x92\xa1\xff\x80"),
    ("a report of no format", ("report", ("json",))),
    ("a report of a format that is not kept", ("report", ("text", "x"))),
    ("a report with a name of its own", ("report", ("../x.html", "x"))),
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
        serve(there, local)
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
    serve(there, local)
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
def test_which_files_of_a_branch_a_reader_may_change(
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
        (
            "apply",
            (
                (
                    CommitFiles(
                        "main", "a" * 40, Counts(1, 0, 0), SiteMark("https://www.example.com/", "sitemap.xml"), changes
                    ),
                ),
            ),
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
def test_S_10_only_sitemaps_are_written(named: str, path: str, allowed: bool, workspace: Path) -> None:
    """The reader cannot write itself: what builds execute has other names."""
    local = make_effects(sitemap=named, serving=True)
    assert (ask(local, ("apply", ((FileChange(path, b"x"),),))).error is None) is allowed
    assert (workspace / path).exists() is allowed
    local.serving = False
    local.apply([FileChange("pages.xml", b"x")])


@pytest.mark.parametrize(
    ("path", "content", "allowed"),
    [
        (".github/urls.txt", b"# addresses\n/a/\n/b/ gone 2026-01-01 over\n", True),
        ("docs/urls.txt", b"/a/\n", True),
        (".github/urls.txt", b"/a/\nevil==1.0\n", False),
        (".github/urls.txt", b"https://www.example.com/\n", False),
        (".github/requirements.txt", b"/a/\n", False),
        (".github/sitemap.txt", b"/a/\n", False),
        (".github/workflows/sitemap.yml", b"/a/\n", False),
        ("requirements.txt", b"/a/\n", False),
        (".git/urls.txt", b"/a/\n", False),
        (".github/../urls.txt", b"/a/\n", False),
        ("lists/published.txt", b"/a/\n/new/\n/old/\n", True),
        ("lists/published.txt", b"/new/\n/old/\n", False),
        ("lists/published.txt", b"/a/\n/old/\nevil @ x\n", False),
        ("lists/none.txt", b"/a/\n", False),
        ("lists/commands.txt", b"run\n/a/\n", False),
    ],
)
def test_S_10_a_ledger_is_written_where_it_is_one(path: str, content: bytes, allowed: bool, workspace: Path) -> None:
    """Its usual name, or a list of addresses that keeps each of them: no tool runs a line of it."""
    local = make_effects(serving=True)
    (workspace / "lists").mkdir()
    (workspace / "lists/published.txt").write_text("/a/\n/old/\n")
    (workspace / "lists/commands.txt").write_text("run\n")
    assert (ask(local, ("apply", ((FileChange(path, content),),))).error is None) is allowed
    assert ((workspace / path).exists() and (workspace / path).read_bytes() == content) is allowed


_MODULE = "export default {\n  site: 'https://www.example.com/',%s\n};\n"
_LIST = '{\n  "redirects": [\n    { "source": "%s", "destination": "%s", "permanent": true }\n  ]\n}\n'
_CONF = "rediraffe_redirects = {\n    'a.rst': 'b.rst',\n%s}\n"
# path, the file that is there, what is asked for, whether it is written
REDIRECTS: list[tuple[str, str | None, str, bool]] = [
    ("public/_redirects", "# ours\n/a /b 301\n", "# ours\n/a /b 301\n/old/ /new/ 301\n", True),
    ("public/_redirects", "/x /old 301\n", "/x /new 301\n/old /new 301\n", True),
    ("public/_redirects", "/x /a 301\n", "/x /old/* /new/:splat 301\n", False),
    ("public/_redirects", "/x /a 301\n", "/x /a 301\n/old/* /new/:splat 301\n", True),
    ("public/_redirects", "/x /a 301\n", "/x /a 301\n/* /new/:splat 301\n", False),
    ("public/_redirects", "/x /a 301\n", "/x /a 301\n/old https://evil.example/ 301\n", False),
    ("public/_redirects", "/x /a 301\n", "/x /a 301\n/old //evil.example/ 301\n", False),
    ("public/_redirects", "/x /a 301\n", "/x /a 301\n/old /new 302\n", False),
    ("public/_redirects", "/x /a 301\n", "/x /b 301\n/old /new 301\n", False),
    ("public/_redirects", "/x /a 301\n/y /b 301\n", "/x /a 301\n/old /new 301\n", False),
    ("public/_redirects", None, "/old /new 301\n", True),
    (".github/_redirects", None, "/old /new 301\n", False),
    (".git/_redirects", None, "/old /new 301\n", False),
    ("../_redirects", None, "/old /new 301\n", False),
    ("vercel.json", None, _LIST % ("/old", "/new"), True),
    ("vercel.json", None, _LIST % ("/(.*)", "/new"), False),
    ("vercel.json", '{"buildCommand": "make"}', _LIST % ("/old", "/new"), False),
    ("netlify.toml", '[build]\ncommand = "make"\n', '[build]\ncommand = "evil"\n\n[[redirects]]\n  from = "/a"\n  to = "/b"\n  status = 301\n', False),
    ("netlify.toml", '[build]\ncommand = "make"\n', '[build]\ncommand = "make"\n\n[[redirects]]\n  from = "/a"\n  to = "/b"\n  status = 301\n', True),
    ("astro.config.mjs", _MODULE % "", _MODULE % "\n  redirects: {\n    '/old': '/new/',\n  },", True),
    ("astro.config.mjs", _MODULE % "", _MODULE % "\n  redirects: {\n    '/old': process.exit(1),\n  },", False),
    ("astro.config.mjs", _MODULE % "", "evil();\n" + _MODULE % "\n  redirects: {\n    '/old': '/new/',\n  },", False),
    ("astro.config.mjs", None, _MODULE % "\n  redirects: {\n    '/old': '/new/',\n  },", False),
    ("docs/conf.py", _CONF % "", _CONF % "    'old.rst': 'new.rst',\n", True),
    ("docs/conf.py", _CONF % "", _CONF % "    'old.rst': 'new.rst',\n    'x': print(1),\n", False),
    ("docs/conf.py", _CONF % "", "import evil\n" + _CONF % "    'old.rst': 'new.rst',\n", False),
    ("docs/moved.txt", '"a.rst" "b.rst"\n', '"a.rst" "b.rst"\n"old.rst" "new.rst"\n', True),
    ("docs/moved.txt", '"a.rst" "b.rst"\n', '"a.rst" "b.rst"\nevil@ https://evil.example/x.txt\n', False),
    ("requirements.txt", "evil\n", "evil\na.rst b.rst\n", False),
    ("requirements.txt", None, "a.rst b.rst\n", False),
    ("content/new.md", "---\ntitle: x\n---\ntext\n", "---\ntitle: x\naliases:\n  - /old/\n---\ntext\n", True),
    ("content/new.md", "---\ntitle: x\n---\ntext\n", "---\ntitle: y\naliases:\n  - /old/\n---\ntext\n", False),
    ("content/new.md", "---\ntitle: x\n---\ntext\n", "---\ntitle: x\naliases:\n  - /old/\n---\nevil\n", False),
    ("package.json", "{}", _LIST % ("/old", "/new"), False),
    ("run.sh", None, "/old /new 301\n", False),
]  # fmt: skip


@pytest.mark.attack("root")
@pytest.mark.parametrize(("path", "before", "after", "allowed"), REDIRECTS)
def test_S_10_of_redirects_rows_alone_are_added(
    path: str, before: str | None, after: str, allowed: bool, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the work tree, and on the branch that is published to, whatever commit the reader names."""
    place = workspace / path
    if before is not None:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(before)
    answer = ask(make_effects(serving=True), ("apply", ((FileChange(path, after.encode(), redirects=True),),)))
    assert (answer.error is None, place.exists() and place.read_text() == after) == (allowed, allowed), answer
    committed: list[object] = []
    monkeypatch.setattr(
        "sitemap_action.publish.forge.commit_files", lambda step, *_: (committed.append(step), Published())[1]
    )
    monkeypatch.setattr(GitHub, "head", lambda _, branch: "b" * 40 if branch == "main" else None)
    monkeypatch.setattr(
        GitHub, "blob", lambda _, at, __: before.encode() if before is not None and at == "b" * 40 else None
    )
    mark, changes = (
        SiteMark("https://www.example.com/", "sitemap.xml"),
        (FileChange(path, after.encode(), redirects=True),),
    )
    local = make_effects(token=TOKEN, branch="main", serving=True)
    answer = ask(local, ("apply", ((CommitFiles("main", "a" * 40, Counts(1, 0, 0), mark, changes),),)))
    assert (answer.error is None, len(committed)) == (allowed, int(allowed)), answer


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
def test_what_a_reader_may_read_with_the_token_of_its_publisher(
    path: str, allowed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = record_reads(monkeypatch)
    local = make_effects(token=TOKEN)
    url = f"{API}/repos/{REPOSITORY}/{path}"
    answer = ask(local, ("read", (url, "application/json")))
    assert (asked, answer.error is None) == (([path], True) if allowed else ([], False)), answer
    assert ask(local, ("read", ("https://evil.example/repos/octo-org/site/contents/x", ""))).error
    assert ask(make_effects(), ("read", (url, ""))).error


@pytest.mark.attack("secrets")
def test_the_reader_is_told_that_there_is_a_token_and_nothing_of_it(local: LocalEffects) -> None:
    here, there = socket.socketpair()
    threading.Thread(target=lambda: (there.recv(1000), there.close())).start()
    with here, here.makefile("rwb") as stream:
        remote = RemoteEffects(stream, token=True)
        forge = remote.forge({"GITHUB_API_URL": API, "GITHUB_REPOSITORY": REPOSITORY, "INPUT_TOKEN": TOKEN})
        assert forge is not None
        assert TOKEN not in repr(forge)
        assert forge.token == "held by the publisher"
        assert RemoteEffects(stream).forge({"GITHUB_API_URL": API, "GITHUB_REPOSITORY": REPOSITORY}) is None
        with pytest.raises(PublishError, match="has ended"):
            remote.report("json", "{}")


@pytest.mark.attack("root")
def test_the_reader_does_not_set_variables_of_later_steps(
    local: LocalEffects, workspace: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Within its container Landlock keeps it to the workspace, where that can be written, and the temporary folder."""
    if in_child(lambda: os._exit(not write_only_below([Path("/")]))):
        pytest.skip("the kernel has no Landlock")
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        variables = Path(name, "set_env")
        variables.touch()
        program = f"""
from pathlib import Path
Path("state.db").touch()
try:
    open({str(variables)!r}, "a").write("LD_PRELOAD=x")
except PermissionError:
    print("denied", flush=True)
effects.publish_outputs("", {{}})
"""
        assert in_reader(program, local) == (0, 0)
        assert capfd.readouterr().err == "denied\n"
        assert variables.read_text() == ""
    assert (workspace / "state.db").exists()


# What the reader does at its end, its exit code, and what the publisher makes of it: the step fails with either.
PUBLISH = "effects.publish_outputs('', {'result': 'in-sync'})"
RAW = "effects._stream.write({}); effects._stream.flush()"
ENDS = [
    ("a result", PUBLISH, 0, 0),
    ("a result, and an error", PUBLISH, 3, 0),
    ("nothing", "", 0, 70),
    ("nothing, and an error", "", 2, 70),
    ("a message that is cut off", RAW.format(rb"b'\0' * 7 + b'\7' + b'x'".decode()), 0, 70),
    ("no message", RAW.format(r"b'\xff' * 100"), 0, 70),
    ("outputs that there are not", "try:\n    effects.publish_outputs('', {'LD_PRELOAD': 'x'})\nexcept Exception:\n    pass", 0, 70),
    ("a signal", f"{PUBLISH}\nos.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL, 0),
]  # fmt: skip


@pytest.mark.attack("root")
@pytest.mark.parametrize(("does", "exits", "code"), [row[1:] for row in ENDS], ids=[row[0] for row in ENDS])
def test_S_10_the_exit_code_is_honest(does: str, exits: int, code: int, tmp_path: Path) -> None:
    """A run without a result is no success, whatever the reader says at its end."""
    local = make_effects()

    def publish(here: socket.socket) -> int:
        with here.makefile("rwb") as stream:
            code = isolate.serve_reader(stream, local)
        local.finish("")
        return code

    assert with_reader(f"{HEAD}{does}\nsys.exit({max(exits, 0)})", publish) == (exits, code)
    found = outputs((tmp_path / "output").read_text())
    assert found["result"] == ("in-sync" if PUBLISH in does else "")


PROCESS = "import sys\nfrom sitemap_action.__main__ import run\nsys.exit(run(['run', '--as', {!r}]))"


def as_two_processes(given: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> tuple[int, int]:
    """The exit codes of the two processes of a whole run."""
    for name, value in {"GITHUB_ACTIONS": "true", **{f"INPUT_{name}": value for name, value in given.items()}}.items():
        monkeypatch.setenv(name, value)
    here, there = socket.socketpair()
    with (
        subprocess.Popen(command(PROCESS.format("reader")), stdin=there, stdout=there) as reader,
        subprocess.Popen(command(PROCESS.format("publisher")), stdin=here, stdout=here) as publisher,
    ):
        here.close()
        there.close()
        return reader.wait(60), publisher.wait(60)


@pytest.mark.parametrize("write", [False, True])
def test_a_whole_run_as_the_containers_start_it(
    write: bool, workspace: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (workspace / "dist").mkdir()
    (workspace / "dist/index.html").write_text("<!doctype html><title>A page</title><p>Some words")
    given = {"PATH": "dist", "SITE_URL": "https://www.example.com/", "SITEMAP": "sitemap.xml", "SUMMARY": "false"}
    given |= {"MODE": "write" if write else "check", "TOKEN": TOKEN}
    assert as_two_processes(given, monkeypatch) == (0 if write else 1, 0)
    printed = capfd.readouterr()
    assert printed.out == "", "standard output is the channel"
    assert printed.err.startswith(f"::add-mask::{TOKEN}\n"), "before anything is read"
    assert f"reading as user {os.getuid()}" in printed.err
    assert (workspace / "sitemap.xml").exists() is write
    assert (workspace / ".sitemap-action/report.json").exists()


def test_inputs_that_cannot_be_used_are_said_once(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert as_two_processes({"MODE": "none"}, monkeypatch) == (0, 2)
    assert capfd.readouterr().err.count("::error") == 1
    assert outputs((workspace.parent / "output").read_text())["changed"] == "false"


def test_after_a_signal_the_publisher_listens_and_writes_nothing(workspace: Path) -> None:
    """The reader has heard of it too: it ends of itself."""
    local = make_effects()

    def publish(here: socket.socket) -> int:
        def stop() -> None:
            while not (workspace / "started").exists():
                time.sleep(0.05)
            os.kill(os.getpid(), signal.SIGTERM)

        threading.Thread(target=stop, daemon=True).start()
        with here.makefile("rwb") as stream:
            return isolate.serve_reader(stream, local)

    program = """
from pathlib import Path
from sitemap_action.model.step import FileChange
Path("started").touch()
while True:
    try:
        effects.apply([FileChange("sitemap.xml", b"x")])
    except Exception as error:
        sys.exit(143 if "stopped" in str(error) else 1)
"""
    assert with_reader(HEAD + program, publish) == (143, 70)


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
    assert says in str(ask(local, ("report", ("json", ""))).error)


def test_the_outputs_of_the_action_are_those_that_are_set() -> None:
    action = yaml.safe_load((Path(__file__).parents[2] / "action.yml").read_text(encoding="utf-8"))
    assert set(OUTPUTS) == set(action["outputs"])
