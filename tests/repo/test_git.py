"""Git in real repositories: merge commits, depth-1 clones, hostile names."""

import os
from pathlib import Path

import pytest

from pushes import wrapped_git
from repositories import Origin, checkout, commit, create, git, pull_request
from sitemap_action.errors import BaselineError
from sitemap_action.repo.git import Git


@pytest.fixture
def origin(tmp_path: Path) -> Origin:
    return pull_request(
        tmp_path / "origin",
        base={"sitemap.xml": "base"},
        head={"sitemap.xml": "change"},
        main={"sitemap.xml": "base", "other.txt": "later"},
    )


def test_names_parents_and_blobs(origin: Origin) -> None:
    repository = Git(origin.directory)
    assert repository.commit("main") == origin.main
    assert repository.parents(origin.merge) == (origin.main, origin.head)
    assert repository.blob(origin.main, "sitemap.xml") == b"base"
    assert repository.blob(origin.merge, "sitemap.xml") == b"change"
    assert repository.blob(origin.merge, "missing.xml") is None
    assert repository.merge_base(origin.main, origin.head) == origin.base
    assert repository.top() == origin.directory
    assert not repository.shallow()


def test_a_commit_and_a_folder_are_read_once(origin: Origin, tmp_path: Path) -> None:
    log = tmp_path / "log"
    path = wrapped_git(tmp_path / "bin", f'printf "%s\\n" "$name" >> {log}')
    repository = Git(origin.directory, os.environ | {"PATH": path})
    for name in ("HEAD", origin.main):
        assert repository.blob(name, "missing.xml") is None
        assert repository.find_first(name, ["a.xml", "b/c.xml", "sitemap.xml"]) == "sitemap.xml"
        assert repository.blob(name, "sitemap.xml") == b"base"
    ran = log.read_text().split()
    assert ran.count("rev-parse") == 1
    assert ran.count("cat-file") == 2 + 2, "two names of one commit, one with its folder, and the file each time"


def test_a_file_is_read_with_its_commit_and_folders_at_once(tmp_path: Path) -> None:
    files = {"a b/c/one two.xml": "one", "a b/other.xml": "other", "new\nline/x.xml": "x"}
    made = commit(create(tmp_path / "repository"), files, branch="main")
    log = tmp_path / "log"
    path = wrapped_git(tmp_path / "bin", f'printf "%s\n" "$name" >> {log}')

    def processes(wanted: str) -> tuple[bytes | None, int]:
        log.unlink(missing_ok=True)
        found = Git(tmp_path / "repository", os.environ | {"PATH": path}).blob(made, wanted)
        return found, log.read_text().split().count("cat-file")

    assert processes("a b/c/one two.xml") == (b"one", 1)
    assert processes("a b/missing") == processes("a b/c/no file") == (None, 1)
    assert processes("missing file") == (None, 1)
    assert processes("new\nline/x.xml") == (b"x", 3), "no name of an object for git"


def test_the_merge_base_with_several_is_the_newest(origin: Origin) -> None:
    """The event's idea of the target branch may be older than what was merged from it."""
    merged_main = commit(origin.directory, {"sitemap.xml": "change"}, origin.head, origin.main)
    assert Git(origin.directory).merge_base(merged_main, origin.base) == origin.base
    assert Git(origin.directory).merge_base(merged_main, origin.base, origin.main) == origin.main
    assert Git(origin.directory).merge_base(merged_main) is None  # with nothing


def test_a_depth_1_clone_knows_its_parents_and_can_fetch_one(origin: Origin, tmp_path: Path) -> None:
    clone = checkout(origin.directory, origin.merge, tmp_path / "clone")
    before = {path for path in (clone / ".git").rglob("*") if path.is_file()}
    repository = Git(clone)
    assert repository.shallow()
    assert repository.parents(origin.merge)[0] == origin.main
    assert not repository.has(origin.main)
    with pytest.raises(BaselineError, match=r"cannot read sitemap\.xml"):  # absent commit, not absent file
        repository.blob(origin.main, "sitemap.xml")
    assert repository.fetch(origin.main)
    assert repository.blob(origin.main, "sitemap.xml") == b"base"
    assert not repository.has(origin.base)
    new = {path.parent.name for path in (clone / ".git").rglob("*") if path.is_file()} - {
        path.parent.name for path in before
    }
    assert new <= {"pack"}, "a loose object leaves a folder that another user cannot write to"


