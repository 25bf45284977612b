"""S-06: a state that a pull request brings along is not used: tracked, linked, in another repository, of a fork."""

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from servers import Reply, Site, serve
from sitemap_action.__main__ import run

pytestmark = pytest.mark.attack("state")

SITE = "https://www.example.com/"
PAGE = "<!doctype html><html lang=en><title>A page</title><a href=/a/>a</a><p>" + "some words " * 60
NOINDEX = PAGE.replace("<title>", "<meta name=robots content=noindex><title>")
ETAG = {"ETag": '"1"'}
POSIX = pytest.mark.skipif(os.name != "posix", reason="links are POSIX")


def answer(body: str) -> Reply:
    return Reply(body, headers=ETAG)


@pytest.fixture
def site() -> Iterator[Site]:
    with serve({"/": answer(PAGE), "/a/": answer(PAGE), "*": 404}) as found:
        yield found


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    found = tmp_path / "workspace"
    found.mkdir()
    monkeypatch.chdir(found)
    git("init", "-q")
    Path("sitemap.xml").write_text(
        '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
        f"<url><loc>{SITE}</loc></url>\n<url><loc>{SITE}a/</loc></url>\n</urlset>\n"
    )
    commit()
    return found


def git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], check=True, capture_output=True)


def commit() -> None:
    git("add", "-A", "-f")
    git("commit", "-q", "-m", "a change")


def check(site: Site, state: str = "kept/state", *more: str) -> int:
    flags = ["--url", site.url, "--site-url", SITE, "--baseline", "committed", "--set", "sitemaps.use=false"]
    Path(state).parent.mkdir(parents=True, exist_ok=True)
    return run(["check", *flags, "--state", state, "--report", "json=../report.json", "--quiet", *more])


def notes() -> list[str]:
    found: list[str] = json.loads(Path("../report.json").read_text())["notes"]
    return [note for note in found if "the state" in note]


def made_state(site: Site) -> bytes:
    """A finished state that is good for the commit that is checked out next."""
    assert check(site) == 0
    return Path("kept/state").read_bytes()


def test_S_06_an_untracked_state_is_used(site: Site) -> None:
    Path(".gitignore").write_text("kept\n")
    commit()
    made_state(site)
    site.asked.clear()
    assert check(site) == 0
    assert notes() == []
    assert len(site.asked) == 0 or all(asked.header("if-none-match") for asked in site.asked if asked.path == "/a/")


def test_S_06_a_forged_state_that_is_tracked(site: Site) -> None:
    """It says that no page is noindex, and has the ETag that the server still sends."""
    content = made_state(site)
    commit()
    site.routes["/a/"] = answer(NOINDEX)
    assert check(site) == 1
    (note,) = notes()
    assert (
        note
        == "the state kept/state is not used: kept/state is tracked by git; remove it with git rm --cached, and ignore it"
    )
    assert Path("kept/state").read_bytes() == content
    assert site.paths.count("/a/") == 2


def tracked_log(site: Site) -> None:
    made_state(site)
    commit()
    git("rm", "-q", "--cached", "kept/state")
    git("commit", "-q", "-m", "a change")
    Path("kept/state-wal").write_bytes(b"x")
    git("add", "-f", "kept/state-wal")
    git("commit", "-q", "-m", "a change")


def linked_file(site: Site) -> None:
    made_state(site)
    Path("kept/state").rename("../real")
    Path("kept/state").symlink_to("../../real")


def linked_to_git(_: Site) -> None:
    Path("kept").mkdir()
    Path("kept/state").symlink_to("../.git/state")


def linked_to_a_file(_: Site) -> None:
    Path("../real").write_text("mine")
    Path("kept").mkdir()
    Path("kept/state").symlink_to("../../real")


def linked_folder(_: Site) -> None:
    Path("../elsewhere").mkdir()
    Path("kept").symlink_to("../elsewhere")


def folder_linked_to_itself(_: Site) -> None:
    Path("other").mkdir()
    Path("kept").symlink_to("other")


def tracked_link(site: Site) -> None:
    linked_folder(site)
    commit()


def hard_link(site: Site) -> None:
    made_state(site)
    os.link("kept/state", "../real")


def repository_of_its_own(_: Site) -> None:
    git("init", "-q", "kept")


def worktree(_: Site) -> None:
    git("worktree", "add", "-q", "kept")


