"""Commits of `commit-method: git` by real git over smart HTTP: made, replaced, deleted, raced, killed and refused."""

import os
import signal
import subprocess
from contextlib import nullcontext
from pathlib import Path

import pytest

from examples import share
from forge import faults
from forge.hub import Hub
from forge.repository import Repository
from pushes import SITE, TOKEN, branches, kill_after, start, wrapped_git
from sitemap_action.errors import PublishError
from sitemap_action.model.step import FileChange

PUSH = "POST */git-receive-pack"
AGAIN = "run the job again"  # the hint of what may be tried again


@pytest.fixture
def site(hub: Hub) -> Repository:
    hub.token(TOKEN)
    return hub.repository(SITE, private=True)


@pytest.mark.parametrize("filters", ["", "true"], ids=["whole", "partial"])
def test_a_commit_keeps_everything_else(hub: Hub, site: Repository, filters: str) -> None:
    if filters:
        site.git("config", "uploadpack.allowFilter", "true")
    attributes = "* text=auto eol=lf ident working-tree-encoding=UTF-16\n*.xml filter=lfs\n"
    site.commit({"public/sitemap.xml": "old", "gone.xml": "x", "run.sh": "#!/bin/sh\n", ".gitattributes": attributes})
    executable = site.make_tree(site.head(), [site.entry(site.head(), "run.sh")._replace(mode="100755")])  # type: ignore[union-attr]
    site.move("refs/heads/main", site.make_commit(executable, [site.head()], "mode"), site.head())
    before = site.head()
    changes = [
        FileChange("public/sitemap.xml", b"<!-- $Id$ -->\r\n\xff\0"),
        FileChange("public/deep/sitemap-2.xml", b""),
        FileChange("gone.xml", None),
        FileChange("never-there.xml", None),
        FileChange("run.sh", b"exit 1"),
    ]
    made = branches(hub).commit("main", before, "Update sitemap: ü\n\nSitemap-Action-Source: served\n", changes)
    assert branches(hub).commit("main", made, "again", changes) == made, "nothing differs, so there is no second commit"
    assert site.head() == made
    assert site.parents(made) == [before]
    assert site.files() == {
        "README.md": b"# A site\n",
        ".gitattributes": attributes.encode(),
        "public/sitemap.xml": b"<!-- $Id$ -->\r\n\xff\0",
        "public/deep/sitemap-2.xml": b"",
        "run.sh": b"exit 1",
    }
    assert site.entry(made, "run.sh").mode == "100755"  # type: ignore[union-attr]
    assert site.message(made) == "Update sitemap: ü\n\nSitemap-Action-Source: served"
    bot = "github-actions[bot] <41898282+github-actions[bot]@users.noreply.github.com>"
    assert site.ask("log", "-1", "--format=%an <%ae>|%cn <%ce>", made) == f"{bot}|{bot}"


def test_no_other_file_is_asked_for(hub: Hub, site: Repository, tmp_path: Path) -> None:
    """1,100 files and 6 MB that are not sitemaps stay with the server; 1,100 shards are deleted by one commit."""
    site.git("config", "uploadpack.allowFilter", "true")
    shards = [f"maps/sitemap-{number}.xml" for number in range(1_100)]
    site.commit({**{path: path for path in shards}, "large.bin": os.urandom(6_000_000)})
    sizes = tmp_path / "sizes"
    path = wrapped_git(tmp_path / "bin", f'[ "$name" != push ] || du -sk "$GIT_DIR" >> {sizes}')
    ended = start(hub, "sitemap.xml", "1", env={"PATH": path})
    _, errors = ended.communicate(timeout=120)
    assert ended.returncode == 0, errors
    assert int(sizes.read_text().split()[0]) < 1_000, "kilobytes"
    large = os.urandom(6_000_000)
    changes = [*(FileChange(path, None) for path in shards), FileChange("sitemap.xml", large)]
    branches(hub).commit("main", site.head(), "x", changes)
    assert (set(site.files()), site.read("sitemap.xml")) == ({"README.md", "large.bin", "sitemap.xml"}, large)


# Other writers


def overtaken_by(hub: Hub, site: Repository, files: dict[str, str], branch: str = "main") -> None:
    """Somebody else pushes when our push has been accepted, and is about to be carried out."""
    before = site.head(branch)

    def push(_: object) -> None:
        if site.head(branch) == before:
            site.commit(files, branch)

    hub.before_ref_update = push


