"""Temporary folders of git: what a killed process leaves is removed by the next one, what a living one has is not."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sitemap_action.repo.git_process import make_folder

PREFIX = "sitemap-action-test-"
CHILD = """
import sys
from sitemap_action.repo.git_process import make_folder
folder, remove = make_folder(sys.argv[1])
(folder / "network").write_text("a token")
print(folder, flush=True)
sys.stdin.read()
remove()
"""


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def start(temporary: Path) -> tuple[subprocess.Popen[str], Path]:
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, PREFIX],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"TMPDIR": str(temporary), "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    assert child.stdout is not None
    return child, Path(child.stdout.readline().strip())


def test_a_folder_goes_when_it_is_removed(temporary: Path) -> None:
    folder, remove = make_folder(PREFIX)
    assert list(temporary.iterdir()) == [folder]
    remove()
    assert list(temporary.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such lock")
def test_what_a_killed_process_leaves_is_removed_and_what_a_living_one_has_is_not(temporary: Path) -> None:
    killed, abandoned = start(temporary)
    killed.kill()
    killed.communicate()
    assert (abandoned / "network").exists()
    living, used = start(temporary)
    folder, remove = make_folder(PREFIX)
    assert sorted(temporary.iterdir()) == sorted([used, folder])
    remove()
    living.communicate("")
    assert list(temporary.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such lock")
def test_a_link_is_no_folder_of_ours(temporary: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "kept").touch()
    (temporary / f"{PREFIX}link").symlink_to(elsewhere)
    make_folder(PREFIX)[1]()
    assert (elsewhere / "kept").exists()
