"""What is ours on a forge, and that nothing else is touched: branches, requests, files, the event's own branch."""

import shutil
import subprocess
import time
from types import SimpleNamespace

import pytest

from forge.hub import Hub
from forge.repository import Person
from forge.rest_git import GITHUB
from runners import SITE, SITEMAP, Job, build, listed, request_event, urlset

UPDATE = "sitemap-action/update"
BOT = Person("github-actions[bot]", "41898282+github-actions[bot]@users.noreply.github.com")
OF_SITE = f"Sitemap-Action-Site: {SITE}\nSitemap-Action-Path: {SITEMAP}"
OURS = f"Update sitemap: 1 added\n\n{OF_SITE}\nSitemap-Action-Run: 1\nSitemap-Action-Source: served\n"


def of_site(name: str, *pages: str) -> str:
    return urlset(*pages).replace(SITE, SITE.replace("www.", f"{name}."))


def commit_as(job: Job, files: dict[str, str], branch: str, message: str, committer: Person = GITHUB) -> str:
    """A commit as the forge, or anybody, makes it."""
    made = job.site.commit(files, branch, message=message)
    tree, parents = job.site.ask("rev-parse", f"{made}^{{tree}}"), job.site.parents(made)
    again = job.site.make_commit(tree, parents, message, BOT, committer)
    job.site.move(f"refs/heads/{branch}", again, made)
    return again


# --- W-01: drafts ---


@pytest.mark.parametrize("name", ["sitemap-draft", "sitemap-0", "sitemap/x"])
def test_W_01_a_branch_of_somebody_is_neither_moved_nor_deleted(name: str, job: Job) -> None:
    job.checkout()
    theirs = "" if name.startswith("sitemap/") else job.site.commit({"notes.md": "text"}, name)
    token = job.hub.person()
    for pages in ("ab", "abc"):
        ended = job.run(token, build(*pages), mode="pull-request", pr_branch="sitemap")
        assert ended.code == 0, ended.log
        assert job.site.signed(job.site.head("sitemap"))
    kept = {"refs/heads/main", "refs/heads/sitemap", *([f"refs/heads/{name}"] if theirs else [])}
    assert (job.site.head(name), job.site.refs("refs/heads/").keys()) == (theirs, kept)


