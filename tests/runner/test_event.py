"""The event of a GitHub runner: any field may be missing, null, or of another type."""

import json
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from msgspec.structs import replace

from sitemap_action.model.context import Forge, PullRequest, RunIdentity
from sitemap_action.runner.event import read_forge, read_identity, read_pull_request

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
    "GITHUB_REPOSITORY": "example/site",
}
FROM_EVENT = PullRequest(12, "main", BASE, HEAD, MERGE)
FROM_ENVIRONMENT = PullRequest(12, "main", "", "", MERGE, guarded=True)  # a head without a repository is a fork's


def read(event: object, **environment: str) -> PullRequest | None:
    text = event if isinstance(event, bytes) else json.dumps(event).encode()
    return read_pull_request(ENVIRONMENT | environment, text)


def changed(**parts: object) -> dict[str, Any]:
    return EVENT | {"pull_request": EVENT["pull_request"] | parts}


def test_a_pull_request() -> None:
    assert read(EVENT) == FROM_EVENT


def test_the_environment_replaces_what_the_event_lacks() -> None:
    assert read({}, GITHUB_BASE_REF="release/2") == PullRequest(12, "release/2", "", "", MERGE, guarded=True)


def test_pull_request_target_has_no_merge_commit() -> None:
    assert read(EVENT, GITHUB_EVENT_NAME="pull_request_target") == PullRequest(12, "main", BASE, HEAD, "", guarded=True)


def test_a_merge_group() -> None:
    group = {"head_sha": HEAD, "head_ref": "refs/heads/gh-readonly-queue/main/pr-12", "base_sha": BASE, "base_ref": "refs/heads/main"}  # fmt: skip
    found = read({"merge_group": group}, GITHUB_EVENT_NAME="merge_group", GITHUB_SHA=HEAD)
    assert found == PullRequest(0, "main", BASE, HEAD, HEAD, queued=True)


@pytest.mark.attack("bytes")
@pytest.mark.parametrize("event", [{}, [], None, {"merge_group": None}, {"merge_group": {"base_sha": 1}}])
def test_a_merge_group_without_fields(event: object) -> None:
    assert read(event, GITHUB_EVENT_NAME="merge_group") == PullRequest(merge=MERGE, queued=True)


@pytest.mark.parametrize("name", ["push", "schedule", "workflow_dispatch", "deployment_status", "issue_comment", ""])
def test_other_events_have_no_pull_request(name: str) -> None:
    assert read(EVENT, GITHUB_EVENT_NAME=name) is None


def test_without_a_runner() -> None:
    assert read_pull_request({}, b"") is None


@pytest.mark.attack("bytes")
@pytest.mark.parametrize(
    ("event", "found"),
    [
        (changed(head={"sha": HEAD, "repo": None}), replace(FROM_EVENT, guarded=True)),  # a deleted fork
        (changed(head=None), PullRequest(12, "main", BASE, "", MERGE, guarded=True)),
        (changed(base=None), PullRequest(12, "main", "", HEAD, MERGE)),
        (changed(base={"ref": ["main"], "sha": 7}), PullRequest(12, "main", "", HEAD, MERGE)),
        (changed(base={"ref": "main", "sha": "--upload-pack=x"}), PullRequest(12, "main", "", HEAD, MERGE)),
        (changed(base={"ref": "main", "sha": BASE + "\n"}), PullRequest(12, "main", "", HEAD, MERGE)),
        (
            changed(base={"ref": "-x", "sha": BASE}),
            PullRequest(12, "-x", BASE, HEAD, MERGE),
        ),  # a valid name of a branch
        (EVENT | {"number": "12"}, FROM_EVENT),  # the number is in GITHUB_REF
        (EVENT | {"number": True}, FROM_EVENT),
        (EVENT | {"pull_request": "12"}, FROM_ENVIRONMENT),
        ([EVENT], FROM_ENVIRONMENT),
        ("text", FROM_ENVIRONMENT),
        (None, FROM_ENVIRONMENT),
        (b"", FROM_ENVIRONMENT),
        (b"{", FROM_ENVIRONMENT),
        (b"\xff\xfe\x00", FROM_ENVIRONMENT),
        (b"[" * 100_000, FROM_ENVIRONMENT),
        (b'{"number": ' + b"9" * 5000 + b"}", FROM_ENVIRONMENT),
    ],
)
def test_malformed_events(event: object, found: PullRequest) -> None:
    assert read(event) == found


@pytest.mark.parametrize("ref", ["refs/heads/main", "refs/pull/x/merge", "refs/pull/" + "9" * 5000 + "/merge", ""])
def test_another_ref_gives_no_number(ref: str) -> None:
    found = read({}, GITHUB_REF=ref)
    assert found is not None
    assert found.number == 0


