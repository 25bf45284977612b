"""Which commit a pull request is measured against, in real repositories (DIFF-22)."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from repositories import Origin, checkout, commit, forge_from, git, pull_request
from sitemap_action.errors import BaselineError
from sitemap_action.look.branch import base_tree
from sitemap_action.look.places import git_tree
from sitemap_action.model.context import PullRequest
from sitemap_action.repo.git import Git

MERGE = "the first parent of the merge commit"
FORK = "the merge base with the target branch"


@pytest.fixture
def origin(tmp_path: Path) -> Origin:
    return pull_request(tmp_path / "origin", {"a": "1"}, {"a": "2"}, main={"a": "1", "b": "later"})


def event(origin: Origin, *, base: str | None = None, head: str | None = None, merge: str | None = None, ref: str = "main") -> PullRequest:  # fmt: skip
    return PullRequest(
        12,
        ref,
        origin.main if base is None else base,
        origin.head if head is None else head,
        origin.merge if merge is None else merge,
    )


@pytest.mark.parametrize("depth", [1, 2, 0])
def test_a_merge_commit_has_the_target_branch_as_its_first_parent(depth: int, origin: Origin, tmp_path: Path) -> None:
    clone = checkout(origin.directory, origin.merge, tmp_path / "clone", depth=depth)
    found = base_tree(Git(clone), clone, event(origin))
    assert (found.commit, found.relation, found.head) == (
        origin.main,
        MERGE,
        f"merge commit {origin.merge[:12]}",
    )
    assert Git(clone).has(origin.main)


# what is left of the event, when the merge commit is checked out
@pytest.mark.parametrize(
    "left",
    [
        {"base": "", "ref": ""},
        {"base": "", "head": "", "ref": ""},  # no event file: GITHUB_SHA is enough
        {"base": "", "merge": "", "ref": ""},  # pull_request_target with a checkout of refs/pull/N/merge
        {"base": "0" * 40},  # the event's base is never asked when the merge commit tells
        {"ref": "--upload-pack=x"},
    ],
)
def test_a_merge_commit_needs_little_of_the_event(left: dict[str, str], origin: Origin, tmp_path: Path) -> None:
    clone = checkout(origin.directory, origin.merge, tmp_path / "clone")
    assert base_tree(Git(clone), clone, event(origin, **left)).commit == origin.main


# what is left of the event, when the head is checked out with its history
@pytest.mark.parametrize(
    "left",
    [
        {},
        {"base": ""},  # origin/main tells
        {"ref": ""},  # the event's object id tells
        {"ref": "--all"},  # no such branch, and no option either
        {"ref": "main^{tree}"},
        {"base": "", "head": "", "merge": ""},  # no event file
    ],
)
def test_the_head_commit_is_measured_against_the_merge_base(
    left: dict[str, str], origin: Origin, tmp_path: Path
) -> None:
    clone = checkout(origin.directory, origin.head, tmp_path / "clone", depth=0)
    found = base_tree(Git(clone), clone, event(origin, **left))
    assert (found.commit, found.relation) == (origin.base, FORK)


def test_a_head_that_is_a_merge_itself_is_no_merge_commit_of_the_forge(origin: Origin, tmp_path: Path) -> None:
    """Somebody merged main into the branch: what main had by then is not this change's doing."""
    head = commit(origin.directory, {"a": "2", "b": "later"}, origin.head, origin.main, branch="topic")
    clone = checkout(origin.directory, head, tmp_path / "clone", depth=0)
    stale = event(origin, base=origin.base, head=head)
    assert base_tree(Git(clone), clone, stale).commit == origin.main


def test_a_branch_that_was_merged_meanwhile_is_not_compared_with_itself(origin: Origin, tmp_path: Path) -> None:
    commit(origin.directory, {"a": "2"}, origin.main, origin.head, branch="main")
    clone = checkout(origin.directory, origin.head, tmp_path / "clone", depth=0)
    assert base_tree(Git(clone), clone, event(origin)).commit == origin.base


