"""Every file of a build directory, and the paths that are skipped."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct, field

_NOT_SITE = frozenset({"node_modules"})
# What is read through links, in entries of directories: so many times all that is no link, or the number. A version of
# a documentation has a few names; folders that link to each other have as many ways through them as one likes.
_TIMES, LINKED_ENTRIES = 20, 2_000


class FileTree(Struct):
    """Paths are relative to the root, with `/`."""

    files: set[str] = field(default_factory=set)
    entries: int = 0  # of directories, counted as often as they were listed
    unreadable: list[str] = field(default_factory=list)  # directories whose content is unknown
    skipped: dict[str, str] = field(default_factory=dict)  # path, of a directory with a final slash → why (HOST-12)


class _LinkedFolder(NamedTuple):
    """A link to a directory, as it is found on the way down."""

    path: str
    place: str  # in the file system
    above: tuple[str, ...]  # real paths of the directories on the way that have a link, or that one leads to


def walk(root: str) -> FileTree:
    """Raises OSError when the root itself cannot be listed.

    A directory is read under each of its names, as a server serves it: `latest` and `stable` may both link to `1.2`.
    Links are followed after what is no link, in the order of their paths: the order of a listing decides nothing.
    """
    tree = FileTree()
    real_root = os.path.realpath(root)
    links = sorted(_walk_real(tree, "", _listing(root), real_root, ()))
    limit = tree.entries + max(_TIMES * tree.entries, LINKED_ENTRIES)
    while links:
        found: list[_LinkedFolder] = []
        for link in links:
            real = os.path.realpath(link.place)
            above = (*link.above, os.path.realpath(Path(link.place).parent))
            if any(_contains(real, folder) for folder in above):
                tree.skipped[f"{link.path}/"] = "symbolic link to a folder that it lies in"
            elif tree.entries >= limit:
                tree.skipped[f"{link.path}/"] = "symbolic links lead to too many files"
            elif (entries := _readable(tree, link.path, link.place)) is not None:
                found += _walk_real(tree, f"{link.path}/", entries, real_root, (*above, real))
        links = sorted(found)
    return tree


def _walk_real(
    tree: FileTree, prefix: str, entries: list[os.DirEntry[str]], real_root: str, above: tuple[str, ...]
) -> Iterator[_LinkedFolder]:
    """Adds all that is below a directory, and yields the links to other ones."""
    pending = [(prefix, entries)]
    while pending:
        prefix, entries = pending.pop()
        tree.entries += len(entries)
        for item in entries:
            path = prefix + item.name
            if item.name.startswith("."):
                continue
            directory = item.is_dir()
            if why := _skip_reason(item, real_root, directory=directory):
                tree.skipped[path + "/" * directory] = why
            elif not directory:
                if item.is_file():
                    tree.files.add(path)
            elif item.is_symlink():
                yield _LinkedFolder(path, item.path, above)
            elif (below := _readable(tree, path, item.path)) is not None:
                pending.append((f"{path}/", below))


def _skip_reason(item: os.DirEntry[str], real_root: str, *, directory: bool) -> str:
    """Why an entry is not read (HOST-12), "" where it is."""
    if not _is_utf8(item.name):
        return "file name is not UTF-8"
    if item.is_symlink() and not _inside(item.path, real_root):
        return "symbolic link that points out of the folder"
    return "packages, not pages" if directory and item.name in _NOT_SITE else ""


def _readable(tree: FileTree, path: str, place: str) -> list[os.DirEntry[str]] | None:
    try:
        return _listing(place)
    except OSError:
        tree.unreadable.append(f"{path}/")
        return None


def _listing(path: str) -> list[os.DirEntry[str]]:
    with os.scandir(path) as entries:
        return list(entries)


def _inside(path: str, real_root: str) -> bool:
    """Whether a link leads to what the walk reads itself: in the root, and not in a hidden folder such as .git."""
    real = os.path.realpath(path)
    return _contains(real_root, real) and f"{os.sep}." not in real[len(real_root.rstrip(os.sep)) :]


def _contains(folder: str, real: str) -> bool:
    return real == folder or real.startswith(folder.rstrip(os.sep) + os.sep)


def _is_utf8(name: str) -> bool:
    """A name that is not valid UTF-8 is decoded with lone surrogates."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
