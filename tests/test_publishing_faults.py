"""Every fault at every request of every flow: the end is right, nothing is doubled, nothing of others is touched, and the
outputs are true. The rows are made by playing each flow once without a fault.

SITEMAP_ACTION_FAULTS=table prints the table; SITEMAP_ACTION_SHARE makes it larger or smaller (tests/examples.py).
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from examples import share
from forge import faults
from forge.hub import Hub
from forge.repository import Repository
from forge.server import Answer
from forge.tokens import Token
from sitemap_action.model.context import Forge
from sitemap_action.model.step import (
    CommitFiles,
    Counts,
    FileChange,
    IssueState,
    Operation,
    Published,
    Publishing,
    RequestOptions,
    SiteMark,
    Step,
    SyncIssue,
    SyncPullRequest,
    UpsertComment,
)
from sitemap_action.publish.apply import Authority, apply

PATH, THEIRS, UPDATE = "public/sitemap.xml", "somebody/branch", "sitemap-action/update"
MARK = SiteMark("https://www.example.com/", PATH)
OPTIONS = RequestOptions(title="Sitemap", labels=("seo",), reviewers=("hubot",), assignees=("mona",))
PUBLISHING = Publishing(branch="main", pr_branch=UPDATE, request=OPTIONS, number=1, run="command-line")
FAULTS: dict[str, Callable[[], faults.Play]] = {
    "502 before": faults.outage,
    "502 after": lambda: answered_by_outage,
    "drop before": faults.dropped,
    "drop after": faults.lost,
    "403": lambda: faults.answers(403, "Resource not accessible by integration"),
    "403 limit": lambda: faults.secondary_limit(1),
    "409": lambda: faults.answers(409, "Git Repository is empty."),
    "422": lambda: faults.answers(422, "Validation Failed"),
    "429": lambda: faults.secondary_limit(1, 429),
}
PASSING = {"502 before", "502 after", "drop before", "drop after", "403 limit", "429"}


def answered_by_outage(carry_out: Callable[[], Answer]) -> Answer:
    """It is done, and the load balancer answers all the same."""
    carry_out()
    return faults.outage()(carry_out)


@dataclass
class World:
    """A repository with a branch, a request, a comment and an issue of somebody, and what a flow wants of it."""

    hub: Hub
    site: Repository
    token: Token

    def carry_out(self, *steps: Step, publishing: Publishing = PUBLISHING) -> Published:
        forge = Forge(
            self.hub.api_url, self.site.full_name, self.token.value, self.hub.graphql_url, self.hub.server_url
        )
        return apply(steps, Path.cwd(), Authority(publishing, forge))

    def request(self, *contents: str) -> SyncPullRequest:
        changes = tuple(FileChange(PATH, text.encode()) for text in contents)
        return SyncPullRequest(UPDATE, "main", self.site.head(), Counts(1, 0, 0), MARK, "The report", changes)

    def commit(self, text: str) -> CommitFiles:
        changes = (FileChange(PATH, text.encode()),)
        return CommitFiles("main", self.site.head(), Counts(1, 0, 0), MARK, changes)

    def others(self) -> tuple[object, ...]:
        """What is somebody else's: it never changes."""
        pulls = [(one.state, one.title, one.body) for one in self.hub.pulls[self.site.full_name] if one.head == THEIRS]
        comments = [one.body for one in self.hub.comments[self.site.full_name] if one.login == "mona"]
        issues = [
            (one.state, one.title, one.body) for one in self.hub.issues[self.site.full_name] if one.login == "mona"
        ]
        return (self.site.head(THEIRS), pulls, comments, issues)

    def mine(self) -> list[str]:
        """Branches that no person made."""
        known = {"refs/heads/main", f"refs/heads/{THEIRS}"}
        return sorted(set(self.site.refs("refs/heads/")) - known)


def world(hub: Hub, name: str, token: Token) -> World:
    site = hub.repository(f"octo-org/{name}")
    site.commit({PATH: "old"})
    site.commit({"notes.md": "theirs"}, THEIRS)
    pull = hub.open_pull(site, THEIRS, title="Theirs", body="Theirs")
    hub.open_issue(site, "Sitemap", f"Theirs\n\n{MARK.lines('x')}")
    hub.comment(site, pull.number, "<!-- sitemap-action:sitemap -->\nTheirs")
    return World(hub, site, token)


