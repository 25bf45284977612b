"""Signals in the middle of a run: it ends, soon, and leaves no process and no folder behind."""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path

import pytest

import forked
from children import in_child
from sitemap_action.__main__ import StopSignals, Terminated
from sitemap_action.errors import UnreachableError
from sitemap_action.walk.document_pool import process_pool

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks, and what /proc tells of them")

PAGES = 1_500
MAIN = (  # what starts it may ignore the signal, which the run would do too
    "import signal\n"
    "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    "signal.signal(signal.SIGHUP, signal.SIG_DFL)\n"
    "from sitemap_action.__main__ import main\n"
    "main()"
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Enough pages for several processes."""
    found = tmp_path_factory.mktemp("site")
    links = "".join(f'<a href="/{number}.html">{number}</a>' for number in range(200))
    for number in range(PAGES):
        (found / f"{number}.html").write_text(f"<!doctype html><title>{number}</title>{links}<p>{'word ' * 2000}")
    return found


class Run:
    """`check` in a session of its own."""

    def __init__(self, site: Path, folder: Path) -> None:
        self.temporary = folder
        command = ["check", "--path", str(site), "--site-url", "https://e.example/", "--offline", "--quiet"]
        environment = {**os.environ, "TMPDIR": str(folder)}
        self.process = forked.start(*command, code=MAIN, folder=folder.parent, environment=environment, session=True)

    def wait_for_processes(self) -> None:
        while not self.process.has_ended() and len(self.members()) < 3:
            time.sleep(0.005)

    def members(self) -> list[int]:
        return [pid for pid in processes() if session(pid) == self.process.pid]

    def send(self, number: int, times: int, gap: float) -> None:
        for _ in range(times):
            os.killpg(self.process.pid, number)
            time.sleep(gap)

    def end(self) -> tuple[int, list[str]]:
        """The exit code, and the lines of standard error."""
        code, errors = self.process.end(timeout=30)
        return code, [line for line in errors.splitlines() if line]


def processes() -> Iterator[int]:
    return (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit())


def session(pid: int) -> int:
    """0 for a process that has ended."""
    try:
        state, *fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return int(fields[2]) if state != "Z" else 0


def gone(run: Run) -> bool:
    end = time.monotonic() + 10
    while run.members() and time.monotonic() < end:
        time.sleep(0.02)
    return not run.members()


@pytest.fixture
def started(site: Path, tmp_path: Path) -> Iterator[Run]:
    (tmp_path / "temporary").mkdir()
    run = Run(site, tmp_path / "temporary")
    run.wait_for_processes()
    yield run
    for pid in run.members():
        os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("delay", [0.0, 0.03, 0.1])
@pytest.mark.parametrize(("times", "gap"), [(1, 0.0), (2, 0.0), (3, 0.01)])
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_group_that_is_stopped(name: str, times: int, gap: float, delay: float, started: Run) -> None:
    """As a terminal does with Ctrl-C, and `timeout`, which sends its signal twice."""
    number = getattr(signal, name)
    time.sleep(delay)
    started.send(number, times, gap)
    code, errors = started.end()
    assert code == 128 + number, errors
    assert len(errors) == 1, errors
    assert errors[0].endswith("nothing was written after that"), "and not by the limit of the clean-up"
    assert gone(started)
    assert list(started.temporary.iterdir()) == []


def test_processes_end_with_a_parent_that_was_killed(started: Run) -> None:
    started.process.kill()
    started.end()
    assert gone(started)


def test_a_process_that_was_killed_is_no_bug(started: Run) -> None:
    """As the kernel does when memory is short."""
    for pid in started.members():
        if pid != started.process.pid:
            os.kill(pid, signal.SIGKILL)
    code, errors = started.end()
    assert code == 3
    assert "a process that reads files was ended from outside" in errors[0]
    assert gone(started)


def _sleep(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def test_work_under_way_is_awaited_and_the_rest_is_dropped() -> None:
    waiting: list[Future[float]] = []

    def work() -> None:
        with process_pool(2) as pool:
            waiting.extend(pool.submit(_sleep, 0.2) for _ in range(100))
            waiting[0].result()
            raise Terminated(143)

    with pytest.raises(Terminated):
        work()
    assert any(one.cancelled() for one in waiting)


def test_another_pool_works_after_one_is_broken() -> None:
    def work() -> None:
        with process_pool(2) as pool:
            pool.submit(os._exit, 1).result()

    with pytest.raises(UnreachableError, match="ended from outside"):
        work()
    with process_pool(2) as pool:
        assert pool.submit(_sleep, 0).result() == 0


def interrupted(patience: float, cleaning: Callable[[], None]) -> Callable[[], None]:
    """Ends with 7 when the clean-up was done."""

    def work() -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        StopSignals(patience).install()
        try:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(10)
        except KeyboardInterrupt:
            cleaning()
            os._exit(7)

    return work


def again(number: int, after: float) -> Callable[[], None]:
    def cleaning() -> None:
        time.sleep(after)
        os.kill(os.getpid(), number)
        time.sleep(0.05)

    return cleaning


@pytest.mark.parametrize(
    ("patience", "cleaning", "code"),
    [
        (60.0, lambda: None, 7),
        (60.0, again(signal.SIGINT, 0), 7),
        (60.0, again(signal.SIGTERM, 0.2), 7),
        (60.0, again(signal.SIGINT, 1.1), 130),
        (60.0, again(signal.SIGTERM, 1.1), 143),
        (0.2, lambda: time.sleep(20), 130),
    ],
)
def test_the_clean_up_is_not_disturbed_and_not_endless(
    patience: float, cleaning: Callable[[], None], code: int
) -> None:
    assert in_child(interrupted(patience, cleaning)) == code


def test_what_was_ignored_stays_ignored() -> None:
    def work() -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        StopSignals().install()
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGHUP)
        os._exit(7)

    assert in_child(work) == 7
