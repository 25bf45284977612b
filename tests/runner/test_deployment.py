"""The deployment that `source.url: auto` stands for, by event; any field may be missing or of another type."""

import json
from typing import Any

import pytest

from sitemap_action.model.context import Deployment
from sitemap_action.runner.event import read_deployment

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
    ("a run with secrets, and a fork's code", "pull_request_target", request(FORK), Deployment(HEAD, trusted=False)),
    ("a pull request without fields", "pull_request", {}, None),
    ("no object id", "pull_request", request(sha="main&x=y"), None),
    ("a push", "push", {}, Deployment(MERGE)),
    ("the merge queue", "merge_group", {}, Deployment(MERGE)),
    ("a schedule", "schedule", {}, Deployment(MERGE)),
    ("started by hand", "workflow_dispatch", {}, Deployment(MERGE)),
    ("URL and environment of the event", "deployment_status", status(), Deployment(HEAD, APP, "Preview")),
    ("the environment of the deployment", "deployment_status", status(environment=None), Deployment(HEAD, APP, "Preview")),
    ("not finished: another deployment of the commit may be", "deployment_status", status(state="pending"), Deployment(HEAD)),
    ("no URL", "deployment_status", status(environment_url=""), Deployment(HEAD)),
    ("URL is null", "deployment_status", status(environment_url=None), Deployment(HEAD)),
    ("no commit", "deployment_status", status({"sha": "main"}), None),
    ("empty payload", "deployment_status", {}, None),
    ("payload is a list", "deployment_status", [1], None),
    ("GITHUB_SHA is of the default branch", "workflow_run", {}, None),
    ("a comment", "issue_comment", {}, None),
    ("no runner", "", {}, None),
]  # fmt: skip


@pytest.mark.parametrize(("name", "event", "found"), [pytest.param(*row[1:], id=row[0]) for row in EVENTS])
def test_deployment(name: str, event: object, found: Deployment | None) -> None:
    environment = {"GITHUB_EVENT_NAME": name, "GITHUB_REPOSITORY": "example/site", "GITHUB_SHA": MERGE}
    assert read_deployment(environment, json.dumps(event).encode()) == found


def test_a_push_without_a_commit() -> None:
    assert read_deployment({"GITHUB_EVENT_NAME": "push"}, b"") is None