Flow = Callable[[World], Published]


def commits(at: World) -> Published:
    return at.carry_out(at.commit("new"))


def opens(at: World) -> Published:
    return at.carry_out(at.request("new"))


def updates(at: World) -> Published:
    return at.carry_out(at.request("newer"))


def closes(at: World) -> Published:
    return at.carry_out(at.request())


def comments(at: World) -> Published:
    number = at.hub.pulls[at.site.full_name][0].number
    step = UpsertComment(number, "sitemap", "The report", create=True)
    return at.carry_out(step, publishing=Publishing(number=number))


def reports(at: World, state: IssueState = IssueState.OPEN) -> Published:
    step = SyncIssue(MARK, "Sitemap", "The report", state)
    return at.carry_out(step, publishing=Publishing(issue=True))


def resolves(at: World) -> Published:
    return reports(at, IssueState.CLOSED)


FLOWS: dict[str, tuple[Flow, ...]] = {  # what is there already, and the flow that meets the fault
    "commit": (commits,),
    "open": (opens,),
    "update": (opens, updates),
    "close": (opens, closes),
    "comment": (comments,),
    "issue": (reports,),
    "close-issue": (reports, resolves),
}
TOKENS = {"workflow": Token("ghs_forge"), "person": Token("ghp_octocat", login="octocat")}


def holds(at: World, flow: str, done: Published, before: tuple[object, ...]) -> str:
    """What is wrong at the end; "" for nothing."""
    pulls = [one for one in at.hub.pulls[at.site.full_name] if one.head == UPDATE]
    wanted = {"open": "new", "update": "newer"}.get(flow, "")
    written = [one.body for one in at.hub.comments[at.site.full_name] if one.login == at.token.login]
    ours = [body for body in written if body.startswith("<!-- sitemap-action:sitemap -->")]
    issues = [one for one in at.hub.issues[at.site.full_name] if one.login == at.token.login]
    checks = {
        "two issues": len(issues) > 1,
        "something of others has changed": at.others() != before,
        "a branch is left over": at.mine() not in ([], [f"refs/heads/{UPDATE}"]),
        "two requests": len(pulls) > 1,
        "two comments": len(ours) > 1 or len(written) - len(ours) > 1,
    }
    if not done.error and not done.notes:
        head = at.site.head("main" if flow == "commit" else UPDATE)
        checks |= {
            "the file": flow == "commit" and at.site.read(PATH) != b"new",
            "the commit": flow in ("commit", "open", "update") and done.commit != head,
            "a second commit": flow == "commit" and len(at.site.log("main")) != 3,
            "the request": bool(wanted) and (len(pulls) != 1 or pulls[0].state != "open" or at.site.read(PATH, UPDATE) != wanted.encode()),
            "its options": bool(wanted) and (pulls[0].labels, pulls[0].assignees) != (["seo"], ["mona"]),
            "its number": bool(wanted) and done.number != pulls[0].number,
            "the operation": done.operation is not {"open": Operation.CREATED, "update": Operation.UPDATED, "close": Operation.CLOSED}.get(flow, Operation.NONE),
            "closed": flow == "close" and (pulls[0].state != "closed" or at.mine() != []),
            "the comment": flow == "comment" and len(ours) != 1,
            "the issue": flow.endswith("issue") and [one.state for one in issues] != ["open" if flow == "issue" else "closed"],
            "a step that is not done": not all(one.done for one in done.steps),
        }  # fmt: skip
    elif flow != "comment":
        there = bool(at.site.ask("cat-file", "-t", done.commit)) if done.commit else True
        opened = [one for one in pulls if one.number == done.number] if done.number else [None]
        checks |= {
            "a commit that is not there": not there,
            "a request that is not there": not opened,
            "a failure without a word": not done.error,
        }
    return "; ".join(what for what, wrong in checks.items() if wrong)


