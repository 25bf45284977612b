"""The REST half: what works leaves real objects in a real repository, what does not is refused in GitHub's words."""

import base64
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from forge.hub import Hub, Pull
from forge.repository import Repository
from forge.tokens import Kind, Token

Ask = Callable[..., httpx.Response]


@pytest.fixture
def site(hub: Hub) -> Repository:
    return hub.repository("octo-org/site")


@pytest.fixture
def ask(hub: Hub, site: Repository) -> Iterator[Ask]:
    """ask("POST", "/pulls", {...}) as the workflow's own token, or another."""
    own = hub.token()
    with httpx.Client(base_url=hub.api_url, verify=False) as client:

        def send(
            method: str, path: str, body: Any = None, *, token: Token | None = own, **headers: str
        ) -> httpx.Response:
            address = path if path.startswith("//") else f"/repos/{site.full_name}{path}"
            sent = {"authorization": f"Bearer {token.value}"} if token else {}
            return client.request(method, address.replace("//", "/", 1) if path.startswith("//") else address, json=body, headers={**sent, **headers})  # fmt: skip

        yield send


def refusal(answer: httpx.Response) -> tuple[int, str]:
    body = answer.json()
    errors = body.get("errors", [])
    return answer.status_code, errors[0].get("message", body["message"]) if errors else body.get("message", "")


def branch(site: Repository, name: str = "topic") -> str:
    return site.commit({f"{name}.txt": "new"}, name)


def pull(ask: Ask, **changes: Any) -> httpx.Response:
    return ask("POST", "/pulls", {"title": "T", "head": "topic", "base": "main", **changes})


# The git database


def test_a_commit_by_blobs_and_trees_is_real(ask: Ask, site: Repository) -> None:
    site.commit({"old.xml": "old"})
    head = ask("GET", "/git/ref/heads/main").json()["object"]["sha"]
    base = ask("GET", f"/git/commits/{head}").json()["tree"]["sha"]
    blob = ask("POST", "/git/blobs", {"content": base64.b64encode(b"<new/>").decode(), "encoding": "base64"}).json()[
        "sha"
    ]
    entries = [
        {"path": "deep/new.xml", "mode": "100644", "type": "blob", "sha": blob},
        {"path": "old.xml", "mode": "100644", "type": "blob", "sha": None},
    ]
    tree = ask("POST", "/git/trees", {"base_tree": base, "tree": entries}).json()["sha"]
    commit = ask("POST", "/git/commits", {"message": "Subject\n\nBody", "tree": tree, "parents": [head]}).json()
    assert ask("PATCH", "/git/refs/heads/main", {"sha": commit["sha"]}).status_code == 200
    assert site.files() == {"README.md": b"# A site\n", "deep/new.xml": b"<new/>"}
    assert (site.head(), site.parents(site.head())) == (commit["sha"], [head])
    assert site.message(site.head()) == "Subject\n\nBody"
    assert commit["verification"]["verified"] is True  # a bot's, without an author of its own
    assert commit["author"]["name"] == "github-actions[bot]"
    site.git("fsck", "--strict")


def test_a_commit_with_an_author_or_of_a_person_is_not_signed(ask: Ask, hub: Hub, site: Repository) -> None:
    tree = site.ask("rev-parse", "main^{tree}")
    given = {"message": "m", "tree": tree, "parents": [site.head()]}
    named = {**given, "author": {"name": "A", "email": "a@example.com"}}
    assert ask("POST", "/git/commits", named).json()["verification"]["verified"] is False
    assert ask("POST", "/git/commits", given, token=hub.person()).json()["verification"]["verified"] is False


