"""The two files of `init` appear together, in new folders too, and what is in their place stays."""

import os
from pathlib import Path

import pytest

from publications import make_files_of_init
from sitemap_action.errors import UsageError
from sitemap_action.setup.texts import CONFIG, WORKFLOW

BOTH = {CONFIG: "one\n", WORKFLOW: "two\n"}


@pytest.fixture(params=[True, False], ids=["drafts without a name", "drafts with a name"], autouse=True)
def unnamed(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if not request.param:
        monkeypatch.setattr("sitemap_action.disk.folder._UNNAMED", 0)


def files(root: Path) -> dict[str, str]:
    return {path.relative_to(root).as_posix(): path.read_text() for path in root.rglob("*") if path.is_file()}


def test_both(tmp_path: Path) -> None:
    make_files_of_init(BOTH, tmp_path)
    assert files(tmp_path) == BOTH
    assert (tmp_path / CONFIG).stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize("name", BOTH)
def test_one_that_is_there_leaves_both_as_they_are(name: str, tmp_path: Path) -> None:
    (tmp_path / name).parent.mkdir(parents=True)
    (tmp_path / name).write_text("mine")
    with pytest.raises(UsageError, match=f"cannot write {name}: it exists already"):
        make_files_of_init(BOTH, tmp_path)
    assert files(tmp_path) == {name: "mine"}


def test_one_that_appears_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link = os.link

    def late(*places: str, **folders: int) -> None:
        if (tmp_path / CONFIG).exists():
            (tmp_path / WORKFLOW).write_text("mine")
        link(*places, **folders)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "link", late)
    with pytest.raises(UsageError, match=f"cannot write {WORKFLOW}: File exists"):
        make_files_of_init(BOTH, tmp_path)
    assert files(tmp_path) == {WORKFLOW: "mine"}


def test_no_other_file(tmp_path: Path) -> None:
    for path in (".github/workflows/other.yml", ".git/config", "sitemap.xml", "../x", ".github/./sitemap.yml"):
        with pytest.raises(UsageError, match="it is no file of init"):
            make_files_of_init({CONFIG: "x", path: "x"}, tmp_path)
    assert files(tmp_path) == {}
