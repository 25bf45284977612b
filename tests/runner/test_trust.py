"""Event × author: where the config is read from, and whether the run may write."""

import json

import pytest

from sitemap_action.runner.event import TABLE, Author, ConfigSource, trust

HERE = {"full_name": "example/site"}
FORK = {"full_name": "stranger/site"}


def request(head: object, author: str = "somebody") -> dict[str, object]:
    return {"pull_request": {"user": {"login": author}, "head": head}, "repository": HERE}


@pytest.mark.parametrize(
    ("name", "event", "author", "config", "writes"),
    [
        ("push", {}, Author.REPOSITORY, ConfigSource.CHECKOUT, True),
        ("push", {"ref": "refs/tags/v1"}, Author.REPOSITORY, ConfigSource.CHECKOUT, True),  # a tag
        ("schedule", {}, Author.REPOSITORY, ConfigSource.CHECKOUT, True),
        ("workflow_dispatch", {}, Author.REPOSITORY, ConfigSource.CHECKOUT, True),
        ("merge_group", {}, Author.REPOSITORY, ConfigSource.CHECKOUT, True),
        ("deployment_status", {}, Author.ANYONE, ConfigSource.CHECKOUT, True),  # also of a fork's preview
        ("pull_request", request({"repo": HERE}), Author.REPOSITORY, ConfigSource.CHECKOUT, True),
        ("pull_request", request({"repo": {"full_name": "Example/Site"}}), Author.REPOSITORY, ConfigSource.CHECKOUT, True),
        ("pull_request", request({"repo": FORK}), Author.FORK, ConfigSource.CHECKOUT, True),
        ("pull_request", request({"repo": None}), Author.FORK, ConfigSource.CHECKOUT, True),  # the fork was deleted
        ("pull_request", request(None), Author.FORK, ConfigSource.CHECKOUT, True),
        ("pull_request", {}, Author.FORK, ConfigSource.CHECKOUT, True),  # an empty payload
        ("pull_request", request({"repo": HERE}, "dependabot[bot]"), Author.BOT, ConfigSource.CHECKOUT, True),
        ("pull_request_target", request({"repo": HERE}), Author.REPOSITORY, ConfigSource.COMMIT, True),
        ("pull_request_target", request({"repo": FORK}), Author.FORK, ConfigSource.COMMIT, False),
        ("pull_request_target", request({"repo": None}), Author.FORK, ConfigSource.COMMIT, False),
        ("workflow_run", {"workflow_run": {"head_repository": HERE}}, Author.REPOSITORY, ConfigSource.COMMIT, True),
        ("workflow_run", {"workflow_run": {"head_repository": FORK}}, Author.FORK, ConfigSource.COMMIT, False),
        ("workflow_run", {"workflow_run": {"head_repository": HERE, "actor": {"login": "dependabot[bot]"}}}, Author.BOT, ConfigSource.COMMIT, False),
        ("issue_comment", {}, Author.ANYONE, ConfigSource.COMMIT, False),
        ("an_event_of_next_year", {}, Author.ANYONE, ConfigSource.COMMIT, False),
    ],
)  # fmt: skip
def test_trust(name: str, event: object, author: Author, config: ConfigSource, writes: bool) -> None:
    row = trust({"GITHUB_EVENT_NAME": name, "GITHUB_REPOSITORY": "example/site"}, json.dumps(event).encode())
    assert author in row.authors
    assert (row.config, row.writes) == (config, writes)


def test_dependabot_is_the_actor_of_a_run_on_a_branch_of_the_repository() -> None:
    environment = {"GITHUB_EVENT_NAME": "pull_request", "GITHUB_REPOSITORY": "example/site", "GITHUB_ACTOR": "dependabot[bot]"}  # fmt: skip
    assert Author.BOT in trust(environment, json.dumps(request({"repo": HERE})).encode()).authors


def test_without_a_runner_a_write_is_allowed() -> None:
    assert trust({}, b"").writes


def test_a_payload_without_a_head_repository_counts_as_a_fork() -> None:
    """Two empty names are equal, and prove nothing."""
    assert Author.FORK in trust({"GITHUB_EVENT_NAME": "pull_request"}, b"{}").authors


def test_no_pair_of_event_and_author_has_two_rows() -> None:
    cells = [(event, author) for row in TABLE for event in row.events or ("",) for author in row.authors]
    assert len(cells) == len(set(cells))