@pytest.mark.parametrize(
    ("method", "path", "body", "refused"),
    [
        ("GET", "/git/ref/heads/none", None, (404, "Not Found")),
        ("POST", "/git/refs", {"ref": "refs/heads/main", "sha": "HEAD"}, (422, "Reference already exists")),
        ("POST", "/git/refs", {"ref": "refs/heads/x", "sha": "a" * 40}, (422, "Object does not exist")),
        ("PATCH", "/git/refs/heads/none", {"sha": "HEAD"}, (422, "Reference does not exist")),
        ("PATCH", "/git/refs/heads/main", {"sha": "FORK"}, (422, "Update is not a fast forward")),
        ("DELETE", "/git/refs/heads/none", None, (422, "Reference does not exist")),
        ("GET", "/contents/none.xml", None, (404, "Not Found")),
        ("GET", "/contents/README.md?ref=none", None, (404, "No commit found for the ref none")),
        ("GET", "/commits/none", None, (422, "No commit found for SHA: none")),
        ("GET", "/compare/main...none", None, (404, "Not Found")),
        ("POST", "/git/commits", {"message": "m", "tree": "b" * 40}, (422, "Tree SHA does not exist")),
        ("POST", "/git/trees", {"tree": [{"path": "none", "mode": "100644", "sha": None}]}, (422, "GitRPC::BadObjectState")),
        ("POST", "/git/trees", {"tree": [{"path": "../x", "mode": "100644", "content": "x"}]}, (422, "tree contains a path that is malformed")),
        ("GET", "/branches/none", None, (404, "Branch not found")),
    ],
)  # fmt: skip
def test_what_does_not_exist(
    ask: Ask, site: Repository, method: str, path: str, body: Any, refused: tuple[int, str]
) -> None:
    unrelated = site.make_commit(site.ask("rev-parse", "main^{tree}"), [], "unrelated")
    names = {"HEAD": site.head(), "FORK": unrelated}
    sent = (
        {key: names.get(value, value) if isinstance(value, str) else value for key, value in body.items()}
        if body
        else None
    )
    assert refusal(ask(method, path, sent)) == refused


def test_a_branch_is_forced_and_deleted(ask: Ask, site: Repository) -> None:
    unrelated = site.make_commit(site.ask("rev-parse", "main^{tree}"), [], "unrelated")
    branch(site)
    assert ask("PATCH", "/git/refs/heads/topic", {"sha": unrelated, "force": True}).status_code == 200
    assert site.head("topic") == unrelated
    assert ask("DELETE", "/git/refs/heads/topic").status_code == 204
    assert site.head("topic") == ""


def test_files_as_json_raw_and_folder(ask: Ask, site: Repository) -> None:
    site.commit({"public/sitemap.xml": "<urlset/>", "big.xml": "x" * 1_000_001})
    shown = ask("GET", "/contents/public/sitemap.xml?ref=main").json()
    assert base64.b64decode(shown["content"]) == b"<urlset/>"
    raw = ask("GET", "/contents/public/sitemap.xml", accept="application/vnd.github.raw+json")
    assert (raw.content, raw.headers["content-type"]) == (
        b"<urlset/>",
        "application/vnd.github.raw+json; charset=utf-8",
    )
    assert [one["path"] for one in ask("GET", "/contents/public").json()] == ["public/sitemap.xml"]
    folder = ask("GET", "/contents/public", accept="application/vnd.github.object+json").json()
    assert (folder["type"], [one["path"] for one in folder["entries"]]) == ("dir", ["public/sitemap.xml"])
    big = ask("GET", "/contents/big.xml").json()
    assert (big["content"], big["encoding"], big["size"]) == ("", "none", 1_000_001)  # GitHub gives it only raw


def test_comparison_and_branches(ask: Ask, site: Repository) -> None:
    base = site.head()
    branch(site)
    site.commit({"x": "1"})
    compared = ask("GET", "/compare/main...topic").json()
    assert (compared["status"], compared["ahead_by"], compared["behind_by"]) == ("diverged", 1, 1)
    assert compared["merge_base_commit"]["sha"] == base
    assert [one["filename"] for one in compared["files"]] == ["topic.txt"]
    assert ask("GET", "/branches/topic").json()["protected"] is False
    assert ask("GET", "//rate_limit").json()["resources"]["core"]["remaining"] == 999
    assert ask("GET", "/commits/topic", accept="application/vnd.github.sha").text == site.head("topic")
    assert {one["ref"] for one in ask("GET", "/git/matching-refs/heads/").json()} == {
        "refs/heads/main",
        "refs/heads/topic",
    }