def test_W_01_a_draft_whose_name_is_taken_gets_another(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    names = iter(["0" * 16, "1" * 16])
    monkeypatch.setattr("sitemap_action.repo.github.token_hex", lambda _: next(names))
    monkeypatch.setattr("sitemap_action.repo.github.time", SimpleNamespace(time=lambda: 0x70000000))
    name = f"{UPDATE}-draft-70000000-{'0' * 16}"
    theirs = job.site.commit({"notes.md": "text"}, name)
    job.checkout()
    ended = job.run(job.hub.person(), build("a", "b"), mode="pull-request")
    assert (ended.code, job.site.head(name)) == (0, theirs), ended.log
    assert len(job.site.refs("refs/heads/")) == 3


def test_W_01_only_old_drafts_that_are_ours_alone_are_deleted(job: Job) -> None:
    """A run that was killed has left them; a young one is of a run that goes on, and what has a commit of others stays."""
    old, end = f"{int(time.time()) - 7200:08x}", "0123456789abcdef"
    names = {
        "empty": f"{old}-{end}",
        "young": f"{int(time.time()):08x}-{end}",
        "theirs": f"{old}-{end[::-1]}",
        "other": "x",
    }
    drafts = {what: f"{UPDATE}-draft-{name}" for what, name in names.items()}
    for what in ("empty", "young"):
        job.site.move(f"refs/heads/{drafts[what]}", job.site.head(), "0" * 40)
    kept = {
        drafts["young"],
        *(drafts[what] for what in ("theirs", "other") if job.site.commit({"x": what}, drafts[what])),
    }
    job.checkout()
    for pages in ("ab", "a"):  # opened, and closed
        ended = job.run(job.hub.person(), build(*pages), mode="pull-request")
        assert ended.code == 0, ended.log
    assert job.site.refs("refs/heads/").keys() == {f"refs/heads/{name}" for name in {"main", *kept}}


def test_W_01_a_branch_of_somebody_else_ends_the_run(job: Job) -> None:
    theirs = job.site.commit({SITEMAP: urlset("", "x")}, UPDATE)
    job.checkout()
    ended = job.run(job.hub.token(), build("a", "b"), mode="pull-request")
    assert (ended.code, job.hub.changes, job.site.head(UPDATE)) == (4, [], theirs), ended.log
    assert f"{UPDATE} is not this action's" in ended.log


def test_W_01_a_request_of_somebody_else_ends_the_run(job: Job) -> None:
    job.checkout()
    token = job.hub.token()
    commit_as(job, {SITEMAP: urlset("", "a", "b")}, UPDATE, OURS)
    pull = job.hub.open_pull(job.site, UPDATE, title="Mine", body="My words")
    before = job.site.head(UPDATE)
    ended = job.run(token, build("a", "b", "c"), mode="pull-request")
    assert (ended.code, job.hub.changes, job.site.head(UPDATE)) == (4, [], before), ended.log
    assert (pull.title, pull.body) == ("Mine", "My words")
    assert f"pull request {pull.number} from {UPDATE} is not this action's" in ended.log


def test_W_01_nothing_to_do_leaves_them_too(job: Job) -> None:
    theirs = job.site.commit({SITEMAP: urlset("", "x")}, UPDATE)
    pull = job.hub.open_pull(job.site, UPDATE)
    job.checkout()
    ended = job.run(job.hub.token(), build("a"), mode="pull-request")
    assert (ended.code, job.hub.changes, job.site.head(UPDATE), pull.state) == (0, [], theirs, "open"), ended.log


# --- W-02: which file of the repository it is ---


def test_W_02_a_checkout_below_the_workspace(job: Job) -> None:
    place = job.checkout(path="site")
    given = {f"site/{path}": text for path, text in build("a", "b").items()}
    ended = job.run(job.hub.token(), given, path="site/dist", sitemap="site/public/sitemap.xml")
    assert (ended.code, listed(job.site)) == (0, ["", "a", "b"]), ended.log
    assert not [path for path in job.site.files() if path.startswith("site/")]
    assert (place / SITEMAP).read_bytes() == job.site.read(SITEMAP)


def test_W_02_a_guard_holds_there_too(job: Job) -> None:
    names = [f"p{number}" for number in range(30)]
    job.site.commit({SITEMAP: urlset("", *names)})
    job.checkout(path="site")
    given = {f"site/{path}": text for path, text in build("p1").items()}
    ended = job.run(job.hub.token(), given, path="site/dist", sitemap="site/public/sitemap.xml")
    assert (ended.code, ended.outputs["removed-count"], job.hub.changes) == (1, "29", []), ended.log


def test_W_02_without_the_input_sitemap(job: Job) -> None:
    job.checkout(path="site")
    given = {f"site/{path}": text for path, text in build("a", "b").items()}
    ended = job.run(job.hub.token(), given, path="site/dist", sitemap="")
    assert (ended.code, listed(job.site)) == (0, ["", "a", "b"]), ended.log


def test_W_02_a_checkout_of_another_repository(job: Job, hub: Hub) -> None:
    other = hub.repository("octo-org/other")
    other.commit({SITEMAP: urlset("", "x")})
    place = job.folder / "workspace/site"
    subprocess.run(["git", "clone", "-q", str(other.directory), str(place)], check=True)
    given = {f"site/{path}": text for path, text in build("a", "b").items()}
    ended = job.run(job.hub.token(), given, path="site/dist", sitemap="site/public/sitemap.xml")
    assert (ended.code, hub.changes) == (2, []), ended.log
    assert "is a checkout of octo-org/other, and the run writes to octo-org/site" in ended.log


# --- W-03: event and content agree ---


def run_of(branch: str, commit: str, event: str = "pull_request") -> dict[str, object]:
    """The payload of workflow_run."""
    repository = {"full_name": "octo-org/site"}
    run = {"head_branch": branch, "head_sha": commit, "event": event, "head_repository": repository}
    return {"action": "completed", "workflow_run": run, "repository": repository}


def test_W_03_the_pages_of_a_pull_request_go_to_its_branch(job: Job) -> None:
    head = job.site.commit(build("a", "b"), "feature")
    job.checkout()
    ended = job.run(job.hub.token(), build("a", "b"), event="workflow_run", payload=run_of("feature", head))
    assert (ended.code, listed(job.site), listed(job.site, "feature")) == (0, ["", "a"], ["", "a", "b"]), ended.log
    assert f"Sitemap-Action-Source: {head}" in job.site.message(job.site.head("feature"))


def test_W_03_never_to_another_branch(job: Job) -> None:
    head = job.site.commit(build("a", "b"), "feature")
    job.checkout()
    for mode, name in (("commit", "branch"), ("pull-request", "base")):
        ended = job.run(
            job.hub.token(), build("a", "b"), event="workflow_run", payload=run_of("feature", head), mode=mode,
            **{name: "main"},
        )  # fmt: skip
        assert (ended.code, job.hub.changes) == (1, []), ended.log
        assert f"mode {mode} is check here: the pages are those of feature" in ended.log


def test_W_03_a_pull_request_is_for_its_branch(job: Job) -> None:
    head = job.site.commit(build("a", "b"), "feature")
    job.checkout()
    ended = job.run(
        job.hub.token(), build("a", "b"), event="workflow_run", payload=run_of("feature", head), mode="pull-request"
    )
    (pull,) = job.hub.pulls[job.site.full_name]
    assert (ended.code, pull.base) == (0, "feature"), ended.log


def test_W_03_no_commit_to_the_target_of_a_pull_request(job: Job) -> None:
    """`branch: main` on an event of a pull request."""
    head = job.site.commit(build("a", "b"), "feature")
    job.checkout()
    payload = {"number": 3, "pull_request": {"head": {"ref": "feature", "sha": head, "repo": {"full_name": "octo-org/site"}}}}  # fmt: skip
    ended = job.run(
        job.hub.token(), build("a", "b"), event="pull_request", payload=payload, branch="main", baseline="committed"
    )
    assert (ended.code, job.hub.changes) == (1, []), ended.log


# --- W-04: two sites in one repository ---

NAMES = ["www", "docs", "blog", "shop", "help"]


@pytest.mark.parametrize("count", [2, 3, 5])
def test_W_04_each_site_has_its_own_request(count: int, job: Job) -> None:
    for name in NAMES[:count]:
        files = {f"sites/{name}/public/sitemap.xml": of_site(name, "", "a")}
        job.site.commit(files)
    job.checkout()
    token = job.hub.token()

    def run(name: str, *pages: str) -> dict[str, str]:
        shutil.rmtree(job.folder / f"workspace/sites/{name}/dist", ignore_errors=True)
        given = {f"sites/{name}/{path}": text for path, text in build(*pages).items()}
        ended = job.run(token, given, mode="pull-request", path=f"sites/{name}/dist", sitemap="", site_url=SITE.replace("www.", f"{name}."))  # fmt: skip
        assert ended.code == 0, ended.log
        return ended.outputs

    numbers = [run(name, "a", "b")["pull-request-number"] for name in NAMES[:count]]
    pulls = job.hub.pulls[job.site.full_name]
    assert numbers == [str(pull.number) for pull in pulls]
    assert len({pull.head for pull in pulls}) == len(pulls) == count
    for name, number in zip(NAMES, numbers, strict=False):
        assert run(name, "a", "b")["pull-request-number"] == number
        path = f"sites/{name}/public/sitemap.xml"
        assert len(listed(job.site, pulls[numbers.index(number)].head, path)) == 3
    assert run(NAMES[0], "a")["pull-request-operation"] == "closed"
    assert [pull.state for pull in pulls] == ["closed", *["open"] * (count - 1)]


def test_W_04_one_pr_branch_for_two_sites_is_refused(job: Job) -> None:
    job.site.commit({"docs/sitemap.xml": of_site("docs", "", "a")})
    job.checkout()
    token = job.hub.token()
    first = job.run(token, build("a", "b"), mode="pull-request", pr_branch="sitemaps")
    changes, head = len(job.hub.changes), job.site.head("sitemaps")
    given = {"sitemap": "docs/sitemap.xml", "site_url": SITE.replace("www.", "docs.")}
    second = job.run(token, build("a", "b"), mode="pull-request", pr_branch="sitemaps", **given)
    assert (first.code, second.code) == (0, 4), second.log
    assert (len(job.hub.changes), job.site.head("sitemaps")) == (changes, head)
    done = job.run(token, build("a"), mode="pull-request", pr_branch="sitemaps", **given)
    assert (done.code, job.hub.pulls[job.site.full_name][0].state) == (0, "open"), done.log


@pytest.mark.parametrize("count", [2, 3, 5])
def test_W_04_each_site_has_its_own_comment(count: int, job: Job) -> None:
    job.site.commit({f"{name}/public/sitemap.xml": of_site(name, "", "a") for name in NAMES})
    job.site.commit({"x": "y"}, "topic")
    pull = job.hub.open_pull(job.site, "topic")
    job.checkout()
    payload = request_event(job.site, pull.number)
    for _ in range(2):
        for name in NAMES[:count]:
            files = {f"{name}/{path}": text for path, text in build("a", "b").items()}
            job.run(
                job.hub.token(), files, event="pull_request", payload=payload, mode="check", comment="always",
                baseline="committed", path=f"{name}/dist", site_url=SITE.replace("www.", f"{name}."), sitemap="",
            )  # fmt: skip
        comments = [one.body for one in job.hub.comments[job.site.full_name]]
        assert len(comments) == len({body.partition("\n")[0] for body in comments}) == count


# --- W-05: a request that conflicts with its base ---


def test_W_05_a_request_that_conflicts_is_built_on_the_base_again(job: Job) -> None:
    job.checkout()
    token = job.hub.token()
    job.run(token, build("a", "b"), mode="pull-request")
    (pull,) = job.hub.pulls[job.site.full_name]
    job.site.commit({SITEMAP: urlset("", "a", "x")})
    assert not job.site.ref(f"refs/pull/{pull.number}/merge"), "it conflicts"
    ended = job.run(token, build("a", "b"), mode="pull-request")
    assert (ended.code, ended.outputs["pull-request-operation"]) == (0, "updated"), ended.log
    assert job.site.parents(job.site.head(UPDATE)) == [job.site.head()]
    assert (pull.state, listed(job.site, UPDATE)) == ("open", ["", "a", "b"])
    again = job.run(token, build("a", "b"), mode="pull-request")
    assert again.outputs["pull-request-operation"] == "none"


def test_W_05_a_request_with_commits_of_a_person_is_said_to_conflict(job: Job) -> None:
    job.checkout()
    token = job.hub.token()
    job.run(token, build("a", "b"), mode="pull-request")
    theirs = job.site.commit({"notes.md": "text"}, UPDATE)
    job.site.commit({SITEMAP: urlset("", "a", "x")})
    ended = job.run(token, build("a", "b"), mode="pull-request")
    assert (ended.code, job.site.head(UPDATE)) == (0, theirs), ended.log
    assert "conflicts with main" in ended.log


# --- W-06: the push of our own commit ---


def pushed(message: str, committer: Person = GITHUB) -> dict[str, object]:
    who = {"name": committer.name, "email": committer.email}
    return {"head_commit": {"message": message, "committer": who, "author": who}}


SQUASHED = f"Everything (#7)\n\n* {OURS}\n* A person's words\n"


@pytest.mark.parametrize("message", [OURS, SQUASHED], ids=["our-request", "a-branch-with-our-commit"])
def test_W_06_a_squash_merge_is_no_red_main(message: str, job: Job) -> None:
    job.checkout()
    ended = job.run(job.hub.token(), build("a", "b"), payload=pushed(message))
    assert (ended.code, listed(job.site)) == (0, ["", "a", "b"]), ended.log


def test_W_06_a_second_own_push_in_a_row_is_a_check(job: Job) -> None:
    job.checkout()
    job.run(job.hub.token(), build("a", "b"), payload=pushed(OURS))
    message = job.site.message(job.site.head())
    ended = job.run(job.hub.token(), build("a", "b", "c"), payload=pushed(message))
    assert ended.code == 1, ended.log
    assert "mode commit is check here: this is the second push of its own commits in a row" in ended.log
    assert len(job.hub.changes) == 1


def test_W_06_a_persons_commit_with_our_words_is_theirs(job: Job) -> None:
    """They have amended our commit: it is theirs, and stays below ours."""
    job.checkout()
    mona = Person("mona", "mona@example.com")
    theirs = commit_as(job, {SITEMAP: urlset("", "a", "b"), "notes.md": "x"}, UPDATE, OURS, mona)
    commit_as(job, {SITEMAP: urlset("", "a")}, UPDATE, OURS)
    ended = job.run(job.hub.token(), build("a", "b", "c"), mode="pull-request")
    assert ended.code == 0, ended.log
    assert job.site.is_ancestor(theirs, job.site.head(UPDATE))


# --- W-15: what is no file of the branch ---


def test_W_15_a_pointer_of_git_lfs(job: Job) -> None:
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 812\n"
    job.site.commit({SITEMAP: pointer})
    job.checkout()
    ended = job.run(job.hub.token(), build("a", "b"))
    assert (ended.code, job.hub.changes) == (2, []), ended.log
    assert f"{SITEMAP} is kept in Git LFS" in ended.log


KINDS = [("120000", "a symbolic link"), ("160000", "a submodule")]


@pytest.mark.parametrize("method", ["api", "git"])
@pytest.mark.parametrize(("mode", "words"), KINDS, ids=[row[0] for row in KINDS])
def test_W_15_a_folder_that_is_none(
    mode: str, words: str, method: str, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sitemap_action.repo.git_process.PROTOCOLS", "https:ssh:http")
    before = job.site.head()
    target = job.site.make_blob(b"static") if mode == "120000" else before
    index = f"0 {'0' * 40}\t{SITEMAP}\0{mode} {target}\tpublic\0".encode()
    environment = {"GIT_INDEX_FILE": str(job.folder / "index")}
    job.site.git("read-tree", before, env=environment)
    job.site.git("update-index", "-z", "--add", "--replace", "--index-info", given=index, env=environment)
    tree = job.site.git("write-tree", env=environment).decode().strip()
    job.site.move("refs/heads/main", job.site.make_commit(tree, [before], "linked"), before)
    ended = job.run(job.hub.token(), build("a", "b"), commit_method=method)
    assert (ended.code, job.hub.changes) == (4, []), ended.log
    assert f"{SITEMAP} cannot be committed: public is {words}" in ended.log


def test_W_15_a_sparse_checkout(job: Job) -> None:
    place = job.checkout()
    for command in (["config", "core.sparseCheckout", "true"], ["sparse-checkout", "set", "--no-cone", "/dist/"]):
        subprocess.run(["git", "-C", str(place), *command], check=True, capture_output=True)
    ended = job.run(job.hub.token(), build("a", "b"))
    assert (ended.code, listed(job.site)) == (0, ["", "a", "b"]), ended.log


def test_W_15_the_head_of_a_closed_request(job: Job) -> None:
    head = job.site.commit(build("a", "b"), "feature")
    job.checkout()
    shown = {"state": "closed", "merged": True, "head": {"ref": "feature", "sha": head, "repo": {"full_name": "octo-org/site"}}}  # fmt: skip
    payload = {"action": "closed", "number": 3, "pull_request": shown}
    ended = job.run(job.hub.token(), build("a", "b"), event="pull_request", payload=payload, baseline="committed")
    assert (job.hub.changes, job.site.head("feature")) == ([], head), ended.log
    assert "mode commit is check here: the pull request is closed" in ended.log


@pytest.mark.parametrize("method", ["api", "git"])
def test_W_15_the_mode_of_a_file_is_kept(method: str, job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sitemap_action.repo.git_process.PROTOCOLS", "https:ssh:http")
    before = job.site.head()
    found = job.site.entry(before, SITEMAP)
    assert found
    tree = job.site.make_tree(before, [found._replace(mode="100755")])
    job.site.move("refs/heads/main", job.site.make_commit(tree, [before], "executable"), before)
    for mode in ("pull-request", "commit"):
        ended = job.run(job.hub.token(), build("a", "b"), commit_method=method, mode=mode)
        assert ended.code == 0, ended.log
        entry = job.site.entry(job.site.head("main" if mode == "commit" else UPDATE), SITEMAP)
        assert entry
        assert entry.mode == "100755"


# --- the target branch has another name by now: the event still has the old one ---


def rename_main(job: Job) -> None:
    job.site.git("branch", "-m", "main", "trunk")
    job.site.git("symbolic-ref", "HEAD", "refs/heads/trunk")


@pytest.mark.parametrize("whose", ["octo-org/site", "mona/site"])
def test_a_renamed_target_branch_is_still_compared_with(whose: str, job: Job) -> None:
    base = job.site.head()
    head = job.site.commit({**build("b"), SITEMAP: urlset("", "b")}, "topic")
    job.site.commit({"later": "x"})
    newer = job.site.head()
    job.checkout(head)
    rename_main(job)
    request = {"base": {"ref": "main", "sha": newer}, "head": {"ref": "topic", "sha": head, "repo": {"full_name": whose}}}  # fmt: skip
    ended = job.run(
        job.hub.token(), build("b"), event="pull_request", payload={"number": 3, "pull_request": request}, mode="check",
        environment={"GITHUB_SHA": head, "GITHUB_BASE_REF": "main"},
    )  # fmt: skip
    assert (ended.code, [row["url"] for row in ended.report.get("removed", [])]) == (1, [f"{SITE}a/"]), ended.log
    assert ended.report["baseline"].startswith(f"{SITEMAP} at {base[:12]}, the merge base with")


@pytest.mark.parametrize(("mode", "name"), [("commit", "branch"), ("pull-request", "base")])
def test_a_renamed_branch_is_not_committed_to_by_its_old_name(mode: str, name: str, job: Job) -> None:
    job.checkout()
    rename_main(job)
    ended = job.run(job.hub.token(), build("a", "b"), mode=mode, environment={"GITHUB_SHA": job.site.head("trunk")})
    assert (ended.code, job.hub.changes) == (2, []), ended.log
    assert "has no branch main" in ended.log
    assert "or its new name" in ended.log
    ended = job.run(job.hub.token(), build("a", "b"), mode=mode, environment={"GITHUB_SHA": job.site.head("trunk")}, **{name: "trunk"})  # fmt: skip
    assert ended.code == 0, ended.log
