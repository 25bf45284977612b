"""Git itself over smart HTTP, with GitHub's refusals in its stderr."""

import base64
import os
import subprocess
from pathlib import Path

import pytest

from forge.hub import Hub
from forge.repository import NOTHING, Repository
from forge.tokens import Token


@pytest.fixture
def site(hub: Hub) -> Repository:
    return hub.repository("octo-org/site")


class Clone:
    """A checkout of the site, whose token comes by GIT_CONFIG_* as `mode: commit` gives it."""

    def __init__(self, hub: Hub, folder: Path, token: Token | None) -> None:
        self.folder, self.environment = folder, dict(os.environ)
        if token:
            secret = base64.b64encode(f"x-access-token:{token.value}".encode()).decode()
            settings = {f"http.{hub.server_url}/.extraheader": f"AUTHORIZATION: basic {secret}"}
            self.environment["GIT_CONFIG_COUNT"] = str(len(settings))
            for number, (key, value) in enumerate(settings.items()):
                self.environment |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}

    def git(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        command = ["git", "-C", str(self.folder), *arguments]
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False)

    def commit(self, name: str, text: str = "new") -> None:
        (self.folder / name).write_text(text)
        self.git("add", name)
        self.git("commit", "--quiet", "-m", f"Change {name}")


@pytest.fixture
def clone(hub: Hub, site: Repository, tmp_path: Path) -> Clone:
    made = Clone(hub, tmp_path / "clone", hub.token())
    command = ["git", "clone", "--quiet", "--depth=1", f"{site.web}", str(made.folder)]
    subprocess.run(command, env=made.environment, check=True, capture_output=True)
    return made


def test_a_push_lands(hub: Hub, site: Repository, clone: Clone) -> None:
    clone.commit("sitemap.xml", "x" * 3_000_000)
    assert clone.git("push", "origin", "HEAD:refs/heads/main").returncode == 0
    assert site.read("sitemap.xml") == b"x" * 3_000_000
    assert hub.carried_out() == ["push"]
    assert [one.line for one in hub.asked("push")][-1] == "POST /octo-org/site/git-receive-pack"


def test_a_push_that_is_late_is_refused(site: Repository, clone: Clone) -> None:
    site.commit({"other": "1"})
    clone.commit("sitemap.xml")
    assert "[rejected]" in clone.git("push", "origin", "HEAD:refs/heads/main").stderr


def test_a_push_that_is_overtaken_is_refused(hub: Hub, site: Repository, clone: Clone) -> None:
    head = site.head()
    clone.commit("sitemap.xml")
    hub.before_ref_update = lambda _: None if site.head() != head else site.commit({"other": "1"}) and None
    done = clone.git("push", "origin", "HEAD:refs/heads/main")
    assert done.returncode == 1
    assert "[remote rejected]" in done.stderr
    assert site.files() == {"README.md": b"# A site\n", "other": b"1"}
    assert hub.changes == []


@pytest.mark.parametrize(
    ("ruleset", "words", "reason"),
    [
        (False, "GH006: Protected branch update failed for refs/heads/main.", "protected branch hook declined"),
        (True, "GH013: Repository rule violations found for refs/heads/main.", "push declined due to repository rule violations"),
    ],
)  # fmt: skip
def test_a_protected_branch(hub: Hub, site: Repository, clone: Clone, ruleset: bool, words: str, reason: str) -> None:
    site.protect(ruleset=ruleset)
    head = site.head()
    clone.commit("sitemap.xml")
    done = clone.git("push", "origin", "HEAD:refs/heads/main")
    assert f"remote: error: {words}" in done.stderr
    assert "remote: - Changes must be made through a pull request." in done.stderr
    assert f"! [remote rejected] HEAD -> main ({reason})" in done.stderr
    assert (site.head(), hub.changes) == (head, [])
    assert clone.git("push", "origin", "HEAD:refs/heads/topic").returncode == 0
    site.protect(ruleset=ruleset, bypass=("github-actions[bot]",))
    assert clone.git("push", "origin", "HEAD:refs/heads/main").returncode == 0


@pytest.mark.parametrize("kind", ["none", "forged", "read-only"])
def test_who_may_not_push(hub: Hub, site: Repository, clone: Clone, kind: str) -> None:
    tokens = {"none": None, "forged": Token("forged"), "read-only": hub.read_only()}
    words = {"none": "could not read Username", "forged": "could not read Username", "read-only": "Permission to octo-org/site.git denied to github-actions[bot]."}  # fmt: skip
    other = Clone(hub, clone.folder, tokens[kind])
    other.commit("sitemap.xml")
    done = other.git("push", "origin", "HEAD:refs/heads/main")
    assert done.returncode
    assert words[kind] in done.stderr
    assert hub.asked("push")[-1].status == (403 if kind == "read-only" else 401)


def test_two_authorization_headers_are_refused(hub: Hub, clone: Clone) -> None:
    key = f"http.{hub.server_url}/.extraheader"
    clone.git("config", key, "AUTHORIZATION: basic eA==")  # as a checkout that persists credentials leaves it
    assert 'Duplicate header: "Authorization"' in clone.git("fetch").stderr
    clone.environment |= {"GIT_CONFIG_COUNT": "2", "GIT_CONFIG_KEY_1": key, "GIT_CONFIG_VALUE_1": clone.environment["GIT_CONFIG_VALUE_0"], "GIT_CONFIG_VALUE_0": ""}  # fmt: skip
    assert clone.git("fetch").returncode == 0


def test_a_private_repository_needs_a_token(hub: Hub, site: Repository, clone: Clone) -> None:
    site.private = True
    assert clone.git("fetch").returncode == 0
    assert Clone(hub, clone.folder, None).git("fetch").returncode
    elsewhere = hub.token("elsewhere", repositories=frozenset({"octo-org/other"}))
    assert "not found" in Clone(hub, clone.folder, elsewhere).git("fetch").stderr


def test_a_push_closes_what_it_empties(hub: Hub, site: Repository, clone: Clone) -> None:
    site.commit({"x": "1"}, "topic")
    opened = hub.open_pull(site, "topic")
    assert clone.git("push", "--force", "origin", "HEAD:refs/heads/topic").returncode == 0
    assert opened.state == "closed"
    assert "deny updating a hidden ref" in clone.git("push", "origin", "HEAD:refs/pull/1/head").stderr


def test_a_deleted_branch(hub: Hub, site: Repository, clone: Clone) -> None:
    seen = []
    site.commit({"x": "1"}, "topic")
    hub.before_ref_update = lambda update: seen.append((update.ref, update.new))
    assert clone.git("push", "origin", ":topic").returncode == 0
    assert seen == [("refs/heads/topic", NOTHING)]