# Who may do what


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/git/blobs", {"content": "x"}),
        ("POST", "/git/refs", {"ref": "refs/heads/x", "sha": "HEAD"}),
        ("POST", "/pulls", {"title": "t", "head": "h", "base": "main"}),
        ("POST", "/issues/1/comments", {"body": "x"}),
        ("POST", "/issues/1/labels", {"labels": ["x"]}),
    ],
)
def test_a_read_only_token_reads(ask: Ask, hub: Hub, site: Repository, method: str, path: str, body: Any) -> None:
    readers = {
        hub.read_only(): (403, "Resource not accessible by integration"),
        hub.token("pat", login="mona", kind=Kind.FINE_GRAINED, contents="read", pull_requests="read", issues="read"): (
            403,
            "Resource not accessible by personal access token",
        ),
        hub.token("ghp", login="mona", kind=Kind.CLASSIC, contents="read", pull_requests="none", issues="none"): (
            404,
            "Not Found",
        ),
    }
    for token, refused in readers.items():
        assert ask("GET", "/git/ref/heads/main", token=token).status_code == 200
        assert refusal(ask(method, path, body, token=token)) == refused
    assert hub.changes == []


def test_tokens_that_are_none(ask: Ask, hub: Hub, site: Repository) -> None:
    assert refusal(ask("GET", "", token=Token("forged"))) == (401, "Bad credentials")
    assert ask("GET", "/git/ref/heads/main", token=None).status_code == 200
    assert refusal(ask("POST", "/git/blobs", {"content": "x"}, token=None)) == (401, "Requires authentication")
    site.private = True
    assert refusal(ask("GET", "", token=None)) == (404, "Not Found")
    assert "User-Agent" in refusal(ask("GET", "", **{"user-agent": ""}))[1]


def test_who_a_token_speaks_for(ask: Ask, hub: Hub) -> None:
    assert refusal(ask("GET", "//user")) == (403, "Resource not accessible by integration")
    assert refusal(ask("GET", "//app"))[0] == 401
    assert ask("GET", "//user", token=hub.person()).json()["login"] == "mona"
    assert ask("GET", "//users/github-actions%5Bbot%5D").json()["type"] == "Bot"


@pytest.mark.parametrize(
    ("ruleset", "words"),
    [
        (False, "Changes must be made through a pull request."),
        (True, "Repository rule violations found\n\nChanges must be made through a pull request.\n\n"),
    ],
)
def test_a_protected_branch(ask: Ask, hub: Hub, site: Repository, ruleset: bool, words: str) -> None:
    site.protect(ruleset=ruleset, bypass=("mona",))
    new = site.make_commit(site.ask("rev-parse", "main^{tree}"), [site.head()], "m")
    assert refusal(ask("PATCH", "/git/refs/heads/main", {"sha": new})) == (422, words)
    assert site.head() != new
    assert ask("GET", "/branches/main").json()["protected"] is True
    assert len(ask("GET", "/rules/branches/main").json()) == ruleset
    assert refusal(ask("GET", "/branches/main/protection")) == (403, "Resource not accessible by integration")
    assert ask("PATCH", "/git/refs/heads/main", {"sha": new}, token=hub.person()).status_code == 200


# Pull requests


def test_a_pull_request_is_opened_once(ask: Ask, hub: Hub, site: Repository) -> None:
    head = branch(site)
    made = pull(ask, body="the report").json()
    assert (made["number"], made["head"]["sha"], made["user"]["login"]) == (1, head, "github-actions[bot]")
    assert refusal(pull(ask)) == (422, "A pull request already exists for octo-org:topic.")
    assert site.ref("refs/pull/1/head") == head
    assert [one["number"] for one in ask("GET", "/pulls?head=octo-org:topic&base=main").json()] == [1]
    assert [one["sha"] for one in ask("GET", "/pulls/1/commits").json()] == [head]
    assert hub.carried_out() == ["POST /repos/octo-org/site/pulls"]


