"""Folders that are read: a build with every file that is served, and the repository for what configures its host.

The files of the repository are read through no link; what pings search engines is found in them, too.
"""

import errno
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct, field

from sitemap_action.disk.folder import Workspace, path_names
from sitemap_action.hosts.base import ControlFile
from sitemap_action.model.finding import Place
from sitemap_action.model.lazy_re import lazy_re

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


# A link to a directory, as it is found on the way down: its path, its place in the file system, and the real paths of
# the directories on the way that have a link, or that one leads to.
_LinkedFolder: TypeAlias = tuple[str, str, tuple[str, ...]]


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
        for path, place, before in links:
            real = os.path.realpath(place)
            above = (*before, os.path.realpath(Path(place).parent))
            if any(_contains(real, folder) for folder in above):
                tree.skipped[f"{path}/"] = "symbolic link to a folder that it lies in"
            elif tree.entries >= limit:
                tree.skipped[f"{path}/"] = "symbolic links lead to too many files"
            elif (entries := _readable(tree, path, place)) is not None:
                found += _walk_real(tree, f"{path}/", entries, real_root, (*above, real))
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
                yield path, item.path, above
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


# --- files of the repository ---

_MAX_FILE = 4 * 2**20 + 1  # bytes: of a larger one, enough to tell that it is
_WORKFLOWS = ".github/workflows"
_MAX_WORKFLOWS = 100
_PING = lazy_re(
    rb"\b(google|bing)\.[a-z.]{2,6}/(?:webmasters?/(?:tools/|sitemaps/)?)?ping(?:\.aspx)?\?sitemap=", re.IGNORECASE
)
_SCRIPTS = "package.json"
_ABSENT = (FileNotFoundError, NotADirectoryError, IsADirectoryError)


class Repository(Struct):
    """`build`: path of the build directory; one outside of the workspace has no folders above it in there."""

    workspace: Path
    build: str
    unreadable: list[str] = field(default_factory=list)  # sentences
    edited: Mapping[str, bytes] = {}  # files in place of those that are there, by path

    def find(self, name: str) -> ControlFile | None:
        """The nearest file of this name."""
        for distance, place in enumerate(self._places()):
            path = f"{place}{name}"
            if path in self.edited:
                return ControlFile(path, self.edited[path], distance)
            try:
                return ControlFile(path, Workspace(self.workspace).read_head(path, _MAX_FILE), distance)
            except _ABSENT:
                continue
            except OSError as error:
                self._refuse(path, error)
        return None

    def folder(self, name: str) -> str | None:
        """Path of the nearest folder of this name, the build itself aside."""
        for place in self._places()[1:]:
            try:
                Workspace(self.workspace).folder_path(f"{place}{name}")
            except OSError:
                continue
            return f"{place}{name}"
        return None

    def workflows(self) -> Sequence[ControlFile]:
        return list(self._workflows())

    def _workflows(self) -> Iterator[ControlFile]:
        try:
            with Workspace(self.workspace).folder(_WORKFLOWS) as folder:
                names = sorted(name for name in folder.names() if name.endswith((".yml", ".yaml")))
        except OSError:
            return
        for name in names[:_MAX_WORKFLOWS]:
            path = f"{_WORKFLOWS}/{name}"
            try:
                yield ControlFile(path, Workspace(self.workspace).read_head(path, _MAX_FILE))
            except OSError as error:
                self._refuse(path, error)

    def _places(self) -> list[str]:
        """The build and the folders above it, nearest first, each "" or with a final slash."""
        try:
            names = path_names(self.build, self.workspace)
        except OSError:
            return [""]
        return ["".join(f"{name}/" for name in names[:end]) for end in range(len(names), -1, -1)]

    def _refuse(self, path: str, error: OSError) -> None:
        why = error.strerror or errno.errorcode.get(error.errno or 0, "it cannot be opened")
        sentence = f"{path} is not read: {why}"
        if sentence not in self.unreadable:
            self.unreadable.append(sentence)


def find_pings(workspace: Path) -> tuple[tuple[Place, str], ...]:
    """Lines of workflows and npm scripts that ping a search engine about a sitemap, and the engine (SM-69).

    A comment is none.
    """
    repository = Repository(workspace, ".")
    files = [*repository.workflows(), *filter(None, [repository.find(_SCRIPTS)])]
    return tuple(found for file in files for found in _pings_in(file.path, file.content))


def _pings_in(path: str, content: bytes) -> Iterator[tuple[Place, str]]:
    if b"ping" not in content:
        return
    for number, line in enumerate(content.splitlines(), 1):
        if (found := _PING.search(line)) and not line.lstrip().startswith(b"#"):
            yield Place(path, number), found[1].decode().lower()
