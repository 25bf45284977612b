"""Event × trust: who wrote what is looked at, and what follows from it."""

import json

import pytest

from sitemap_action.errors import UsageError
from sitemap_action.model.context import Forge
from sitemap_action.runner.event import read_action, read_forge
from sitemap_action.runner.masks import masks
from sitemap_action.runner.trust import TABLE, ConfigSource, Whose, trust

HERE = {"full_name": "example/site"}
FORK = {"full_name": "stranger/site"}


def request(head: object, author: str = "somebody") -> dict[str, object]:
    return {"pull_request": {"user": {"login": author}, "head": head}, "repository": HERE}


@pytest.mark.parametrize(
    ("name", "event", "whose", "config", "writes"),
    [
        ("push", {}, Whose.OWN, ConfigSource.CHECKOUT, True),
        ("push", {"ref": "refs/tags/v1"}, Whose.OWN, ConfigSource.CHECKOUT, True),  # a tag
        ("schedule", {}, Whose.OWN, ConfigSource.CHECKOUT, True),
        ("workflow_dispatch", {}, Whose.OWN, ConfigSource.CHECKOUT, True),
        ("merge_group", {}, Whose.OWN, ConfigSource.CHECKOUT, True),
        ("deployment_status", {}, Whose.ANYBODY, ConfigSource.CHECKOUT, True),  # also of a fork's preview
        ("pull_request", request({"repo": HERE}), Whose.OWN, ConfigSource.CHECKOUT, True),
        ("pull_request", request({"repo": {"full_name": "Example/Site"}}), Whose.OWN, ConfigSource.CHECKOUT, True),
        ("pull_request", request({"repo": FORK}), Whose.FORK, ConfigSource.CHECKOUT, True),
        ("pull_request", request({"repo": None}), Whose.FORK, ConfigSource.CHECKOUT, True),  # the fork was deleted
        ("pull_request", request(None), Whose.FORK, ConfigSource.CHECKOUT, True),
        ("pull_request", {}, Whose.FORK, ConfigSource.CHECKOUT, True),  # an event that says nothing
        ("pull_request", request({"repo": HERE}, "dependabot[bot]"), Whose.BOT, ConfigSource.CHECKOUT, True),
        ("pull_request_target", request({"repo": HERE}), Whose.OWN, ConfigSource.COMMIT, True),
        ("pull_request_target", request({"repo": FORK}), Whose.FORK, ConfigSource.COMMIT, False),
        ("pull_request_target", request({"repo": None}), Whose.FORK, ConfigSource.COMMIT, False),
        ("workflow_run", {"workflow_run": {"head_repository": HERE}}, Whose.OWN, ConfigSource.COMMIT, True),
        ("workflow_run", {"workflow_run": {"head_repository": FORK}}, Whose.FORK, ConfigSource.COMMIT, False),
        ("workflow_run", {"workflow_run": {"head_repository": HERE, "actor": {"login": "dependabot[bot]"}}}, Whose.BOT, ConfigSource.COMMIT, False),
        ("issue_comment", {}, Whose.ANYBODY, ConfigSource.COMMIT, False),
        ("an_event_of_next_year", {}, Whose.ANYBODY, ConfigSource.COMMIT, False),
    ],
)  # fmt: skip
def test_trust(name: str, event: object, whose: Whose, config: ConfigSource, writes: bool) -> None:
    row = trust({"GITHUB_EVENT_NAME": name, "GITHUB_REPOSITORY": "example/site"}, json.dumps(event).encode())
    assert whose in row.whose
    assert (row.config, row.writes) == (config, writes)


def test_dependabot_starts_a_run_of_a_branch_here() -> None:
    environment = {"GITHUB_EVENT_NAME": "pull_request", "GITHUB_REPOSITORY": "example/site", "GITHUB_ACTOR": "dependabot[bot]"}  # fmt: skip
    assert Whose.BOT in trust(environment, json.dumps(request({"repo": HERE})).encode()).whose


def test_nobody_s_runner() -> None:
    assert trust({}, b"").writes


def test_whoever_is_not_named_here_is_a_stranger() -> None:
    """Nothing equals nothing: a payload without names is no proof."""
    assert Whose.FORK in trust({"GITHUB_EVENT_NAME": "pull_request"}, b"{}").whose


def test_every_row_can_be_reached_and_none_twice() -> None:
    cells = [(event, whose) for row in TABLE for event in row.events or ("",) for whose in row.whose]
    assert len(cells) == len(set(cells))


def test_secrets_are_masked_in_every_form() -> None:
    found = masks(
        {
            "INPUT_TOKEN": " ghs_abc/def ",
            "INPUT_HEADERS": "Authorization: Basic dXNlcjpwYXNz\nX-Key: k/1\n",
            "INPUT_PATH": "dist",
        }
    )
    assert set(found) >= {"ghs_abc/def", "Z2hzX2FiYy9kZWY=", "ghs_abc%2Fdef", "Basic dXNlcjpwYXNz", "dXNlcjpwYXNz", "k/1"}  # fmt: skip
    assert "dist" not in found
    assert "" not in found


@pytest.mark.parametrize(
    ("api", "repository", "token", "forge"),
    [
        ("https://api.github.com", "a/b", "t", Forge("https://api.github.com", "a/b", "t")),
        ("https://git.example.com/api/v3/", "a/b", "t", Forge("https://git.example.com/api/v3", "a/b", "t")),
        ("https://api.tenant.ghe.com", "a/b", "t", Forge("https://api.tenant.ghe.com", "a/b", "t")),
        ("https://api.github.com", "a/b", "", None),
        ("", "a/b", "t", None),
        ("https://api.github.com", "", "t", None),
    ],
)
def test_the_server_is_the_one_that_runs_this(api: str, repository: str, token: str, forge: Forge | None) -> None:
    assert read_forge({"GITHUB_API_URL": api, "GITHUB_REPOSITORY": repository}, token) == forge


@pytest.mark.parametrize("text", ["yes", "1", "on", "tRUE", "true, false"])
@pytest.mark.parametrize("name", ["summary", "tls-verify"])
def test_a_boolean_is_one_of_six_words(name: str, text: str) -> None:
    with pytest.raises(UsageError, match=f"input {name}: {text} is neither true nor false"):
        read_action({f"INPUT_{name.upper()}": text})


@pytest.mark.parametrize("text", ["10.0.0.1,\n intranet.example \n\n", "10.0.0.1\r\nintranet.example"])
def test_a_list_is_parted_by_lines_or_commas(text: str) -> None:
    assert read_action({"INPUT_ALLOW-PRIVATE-HOSTS": text}).allow_private_hosts == ("10.0.0.1", "intranet.example")


def test_secrets_go_only_where_an_input_says() -> None:
    with pytest.raises(UsageError, match="secrets go only where an input says"):
        read_action({"INPUT_HEADERS": "X-Key: secret", "INPUT_URL": ""})
    assert "secret" not in repr(read_action({"INPUT_HEADERS": "X-Key: secret", "INPUT_URL": "https://x.example/"}))