REFUSED: dict[str, tuple[Callable[[Site], None], str]] = {
    "a tracked log": (tracked_log, "kept/state-wal is tracked by git"),
    "a link": (linked_file, "kept/state is a symbolic link"),
    "a link to .git": (linked_to_git, "kept/state is a symbolic link"),
    "a link to another file": (linked_to_a_file, "kept/state is a symbolic link"),
    "a linked folder": (linked_folder, "kept is a symbolic link"),
    "a folder linked inside": (folder_linked_to_itself, "kept is a symbolic link"),
    "a tracked link": (tracked_link, "kept is a symbolic link"),
    "a hard link": (hard_link, "another name, too (a hard link)"),
    "a repository": (repository_of_its_own, "kept is a repository of its own"),
    "a work tree": (worktree, "kept is a repository of its own"),
}


@POSIX
@pytest.mark.parametrize(("make", "why"), REFUSED.values(), ids=REFUSED)
def test_S_06_a_state_that_is_not_used(site: Site, make: Callable[[Site], None], why: str, tmp_path: Path) -> None:
    """The run goes on without it, and nothing is made or changed."""
    make(site)
    site.routes["/a/"] = answer(NOINDEX)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert check(site) == 1
    (note,) = notes()
    assert note.startswith("the state kept/state is not used: ")
    assert why in note
    after = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file() and path.name != "report.json"}
    assert after == {path: content for path, content in before.items() if path.name != "report.json"}


@pytest.mark.parametrize("state", [".git/state", ".git/hooks/state", ".GIT/state", "sub/.git/state"])
def test_S_06_a_state_in_git(site: Site, state: str, capsys: pytest.CaptureFixture[str]) -> None:
    git("init", "-q", "sub")
    assert check(site, state) == 2
    assert f"the state {state} is in a .git folder" in capsys.readouterr().err
    assert not Path(state).exists()
    assert site.asked == []


def test_S_06_no_repository_no_question(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "plain").mkdir()
    monkeypatch.chdir(tmp_path / "plain")
    assert check(site) == 1
    assert notes() == []
    assert Path("kept/state").exists()


@pytest.mark.parametrize(
    ("event", "head", "used"),
    [
        ("push", "", True),
        ("pull_request", "example/site", True),
        ("pull_request", "somebody/site", False),
        ("pull_request", None, False),
        ("pull_request_target", "somebody/site", False),
        ("workflow_run", "somebody/site", False),
        ("issue_comment", "", False),
    ],
)
def test_S_06_the_state_of_a_fork(
    site: Site, event: str, head: str | None, used: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A step before may have run its code, and that can write any file of the runner."""
    repository = None if head is None else {"full_name": head}
    payload = {
        "pull_request": {
            "head": {"repo": repository, "sha": "c" * 40},
            "base": {"ref": "main"},
            "user": {"login": "a"},
        },
        "workflow_run": {"head_repository": repository},
    }
    (tmp_path / "event.json").write_text(json.dumps(payload))
    for name, value in {
        "GITHUB_ACTIONS": "true",
        "GITHUB_EVENT_NAME": event,
        "GITHUB_EVENT_PATH": str(tmp_path / "event.json"),
        "GITHUB_REPOSITORY": "example/site",
        "GITHUB_SHA": subprocess.run(
            ["git", "rev-parse", "HEAD"], check=True, capture_output=True, text=True
        ).stdout.strip(),
        "INPUT_URL": site.url,
        "INPUT_SITE-URL": SITE,
        "INPUT_STATE": "state",
        "INPUT_BASELINE": "committed",
    }.items():
        monkeypatch.setenv(name, value)
    run(["run"])
    assert Path("state").exists() is used


def test_S_06_a_tracked_state_of_read(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    site.routes["/sitemap.xml"] = Reply(Path("sitemap.xml").read_text(), type="application/xml")
    url = f"{site.url}sitemap.xml"
    assert run(["read", url, "--state", "state"]) == 0
    commit()
    content = Path("state").read_bytes()
    assert run(["read", url, "--state", "state"]) == 0
    assert "the state state is not used: state is tracked by git" in capsys.readouterr().err
    assert Path("state").read_bytes() == content


def test_S_06_a_damaged_state_is_said(site: Site) -> None:
    Path(".gitignore").write_text("kept\n")
    commit()
    content = made_state(site)
    Path("kept/state").write_bytes(content[:4_096] + bytes(4_096) + content[8_192:])
    site.routes["/a/"] = answer(NOINDEX)
    assert check(site) == 1
    (note,) = notes()
    assert note == "the state kept/state is damaged and made anew: its structure is broken"
    assert check(site) == 1
    assert notes() == []
