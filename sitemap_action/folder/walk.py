"""Every file of a build directory, and the paths that are skipped."""

import os

from msgspec import Struct, field

_NOT_SITE = frozenset({"node_modules"})


class FileTree(Struct):
    """Paths are relative to the root, with `/`."""

    files: set[str] = field(default_factory=set)
    unreadable: list[str] = field(default_factory=list)  # directories whose content is unknown
    skipped: dict[str, str] = field(default_factory=dict)  # path, of a directory with a final slash → why (HOST-12)


def walk(root: str) -> FileTree:
    """Raises OSError when the root itself cannot be listed."""
    tree = FileTree()
    real_root = os.path.realpath(root)
    seen = {real_root}
    pending = [("", _listing(root))]
    while pending:
        prefix, listing = pending.pop()
        for item in listing:
            path = prefix + item.name
            if not _is_utf8(item.name):
                tree.skipped[path] = "file name is not UTF-8"
            elif item.name.startswith("."):
                continue
            elif item.is_symlink() and not _inside(item.path, real_root):
                tree.skipped[path + "/" * item.is_dir()] = "symbolic link that points out of the folder"
            elif item.is_dir():
                _descend(tree, item, path, seen, pending)
            elif item.is_file():
                tree.files.add(path)
    return tree


def _descend(
    tree: FileTree, item: os.DirEntry[str], path: str, seen: set[str], pending: list[tuple[str, list[os.DirEntry[str]]]]
) -> None:
    if item.name in _NOT_SITE:
        tree.skipped[f"{path}/"] = "packages, not pages"
        return
    if item.is_symlink():  # only a link can point to a directory that was walked already
        real = os.path.realpath(item.path)
        if real in seen:
            return
        seen.add(real)
    try:
        pending.append((f"{path}/", _listing(item.path)))
    except OSError:
        tree.unreadable.append(f"{path}/")


def _listing(path: str) -> list[os.DirEntry[str]]:
    with os.scandir(path) as entries:
        return list(entries)


def _inside(path: str, real_root: str) -> bool:
    """Whether a link leads to what the walk reads itself: below the root, and not to a hidden folder such as .git."""
    real, root = os.path.realpath(path), real_root.rstrip(os.sep) + os.sep
    return real.startswith(root) and f"{os.sep}." not in real[len(root) - 1 :]


def _is_utf8(name: str) -> bool:
    """A name that is not valid UTF-8 is decoded with lone surrogates."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
