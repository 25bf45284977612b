"""A repository is made and pinned once, and copied for every test."""

import shutil
from pathlib import Path

import pytest

from releases.steps import git, pinned, repository


@pytest.fixture(scope="session")
def templates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("releases")
    for name in ("plain", "pinned"):
        (folder / name).mkdir()
        made = repository(folder / name)
        if name == "pinned":
            pinned(made, "1.0.0", folder / name)
    return folder


def copied(template: Path, folder: Path) -> Path:
    shutil.copytree(template, folder, dirs_exist_ok=True)
    git(folder / "repository", "remote", "set-url", "origin", str(folder / "remote.git"))
    return folder / "repository"


@pytest.fixture
def plain(templates: Path, tmp_path: Path) -> Path:
    """Version 0.1.0, nothing prepared."""
    return copied(templates / "plain", tmp_path)


@pytest.fixture
def release_1(templates: Path, tmp_path: Path) -> Path:
    """Version 1.0.0 as it is before its tag."""
    return copied(templates / "pinned", tmp_path)
