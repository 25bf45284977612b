"""What a run says of what it published is what happened: outputs, sentences, the comment, the exit code."""

import json
import os
from collections.abc import Iterator
from functools import partial

import pytest

from effects import OUTPUTS
from forge import faults
from forge.indexnow import IndexNow
from forge.indexnow import indexnow as engines
from runners import SITE, SITEMAP, Ended, Job, build, request_event, urlset
from servers import serve
from sitemap_action.publish import indexnow

UPDATE, KEY = "sitemap-action/update", "0123456789abcdef"
HEAD = "GET /repos/octo-org/site/git/ref/heads/main"


# --- W-07: reads are repeated as writes are ---

PASSING = [faults.outage(503), faults.dropped(), faults.secondary_limit(1)]


@pytest.mark.parametrize("play", PASSING, ids=["outage", "dropped", "limit"])
def test_W_07_a_read_is_repeated(play: faults.Play, job: Job) -> None:
    job.checkout()
    job.hub.fail(play, on=HEAD)
    ended = job.run(job.hub.token(), build("a", "b"))
    assert (ended.code, ended.outputs["commit-sha"]) == (0, job.site.head()), ended.log


LASTING = [
    ("an outage", faults.outage(503), "answers 503, an outage"),
    ("a refusal", faults.answers(401, "Bad credentials"), "answers 401 (Bad credentials)"),
    ("a limit", faults.rate_limit(), "API rate limit exceeded for installation"),
    ("another host", faults.moved("http://127.0.0.1:9/"), "answers 301"),
    ("no permission", faults.answers(403, "Resource not accessible by integration"), "Resource not accessible"),
]


@pytest.mark.parametrize(("play", "words"), [pytest.param(*row[1:], id=row[0]) for row in LASTING])
def test_W_07_what_lasts_is_exit_4_in_the_forges_words(play: faults.Play, words: str, job: Job) -> None:
    job.checkout()
    job.hub.fail(play, on=HEAD, times=99)
    ended = job.run(job.hub.token(), build("a", "b"))
    assert (ended.code, job.hub.changes) == (4, []), ended.log
    assert words in ended.log
    assert "fetch-depth" not in ended.log


def test_W_07_a_token_that_is_not_accepted_is_named(job: Job) -> None:
    job.checkout()
    ended = job.run(job.hub.token(), build("a", "b"), environment={"INPUT_TOKEN": "ghs_old"})
    assert ended.code == 4, ended.log
    assert "give the action a token that is accepted" in ended.log


# --- W-08: outputs and summary on every exit ---

WRONG = [
    ("a header without a value", {"headers": "novalue", "url": "https://www.example.com/"}, 2),
    ("a label that is too long", {"mode": "pull-request", "pr_labels": "x" * 51}, 2),
    ("a title that is too long", {"mode": "pull-request", "pr_title": "x" * 257}, 2),
    ("no such mode", {"mode": "publish"}, 2),
    ("no such build", {"path": "nothing"}, 2),
    ("a place for reports that is none", {"report_path": ".git"}, 2),
]


@pytest.mark.parametrize(("given", "code"), [pytest.param(*row[1:], id=row[0]) for row in WRONG])
def test_W_08_every_exit_has_outputs_and_summary(given: dict[str, str], code: int, job: Job) -> None:
    job.checkout()
    inputs = {"path": ""} | given if "url" in given else given
    ended = job.run(job.hub.token(), build("a", "b"), **inputs)
    assert (ended.code, job.hub.changes) == (code, []), ended.log
    assert ended.outputs.keys() == OUTPUTS.keys()
    assert (ended.outputs["changed"], ended.outputs["complete"]) == ("false", "false")
    assert ended.summary.startswith("### ❌ Sitemap: it could not be checked"), ended.summary


ENDS = [(KeyboardInterrupt, 130), (RuntimeError, 70)]


