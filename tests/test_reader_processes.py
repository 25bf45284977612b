"""Pages that other processes read: the same report, whatever happens to these, and none of them outlives the run."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from random_sites import random_site, routes, sitemap
from servers import Answering, Asked, One, Reply, Route, Site, serve
from sitemap_action.__main__ import run
from sitemap_action.crawl import reader_pool
from sitemap_action.crawl.visits import Reader, UnreadDocument
from sitemap_action.inventory.frontier import Visit

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere one process fetches and reads")
HOME = "https://www.example.com/"
ETAG = '"v1"'
ONE, TWO = ("--set", "crawl.processes=1"), ("--set", "crawl.processes=2")
QUICK = ("--set", "http.retries=0", "--set", "http.backoff=0.001", "--set", "sitemaps.use=false")


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def page(number: int, links: Sequence[int], more: str = "") -> str:
    anchors = "".join(f'<a href="/{link}">{link}</a> ' for link in links)
    return f"<!doctype html><title>{number}</title><main>{anchors}{more}{'some words of a page ' * 30}{number}</main>"


def site_of(count: int, *, delay: float = 0.0) -> dict[str, Route]:
    """Pages with five links each, a calendar without end, stubs, and validators."""

    def answer(asked: Asked) -> One:
        path = asked.path.strip("/")
        if asked.header("if-none-match") == ETAG:
            return Reply(status=304, headers={"ETag": ETAG})
        if path.startswith("calendar"):
            day = int(path.partition("=")[2] or 0)
            return Reply(page(day, [], f'<a href="/calendar?day={day + 1}">next</a>' * 2), headers={"ETag": ETAG})
        number = int(path or 0)
        if number % 29 == 28:
            return Reply("<!doctype html><title>Stub</title><p>same")
        links = [(number * 3 + each) % count for each in range(1, 6)]
        more = '<a href="/calendar">days</a><a href="/x%zz">odd</a>' if number == 3 else ""
        return Reply(page(number, links, more), headers={"ETag": ETAG}, delay=delay)

    numbers: dict[str, Route] = {f"/{number}": Answering(answer) for number in range(count)}
    return numbers | {"/": Answering(answer), "/calendar": Answering(answer)}


def report(url: str, *options: str) -> dict[str, Any]:
    flags = ["--url", url, "--site-url", HOME, "--quiet", "--report", "json=report.json", *QUICK, *options]
    run(["check", *flags])
    found: dict[str, Any] = json.loads(Path("report.json").read_text())
    return found


def written(*options: str) -> bytes:
    """The report as it is in its file."""
    report(*options)
    return Path("report.json").read_bytes()


@pytest.mark.parametrize("seed", range(8))
def test_NET_16_random_sites(seed: int) -> None:
    site = random_site(seed, static=False)
    Path("sitemap.xml").write_text(sitemap(site.committed))
    with serve(routes(site)) as served:
        assert written(served.url, *TWO) == written(served.url, *ONE)


@pytest.mark.parametrize("options", [(), ("--set", "crawl.max-pages=60"), ("--set", "crawl.max-depth=2")])
def test_NET_16_limits_and_traps(options: tuple[str, ...]) -> None:
    with serve(site_of(150)) as site:
        assert written(site.url, *options, *TWO) == written(site.url, *options, *ONE)


def test_auto_starts_processes_for_a_large_site_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sitemap_action.crawl.cores.available_cores", lambda: 2)
    started: list[object] = []
    made = reader_pool.ReaderProcess
    monkeypatch.setattr(reader_pool, "ReaderProcess", lambda *given: started.append(given) or made(*given))
    with serve(site_of(60)) as site:
        small = written(site.url, "--set", "crawl.max-depth=1")
        assert started == []
        assert written(site.url, "--set", "crawl.max-depth=1", *ONE) == small
    with serve(site_of(240)) as site:
        large = written(site.url)
        assert len(started) == 2
        assert written(site.url, *ONE) == large


def test_NET_15_a_state_of_either_serves_the_other() -> None:
    """304s, validators and records are the same, whichever process made them."""
    with serve(site_of(80)) as site:
        first = {count: report(site.url, "--state", name, *count) for name, count in (("one", ONE), ("two", TWO))}
        assert first[ONE] == first[TWO]
        site.routes["/7"] = page(7, [1])
        site.asked.clear()
        again = [report(site.url, "--state", name, *count) for name, count in (("one", TWO), ("two", ONE))]
        assert len({asked.path for asked in site.asked if asked.header("if-none-match")}) > 60
        for one in again:
            one["notes"] = [note for note in one["notes"] if not note.startswith("state: ")]
            one["state"].pop("since", None)
        assert again[0] == again[1]
        assert again[0]["state"]["unchanged"] > 60


# What happens to the processes


def deadly(monkeypatch: pytest.MonkeyPatch, mark: bytes, end: Any) -> None:
    """`end` is called in a process that reads a document with the mark."""
    parent, read = os.getpid(), Reader.read

    def reading(self: Reader, depth: int, answers: Sequence[UnreadDocument]) -> list[Visit]:
        if os.getpid() != parent and any(mark in one[1].body for one in answers):
            end()
        return read(self, depth, answers)

    monkeypatch.setattr(Reader, "read", reading)


def killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_page_that_ends_two_processes_has_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(site_of(60)) as site:
        site.routes["/7"] = page(7, [1], "<b>deadly</b>")
        whole = report(site.url, *ONE)
        deadly(monkeypatch, b"<b>deadly</b>", killed)
        found = report(site.url, *TWO)
    (row,) = found["undetermined"]
    assert row["url"] == f"{HOME}7"
    assert "two processes ended while they read it (SIGKILL)" in row["reason"]
    (note,) = [note for note in found["notes"] if "ended" in note]
    assert note.startswith("2 processes that read pages ended (SIGKILL)")
    assert {row["url"] for row in whole["added"]} - {row["url"] for row in found["added"]} == {f"{HOME}7"}


def test_a_process_that_ends_once_costs_nothing(monkeypatch: pytest.MonkeyPatch, workspace: Path) -> None:
    def once() -> None:
        with suppress(FileExistsError):
            (workspace / "ended").touch(exist_ok=False)
            os._exit(3)

    with serve(site_of(60)) as site:
        whole = report(site.url, *ONE)
        deadly(monkeypatch, b"<title>7<", once)
        found = report(site.url, *TWO)
    (note,) = [note for note in found["notes"] if "ended" in note]
    assert note.startswith("1 process that reads pages ended (exit code 3)")
    found["notes"].remove(note)
    assert found == whole


def test_a_page_that_is_not_done_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader_pool, "PATIENCE", 0.5)
    with serve(site_of(40)) as site:
        site.routes["/7"] = page(7, [1], "<b>endless</b>")
        deadly(monkeypatch, b"<b>endless</b>", lambda: time.sleep(60))
        found = report(site.url, *TWO)
    assert [row["url"] for row in found["undetermined"]] == [f"{HOME}7"]
    assert "not done in 0.5 seconds" in found["undetermined"][0]["reason"]
    assert found["counts"]["added"] > 20


def test_without_processes_the_crawl_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused() -> int:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    with serve(site_of(40)) as site:
        whole = report(site.url, *ONE)
        monkeypatch.setattr(os, "fork", refused)
        found = report(site.url, *TWO)
    notes = [note for note in found["notes"] if note not in whole["notes"]]
    assert len(notes) == 1
    assert "Resource temporarily unavailable" in notes[0]
    assert {**found, "notes": whole["notes"]} == whole


def test_a_bug_of_the_reader_ends_the_run_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    read = Reader.read

    def broken(self: Reader, depth: int, answers: Sequence[UnreadDocument]) -> list[Visit]:
        if any(b"<title>7<" in one[1].body for one in answers):
            raise LookupError("a bug")
        return read(self, depth, answers)

    monkeypatch.setattr(Reader, "read", broken)
    with serve(site_of(40)) as site:
        flags = ["--url", site.url, "--site-url", HOME, "--quiet", *QUICK]
        assert [run(["check", *flags, *count]) for count in (ONE, TWO)] == [70, 70]


@pytest.mark.parametrize("size", [1, 3 * 2**20, 11 * 2**20])
def test_bodies_of_any_size(size: int) -> None:
    """A large document has the shared memory to itself, and others wait."""
    large = page(1, [2, 3], "<p>" + "many words " * (size // 11))
    with serve({"/": page(0, [1, 2, 3, 4]), **{f"/{number}": large for number in (1, 2, 3, 4)}}) as site:
        assert written(site.url, *TWO) == written(site.url, *ONE)


# The end of the run


def start(site: Site, *options: str) -> "subprocess.Popen[bytes]":
    flags = ["--url", site.url, "--site-url", HOME, "--report", "json=report.json", *QUICK, *TWO, "--no-progress"]
    command = [sys.executable, "-m", "sitemap_action", "check", *flags, *options]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def readers(process: "subprocess.Popen[bytes]", site: Site, requests: int) -> list[int]:
    """Its processes, once it has sent so many requests."""
    while len(site.asked) < requests and process.poll() is None:
        time.sleep(0.005)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    return list(map(int, children.read_text().split()))


def gone(pids: Sequence[int]) -> bool:
    for _ in range(200):
        if not any(Path(f"/proc/{pid}").exists() for pid in pids):
            return True
        time.sleep(0.02)
    return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_process_outlives_the_run(number: signal.Signals) -> None:
    with serve(site_of(600, delay=0.01)) as site:
        process = start(site)
        pids = readers(process, site, 120)
        assert len(pids) == 2
        process.send_signal(number)
        assert process.wait() == (-number if number is signal.SIGKILL else 128 + number)
        assert gone(pids)


def test_kills_of_the_run_and_of_its_processes() -> None:
    """NET-16: what is stored is whole, and the last run has the result of one that nobody disturbed."""
    chance = random.Random(3)
    with serve(site_of(500, delay=0.002)) as site:
        whole = report(site.url, "--state", "other", *ONE)
        for requests in (100, 300):
            site.asked.clear()
            process = start(site, "--state", "state")
            pids = readers(process, site, requests)
            with suppress(ProcessLookupError):
                os.kill(chance.choice(pids), signal.SIGKILL)
            time.sleep(0.1)
            process.kill()
            process.wait()
            assert gone(pids)
        found = report(site.url, "--state", "state", *TWO)
    assert found["state"]["resumed"] > 0
    notes = [note for note in found["notes"] if not note.startswith("resumed: ")]
    assert {**found, "notes": notes, "state": None} == {**whole, "state": None}
