"""Two runs that commit at once, again and again, by each method: no update is lost, and nothing is committed twice.

SITEMAP_ACTION_RACES=50 sets how often; 15 times without it.
"""

import os
import random
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from examples import share
from fakes import run_info
from forge.hub import Hub
from forge.indexnow import IndexNow
from forge.repository import RefMovedError, Repository
from publishing_flows import COMBINATIONS, FLOWS, UPDATE, World, request, world
from sitemap_action.cli.site_run import Publication
from sitemap_action.console.streams import Console
from sitemap_action.model.context import Context, Forge, Mode
from sitemap_action.model.outcome import Diff, Outcome, Result
from sitemap_action.model.step import (
    CommitFiles,
    CommitMethod,
    Counts,
    FileChange,
    Published,
    Publishing,
    SiteMark,
    Step,
)
from sitemap_action.publish.apply import Authority, apply
from sitemap_action.repo import git_process, github_api
from sitemap_action.repo.github import GitHub
from sitemap_action.repo.github_api import Api

RACES = int(os.environ.get("SITEMAP_ACTION_RACES") or share(15))
SITEMAP = "sitemap.txt"
OUTCOME = Outcome(Result.DRIFT, 0, run_info(), Diff(), (), changed=True, writing=True)


class Run:
    """A run that finds one page which the sitemap of the branch lacks."""

    def __init__(self, hub: Hub, site: Repository, method: CommitMethod, page: str) -> None:
        self.forge = Forge(hub.api_url, site.full_name, "ghs_forge", graphql=hub.graphql_url, server=hub.server_url)
        self.publishing = Publishing(branch="main", method=method)
        self.page = page

    def judge(self, context: Context) -> tuple[Outcome, tuple[Step, ...]]:
        branches = GitHub(Api(self.forge))
        tip = context.judged_at or branches.head("main") or ""
        listed = (branches.blob(tip, SITEMAP) or b"").decode().split()
        changes = (FileChange(SITEMAP, "\n".join(sorted({*listed, self.page})).encode()),)
        steps = (
            (CommitFiles("main", tip, Counts(1, 0, 0), SiteMark("https://www.example.com/", "sitemap.xml"), changes),)
            if self.page not in listed
            else ()
        )
        return OUTCOME, steps

    def __call__(self) -> int:
        context = Context(
            mode=Mode.COMMIT, now=datetime(2026, 1, 1, tzinfo=UTC), workspace=Path.cwd(), publishing=self.publishing
        )
        authority = Authority(self.publishing, self.forge)
        publication = Publication(Console(os.environ), context, lambda steps: apply(steps, Path.cwd(), authority))
        outcome, _ = publication.publish(self.judge)
        return outcome.exit_code


def push(site: Repository, number: int) -> None:
    """A person pushes at a random moment, again where somebody was faster."""
    time.sleep(random.uniform(0, 0.3))
    while True:
        with suppress(RefMovedError):
            site.commit({f"notes-{number}.md": "a person's"})
            return


@pytest.mark.parametrize(("method", "rounds"), [(CommitMethod.API, RACES), (CommitMethod.GIT, RACES // 3)])
def test_two_runs_at_once(method: CommitMethod, rounds: int, hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    """Git's race of many writers is in tests/repo/test_push.py."""
    monkeypatch.setattr(github_api, "FIRST", 0.01)
    monkeypatch.setattr(git_process, "PROTOCOLS", "https:ssh:http")
    monkeypatch.setattr("sitemap_action.cli.site_run._JUDGED", 8)
    site = hub.repository()
    site.commit({SITEMAP: "home"})
    hub.token()
    before = len(site.log("main"))
    codes: list[int] = []
    for number in range(rounds):
        runs = [Run(hub, site, method, f"{name}{number}") for name in "ab"]
        threads = [threading.Thread(target=lambda run=run: codes.append(run())) for run in runs]  # type: ignore[misc]
        threads.append(threading.Thread(target=push, args=(site, number)))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert codes == [0] * (2 * rounds)
    pages = (site.read(SITEMAP) or b"").decode().split()
    assert pages == sorted(["home", *(f"{name}{number}" for name in "ab" for number in range(rounds))])
    assert len(site.log("main")) - before == 3 * rounds
    assert {f"notes-{number}.md" for number in range(rounds)} <= site.files().keys(), "a person's push is lost"
    assert site.git("fsck", "--strict") is not None


def together(at: World, *acts: Callable[[World], Published]) -> list[Published]:
    """Jobs of one matrix that publish at the same moment."""
    barrier = threading.Barrier(len(acts))

    def job(act: Callable[[World], Published]) -> Published:
        barrier.wait()
        return act(at)

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(job, acts))


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(github_api, "FIRST", 0.01)
    monkeypatch.setattr(git_process, "PROTOCOLS", "https:ssh:http")


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(("name", "who"), [row for row in COMBINATIONS if "two" not in row[0] and row[0] != "index-now"])  # fmt: skip
def test_two_jobs_of_a_matrix_publish_the_same(name: str, who: str, hub: Hub) -> None:
    """Each flow ends as if there were one: one commit, request, comment, open issue, and nobody fails."""
    flow = FLOWS[name]
    for _ in range(max(1, RACES // 3)):
        at = world(hub, who, IndexNow(), flow.acts[:-1])
        others = at.others()
        done = together(at, flow.acts[-1], flow.acts[-1])
        assert [one.error for one in done] == ["", ""]
        assert (at.others(), at.leftovers()) == (others, [])
        wrong = [what for what, is_wrong in flow.ends(at, done[0]).items() if is_wrong]
        if "issue" in name and at.issues.count("closed") == 1 < len(
            at.issues
        ):  # of two that were opened the older stays
            wrong = []
        assert not wrong or not any(flow.ends(at, done[1]).values()), wrong


@pytest.mark.usefixtures("quick")
def test_two_jobs_of_a_matrix_publish_different_sitemaps(hub: Hub) -> None:
    for _ in range(max(1, RACES // 3)):
        at = world(hub, "workflow", IndexNow())
        done = together(at, lambda at: request(at, "new"), lambda at: request(at, "newer"))
        assert [one.error for one in done] == ["", ""]
        assert ([one.state for one in at.pulls], at.leftovers()) == (["open"], [])
        assert at.site.read("public/sitemap.xml", UPDATE) in {b"new", b"newer"}
        assert len(at.site.log(f"main..{UPDATE}")) == 1
