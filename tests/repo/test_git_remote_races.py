"""Several writers at once, and writers that are killed after each step: nothing is lost, doubled or left behind."""

import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from forge.hub import Hub
from forge.repository import Repository
from pushes import COMMITS, PUBLISHES, SITE, git_hub, kill_after, left_over, remote, start, wrapped_git
from sitemap_action.repo.git_view import OwnFolder

STEPS = (
    "ls-remote",
    "fetch",
    "ls-tree",
    "hash-object",
    "read-tree",
    "update-index",
    "write-tree",
    "commit-tree",
    "push",
)
KILLS = [*((step, signal.SIGKILL) for step in STEPS), ("fetch", signal.SIGTERM), ("push", signal.SIGTERM)]


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    with git_hub(tmp_path / "srv") as made:
        yield made


@pytest.fixture
def site(hub: Hub) -> Repository:
    return hub.repositories[SITE]


@pytest.mark.parametrize(("writers", "each", "program"), [(2, 5, PUBLISHES), (4, 10, COMMITS)], ids=["2", "4"])
def test_a_race(hub: Hub, site: Repository, writers: int, each: int, program: str) -> None:
    """Fifty commits, each of which sets the same file."""
    hub.lock = nullcontext()  # type: ignore[assignment]  # pushes meet at git's own locks
    running = [
        start(hub, "sitemap.xml", *(f"{writer}-{number}" for number in range(each)), program=program)
        for writer in range(writers)
    ]
    answers = [process.communicate(timeout=300) for process in running]
    assert [process.returncode for process in running] == [0] * writers, answers
    made = [line for output, _ in answers for line in output.split()]
    history = site.log("main")[:-1]
    assert sorted(made) == sorted(history), "every commit that was made is on the branch, and no other"
    messages = [site.message(commit).partition("\n")[0] for commit in history]
    assert sorted(messages) == sorted(f"Set {writer}-{number}" for writer in range(writers) for number in range(each))
    assert all(len(site.parents(commit)) == 1 for commit in history)
    for commit, message in zip(history, messages, strict=True):
        assert site.read("sitemap.xml", commit) == message.removeprefix("Set ").encode()
    assert any("StaleBranchError" in errors for _, errors in answers), "they did meet"
    assert not left_over()


@pytest.mark.parametrize(("step", "number"), KILLS)
def test_killed_after_a_step(hub: Hub, site: Repository, tmp_path: Path, step: str, number: signal.Signals) -> None:
    path = wrapped_git(tmp_path / "bin", kill_after(step, number))
    killed = start(hub, "sitemap.xml", "1", env={"PATH": path})
    killed.communicate(timeout=60)
    assert killed.returncode == -number
    next_run = start(hub, "sitemap.xml", "1")
    output, errors = next_run.communicate(timeout=60)
    assert next_run.returncode == 0, errors
    assert site.read("sitemap.xml") == b"1"
    assert len(site.log("main")) == 2
    assert bool(output) == (step != "push"), "a push that was carried out is not made again"
    assert not left_over()


def test_a_folder_of_a_living_process_stays(hub: Hub) -> None:
    first = OwnFolder("sitemap-action-push-")
    second = OwnFolder("sitemap-action-push-")
    assert first.path.is_dir()
    assert first.path.stat().st_mode & 0o777 == 0o700
    first.close()
    assert not first.path.exists()
    del second
    assert not left_over()
    assert hub


def test_what_only_looks_like_one_stays(hub: Hub, tmp_path: Path) -> None:
    """The temporary folder belongs to everybody: no link leads out of it."""
    (tmp_path / "precious").mkdir()
    link = Path(tempfile.gettempdir()) / "sitemap-action-push-link"
    link.symlink_to(tmp_path / "precious")
    file = link.with_name("sitemap-action-push-file")
    file.touch()
    with remote(hub) as there:
        assert there.head("main")
    assert link.is_symlink()
    assert file.exists()
    assert (tmp_path / "precious").is_dir()


def test_a_time_limit_ends_what_git_has_started(tmp_path: Path) -> None:
    """The group of processes: git's helpers would go on without it."""
    from sitemap_action.repo import git_process

    pid = tmp_path / "pid"
    path = wrapped_git(tmp_path / "bin", f"sleep 300 & echo $! > {pid}; wait")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(git_process, "_TIMEOUT", 1)
        answer = git_process.GitProcess(tmp_path / "none", {"PATH": path}).answer(tmp_path, "version")
    assert answer.status == -1
    command = ["ps", "-o", "stat=", "-p", pid.read_text().strip()]
    states = subprocess.run(command, capture_output=True, text=True, check=False)
    assert states.stdout.strip()[:1] in {"", "Z"}, "nobody waits for it, but it has ended"
