"""The GraphQL half: commits that are real, refusals as GitHub words and types them."""

import base64
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from forge.hub import Hub
from forge.repository import Repository
from forge.tokens import Kind, Token

COMMIT = "mutation($input: CreateCommitOnBranchInput!) { createCommitOnBranch(input: $input) { commit { oid url signature { isValid } } ref { name } } }"
Ask = Callable[..., dict[str, Any]]


@pytest.fixture
def site(hub: Hub) -> Repository:
    return hub.repository("octo-org/site")


@pytest.fixture
def ask(hub: Hub) -> Iterator[Ask]:
    own = hub.token()
    with httpx.Client(verify=False) as client:

        def send(query: str, token: Token = own, **variables: Any) -> dict[str, Any]:
            sent = {"query": query, "variables": variables}
            answer = client.post(hub.graphql_url, json=sent, headers={"authorization": f"bearer {token.value}"})
            assert answer.status_code == 200
            found: dict[str, Any] = answer.json()
            return found

        yield send


def change(site: Repository, *, expected: str = "", branch: str = "main", deletions: tuple[str, ...] = (), **additions: str) -> dict[str, Any]:  # fmt: skip
    added = [
        {"path": f"{name}.xml", "contents": base64.b64encode(text.encode()).decode()}
        for name, text in additions.items()
    ]
    return {
        "branch": {"repositoryNameWithOwner": site.full_name, "branchName": branch},
        "message": {"headline": "Update the sitemap", "body": "Two pages"},
        "expectedHeadOid": expected or site.head(),
        "fileChanges": {"additions": added, "deletions": [{"path": path} for path in deletions]},
    }


def error(answer: dict[str, Any]) -> tuple[str, str]:
    assert answer["data"] == {"createCommitOnBranch": None}
    (found,) = answer["errors"]
    assert found["path"] == ["createCommitOnBranch"]
    return found["type"], found["message"]


def test_a_commit_is_real_and_signed(ask: Ask, hub: Hub, site: Repository) -> None:
    site.commit({"gone.xml": "x"})
    before = site.head()
    made = ask(COMMIT, input=change(site, deletions=("gone.xml",), sitemap="<urlset/>"))["data"]["createCommitOnBranch"]
    assert made["commit"] == {
        "oid": site.head(),
        "url": f"{site.web}/commit/{site.head()}",
        "signature": {"isValid": True},
    }
    assert made["ref"] == {"name": "main"}
    assert site.files() == {"README.md": b"# A site\n", "sitemap.xml": b"<urlset/>"}
    assert site.parents(site.head()) == [before]
    assert site.message(site.head()) == "Update the sitemap\n\nTwo pages"
    assert site.ask("log", "-1", "--format=%an|%cn") == "github-actions[bot]|GitHub"
    assert hub.carried_out() == ["createCommitOnBranch"]
    site.git("fsck", "--strict")


def test_a_head_that_moved(ask: Ask, site: Repository) -> None:
    before = site.head()
    site.commit({"x": "1"})
    words = f'Expected branch to point to "{before}" but it did not.  Pull and try again.'
    assert error(ask(COMMIT, input=change(site, expected=before, a="1"))) == ("STALE_DATA", words)


def test_a_head_that_moves_after_the_check(ask: Ask, hub: Hub, site: Repository) -> None:
    before = site.head()
    hub.before_ref_update = lambda _: None if site.head() != before else site.commit({"x": "1"}) and None
    kind, words = error(ask(COMMIT, input=change(site, a="1")))
    assert (kind, words) == ("FORBIDDEN", f"is at {site.head()} but expected {before}")
    assert site.files() == {"README.md": b"# A site\n", "x": b"1"}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"expected": "a" * 40}, ("NOT_FOUND", f"No commit exists with specified expectedHeadOid '{'a' * 40}'.")),
        ({"branch": "none"}, ("NOT_FOUND", "No such branch: none")),
        ({"deletions": ("none.xml",)}, ("UNPROCESSABLE", "A path was requested for deletion which does not exist as of commit oid `HEAD`")),
    ],
)  # fmt: skip
def test_what_does_not_exist(ask: Ask, site: Repository, changes: dict[str, Any], expected: tuple[str, str]) -> None:
    kind, words = expected
    assert error(ask(COMMIT, input=change(site, **changes))) == (kind, words.replace("HEAD`", f"{site.head()}`"))


