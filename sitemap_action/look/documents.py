"""The documents of one sitemap and the places that keep them: a work tree, a commit of a repository, standard input.

Only the user names a file. A sitemap names URLs, which are looked up beside the first file, by path; nothing in a
sitemap reaches any other file, and a sitemap of the web reaches none.

Sitemaps of this machine as answers: documents by their name, and what an index lists by the file beside it.

Only the user names a file. A sitemap names URLs, which are looked up beside the first file, by path; nothing in a
sitemap reaches any other file, and a sitemap of the web reaches none.
"""

import errno
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple, TypeAlias
from urllib.parse import unquote, urlsplit

from msgspec import Struct
from xxhash import xxh3_128_hexdigest

from sitemap_action.disk.folder import read_bounded, read_whole
from sitemap_action.disk.workspace import Workspace
from sitemap_action.errors import BaselineError, UsageError
from sitemap_action.fetch.base import Answer, Request, Response, Skip
from sitemap_action.model.sitemap import DocumentKind, DocumentStart, SitemapDocument
from sitemap_action.repo.remote import Remote
from sitemap_action.robots.groups import Profile, parse
from sitemap_action.sitemap.protocol import MAX_INFLATED, without_suffix
from sitemap_action.sitemap.read import read

if TYPE_CHECKING:
    from sitemap_action.repo.git import Git


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


class GitTree(Struct, frozen=True):
    """Files at a commit, as a Store: by path in the workspace, which may be a part of the repository, or hold it."""

    git: "Git"
    commit: str
    workspace: Path
    top: Path | None  # of the repository's work tree
    remote: Remote | None = None  # has the files where the commit is not in this clone

    def __call__(self, path: str) -> bytes | None:
        inside = path_inside(self.top, self.workspace, path)
        return (self.remote or self.git).blob(self.commit, inside) if inside else None

    def first(self, paths: Sequence[str]) -> str:
        """The first of the paths that the commit has; "" when it has none."""
        if self.remote is not None:
            return next((path for path in paths if self(path) is not None), "")
        named = {path: path_inside(self.top, self.workspace, path) for path in paths}
        found = self.git.listed([name for name in named.values() if name], self.commit) if any(named.values()) else ()
        return next((path for path, name in named.items() if name in found), "")


def git_tree(git: "Git", commit: str, workspace: Path, remote: Remote | None = None) -> GitTree:
    return GitTree(git, commit, workspace, git.top(), remote)


class Trees(Struct, frozen=True):
    """All files of the repository, at the commit of a baseline and at the one that is checked out."""

    then: Store
    now: Store


def path_inside(top: Path | None, workspace: Path, path: str) -> str:
    """The path in the repository; "" outside of it."""
    if top is None:
        return ""
    full, root = Path(os.path.normpath(workspace.resolve() / path)), top.resolve()
    return full.relative_to(root).as_posix() if full.is_relative_to(root) else ""


def beside(directory: str, address: str, store: Store) -> tuple[str, bytes] | None:
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


STANDARD_INPUT = "-"
_NOT_BESIDE = "no such file beside the index"
_HAS_QUERY = "its address has a query, and no file beside the index has that in its name; give the URL of the index"
_MAX_ROBOTS = 512_000  # bytes of robots.txt (RB-18)


class LocalSitemaps(Struct, frozen=True):
    """Sitemaps in a store: what to start from, and the directory that children are beside."""

    store: Store
    directory: str
    seeds: tuple[str, ...]
    contents: dict[str, bytes]  # of the seeds

    def answer(self, request: Request) -> Answer:
        """Raises BaselineError for a file that cannot be read."""
        url = request.url
        if (content := self.contents.get(url)) is not None:
            return Response(url, 200, body=content)
        found = beside(self.directory, url, self.store)
        if found is None:
            return Skip(url, _HAS_QUERY if urlsplit(url).query else _NOT_BESIDE)
        path, content = found
        hops = (path,) if path in self.contents else ()  # an index that lists the first document is no second one
        return Response(url, 200, body=content, path=path, hops=hops)

    def answer_or_skip(self, request: Request) -> Answer:
        """A file that cannot be read is one document that is unavailable."""
        try:
            return self.answer(request)
        except BaselineError as error:
            return Skip(request.url, str(error))


def stored_sitemap(store: Store, path: str) -> LocalSitemaps | None:
    """The sitemap at a path; None when there is no such file. Raises BaselineError when it cannot be read."""
    content = store(path)
    if content is None:
        return None
    return LocalSitemaps(store, str(PurePosixPath(path).parent), (path,), {path: content})


