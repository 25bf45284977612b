"""A child that a page has taken over, hostile in every frame: its parent neither fails nor does what is not allowed."""

import os
import signal
import socket
import struct
import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import chdir, closing
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from children import forked, in_child
from runner_model import outputs
from sitemap_action.__main__ import run
from sitemap_action.cli import action, privilege
from sitemap_action.cli.effects import OUTPUTS, LocalEffects
from sitemap_action.cli.preload import preload
from sitemap_action.cli.privilege import RemoteEffects, _answer, _receive, _serve, serve_child
from sitemap_action.config.layers import Origin, Setting
from sitemap_action.console.runner_files import RunnerFile, RunnerFiles
from sitemap_action.errors import PublishError
from sitemap_action.model.context import Mode
from sitemap_action.model.step import DeleteFile, WriteFile, decode, encode
from sitemap_action.runner.event import ActionInputs
from sitemap_action.sitemap.write import GENERATOR

EXAMPLES = 200
ACTION = ActionInputs(Mode.WRITE, "", summary=True, report_path="reports", layers=())
OURS = f"<?xml?>\n{GENERATOR}\n".encode()
USERS = {
    "package.json": b"{}",
    "robots.txt": b"User-agent: *",
    "sitemap-1.xml": b"<urlset/>",
    ".git/config": b"[core]",
    ".github/workflows/ci.yml": b"on: push",
    "sub/.git/config": b"[core]",
}


