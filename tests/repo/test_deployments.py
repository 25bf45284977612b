"""Deployments and their statuses in the shapes that GitHub's documentation shows, answered by a dict."""

from collections.abc import Mapping
from typing import Any

import httpx
import pytest

from sitemap_action.errors import SitemapActionError, UnreachableError, UsageError
from sitemap_action.model.context import Forge
from sitemap_action.repo.github import ListedDeployment, deployments
from sitemap_action.repo.github_api import Api

COMMIT = "a84d88e7554fc1fa21bcbc4efae3c782a70d2b9d"
REPOSITORY = "/repos/octo-org/octo-repo"
LIST = f"{REPOSITORY}/deployments?sha={COMMIT}&per_page=100"
USER = {"login": "octocat", "id": 1, "type": "User", "site_admin": False}
APP = "https://preview.example.net/"


def deployment(number: int, minute: int = 0, **other: object) -> dict[str, Any]:
    base = f"https://api.github.com{REPOSITORY}"
    return {
        "url": f"{base}/deployments/{number}",
        "id": number,
        "node_id": "MDEwOkRlcGxveW1lbnQx",
        "sha": COMMIT,
        "ref": "topic",
        "task": "deploy",
        "payload": {},
        "original_environment": "Preview",
        "environment": "Preview",
        "description": None,
        "creator": USER,
        "created_at": f"2026-11-20T01:{minute:02}:00Z",
        "updated_at": f"2026-11-20T01:{minute:02}:30Z",
        "statuses_url": f"{base}/deployments/{number}/statuses",
        "repository_url": base,
        "transient_environment": False,
        "production_environment": False,
        **other,
    }


def status(state: str, minute: int = 0, environment_url: str = APP, **other: object) -> dict[str, Any]:
    return {
        "url": f"https://api.github.com{REPOSITORY}/deployments/42/statuses/1",
        "id": 1,
        "node_id": "MDE2OkRlcGxveW1lbnRTdGF0dXMx",
        "state": state,
        "creator": USER,
        "description": "Deployment has completed",
        "environment": "Preview",
        "target_url": "https://ci.example.net/log/1",
        "created_at": f"2026-11-20T02:{minute:02}:00Z",
        "updated_at": f"2026-11-20T02:{minute:02}:00Z",
        "deployment_url": f"https://api.github.com{REPOSITORY}/deployments/42",
        "repository_url": f"https://api.github.com{REPOSITORY}",
        "environment_url": environment_url,
        "log_url": "https://ci.example.net/log/1",
        **other,
    }


def api(answers: Mapping[str, object], asked: list[httpx.Request] | None = None) -> Api:
    """A path → what it answers: JSON, a whole response, or an exception."""

    def answer(request: httpx.Request) -> httpx.Response:
        if asked is not None:
            asked.append(request)
        found = answers.get(request.url.raw_path.decode(), httpx.Response(404, json={"message": "Not Found"}))
        if isinstance(found, Exception):
            raise found
        return found if isinstance(found, httpx.Response) else httpx.Response(200, json=found)

    return Api(Forge("https://api.github.example", "octo-org/octo-repo", "s3cret"), httpx.MockTransport(answer))


def statuses(number: int) -> str:
    return f"{REPOSITORY}/deployments/{number}/statuses?per_page=100"


SAID: list[tuple[str, object, ListedDeployment]] = [
    # id, statuses of the one deployment, what it comes to
    ("done", [status("success")], ListedDeployment("Preview", "success", APP)),
    ("the newest counts", [status("success", 2), status("in_progress", 1), status("queued")], ListedDeployment("Preview", "success", APP)),
    ("whatever the order", [status("queued"), status("success", 2), status("in_progress", 1)], ListedDeployment("Preview", "success", APP)),
    ("built anew", [status("in_progress", 2), status("success", 1)], ListedDeployment("Preview", "in_progress", APP)),
    ("a failure after it", [status("failure", 2, ""), status("success", 1)], ListedDeployment("Preview", "failure", "")),
    ("b2 replaced in its environment, and still served", [status("inactive", 2), status("success", 1)], ListedDeployment("Preview", "success", APP)),
    ("b2 a job's own environment has no address", [status("success", environment_url="")], ListedDeployment("Preview", "success", "")),
    ("a log is no address", [{**status("success"), "environment_url": None}], ListedDeployment("Preview", "success", "")),
    ("nothing said yet", [], ListedDeployment("Preview", "", "")),
    ("no list", {"message": "?"}, ListedDeployment("Preview", "", "")),
    ("rows that are none", [None, 1, "x", []], ListedDeployment("Preview", "", "")),
    ("fields of other types", [{"state": 1, "environment_url": ["x"], "created_at": None}], ListedDeployment("Preview", "", "")),
    ("deleted meanwhile", httpx.Response(404, json={"message": "Not Found"}), ListedDeployment("Preview", "", "")),
]  # fmt: skip


