"""Commits and pull requests end to end: inputs, a checkout, GitHub on loopback, outputs, exit code, the branch."""

import os
import re
from functools import partial

import pytest

from forge import faults
from forge.indexnow import indexnow as engines
from runners import SITE, SITEMAP, Job, build, listed, request_event, urlset
from servers import serve
from sitemap_action.__main__ import run as program
from sitemap_action.publish import indexnow

# --- commit ---


def test_a_page_that_appears_is_committed(job: Job) -> None:
    before = job.site.head()
    place = job.checkout()
    ended = job.run(job.hub.token(), build("a", "b"))
    assert ended.code == 0, ended.log
    assert (ended.outputs["result"], ended.outputs["changed"]) == ("drift", "true")
    head = job.site.head()
    assert ended.outputs["commit-sha"] == head != before
    assert listed(job.site) == ["", "a", "b"]
    assert job.site.parents(head) == [before]
    assert job.site.signed(head)
    message = job.site.message(head)
    assert message.startswith("Update sitemap: 1 added\n\n")
    assert message.rstrip().endswith(f"\n\n{MARK}Sitemap-Action-Source: {before}")
    assert f"committed to main as {head[:12]}" in ended.report["notes"]
    assert f"committed to main as `{head[:12]}`" in ended.summary
    assert (place / SITEMAP).read_bytes() == job.site.read(SITEMAP)
    assert job.hub.carried_out() == ["createCommitOnBranch"]


def test_nothing_is_committed_twice(job: Job) -> None:
    job.checkout()
    token = job.hub.token()
    job.run(token, build("a", "b"))
    ended = job.run(token, build("a", "b"))
    assert (ended.code, ended.outputs["result"], ended.outputs["changed"]) == (0, "in-sync", "false")
    assert ended.outputs["commit-sha"] == ""
    assert len(job.hub.changes) == 1


def test_the_branch_is_judged_and_not_the_work_tree(job: Job) -> None:
    """An earlier step wrote the tracked file: it is true, and the branch's is not."""
    job.checkout()
    ended = job.run(job.hub.token(), {**build("a", "b"), SITEMAP: urlset("", "a", "b")})
    assert ended.outputs["changed"] == "true"
    assert listed(job.site) == ["", "a", "b"]


def test_without_a_checkout(job: Job) -> None:
    ended = job.run(job.hub.token(), build("a", "b"))
    assert ended.code == 0, ended.log
    assert listed(job.site) == ["", "a", "b"]


def test_a_first_sitemap(job: Job) -> None:
    job.site.commit({SITEMAP: None})
    job.checkout()
    ended = job.run(job.hub.token(), build("a"))
    assert (ended.code, listed(job.site)) == (0, ["", "a"]), ended.log
    assert job.site.message(job.site.head()).startswith("Update sitemap: 2 added\n")


def test_shards_that_are_left_over_go_in_the_same_commit(job: Job) -> None:
    job.checkout()
    token = job.hub.token()
    many = build(*"abcde")
    config = {".github/sitemap.yml": "output: {urls-per-file: 2}\n"}
    assert job.run(token, {**many, **config}).code == 0
    shards = [path for path in job.site.files() if path.startswith("public/")]
    assert shards == ["public/sitemap-1.xml", "public/sitemap-2.xml", "public/sitemap-3.xml", SITEMAP]
    assert job.run(token, {**build("a"), **config}, event="schedule").code == 0
    assert [path for path in job.site.files() if path.startswith("public/")] == ["public/sitemap-1.xml", SITEMAP]
    assert len(job.hub.changes) == 2


def test_a_guard_stops_the_commit(job: Job) -> None:
    names = [f"p{number}" for number in range(20)]
    job.site.commit({SITEMAP: urlset("", *names)})
    job.checkout()
    ended = job.run(job.hub.token(), build("p1"))
    assert (ended.code, ended.outputs["changed"], ended.outputs["commit-sha"]) == (1, "false", "")
    assert job.hub.changes == []


