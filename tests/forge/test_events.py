"""Events as a runner gives them; the payloads are held to GitHub's schema where they are made."""

import json
from pathlib import Path
from typing import Any

import pytest

from forge import descriptions, events
from forge.hub import Hub, Pull
from forge.repository import Repository


@pytest.fixture
def site(hub: Hub) -> Repository:
    return hub.repository("octo-org/site")


@pytest.fixture
def opened(hub: Hub, site: Repository) -> Pull:
    site.commit({"x": "1"}, "topic")
    return hub.open_pull(site, "topic")


def written(event: events.Event, folder: Path) -> tuple[dict[str, str], dict[str, Any]]:
    environment = event.written(folder)
    return environment, json.loads(Path(environment["GITHUB_EVENT_PATH"]).read_text())


@pytest.mark.parametrize("action", ["opened", "synchronize", "reopened"])
def test_a_pull_request(hub: Hub, site: Repository, opened: Pull, tmp_path: Path, action: str) -> None:
    environment, payload = written(events.pull_request(hub, opened, action), tmp_path)
    merge = environment["GITHUB_SHA"]
    assert site.parents(merge) == [site.head(), site.head("topic")]
    assert site.files(merge).keys() == {"README.md", "x"}
    assert {key: environment[f"GITHUB_{key}"] for key in ("REF", "REF_NAME", "REF_TYPE", "HEAD_REF", "BASE_REF")} == {
        "REF": "refs/pull/1/merge",
        "REF_NAME": "1/merge",
        "REF_TYPE": "branch",
        "HEAD_REF": "topic",
        "BASE_REF": "main",
    }
    assert payload["pull_request"]["head"]["repo"]["full_name"] == payload["repository"]["full_name"] == "octo-org/site"
    assert payload["pull_request"]["base"]["sha"] == site.head()


def test_a_fork_and_what_is_left_of_one(hub: Hub, site: Repository) -> None:
    fork = hub.fork(site, "mona")
    fork.commit({"x": "1"}, "patch-1")
    pull = hub.open_pull(site, "patch-1", source=fork)
    assert events.pull_request(hub, pull).payload["pull_request"]["head"]["repo"]["full_name"] == "mona/site"
    pull.head_repository = None
    assert events.pull_request(hub, pull).payload["pull_request"]["head"]["repo"] is None


def test_a_merge_that_conflicts_has_no_commit(hub: Hub, site: Repository, opened: Pull) -> None:
    assert site.ref("refs/pull/1/merge")
    site.commit({"x": "2"})
    assert site.ref("refs/pull/1/merge") == ""


def test_the_target_of_a_pull_request(hub: Hub, site: Repository, opened: Pull, tmp_path: Path) -> None:
    environment, _ = written(events.pull_request(hub, opened, name="pull_request_target"), tmp_path)
    assert (environment["GITHUB_SHA"], environment["GITHUB_REF"]) == (site.head(), "refs/heads/main")


def test_events_without_a_pull_request(hub: Hub, site: Repository, tmp_path: Path) -> None:
    head = site.commit({"x": "1"})
    made = [
        (events.push(hub, site), "refs/heads/main"),
        (events.schedule(site), "refs/heads/main"),
        (events.workflow_dispatch(hub, site), "refs/heads/main"),
        (events.deployment_status(hub, site, head, "https://www.example.com/", branch="main"), "refs/heads/main"),
        (events.deployment_status(hub, site, head, "https://www.example.com/"), ""),
    ]
    for event, ref in made:
        environment, payload = written(event, tmp_path)
        assert (environment["GITHUB_SHA"], environment["GITHUB_REF"]) == (head, ref)
        assert payload["repository"]["full_name"] == "octo-org/site"
    assert payload["deployment_status"]["environment_url"] == "https://www.example.com/"


def test_a_payload_that_is_none(hub: Hub, site: Repository) -> None:
    with pytest.raises(AssertionError, match=r"\$\.number: 'one' is not of type 'integer'"):
        descriptions.webhooks().event("pull_request$opened", {"action": "opened", "number": "one"})