@pytest.mark.parametrize(("rows", "found"), [pytest.param(*row[1:], id=row[0]) for row in SAID])
def test_what_a_deployment_comes_to(rows: object, found: ListedDeployment) -> None:
    assert list(deployments(api({LIST: [deployment(42)], statuses(42): rows}), COMMIT)) == [found]


def test_the_newest_comes_first_and_only_what_is_looked_at_is_asked_for() -> None:
    asked: list[httpx.Request] = []
    listed = [deployment(1, 1, environment="old"), deployment(3, 3, environment="new"), deployment(2, 2)]
    found = deployments(api({LIST: listed, statuses(3): [status("success")]}, asked), COMMIT)
    assert next(found).environment == "new"
    assert [request.url.raw_path.decode() for request in asked] == [LIST, statuses(3)]


def test_an_environment_is_asked_for_by_its_name() -> None:
    query = f"{REPOSITORY}/deployments?sha={COMMIT}&environment=Preview+%E2%80%93+docs%26a&per_page=100"
    name = "Preview – docs&a"
    found = deployments(api({query: [deployment(42, environment=name)], statuses(42): []}), COMMIT, name)
    assert list(found) == [ListedDeployment(name, "", "")]


@pytest.mark.parametrize("row", [{"sha": "b" * 40}, {"id": "42"}, {"id": None}, {"sha": None}])
def test_what_is_none_of_this_commit_s_is_passed_over(row: dict[str, object]) -> None:
    assert list(deployments(api({LIST: [deployment(42, **row)]}), COMMIT)) == []


REFUSED: list[tuple[str, object, type[SitemapActionError], str]] = [
    # id, answer of the list, error, words
    ("no permission", httpx.Response(403, json={"message": "Resource not accessible by integration"}), UsageError, "answers 403: the token may not read deployments"),
    ("no permission, of a private repository", httpx.Response(404), UsageError, "answers 404: the token may not read deployments"),
    ("no such token", httpx.Response(401), UsageError, "answers 401: the token is not accepted"),
    ("too many questions", httpx.Response(403, headers={"x-ratelimit-remaining": "0"}), UnreachableError, "answers 403"),
    ("too many at once", httpx.Response(403, headers={"retry-after": "60"}), UnreachableError, "answers 403"),
    ("429", httpx.Response(429), UnreachableError, "answers 429"),
    ("a broken server", httpx.Response(502), UnreachableError, "answers 502"),
    ("a renamed repository", httpx.Response(301, headers={"location": "https://evil.example/"}), UnreachableError, "answers 301"),
    ("no JSON", httpx.Response(200, text="{"), UnreachableError, "does not answer with JSON"),
    ("JSON without end", httpx.Response(200, text="[" * 100_000), UnreachableError, "does not answer with JSON"),
    ("no connection", httpx.ConnectError("refused"), UnreachableError, "cannot be reached: ConnectError"),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "error", "words"), [pytest.param(*row[1:], id=row[0]) for row in REFUSED])
def test_no_list(answer: object, error: type[SitemapActionError], words: str) -> None:
    with pytest.raises(error, match=words) as raised:
        list(deployments(api({LIST: answer}), COMMIT))
    assert raised.type is error
    assert "s3cret" not in f"{raised.value} {raised.value.hint}"
    assert ("deployments: read" in raised.value.hint) is (error is UsageError)


@pytest.mark.attack("secrets")
def test_the_token_goes_to_the_api_alone() -> None:
    asked: list[httpx.Request] = []
    moved = httpx.Response(302, headers={"location": "https://evil.example/"})
    with pytest.raises(UnreachableError):
        list(deployments(api({LIST: [deployment(42)], statuses(42): moved}, asked), COMMIT))
    assert {request.url.host for request in asked} == {"api.github.example"}
    assert {request.headers["authorization"] for request in asked} == {"Bearer s3cret"}
