"""A real process that loads fifty sitemaps is killed at twenty random points, and the next one goes on from there."""

import os
import random
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import forked
from examples import share
from servers import Site, serve, typed

NS = "http://www.sitemaps.org/schemas/sitemap/0.9"
DOCUMENTS, URLS = 50, 400
LOADINGS, KILLS_EACH = share(4), 5
READ = "SELECT url FROM sitemap WHERE json_extract(record, '$.state') = 'read'"
SHARED = 5  # URLs that every document lists


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serve({}) as found:
        children = [f"{found.url}{n}.xml" for n in range(DOCUMENTS)]
        rows = "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in children)
        found.routes["/i.xml"] = typed("application/xml", f'<sitemapindex xmlns="{NS}">{rows}</sitemapindex>')
        for n in range(DOCUMENTS):
            pages = [f"{found.url}shared/{m}" for m in range(SHARED)] + [f"{found.url}{n}/{m}" for m in range(URLS)]
            rows = "".join(f"<url><loc>{url}</loc></url>\n" for url in pages)
            found.routes[f"/{n}.xml"] = typed("application/xml", f'<urlset xmlns="{NS}">{rows}</urlset>')
        yield found


def start(site: Site, folder: Path) -> forked.Program:
    files = ["--state", str(folder / "state.sqlite"), "--output", str(folder / "urls.txt")]
    return forked.start("read", f"{site.url}i.xml", *files)


def finish(site: Site, folder: Path) -> None:
    code, said = start(site, folder).end()
    assert code == 0, said


def read_whole(folder: Path) -> set[str]:
    """Documents that the killed process had read to their end, as its state says; none once its output was written."""
    if not (folder / "state.sqlite").exists():
        return set()
    with closing(sqlite3.connect(folder / "state.sqlite")) as database:
        try:
            (ended,) = database.execute("SELECT ended FROM loading").fetchone() or (True,)
            return set() if ended else {url for (url,) in database.execute(READ)}
        except sqlite3.OperationalError:  # killed before there was a table
            return set()


def kill(site: Site, folder: Path, chance: random.Random) -> None:
    """Kill the process after so many requests and a moment more."""
    before, wanted, moment = len(site.asked), chance.randrange(1, 2 * DOCUMENTS // KILLS_EACH), chance.uniform(0, 0.01)
    process, deadline = start(site, folder), time.monotonic() + 60
    while len(site.asked) - before < wanted and not process.has_ended() and time.monotonic() < deadline:
        time.sleep(0.0005)
    time.sleep(moment)
    process.kill()
    process.end()


def test_killed_at_twenty_random_points_nothing_is_lost_or_read_twice(site: Site, tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    whole.mkdir()
    finish(site, whole)
    expected = (whole / "urls.txt").read_text().splitlines()
    assert len(expected) == len(set(expected)) == DOCUMENTS * URLS + SHARED
    chance = random.Random(os.environ.get("SITEMAP_ACTION_KILL_SEED", "7"))
    log = []
    for number in range(LOADINGS):
        folder = tmp_path / str(number)
        folder.mkdir()
        for _ in range(KILLS_EACH + 1):
            done, before, last = read_whole(folder), len(site.asked), len(log) % (KILLS_EACH + 1) == KILLS_EACH
            if last:
                finish(site, folder)
            else:
                kill(site, folder, chance)
            asked = Counter(site.origin + asked.path for asked in site.asked[before:])
            log.append(
                f"loading {number + 1}: {len(done):2} read whole; {asked.total():2} requests" + " to its end" * last
            )
            assert not done & set(asked), "\n".join([*log, "a document that was read whole was asked for again"])
        assert (folder / "urls.txt").read_text().splitlines() == expected
    if name := os.environ.get("SITEMAP_ACTION_KILL_LOG"):
        Path(name).write_text("\n".join(log) + "\n")


def test_R_23_a_process_that_is_killed_while_it_prints(site: Site, tmp_path: Path) -> None:
    """What was printed is not remembered: the next run requests no sitemap that was read, and prints every record."""
    command = [sys.executable, "-m", "sitemap_action", "read", f"{site.url}i.xml", "--format", "jsonl"]
    command += ["--state", str(tmp_path / "state.sqlite")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        printed = [process.stdout.readline() for _ in range(100)]  # the pipe is full: it waits with most of them
        process.kill()
    with closing(sqlite3.connect(tmp_path / "state.sqlite")) as database:
        read_before = {url for (url,) in database.execute(READ)}
    site.asked.clear()
    done = subprocess.run(command, capture_output=True, check=True)
    lines = done.stdout.splitlines(keepends=True)
    assert len(read_before) >= 2
    assert read_before.isdisjoint(site.origin + path for path in site.paths)
    assert lines[:100] == printed
    assert len(lines) == SHARED * 1 + DOCUMENTS * URLS + 1