@pytest.mark.parametrize("packed", [False, True])
def test_a_checkout_that_cannot_be_written_stays_as_it_is(
    packed: bool, origin: Origin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As that of the reader's container: what is fetched is where the run keeps its temporary files."""
    clone = checkout(origin.directory, origin.merge, tmp_path / "clone")
    if packed:
        git(clone, "repack", "-qad")
    before = {path: path.read_bytes() for path in (clone / ".git").rglob("*") if path.is_file()}
    real = os.access
    monkeypatch.setattr(os, "access", lambda path, *rest, **more: not str(path).endswith("objects/pack") and real(path, *rest, **more))  # fmt: skip
    repository = Git(clone)
    assert not repository.has(origin.main)
    assert repository.fetch(origin.main)
    assert repository.blob(origin.main, "sitemap.xml") == b"base"
    assert repository.blob(origin.merge, "sitemap.xml") is not None
    assert {path: path.read_bytes() for path in (clone / ".git").rglob("*") if path.is_file()} == before


def test_a_fetch_leaves_a_whole_clone_whole(origin: Origin, tmp_path: Path) -> None:
    clone = checkout(origin.directory, origin.merge, tmp_path / "clone", depth=0)
    later = commit(origin.directory, {"sitemap.xml": "later"}, origin.main)
    assert Git(clone).fetch(later)
    assert not Git(clone).shallow()


@pytest.mark.attack("arguments")
@pytest.mark.parametrize("name", ["--output=/tmp/x", "-h", "no-such-branch", "", "HEAD:sitemap.xml", "HEAD\nHEAD"])
def test_what_is_no_commit(name: str, origin: Origin) -> None:
    assert Git(origin.directory).commit(name) is None


@pytest.mark.attack("arguments")
@pytest.mark.parametrize("name", ["--upload-pack=touch x", "main", "+refs/*:refs/*", "0" * 39, "0" * 40 + "\n", ""])
def test_fetch_takes_object_ids_only(name: str, origin: Origin, tmp_path: Path) -> None:
    clone = checkout(origin.directory, origin.merge, tmp_path / "clone")
    assert not Git(clone).fetch(name)


# what stands at `sitemap.xml`, and what is said about it: absence is the one thing it must not be taken for
@pytest.mark.parametrize(
    ("mode", "says"),
    [
        ("120000", "symbolic link"),  # its content is another path
        ("160000", "cannot read"),  # a submodule
    ],
)
def test_what_is_no_file_is_no_absence_either(mode: str, says: str, origin: Origin) -> None:
    directory = origin.directory
    target = origin.base if mode == "160000" else git(directory, "rev-parse", f"{origin.base}:sitemap.xml")
    git(directory, "read-tree", "--empty")
    git(directory, "update-index", "--add", "--cacheinfo", f"{mode},{target},sitemap.xml")
    odd = git(directory, "commit-tree", git(directory, "write-tree"), "-m", "odd")
    with pytest.raises(BaselineError, match=says):
        Git(directory).blob(odd, "sitemap.xml")


def test_a_folder_is_no_file(origin: Origin) -> None:
    odd = commit(origin.directory, {"sitemap.xml/page": "x"})
    with pytest.raises(BaselineError, match="cannot read"):
        Git(origin.directory).blob(odd, "sitemap.xml")


@pytest.mark.attack("arguments")
@pytest.mark.parametrize("path", ["-x.xml", ":(glob)x.xml", "*.xml", "ü b.xml", "a\tb.xml"])
def test_a_path_is_taken_literally(path: str, origin: Origin) -> None:
    odd = commit(origin.directory, {"decoy.xml": "decoy", path: "odd"})
    assert Git(origin.directory).blob(odd, path) == b"odd"
    assert Git(origin.directory).blob(origin.base, path) is None


def test_a_blob_that_a_partial_clone_lacks_is_no_absence(origin: Origin, tmp_path: Path) -> None:
    git(origin.directory, "config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--no-checkout", "--filter=blob:none", origin.directory.as_uri(), str(clone))
    assert Git(clone).blob(origin.base, "missing.xml") is None
    git(clone, "remote", "set-url", "origin", (tmp_path / "gone").as_uri())
    with pytest.raises(BaselineError, match="cannot read"):
        Git(clone).blob(origin.base, "sitemap.xml")


@pytest.mark.attack("git")
def test_hooks_do_not_run(origin: Origin, tmp_path: Path) -> None:
    clone = checkout(origin.directory, origin.merge, tmp_path / "clone")
    hook = clone / ".git/hooks/reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    hook.chmod(0o755)
    git(clone, "update-ref", "refs/heads/shown", "HEAD")
    assert (tmp_path / "ran").exists(), "the hook works at all"
    (tmp_path / "ran").unlink()
    assert Git(clone).fetch(origin.main)
    assert not (tmp_path / "ran").exists()


def test_outside_of_a_repository(tmp_path: Path) -> None:
    assert Git(tmp_path).top() is None
    assert Git(tmp_path).commit("HEAD") is None


def test_without_a_commit(tmp_path: Path) -> None:
    assert Git(create(tmp_path / "new")).commit("HEAD") is None


def test_without_git(tmp_path: Path) -> None:
    with pytest.raises(BaselineError, match="not installed"):
        Git(tmp_path, {"PATH": str(tmp_path)}).top()


def test_branches_and_the_address_of_origin(origin: Origin, tmp_path: Path) -> None:
    assert Git(origin.directory).branches() == ("", "main")
    assert Git(origin.directory).origin() == ""
    git(tmp_path, "clone", "-q", str(origin.directory), "clone")
    git(tmp_path / "clone", "checkout", "-q", "-b", "topic")
    assert Git(tmp_path / "clone").branches() == ("main", "topic")
    assert Git(tmp_path / "clone").origin() == str(origin.directory)
    git(tmp_path / "clone", "checkout", "-q", "--detach")
    assert Git(tmp_path / "clone").branches() == ("main", "")
    (tmp_path / "folder").mkdir()
    assert Git(tmp_path / "folder", ceiling=tmp_path / "folder").branches() == ("", "")
    assert Git(tmp_path / "folder", ceiling=tmp_path / "folder").origin() == ""