def test_a_commit_that_the_job_made_on_top_changes_nothing(origin: Origin, tmp_path: Path) -> None:
    clone = checkout(origin.directory, origin.merge, tmp_path / "clone", depth=0)
    git(clone, "commit", "-q", "--allow-empty", "-m", "generated files")
    assert base_tree(Git(clone), clone, event(origin)).commit == origin.main


def test_a_shallow_head_names_the_remedy(origin: Origin, tmp_path: Path) -> None:
    clone = checkout(origin.directory, origin.head, tmp_path / "clone")
    with pytest.raises(BaselineError, match="the clone is shallow") as error:
        base_tree(Git(clone), clone, event(origin))
    assert error.value.exit_code == 2
    assert "fetch-depth: 0" in error.value.hint
    assert "git:REF" in error.value.hint


def test_a_clone_of_a_fork_does_not_know_the_target_branch(origin: Origin, tmp_path: Path) -> None:
    fork = pull_request(tmp_path / "fork", {"a": "1"}, {"a": "2"})
    clone = checkout(fork.directory, fork.head, tmp_path / "clone", depth=0)
    git(clone, "update-ref", "-d", "refs/remotes/origin/main")
    with pytest.raises(BaselineError, match="this clone has no commit of it"):
        base_tree(Git(clone), clone, event(origin, base="1" * 40, head=fork.head, merge="2" * 40))


def test_a_parent_that_cannot_be_fetched_names_the_remedy(origin: Origin, tmp_path: Path) -> None:
    clone = checkout(origin.directory, origin.merge, tmp_path / "clone")
    git(clone, "remote", "set-url", "origin", (tmp_path / "gone").as_uri())
    with pytest.raises(BaselineError, match="cannot be fetched") as error:
        base_tree(Git(clone), clone, event(origin))
    assert "fetch-depth: 2" in error.value.hint


def test_a_merge_group_builds_on_what_the_event_says(origin: Origin, tmp_path: Path) -> None:
    """Rebased into the queue, a pull request is two commits, and HEAD's parent is the first of them."""
    one = commit(origin.directory, {"a": "2"}, origin.main)
    two = commit(origin.directory, {"a": "3"}, one)
    clone = checkout(origin.directory, two, tmp_path / "clone")
    group = PullRequest(base_ref="main", base=origin.main, head=two, merge=two, queued=True)
    found = base_tree(Git(clone), clone, group)
    assert (found.commit, found.relation) == (origin.main, "the base of the merge group")


def test_a_merge_group_without_an_event_builds_on_the_first_parent(origin: Origin, tmp_path: Path) -> None:
    clone = checkout(origin.directory, origin.merge, tmp_path / "clone")
    assert base_tree(Git(clone), clone, PullRequest(queued=True)).commit == origin.main


def test_a_merge_group_without_any_parent(origin: Origin, tmp_path: Path) -> None:
    clone = checkout(origin.directory, origin.base, tmp_path / "clone")
    with pytest.raises(BaselineError, match="the base of the merge group is not in this clone"):
        base_tree(Git(clone), clone, PullRequest(queued=True))


