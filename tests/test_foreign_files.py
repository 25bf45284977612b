"""Whose file it is decides what `write` may do with it: a stranger's is not replaced, a draft of ours does not stay."""

import os
import time
from pathlib import Path

import pytest

from runners import SITE, build, urlset
from sitemap_action.__main__ import run

WRITE = ["write", "--path", "dist", "--sitemap", "sitemap.xml", "--site-url", SITE, "--set", "output.urls-per-file=2"]


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, page in build("a", "b", "c", "d").items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(page)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", ["sitemap-1.xml", "sitemap-2.xml", "sitemap-1.xml.gz", "sitemap-1.txt"])
@pytest.mark.parametrize("first", ["", urlset("a")], ids=["a first one", "one that is there"])
def test_R_31_a_numbered_file_that_is_not_ours_is_not_replaced(name: str, first: str, place: Path) -> None:
    """The next free number is taken."""
    (place / name).write_text(urlset("hand-made"))
    if first:
        (place / "sitemap.xml").write_text(first)
    assert run(WRITE) == 0
    assert (place / name).read_text() == urlset("hand-made")
    written = sorted(path.name for path in place.glob("sitemap*") if path.name != name)
    assert len(written) == 4
    assert name.partition(".")[0] not in {one.partition(".")[0] for one in written}
    before = {one: (place / one).read_bytes() for one in written}
    assert run(WRITE) == 0  # and our own stay where they are
    assert {one: (place / one).read_bytes() for one in written} == before


def test_R_31_a_copy_in_another_format_is_ours(place: Path) -> None:
    both = [*WRITE, "--set", "output.format=[xml, text]"]
    assert run(both) == 0
    names = sorted(path.name for path in place.glob("sitemap*"))
    assert {"sitemap-1.xml", "sitemap-1.txt", "sitemap-3.txt"} <= {*names}
    assert run(both) == 0
    assert sorted(path.name for path in place.glob("sitemap*")) == names


def test_R_39_what_a_killed_run_left_goes_with_the_next_one(place: Path) -> None:
    """A younger draft may be another run's, and other names are not ours."""
    old, young, other = (place / f".sitemap-action-{name}" for name in ("a" * 32, "b" * 32, "notes"))
    (place / f".sitemap-action-{'c' * 32}").symlink_to("dist")
    (place / "reports").mkdir()
    beside = place / "reports" / old.name
    for file in (old, young, other, beside):
        file.write_text("half")
    for file in (old, other, beside):
        os.utime(file, (time.time() - 3700,) * 2)
    assert run([*WRITE, "--report", "json=reports/report.json"]) == 0
    assert [file.exists() for file in (old, beside, young, other)] == [False, False, True, True]
    assert (place / f".sitemap-action-{'c' * 32}").is_symlink()


def test_R_39_a_dry_run_removes_nothing(place: Path) -> None:
    draft = place / f".sitemap-action-{'a' * 32}"
    draft.write_text("half")
    os.utime(draft, (time.time() - 3700,) * 2)
    assert run([*WRITE, "--dry-run"]) == 0
    assert draft.exists()