def git_sitemap(name: str, workspace: Path, *, offline: bool = False) -> LocalSitemaps:
    """The sitemap that git:REF:PATH names, PATH from the top of the repository. Raises BaselineError."""
    _, reference, path = (*name.split(":", 2), "")[:3]
    if not path:
        raise BaselineError(f"{name} names no file", hint=f"add its path: git:{reference}:public/sitemap.xml")
    git, commit = resolve_commit(name, workspace, offline=offline)
    top = git.top() or workspace
    found = stored_sitemap(GitTree(git, commit, top, top), path)
    if found is None:
        raise BaselineError(f"there is no sitemap at {name}", hint="correct the path")
    return found


def resolve_commit(name: str, workspace: Path, *, offline: bool = False) -> "tuple[Git, str]":
    """The repository and the commit of git:REF[:PATH]; a full object id may be fetched, as a depth-1 clone needs."""
    from sitemap_action.repo.git import Git  # noqa: PLC0415 - few runs start git, and the others start sooner

    reference = name.removeprefix("git:").partition(":")[0]
    git = Git(workspace, offline=offline)
    if git.top() is None:
        why = f": {refusal}" if (refusal := git.refusal()) else ""
        raise BaselineError(
            f"{workspace} is not a git repository{why}", hint="name a file instead, or run in a checkout"
        )
    commit = git.commit(reference)
    if commit is None and git.fetch(reference):
        commit = git.commit(reference)
    if commit is None:
        hint = "fetch it first (actions/checkout with fetch-depth: 0); a branch is origin/NAME there"
        raise BaselineError(f"git cannot find {reference}", hint=hint)
    return git, commit


def user_named(source: str, paths: tuple[str, ...] = ()) -> LocalSitemaps:
    """What a path, a `file:` URL, a folder, git:REF:PATH or `-` names. Raises UsageError, BaselineError."""
    if source == STANDARD_INPUT:
        return LocalSitemaps(WorkTree(Path()), "", (source,), {source: standard_input()})
    if source.startswith("git:"):
        return git_sitemap(source, Path.cwd())
    path = Path(unquote(urlsplit(source).path) if source.lower().startswith("file:") else source)
    try:
        if path.is_dir():
            return _folder(source, path, paths)
        return LocalSitemaps(WorkTree(path.parent), "", (source,), {source: _named(path)})
    except OSError as error:
        hint = "name a sitemap, a folder with one, the URL of a site or of its sitemap, or - for standard input"
        raise UsageError(f"cannot read {source}: {error.strerror}", hint=hint) from None


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


def standard_input() -> bytes:
    """Raises UsageError."""
    try:
        return read_bounded(sys.stdin.buffer, MAX_INFLATED)
    except OSError as error:
        raise UsageError(f"cannot read standard input: {error.strerror}", hint="pipe one sitemap into it") from None


def _named(path: Path) -> bytes:
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


class DocumentRow(NamedTuple):
    """One document, without its bytes."""

    path: str  # as findings cite it: a path, or a URL
    key: str  # its path in the store
    url: str  # that its index states, in normal form; of a seed the name that was given
    address: str = ""  # the URL that answered, or the one that its index states; "" of a file that was named
    named: bool = True  # the suffix of the name must fit; False where a Content-Encoding was decoded


def _no_file(_path: str) -> None:
    return None


class Documents(Struct, frozen=True):
    """An index with everything below it, one file, or nothing. Each iteration reads again: one document is in memory.

    Raises BaselineError on the way for a document that was removed since.
    """

    rows: tuple[DocumentRow, ...] = ()
    store: Store = _no_file

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[SitemapDocument]:
        for row in self.rows:
            if (content := self.store(row.key)) is None:
                raise BaselineError(f"{row.path} was removed while it was read", hint="run again")
            yield SitemapDocument(row.path, content, row.address, row.named)


def digest(content: bytes) -> str:
    """Of one document, to compare it with another."""
    return xxh3_128_hexdigest(content)


def same_bytes(one: Documents, other: Documents) -> bool:
    """Whether both hold the same bytes, document by document."""
    return len(one) == len(other) and all(
        mine.content == theirs.content for mine, theirs in zip(one, other, strict=True)
    )


def is_sitemap(content: bytes) -> bool:
    """Whatever is wrong with it."""
    start = next(read(content))
    return isinstance(start, DocumentStart) and start.kind is not DocumentKind.UNKNOWN
