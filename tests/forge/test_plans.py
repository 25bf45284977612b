"""What a test can plan: faults on the way, a client that dies, another who is faster."""

import json
import socket
import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from forge import faults
from forge.hub import Hub
from forge.repository import Repository

Ask = Callable[..., httpx.Response]


@pytest.fixture
def site(hub: Hub) -> Repository:
    return hub.repository("octo-org/site")


@pytest.fixture
def ask(hub: Hub, site: Repository) -> Iterator[Ask]:
    headers = {"authorization": f"Bearer {hub.token().value}"}
    with httpx.Client(base_url=f"{hub.api_url}/repos/{site.full_name}", headers=headers, verify=False) as client:
        yield lambda method, path, body=None: client.request(method, path, json=body)


def blob(ask: Ask, text: str = "x") -> httpx.Response:
    return ask("POST", "/git/blobs", {"content": text})


@pytest.mark.parametrize(
    ("play", "status", "headers"),
    [
        (faults.rate_limit(90), 403, {"x-ratelimit-remaining": "0"}),
        (faults.rate_limit(90, 429), 429, {"x-ratelimit-remaining": "0"}),
        (faults.secondary_limit(7), 403, {"retry-after": "7"}),
        (faults.secondary_limit(7, 429), 429, {"retry-after": "7"}),
        (faults.secondary_limit(None), 403, {"x-ratelimit-remaining": "999"}),
        (faults.outage(503), 503, {"content-type": "text/html"}),
        (faults.answers(403, "Resource not accessible by integration"), 403, {}),
        (faults.moved("https://elsewhere.example/"), 301, {"location": "https://elsewhere.example/"}),
    ],
)
def test_a_fault_takes_the_place_of_an_answer(
    ask: Ask, hub: Hub, play: faults.Play, status: int, headers: dict[str, str]
) -> None:
    hub.fail(play, on="POST /repos/*/blobs", skip=1)
    assert [blob(ask).status_code for _ in range(3)] == [201, status, 201]
    hub.fail(play)
    answer = blob(ask)
    assert {name: answer.headers[name] for name in headers} == headers
    assert hub.carried_out() == ["POST /repos/octo-org/site/git/blobs"] * 2
    assert [one.status for one in hub.asked("POST *")] == [201, status, 201, status]


def test_a_limit_says_until_when(ask: Ask, hub: Hub) -> None:
    hub.fail(faults.rate_limit(90))
    assert 80 < int(blob(ask).headers["x-ratelimit-reset"]) - time.time() < 100


def test_a_connection_that_ends(ask: Ask, hub: Hub, site: Repository) -> None:
    hub.fail(faults.dropped(), on="POST *")
    with pytest.raises(httpx.RemoteProtocolError):
        ask("POST", "/git/refs", {"ref": "refs/heads/x", "sha": site.head()})
    assert site.head("x") == ""
    hub.fail(faults.lost(), on="POST *")
    with pytest.raises(httpx.RemoteProtocolError):
        ask("POST", "/git/refs", {"ref": "refs/heads/x", "sha": site.head()})
    assert site.head("x") == site.head()
    assert hub.carried_out() == ["POST /repos/octo-org/site/git/refs"]


@pytest.mark.parametrize("head", ["Content-Length: 100", "Transfer-Encoding: chunked"])
def test_a_client_that_is_killed_while_it_sends_has_sent_nothing(hub: Hub, site: Repository, head: str) -> None:
    place = urlsplit(hub.api_url)
    lines = [f"POST /repos/{site.full_name}/git/blobs HTTP/1.1", "Host: x", "User-Agent: x", head, "", '{"content"']
    with socket.create_connection((place.hostname, place.port)) as client:
        client.sendall("\r\n".join(lines).encode())
        client.shutdown(socket.SHUT_WR)
        assert client.recv(1) == b""
    assert hub.log == []


def test_an_answer_that_is_late_or_broken(ask: Ask, hub: Hub) -> None:
    hub.fail(faults.slow(0.2), on="POST *")
    begun = time.monotonic()
    assert blob(ask).status_code == 201
    assert time.monotonic() - begun >= 0.2  # the fake waits at least so long
    hub.fail(faults.no_json())
    with pytest.raises(json.JSONDecodeError):
        blob(ask).json()


def test_faults_of_graphql(hub: Hub) -> None:
    def ask() -> Any:
        headers = {"authorization": f"Bearer {hub.token().value}"}
        return httpx.post(hub.graphql_url, json={"query": "{ viewer { login } }"}, headers=headers).json()

    hub.fail(faults.graphql_rate_limit(), on="viewer")
    hub.fail(faults.graphql_timeout(), on="viewer")
    assert ask()["errors"][0]["type"] == "RATE_LIMITED"
    assert "timeout" in ask()["errors"][0]["message"]
    assert ask()["data"]["viewer"]["login"] == "github-actions[bot]"


def test_a_client_that_dies_after_each_step(ask: Ask, hub: Hub, site: Repository) -> None:
    names = []
    hub.after_change = lambda change: names.append((change.number, change.name))
    hub.stop_after(2)
    assert blob(ask).status_code == 201
    for _ in range(2):
        with pytest.raises(httpx.RemoteProtocolError):
            blob(ask, "second")
    assert names == [(1, "POST /repos/octo-org/site/git/blobs"), (2, "POST /repos/octo-org/site/git/blobs")]
    hub.resume()
    assert blob(ask).status_code == 201


def test_somebody_is_faster(ask: Ask, hub: Hub, site: Repository) -> None:
    """`before_request` comes before GitHub's checks, `before_ref_update` after them."""
    head = site.head()
    ours = site.make_commit(site.ask("rev-parse", "main^{tree}"), [head], "ours")
    hub.before_request = lambda names: None if site.head() != head else site.commit({"x": "1"}) and None
    answer = ask("PATCH", "/git/refs/heads/main", {"sha": ours})
    assert (answer.status_code, answer.json()["message"]) == (422, "Update is not a fast forward")


def test_the_token_and_body_of_each_request_are_kept(ask: Ask, hub: Hub) -> None:
    blob(ask, "kept")
    (logged,) = hub.asked("POST /repos/*/git/blobs")
    assert logged.request.json() == {"content": "kept"}
    assert logged.token
    assert (logged.token.value, logged.status) == ("ghs_forge", 201)
