"""Files below `.git`, fuzzed: a file of a commit is what its id says, or is refused; nothing else is shown (S-13, S-14)."""

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mutations import fuzz
from repositories import Origin, checkout, git, pull_request
from sitemap_action.errors import BaselineError
from sitemap_action.repo.git import Git

pytestmark = pytest.mark.skipif(os.name != "posix", reason="symbolic links and pipes of POSIX")
SECRET = b"s3cret-of-another-file"
TRUE = b"base" * 30
PATHS = ("sitemap.xml", "public/deep/sitemap.xml", "none.xml")


@pytest.fixture(scope="module")
def storage(tmp_path_factory: pytest.TempPathFactory) -> tuple[Origin, list[Path]]:
    """Two clones, of loose objects and of one pack, from which each example starts."""
    folder = tmp_path_factory.mktemp("storage")
    base = {"sitemap.xml": TRUE.decode(), "public/deep/sitemap.xml": "deep"}
    origin = pull_request(folder / "origin", base, {**base, "sitemap.xml": "change"}, main={**base, "other": "later"})
    clones = [checkout(origin.directory, origin.merge, folder / name, depth=0) for name in ("loose", "packed")]
    git(clones[1], "repack", "-qad")
    return origin, clones


WHAT = ("link to a file", "link to a folder", "link within", "pipe", "empty", "garbage", "other bytes", "cut", "doubled", "of another", "gone", "a folder", "unreadable")  # fmt: skip
CHANGE = st.tuples(st.sampled_from(WHAT), st.integers(0, 10_000), st.binary(max_size=40))
CHANGES = st.lists(CHANGE, min_size=1, max_size=4)


def _change(files: list[Path], what: str, number: int, data: bytes, outside: Path) -> None:
    place, other = files[number % len(files)], files[(number // 7) % len(files)]
    content = place.read_bytes() if place.is_file() and not place.is_symlink() else b""
    given_by = other.read_bytes() if other.is_file() and not other.is_symlink() else b""
    made = {
        "empty": b"",
        "garbage": data * 9,
        "other bytes": content[: number % (len(content) + 1)] + data + content[number % (len(content) + 1) :],
        "cut": content[: len(content) // 2],
        "doubled": content * 2,
        "of another": given_by,
    }
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    else:
        place.unlink(missing_ok=True)
    match what:
        case "link to a file":
            place.symlink_to(outside / "secret")
        case "link to a folder":
            place.symlink_to(outside)
        case "link within":
            place.symlink_to(other)
        case "pipe":
            os.mkfifo(place)
        case "a folder":
            place.mkdir()
        case "unreadable":
            place.write_bytes(content)
            place.chmod(0)
        case "gone":
            pass
        case _:
            place.write_bytes(made[what])


@pytest.mark.attack("storage")
@fuzz(share=5)
@given(packed=st.booleans(), changes=CHANGES)
def test_a_file_of_a_commit_is_what_its_id_says(storage: tuple[Origin, list[Path]], packed: bool, changes: list[tuple[str, int, bytes]]) -> None:  # fmt: skip
    origin, clones = storage
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        outside = folder / "outside"
        outside.mkdir()
        (outside / "secret").write_bytes(SECRET + b"\n")
        clone = folder / "clone"
        shutil.copytree(clones[packed], clone, symlinks=True)
        files = sorted(path for path in (clone / ".git").rglob("*") if "hooks" not in path.parts)
        for what, number, data in changes:
            with suppress(OSError):  # what it would change is gone
                _change(files, what, number, data, outside)
        said = ""
        for path, true in zip(PATHS, (TRUE, b"deep", None), strict=True):
            try:
                assert Git(clone).blob(origin.main, path) == true or Git(clone).top() is None
            except BaselineError as error:
                said += f"{error} {error.hint}"
        assert SECRET.decode() not in said
        with suppress(BaselineError):
            assert Git(clone).parents(origin.merge) in ((origin.main, origin.head), ())
