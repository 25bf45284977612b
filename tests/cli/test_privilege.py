"""What a child that gave root up may ask of its parent, and what the parent refuses."""

import io
import json
import os
import socket
import threading
from pathlib import Path

import pytest

from runner_model import outputs
from sitemap_action.cli.effects import OUTPUTS, LocalEffects
from sitemap_action.cli.privilege import RemoteEffects, _answer, _receive, _send, give_up_root
from sitemap_action.errors import PublishError
from sitemap_action.model.context import Mode
from sitemap_action.model.step import DeleteFile, WriteFile
from sitemap_action.runner.event import ActionInputs

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
def own() -> LocalEffects:
    return LocalEffects(ACTION, writes=True)


def test_what_is_asked_is_done(own: LocalEffects, workspace: Path) -> None:
    (workspace / "stale-1.xml").write_text("x")
    here, there = socket.socketpair()
    with here, there, here.makefile("rwb") as asks, there.makefile("rwb") as answers:

        def parent() -> None:
            while (frames := _receive(answers)) is not None:
                _send(answers, _answer(own, frames))

        served = threading.Thread(target=parent)
        served.start()
        remote = RemoteEffects(asks)
        remote.apply([WriteFile("é/sitemap.xml", b"\0" * 100_000), DeleteFile("stale-1.xml")])
        assert remote.report("{}") == "reports/report.json"
        remote.publish_outputs("# é", {"result": "drift"})
        with pytest.raises(PublishError, match="is no place for a sitemap") as refused:
            remote.apply([WriteFile("../sitemap.xml", b"")])
        assert refused.value.hint
        here.shutdown(socket.SHUT_RDWR)
        served.join(60)
    assert (workspace / "é/sitemap.xml").read_bytes() == b"\0" * 100_000
    assert not (workspace / "stale-1.xml").exists()
    assert (workspace / "reports/.gitignore").read_text() == "*\n"
    assert (workspace.parent / "summary").read_text(encoding="utf-8") == "# é"


@pytest.mark.parametrize(
    "path", [b"../x.xml", b"/tmp/x.xml", b".git/x.xml", b".github/x.xml", b"x.sh", b"\xff/../../x.xml"]
)
def test_a_child_that_was_taken_over_writes_only_sitemaps(own: LocalEffects, workspace: Path, path: bytes) -> None:
    answer, *error = _answer(own, [b"apply", path, b"w" + b"x"])
    assert answer == b""
    assert b"is no place for a sitemap" in error[0]
    assert list(workspace.parent.rglob("x.*")) == []


def test_a_check_writes_nothing_whatever_is_asked(workspace: Path) -> None:
    assert len(_answer(LocalEffects(ACTION, writes=False), [b"apply", b"sitemap.xml", b"wx"])) == 3
    assert list(workspace.iterdir()) == []


def test_after_a_signal_nothing_is_written(own: LocalEffects, workspace: Path) -> None:
    own.stop()
    assert b"stopped" in _answer(own, [b"apply", b"sitemap.xml", b"wx"])[1]
    assert list(workspace.iterdir()) == []


def test_it_sets_the_outputs_that_there_are_and_no_other(own: LocalEffects, workspace: Path) -> None:
    given = {"result": "in-sync\nchanged=true", "LD_PRELOAD": "x", "x<<y": "z"}
    _answer(own, [b"outputs", b"", json.dumps(given).encode()])
    found = outputs((workspace.parent / "output").read_text())
    assert set(found) == set(OUTPUTS)
    assert (found["result"], found["changed"]) == ("in-sync\nchanged=true", "false")


def test_what_is_not_offered_does_nothing(own: LocalEffects, workspace: Path) -> None:
    assert _answer(own, [b"run", b"sh"]) == [b""]
    assert list(workspace.iterdir()) == []


@pytest.mark.parametrize("sent", [b"", b"\0", b"\0\0\0\1", b"\0\0\0\1\0\0"])
def test_a_child_that_dies_halfway_has_asked_for_nothing(sent: bytes) -> None:
    assert _receive(io.BytesIO(sent)) is None  # type: ignore[arg-type]


def test_outputs_are_set_when_nobody_set_them(own: LocalEffects, workspace: Path) -> None:
    own.finish()
    assert outputs((workspace.parent / "output").read_text())["changed"] == "false"
    own.published = True
    own.finish()
    assert (workspace.parent / "output").read_text().count("changed<<") == 1


def test_who_is_not_root_has_nothing_to_give_up(own: LocalEffects, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1001)
    assert give_up_root(own) is own
