"""Runs of a build with `--state`: it is read whole each time, and the state has what only a state can know."""

import json
import os
import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

import forked
from servers import Reply, serve
from sitemap_action.__main__ import run

HOME = "https://www.example.com/"
PAGES = 130  # more than one chunk
FLAGS = ["check", "--path", "site", "--site-url", HOME, "--quiet", "--report", "json=report.json"]
POSIX = pytest.mark.skipif(os.name != "posix", reason="signals are POSIX")
OF_THE_SITE = ("url", "page", "redirect", "skipped", "visit", "previous_visit")


def document(number: int, text: str = "") -> str:
    links = "".join(f'<a href="/{(number * 7 + each) % PAGES}.html">x</a>' for each in range(4))
    more = f'<a href="/dead/{number}">d</a>' if number % 9 == 0 else ""
    return f"<!doctype html><title>Page {number}</title><main>{links}{more}{text or 'some words ' * 12}{number}</main>"


@pytest.fixture(autouse=True)
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    found = tmp_path / "site"
    found.mkdir()
    (found / "index.html").write_text(document(1))
    for number in range(PAGES):
        (found / f"{number}.html").write_text(document(number))
    return found


def report(*more: str) -> str:
    run([*FLAGS, *more])
    return Path("report.json").read_text()


def rows(state: str, table: str) -> int:
    with closing(sqlite3.connect(state)) as database:
        return int(database.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def test_the_report_is_that_of_a_run_without_a_state(site: Path) -> None:
    """But for the rules that need one (DIFF-32)."""
    report("--state", "state")
    (site / "7.html").write_text(document(7, "other words " * 30))
    (site / "8.html").unlink()
    without, found = json.loads(report()), json.loads(report("--state", "state"))
    assert {**found, "not_checked": without["not_checked"]} == without
    assert without["counts"]["urls"] > 100


def test_no_page_of_a_build_is_in_its_state() -> None:
    report("--state", "state")
    assert [rows("state", table) for table in OF_THE_SITE] == [0] * len(OF_THE_SITE)
    assert Path("state").stat().st_size < 100_000


def test_a_crawl_leaves_nothing_to_a_build_nor_a_build_to_a_crawl() -> None:
    expected = report("--state", "another")
    with serve({"/": Reply("<title>t</title><main>of the server</main>")}) as web:
        crawl = ["check", "--url", web.url, "--site-url", web.url, "--quiet", "--report", "json=crawl.json"]
        run([*crawl, "--state", "state"])
        assert rows("state", "page") == 1
        assert report("--state", "state") == expected
        assert rows("state", "page") == 0
        run([*crawl, "--state", "state"])
    assert json.loads(Path("crawl.json").read_text())["counts"]["urls"] == 1


@POSIX
def test_killed_while_it_reads(site: Path) -> None:
    for number in range(PAGES, 700):  # read by several processes
        (site / f"{number}.html").write_text(document(number))
    expected = report("--state", "another")
    report("--state", "state")
    for seconds in (0.1, 0.4):
        process = forked.start(*FLAGS, "--state", "state", session=True)
        time.sleep(seconds)
        if not process.has_ended():
            os.killpg(process.pid, signal.SIGKILL)
        process.end()
        assert report("--state", "state") == expected, "and not that the state is damaged"
