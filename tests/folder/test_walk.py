"""Walking a build directory: symbolic links, hidden files, unreadable folders, odd names."""

import os
from pathlib import Path

import pytest

from sitemap_action.folder.walk import walk


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


@pytest.mark.attack("paths")
def test_a_circle_of_links_ends(tmp_path: Path) -> None:
    root = tree(tmp_path, "a/page.html")
    (root / "a" / "again").symlink_to(root / "a")
    (root / "a" / "top").symlink_to(root)
    assert "a/page.html" in walk(str(root)).files


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
