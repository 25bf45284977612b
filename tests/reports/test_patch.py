"""A patch of any two versions of a file is what `git apply` makes one of the other with."""

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from outcomes import OK
from repositories import git
from sitemap_action.model.outcome import ReportDetails
from sitemap_action.model.sitemap import FileVersions
from sitemap_action.reports.sitemap_files import find_changes, render_patch, unified_diff

LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\r\n", "\n", "é\n", "-x\n", "d"]), max_size=12).map("".join)


def apply(folder: Path, one: FileVersions) -> bytes | None:
    """The file after `git apply`; None where there is none."""
    file = folder / one.path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.unlink(missing_ok=True)
    if one.before is not None:
        file.write_bytes(one.before)
    if text := unified_diff(one):
        (folder / "p.diff").write_bytes(text.encode())
        git(folder, "-c", "core.autocrlf=false", "apply", "--whitespace=nowarn", "p.diff")
    return file.read_bytes() if file.exists() else None


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("patches")
    git(place, "init", "-q")
    return place


@settings(max_examples=60, deadline=None)
@given(before=LINES, after=LINES)
def test_git_applies_it(folder: Path, before: str, after: str) -> None:
    assert apply(folder, FileVersions("a.txt", before.encode(), after.encode())) == after.encode()


# path, before, after
FILES = [
    ("new.txt", None, b"one\ntwo"),
    ("new/deep/file.txt", None, b"one\r\n"),
    ("empty.txt", None, b""),
    ("old.txt", b"one\n", None),
    ("with space.txt", b"one\n", b"two\n"),
    ('\u00fcml\u00e4ut "q".txt', b"one\n", b"two\n"),
    ("same.txt", b"one\n", b"one\n"),
    ("end.txt", b"one\ntwo", b"one\ntwo\n"),
    ("end.txt", b"one\ntwo\n", b"one\ntwo"),
]


@pytest.mark.parametrize(("path", "before", "after"), FILES)
def test_new_deleted_and_oddly_named_files(folder: Path, path: str, before: bytes | None, after: bytes | None) -> None:
    assert apply(folder, FileVersions(path, before, after)) == after


def test_the_place_of_a_unique_line_is_kept() -> None:
    old = [f"{number}\n" for number in range(100)]
    new = [*old[:50], "x\n", *old[50:80], *old[81:]]
    assert find_changes(old, new) == [(50, 50, 50, 51), (80, 81, 81, 81)]


def test_files_without_a_line_in_common_are_replaced() -> None:
    numbers = random.Random(1)
    old, new = ([f"{numbers.random()}\n" for _ in range(20_000)] for _ in range(2))
    assert find_changes(old, new) == [(0, 20_000, 0, 20_000)]


def test_what_is_no_text_is_named() -> None:
    patch = (FileVersions("sitemap.xml.gz", b"\x1f\x8b\x00", b"\x1f\x8b\x01"), FileVersions("a", b"1\n", b"2\n"))
    text = render_patch(replace(OK, details=ReportDetails(patch=patch)))
    assert text.startswith("# not in this patch, for it is no text: sitemap.xml.gz\ndiff --git a/a b/a\n")
