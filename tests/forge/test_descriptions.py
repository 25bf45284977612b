"""A request that GitHub does not describe fails the test that made it, and so does a wrong answer of the fake."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import httpx
import pytest

from forge import api, descriptions, rest_git
from forge.github import github
from forge.hub import Hub

Send = Callable[[httpx.Client], httpx.Response]
SITE = "/repos/octo-org/site"


def client(hub: Hub) -> httpx.Client:
    return httpx.Client(base_url=hub.api_url, headers={"authorization": f"Bearer {hub.token().value}"}, verify=False)


REST: list[tuple[str, str, Any, str]] = [
    ("POST", f"{SITE}/pulls", {"title": "t", "head": "h"}, "'base' is a required property"),
    (
        "POST",
        f"{SITE}/pulls",
        {"title": "t", "head": "h", "base": "b", "label": "x"},
        "the property label is not described",
    ),
    ("GET", f"{SITE}/pulls?state=bogus", None, "'bogus' is not one of"),
    ("GET", f"{SITE}/pulls?heads=x", None, "the query parameter heads is not described"),
    ("PATCH", f"{SITE}/issues/comments/12", {"bodi": "x"}, "'body' is a required property"),
    ("PATCH", f"{SITE}/issues/comments/twelve", {"body": "x"}, "twelve"),
    ("POST", f"{SITE}/git/refs", {"ref": "refs/heads/x"}, "'sha' is a required property"),
    ("PATCH", f"{SITE}/git/refs/heads/a/b", {"sha": "x", "force": "yes"}, "'yes' is not of type 'boolean'"),
    ("POST", f"{SITE}/git/trees", {"tree": [{"path": "a", "mode": "666", "sha": "x"}]}, "'666' is not one of"),
    ("DELETE", f"{SITE}/git/refs/heads/x", {"force": True}, "a body is not described"),
    ("GET", f"{SITE}/nonsense", None, "has no such operation"),
    ("PUT", f"{SITE}/pulls/1", {"state": "closed"}, "has no such operation"),
]


@pytest.mark.parametrize(("method", "path", "body", "words"), REST)
def test_a_wrong_request_is_caught(hub: Hub, method: str, path: str, body: Any, words: str) -> None:
    hub.repository("octo-org/site")
    with hub.wrong_request() as found, client(hub) as asking:
        answer = asking.request(method, path, json=body)
    assert answer.status_code in (404, 422)
    assert any(words in one for one in found), found


GRAPHQL: list[tuple[str, dict[str, Any], str]] = [
    ("{ viewer { logn } }", {}, "Cannot query field 'logn' on type 'User'"),
    ("{ viewer { login }", {}, "Syntax Error"),
    ('query($n: Int!) { repository(owner: "o", name: "r") { pullRequest(number: $n) { id } } }', {"n": "1"}, "Int cannot represent"),
    ("mutation($input: CreateCommitOnBranchInput!) { createCommitOnBranch(input: $input) { commit { oid } } }", {"input": {"branch": {}}}, "expectedHeadOid"),
    ("mutation { createCommitOnBranch(input: {}) { commit { oid } } }", {}, "message"),
    ("{ viewer { avatarUrl } }", {}, "the fake has no User.avatarUrl"),
]  # fmt: skip


@pytest.mark.parametrize(("query", "variables", "words"), GRAPHQL)
def test_a_wrong_document_is_caught(hub: Hub, query: str, variables: dict[str, Any], words: str) -> None:
    with hub.wrong_request() as found, client(hub) as asking:
        answer = asking.post("/graphql", json={"query": query, "variables": variables})
    assert answer.json()["errors"]
    assert any(words in one for one in found), found


@pytest.mark.parametrize(
    ("headers", "words"),
    [
        ({"x-github-api-version": "2020-01-01"}, "API version 2020-01-01"),
        ({"content-type": "text/plain"}, "not marked as JSON"),
    ],
)
def test_wrong_headers_are_caught(hub: Hub, headers: dict[str, str], words: str) -> None:
    hub.repository("octo-org/site")
    with hub.wrong_request() as found, client(hub) as asking:
        asking.post(f"{SITE}/git/blobs", content=b'{"content": "x"}', headers=headers)
    assert any(words in one for one in found), found


@pytest.mark.parametrize("path", ["/graphql", f"{SITE}/pulls"])
def test_a_body_that_is_no_json_is_caught(hub: Hub, path: str) -> None:
    hub.repository("octo-org/site")
    with hub.wrong_request() as found, client(hub) as asking:
        answer = asking.post(path, content=b'{"query": ', headers={"content-type": "application/json"})
    assert (answer.status_code, answer.json()["message"]) == (400, "Problems parsing JSON")
    assert found == [f"POST {path}: the body is no JSON"]


def session(method: str, path: str, body: Any = None) -> None:
    """A test that makes one request and looks at nothing."""
    with github() as hub, client(hub) as asking, suppress(httpx.RemoteProtocolError):
        hub.repository("octo-org/site")
        asking.request(method, path, json=body)


def test_what_is_caught_fails_the_test() -> None:
    with pytest.raises(AssertionError, match="'base' is a required property"):
        session("POST", f"{SITE}/pulls", {"title": "t", "head": "h"})


def test_a_wrong_answer_is_caught(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    hub.repository("octo-org/site")
    routes = [
        route if route.answer is not rest_git.create_blob else route._replace(answer=lambda _: {"sha": 1})
        for route in api.ROUTES
    ]
    monkeypatch.setattr(api, "ROUTES", routes)
    with hub.wrong_request() as found, client(hub) as asking:
        asking.post(f"{SITE}/git/blobs", json={"content": "x"})
    assert any("1 is not of type 'string'" in one for one in found), found


def test_an_error_of_the_fake_fails_the_test(monkeypatch: pytest.MonkeyPatch) -> None:
    routes = [route._replace(answer=lambda _: {}["gone"]) for route in api.ROUTES]
    monkeypatch.setattr(api, "ROUTES", routes)
    with pytest.raises(AssertionError, match="KeyError"):
        session("GET", "/rate_limit")


def test_every_operation_is_described() -> None:
    described = descriptions.openapi().source["paths"]
    for route in api.ROUTES:
        operation = described[route.operation.template][route.operation.method.lower()]
        assert str(route.status) in operation["responses"] or route.operation.template == "/app"
    assert {route.operation.template for route in api.ROUTES} == set(described)


def test_what_is_made_up_is_recognisable(hub: Hub) -> None:
    """A publisher that reads a property which the fake does not know would not work by chance."""
    hub.repository("octo-org/site")
    with client(hub) as asking:
        found = asking.get(SITE).json()
    assert found["forks_url"] in ("https://filled-in.invalid/", "")
    assert (found["full_name"], found["default_branch"]) == ("octo-org/site", "main")