def test_no_checkout_names_the_remedy(origin: Origin, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(BaselineError, match="is not a git checkout") as error:
        base_tree(Git(tmp_path / "empty"), tmp_path / "empty", event(origin))
    assert "actions/checkout" in error.value.hint


class Api:
    """A forge that has every commit it is told of, and all files of one."""

    def __init__(self, *commits: str, base: str = "") -> None:
        self.commits = commits
        self.base = base
        self.asked: list[tuple[str, str]] = []

    def has(self, commit: str) -> bool:
        return commit in self.commits

    def merge_base(self, base: str, head: str) -> str | None:
        self.asked.append((base, head))
        return self.base or None

    def blob(self, commit: str, path: str) -> bytes | None:
        return f"{path} at {commit}".encode()


@pytest.mark.parametrize("depth", [0, 2])
def test_what_is_here_is_asked_of_nobody(depth: int, origin: Origin, tmp_path: Path) -> None:
    clone = checkout(origin.directory, origin.merge, tmp_path / "clone", depth=depth)
    assert not base_tree(Git(clone), clone, event(origin), Api(origin.main)).remote


def test_the_api_has_what_a_shallow_clone_has_not(origin: Origin, tmp_path: Path) -> None:
    clone = checkout(origin.directory, origin.merge, tmp_path / "clone")
    git(clone, "remote", "set-url", "origin", (tmp_path / "gone").as_uri())
    found = base_tree(Git(clone), clone, event(origin), Api(origin.main))
    assert (found.commit, found.relation, bool(found.remote)) == (origin.main, MERGE, True)
    store = git_tree(Git(clone), found.commit, clone, Api())
    assert store("sitemap.xml") == f"sitemap.xml at {origin.main}".encode()
    assert store("../outside.xml") is None


def test_where_the_api_has_nothing_the_commit_is_fetched(origin: Origin, tmp_path: Path) -> None:
    clone = checkout(origin.directory, origin.merge, tmp_path / "clone")
    found = base_tree(Git(clone), clone, event(origin), Api())
    assert (found.commit, bool(found.remote)) == (origin.main, False)


def test_the_api_knows_where_a_shallow_head_left_the_target_branch(origin: Origin, tmp_path: Path) -> None:
    clone = checkout(origin.directory, origin.head, tmp_path / "clone")
    api = Api(origin.base, base=origin.base)
    found = base_tree(Git(clone), clone, event(origin), api)
    assert (found.commit, found.relation, bool(found.remote)) == (origin.base, FORK, True)
    assert api.asked == [("main", origin.head)]


def test_an_api_that_does_not_know_either_names_the_remedy(origin: Origin, tmp_path: Path) -> None:
    clone = checkout(origin.directory, origin.head, tmp_path / "clone")
    with pytest.raises(BaselineError, match="the clone is shallow") as raised:
        base_tree(Git(clone), clone, event(origin), Api())
    assert "fetch-depth: 0" in raised.value.hint


@pytest.mark.attack("git")
@pytest.mark.parametrize("planted", ["HEAD", "origin/main", "a commit"])
def test_S_14_on_a_guarded_event_the_checkout_has_no_say(planted: str, origin: Origin, tmp_path: Path) -> None:
    """A step of the change makes the target branch one that never had the page."""
    clone = checkout(origin.directory, origin.head, tmp_path / "clone", depth=0)
    forged = commit(clone, {"nothing": ""}, origin.base)
    newer = commit(clone, {"nothing": ""}, forged, origin.head)
    if planted == "HEAD":
        (clone / ".git/HEAD").write_text(f"{newer}\n")
    elif planted == "origin/main":
        git(clone, "update-ref", "refs/remotes/origin/main", origin.head)
    else:
        forge_from(clone, origin.main, newer)
    fork = replace(event(origin), guarded=True)
    if planted == "a commit":
        with pytest.raises(BaselineError, match="cannot find the merge base"):
            base_tree(Git(clone), clone, fork)
        return
    assert base_tree(Git(clone), clone, fork).commit == origin.base
    assert base_tree(Git(clone), clone, event(origin)).commit != origin.base or planted == "origin/main"


@pytest.mark.parametrize("depth", [0, 1])
def test_S_14_a_guarded_event_needs_a_whole_history_or_the_api(depth: int, origin: Origin, tmp_path: Path) -> None:
    clone = checkout(origin.directory, origin.head, tmp_path / "clone", depth=depth)
    fork = replace(event(origin), guarded=True)
    if depth:
        with pytest.raises(BaselineError, match="the clone is shallow"):
            base_tree(Git(clone), clone, fork)
    else:
        assert (found := base_tree(Git(clone), clone, fork)).relation == FORK
        assert found.commit == origin.base
