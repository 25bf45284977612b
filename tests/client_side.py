"""The applications that `.ci/applications` builds, for tests that read or render them."""

from pathlib import Path

import pytest

SOURCES = Path(__file__).parent / "applications"
BUILT = Path(__file__).parents[1] / "build/applications"


def built(name: str) -> Path:
    """The folder of one application, or a skipped test."""
    if not (BUILT / ".sources").exists():
        pytest.skip("the applications of tests/applications are not built: run `make applications`, which needs npm")
    return BUILT / name


def listed(name: str) -> list[str]:
    """The paths of its sitemap, sorted."""
    return sorted((SOURCES / name / "listed.txt").read_text(encoding="utf-8").split())
