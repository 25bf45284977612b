"""A crawl that is killed, stopped, repeated: nothing is lost, little is requested twice, the result is the same."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import servers
from servers import Reply, Route, Site, serve
from sitemap_action.__main__ import run
from sitemap_action.crawl.levels import BATCH

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
    return [sys.executable, "-m", "sitemap_action", "check", *flags, "--set", "sitemaps.use=false", *more]


def report() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path("report.json").read_text())
    return found


def start(url: str, *more: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(command(url, *more), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def until(site: Site, requests: int, process: "subprocess.Popen[bytes]") -> None:
    while len(site.asked) < requests and process.poll() is None:
        time.sleep(0.005)


@POSIX
def test_killed_at_any_moment() -> None:
    """Stored pages are not requested again; a kill costs one batch at most: a second, or 500 pages."""
    chance, count = random.Random(7), 900
    with serve(routes(count, chance)) as site:
        uninterrupted = subprocess.run([*command(site.url), "--state", "other"], capture_output=True, check=False)
        assert uninterrupted.returncode == 1
        whole = report()
        once = Counter(site.paths)
        site.asked.clear()
        kills = 0
        for requests in sorted(chance.sample(range(20, count), 4)):
            process = start(site.url)
            until(site, requests, process)
            process.send_signal(signal.SIGKILL)
            kills += process.wait() == -signal.SIGKILL
        assert kills
        assert start(site.url).wait() == 1
        assert report() == whole
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
        process.send_signal(number)
        assert process.wait() == code
        stopped = report()
        assert stopped["exit_code"] == code
        assert stopped["complete"] is False
        assert "stopped by" in stopped["incomplete"][0]
        before = len(site.asked)
        assert start(site.url).wait() == 1
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
    """The state of another commit is a cache: a 304 reuses its facts and links (NET-15)."""
    with serve(routes(100, random.Random(3))) as site:
        flags = ["--url", site.url, "--site-url", HOME, "--state", "state", "--quiet", "--report", "json=report.json"]
        assert run(["check", *flags]) == 1
        first = report()
        site.asked.clear()
        assert run(["check", *flags]) == 1
        assert report() == first
        conditional = [asked for asked in site.asked if asked.header("if-none-match")]
        assert len(conditional) > 80


def test_a_finished_state_is_the_result_for_its_commit(workspace: Path) -> None:
    """Nothing is requested twice for one commit; a changed policy is applied to the stored pages."""
    git = ["git", "-c", "user.name=A", "-c", "user.email=a@example.com"]
    subprocess.run(["git", "init", "-q"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "one"], check=True)
    with serve(routes(50, random.Random(3))) as site:
        flags = ["--url", site.url, "--site-url", HOME, "--state", "state", "--quiet", "--report", "json=report.json"]
        assert run(["check", *flags]) == 1
        first, requests = report(), len(site.asked)
        assert run(["check", *flags]) == 1
        assert report() == first
        assert len(site.asked) == requests
        assert run(["check", *flags, "--set", "policy.min-urls=1000"]) == 1
        assert len(site.asked) == requests
        assert report()["added"] == first["added"]
        assert run(["check", *flags, "--set", "crawl.max-depth=3"]) == 1
        assert len(site.asked) > requests


def test_undetermined_pages_are_requested_again() -> None:
    """A finished crawl is the result for its commit, except for pages without an answer."""
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
        assert "/2" not in site.paths


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
