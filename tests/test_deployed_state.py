"""A crawl that is killed, stopped, repeated: nothing is lost, little is requested twice, the result is the same."""

import json
import os
import random
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import forked
import servers
from examples import share
from servers import Reply, Route, Site, serve
from sitemap_action.__main__ import run
from sitemap_action.walk.crawl import BATCH

HOME = "https://www.example.com/"
ETAG = '"v1"'
POSIX = pytest.mark.skipif(os.name != "posix", reason="signals are POSIX")


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def page(number: int, *links: int) -> str:
    anchors = "".join(f'<a href="/{link}">{link}</a> ' for link in links)
    return f"<!doctype html><title>{number}</title><main>{anchors}{'some words of a page ' * 30}{number}</main>"


def routes(count: int, chance: random.Random) -> dict[str, Route]:
    """A site with random latencies, so that no two runs get the answers in the same order."""

    def answer(asked: servers.Asked) -> servers.One:
        number = int(asked.path.strip("/") or 0)
        if asked.header("if-none-match") == ETAG:
            return Reply(status=304, headers={"ETag": ETAG})
        if number % 17 == 16:
            return servers.redirect(f"/{number // 2}")
        links = [(number * 3 + each) % count for each in range(1, 6)]
        return Reply(page(number, *links), headers={"ETag": ETAG}, delay=chance.random() * 0.01)

    return {f"/{number}": servers.Answering(answer) for number in range(count)} | {"/": servers.Answering(answer)}


def command(url: str, *more: str) -> list[str]:
    flags = [
        "--url",
        url,
        "--site-url",
        HOME,
        "--state",
        "state",
        "--report",
        "json=report.json",
        "--no-progress",
        "--baseline",
        "committed",
    ]
    return ["check", *flags, "--set", "sitemaps.use=false", *more]


def report() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path("report.json").read_text())
    return found


def result() -> dict[str, Any]:
    """The report without what it says of the state."""
    found = report()
    notes = [note for note in found["notes"] if not note.startswith(("resumed: ", "state: "))]
    return {**found, "notes": notes, "state": None}


def start(url: str, *more: str) -> forked.Program:
    return forked.start(*command(url, *more))


def until(site: Site, requests: int, process: forked.Program) -> None:
    while len(site.asked) < requests and not process.has_ended():
        time.sleep(0.005)


@POSIX
def test_killed_at_any_moment() -> None:
    """Stored pages are not requested again; a kill costs one batch at most: 200 ms, or 500 pages."""
    chance, count = random.Random(7), 900
    with serve(routes(count, chance)) as site:
        assert start(site.url, "--state", "other").end()[0] == 1
        whole = result()
        once = Counter(site.paths)
        site.asked.clear()
        kills = 0
        for requests in sorted(chance.sample(range(20, count), share(4))):
            process = start(site.url)
            until(site, requests, process)
            process.kill()
            kills += process.end()[0] == -signal.SIGKILL
        assert kills
        assert start(site.url).end()[0] == 1
        assert result() == whole
        assert report()["state"]["resumed"] > 0
        assert any(note.startswith("resumed: ") for note in report()["notes"])
        assert set(site.paths) == set(once)
        again = sum((Counter(site.paths) - once).values())
        assert again <= kills * (BATCH + 100)  # first requests of each run, and those under way


@POSIX
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_stopped_by_a_signal(number: signal.Signals, code: int) -> None:
    """What was found is reported, nothing is written, and the next run resumes."""
    with serve(routes(900, random.Random(1))) as site:
        process = start(site.url)
        until(site, 300, process)
        os.kill(process.pid, number)
        assert process.end()[0] == code
        stopped = report()
        assert stopped["exit_code"] == code
        assert stopped["complete"] is False
        assert "stopped by" in stopped["incomplete"][0]
        before = len(site.asked)
        assert start(site.url).end()[0] == 1
        assert report()["complete"] is True
        assert len(site.asked) - before < 900 - before + 100


def test_five_runs_have_one_result() -> None:
    """NET-16: random latencies and a page limit change nothing."""
    found = []
    for seed in range(5):
        with serve(routes(200, random.Random(seed))) as site:
            flags = ["--url", site.url, "--site-url", HOME, "--set", "crawl.max-pages=60", "--quiet"]
            run(["check", *flags, "--report", "json=report.json"])
            asked = sorted(set(site.paths))
            text = json.dumps(report()).replace(site.url, "URL/")
            found.append((asked, text))
    assert found == [found[0]] * 5


