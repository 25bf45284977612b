"""The fake and an emulator that others wrote give the same answers to a whole pull request."""

import base64
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from forge.emulator import REPOSITORY, TOKEN, emulator
from forge.hub import Hub
from forge.tokens import Kind


@pytest.fixture(scope="module")
def emulated() -> Iterator[str]:
    with emulator() as address:
        yield address


class Client:
    def __init__(self, address: str, token: str = TOKEN) -> None:
        self.place, self.headers, self.status = f"{address}/repos/{REPOSITORY}", {"authorization": f"Bearer {token}"}, 0

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        answer = httpx.request(method, f"{self.place}{path}", json=body, headers=self.headers, verify=False)
        self.status = answer.status_code
        return answer.json() if answer.content else None


def whole_pull_request(client: Client) -> list[object]:
    """A commit by the database, a branch, a pull request, a comment; what each answer comes to."""
    ask, seen = client.ask, []

    def note(*found: object) -> None:
        seen.append((client.status, *found))

    head = ask("GET", "/git/ref/heads/main")["object"]["sha"]
    base = ask("GET", f"/git/commits/{head}")["tree"]["sha"]
    blob = ask("POST", "/git/blobs", {"content": base64.b64encode(b"<urlset/>").decode(), "encoding": "base64"})["sha"]
    note(blob)
    entry = {"path": "public/sitemap.xml", "mode": "100644", "type": "blob", "sha": blob}
    tree = ask("POST", "/git/trees", {"base_tree": base, "tree": [entry]})["sha"]
    note()
    commit = ask("POST", "/git/commits", {"message": "Update", "tree": tree, "parents": [head]})
    note(commit["message"], [one["sha"] for one in commit["parents"]] == [head])
    note(ask("POST", "/git/refs", {"ref": "refs/heads/topic/x", "sha": commit["sha"]})["ref"])
    note(ask("POST", "/git/refs", {"ref": "refs/heads/topic/x", "sha": commit["sha"]})["message"])
    note(ask("GET", "/git/ref/heads/topic/x")["object"]["sha"] == commit["sha"])
    note(base64.b64decode(ask("GET", "/contents/public/sitemap.xml?ref=topic/x")["content"]))
    ask("GET", "/contents/public/sitemap.xml")
    note()
    made = ask("POST", "/pulls", {"title": "T", "head": "topic/x", "base": "main", "body": "B"})
    note(made["title"], made["body"], made["state"], made["head"]["ref"], made["base"]["ref"])
    note([one["number"] == made["number"] for one in ask("GET", "/pulls?head=octocat:topic/x&state=open")])
    path = f"/issues/{made['number']}/comments"
    comment = ask("POST", path, {"body": "first"})
    note(comment["user"]["login"])
    note(ask("PATCH", f"/issues/comments/{comment['id']}", {"body": "second"})["body"])
    note([one["body"] for one in ask("GET", path)])
    note([one["name"] for one in ask("POST", f"/issues/{made['number']}/labels", {"labels": ["seo"]})])
    note(ask("PATCH", "/git/refs/heads/main", {"sha": commit["sha"]})["object"]["sha"] == commit["sha"])
    note(ask("PATCH", "/git/refs/heads/main", {"sha": head, "force": False})["message"].replace("-", " "))
    ask("DELETE", "/git/refs/heads/topic/x")
    note()
    ask("GET", "/git/ref/heads/topic/x")
    note()
    return seen


def test_both_answer_alike(hub: Hub, emulated: str) -> None:
    hub.repository(REPOSITORY)
    hub.token(TOKEN, login="octocat", kind=Kind.CLASSIC)
    assert whole_pull_request(Client(hub.api_url)) == whole_pull_request(Client(emulated))


def test_where_the_emulator_is_unlike_github(hub: Hub, emulated: str) -> None:
    """Should it learn these, more can be compared."""
    client = Client(emulated, "forged")
    client.ask("GET", "/git/ref/heads/main")
    assert client.status == 200
    assert httpx.post(f"{emulated}/graphql", json={"query": "{ viewer { login } }"}).status_code == 404
