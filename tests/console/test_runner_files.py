"""The files of a runner are opened once, and only where they are regular files."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from runner_model import outputs
from sitemap_action.cli.effects import RunnerFile, RunnerFiles
from sitemap_action.errors import PublishError

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
        RunnerFile(str(at)).append("x")
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