def test_a_later_run_sends_conditional_requests(workspace: Path) -> None:
    """The state is a cache: a 304 reuses its facts and links, and the report says so (NET-15, U-11)."""
    with serve(routes(100, random.Random(3))) as site:
        flags = ["--url", site.url, "--site-url", HOME, "--state", "state", "--quiet", "--report", "json=report.json"]
        assert run(["check", *flags]) == 1
        first = report()
        assert "state" not in first
        assert 500 < Path("state").stat().st_size / 100 < 2_500, "some 1 to 2 KB a page"
        site.asked.clear()
        assert run(["check", *flags]) == 1
        assert result() == {**first, "state": None}
        conditional = [asked for asked in site.asked if asked.header("if-none-match")]
        assert len(conditional) > 80
        used = report()["state"]
        assert (used["unchanged"], used["resumed"]) == (len(conditional), 0)
        (note,) = [note for note in report()["notes"] if note.startswith("state: ")]
        assert note.startswith(f"state: {len(conditional)} of {used['pages']} pages did not change since the run that")
        assert "ago): the server was asked for each, and answered 304" in note


def test_a_finished_state_is_asked_again_at_its_commit(workspace: Path) -> None:
    """U-11: a site may have changed without a commit."""
    git = ["git", "-c", "user.name=A", "-c", "user.email=a@example.com"]
    subprocess.run(["git", "init", "-q"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "one"], check=True)
    with serve(routes(50, random.Random(3))) as site:
        flags = ["--url", site.url, "--site-url", HOME, "--state", "state", "--quiet", "--report", "json=report.json"]
        assert run(["check", *flags]) == 1
        first, requests = report(), sorted(site.paths)
        site.asked.clear()
        assert run(["check", *flags]) == 1
        assert report()["added"] == first["added"]
        assert sorted(site.paths) == requests
        site.routes["/7"] = page(7)
        site.asked.clear()
        assert run(["check", *flags]) == 1
        assert report()["state"]["unchanged"] == report()["state"]["pages"] - 2  # the start page is read anew
        site.asked.clear()
        assert run(["check", *flags, "--set", "crawl.max-depth=3"]) == 1
        assert not [asked for asked in site.asked if asked.header("if-none-match")]  # links may resolve to others


def test_undetermined_pages_are_requested_again() -> None:
    subprocess.run(["git", "init", "-q"], check=True)
    subprocess.run(["git", "commit", "-q", "--allow-empty", "-m", "one"], check=True)
    web: dict[str, Route] = {"/": page(0, 1, 2), "/1": 503, "/2": page(2), "*": 404}
    flags = ["--site-url", HOME, "--state", "state", "--quiet", "--report", "json=report.json"]
    with serve(web) as site:
        quick = ["--url", site.url, "--set", "http.retries=0", "--set", "http.backoff=0.01"]
        run(["check", *flags, *quick])
        assert [row["url"] for row in report()["undetermined"]] == [f"{HOME}1"]
        site.routes["/1"] = page(1)
        site.asked.clear()
        run(["check", *flags, *quick])
        assert report()["undetermined"] == []
        assert "/1" in site.paths


@POSIX
def test_a_run_that_is_killed_again_and_again_ends() -> None:
    """U-17: what the first answers bring is stored at once, and then every 200 ms."""
    slow: dict[str, Route] = {f"/{number}": Reply(page(number), delay=0.05) for number in range(40)}
    with serve({"/": page(0, *range(40)), **slow}) as site:
        ends = []
        while not ends and len(site.asked) < 2000:
            process, before = start(site.url, "--set", "crawl.concurrency=2"), len(site.asked)
            until(site, before + 12, process)
            time.sleep(0.2)
            process.kill()
            ends += [code for code in [process.end()[0]] if code != -signal.SIGKILL]
        assert ends == [1]
        assert result()["counts"]["urls"] == 41


def test_a_folder_is_read_whole_each_time(workspace: Path) -> None:
    (workspace / "site").mkdir()
    for name in ("index", "gone"):
        (workspace / f"site/{name}.html").write_text(page(1))
    flags = ["--path", "site", "--site-url", HOME, "--state", "state", "--quiet", "--report", "json=report.json"]
    run(["check", *flags])
    assert report()["counts"]["urls"] == 2
    (workspace / "site/gone.html").unlink()
    run(["check", *flags])
    assert report()["counts"]["urls"] == 1


def test_a_state_of_any_pages_is_sound() -> None:
    """Pages that need scripts, spellings of one document and links that no sitemap can list leave no damaged state."""
    app = '<!doctype html><title>{}</title><div id="root"></div><script src="/app.js"></script>'
    links = """<a href="/about">a</a><a href="/about/">b</a><a href="/app">c</a><a href='/a"b'>d</a><a href="/x%zz">e</a>
        <a href='http://u:p@{}/q"\\'>f</a>"""
    flags = ["--site-url", HOME, "--state", "state", "--quiet", "--report", "json=report.json"]
    with serve({}) as site:
        home = page(0).replace("<main>", "<main>" + links.format(HOME.split("/")[2]))
        site.routes.update({"/": home, "/about": page(1), "/about/": page(1), "/app": app.format(1)})
        for _ in range(2):
            run(["check", *flags, "--url", site.url])
            assert not [note for note in report()["notes"] if "damaged" in note]
