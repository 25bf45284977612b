"""Second runs of a build with `--state`: what has not changed is not parsed again, and every report is the same."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from servers import Reply, serve
from sitemap_action.__main__ import run
from sitemap_action.html import extract
from sitemap_action.html.document import HtmlDocument, RawDocument
from sitemap_action.inventory.checksum import append_checksum, remove_checksum

HOME = "https://www.example.com/"
PAGES = 130  # more than one chunk
FLAGS = ["check", "--path", "site", "--site-url", HOME, "--quiet", "--report", "json=report.json"]
POSIX = pytest.mark.skipif(os.name != "posix", reason="signals are POSIX")


def document(number: int, text: str = "") -> str:
    links = "".join(f'<a href="/{(number * 7 + each) % PAGES}.html">x</a>' for each in range(4))
    more = f'<a href="/dead/{number}">d</a>' if number % 9 == 0 else ""
    rel = ' rel="nofollow"' if number % 5 == 0 else ""
    head = "<meta name=robots content=noindex>" if number % 11 == 0 else f'<link rel=canonical href="/{number}.html">'
    return (
        f"<!doctype html><title>Page {number}</title>{head}<link rel=alternate hreflang=de href=/de/{number}.html>"
        f"<main>{links}{more}<a href='/{number}.html?a=1'{rel}>q</a>{text or 'some words of this page ' * 12}{number}"
        "<time datetime=2026-01-02></time></main>"
    )


@pytest.fixture(autouse=True)
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    found = tmp_path / "site"
    found.mkdir()
    (found / "index.html").write_text(document(1))
    (found / "404.html").write_text("<title>Not found</title>nothing is here")
    (found / "robots.txt").write_text("User-agent: *\nDisallow: /private\n")
    for number in range(PAGES):
        (found / f"{number}.html").write_text(document(number))
    (found / "odd.html").write_bytes(b"<title>\xff\xed\xa0\x80</title><a href='/\xff'>x</a>")
    return found


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """URLs of the documents that are parsed."""
    found: list[str] = []
    read_all = extract.read_all

    def counted(raw: list[RawDocument], **options: object) -> Iterator[HtmlDocument]:
        found.extend(one.url for one in raw)
        return read_all(raw, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(extract, "read_all", counted)
    return found


def report(*more: str) -> str:
    run([*FLAGS, *more])
    return Path("report.json").read_text()


def fresh(*more: str) -> str:
    """Of a run with a new state."""
    for name in ("other", "other-wal", "other-shm"):
        Path(name).unlink(missing_ok=True)
    return report("--state", "other", *more)


def test_what_has_not_changed_is_not_parsed(site: Path, parsed: list[str]) -> None:
    first = report("--state", "state")
    assert len(parsed) >= PAGES
    parsed.clear()
    assert report("--state", "state") == first
    assert parsed == []
    (site / "7.html").write_text(document(7, "other words " * 30))
    (site / "8.html").unlink()
    (site / "new.html").write_text(document(900))
    second = report("--state", "state")
    assert sorted(parsed) == [f"{HOME}7.html", f"{HOME}new.html"]
    assert second == fresh()
    with closing(sqlite3.connect("state")) as database:
        files = {path for (path,) in database.execute("SELECT path FROM file")}
    assert "new.html" in files
    assert "8.html" not in files  # of files that are gone nothing stays


def test_the_report_is_that_of_a_run_without_a_state() -> None:
    """But for the rules that need one (DIFF-32)."""
    without = json.loads(report())
    report("--state", "state")
    found = json.loads(report("--state", "state"))
    assert {**found, "not_checked": without["not_checked"]} == without


CHANGES = [
    # id, file that changes, its text, flags of the second run
    ("a rule of the host", "_headers", "/*\n  X-Robots-Tag: noindex\n", ["--host", "netlify"]),
    ("another address", "", "", ["--site-url", "https://other.example/"]),
    ("robots.txt", "robots.txt", "User-agent: *\nDisallow: /1\n", []),
    ("a redirect", "_redirects", "/3.html /4.html 301!\n", ["--host", "netlify"]),
]


@pytest.mark.parametrize(("name", "text", "flags"), [row[1:] for row in CHANGES], ids=[row[0] for row in CHANGES])
def test_whatever_decides_what_is_read_is_known(site: Path, name: str, text: str, flags: list[str]) -> None:
    report("--state", "state")
    if name:
        (site / name).write_text(text)
    assert report("--state", "state", *flags) == fresh(*flags)


DAMAGE = [
    # id, what is forged
    ("links cut short", "UPDATE file SET links = x'0100'"),
    ("links that are no bytes", "UPDATE file SET links = 'text'"),
    ("targets of another type", "UPDATE file SET targets = '[1]'"),
    ("targets cut short", "UPDATE file SET targets = '['"),
    ("a page that is not there", "UPDATE file SET url_id = 900000 WHERE path = '1.html'"),
    ("no page", "DELETE FROM page"),
    ("a digest of another type", "UPDATE file SET digest = 'x'"),
    ("a page with another URL", "UPDATE file SET url_id = NULL; UPDATE url SET url = url || '2'"),
]


@pytest.mark.parametrize("statements", [row[1] for row in DAMAGE], ids=[row[0] for row in DAMAGE])
def test_S_06_a_hostile_state_is_made_anew(statements: str, parsed: list[str]) -> None:
    first = json.loads(report("--state", "state"))
    remove_checksum(Path("state"))
    with closing(sqlite3.connect("state")) as database:
        database.executescript(statements)
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    append_checksum(Path("state"))
    parsed.clear()
    found = json.loads(report("--state", "state"))
    assert "damaged" in str(found["notes"])
    assert {**found, "notes": first["notes"]} == first
    assert len(parsed) >= PAGES


def test_S_06_links_to_no_url_count_for_none(site: Path) -> None:
    report("--state", "state")
    remove_checksum(Path("state"))
    with closing(sqlite3.connect("state")) as database:
        (links,) = database.execute("SELECT links FROM file WHERE path = '1.html'").fetchone()
        database.execute("UPDATE file SET links = ? WHERE path = '1.html'", (links + b"\xff\xff\xff\x7f",))
        database.commit()
    (site / "2.html").write_text(document(2) + "<p>changed</p>")  # so that links are counted again
    assert report("--state", "state") == fresh()


def test_other_options_read_no_file_again(parsed: list[str]) -> None:
    """But those that decide what a document says, such as the address of the site."""
    report("--state", "state")
    parsed.clear()
    report("--state", "state", "--max-removed", "3", "--host", "nginx")
    assert parsed == []


def test_a_crawl_leaves_nothing_to_a_build_nor_a_build_to_a_crawl(parsed: list[str]) -> None:
    expected = fresh()
    with serve({"/": Reply("<title>t</title><main>of the server</main>")}) as web:
        url = web.url
        run(["check", "--url", url, "--site-url", url, "--quiet", "--state", "state"])
        assert report("--state", "state") == expected
        parsed.clear()
        crawled = ["check", "--url", url, "--site-url", url, "--quiet", "--report", "json=crawl.json"]
        run([*crawled, "--state", "state"])
        found = json.loads(Path("crawl.json").read_text())
    assert found["counts"]["urls"] == 1
    assert url in parsed


@POSIX
def test_killed_at_random_moments(site: Path) -> None:
    """The state is whole, or is said to be made anew; the results are equal."""
    chance = random.Random(11)
    for number in range(PAGES, 700):  # read by several processes
        (site / f"{number}.html").write_text(document(number))
    report("--state", "state")
    command = [sys.executable, "-m", "sitemap_action", *FLAGS, "--state", "state"]
    killed = 0
    for _ in range(6):
        for number in chance.sample(range(700), 60):
            (site / f"{number}.html").write_text(document(number, f"words {chance.random()} " * 20))
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
        time.sleep(chance.uniform(0.2, 1.2))
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        killed += process.wait() == -signal.SIGKILL
    assert killed
    last = report("--state", "state")
    assert "damaged" not in last
    assert last == fresh()
