"""Walking a build directory: symbolic links, hidden files, unreadable folders, odd names."""

import os
from pathlib import Path

import pytest

from sitemap_action.walk.folders import LINKED_ENTRIES, walk


def tree(root: Path, *paths: str) -> Path:
    for path in paths:
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x")
    return root


def test_every_file_with_slashes(tmp_path: Path) -> None:
    found = walk(str(tree(tmp_path, "index.html", "a/b/c.html", "style.css")))
    assert found.files == {"index.html", "a/b/c.html", "style.css"}


def test_hidden_files_and_packages_are_skipped(tmp_path: Path) -> None:
    found = walk(str(tree(tmp_path, ".git/x.html", ".well-known/y.html", "node_modules/p/README.html", "a.html")))
    assert found.files == {"a.html"}
    assert found.skipped == {"node_modules/": "packages, not pages"}


@pytest.mark.attack("paths")
def test_HOST_12_link_inside_the_root_is_read_and_outside_is_not(tmp_path: Path) -> None:
    outside = tree(tmp_path / "outside", "secret.html")
    root = tree(tmp_path / "site", "real/page.html")
    (root / "inside").symlink_to(root / "real")
    (root / "leak").symlink_to(outside)
    (root / "passwd.html").symlink_to(outside / "secret.html")
    found = walk(str(root))
    assert found.files == {"real/page.html", "inside/page.html"}
    assert found.skipped == {
        "leak/": "symbolic link that points out of the folder",
        "passwd.html": "symbolic link that points out of the folder",
    }


def test_HOST_12_each_of_several_links_to_one_folder_is_read(tmp_path: Path) -> None:
    """Versioned documentation has aliases: without them, the pages below all but one would be called gone."""
    root = tree(tmp_path, "1.2/page.html", "1.2/more/page.html")
    for alias in ("stable", "latest", "dev"):
        (root / alias).symlink_to("1.2")
    names = ("1.2", "dev", "latest", "stable")
    assert walk(str(root)).files == {f"{name}/{page}" for name in names for page in ("page.html", "more/page.html")}


@pytest.mark.attack("paths")
def test_a_circle_of_links_ends(tmp_path: Path) -> None:
    root = tree(tmp_path, "a/page.html", "b/page.html")
    (root / "a" / "again").symlink_to(root / "a")
    (root / "a" / "top").symlink_to(root)
    (root / "a" / "b").symlink_to(root / "b")
    (root / "b" / "a").symlink_to(root / "a")
    found = walk(str(root))
    assert found.files == {"a/page.html", "a/b/page.html", "b/page.html", "b/a/page.html"}
    assert {"a/again/", "a/top/", "a/b/a/", "b/a/b/"} <= found.skipped.keys()
    assert set(found.skipped.values()) == {"symbolic link to a folder that it lies in"}


@pytest.mark.attack("paths")
def test_folders_that_all_link_to_each_other_are_read_to_a_limit(tmp_path: Path) -> None:
    """Ten folders have millions of ways through them."""
    root = tree(tmp_path, *(f"{number}/page.html" for number in range(10)))
    for number in range(10):
        for other in range(10):
            (root / str(number) / f"to{other}").symlink_to(root / str(other))
    found = walk(str(root))
    assert LINKED_ENTRIES < found.entries < 2 * LINKED_ENTRIES
    assert "symbolic links lead to too many files" in found.skipped.values()
    assert walk(str(root)) == found


def test_HOST_12_a_name_that_is_not_utf8_is_skipped(tmp_path: Path) -> None:
    try:
        (Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.html"))).write_text("x")
    except OSError:
        pytest.skip("this file system refuses names that are not UTF-8")
    found = walk(str(tmp_path))
    assert found.files == set()
    assert found.skipped == {"caf\udce9.html": "file name is not UTF-8"}


def test_a_missing_root_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        walk(str(tmp_path / "missing"))