class Place:
    """A workspace, and beside it what no request may reach."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "workspace"
        self.outside = folder / "outside"
        for name, content in USERS.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_bytes(content)
        (self.root / "ours-1.xml").write_bytes(OURS)
        self.outside.mkdir()
        (self.outside / "s.xml").write_bytes(OURS)
        (self.root / "link").symlink_to(self.outside)
        (self.root / "link.xml").symlink_to(self.outside / "s.xml")
        self.output, self.summary = folder / "output", folder / "summary"

    def effects(self) -> LocalEffects:
        with pytest.MonkeyPatch.context() as environment:
            environment.setenv("GITHUB_OUTPUT", str(self.output))
            environment.setenv("GITHUB_STEP_SUMMARY", str(self.summary))
            found = LocalEffects(ACTION, writes=True)
        found.sitemaps_only = True
        return found

    def check(self) -> None:
        """Only sitemaps and the report are new, only what is ours is gone, and nothing else has changed."""
        assert [path.name for path in self.outside.rglob("*")] == ["s.xml"]
        assert (self.outside / "s.xml").read_bytes() == OURS
        for name, content in USERS.items():
            if "sitemap" not in name:
                assert (self.root / name).read_bytes() == content
        assert (self.root / "sitemap-1.xml").exists()
        assert (self.root / "link").is_symlink()
        assert (self.root / "link.xml").is_symlink()
        for path in self.root.rglob("*"):
            name = str(path.relative_to(self.root))
            if path.is_file() and name not in {*USERS, "ours-1.xml", "link.xml"} and not name.startswith("link/"):
                assert "sitemap" in path.name.casefold() or name in {
                    "reports/report.json",
                    "reports/report.html",
                    "reports/.gitignore",
                }, name
                assert not {".git", ".github"} & {part.casefold() for part in path.parts}
        text = self.output.read_text(encoding="utf-8") if self.output.exists() else ""
        assert set(outputs(text)) <= set(OUTPUTS)


def in_a_place(work: Callable[[LocalEffects], None]) -> None:
    with tempfile.TemporaryDirectory() as name:
        place = Place(Path(name))
        local = place.effects()
        with chdir(place.root), closing(local.runner):
            work(local)
            local.finish()
            place.check()


def serve(sent: bytes) -> Callable[[LocalEffects], None]:
    def work(local: LocalEffects) -> None:
        here, there = socket.socketpair()
        with here:
            writer = threading.Thread(target=_send_all, args=(here, sent))
            writer.start()
            _serve(there, local)
            writer.join(60)
            assert not writer.is_alive()

    return work


def _send_all(end: socket.socket, sent: bytes) -> None:
    try:
        end.sendall(sent)
        end.shutdown(socket.SHUT_WR)
        while end.recv(65_536):
            pass
    except OSError:
        return  # the parent has stopped listening


def message(*frames: bytes) -> bytes:
    return struct.pack(">I", len(frames)) + b"".join(struct.pack(">Q", len(frame)) + frame for frame in frames)


PATHS = st.sampled_from(
    [
        "sitemap.xml",
        "a/b/sitemap.xml",
        "../outside/sitemap.xml",
        "../outside/s.xml",
        "a/../../outside/sitemap.xml",
        "/sitemap-of-a-test/no-such-folder/sitemap.xml",
        "link/s.xml",
        "link/sitemap.xml",
        "link.xml",
        "link/../sitemap.xml",
        ".git/sitemap.xml",
        ".GIT/sitemap.xml",
        ".git./sitemap.xml",
        "sub/.git/sitemap.xml",
        ".github/sitemap.xml",
        ".github/workflows/sitemap.json",
        "package.json",
        "robots.txt",
        "pom.xml",
        "a\0sitemap.xml",
        "sitemap.xml/sitemap.xml",
        "sitemap.xml\n::error::x",
        "sitemap" + "x" * 300 + ".xml",
        "d/" * 3_000 + "sitemap.xml",
        "",
        ".",
        "..",
        "/",
        "~/sitemap.xml",
        "C:\\sitemap.xml",
        "\udcffsitemap.xml",
        "ours-1.xml",
        "sitemap-1.xml",
        ".gitignore",
        "reports/.gitignore",
        ".sitemap-action-notes.md",
    ]
) | st.text(max_size=20).map(lambda text: f"{text}.xml")
FRAMES = st.one_of(
    st.sampled_from(
        [
            b"apply",
            b"report",
            b"json",
            b"html",
            b"outputs",
            b"write-file",
            b"delete-file",
            b"1",
            b"2",
            b"0",
            b"-1",
            b"\xb2",
        ]
    ),
    PATHS.map(lambda path: path.encode(errors="surrogateescape" if "\udcff" in path else "replace")),
    st.sampled_from([name.encode() for name in OUTPUTS]),
    st.sampled_from([b"in-sync", b"true", b"7", b"LD_PRELOAD", b"a\nb", b"", b"\xff"]),
    st.binary(max_size=40),
)
STEPS = st.lists(
    st.one_of(st.builds(WriteFile, PATHS, st.binary(max_size=20)), st.builds(DeleteFile, PATHS)), max_size=4
)


def encodable(steps: list[WriteFile | DeleteFile]) -> bytes:
    try:
        return message(b"apply", *encode(steps))
    except UnicodeEncodeError:
        return b""


@pytest.mark.attack("root")
@settings(max_examples=EXAMPLES, deadline=None)
@given(st.binary(max_size=200))
@example(b"\xff" * 64)
@example(b"\0\0\0\2" + b"\0" * 8 + b"\x7f" + b"\xff" * 7)
def test_S_02_S_10_raw_bytes(sent: bytes) -> None:
    in_a_place(serve(sent))


@pytest.mark.attack("root")
@settings(max_examples=EXAMPLES, deadline=None)
@given(st.lists(st.lists(FRAMES, max_size=8), max_size=5), st.integers(0, 400), st.binary(max_size=4))
def test_S_02_S_10_frames_with_damage(messages: list[list[bytes]], where: int, damage: bytes) -> None:
    sent = b"".join(message(*frames) for frames in messages)
    in_a_place(serve(sent[:where] + damage + sent[where + len(damage) :] if damage else sent))


@pytest.mark.attack("root")
@settings(max_examples=EXAMPLES, deadline=None)
@given(st.lists(STEPS, min_size=1, max_size=3))
@example([[DeleteFile("package.json")]])
@example([[WriteFile("package.json", b'{"scripts": {}}')]])
@example([[WriteFile("sitemap.xml", b"x"), DeleteFile("sitemap.xml")]])
@example([[WriteFile("sitemap.xml", b"x")] * 3])
def test_S_02_S_10_steps_with_hostile_values(plans: list[list[WriteFile | DeleteFile]]) -> None:
    in_a_place(serve(b"".join(encodable(steps) for steps in plans)))


@pytest.mark.attack("root")
@settings(max_examples=EXAMPLES, deadline=None)
@given(st.lists(FRAMES, max_size=10))
def test_S_10_every_request_has_an_answer(frames: list[bytes]) -> None:
    def work(local: LocalEffects) -> None:
        answer = _answer(local, frames)
        assert len(answer) in {1, 3}

    in_a_place(work)


@pytest.mark.attack("root")
@settings(max_examples=EXAMPLES, deadline=None)
@given(st.lists(FRAMES, max_size=10))
def test_S_10_decoding_gives_steps_or_a_ValueError(frames: list[bytes]) -> None:
    try:
        steps = list(decode(frames))
    except ValueError:
        return
    assert list(encode(steps)) == frames


@pytest.mark.attack("root")
@pytest.mark.parametrize(
    ("error", "says"),
    [(RecursionError("deep"), "deep"), (MemoryError(), ""), (KeyError("x"), "x"), (AssertionError("y"), "y")],
)
def test_S_10_no_exception_ends_the_parent(error: Exception, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(LocalEffects, "report", fail)

    def work(local: LocalEffects) -> None:
        assert says in _answer(local, [b"report", b"json", b""])[1].decode()

    in_a_place(work)


@pytest.mark.attack("root")
def test_S_10_memory_grows_with_what_came(monkeypatch: pytest.MonkeyPatch) -> None:
    """A length is only a number, and a message has a limit as a whole."""
    asked: list[int] = []

    class Stream:
        def __init__(self, data: bytes) -> None:
            self.data = data

        def read(self, size: int) -> bytes:
            asked.append(size)
            found, self.data = self.data[:size], self.data[size:]
            return found

    assert _receive(Stream(b"\0\0\0\1" + struct.pack(">Q", 2**29) + b"x")) is None  # type: ignore[arg-type]
    assert max(asked) <= 2**20
    monkeypatch.setattr(privilege, "_LARGEST", 10)
    assert _receive(Stream(message(b"x" * 5, b"x" * 5))) == [b"x" * 5] * 2  # type: ignore[arg-type]
    assert _receive(Stream(message(b"x" * 5, b"x" * 6))) is None  # type: ignore[arg-type]


@pytest.mark.attack("root")
def test_S_10_endless_requests_are_not_answered() -> None:
    in_a_place(serve(message(b"report", b"html", b"{}") * 1_000))
    in_a_place(serve(message(b"outputs", b"# text") * 1_000))


@pytest.mark.attack("root")
def test_S_10_outputs_are_set_once() -> None:
    def work(local: LocalEffects) -> None:
        assert _answer(local, [b"outputs", b"# one", b"result", b"drift"]) == [b""]
        assert b"set already" in _answer(local, [b"outputs", b"# two", b"result", b"in-sync"])[1]
        assert Path("../summary").read_text() == "# one"

    in_a_place(work)


@pytest.mark.attack("root")
@pytest.mark.parametrize(
    ("given_sitemap", "path", "allowed"),
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
def test_S_10_in_a_workspace_of_root_only_sitemaps_are_written(given_sitemap: str, path: str, allowed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    """There the child could not write itself: what builds execute has other names."""
    monkeypatch.chdir(tmp_path)
    layers = (Setting(Origin.INPUT, "input sitemap", "sitemap", given_sitemap),) if given_sitemap else ()
    local = LocalEffects(ActionInputs(Mode.WRITE, "", summary=False, report_path="r", layers=layers), writes=True)
    local.sitemaps_only = True
    answer = _answer(local, [b"apply", *encode([WriteFile(path, b"x")])])
    assert (len(answer) == 1) is allowed  # an error has two more frames
    assert (tmp_path / path).exists() is allowed
    local.sitemaps_only = False
    local.apply([WriteFile("pages.xml", b"x")])


# How the child ends, and what the parent makes of it.
AS_ROOT = pytest.mark.skipif(os.name != "posix" or os.getuid() != 0, reason="only root can give root up")


def _publish(effects: RemoteEffects) -> None:
    effects.publish_outputs("", {"result": "in-sync"})


def _raw(sent: bytes) -> Callable[[RemoteEffects], None]:
    def send(effects: RemoteEffects) -> None:
        effects._stream.write(sent)
        effects._stream.flush()

    return send


def _leave_a_process_behind(effects: RemoteEffects) -> None:
    _publish(effects)
    if os.fork() == 0:  # it holds the connection, and nothing that the test waits for; its parent does not wait for it
        kept = effects._stream.fileno()
        os.closerange(3, kept)
        os.closerange(kept + 1, 4_096)
        signal.alarm(120)
        signal.pause()


ENDS: list[tuple[str, Callable[[RemoteEffects], None], int, int]] = [
    ("a result", _publish, 0, 0),
    ("a result, and an error", _publish, 3, 3),
    ("nothing", lambda _: None, 0, 70),
    ("nothing, and an error", lambda _: None, 2, 2),
    ("a frame that is cut off", _raw(b"\0\0\0\2" + b"\0" * 8 + b"\7"), 0, 70),
    ("too many frames", _raw(b"\xff" * 100), 0, 70),
    ("an unknown request", _raw(message(b"sh", b"-c", b"id")), 0, 70),
    ("outputs that there are not", _raw(message(b"outputs", b"", b"LD_PRELOAD", b"x")), 0, 70),
    ("a result that there is not", _raw(message(b"outputs", b"", b"result", b"fine")), 0, 70),
    ("a process that it leaves behind", _leave_a_process_behind, 0, 0),
]


@pytest.mark.attack("root")
@AS_ROOT
@pytest.mark.parametrize(("does", "exits", "code"), [row[1:] for row in ENDS], ids=[row[0] for row in ENDS])
def test_S_10_the_exit_code_is_honest(does: Callable[[RemoteEffects], None], exits: int, code: int, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    """A run without a result is no success, whatever the child says at its end."""

    preload()  # once, and not in each process

    def child(*given: object) -> int:
        does(given[-1])  # type: ignore[arg-type]
        return exits

    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        (Path(name) / "w").mkdir()
        os.chown(Path(name) / "w", 1001, 127)
        monkeypatch.chdir(Path(name) / "w")
        monkeypatch.setenv("GITHUB_ACTIONS", "true")
        monkeypatch.setenv("GITHUB_OUTPUT", f"{name}/output")
        monkeypatch.setattr(action, "_run", child)
        monkeypatch.setattr(privilege, "start", forked(lambda: run(["run", "--unprivileged"])))
        ended = in_child(lambda: os._exit(run(["run", "--unprivileged"])))
        found = outputs(Path(name, "output").read_text())
    assert ended == code
    assert found["result"] == ("in-sync" if does in {_publish, _leave_a_process_behind} else "")


# What the folder of the runner's files holds under the name, and why it is refused.
RUNNER: list[tuple[str, Callable[[Path], object], str]] = [
    ("a link to a file", lambda at: at.symlink_to(at.with_name("roots")), "symbolic links"),
    ("a dangling link", lambda at: at.symlink_to(at.with_name("new")), "symbolic links"),
    ("a link to itself", lambda at: at.symlink_to(at.name), "symbolic links"),
    ("a folder", lambda at: at.mkdir(), "Is a directory"),
    ("a pipe without a reader", os.mkfifo, "No such device or address"),
    ("a name that is too long", lambda _: None, "File name too long"),
]


@pytest.mark.attack("root")
@pytest.mark.skipif(os.name != "posix", reason="links and pipes of POSIX")
@pytest.mark.parametrize(("plant", "why"), [row[1:] for row in RUNNER], ids=[row[0] for row in RUNNER])
def test_S_02_a_file_of_the_runner_that_is_none(plant: Callable[[Path], object], why: str, tmp_path: Path) -> None:
    at = tmp_path / ("output" if "too long" not in why else "x" * 300)
    (tmp_path / "roots").write_text("of root")
    plant(at)
    with pytest.raises(PublishError, match=why):
        RunnerFile.open(str(at)).append("x")
    assert (tmp_path / "roots").read_text() == "of root"
    assert not (tmp_path / "new").exists()


@pytest.mark.attack("root")
@pytest.mark.skipif(os.name != "posix", reason="links and pipes of POSIX")
def test_S_02_the_files_of_the_runner_are_opened_once(tmp_path: Path) -> None:
    """On a runner their folder belongs to the user that the child becomes."""
    (tmp_path / "roots").write_text("of root")
    files = RunnerFiles({"GITHUB_OUTPUT": f"{tmp_path}/output", "GITHUB_STEP_SUMMARY": f"{tmp_path}/summary"})
    for name in ("output", "summary"):
        (tmp_path / name).rename(tmp_path / f"moved-{name}")
        (tmp_path / name).symlink_to("roots")
    files.write_outputs({"result": "drift"})
    files.write_summary("# é")
    files.close()
    assert (tmp_path / "roots").read_text() == "of root"
    assert outputs((tmp_path / "moved-output").read_text()) == {"result": "drift"}
    assert (tmp_path / "moved-summary").read_text() == "# é"


@pytest.mark.attack("root")
@AS_ROOT
def test_S_02_the_child_has_no_file_of_the_runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory() as name:
        os.chown(name, 1001, 127)
        monkeypatch.chdir(name)
        monkeypatch.setenv("GITHUB_OUTPUT", str(tmp_path / "output"))

        program = "import os\nfrom sitemap_action.cli.privilege import enter_child\n"
        program += "enter_child()\nopened = {os.path.realpath(f'/proc/self/fd/{one}') for one in os.listdir('/proc/self/fd')}\n"
        program += f"os._exit(1 if {str(tmp_path / 'output')!r} in opened or 'GITHUB_OUTPUT' in os.environ else 9)"
        monkeypatch.setattr(privilege, "_COMMAND", (sys.executable, "-c", program))
        assert in_child(lambda: os._exit(serve_child(LocalEffects(ACTION, writes=True)))) == 9
