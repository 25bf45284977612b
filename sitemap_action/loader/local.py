"""Sitemaps of this machine as answers: documents by their name, and what an index lists by the file beside it.

Only the user names a file. A sitemap names URLs, which are looked up beside the first file, by path; nothing in a
sitemap reaches any other file, and a sitemap of the web reaches none.
"""

import sys
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from msgspec import Struct

from sitemap_action.disk.folder import bounded
from sitemap_action.disk.workspace import Workspace
from sitemap_action.errors import BaselineError, UsageError
from sitemap_action.fetch.base import Answer, Request, Response, Skip
from sitemap_action.loader.stores import GitTree, Store, WorkTree, beside
from sitemap_action.robots.groups import Profile, parse
from sitemap_action.sitemap.protocol import MAX_INFLATED, without_suffix

if TYPE_CHECKING:
    from sitemap_action.repo.git import Git

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
        return bounded(sys.stdin.buffer, MAX_INFLATED)
    except OSError as error:
        raise UsageError(f"cannot read standard input: {error.strerror}", hint="pipe one sitemap into it") from None


def _named(path: Path) -> bytes:
    """What a user names may be a pipe, as the shell makes one of `<(command)`."""
    with path.open("rb") as file:
        return bounded(file, MAX_INFLATED)


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
