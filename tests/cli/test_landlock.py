"""What a process may write after it has restricted itself, tried in one."""

import os
import subprocess
from pathlib import Path

import pytest

from children import in_child
from sitemap_action.cli.isolate import write_only_below

pytestmark = pytest.mark.attack("root")


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
        restricted(inside, Path("/dev"))
        assert subprocess.run(["rm", str(outside / "env")], stderr=subprocess.DEVNULL, check=False).returncode

    outcome(in_child(work))
    assert (outside / "env").exists()
