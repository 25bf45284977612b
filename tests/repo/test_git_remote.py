"""Branches of a server by real git over smart HTTP: read, committed to, replaced, deleted, refused."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from forge import faults
from forge.hub import Hub
from forge.repository import Repository
from pushes import SITE, forge, git_hub, left_over, remote
from sitemap_action.errors import BaselineError, PublishError
from sitemap_action.model.step import FileChange
from sitemap_action.repo import git_process
from sitemap_action.repo.failures import StaleBranchError, TransientError
from sitemap_action.repo.push import GitRemote, Identity

PUSH = "POST */git-receive-pack"


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    with git_hub(tmp_path / "srv") as made:
        yield made


@pytest.fixture
def site(hub: Hub) -> Repository:
    return hub.repositories[SITE]


@pytest.fixture(params=["", "true"], ids=["whole", "partial"])
def filters(site: Repository, request: pytest.FixtureRequest) -> None:
    if request.param:
        site.git("config", "uploadpack.allowFilter", "true")


@pytest.mark.usefixtures("filters")
def test_reading(hub: Hub, site: Repository) -> None:
    first = site.commit({"public/sitemap.xml": "one", "a": "x"})
    second = site.commit({"public/sitemap.xml": "two\r\n"})
    with remote(hub) as there:
        assert there.head("main") == second
        assert there.head("mai") is None
        assert there.head("missing/branch") is None
        assert there.has(first)
        assert not there.has("1" * 40)
        assert there.blob(second, "public/sitemap.xml") == b"two\r\n"
        assert there.blob(first, "public/sitemap.xml") == b"one"
        assert there.blob(second, "public/missing.xml") is None
        ids = there.blob_ids(second, ["public/sitemap.xml", "a", "public", "missing"])
        assert ids == {path: site.ask("rev-parse", f"{second}:{path}") for path in ("public/sitemap.xml", "a")}, (
            "a folder is no file"
        )
        with pytest.raises(BaselineError, match="public is no file"):
            there.blob(second, "public")
    assert not left_over()


@pytest.mark.usefixtures("filters")
def test_a_commit_keeps_everything_else(hub: Hub, site: Repository) -> None:
    site.commit({"public/sitemap.xml": "old", "gone.xml": "x", "run.sh": "#!/bin/sh\n"})
    site.git("config", "core.autocrlf", "true")
    executable = site.make_tree(site.head(), [site.entry(site.head(), "run.sh")._replace(mode="100755")])  # type: ignore[union-attr]
    site.move("refs/heads/main", site.make_commit(executable, [site.head()], "mode"), site.head())
    before = site.head()
    changes = [
        FileChange("public/sitemap.xml", b"new\r\n\xff\0"),
        FileChange("public/deep/sitemap-2.xml", b""),
        FileChange("gone.xml", None),
        FileChange("never-there.xml", None),
        FileChange("run.sh", b"exit 1"),
    ]
    with remote(hub) as there:
        made = there.commit("main", before, "Update sitemap: ü\n\nSitemap-Action-Source: served\n", changes)
        assert there.commit("main", made, "again", changes) == made, "nothing differs, so there is no second commit"
    assert site.head() == made
    assert site.parents(made) == [before]
    assert site.files() == {
        "README.md": b"# A site\n",
        "public/sitemap.xml": b"new\r\n\xff\0",
        "public/deep/sitemap-2.xml": b"",
        "run.sh": b"exit 1",
    }
    assert site.entry(made, "run.sh").mode == "100755"  # type: ignore[union-attr]
    assert site.message(made) == "Update sitemap: ü\n\nSitemap-Action-Source: served"
    bot = "github-actions[bot] <41898282+github-actions[bot]@users.noreply.github.com>"
    assert site.ask("log", "-1", "--format=%an <%ae>|%cn <%ce>", made) == f"{bot}|{bot}"


def test_attributes_of_the_repository_change_no_byte(hub: Hub, site: Repository) -> None:
    site.commit({".gitattributes": "* text=auto eol=lf ident working-tree-encoding=UTF-16\n*.xml filter=lfs\n"})
    content = b"<!-- $Id$ -->\r\nline\n"
    with remote(hub) as there:
        made = there.commit("main", site.head(), "x", [FileChange("sitemap.xml", content)])
        assert there.blob(made, "sitemap.xml") == content
    assert site.read("sitemap.xml") == content


def test_another_identity(hub: Hub, site: Repository) -> None:
    with GitRemote(forge(hub), identity=Identity("A <b>\nc", "me@example.com")) as there:
        made = there.commit("main", site.head(), "x", [FileChange("a", b"")])
    assert site.ask("log", "-1", "--format=%an <%ae>", made) == "A b\\x0ac <me@example.com>"


def test_a_large_file(hub: Hub, site: Repository) -> None:
    content = os.urandom(30_000_000)
    with remote(hub) as there:
        made = there.commit("main", site.head(), "x", [FileChange("sitemap.xml", content)])
    with remote(hub) as there:
        assert there.blob(made, "sitemap.xml") == content


def test_many_files(hub: Hub, site: Repository) -> None:
    paths = [f"maps/sitemap-{number}.xml" for number in range(1_100)]
    site.commit(dict.fromkeys(paths, "x"))
    with remote(hub) as there:
        assert len(there.blob_ids(site.head(), paths)) == len(paths)
        there.commit("main", site.head(), "x", [FileChange(path, None) for path in paths])
    assert site.files() == {"README.md": b"# A site\n"}


def test_a_repository_of_the_other_hash(hub: Hub, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    site = hub.repository("octo-org/wide")
    folder = tmp_path / "work"
    git = ["git", "-C", str(folder)]
    subprocess.run(["git", "init", "-q", "-b", "main", "--object-format=sha256", str(folder)], check=True)
    (folder / "sitemap.xml").write_text("old")
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "-c", "user.name=a", "-c", "user.email=b", "commit", "-qm", "x"], check=True)
    site.directory.rename(tmp_path / "narrow")
    subprocess.run(["git", "clone", "-q", "--bare", str(folder), str(site.directory)], check=True)
    site.git("config", "http.receivepack", "true")
    with remote(hub, repository="octo-org/wide") as there:
        head = there.head("main")
        assert head is not None
        assert len(head) == 64
        assert there.blob(head, "sitemap.xml") == b"old"
        made = there.commit("main", head, "x", [FileChange("sitemap.xml", b"new")])
        assert there.blob(made, "sitemap.xml") == b"new"
        assert there.last_change(made, "sitemap.xml") == (made, "x")
    assert site.read("sitemap.xml") == b"new"


# History


def chain(site: Repository, branch: str, count: int, *, start: str = "", second: str = "", at: int = 0) -> str:
    """So many commits on a branch, one second apart; the last one merges `second`."""
    lines = []
    for number in range(count):
        when = f"{1_800_000_000 + at + number} +0000"
        lines += [f"commit refs/heads/{branch}", f"committer Test <test@example.com> {when}"]
        lines += [f"data <<END\n{branch} {number}\nEND"]
        lines += [f"from {start}"] if start and not number else []
        lines += [f"merge {second}"] if second and number == count - 1 else []
        lines += [f"M 100644 inline {branch}.txt\ndata <<END\n{number}\nEND", ""]
    site.git("fast-import", "--quiet", "--force", given="\n".join(lines).encode())
    return site.head(branch)


@pytest.mark.usefixtures("filters")
def test_the_last_change_however_long_ago(hub: Hub, site: Repository) -> None:
    there_since = site.commit({"sitemap.xml": "x"}, message="First line\n\nBody\n\nSitemap-Action-Source: served\n")
    head = chain(site, "main", 100, start=there_since)
    with remote(hub) as there:
        said = "First line\n\nBody\n\nSitemap-Action-Source: served\n"
        assert there.last_change(head, "sitemap.xml") == (there_since, said)
        assert there.last_change(head, "main.txt") == (head, "main 99\n")
        assert there.last_change(head, "never.xml") is None


@pytest.mark.usefixtures("filters")
def test_merge_bases(hub: Hub, site: Repository) -> None:
    old = site.head()
    shared = chain(site, "shared", 10, start=old, at=10)
    near = chain(site, "near", 3, start=shared, at=1_000)
    far = chain(site, "far", 70, start=shared, at=1_000)
    # A way round leads to `old` first, though what is shared later is the merge base.
    left = chain(site, "left", 70, start=shared, second=old, at=1_000)
    right = chain(site, "right", 70, start=shared, second=old, at=1_000)
    unrelated = site.make_commit(site.make_tree("", []), [], "alone")
    with remote(hub) as there:
        assert there.merge_base(near, shared) == shared
        assert there.merge_base(near, far) == shared
        assert there.merge_base(left, right) == shared
        assert there.merge_base(near, unrelated) is None
        assert there.merge_base(near, "1" * 40) is None
    hub.down = True
    with remote(hub) as there, pytest.raises(BaselineError):
        there.merge_base(near, far)


def test_messages_of_what_a_branch_adds(hub: Hub, site: Repository) -> None:
    base = site.head()
    chain(site, "main", 200, start=base)
    ours = chain(site, "ours", 2, start=base)
    long = chain(site, "long", 101, start=base)
    with remote(hub) as there:
        assert there.messages(site.head(), ours) == ["ours 0\n", "ours 1\n"]
        assert there.messages(site.head(), base) == []
        assert there.messages(site.head(), long) is None


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
    with remote(hub) as there, pytest.raises(StaleBranchError, match="main moved"):
        there.commit("main", old, "x", [FileChange("a", b"1")])
    assert site.head() == new


def test_a_branch_that_is_put_back_stays_so(hub: Hub, site: Repository) -> None:
    """A plain push would bring the commits back that somebody has just taken away: it is a fast-forward."""
    first = site.head()
    second = site.commit({"secret": "1"})
    hub.before_ref_update = lambda _: site.move("refs/heads/main", first, second)
    with remote(hub) as there, pytest.raises(StaleBranchError):
        there.commit("main", second, "x", [FileChange("a", b"1")])
    assert site.head() == first


def test_a_push_that_is_overtaken(hub: Hub, site: Repository) -> None:
    old = site.head()
    overtaken_by(hub, site, {"other": "1"})
    with remote(hub) as there:
        with pytest.raises(StaleBranchError):
            there.commit("main", old, "x", [FileChange("a", b"1")])
        there.commit("main", site.head(), "x", [FileChange("a", b"1")])
    assert site.files() == {"README.md": b"# A site\n", "other": b"1", "a": b"1"}


def test_a_reference_that_another_push_holds(hub: Hub, site: Repository) -> None:
    lock = site.directory / "refs/heads/main.lock"
    lock.touch()
    with remote(hub) as there:
        with pytest.raises(TransientError) as caught:
            there.commit("main", site.head(), "x", [FileChange("a", b"1")])
        assert not isinstance(caught.value, StaleBranchError)
        lock.unlink()
        assert there.commit("main", site.head(), "x", [FileChange("a", b"1")]) == site.head()


def test_a_push_whose_answer_is_lost_is_done(hub: Hub, site: Repository) -> None:
    before = site.head()
    hub.fail(faults.lost(), on=PUSH)
    with remote(hub) as there:
        made = there.commit("main", before, "x", [FileChange("a", b"1")])
    assert site.log("main") == [made, before]


def test_a_server_that_is_gone_after_the_push(hub: Hub, site: Repository) -> None:
    before = site.head()
    hub.stop_after(1)
    with remote(hub) as there:
        with pytest.raises(TransientError):
            there.commit("main", before, "x", [FileChange("a", b"1")])
        hub.resume()
        with pytest.raises(StaleBranchError):
            there.commit("main", before, "x", [FileChange("a", b"1")])
        head = there.head("main")
        assert head is not None
        assert there.commit("main", head, "x", [FileChange("a", b"1")]) == head, "it is there already"
    assert len(site.log("main")) == 2


# The branch of a pull request


def test_a_branch_is_made_moved_and_deleted(hub: Hub, site: Repository) -> None:
    base, branch = site.head(), "sitemap-action/update"
    with remote(hub) as there:
        first = there.replace(branch, None, "x", [FileChange("a", b"1")], base)
        assert site.head(branch) == first
        with pytest.raises(StaleBranchError):
            there.replace(branch, None, "x", [FileChange("a", b"2")], base)
        newer = site.commit({"other": "1"})
        second = there.replace(branch, first, "x", [FileChange("a", b"2")], newer)
        assert site.head(branch) == second
        assert site.parents(second) == [newer]
        with pytest.raises(StaleBranchError):
            there.replace(branch, first, "x", [FileChange("a", b"3")], newer)
        with pytest.raises(PublishError, match="would have no change"):
            there.replace(branch, second, "x", [FileChange("other", b"1")], newer)
        with pytest.raises(StaleBranchError):
            there.delete(branch, first)
        assert site.head(branch) == second
        there.delete(branch, second)
        assert site.head(branch) == ""
        there.delete(branch, second)
    assert site.head() == newer


def test_what_a_person_pushed_meanwhile_is_kept(hub: Hub, site: Repository) -> None:
    base, branch = site.head(), "sitemap-action/update"
    with remote(hub) as there:
        ours = there.replace(branch, None, "x", [FileChange("a", b"1")], base)
        overtaken_by(hub, site, {"b": "1"}, branch)
        with pytest.raises(StaleBranchError):
            there.replace(branch, ours, "x", [FileChange("a", b"2")], base)
        assert site.read("b", branch) == b"1"


# Refusals

MAY_PUSH = "the protection of the branch lets push"


@pytest.mark.parametrize(
    ("ruleset", "message", "remedy"),
    [
        (False, "GH006: Protected branch update failed for refs/heads/main", MAY_PUSH),
        (True, "GH013: Repository rule violations found for refs/heads/main", "the ruleset lets bypass it"),
    ],
)
def test_a_branch_that_takes_no_push(hub: Hub, site: Repository, ruleset: bool, message: str, remedy: str) -> None:
    site.protect("main", ruleset=ruleset)
    with remote(hub) as there, pytest.raises(PublishError, match=message) as caught:
        there.commit("main", site.head(), "x", [FileChange("a", b"1")])
    assert not isinstance(caught.value, TransientError)
    assert "mode pull-request" in caught.value.hint
    assert remedy in caught.value.hint


def test_a_hook_of_the_server(hub: Hub, site: Repository) -> None:
    hook = site.directory / "hooks/pre-receive"
    hook.write_text("#!/bin/sh\necho 'No ##[error] on Sundays' >&2\nexit 1\n")
    hook.chmod(0o755)
    with remote(hub) as there, pytest.raises(PublishError, match=r"No ##\[\\error\] on Sundays") as caught:
        there.commit("main", site.head(), "x", [FileChange("a", b"1")])
    assert "a rule of the server" in caught.value.hint


@pytest.mark.parametrize(
    ("token", "message", "remedy"),
    [
        ("ghs_wrong", "answers 401", "a token that is accepted"),
        ("", "answers 401", "a token that is accepted"),
        ("ghs_readonly", "answers 403: Permission to octo-org/site.git denied", "`contents: write`"),
    ],
)
def test_tokens_that_may_not(hub: Hub, site: Repository, token: str, message: str, remedy: str) -> None:
    hub.read_only("ghs_readonly")
    with remote(hub, token=token) as there, pytest.raises(PublishError, match=message) as caught:
        there.commit("main", site.head(), "x", [FileChange("a", b"1")])
    assert not isinstance(caught.value, TransientError)
    assert remedy in caught.value.hint


def test_a_repository_that_is_not_there(hub: Hub) -> None:
    with remote(hub, repository="octo-org/missing") as there, pytest.raises(BaselineError, match="answers 404"):
        there.head("main")


@pytest.mark.parametrize("status", [429, 500, 502, 503])
@pytest.mark.parametrize("on", ["fetch", PUSH])
def test_outages(hub: Hub, site: Repository, status: int, on: str) -> None:
    hub.fail(faults.outage(status), on=on, times=2)
    with remote(hub) as there, pytest.raises(TransientError):
        there.commit("main", site.head(), "x", [FileChange("a", b"1")])
    assert len(site.log("main")) == 1


@pytest.mark.parametrize("on", ["fetch", PUSH])
def test_connections_that_end(hub: Hub, site: Repository, on: str) -> None:
    hub.fail(faults.dropped(), on=on, times=4)
    with remote(hub) as there, pytest.raises(TransientError):
        there.commit("main", site.head(), "x", [FileChange("a", b"1")])
    assert len(site.log("main")) == 1


def test_a_server_that_does_not_answer(hub: Hub, site: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git_process, "_TIMEOUT", 1)
    hub.fail(faults.slow(3), on="fetch")
    with remote(hub) as there, pytest.raises(TransientError, match="no answer in time"):
        there.head("main")
    commands = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert hub.server_url not in commands, "what git has started ended with it"
    assert site.head()


def test_no_server() -> None:
    closed = Hub(Path("/nowhere"))
    closed.server_url = "http://127.0.0.1:9"
    with remote(closed) as there, pytest.raises(TransientError, match="no answer"):
        there.head("main")
