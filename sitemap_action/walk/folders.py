"""Folders that are read: a build with every file that is served, and the repository for what configures its host.

The files of the repository are read through no link; what pings search engines is found in them, too.

Sitemaps in files: one that a user names, those of a folder, and what an index lists, which is beside it. Only the user
names a file. A sitemap names URLs, which are looked up beside the first file, by path; nothing in a sitemap reaches any
other file, and a sitemap of the web reaches none.
"""

import errno
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import TypeAlias
from urllib.parse import unquote, urlsplit

from msgspec import Struct, field

from sitemap_action.disk.folder import Workspace, path_names, read_bounded, read_whole
from sitemap_action.errors import BaselineError, UsageError
from sitemap_action.fetch.base import Answer, Request, Response, Skip
from sitemap_action.hosts.base import ControlFile
from sitemap_action.model.finding import Place
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.robots.groups import Profile, parse
from sitemap_action.sitemap.protocol import MAX_INFLATED, without_suffix

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


# --- sitemaps in files ---

_NOT_BESIDE = "no such file beside the index"
_HAS_QUERY = "its address has a query, and no file beside the index has that in its name; give the URL of the index"
_MAX_ROBOTS = 512_000  # bytes of robots.txt (RB-18)

Store: TypeAlias = Callable[[str], bytes | None]
"""Path with `/` → content; None when there is no such file. Raises BaselineError when it cannot be read."""


class WorkTree(Struct, frozen=True):
    """Files below a directory, as a Store: through no link, and never what is git's.

    `named`: a path that the command line gave. It may lead anywhere, and what is beside it is below its folder.
    """

    root: Path
    named: str = ""

    def __call__(self, path: str) -> bytes | None:
        try:
            return self._read(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:
                return None  # no file has such a name
            hint = "name a regular file of the workspace that this user may read, without a symbolic link"
            raise BaselineError(f"cannot read {path}: {error.strerror}", hint=hint) from None

    def _read(self, path: str) -> bytes:
        folder = PurePosixPath(self.named).parent
        if self.named == path:
            return read_whole(self.root / path, MAX_INFLATED)
        if self.named and PurePosixPath(path).is_relative_to(folder):
            beside = PurePosixPath(path).relative_to(folder)
            return Workspace(self.root / folder).read_whole(str(beside), MAX_INFLATED)
        return Workspace(self.root).read_whole(path, MAX_INFLATED)


def find_beside(directory: str, address: str, store: Store) -> tuple[str, bytes] | None:
    """(path, content) of the file that a sitemap of this URL is kept in; None when the directory has none.

    A child is kept beside its index: the longest tail of its URL path that names a file there is that file. With a
    query it is another document, so that the file's name must have the query too.
    """
    parts = urlsplit(address)
    segments = [part for part in unquote(parts.path).split("/") if part not in ("", ".", "..")]
    if parts.query and segments:
        segments[-1] += f"?{parts.query}"
    for start in range(len(segments)):
        path = str(PurePosixPath(directory).joinpath(*segments[start:]))
        if (content := store(path)) is not None:
            return path, content
    return None


class LocalSitemaps:
    """Sitemaps in a store as answers: documents by their name, and what an index lists by the file beside it."""

    def __init__(self, store: Store, directory: str, seeds: tuple[str, ...], contents: dict[str, bytes]) -> None:
        """`directory`: what the children of an index are beside; `contents`: those of some seeds."""
        self.store, self.seeds = store, seeds
        self._directory, self._contents = directory, contents

    def answer(self, request: Request) -> Answer:
        """Raises BaselineError for a file that cannot be read."""
        url = request.url
        if (content := self._contents.get(url)) is not None:
            return Response(url, 200, body=content)
        found = find_beside(self._directory, url, self.store)
        if found is None:
            return Skip(url, _HAS_QUERY if urlsplit(url).query else _NOT_BESIDE)
        path, content = found
        hops = (path,) if path in self._contents else ()  # an index that lists the first document is no second one
        return Response(url, 200, body=content, path=path, hops=hops)

    def answer_or_skip(self, request: Request) -> Answer:
        """A file that cannot be read is one document that is unavailable."""
        try:
            return self.answer(request)
        except BaselineError as error:
            return Skip(request.url, str(error))


def sitemap_at(store: Store, path: str) -> LocalSitemaps | None:
    """The sitemap at a path; None when there is no such file. Raises BaselineError when it cannot be read."""
    content = store(path)
    if content is None:
        return None
    return LocalSitemaps(store, str(PurePosixPath(path).parent), (path,), {path: content})


def named_file(source: str, paths: tuple[str, ...] = ()) -> LocalSitemaps:
    """What a path, a `file:` URL or a folder names; in a folder, `paths` are looked for. Raises UsageError."""
    path = Path(unquote(urlsplit(source).path) if source.lower().startswith("file:") else source)
    try:
        if path.is_dir():
            return _folder(source, path, paths)
        return LocalSitemaps(WorkTree(path.parent), "", (source,), {source: _read_named(path)})
    except OSError as error:
        hint = "name a sitemap, a folder with one, or the URL of a site or of its sitemap"
        raise UsageError(f"cannot read {source}: {error.strerror}", hint=hint) from None


def _read_named(path: Path) -> bytes:
    """What a user names may be a pipe, as the shell makes one of `<(command)`."""
    with path.open("rb") as file:
        return read_bounded(file, MAX_INFLATED)


def _folder(source: str, folder: Path, paths: tuple[str, ...]) -> LocalSitemaps:
    """What a site that is built there would declare in its robots.txt, and usual paths; without that the first."""
    robots, inside = folder / "robots.txt", Workspace(folder)
    lines = parse(inside.read_head(robots.name, _MAX_ROBOTS), Profile.GOOGLE).sitemaps if robots.is_file() else ()
    if lines:
        named = tuple(text for _, text in lines)
        others = _usual_files(inside, folder, paths, named)
        return LocalSitemaps(WorkTree(folder), "", (*named, *others), others)
    for name in paths:
        path = folder / name.lstrip("/")
        if path.is_file():
            content = inside.read_whole(name.lstrip("/"), MAX_INFLATED)
            return LocalSitemaps(WorkTree(path.parent), "", (str(path),), {str(path): content})
    raise UsageError(
        f"{source}: no sitemap in this folder",
        hint=f"it has neither a robots.txt with Sitemap lines nor {', '.join(name.lstrip('/') for name in paths)}",
    )


def _usual_files(inside: Workspace, folder: Path, paths: tuple[str, ...], named: tuple[str, ...]) -> dict[str, bytes]:
    """The content of the usual paths that robots.txt does not name, in this or another format."""
    known = {without_suffix(PurePosixPath(urlsplit(url).path).name) for url in named}
    found = {}
    for name in paths:
        path = folder / name.lstrip("/")
        if path.is_file() and (key := without_suffix(path.name)) not in known:
            known.add(key)
            found[str(path)] = inside.read_whole(name.lstrip("/"), MAX_INFLATED)
    return found