@pytest.mark.parametrize("path", ["../x", "/x", ".git/config", "a//b", "a/../b", ""])
def test_a_path_that_git_does_not_take(ask: Ask, hub: Hub, site: Repository, path: str) -> None:
    given = change(site)
    given["fileChanges"] = {"additions": [{"path": path, "contents": "eA=="}]}
    assert error(ask(COMMIT, input=given))[0] == "UNPROCESSABLE"
    assert hub.changes == []


def test_a_commit_that_changes_nothing_is_made_all_the_same(ask: Ask, site: Repository) -> None:
    before = site.head()
    assert "errors" not in ask(COMMIT, input=change(site))
    assert (site.parents(site.head()), site.files()) == ([before], {"README.md": b"# A site\n"})


def test_refusals(ask: Ask, hub: Hub, site: Repository) -> None:
    assert error(ask(COMMIT, hub.read_only(), input=change(site, a="1"))) == (
        "FORBIDDEN",
        "Resource not accessible by integration",
    )
    site.protect()
    words = "protected branch 'main' check failed:\n  Changes must be made through a pull request."
    assert error(ask(COMMIT, input=change(site, a="1"))) == ("BRANCH_PROTECTION_RULE_VIOLATION", words)
    site.protect(ruleset=True, bypass=("my-app[bot]",))
    words = "Repository rule violations found\n\nChanges must be made through a pull request.\n\n"
    assert error(ask(COMMIT, input=change(site, a="1"))) == ("FORBIDDEN", words)
    assert hub.changes == []
    app = hub.token("app", login="my-app[bot]", kind=Kind.APP)
    assert "errors" not in ask(COMMIT, app, input=change(site, a="1"))


def test_a_repository_that_is_hidden(ask: Ask, hub: Hub, site: Repository) -> None:
    site.private = True
    elsewhere = hub.token("elsewhere", repositories=frozenset())
    answer = ask('{ repository(owner: "octo-org", name: "site") { id } }', elsewhere)
    assert answer["errors"][0]["type"] == "NOT_FOUND"


def test_identity_differs_from_author_by_its_suffix(ask: Ask, hub: Hub, site: Repository) -> None:
    site.commit({"x": "1"}, "topic")
    number = hub.open_pull(site, "topic").number
    hub.comment(site, number, "old", login="github-actions[bot]", minimized=True)
    hub.comment(site, number, "ours", login="github-actions[bot]")
    hub.comment(site, number, "a person's")
    query = """query($after: String) { viewer { login } repository(owner: "octo-org", name: "site") { pullRequest(number: 1) {
        comments(first: 2, after: $after) { nodes { databaseId body isMinimized author { login __typename } } pageInfo { hasNextPage endCursor } }
    } } }"""
    data = ask(query)["data"]
    page = data["repository"]["pullRequest"]["comments"]
    assert data["viewer"]["login"] == "github-actions[bot]"
    assert page["nodes"][1]["author"] == {"login": "github-actions", "__typename": "Bot"}
    assert [one["isMinimized"] for one in page["nodes"]] == [True, False]
    rest = ask(query, after=page["pageInfo"]["endCursor"])["data"]["repository"]["pullRequest"]["comments"]
    assert [one["author"]["login"] for one in rest["nodes"]] == ["mona"]


def test_pull_requests_and_objects(ask: Ask, hub: Hub, site: Repository) -> None:
    site.commit({"x": "1"}, "topic")
    hub.open_pull(site, "topic", title="Ours", login="github-actions[bot]")
    query = """{ repository(owner: "octo-org", name: "site") {
        defaultBranchRef { name target { oid } }
        object(expression: "topic:x") { ... on Blob { text byteSize } }
        pullRequests(first: 10, states: [OPEN], headRefName: "topic", baseRefName: "main") { nodes { number title headRefOid } }
    } }"""
    found = ask(query)["data"]["repository"]
    assert found["defaultBranchRef"] == {"name": "main", "target": {"oid": site.head()}}
    assert found["object"] == {"text": "1", "byteSize": 1}
    assert found["pullRequests"]["nodes"] == [{"number": 1, "title": "Ours", "headRefOid": site.head("topic")}]


def test_a_list_is_asked_for_in_pages(ask: Ask, site: Repository) -> None:
    query = '{ repository(owner: "octo-org", name: "site") { pullRequests%s { nodes { number } } } }'
    assert ask(query % "")["errors"][0]["type"] == "MISSING_PAGINATION_BOUNDARIES"
    assert ask(query % "(first: 101)")["errors"][0]["type"] == "EXCESSIVE_PAGINATION"


def test_without_a_token(hub: Hub) -> None:
    assert httpx.post(hub.graphql_url, json={"query": "{ viewer { login } }"}).status_code == 401
