"""A repository that git cannot read, and a machine without git: what depends on it says so, and the rest works."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from repositories import create, git
from sitemap_action.__main__ import run
from sitemap_action.errors import BaselineError
from sitemap_action.repo.git import Git, find_head

SITE = "https://www.example.com/"
URLSET = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>{SITE}</loc></url></urlset>'
Damage = Callable[[Path], object]


def damaged_head(top: Path) -> None:
    (top / ".git/HEAD").write_text("garbage\n")


def unknown_format(top: Path) -> None:
    """Of a newer git; this one reads the format from the settings that it is given."""
    (top / ".git/index").write_bytes(b"DIRC\0\0\0\x09\0\0\0\0" + bytes(20))
    shutil.rmtree(top / ".git/objects")
    (top / ".git/objects").mkdir()


def lost_objects(top: Path) -> None:
    (top / ".git/index").unlink()
    (top / ".git/index").write_bytes(b"garbage")
    shutil.rmtree(top / ".git/objects")
    (top / ".git/objects").mkdir()


DAMAGES = pytest.mark.parametrize("damage", [damaged_head, unknown_format, lost_objects])


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A site whose repository is what is deployed."""
    found = create(tmp_path / "workspace")
    (found / "index.html").write_text(f"<!doctype html><title>Home</title><h1>Home</h1><p>{'word ' * 80}")
    (found / "sitemap.xml").write_text(URLSET)
    git(found, "add", "-A")
    git(found, "commit", "-q", "-m", "a site")
    monkeypatch.chdir(found)
    return found


def without_git(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))


def check(*more: str) -> tuple[int, list[str]]:
    flags = ["--path", ".", "--site-url", SITE, "--offline", "--quiet", "--report", "json=../report.json"]
    status = run(["check", *flags, *more])
    notes: list[str] = json.loads(Path("../report.json").read_text())["notes"]
    return status, notes


def said(notes: list[str]) -> list[str]:
    return [note for note in notes if "git" in note]


@DAMAGES
def test_every_question_has_an_answer_or_an_error(damage: Damage, workspace: Path) -> None:
    damage(workspace)
    repository = Git(workspace)
    for ask in (
        lambda: repository.list_files(["sitemap.xml"]),
        lambda: repository.find_tracked(["sitemap.xml"]),
        repository.regular_files,
    ):
        with pytest.raises(BaselineError, match="git cannot read the repository of") as error:
            ask()
        assert str(workspace) in str(error.value)
        assert "sitemap-action-git-" not in str(error.value)
    assert find_head(workspace) == ""


def test_a_damaged_head_is_no_unknown_name(workspace: Path) -> None:
    damaged_head(workspace)
    repository = Git(workspace)
    for ask in (repository.branches, repository.shallow, lambda: repository.commit("HEAD")):
        with pytest.raises(BaselineError, match="git cannot read the repository of"):
            ask()


def test_what_is_no_damage(tmp_path: Path) -> None:
    """No commit yet, with and without an index; and an index that only its own repository reads."""
    found = create(tmp_path / "new")
    repository = Git(found)
    assert (repository.list_files(["a"]), repository.find_tracked(["a"]), repository.regular_files()) == (
        frozenset(),
        "",
        (),
    )
    (found / "a").write_text("1")
    git(found, "add", "a")
    assert Git(found).list_files(["a"]) == {"a"}
    assert Git(found).find_tracked(["a"]) == ""
    git(found, "commit", "-q", "-m", "one")
    (found / ".git/index").write_bytes(b"garbage")
    assert Git(found).list_files(["a"]) == {"a"}
    git(found, "update-ref", "-d", "HEAD")
    with pytest.raises(BaselineError, match=r"/\.git/index"):
        Git(found).list_files(["a"])


def test_a_clone_without_trees_has_no_empty_tree(workspace: Path, tmp_path: Path) -> None:
    git(workspace, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--filter=tree:0", "--no-checkout", workspace.as_uri(), "clone")
    with pytest.raises(BaselineError, match=r"git cannot read sitemap\.xml"):
        Git(tmp_path / "clone", offline=True).find_first("HEAD", ["sitemap.xml"])


@DAMAGES
def test_the_report_says_that_git_was_not_asked(damage: Damage, workspace: Path) -> None:
    damage(workspace)
    _, notes = check()
    assert [note for note in notes if note.startswith("git cannot say which files are committed")], notes


def test_without_git_the_report_says_so(workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert said(check()[1]) == []
    without_git(monkeypatch, tmp_path)
    assert said(check()[1]) == [
        "git cannot say which files are committed, so that their places tell: git is not installed"
    ]
    shutil.rmtree(workspace / ".git")
    assert said(check()[1]) == []


@DAMAGES
def test_a_state_in_such_a_repository_is_not_used(damage: Damage, workspace: Path, tmp_path: Path) -> None:
    """It may be one that the repository brings along; outside of it there is no such question."""
    damage(workspace)
    status, notes = check("--state", "state.sqlite")
    assert status in (0, 1)
    assert any("state.sqlite is not used: whether git tracks it is not known" in note for note in notes), notes
    assert not any("is not used" in note for note in check("--state", str(tmp_path / "state.sqlite"))[1])


def test_a_state_needs_no_git(workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without_git(monkeypatch, tmp_path)
    outside = check("--state", str(tmp_path / "state.sqlite"))
    assert outside[0] in (0, 1)
    assert not any("is not used" in note for note in outside[1])
    _, notes = check("--state", "state.sqlite")
    assert any("whether git tracks it is not known: git is not installed" in note for note in notes), notes
    shutil.rmtree(workspace / ".git")
    assert not any("is not used" in note for note in check("--state", "state.sqlite")[1])
    assert (workspace / "state.sqlite").is_file()


@DAMAGES
def test_dates_by_git_are_not_used(damage: Damage, workspace: Path) -> None:
    damage(workspace)
    _, notes = check("--set", "output.lastmod=git")
    assert any("output.lastmod, dates by git is not used: git cannot read" in note for note in notes), notes


@DAMAGES
def test_a_baseline_in_it_says_why_it_is_not_there(
    damage: Damage, workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    damage(workspace)
    flags = ["--path", ".", "--site-url", SITE, "--offline", "--baseline", "git:HEAD"]
    assert run(["check", *flags]) == 2
    assert "git cannot" in capsys.readouterr().err


@DAMAGES
def test_init_takes_it_for_no_repository(damage: Damage, workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    damage(workspace)
    assert run(["init"]) == 0
    assert "git is not asked: git cannot read the repository of" in capsys.readouterr().out
