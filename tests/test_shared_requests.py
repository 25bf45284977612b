"""What people, their bots and the buttons of the forge do to our request, branch and issue is kept, and stops no later run."""

from functools import partial

import pytest

from forge.repository import Person
from forge.rest_git import GITHUB
from runners import SITE, SITEMAP, Job, build, listed, urlset

UPDATE, MONA = "sitemap-action/update", Person("mona", "mona@example.com")
TAIL = "## Summary by a bot\n\nThis changes a sitemap.\n\nRefs: 12"


def merge(job: Job, source: str, committer: Person) -> str:
    """As the button "Update branch" merges the base, or a person does."""
    head, other = job.site.head(UPDATE), job.site.head(source)
    tree = job.site.ask("merge-tree", "--write-tree", head, other)
    made = job.site.make_commit(tree, [head, other], f"Merge branch '{source}' into {UPDATE}", MONA, committer)
    job.site.move(f"refs/heads/{UPDATE}", made, head)
    return made


def test_what_others_write_below_our_mark_is_kept(job: Job) -> None:
    job.checkout()
    run = partial(job.run, job.hub.token(), mode="pull-request")
    run(files=build("a", "b"))
    (pull,) = job.hub.pulls[job.site.full_name]
    pull.body = f"{pull.body}\n\n{TAIL}\n".replace("\n", "\r\n")
    same = run(files=build("a", "b"))
    assert (same.code, same.outputs["pull-request-operation"]) == (0, "none"), same.log
    updated = run(files=build("a", "b", "c"))
    assert (updated.code, updated.outputs["pull-request-operation"]) == (0, "updated"), updated.log
    assert pull.body.rstrip().endswith(TAIL)
    assert pull.body.count("Sitemap-Action-Path:") == 1
    again = run(files=build("a", "b", "c"))
    assert again.outputs["pull-request-operation"] == "none", again.log
    assert run(files=build("a")).outputs["pull-request-operation"] == "closed"


def test_what_others_write_into_the_issue_makes_no_second_one(job: Job) -> None:
    job.checkout()
    run = partial(job.run, job.hub.token(), event="schedule", mode="check", report_to="issue")
    run(files=build("a", "b"))
    issues = job.hub.issues[job.site.full_name]
    issues[0].body = f"{issues[0].body}\n{TAIL}"
    updated = run(files=build("a", "b", "c"))
    assert (updated.code, len(issues), issues[0].body.rstrip().endswith(TAIL)) == (0, 1, True), updated.log
    assert "https://www.example.com/c/" in issues[0].body
    assert (run(files=build("a")).code, issues[0].state) == (0, "closed")


def test_the_button_that_updates_a_branch_makes_it_nobody_elses(job: Job) -> None:
    job.checkout()
    run = partial(job.run, job.hub.token(), mode="pull-request")
    run(files=build("a", "b"))
    job.site.commit({"notes.md": "text"})
    merge(job, "main", GITHUB)
    (pull,) = job.hub.pulls[job.site.full_name]
    updated = run(files=build("a", "b", "c"))
    assert (updated.code, updated.outputs["pull-request-operation"]) == (0, "updated"), updated.log
    assert job.site.parents(job.site.head(UPDATE)) == [job.site.head()]
    merge(job, "main", GITHUB) if job.site.commit({"notes.md": "more"}) else None
    closed = run(files=build("a"))
    assert (closed.code, pull.state, job.site.head(UPDATE)) == (0, "closed", ""), closed.log


@pytest.mark.parametrize(("source", "committer"), [("main", MONA), ("feature", GITHUB)], ids=["a-persons", "of-another-branch"])  # fmt: skip
def test_another_merge_is_somebody_elses(source: str, committer: Person, job: Job) -> None:
    job.checkout()
    run = partial(job.run, job.hub.token(), mode="pull-request")
    run(files=build("a", "b"))
    job.site.commit({"notes.md": "text"}, source)
    theirs = merge(job, source, committer)
    updated = run(files=build("a", "b", "c"))
    assert (updated.code, job.site.is_ancestor(theirs, job.site.head(UPDATE))) == (0, True), updated.log
    kept = run(files=build("a"))
    assert (kept.code, job.hub.pulls[job.site.full_name][0].state) == (0, "open"), kept.log


def test_a_request_that_somebody_closes_is_followed_by_a_new_one(job: Job) -> None:
    job.checkout()
    run = partial(job.run, job.hub.token(), mode="pull-request", files=build("a", "b"))
    run()
    pulls = job.hub.pulls[job.site.full_name]
    pulls[0].state = "closed"
    assert run().outputs["pull-request-operation"] == "created"
    job.site.move(f"refs/heads/{UPDATE}", "0" * 40, job.site.head(UPDATE))  # which closes the second one
    assert run().outputs["pull-request-operation"] == "created"
    assert [one.state for one in pulls] == ["closed", "closed", "open"]


def test_who_cannot_be_assigned_is_said(job: Job) -> None:
    """GitHub passes over such a name without a word."""
    job.checkout()
    for operation in ("created", "none"):
        ended = job.run(job.hub.token(), build("a", "b"), mode="pull-request", pr_assignees="mona, nobody")
        assert (ended.code, ended.outputs["pull-request-operation"]) == (4, operation), ended.log
        assert "does not assign nobody" in ended.log
        assert "nobody" in ended.summary
    assert job.hub.pulls[job.site.full_name][0].assignees == ["mona"]


def test_a_site_that_has_moved_is_told_what_to_do_with_its_old_branch(job: Job) -> None:
    job.checkout()
    job.run(job.hub.token(), build("a", "b"), mode="pull-request")
    ended = job.run(job.hub.token(), build("a", "b"), mode="pull-request", site_url="https://example.org/")
    assert ended.code == 4, ended.log
    assert "delete it where it is of an earlier site-url" in ended.log


@pytest.mark.parametrize("path", ["seiten/über uns/sitemap.xml", "A/public/sitemap.xml", "a.lock/..x/sitemap.xml"])
def test_a_sitemap_with_an_odd_path(path: str, job: Job) -> None:
    job.site.commit({path: urlset("", "a"), f"{path.lower()}.txt": SITE, SITEMAP: None})
    job.checkout()
    for operation in ("created", "none"):
        ended = job.run(job.hub.token(), build("a", "b"), mode="pull-request", sitemap=path)
        assert (ended.code, ended.outputs["pull-request-operation"]) == (0, operation), ended.log
    (pull,) = job.hub.pulls[job.site.full_name]
    assert listed(job.site, pull.head, path) == ["", "a", "b"]
    assert job.run(job.hub.token(), build("a"), mode="pull-request", sitemap=path).outputs["pull-request-operation"] == "closed"  # fmt: skip