@pytest.mark.attack("bytes")
@pytest.mark.parametrize("sha", ["", "main", "-x", "D" * 40, "d" * 39])
def test_a_malformed_object_id_is_dropped(sha: str) -> None:
    found = read({}, GITHUB_SHA=sha)
    assert found is not None
    assert found.merge == ""


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
def test_the_forge_is_the_server_that_runs_the_workflow(
    api: str, repository: str, token: str, forge: Forge | None
) -> None:
    assert read_forge({"GITHUB_API_URL": api, "GITHUB_REPOSITORY": repository}, token) == forge


NOW = datetime(2026, 1, 31, 12, 30, 59, 5, tzinfo=timezone(timedelta(hours=2)))
GITHUB = {
    "GITHUB_SERVER_URL": "https://github.com",
    "GITHUB_REPOSITORY": "example/site",
    "GITHUB_RUN_ID": "7",
    "GITHUB_SHA": MERGE,
    "GITHUB_REF_NAME": "main",
    "GITHUB_RUN_ATTEMPT": "2",
}
PAGE, ADDRESS = "https://github.com/example/site", "https://github.com/example/site/actions/runs/7/attempts/2"
ENDED = {"workflow_run": {"head_sha": HEAD, "head_branch": "topic"}}
GITLAB = {
    "CI_COMMIT_SHA": HEAD,
    "CI_COMMIT_REF_NAME": "topic",
    "CI_JOB_URL": "https://gitlab.com/x/-/jobs/7",
    "CI_REPOSITORY_URL": "https://gitlab-ci-token:glcbt-64_secret@gitlab.com/x.git",
}
AZURE = {"BUILD_SOURCEVERSION": HEAD, "BUILD_SOURCEBRANCH": "refs/heads/main", "BUILD_REPOSITORY_URI": "git@x:y.git"}
RUNS = [
    # id, environment, event, event name, commit, branch, number of the pull request, link, repository
    ("nothing is known", {}, {}, "", "", "", 0, "", ""),
    ("push", GITHUB | {"GITHUB_EVENT_NAME": "push"}, {}, "push", MERGE, "main", 0, ADDRESS, PAGE),
    ("pull request", GITHUB | ENVIRONMENT, EVENT, "pull_request", HEAD, "topic", 12, ADDRESS, PAGE),
    ("a run that has ended", GITHUB | {"GITHUB_EVENT_NAME": "workflow_run"}, ENDED, "workflow_run", HEAD, "topic", 0, ADDRESS, PAGE),
    ("no commit", {"GITHUB_EVENT_NAME": "push", "GITHUB_SHA": "x; rm"}, {}, "push", "", "", 0, "", ""),
    ("no number of a run", GITHUB | {"GITHUB_EVENT_NAME": "push", "GITHUB_RUN_ID": "7/../8"}, {}, "push", MERGE, "main", 0, "", PAGE),
    ("GitLab, without its token", GITLAB, {}, "GitLab CI/CD", HEAD, "topic", 0, "https://gitlab.com/x/-/jobs/7", "https://gitlab.com/x.git"),
    ("merge request", GITLAB | {"CI_MERGE_REQUEST_IID": "9"}, {}, "GitLab CI/CD", HEAD, "topic", 9, "https://gitlab.com/x/-/jobs/7", "https://gitlab.com/x.git"),
    ("no address that a browser opens", AZURE, {}, "Azure Pipelines", HEAD, "main", 0, "", ""),
]  # fmt: skip


@pytest.mark.parametrize(("environment", "event", "found"), [pytest.param(*row[1:3], row[3:], id=row[0]) for row in RUNS])  # fmt: skip
def test_which_run_it_is(environment: dict[str, str], event: object, found: tuple[Any, ...]) -> None:
    known = read_identity(environment, json.dumps(event).encode(), NOW)
    assert known.date == "2026-01-31T10:30:59Z"
    assert (known.event, known.commit, known.branch, known.pull_request, known.link, known.repository) == found


EPOCHS = [("1767225600", "2026-01-01T00:00:00Z"), ("", "2026-01-31T10:30:59Z"), ("-1", "2026-01-31T10:30:59Z"), ("9" * 30, "2026-01-31T10:30:59Z")]  # fmt: skip


@pytest.mark.parametrize(("epoch", "date"), EPOCHS)
def test_the_date_of_a_run_can_be_fixed(epoch: str, date: str) -> None:
    assert read_identity({"SOURCE_DATE_EPOCH": epoch}, b"", NOW).date == date


LINKS = [  # address of a run, whether reports show it as a link
    (ADDRESS, True),
    ("https://ci.example.com:8443/job/site%20x/7/", True),
    ("https://dev.azure.com/x/_build/results?buildId=7", True),
    ("javascript:alert(1)", False),
    ("https://x.example/](https://evil.example/)", False),
    ("https://user:secret@ci.example.com/7", False),
    ("https://x.example/7\n::error::x", False),
]


@pytest.mark.attack("injection")
@pytest.mark.parametrize(("link", "shown"), LINKS)
def test_the_address_of_a_run_is_shown_only_where_nothing_changes_it(link: str, shown: bool) -> None:
    assert RunIdentity(link=link).shown_link == (link if shown else "")
