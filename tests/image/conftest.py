"""The image, built once, and a step of a job for every test."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from containers import ENGINE, FROM, Engine, Runner

ROOT = Path(__file__).parents[2]


def pytest_itemcollected(item: pytest.Item) -> None:
    """One worker has the image, and the others would build it again; called for tests of this folder alone."""
    item.add_marker(pytest.mark.xdist_group("image"))


@pytest.fixture(scope="session")
def engine() -> Engine:
    if not ENGINE:
        pytest.skip("needs a container engine: make image ENGINE=docker, or podman")
    if not shutil.which(ENGINE):
        pytest.skip(f"needs {ENGINE}: .ci/run brings podman on Debian, as root")
    found = Engine("localhost/sitemap-action:test")
    built = found.call("build", "--quiet", *FROM, "--tag", found.image, str(ROOT))
    assert built.returncode == 0, built.stdout
    return found


@pytest.fixture
def runner(engine: Engine, tmp_path: Path) -> Iterator[Runner]:
    found = Runner.make(tmp_path / "github", engine.image)
    yield found
    found.own(os.getuid(), os.getgid())