def test_a_branch_that_has_moved(hub: Hub, site: Repository) -> None:
    old = site.head()
    new = site.commit({"other": "1"})
    with pytest.raises(PublishError, match="stale info") as caught:
        branches(hub).commit("main", old, "x", [FileChange("a", b"1")])
    assert AGAIN in caught.value.hint
    assert site.head() == new


def test_a_branch_that_is_put_back_stays_so(hub: Hub, site: Repository) -> None:
    """A plain push would bring the commits back that somebody has just taken away: it is a fast-forward."""
    first = site.head()
    second = site.commit({"secret": "1"})
    hub.before_ref_update = lambda _: site.move("refs/heads/main", first, second)
    with pytest.raises(PublishError) as caught:
        branches(hub).commit("main", second, "x", [FileChange("a", b"1")])
    assert AGAIN in caught.value.hint
    assert site.head() == first


def test_a_push_that_is_overtaken(hub: Hub, site: Repository) -> None:
    old = site.head()
    overtaken_by(hub, site, {"other": "1"})
    with pytest.raises(PublishError) as caught:
        branches(hub).commit("main", old, "x", [FileChange("a", b"1")])
    assert AGAIN in caught.value.hint
    branches(hub).commit("main", site.head(), "x", [FileChange("a", b"1")])
    assert site.files() == {"README.md": b"# A site\n", "other": b"1", "a": b"1"}


def test_a_reference_that_another_push_holds(hub: Hub, site: Repository) -> None:
    lock = site.directory / "refs/heads/main.lock"
    lock.touch()
    with pytest.raises(PublishError) as caught:
        branches(hub).commit("main", site.head(), "x", [FileChange("a", b"1")])
    assert AGAIN in caught.value.hint
    lock.unlink()
    assert branches(hub).commit("main", site.head(), "x", [FileChange("a", b"1")]) == site.head()


@pytest.mark.parametrize("play", [faults.lost(), faults.dropped(), faults.outage(503)])
def test_a_push_whose_answer_is_lost_is_made_once(hub: Hub, site: Repository, play: faults.Play) -> None:
    hub.fail(play, on=PUSH)
    ended = start(hub, "sitemap.xml", "1")
    output, errors = ended.communicate(timeout=60)
    assert ended.returncode == 0, errors
    assert site.log("main")[:-1] == output.split()


def test_a_branch_is_made_moved_and_deleted(hub: Hub, site: Repository) -> None:
    base, branch, there = site.head(), "sitemap-action/update", branches(hub)
    first = there.replace(branch, None, "x", [FileChange("a", b"1")], base)
    assert site.head(branch) == first
    with pytest.raises(PublishError, match="stale info"):
        there.replace(branch, None, "x", [FileChange("a", b"2")], base)
    newer = site.commit({"other": "1"})
    second = there.replace(branch, first, "x", [FileChange("a", b"2")], newer)
    assert site.head(branch) == second
    assert site.parents(second) == [newer]
    with pytest.raises(PublishError, match="stale info"):
        there.replace(branch, first, "x", [FileChange("a", b"3")], newer)
    with pytest.raises(PublishError, match="would have no change"):
        there.replace(branch, second, "x", [FileChange("other", b"1")], newer)
    with pytest.raises(PublishError, match="stale info"):
        there.delete(branch, first)
    overtaken_by(hub, site, {"b": "1"}, branch)
    with pytest.raises(PublishError) as caught:
        there.replace(branch, second, "x", [FileChange("a", b"2")], base)
    assert AGAIN in caught.value.hint
    assert site.read("b", branch) == b"1", "what a person pushed meanwhile is kept"
    there.delete(branch, site.head(branch))
    assert site.head(branch) == ""
    assert site.head() == newer


@pytest.mark.parametrize(("writers", "each"), [(2, 5), (4, 2 + share(6))])
def test_a_race(hub: Hub, site: Repository, writers: int, each: int) -> None:
    """Each commit sets the same file; nothing is lost or doubled."""
    hub.lock = nullcontext()  # type: ignore[assignment]  # pushes meet at git's own locks
    running = [
        start(hub, "sitemap.xml", *(f"{writer}-{number}" for number in range(each))) for writer in range(writers)
    ]
    answers = [process.communicate(timeout=300) for process in running]
    assert [process.returncode for process in running] == [0] * writers, answers
    made = [line for output, _ in answers for line in output.split()]
    history = site.log("main")[:-1]
    assert sorted(made) == sorted(history), "every commit that was made is on the branch, and no other"
    messages = [site.message(commit).partition("\n")[0] for commit in history]
    assert sorted(messages) == sorted(f"Set {writer}-{number}" for writer in range(writers) for number in range(each))
    for commit, message in zip(history, messages, strict=True):
        assert site.read("sitemap.xml", commit) == message.removeprefix("Set ").encode()
    assert any("moved" in errors for _, errors in answers), "they did meet"


