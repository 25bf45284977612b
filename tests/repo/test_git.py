"""Git in real repositories: merge commits, depth-1 clones, hostile names."""

import subprocess
from pathlib import Path

import pytest

from sitemap_action.repo.git import Git

ENVIRONMENT = {
    "PATH": "/usr/bin:/bin:/usr/local/bin",
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.com",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.com",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_SYSTEM": "/dev/null",
}


def git(directory: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(directory), *arguments], check=True, capture_output=True, text=True, env=ENVIRONMENT
    )
    return done.stdout.strip()


def commit(directory: Path, text: str) -> str:
    (directory / "sitemap.xml").write_text(text)
    git(directory, "add", "sitemap.xml")
    git(directory, "commit", "-q", "-m", text)
    return git(directory, "rev-parse", "HEAD")


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    """main: base, later; topic from base: change; HEAD: the merge that a pull request checks out."""
    directory = tmp_path / "origin"
    directory.mkdir()
    git(directory, "init", "-q", "-b", "main")
    git(directory, "config", "uploadpack.allowAnySHA1InWant", "true")
    commit(directory, "base")
    git(directory, "checkout", "-q", "-b", "topic")
    commit(directory, "change")
    git(directory, "checkout", "-q", "main")
    (directory / "other.txt").write_text("later")
    git(directory, "add", "other.txt")
    git(directory, "commit", "-q", "-m", "later")
    git(directory, "checkout", "-q", "-b", "merged")
    git(directory, "merge", "-q", "--no-ff", "-m", "merge", "topic")
    return directory


def test_names_parents_and_blobs(origin: Path) -> None:
    repository = Git(origin, ENVIRONMENT)
    merge = repository.commit("HEAD")
    assert merge is not None
    first, second = repository.parents(merge)
    assert (first, second) == (repository.commit("main"), repository.commit("topic"))
    assert repository.blob(first, "sitemap.xml") == b"base"
    assert repository.blob(merge, "sitemap.xml") == b"change"
    assert repository.blob(merge, "missing.xml") is None
    assert repository.merge_base("main", "topic") == repository.commit("main~1")
    assert repository.top() == origin


def test_a_depth_1_clone_knows_its_parents_and_can_fetch_one(origin: Path, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--depth=1", "--branch=merged", origin.as_uri(), str(clone))
    repository = Git(clone, ENVIRONMENT)
    head = repository.commit("HEAD")
    assert head is not None
    first = repository.parents(head)[0]
    assert not repository.has(first)
    assert repository.blob(first, "sitemap.xml") is None
    assert repository.fetch(first)
    assert repository.blob(first, "sitemap.xml") == b"base"


@pytest.mark.parametrize("name", ["--output=/tmp/x", "-h", "no-such-branch", "", "HEAD:sitemap.xml"])
def test_what_is_no_commit(name: str, origin: Path) -> None:
    assert Git(origin, ENVIRONMENT).commit(name) is None


def test_fetch_takes_object_ids_only(origin: Path) -> None:
    assert not Git(origin, ENVIRONMENT).fetch("--upload-pack=touch x")


def test_hooks_do_not_run(origin: Path, tmp_path: Path) -> None:
    hook = origin / ".git/hooks/reference-transaction"
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    hook.chmod(0o755)
    Git(origin, ENVIRONMENT).fetch("0" * 40)
    assert not (tmp_path / "ran").exists()


def test_outside_of_a_repository(tmp_path: Path) -> None:
    assert Git(tmp_path, ENVIRONMENT).top() is None