def play(hub: Hub, number: int, flow: str, token: Token, fault: str, skip: int) -> tuple[Published, str, int]:
    """The result, what is wrong, and how many requests the flow made."""
    at = world(hub, f"{flow}-{number}", token)
    *earlier, last = FLOWS[flow]
    for one in earlier:
        one(at)
    before, asked = at.others(), len(hub.log)
    if fault:
        hub.fail(FAULTS[fault](), on="*", skip=skip)
    done = last(at)
    hub._planned.clear()
    wrong = holds(at, flow, done, before)
    if fault in PASSING and (done.error or done.notes):
        wrong = f"{wrong}; it passes, and the flow failed: {done.error or done.notes}"
    if fault and not wrong and (done.error or done.notes):  # the next run repairs it
        again = last(at)
        wrong = f"the next run: {again.error}" if again.error else ""
        if not wrong and at.others() != before:
            wrong = "the next run has changed something of others"
    return done, wrong, len(hub.log) - asked


@pytest.mark.parametrize("kind", TOKENS)
@pytest.mark.parametrize("flow", FLOWS)
def test_every_fault_at_every_request(flow: str, kind: str, hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sitemap_action.repo.github_api.FIRST", 0.001)
    token = TOKENS[kind]
    hub.tokens[token.value] = token
    _, wrong, requests = play(hub, 0, flow, token, "", 0)
    assert not wrong
    every = [(fault, skip) for fault in FAULTS for skip in range(requests)]
    rows = every if os.environ.get("SITEMAP_ACTION_FAULTS") else every[:: max(1, len(every) // share(60))]
    found = {}
    for number, (fault, skip) in enumerate(rows, 1):
        done, said, _ = play(hub, number, flow, token, fault, skip)
        found[fault, skip] = said or ("failed, and said" if done.error or done.notes else "done")
    if os.environ.get("SITEMAP_ACTION_FAULTS") == "table":
        for fault in FAULTS:
            cells = [found[fault, skip] for skip in range(requests)]
            signs = "".join({"done": ".", "failed, and said": "!"}.get(cell, "X") for cell in cells)
            print(f"{flow:8} {kind:9} {fault:12} {signs}")  # noqa: T201
    bad = {key: said for key, said in found.items() if said not in ("done", "failed, and said")}
    assert not bad, f"{len(bad)} of {len(found)}: {bad}"


def test_thirty_kills(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that ends at any change is repaired by the next one: nothing doubled, nothing of others touched."""
    monkeypatch.setattr("sitemap_action.repo.github_api.FIRST", 0.001)
    monkeypatch.setattr("sitemap_action.repo.github_api.TRIES", 2)
    token = TOKENS["workflow"]
    hub.tokens[token.value] = token
    for number in range(share(150)):
        flow = list(FLOWS)[number % len(FLOWS)]
        at = world(hub, f"killed-{number}", token)
        *earlier, last = FLOWS[flow]
        for one in earlier:
            one(at)
        before = at.others()
        hub.stop_after(1 + number // len(FLOWS))
        last(at)
        hub.resume()
        done = flow == "commit" and at.site.read(PATH) == b"new"  # which the next run judges, and finds in sync
        again = Published() if done else last(at)
        assert not again.error, (flow, number, again)
        assert at.others() == before, (flow, number)
        pulls = [one for one in hub.pulls[at.site.full_name] if one.head == UPDATE]
        written = [one for one in hub.comments[at.site.full_name] if one.login == token.login]
        issues = [one for one in hub.issues[at.site.full_name] if one.login == token.login]
        assert max(len(pulls), len(written), len(issues)) <= 1, (flow, number)
        assert at.mine() == ([f"refs/heads/{UPDATE}"] if flow in {"open", "update"} else []), (flow, number)
        wanted = {"commit": ("main", b"new"), "open": (UPDATE, b"new"), "update": (UPDATE, b"newer")}
        if flow in wanted:
            assert at.site.read(PATH, wanted[flow][0]) == wanted[flow][1], (flow, number)
        assert len(at.site.log("main")) == (3 if flow == "commit" else 2), (flow, number)
