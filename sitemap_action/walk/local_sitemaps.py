"""Sitemaps in files: one that a user names, those of a folder, and what an index lists, which is beside it.

Only the user names a file. A sitemap names URLs, which are looked up beside the first file, by path; nothing in a
sitemap reaches any other file, and a sitemap of the web reaches none.
"""

import errno
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import TypeAlias
from urllib.parse import unquote, urlsplit

from msgspec import Struct

from sitemap_action.disk.folder import Workspace, read_bounded, read_whole
from sitemap_action.errors import BaselineError, UsageError
from sitemap_action.fetch.base import Answer, Request, Response, Skip
from sitemap_action.robots.groups import Profile, parse
from sitemap_action.sitemap.protocol import MAX_INFLATED, without_suffix

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
