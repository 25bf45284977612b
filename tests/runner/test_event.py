"""The event of a GitHub runner: whose fields may be missing, null, or anything else."""

import json
from typing import Any

import pytest

from sitemap_action.model.context import PullRequest
from sitemap_action.runner.event import read_pull_request

BASE, HEAD, MERGE = "b" * 40, "c" * 40, "d" * 40
EVENT: dict[str, Any] = {
    "action": "synchronize",
    "number": 12,
    "pull_request": {
        "number": 12,
        "base": {"ref": "main", "sha": BASE, "repo": {"full_name": "example/site"}},
        "head": {"ref": "topic", "sha": HEAD, "repo": {"full_name": "example/site"}},
    },
}
ENVIRONMENT = {
    "GITHUB_EVENT_NAME": "pull_request",
    "GITHUB_SHA": MERGE,
    "GITHUB_BASE_REF": "main",
    "GITHUB_REF": "refs/pull/12/merge",
}
WHOLE = PullRequest(12, "main", BASE, HEAD, MERGE)
BARE = PullRequest(12, "main", "", "", MERGE)  # what the environment alone tells


def read(event: object, **environment: str) -> PullRequest | None:
    text = event if isinstance(event, bytes) else json.dumps(event).encode()
    return read_pull_request(ENVIRONMENT | environment, text)


def changed(**parts: object) -> dict[str, Any]:
    return EVENT | {"pull_request": EVENT["pull_request"] | parts}


def test_a_pull_request() -> None:
    assert read(EVENT) == WHOLE


def test_the_environment_fills_in_for_the_event() -> None:
    assert read({}, GITHUB_BASE_REF="release/2") == PullRequest(12, "release/2", "", "", MERGE)


def test_under_pull_request_target_the_commit_is_the_target_branch_s() -> None:
    assert read(EVENT, GITHUB_EVENT_NAME="pull_request_target") == PullRequest(12, "main", BASE, HEAD, "")


def test_a_merge_group() -> None:
    group = {"head_sha": HEAD, "head_ref": "refs/heads/gh-readonly-queue/main/pr-12", "base_sha": BASE, "base_ref": "refs/heads/main"}  # fmt: skip
    found = read({"merge_group": group}, GITHUB_EVENT_NAME="merge_group", GITHUB_SHA=HEAD)
    assert found == PullRequest(0, "main", BASE, HEAD, HEAD, queued=True)


@pytest.mark.parametrize("event", [{}, [], None, {"merge_group": None}, {"merge_group": {"base_sha": 1}}])
def test_a_merge_group_that_says_nothing(event: object) -> None:
    assert read(event, GITHUB_EVENT_NAME="merge_group") == PullRequest(merge=MERGE, queued=True)


@pytest.mark.parametrize("name", ["push", "schedule", "workflow_dispatch", "deployment_status", "issue_comment", ""])
def test_other_events_are_about_no_change(name: str) -> None:
    assert read(EVENT, GITHUB_EVENT_NAME=name) is None


def test_nobody_s_runner() -> None:
    assert read_pull_request({}, b"") is None


@pytest.mark.parametrize(
    ("event", "found"),
    [
        (changed(head={"sha": HEAD, "repo": None}), WHOLE),  # a deleted fork
        (changed(head=None), PullRequest(12, "main", BASE, "", MERGE)),
        (changed(base=None), PullRequest(12, "main", "", HEAD, MERGE)),
        (changed(base={"ref": ["main"], "sha": 7}), PullRequest(12, "main", "", HEAD, MERGE)),
        (changed(base={"ref": "main", "sha": "--upload-pack=x"}), PullRequest(12, "main", "", HEAD, MERGE)),
        (changed(base={"ref": "main", "sha": BASE + "\n"}), PullRequest(12, "main", "", HEAD, MERGE)),
        (
            changed(base={"ref": "-x", "sha": BASE}),
            PullRequest(12, "-x", BASE, HEAD, MERGE),
        ),  # a branch may be so named
        (EVENT | {"number": "12"}, WHOLE),  # then GITHUB_REF tells
        (EVENT | {"number": True}, WHOLE),
        (EVENT | {"pull_request": "12"}, BARE),
        ([EVENT], BARE),
        ("text", BARE),
        (None, BARE),
        (b"", BARE),
        (b"{", BARE),
        (b"\xff\xfe\x00", BARE),
        (b"[" * 100_000, BARE),
        (b'{"number": ' + b"9" * 5000 + b"}", BARE),
    ],
)
def test_what_an_event_may_be(event: object, found: PullRequest) -> None:
    assert read(event) == found


@pytest.mark.parametrize("ref", ["refs/heads/main", "refs/pull/x/merge", "refs/pull/" + "9" * 5000 + "/merge", ""])
def test_a_number_is_not_guessed(ref: str) -> None:
    found = read({}, GITHUB_REF=ref)
    assert found is not None
    assert found.number == 0


@pytest.mark.parametrize("sha", ["", "main", "-x", "D" * 40, "d" * 39])
def test_an_object_id_is_one_or_nothing(sha: str) -> None:
    found = read({}, GITHUB_SHA=sha)
    assert found is not None
    assert found.merge == ""
