"""Dates of files by one pass over a real history, beside `git log --follow` for each file."""

import subprocess
from pathlib import Path

import pytest

from histories import History, make
from sitemap_action.errors import BaselineError
from sitemap_action.look.source_dates import git_dates
from sitemap_action.repo.git import Git


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> History:
    return make(tmp_path_factory.mktemp("dates") / "repository")


def table(history: History) -> list[tuple[str, str, str]]:
    """(path, by git log for the file alone, by one pass)."""
    found = git_dates(Git(history.top), history.files())
    return [(path, history.followed(path), found.get(path, "")) for path in history.files()]


def test_dates_are_those_of_git_log_for_each_file(history: History) -> None:
    rows = table(history)
    assert len(rows) >= 13
    assert {path for path, alone, _ in rows if not alone} == set()
    assert [(path, alone) for path, alone, _ in rows] == [(path, found) for path, _, found in rows]
    assert len({alone for _, alone, _ in rows}) >= 7


def test_a_submodule_and_a_link_are_no_source(history: History) -> None:
    files = Git(history.top).regular_files()
    assert sorted(files) == history.files()
    assert "docs/theme" not in files
    assert "content/link.md" not in files
    assert git_dates(Git(history.top), ["docs/theme/inside.md"]) == {}


def test_one_process_tells_all(history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    files = history.files()
    git = Git(history.top)
    assert git.top()
    started: list[list[str]] = []
    popen = subprocess.Popen

    def counted(command: list[str], **rest: object) -> "subprocess.Popen[bytes]":
        started.append(command)
        return popen(command, **rest)  # type: ignore[call-overload, no-any-return]

    git_dates(git, files[:1])  # what a checkout needs to be looked at once
    monkeypatch.setattr(subprocess, "Popen", counted)
    git_dates(git, files)
    assert [command[4] for command in started] == ["log"]


@pytest.mark.attack("git")
def test_a_configuration_of_the_repository_is_not_read(history: History, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    subprocess.run(["git", "clone", "-q", "--no-hardlinks", str(history.top), str(copy)], check=True)
    mark = tmp_path / "ran"
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\ntouch {mark}\n")
    script.chmod(0o755)
    for key, value in (
        ("diff.external", script), ("core.pager", script), ("core.fsmonitor", script), ("log.showSignature", "true"),
        ("gpg.program", script), ("diff.x.textconv", script), ("diff.x.command", script), ("log.mailmap", "true"),
    ):  # fmt: skip
        subprocess.run(["git", "config", key, str(value)], cwd=copy, check=True)
    (copy / ".git/info").mkdir(exist_ok=True)
    (copy / ".git/info/attributes").write_text("* diff=x\n")
    expected = {path: history.followed(path) for path in history.files()}
    assert git_dates(Git(copy), history.files()) == expected
    assert not mark.exists()


def test_an_impossible_date_is_that_of_git(tmp_path: Path) -> None:
    made = History(tmp_path / "repository")
    made.commit({"a.md": "a"})
    made.commit({"b.md": "b"})
    commit = made.git("cat-file", "commit", "HEAD").replace(
        "author A <a@example.com> ", "author A <a@example.com> 999999999"
    )
    written = subprocess.run(
        ["git", "hash-object", "-t", "commit", "-w", "--literally", "--stdin"],
        cwd=made.top, input=commit, capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip
    made.git("reset", "-q", "--hard", written)
    made.commit({"c.md": "c"})
    found = git_dates(Git(made.top), ["a.md", "b.md", "c.md"])
    assert found == {path: made.followed(path) for path in ("a.md", "b.md", "c.md")}
    assert found["b.md"] in {"", "1970-01-01T00:00:00+00:00"}  # by the version of git; neither is written (SM-45)


def test_a_history_without_its_trees_is_an_error(tmp_path: Path) -> None:
    made = History(tmp_path / "repository")
    made.commit({"a.md": "a"})
    made.commit({"b.md": "b"})
    tree = made.git("rev-parse", "HEAD~1^{tree}").strip()
    (made.top / f".git/objects/{tree[:2]}/{tree[2:]}").unlink()
    with pytest.raises(BaselineError, match="cannot read the history"):
        git_dates(Git(made.top), ["a.md"])


def test_without_commits_and_without_a_checkout_there_is_none(tmp_path: Path) -> None:
    assert git_dates(Git(tmp_path), ["a.md"]) == {}
    made = History(tmp_path / "repository")
    assert Git(made.top).regular_files() == ()
