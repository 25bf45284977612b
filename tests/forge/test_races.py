"""The fakes themselves lose no update: of two that write at once one is refused, by GraphQL, REST and git alike."""

import base64
import os
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from examples import share
from forge.hub import Hub
from forge.repository import Repository
from forge.tokens import Token

ROUNDS = max(2, share(6))
COMMIT = "mutation($input: CreateCommitOnBranchInput!) { createCommitOnBranch(input: $input) { commit { oid } } }"
Write = Callable[[Hub, Repository, Token, str, str], str]  # what GitHub says against it; "" when it is done


def by_graphql(hub: Hub, site: Repository, token: Token, head: str, name: str) -> str:
    given = {
        "branch": {"repositoryNameWithOwner": site.full_name, "branchName": "main"},
        "message": {"headline": name},
        "expectedHeadOid": head,
        "fileChanges": {"additions": [{"path": name, "contents": base64.b64encode(name.encode()).decode()}]},
    }
    sent = {"query": COMMIT, "variables": {"input": given}}
    answer = httpx.post(
        hub.graphql_url, json=sent, headers={"authorization": f"Bearer {token.value}"}, verify=False
    ).json()
    return "".join(error["message"] for error in answer.get("errors", ()))


def by_rest(hub: Hub, site: Repository, token: Token, head: str, name: str) -> str:
    headers = {"authorization": f"Bearer {token.value}"}
    with httpx.Client(base_url=f"{hub.api_url}/repos/{site.full_name}/git", headers=headers, verify=False) as client:
        base = client.get(f"/commits/{head}").json()["tree"]["sha"]
        entry = {"path": name, "mode": "100644", "type": "blob", "content": name}
        tree = client.post("/trees", json={"base_tree": base, "tree": [entry]}).json()["sha"]
        commit = client.post("/commits", json={"message": name, "tree": tree, "parents": [head]}).json()["sha"]
        moved = client.patch("/refs/heads/main", json={"sha": commit})
    return "" if moved.status_code == 200 else str(moved.json()["message"])


def by_git(hub: Hub, site: Repository, token: Token, head: str, name: str) -> str:
    clone = hub.folder / "clones" / name
    secret = base64.b64encode(f"x-access-token:{token.value}".encode()).decode()
    config = f"http.{hub.server_url}/.extraheader"
    environment = {
        **os.environ,
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": config,
        "GIT_CONFIG_VALUE_0": f"AUTHORIZATION: basic {secret}",
    }

    def git(*arguments: str) -> str:
        done = subprocess.run(["git", *arguments], env=environment, capture_output=True, text=True, check=False)
        return done.stderr if done.returncode else ""

    assert not git("init", "--quiet", str(clone))
    assert not git("-C", str(clone), "fetch", "--quiet", "--depth=1", site.web, head)
    assert not git("-C", str(clone), "checkout", "--quiet", head)
    (clone / name).write_text(name)
    assert not git("-C", str(clone), "add", name)
    assert not git("-C", str(clone), "commit", "--quiet", "--message", name)
    return git("-C", str(clone), "push", site.web, "HEAD:refs/heads/main")


@pytest.mark.parametrize("write", [by_graphql, by_rest, by_git], ids=["graphql", "rest", "git"])
def test_one_of_two_is_refused(hub: Hub, write: Write, tmp_path: Path) -> None:
    site, token = hub.repository("octo-org/site"), hub.token()
    done = 0
    with ThreadPoolExecutor(2) as both:
        for number in range(ROUNDS):
            head = site.head()
            names = (f"{number}-one", f"{number}-two")
            said = [each.result() for each in [both.submit(write, hub, site, token, head, name) for name in names]]
            done += said.count("")
            assert said.count("") == 1, said
    assert len(site.log("main")) == 1 + done
    assert len(site.files()) == 1 + done
    site.git("fsck", "--strict")