@pytest.mark.parametrize(
    ("changes", "refused"),
    [
        ({"head": "none"}, {"resource": "PullRequest", "field": "head", "code": "invalid"}),
        ({"base": "none"}, {"resource": "PullRequest", "field": "base", "code": "invalid"}),
        ({"body": "x" * 65_537}, {"resource": "PullRequest", "code": "unprocessable", "field": "body", "message": "Body is too long (maximum is 65536 characters)"}),
        ({"head": "main"}, {"resource": "PullRequest", "code": "custom", "message": "No commits between main and main"}),
    ],
)  # fmt: skip
def test_a_pull_request_that_cannot_be(
    ask: Ask, site: Repository, changes: dict[str, str], refused: dict[str, str]
) -> None:
    branch(site)
    answer = pull(ask, **changes)
    assert (answer.status_code, answer.json()["message"], answer.json()["errors"]) == (
        422,
        "Validation Failed",
        [refused],
    )


def test_the_setting_that_keeps_actions_from_opening_pull_requests(ask: Ask, hub: Hub, site: Repository) -> None:
    branch(site)
    hub.actions_may_open_pulls = False
    assert refusal(pull(ask)) == (403, "GitHub Actions is not permitted to create or approve pull requests.")
    app = hub.token("app", login="my-app[bot]", kind=Kind.APP)
    assert ask("POST", "/pulls", {"title": "T", "head": "topic", "base": "main"}, token=app).status_code == 201


def test_a_branch_that_equals_its_base_closes_its_pull_request_for_good(ask: Ask, hub: Hub, site: Repository) -> None:
    branch(site)
    pull(ask)
    assert ask("PATCH", "/git/refs/heads/topic", {"sha": site.head(), "force": True}).status_code == 200
    shown = ask("GET", "/pulls/1").json()
    assert (shown["state"], shown["merged"]) == ("closed", False)
    assert ask("GET", "/pulls").json() == []
    site.commit({"b": "other"}, "topic")
    words = "state cannot be changed. The topic branch was force-pushed or recreated."
    assert refusal(ask("PATCH", "/pulls/1", {"state": "open"})) == (422, words)


def test_closing_and_reopening(ask: Ask, site: Repository) -> None:
    head = branch(site)
    pull(ask)
    assert ask("PATCH", "/pulls/1", {"state": "closed", "title": "New"}).json()["title"] == "New"
    assert ask("PATCH", "/pulls/1", {"state": "open"}).json()["state"] == "open"
    ask("PATCH", "/pulls/1", {"state": "closed"})
    site.move("refs/heads/topic", site.make_commit(site.ask("rev-parse", "topic^{tree}"), [site.head()], "again"), head)
    words = "state cannot be changed. The topic branch was force-pushed or recreated."
    assert refusal(ask("PATCH", "/pulls/1", {"state": "open"})) == (422, words)
    ask("DELETE", "/git/refs/heads/topic")
    assert refusal(ask("PATCH", "/pulls/1", {"state": "open"}))[1].endswith("The topic branch has been deleted.")


def test_a_merge_and_a_deleted_branch_close(ask: Ask, site: Repository) -> None:
    head = branch(site)
    pull(ask)
    site.move("refs/heads/main", head, site.head())
    assert ask("GET", "/pulls/1").json()["merged"] is True
    branch(site, "second")
    pull(ask, head="second")
    ask("DELETE", "/git/refs/heads/second")
    assert ask("GET", "/pulls/2").json()["state"] == "closed"


def test_a_fork_and_a_deleted_fork(ask: Ask, hub: Hub, site: Repository) -> None:
    fork = hub.fork(site, "mona")
    fork.commit({"x": "1"}, "patch-1")
    opened = hub.open_pull(site, "patch-1", source=fork)
    shown = ask("GET", f"/pulls/{opened.number}").json()
    assert (shown["head"]["label"], shown["head"]["repo"]["full_name"]) == ("mona:patch-1", "mona/site")
    assert site.ref("refs/pull/1/head") == fork.head("patch-1")
    opened.head_repository = None
    assert ask("GET", "/pulls/1").json()["head"]["repo"] is None