@pytest.mark.parametrize(("error", "code"), ENDS, ids=["signal", "bug"])
def test_W_08_a_signal_and_a_bug_too(
    error: type[BaseException], code: int, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("sitemap_action.cli.action.run", fail)
    job.checkout()
    ended = job.run(job.hub.token(), build("a", "b"))
    assert (ended.code, ended.outputs.keys()) == (code, OUTPUTS.keys()), ended.log
    assert "it could not be checked" in ended.summary


# --- W-09, W-11: what was done before a failure ---


def labelled(job: Job, **inputs: str) -> Ended:
    job.checkout()
    return job.run(job.hub.token(), build("a", "b"), mode="pull-request", pr_labels="seo", **inputs)


REFUSALS = [
    ("POST /repos/octo-org/site/issues/*/labels", "created", "labels"),
    ("POST /repos/octo-org/site/pulls", "none", "open"),
]


@pytest.mark.parametrize(("on", "operation", "kind"), REFUSALS, ids=[row[2] for row in REFUSALS])
def test_W_11_what_was_done_is_in_the_outputs(on: str, operation: str, kind: str, job: Job) -> None:
    job.hub.fail(faults.outage(), on=on, times=99)
    ended = labelled(job)
    assert (ended.code, ended.outputs["pull-request-operation"]) == (4, operation), ended.log
    assert ended.outputs["commit-sha"] == job.site.head(UPDATE) != ""
    assert ended.outputs["pull-request-branch"] == UPDATE
    steps = {row["kind"]: row["done"] for row in ended.report["steps"]}
    assert (steps["commit"], steps[kind]) == (True, False)
    assert "Nothing was written" not in ended.log + ended.summary


@pytest.mark.parametrize("on", [row[0] for row in REFUSALS], ids=[row[2] for row in REFUSALS])
@pytest.mark.parametrize("play", [faults.outage(), faults.lost()], ids=["before", "after"])
def test_W_11_one_outage_is_none(on: str, play: faults.Play, job: Job) -> None:
    job.hub.fail(play, on=on)
    ended = labelled(job)
    (pull,) = job.hub.pulls[job.site.full_name]
    assert (ended.code, ended.outputs["pull-request-operation"], pull.labels) == (0, "created", ["seo"]), ended.log
    assert ended.outputs["commit-sha"] == job.site.head(UPDATE)


def test_W_09_a_long_title_is_cut(job: Job) -> None:
    ended = labelled(job, commit_message="x" * 300)
    (pull,) = job.hub.pulls[job.site.full_name]
    assert (ended.code, len(pull.title), pull.title[-1]) == (0, 256, "…"), ended.log


def test_W_09_a_refused_reviewer_does_not_stop_the_rest(job: Job) -> None:
    ended = labelled(job, pr_reviewers="nobody", pr_assignees="mona", pr_auto_merge="squash")
    (pull,) = job.hub.pulls[job.site.full_name]
    assert (ended.code, ended.outputs["pull-request-operation"]) == (4, "created"), ended.log
    assert (pull.labels, pull.assignees, pull.auto_merge) == (["seo"], ["mona"], "squash")
    assert "Reviews may only be requested from collaborators" in ended.log
    assert "Reviews may only be requested from collaborators" in ended.summary
    assert "the sitemap was repaired, but not everything was done" in ended.summary
    assert f"pull request {pull.number} was created: {ended.outputs['pull-request-url']}\n" in ended.summary, "a link"


# --- W-10: IndexNow ---


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Iterator[IndexNow]:
    with engines(KEY) as made:
        monkeypatch.setattr(indexnow, "submit_urls", partial(indexnow.submit_urls, endpoint=made.url))
        yield made


def live(*names: str) -> dict[str, str]:
    links = "".join(f'<a href="/{name}/">{name}</a>' for name in names)
    page = "<!doctype html><title>{0}</title><h1>{0}</h1><p>" + "some words " * 60 + "{1}"
    return {f"/{name}/".replace("//", "/"): page.format(name or "home", links) for name in ("", *names)}


def submitted(job: Job, engine: IndexNow, key: str | int, state: str = "") -> Ended:
    with serve({**live("a", "new"), f"/{KEY}.txt": key}) as site:
        job.site.commit({SITEMAP: urlset("", "a").replace(SITE, site.url)})
        given = {"path": "", "url": site.url, "site_url": site.url, "state": state}
        return job.run(job.hub.token(), {}, event="schedule", index_now_key=KEY, **given)


def test_W_10_a_key_that_is_not_served_is_said_before_and_stops_nothing(job: Job, engine: IndexNow) -> None:
    said: list[bool] = []
    job.hub.before_request = lambda names: said.append("createCommitOnBranch" in names)
    ended = submitted(job, engine, 404)
    assert (ended.code, ended.outputs["changed"], ended.outputs["commit-sha"]) == (4, "true", job.site.head()), (
        ended.log
    )
    assert ended.log.index("the site does not serve the key file") < ended.log.index("committed to main")
    assert "1 URL is not submitted" in ended.log
    assert engine.submitted == []
    assert {"kind": "index-now", "done": False} in [
        {name: row[name] for name in ("kind", "done")} for row in ended.report["steps"]
    ]


def test_W_10_what_was_not_submitted_is_in_the_next_run(job: Job, engine: IndexNow) -> None:
    (job.folder / "workspace").mkdir()
    with serve({**live("a", "new"), f"/{KEY}.txt": KEY}) as site:
        job.site.commit({SITEMAP: urlset("", "a").replace(SITE, site.url)})
        given = {"path": "", "url": site.url, "site_url": site.url, "state": "state.sqlite"}
        engine.fail(faults.outage(503), times=9)
        first = job.run(job.hub.token(), {}, event="schedule", index_now_key=KEY, **given)
        assert (first.code, engine.submitted) == (0, []), first.log
        assert "1 URL is not submitted" in first.log
        assert "the state keeps them for the next run" in first.log
        engine.planned.clear()
        second = job.run(job.hub.token(), {}, event="schedule", index_now_key=KEY, **given)
        assert (second.code, engine.submitted) == (0, [f"{site.url}new/"]), second.log
        third = job.run(job.hub.token(), {}, event="schedule", index_now_key=KEY, **given)
        assert (third.code, len(engine.submitted)) == (0, 1), third.log


def test_W_10_a_limit_is_not_said_to_be_submitted(job: Job, engine: IndexNow) -> None:
    engine.fail(faults.answers(429, "later"), times=9)
    ended = submitted(job, engine, KEY)
    assert "1 URL is not submitted" in ended.log
    assert "submitted to IndexNow" not in ended.log


# --- W-13: the comment of a run that could not check ---


def test_W_13_a_comment_says_that_nothing_could_be_checked(job: Job) -> None:
    job.site.commit(build("a"), branch="topic")
    pull = job.hub.open_pull(job.site, "topic")
    job.checkout(job.site.head("topic"))
    event = request_event(job.site, pull.number)
    run = partial(
        job.run, job.hub.token(), event="pull_request", payload=event, mode="check", comment="always",
        baseline="committed",
    )  # fmt: skip
    comments = job.hub.comments[job.site.full_name]
    assert run(files={}, path="nothing").code == 2
    assert comments == []
    assert run(files=build("a")).code == 0
    assert "matches the site" in comments[0].body
    ended = run(files={}, path="nothing")
    assert (ended.code, len(comments)) == (2, 1), ended.log
    assert comments[0].body.startswith("<!-- sitemap-action:sitemap -->\n### ❌ Sitemap: it could not be checked")
    assert "nothing" in comments[0].body


# --- W-14: every move of a branch is a compare-and-swap ---


@pytest.mark.parametrize("token", ["person", "token"])
@pytest.mark.parametrize("closing", [False, True], ids=["rebuilt", "closed"])
def test_W_14_a_push_in_between_is_kept(token: str, closing: bool, job: Job) -> None:
    job.checkout()
    given = job.hub.person() if token == "person" else job.hub.token()
    job.run(given, build("a", "b"), mode="pull-request")
    pushed: list[str] = []

    def push(update: object) -> None:
        if getattr(update, "ref", "") == f"refs/heads/{UPDATE}" and not pushed:
            pushed.append("")
            pushed[0] = job.site.commit({"notes.md": "a person's"}, UPDATE)

    job.hub.before_ref_update = push
    pages = ("a",) if closing else ("a", "b", "c")
    ended = job.run(given, build(*pages), mode="pull-request")
    assert ended.code == 0, ended.log
    assert pushed
    assert job.site.is_ancestor(pushed[0], job.site.head(UPDATE))
    assert (job.site.read("notes.md", UPDATE) or b"").decode() == "a person's"


def test_the_report_has_every_step(job: Job) -> None:
    ended = labelled(job)
    assert [row["kind"] for row in ended.report["steps"]] == ["commit", "open", "labels"]
    assert all(row["done"] for row in ended.report["steps"])
    assert json.dumps(ended.report)
    assert os.environ.get("GITHUB_OUTPUT") is None


# --- report-to: issue ---


def test_a_scheduled_run_keeps_one_issue(job: Job) -> None:
    job.checkout()
    theirs = job.hub.open_issue(job.site, "Sitemap", "theirs")
    run = partial(job.run, job.hub.token(), event="schedule", mode="check", report_to="issue")
    issues = job.hub.issues[job.site.full_name]
    first = run(files=build("a", "b"))
    assert (first.code, first.outputs["result"], first.outputs["issue-number"]) == (
        0,
        "drift",
        str(issues[1].number),
    ), first.log
    assert issues[1].title == "Sitemap of www.example.com: the sitemap and the site differ"
    assert "https://www.example.com/b/" in issues[1].body
    assert f"the report is in issue {issues[1].number}" in first.log
    assert first.summary.startswith("### ❌ Sitemap: the sitemap and the site differ"), (
        "green, and not said to be right"
    )
    assert f"the report is in issue {issues[1].number}" in first.summary
    again, changes = run(files=build("a", "b")), len(job.hub.changes)
    assert (again.code, changes) == (0, len(job.hub.changes))
    updated = run(files=build("a", "b", "c"))
    assert (updated.code, "https://www.example.com/c/" in issues[1].body) == (0, True), updated.log
    closed = run(files=build("a"))
    assert (closed.code, issues[1].state, issues[1].state_reason) == (0, "closed", "completed"), closed.log
    assert closed.outputs["issue-number"] == str(issues[1].number)
    quiet = run(files=build("a"))
    assert (quiet.code, quiet.outputs["issue-number"], len(issues)) == (0, "", 2), quiet.log
    reopened = run(files=build("a", "b"))
    assert (reopened.code, issues[1].state, len(issues)) == (0, "open", 2), reopened.log
    failed = run(files={}, path="nothing")
    assert (failed.code, issues[1].title, issues[1].state) == (2, "Sitemap: it could not be checked", "open")
    assert (theirs.state, theirs.body) == ("open", "theirs")


def test_an_issue_that_may_not_be_written_is_said(job: Job) -> None:
    job.checkout()
    token = job.hub.token(issues="read")
    ended = job.run(token, build("a", "b"), event="schedule", mode="check", report_to="issue")
    assert (ended.code, ended.outputs["issue-number"]) == (1, ""), ended.log
    assert "issues: write" in ended.log
    nothing = job.hub.token("ghs_nothing", issues="none")
    good = job.run(nothing, build("a"), event="schedule", mode="check", report_to="issue")
    assert (good.code, good.outputs["result"]) == (4, "in-sync"), good.log
    assert "issues: write" in good.log


def test_a_pull_request_opens_no_issue(job: Job) -> None:
    job.checkout()
    head = {"ref": "topic", "sha": job.site.head(), "repo": {"full_name": job.site.full_name}}
    payload = {"number": 3, "pull_request": {"head": head, "base": {"ref": "main", "sha": job.site.head()}}}
    ended = job.run(
        job.hub.token(), build("a", "b"), event="pull_request", payload=payload, mode="check", report_to="issue",
        baseline="committed",
    )  # fmt: skip
    assert (ended.code, job.hub.issues[job.site.full_name]) == (1, []), ended.log


# --- what peers have ---


def test_the_options_of_a_pull_request(job: Job) -> None:
    job.checkout()
    branch_token = job.hub.token("ghs_branch", login="my-app[bot]", pull_requests="none")
    ended = job.run(
        job.hub.token("ghs_requests", contents="read"), build("a", "b"), mode="pull-request", pr_title="Map",
        pr_draft="true", pr_reviewers="mona, octo-org/docs", pr_assignees="hubot", sign_off="true",
        branch_token=branch_token.value,
    )  # fmt: skip
    (pull,) = job.hub.pulls[job.site.full_name]
    assert ended.code == 0, ended.log
    assert (pull.title, pull.draft, pull.reviewers, pull.assignees) == (
        "Map",
        True,
        ["mona", "octo-org/docs"],
        ["hubot"],
    )
    assert ended.outputs["pull-request-branch"] == UPDATE
    message = job.site.message(job.site.head(UPDATE))
    assert "\nSigned-off-by: my-app[bot] <1000+my-app[bot]@users.noreply.github.com>" in message
    assert branch_token.value not in ended.log.replace("::add-mask::ghs_branch", "")
    pull.reviewers, pull.reviews = [], ["mona"]
    again = job.run(job.hub.token(), build("a", "b"), mode="pull-request", pr_title="Map", pr_reviewers="mona")
    assert (again.code, pull.reviewers, again.outputs["pull-request-operation"]) == (0, [], "none"), again.log


def test_what_a_request_lacks_is_added_until_somebody_says_otherwise(job: Job) -> None:
    job.checkout()
    given = {"pr_labels": "seo", "pr_assignees": "mona", "pr_reviewers": "mona", "pr_auto_merge": "squash"}
    run = partial(job.run, job.hub.token(), mode="pull-request", **given)
    ended = run(build("a", "b"))
    (pull,) = job.hub.pulls[job.site.full_name]
    assert (ended.code, pull.labels, pull.assignees, pull.auto_merge) == (0, ["seo"], ["mona"], "squash"), ended.log
    pull.labels, pull.assignees, pull.auto_merge, pull.auto_merge_disabled = [], [], "", 1
    ended = run(build("a", "b"))
    assert (ended.code, pull.labels, pull.assignees, pull.auto_merge) == (0, ["seo"], ["mona"], ""), ended.log
    ended = run(build("a", "b", "c"))
    assert (ended.code, pull.auto_merge) == (0, "squash"), "with a new commit it is on again"


def test_auto_merge_that_has_nothing_to_wait_for_is_a_note(job: Job) -> None:
    job.hub.mergeable_now = True
    ended = labelled(job, pr_auto_merge="squash")
    assert (ended.code, job.hub.pulls[job.site.full_name][0].auto_merge) == (0, ""), ended.log
    assert "has nothing to wait for" in ended.log


# --- W-12: mode: validate ---

VALIDATED = [
    ("a valid one", {SITEMAP: urlset("", "a")}, {}, 0, "in-sync"),
    ("an invalid one", {SITEMAP: urlset("", "a").replace("</loc>", " x</loc>", 1)}, {}, 1, "invalid"),
    ("none that is named", {}, {"sitemap": ""}, 2, ""),
    ("one that is not there", {}, {"sitemap": "nothing.xml"}, 2, ""),
]


@pytest.mark.parametrize(
    ("files", "inputs", "code", "result"), [pytest.param(*row[1:], id=row[0]) for row in VALIDATED]
)
def test_W_12_a_sitemap_alone(files: dict[str, str], inputs: dict[str, str], code: int, result: str, job: Job) -> None:
    ended = job.run(job.hub.token(), files, **{"mode": "validate", "path": "", **inputs})
    assert (ended.code, ended.outputs["result"], job.hub.changes) == (code, result, []), ended.log
    assert ended.outputs.keys() == OUTPUTS.keys()
    assert "Sitemap: " in ended.summary
