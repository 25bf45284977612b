"""Which deployment `source.url: auto` stands for, by event; any field of an event may be missing or anything else."""

import json
from typing import Any

import pytest

from sitemap_action.model.context import Deployment
from sitemap_action.runner.deployment import read_deployment

HERE, FORK = {"full_name": "example/site"}, {"full_name": "stranger/site"}
HEAD, MERGE = "c" * 40, "d" * 40
APP = "https://preview.example.net/"
DEPLOYMENT = {"sha": HEAD, "environment": "Preview"}
DONE = {"state": "success", "environment_url": APP, "environment": "Preview"}


def request(repo: object = HERE, sha: object = HEAD, author: str = "somebody") -> dict[str, Any]:
    return {"pull_request": {"user": {"login": author}, "head": {"sha": sha, "repo": repo}}, "repository": HERE}


def status(deployment: object = DEPLOYMENT, **changes: object) -> dict[str, object]:
    return {"deployment": deployment, "deployment_status": {**DONE, **changes}}


EVENTS: list[tuple[str, str, object, Deployment | None]] = [
    # id, event, payload, deployment
    ("a pull request's head, not its merge", "pull_request", request(), Deployment(HEAD)),
    ("a fork's", "pull_request", request(FORK), Deployment(HEAD, trusted=False)),
    ("a deleted fork's", "pull_request", request(None), Deployment(HEAD, trusted=False)),
    ("Dependabot's is the repository's own", "pull_request", request(author="dependabot[bot]"), Deployment(HEAD)),
    ("secrets are there, and a fork's code", "pull_request_target", request(FORK), Deployment(HEAD, trusted=False)),
    ("a pull request that says nothing", "pull_request", {}, None),
    ("no object id", "pull_request", request(sha="main&x=y"), None),
    ("a push", "push", {}, Deployment(MERGE)),
    ("the merge queue", "merge_group", {}, Deployment(MERGE)),
    ("a schedule", "schedule", {}, Deployment(MERGE)),
    ("by hand", "workflow_dispatch", {}, Deployment(MERGE)),
    ("told by the event", "deployment_status", status(), Deployment(HEAD, APP, "Preview")),
    ("the environment of the deployment", "deployment_status", status(environment=None), Deployment(HEAD, APP, "Preview")),
    ("not done: others of the commit may be", "deployment_status", status(state="pending"), Deployment(HEAD)),
    ("b2 no address", "deployment_status", status(environment_url=""), Deployment(HEAD)),
    ("b2 no address, said otherwise", "deployment_status", status(environment_url=None), Deployment(HEAD)),
    ("no commit", "deployment_status", status({"sha": "main"}), None),
    ("nothing", "deployment_status", {}, None),
    ("no mapping", "deployment_status", [1], None),
    ("the default branch's commit is not the one", "workflow_run", {}, None),
    ("a comment", "issue_comment", {}, None),
    ("nobody's runner", "", {}, None),
]  # fmt: skip


@pytest.mark.parametrize(("name", "event", "found"), [pytest.param(*row[1:], id=row[0]) for row in EVENTS])
def test_events(name: str, event: object, found: Deployment | None) -> None:
    environment = {"GITHUB_EVENT_NAME": name, "GITHUB_REPOSITORY": "example/site", "GITHUB_SHA": MERGE}
    assert read_deployment(environment, json.dumps(event).encode()) == found


def test_a_push_without_a_commit() -> None:
    assert read_deployment({"GITHUB_EVENT_NAME": "push"}, b"") is None