def test_a_filter_without_an_owner_is_none(ask: Ask, hub: Hub, site: Repository) -> None:
    for name in ("one", "two"):
        branch(site, name)
        hub.open_pull(site, name)
    assert len(ask("GET", "/pulls?head=one").json()) == 2  # GitHub wants OWNER:BRANCH
    assert len(ask("GET", "/pulls?head=octo-org:one").json()) == 1
    assert [one["number"] for one in ask("GET", "/pulls?state=all&direction=asc").json()] == [1, 2]


# Comments and labels


@pytest.fixture
def opened(hub: Hub, site: Repository) -> Pull:
    branch(site)
    return hub.open_pull(site, "topic")


def test_comments_come_in_pages(ask: Ask, hub: Hub, site: Repository, opened: Pull) -> None:
    for number in range(120):
        hub.comment(site, opened.number, f"comment {number}")
    made = ask("POST", f"/issues/{opened.number}/comments", {"body": "ours"}).json()
    path, found = f"/repos/{site.full_name}/issues/{opened.number}/comments?per_page=50", []
    while path:
        page = ask("GET", f"/{path}")
        found += page.json()
        path = page.links["next"]["url"].removeprefix(hub.api_url) if "next" in page.links else ""
    assert "/repositories/9000/" in page.links["first"]["url"]  # as GitHub links
    assert (len(found), found[-1]["id"]) == (121, made["id"])
    assert len(ask("GET", f"/issues/{opened.number}/comments").json()) == 30
    assert ask("PATCH", f"/issues/comments/{made['id']}", {"body": "new"}).json()["body"] == "new"
    assert ask("DELETE", f"/issues/comments/{made['id']}").status_code == 204
    assert refusal(ask("GET", f"/issues/comments/{made['id']}")) == (404, "Not Found")


def test_a_comment_is_no_longer_than_65536_characters(ask: Ask, opened: Pull) -> None:
    path = f"/issues/{opened.number}/comments"
    assert refusal(ask("POST", path, {"body": "x" * 65_537})) == (422, "Body is too long (maximum is 65536 characters)")
    assert ask("POST", path, {"body": "é" * 65_536}).status_code == 201


def test_a_locked_conversation(ask: Ask, opened: Pull) -> None:
    opened.locked = True
    words = "Unable to create comment because issue is locked."
    assert refusal(ask("POST", f"/issues/{opened.number}/comments", {"body": "x"})) == (403, words)


def test_an_enterprise_server(hub: Hub, site: Repository) -> None:
    hub.enterprise()
    headers = {"authorization": f"Bearer {hub.token().value}"}
    found = httpx.get(f"{hub.api_url}/repos/{site.full_name}/branches/main", headers=headers)
    assert found.json()["_links"]["self"].startswith(f"{hub.api_url}/repos/")
    assert hub.graphql_url.endswith("/api/graphql")
    assert httpx.post(hub.graphql_url, json={"query": "{ viewer { login } }"}, headers=headers).json()["data"]
    assert [one.line for one in hub.log] == ["GET /repos/octo-org/site/branches/main", "POST /graphql"]


def test_labels(ask: Ask, hub: Hub, opened: Pull) -> None:
    path = f"/issues/{opened.number}/labels"
    assert [one["name"] for one in ask("POST", path, {"labels": ["seo", "bug"]}).json()] == ["seo", "bug"]
    assert [one["name"] for one in ask("GET", f"/pulls/{opened.number}").json()["labels"]] == ["seo", "bug"]
    assert [one["name"] for one in ask("PUT", path, {"labels": ["bug"]}).json()] == ["bug"]
    assert refusal(ask("POST", "/labels", {"name": "seo"})) == (422, "Validation Failed")
    assert ask("GET", "/labels/seo").json()["name"] == "seo"
    assert [one["name"] for one in ask("GET", path).json()] == ["bug"]