def test_what_is_too_large_for_one_request_goes_as_blobs(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sitemap_action.repo.github._LARGEST", 100)
    job.checkout()
    pushed: list[str] = []

    def push(names: tuple[str, ...]) -> None:
        if "PATCH /repos/octo-org/site/git/refs/heads/main" in names and not pushed:
            pushed.append(job.site.commit({"notes.md": "text"}))

    job.hub.before_request = push
    ended = job.run(job.hub.token(), build("a", "b"))
    assert (ended.code, listed(job.site)) == (0, ["", "a", "b"]), ended.log
    assert job.site.parents(job.site.head()) == pushed
    assert job.site.signed(job.site.head())


MARK = f"Sitemap-Action-Site: {SITE}\nSitemap-Action-Path: {SITEMAP}\nSitemap-Action-Run: command-line\n"
MESSAGES = [
    ("one line", "docs: refresh the map", "docs: refresh the map\n\n{mark}Sitemap-Action-Source: {}\n"),
    ("with a body", "docs: x\n\nBecause.", "docs: x\n\nBecause.\n\n{mark}Sitemap-Action-Source: {}\n"),
    ("with trailers", "docs: x\n\nRefs: 12", "docs: x\n\nRefs: 12\n{mark}Sitemap-Action-Source: {}\n"),
    ("skipping CI", "docs: x [skip ci]", "docs: x [skip ci]\n\n{mark}Sitemap-Action-Source: {}\n"),
]


@pytest.mark.parametrize(("given", "expected"), [pytest.param(*row[1:], id=row[0]) for row in MESSAGES])
def test_the_message_is_that_of_the_input(given: str, expected: str, job: Job) -> None:
    before = job.site.head()
    job.checkout()
    job.run(job.hub.token(), build("a", "b"), commit_message=given)
    assert job.site.message(job.site.head()).rstrip("\n") == expected.format(before, mark=MARK).rstrip("\n")


def test_on_the_command_line(job: Job, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    place = job.checkout()
    for name, content in build("a", "b").items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(content)
    monkeypatch.chdir(place)
    for name, value in job.hub.environment(job.hub.token(), job.site).items():
        monkeypatch.setenv(name.replace("INPUT_", "GITHUB_"), value)
    options = ["--path", "dist", "--site-url", SITE, "--sitemap", SITEMAP]
    with monkeypatch.context() as patch:
        patch.delenv("GITHUB_REPOSITORY")
        assert program(["commit", "--branch", "main", *options]) == 2
        assert "GITHUB_REPOSITORY (owner/name) names the repository" in capfd.readouterr().err
    assert program(["commit", *options]) == 2
    assert "--branch" in capfd.readouterr().err
    assert program(["commit", "--branch", "main", "--offline", *options]) == 2
    assert program(["commit", "--branch", "main", "--dry-run", *options]) == 0
    assert "would commit 1 file to main (1 added)" in capfd.readouterr().err
    assert job.hub.changes == []
    assert program(["commit", "--branch", "main", *options]) == 0
    assert f"committed to main as {job.site.head()[:12]}" in capfd.readouterr().err
    assert listed(job.site) == ["", "a", "b"]
    assert program(["pull-request", "--base", "main", *options]) == 0
    assert job.hub.pulls[job.site.full_name] == []


# --- pull requests ---

UPDATE = "sitemap-action/update"


def test_a_pull_request_is_opened_updated_and_closed(job: Job) -> None:
    job.checkout()
    token = job.hub.token()
    opened = job.run(token, build("a", "b"), mode="pull-request", pr_labels="seo, automated")
    assert opened.code == 0, opened.log
    (pull,) = job.hub.pulls[job.site.full_name]
    assert (opened.outputs["pull-request-operation"], opened.outputs["pull-request-number"]) == (
        "created",
        str(pull.number),
    )
    assert opened.outputs["pull-request-url"].endswith(f"/octo-org/site/pull/{pull.number}")
    assert (pull.title, pull.head, pull.base, pull.labels) == (
        "Update sitemap: 1 added",
        UPDATE,
        "main",
        ["seo", "automated"],
    )
    assert pull.body.startswith("This makes the sitemap list what the site has.")
    assert "Checks of a pull request that `GITHUB_TOKEN` has opened wait for an approval." in pull.body
    assert "### ✅ Sitemap: the sitemap differed from the site and was repaired" in pull.body
    assert (listed(job.site), listed(job.site, UPDATE)) == (["", "a"], ["", "a", "b"])
    assert job.site.signed(job.site.head(UPDATE))

    same = job.run(token, build("a", "b"), mode="pull-request")
    assert (same.code, same.outputs["pull-request-operation"]) == (0, "none"), same.log
    assert same.outputs["pull-request-number"] == str(pull.number)

    updated = job.run(token, build("a", "b", "c"), mode="pull-request")
    assert (updated.code, updated.outputs["pull-request-operation"]) == (0, "updated"), updated.log
    assert listed(job.site, UPDATE) == ["", "a", "b", "c"]
    assert job.site.parents(job.site.head(UPDATE)) == [job.site.head()]
    assert (pull.state, pull.title) == ("open", "Update sitemap: 2 added")

    closed = job.run(token, build("a"), mode="pull-request")
    assert (closed.code, closed.outputs["pull-request-operation"]) == (0, "closed"), closed.log
    assert pull.state == "closed"
    assert job.site.ref(f"refs/heads/{UPDATE}") == ""
    assert [comment.body for comment in job.hub.comments[job.site.full_name]] == [
        "The sitemap of the base branch is up to date, so this pull request is closed."
    ]
    again = job.run(token, build("a"), mode="pull-request")
    assert (again.code, again.outputs["pull-request-operation"]) == (0, "none")


def test_a_pull_request_never_equals_its_base(job: Job) -> None:
    """GitHub would close it for good."""
    job.checkout()
    token = job.hub.token()
    job.run(token, build("a", "b"), mode="pull-request")
    (pull,) = job.hub.pulls[job.site.full_name]
    job.hub.after_change = lambda _: setattr(pull, "labels", [*pull.labels, pull.state])
    job.site.commit({"notes.md": "text"})
    job.run(token, build("a", "b", "c"), mode="pull-request")
    assert set(pull.labels) == {"open"}


def test_commits_of_a_person_are_kept(job: Job) -> None:
    job.checkout()
    token = job.hub.token()
    job.run(token, build("a", "b"), mode="pull-request")
    theirs = job.site.commit({"notes.md": "text"}, branch=UPDATE)
    ended = job.run(token, build("a", "b", "c"), mode="pull-request")
    assert (ended.code, ended.outputs["pull-request-operation"]) == (0, "updated"), ended.log
    assert job.site.parents(job.site.head(UPDATE)) == [theirs]
    assert listed(job.site, UPDATE) == ["", "a", "b", "c"]
    kept = job.run(token, build("a"), mode="pull-request")
    (pull,) = job.hub.pulls[job.site.full_name]
    assert (kept.code, pull.state, kept.outputs["pull-request-operation"]) == (0, "open", "none"), kept.log
    assert f"pull request {pull.number} is not needed any more" in kept.log


def test_a_persons_token_makes_a_signed_commit_too(job: Job) -> None:
    job.checkout()
    token = job.hub.person()
    for names in ("ab", "abc"):
        ended = job.run(token, build(*names), mode="pull-request")
        assert ended.code == 0, ended.log
        assert job.site.signed(job.site.head(UPDATE))
    assert job.site.refs("refs/heads/").keys() == {"refs/heads/main", f"refs/heads/{UPDATE}"}


def test_a_merged_pull_request_is_followed_by_a_new_one(job: Job) -> None:
    job.checkout()
    token = job.hub.token()
    job.run(token, build("a", "b"), mode="pull-request")
    (first,) = job.hub.pulls[job.site.full_name]
    job.site.commit({SITEMAP: job.site.read(SITEMAP, UPDATE)}, message="Squashed")
    first.state, first.merged = "closed", True
    ended = job.run(token, build("a", "b", "c"), mode="pull-request")
    assert (ended.code, ended.outputs["pull-request-operation"]) == (0, "created"), ended.log
    assert listed(job.site, UPDATE) == ["", "a", "b", "c"]


@pytest.mark.parametrize("step", range(1, 7))
def test_a_run_that_ends_after_any_step_is_repaired_by_the_next(step: int, job: Job) -> None:
    """Killed after the blob, tree, commit, reference, pull request, labels."""
    job.checkout()
    token = job.hub.token()
    job.hub.stop_after(step)
    job.run(token, build("a", "b"), mode="pull-request", pr_labels="seo")
    job.hub.resume()
    ended = job.run(token, build("a", "b"), mode="pull-request", pr_labels="seo")
    assert ended.code == 0, ended.log
    (pull,) = job.hub.pulls[job.site.full_name]
    assert (listed(job.site, UPDATE), pull.labels, pull.state) == (["", "a", "b"], ["seo"], "open")


@pytest.mark.parametrize("step", range(1, 4))
def test_a_run_that_ends_while_it_closes_is_repaired_by_the_next(step: int, job: Job) -> None:
    job.checkout()
    token = job.hub.token()
    job.run(token, build("a", "b"), mode="pull-request")
    job.hub.stop_after(step)
    job.run(token, build("a"), mode="pull-request")
    job.hub.resume()
    assert job.run(token, build("a"), mode="pull-request").code == 0
    (pull,) = job.hub.pulls[job.site.full_name]
    assert (pull.state, job.site.ref(f"refs/heads/{UPDATE}")) == ("closed", "")


def test_actions_may_not_open_pull_requests(job: Job) -> None:
    job.hub.actions_may_open_pulls = False
    job.checkout()
    ended = job.run(job.hub.token(), build("a", "b"), mode="pull-request")
    assert ended.code == 4, ended.log
    assert "Allow GitHub Actions to create and approve pull requests" in ended.log


def test_another_run_opens_the_pull_request(job: Job) -> None:
    job.checkout()
    done: list[int] = []

    def race(names: tuple[str, ...]) -> None:
        if names == ("POST /repos/octo-org/site/pulls",) and not done:
            done.append(job.hub.open_pull(job.site, UPDATE, body=f"Theirs\n\n{MARK}").number)

    job.hub.before_request = race
    ended = job.run(job.hub.token(), build("a", "b"), mode="pull-request")
    assert (ended.code, ended.outputs["pull-request-number"]) == (0, str(done[0])), ended.log


@pytest.mark.parametrize("event", ["pull_request", "merge_group"])
def test_no_pull_request_for_a_pull_request(event: str, job: Job) -> None:
    job.checkout()
    payload = {"number": 3, "pull_request": {"head": {"ref": "x", "repo": {"full_name": "octo-org/site"}}}}
    ended = job.run(
        job.hub.token(), build("a", "b"), mode="pull-request", event=event, payload=payload, baseline="committed"
    )
    assert ended.code == 1
    assert "mode pull-request is check here" in ended.log
    assert job.hub.changes == []


# --- races ---


def test_a_commit_to_other_files_meanwhile(job: Job) -> None:
    job.checkout()
    pushed: list[str] = []

    def push(names: tuple[str, ...]) -> None:
        if "createCommitOnBranch" in names and not pushed:
            pushed.append(job.site.commit({"notes.md": "text"}))

    job.hub.before_request = push
    ended = job.run(job.hub.token(), build("a", "b"))
    assert (ended.code, listed(job.site)) == (0, ["", "a", "b"]), ended.log
    assert job.site.parents(job.site.head()) == pushed


def test_a_newer_build_has_committed_meanwhile(job: Job) -> None:
    """The run of an older push ends later: its pages are not those of the branch any more."""
    job.checkout()
    older = job.site.head()
    newer = job.site.commit(build("a", "b", "c"))
    job.site.commit({SITEMAP: urlset("", "a", "b", "c")}, message=f"Update sitemap\n\nSitemap-Action-Source: {newer}\n")
    ended = job.run(job.hub.token(), build("a", "b"), environment={"GITHUB_SHA": older})
    assert (ended.code, ended.outputs["changed"]) == (0, "false"), ended.log
    assert any(note.startswith(f"main has a newer {SITEMAP}, of {newer[:12]}") for note in ended.report["notes"])
    assert listed(job.site) == ["", "a", "b", "c"]


def test_an_older_build_has_committed_meanwhile(job: Job) -> None:
    older = job.site.head()
    newer = job.site.commit(build("a", "b", "c"))
    job.checkout()
    job.site.commit({SITEMAP: urlset("", "a", "b")}, message=f"Update sitemap\n\nSitemap-Action-Source: {older}\n")
    ended = job.run(job.hub.token(), build("a", "b", "c"), environment={"GITHUB_SHA": newer})
    assert (ended.code, ended.outputs["changed"]) == (0, "true"), ended.log
    assert listed(job.site) == ["", "a", "b", "c"]


def test_a_branch_that_another_tool_deploys_to(job: Job) -> None:
    """Its commits have no history in common with the one that is built."""
    job.checkout()
    pages = job.site.git("commit-tree", job.site.ask("rev-parse", "main^{tree}"), "-m", "Deploy").decode().strip()
    job.site.move("refs/heads/pages", pages, "0" * 40)
    ended = job.run(job.hub.token(), build("a", "b"), branch="pages")
    assert (ended.code, listed(job.site, "pages"), listed(job.site)) == (0, ["", "a", "b"], ["", "a"]), ended.log


def test_the_sitemap_changes_between_verdict_and_commit(job: Job) -> None:
    """It is judged again: the page that another run has added is not lost, for it is in this build too."""
    job.checkout()
    pushed: list[str] = []

    def push(names: tuple[str, ...]) -> None:
        if "createCommitOnBranch" in names and not pushed:
            message = f"Update sitemap\n\nSitemap-Action-Source: {job.site.head()}\n"
            pushed.append(job.site.commit({SITEMAP: urlset("", "a", "b")}, message=message))

    job.hub.before_request = push
    ended = job.run(job.hub.token(), build("a", "b", "c"))
    assert (ended.code, listed(job.site)) == (0, ["", "a", "b", "c"]), ended.log
    assert f"main has another sitemap meanwhile, at {pushed[0][:12]}: judged again" in ended.log
    assert job.site.message(job.site.head()).startswith("Update sitemap: 1 added\n")


def test_another_run_commits_the_same(job: Job) -> None:
    job.checkout()
    done: list[int] = []

    def push(names: tuple[str, ...]) -> None:
        if "createCommitOnBranch" in names and not done:
            done.append(1)
            content = (job.folder / "workspace" / SITEMAP).read_bytes()
            job.site.commit({SITEMAP: content}, message=f"x\n\nSitemap-Action-Source: {job.site.head()}\n")

    job.hub.before_request = push
    ended = job.run(job.hub.token(), build("a", "b"))
    assert ended.code == 0, ended.log
    assert job.hub.changes == []
    assert ended.outputs["commit-sha"] == job.site.head()


def test_an_answer_that_is_lost_is_no_second_commit(job: Job) -> None:
    job.checkout()
    job.hub.fail(faults.lost(), on="createCommitOnBranch")
    ended = job.run(job.hub.token(), build("a", "b"))
    assert (ended.code, ended.outputs["commit-sha"]) == (0, job.site.head()), ended.log
    assert len(job.hub.changes) == 1


@pytest.mark.parametrize(
    "play", [faults.outage(), faults.dropped(), faults.secondary_limit(1), faults.graphql_timeout()]
)
def test_an_outage_is_waited_for(play: faults.Play, job: Job) -> None:
    job.checkout()
    job.hub.fail(play, on="createCommitOnBranch")
    ended = job.run(job.hub.token(), build("a", "b"))
    assert (ended.code, listed(job.site)) == (0, ["", "a", "b"]), ended.log
    assert len(job.hub.changes) == 1


def test_an_outage_while_the_branch_is_read_is_waited_for(job: Job) -> None:
    job.checkout()
    job.hub.fail(faults.outage(), on="GET /repos/octo-org/site/git/ref/heads/main", skip=1, times=2)
    ended = job.run(job.hub.token(), build("a", "b"))
    assert (ended.code, listed(job.site)) == (0, ["", "a", "b"]), ended.log


# --- refusals ---


def test_a_branch_that_may_not_be_read_any_more_is_said_at_once(job: Job) -> None:
    job.checkout()
    job.hub.fail(
        faults.answers(401, "Bad credentials"), on="GET /repos/octo-org/site/git/ref/heads/main", skip=1, times=9
    )
    ended = job.run(job.hub.token(), build("a", "b"))
    assert ended.code == 4, ended.log
    assert len(job.hub.asked("GET /repos/octo-org/site/git/ref/heads/main")) == 2


def test_a_protected_branch(job: Job) -> None:
    job.site.protect()
    job.checkout()
    ended = job.run(job.hub.token(), build("a", "b"))
    assert (ended.code, ended.outputs["changed"]) == (4, "false"), ended.log
    assert "use mode pull-request" in ended.summary


def test_a_ruleset(job: Job) -> None:
    job.site.protect(ruleset=True)
    job.checkout()
    ended = job.run(job.hub.token(), build("a", "b"))
    assert ended.code == 4, ended.log
    assert "mode pull-request" in ended.log


def test_a_token_that_can_only_read(job: Job) -> None:
    job.checkout()
    ended = job.run(job.hub.read_only(), build("a", "b"))
    assert ended.code == 4, ended.log
    assert "contents: write" in ended.log
    ended = job.run(job.hub.token("ghs_no_pulls", pull_requests="read"), build("a", "b"), mode="pull-request")
    assert ended.code == 4, ended.log
    assert "pull-requests: write" in ended.log


def test_no_such_branch(job: Job) -> None:
    job.checkout()
    ended = job.run(job.hub.token(), build("a", "b"), branch="gone")
    assert ended.code == 2
    assert "has no branch gone" in ended.log


def test_no_token(job: Job) -> None:
    job.checkout()
    ended = job.run(job.hub.token(), build("a", "b"), environment={"INPUT_TOKEN": ""})
    assert ended.code == 2
    assert "there is no token" in ended.log


FORKS = [
    ("a fork", {"pull_request": {"head": {"ref": "x", "repo": {"full_name": "mona/site"}}}}, {}),
    ("a deleted fork", {"pull_request": {"head": {"ref": "x", "repo": None}}}, {}),
    (
        "Dependabot",
        {"pull_request": {"head": {"ref": "x", "repo": {"full_name": "octo-org/site"}}}},
        {"GITHUB_ACTOR": "dependabot[bot]"},
    ),
]


@pytest.mark.parametrize("mode", ["commit", "pull-request"])
@pytest.mark.parametrize(("payload", "environment"), [pytest.param(*row[1:], id=row[0]) for row in FORKS])
def test_a_fork_is_checked(mode: str, payload: dict[str, object], environment: dict[str, str], job: Job) -> None:
    """With the exit code of a check, and one sentence: no token that such a run gets can write."""
    job.checkout()
    ended = job.run(
        job.hub.read_only(), build("a", "b"), event="pull_request", payload={"number": 3, **payload},
        environment=environment, mode=mode, comment="always", baseline="committed",
    )  # fmt: skip
    assert ended.code == 1, ended.log
    assert ended.log.count(f"mode {mode} is check here: the token of a pull request from a fork") == 1
    assert f"mode {mode} is check here" in ended.summary
    assert job.hub.changes == []


TARGETS = [
    ("a tag", "push", {"GITHUB_REF_TYPE": "tag", "GITHUB_REF_NAME": "v1"}, "the event push is about no branch"),
    ("a deployment", "deployment_status", {}, "the event deployment_status is about no branch"),
]


@pytest.mark.parametrize(("event", "environment", "words"), [pytest.param(*row[1:], id=row[0]) for row in TARGETS])
def test_an_event_that_names_no_branch(event: str, environment: dict[str, str], words: str, job: Job) -> None:
    job.checkout()
    ended = job.run(job.hub.token(), build("a", "b"), event=event, environment=environment)
    assert ended.code == 2
    assert words in ended.log
    assert job.run(job.hub.token(), build("a", "b"), event=event, environment=environment, branch="main").code == 0


@pytest.mark.parametrize("mode", ["commit", "pull-request"])
def test_a_sitemap_that_the_build_makes_is_not_committed(mode: str, job: Job) -> None:
    job.site.commit({SITEMAP: None, ".gitignore": "dist\n"})
    job.checkout()
    ended = job.run(
        job.hub.token(),
        {**build("a"), "dist/sitemap.xml": urlset("", "x")},
        mode=mode,
        sitemap="",
        baseline="committed",
    )
    assert (ended.code, job.hub.changes) == (2, []), ended.log
    assert "dist/sitemap.xml is made by the build, and is not committed" in ended.log
    assert "use mode write, which repairs it before the upload" in ended.log


@pytest.mark.parametrize("branch", ["../x", "-x", "a..b", "a b", "refs/heads/", "a\nb", "x.lock"])
def test_a_branch_that_is_none(branch: str, job: Job) -> None:
    ended = job.run(job.hub.token(), build("a"), branch=branch)
    assert (ended.code, ended.outputs["result"]) == (2, "")
    assert "input branch" in ended.log


@pytest.mark.attack("injection")
def test_no_text_of_the_site_reaches_the_message(job: Job) -> None:
    job.checkout()
    hostile = {"dist/Signed-off-by: mona %0A::error::x/index.html": build()["dist/index.html"]}
    job.run(job.hub.token(), {**build("a"), **hostile})
    assert re.fullmatch(
        rf"Update sitemap: 1 added\n\n{re.escape(MARK)}Sitemap-Action-Source: [0-9a-f]{{40}}\n*",
        job.site.message(job.site.head()),
    )


@pytest.mark.attack("secrets")
def test_the_token_is_printed_nowhere(job: Job) -> None:
    job.checkout()
    token = job.hub.token("ghs_verySecretToken0123456789")
    job.hub.fail(faults.answers(403, f"no, {token.value}"), on="createCommitOnBranch")
    ended = job.run(token, build("a", "b"))
    assert ended.code == 4
    shown = re.sub(r"::add-mask::.*", "", ended.log) + ended.summary + str(ended.outputs) + str(ended.report)
    assert token.value not in shown
    assert {
        os.fspath(path)
        for path in job.folder.rglob("*")
        if path.is_file() and token.value.encode() in path.read_bytes()
    } == set()


# --- a site that is served ---

KEY = "0123456789abcdef"


def live(*names: str) -> dict[str, str]:
    """What the site answers, with the marker of its deployment and the key for search engines."""
    links = "".join(f'<a href="/{name}/">{name}</a>' for name in names)
    page = "<!doctype html><title>{0}</title><h1>{0}</h1><p>" + "some words " * 60 + "{1}"
    pages = {f"/{name}/".replace("//", "/"): page.format(name or "home", links) for name in ("", *names)}
    return {**pages, "/version.txt": "v2", f"/{KEY}.txt": KEY}


@pytest.mark.parametrize("mode", ["commit", "pull-request", "write"])
def test_a_live_site_is_submitted_once_by_every_mode_that_writes(
    mode: str, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a deployment: its marker is waited for, the branch gets what is served, search engines get the changes."""
    with serve(live("a", "new")) as site, engines(KEY) as engine:
        submit = partial(indexnow.submit_urls, endpoint=engine.url)
        monkeypatch.setattr(indexnow, "submit_urls", submit)
        job.site.commit({SITEMAP: urlset("", "a", "gone").replace(SITE, site.url)})
        place = job.checkout()
        given = {"path": "", "url": site.url, "site_url": site.url, "wait_for": "v2", "wait_path": "/version.txt", "mode": mode}  # fmt: skip
        head = {"ref": "main", "sha": job.site.head(), "repo": {"full_name": job.site.full_name}}
        asked = {"payload": {"number": 3, "pull_request": {"head": head}}, "baseline": "committed"}
        job.run(job.hub.read_only(), {}, event="pull_request", index_now_key=KEY, **given, **asked)
        assert engine.submitted == [], "never on a pull request"
        (place / SITEMAP).write_bytes(job.site.read(SITEMAP) or b"")
        ended = job.run(job.hub.token(), {}, event="schedule", index_now_key=KEY, **given)
        assert (ended.code, ended.outputs["changed"]) == (0, "true"), ended.log
        if mode != "write":
            made = job.site.head("main" if mode == "commit" else UPDATE)
            assert "\nSitemap-Action-Source: served" in job.site.message(made)
        assert engine.submitted == [f"{site.url}gone/", f"{site.url}new/"]
        again = job.run(job.hub.token(), {}, event="schedule", index_now_key=KEY, **given)
        assert (again.code, again.outputs.get("pull-request-operation", "none")) == (0, "none"), again.log
        assert len(engine.submitted) == 2


def test_a_key_that_is_not_served_is_said_after_the_commit(job: Job) -> None:
    with serve({**live("a", "new"), f"/{KEY}.txt": 404}) as site:
        job.site.commit({SITEMAP: urlset("", "a").replace(SITE, site.url)})
        given = {"path": "", "url": site.url, "site_url": site.url}
        ended = job.run(job.hub.token(), {}, event="schedule", index_now_key=KEY, **given)
    assert (ended.code, ended.outputs["changed"]) == (4, "true"), ended.log
    assert ended.outputs["commit-sha"] == job.site.head()
    assert "the site does not serve the key file" in ended.log


def test_a_preview_is_not_submitted(job: Job) -> None:
    with serve(live("a", "new")) as site:
        ended = job.run(job.hub.token(), {}, path="", url=site.url, index_now_key=KEY, wait_for="")
    assert ended.code == 0, ended.log
    assert not any(one.path == f"/{KEY}.txt" for one in site.asked)


# --- the comment ---


def test_the_comment_of_a_pull_request_is_kept_current(job: Job) -> None:
    job.site.commit(build("a"), branch="topic")
    pull = job.hub.open_pull(job.site, "topic")
    job.checkout(job.site.head("topic"))
    event = request_event(job.site, pull.number)

    def run(*names: str, when: str = "on-change", baseline: str = "committed") -> int:
        ended = job.run(
            job.hub.token(), {**build(*names), "old.xml": urlset("")}, event="pull_request", payload=event,
            mode="check", comment=when, baseline=baseline,
        )  # fmt: skip
        return ended.code

    comments = job.hub.comments[job.site.full_name]
    assert (run("a"), comments) == (0, [])
    assert (run("a", "b"), len(comments)) == (1, 1)
    assert comments[0].body.startswith("<!-- sitemap-action:sitemap -->\n### ❌ Sitemap: ")
    assert (run("a"), len(comments)) == (0, 1)
    assert "### ✅ Sitemap: the sitemap matches the site" in comments[0].body
    comments.clear()
    assert (run("a"), run("a", baseline="old.xml"), len(comments)) == (0, 0, 1), "in sync, and a page is added"
    job.hub.tokens.clear()
    assert run("a", "b", when="never") == 1


def test_a_comment_that_may_not_be_written_is_a_warning(job: Job) -> None:
    pull = job.hub.open_pull(job.site, job.site.commit(build("a"), branch="topic") and "topic")
    job.checkout()
    payload = request_event(job.site, pull.number)
    ended = job.run(
        job.hub.read_only(), build("a"), event="pull_request", payload=payload, mode="check", comment="always",
        baseline="committed",
    )  # fmt: skip
    assert ended.code == 0, ended.log
    assert "pull-requests: write" in ended.log
    assert "is not up to date" in ended.summary
    assert job.hub.comments[job.site.full_name] == []