STEPS = ("version", "init", "fetch", "fast-import", "rev-parse", "push")


@pytest.mark.parametrize(
    ("step", "number"), [*((step, signal.SIGKILL) for step in STEPS), ("push", signal.SIGTERM)]
)  # fmt: skip
def test_killed_after_a_step(hub: Hub, site: Repository, tmp_path: Path, step: str, number: signal.Signals) -> None:
    path = wrapped_git(tmp_path / "bin", kill_after(step, number))
    killed = start(hub, "sitemap.xml", "1", env={"PATH": path})
    killed.communicate(timeout=60)
    assert killed.returncode == -number
    next_run = start(hub, "sitemap.xml", "1")
    output, errors = next_run.communicate(timeout=60)
    assert next_run.returncode == 0, errors
    assert output.split() == [site.head()], "a push that was carried out is not made again"
    assert site.read("sitemap.xml") == b"1"
    assert len(site.log("main")) == 2


# Refusals


@pytest.mark.parametrize(
    ("ruleset", "message", "remedy"),
    [
        (False, "GH006: Protected branch update failed for refs/heads/main", "the protection of the branch lets push"),
        (True, "GH013: Repository rule violations found for refs/heads/main", "the ruleset lets bypass it"),
    ],
)
def test_a_branch_that_takes_no_push(hub: Hub, site: Repository, ruleset: bool, message: str, remedy: str) -> None:
    site.protect("main", ruleset=ruleset)
    with pytest.raises(PublishError, match=message) as caught:
        branches(hub).commit("main", site.head(), "x", [FileChange("a", b"1")])
    assert "mode pull-request" in caught.value.hint
    assert remedy in caught.value.hint


@pytest.mark.parametrize(
    ("token", "message", "remedy"),
    [
        ("ghs_wrong", "could not read Username", "a token that is accepted"),
        ("", "could not read Username", "a token that is accepted"),
        ("ghs_readonly", "answers 403: Permission to octo-org/site.git denied", "`contents: write`"),
    ],
)
def test_tokens_that_may_not(hub: Hub, site: Repository, token: str, message: str, remedy: str) -> None:
    hub.read_only("ghs_readonly")
    with pytest.raises(PublishError, match=message) as caught:
        branches(hub, token=token).commit("main", site.head(), "x", [FileChange("a", b"1")])
    assert remedy in caught.value.hint


def test_a_repository_that_is_not_there(hub: Hub, site: Repository) -> None:
    with pytest.raises(PublishError, match="not found") as caught:
        branches(hub, repository="octo-org/missing").commit("main", site.head(), "x", [])
    assert "correct the branch" in caught.value.hint


@pytest.mark.parametrize(
    ("play", "words"),
    [
        (faults.outage(429), "answers 429"),
        (faults.outage(500), "answers 500"),
        (faults.outage(503), "answers 503"),
        (faults.dropped(), "."),
    ],
    ids=["429", "500", "503", "dropped"],
)
@pytest.mark.parametrize("on", ["fetch", PUSH])
def test_outages(hub: Hub, site: Repository, play: faults.Play, words: str, on: str) -> None:
    hub.fail(play, on=on, times=4)
    with pytest.raises(PublishError, match=words) as caught:
        branches(hub).commit("main", site.head(), "x", [FileChange("a", b"1")])
    assert AGAIN in caught.value.hint
    assert len(site.log("main")) == 1


def test_no_server(hub: Hub, site: Repository) -> None:
    with pytest.raises(PublishError, match=r"Failed to connect|Couldn't connect") as caught:
        branches(hub, server="http://127.0.0.1:9").commit("main", site.head(), "x", [])
    assert AGAIN in caught.value.hint


def test_a_server_that_does_not_answer(hub: Hub, site: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sitemap_action.repo.git_process._TIMEOUT", 1)
    hub.fail(faults.slow(3), on="fetch")
    with pytest.raises(PublishError, match="no answer in time"):
        branches(hub).commit("main", site.head(), "x", [])
    commands = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert hub.server_url not in commands, "what git has started ended with it"
