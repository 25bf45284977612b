"""The files of one sitemap, index and children, from wherever they are kept."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Protocol, TypeAlias
from urllib.parse import unquote, urlsplit

from sitemap_action.errors import BaselineError
from sitemap_action.model.sitemap import Child, DocumentKind, Start
from sitemap_action.repo.git import Git
from sitemap_action.repo.remote import Remote
from sitemap_action.sitemap.read import read

Store: TypeAlias = Callable[[str], bytes | None]
"""Path with `/` → content; None when there is no such file. Raises BaselineError when it cannot be read."""

_MAX_FILES = 50_000  # children of an index (SM-60)


@dataclass(frozen=True, slots=True)
class SitemapDocument:
    """One file of a sitemap."""

    path: str
    content: bytes
    address: str = ""  # its URL as its index states it; "" of the file that was asked for


def work_tree(root: Path) -> Store:
    """Files below a directory."""

    def get(path: str) -> bytes | None:
        try:
            return (root / path).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise BaselineError(
                f"cannot read {path}: {error.strerror}", hint="is it a file that this user may read?"
            ) from None

    return get


def git_tree(git: Git, commit: str, workspace: Path, remote: Remote | None = None) -> Store:
    """Files at a commit, by their path in the workspace, which may be a part of the repository, or hold it.

    `remote`: who has them where the commit is not here.
    """
    top = git.top()

    def get(path: str) -> bytes | None:
        inside = _inside(top, workspace, path)
        return (remote or git).blob(commit, inside) if inside else None

    return get


@dataclass(frozen=True, slots=True)
class Trees:
    """All files of the repository, at the commit of a baseline and at the one that is checked out."""

    then: Store
    now: Store


def outside(git: Git, workspace: Path, path: str) -> bool:
    """A file that the repository cannot have."""
    return not _inside(git.top(), workspace, path)


def _inside(top: Path | None, workspace: Path, path: str) -> str:
    """The path in the repository; "" outside of it."""
    if top is None:
        return ""
    full, root = Path(os.path.normpath(workspace.resolve() / path)), top.resolve()
    return full.relative_to(root).as_posix() if full.is_relative_to(root) else ""


@dataclass(frozen=True, slots=True)
class Documents:
    """The files of one sitemap, in order. Children are read anew whenever they are gone through: one is held at a time.

    Raises BaselineError on the way for a child that is not there.
    """

    path: str
    content: bytes | None  # of the file at `path`; None when there is none
    store: Store

    def __bool__(self) -> bool:
        return self.content is not None

    def __len__(self) -> int:
        return 0 if self.content is None else 1 + len(children(self.path, self.content))

    def __iter__(self) -> Iterator[SitemapDocument]:
        if self.content is not None:
            yield SitemapDocument(self.path, self.content)
            yield from (_child(self.path, child, self.store) for child in children(self.path, self.content))


class Files(Protocol):
    """The files of one sitemap, wherever they come from; none where there is no sitemap."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[SitemapDocument]: ...


def documents(path: str, store: Store) -> Documents:
    """The file at `path` and, of an index, its children; none when there is no such file."""
    return Documents(path, store(path), store)


def same(one: Files, other: Files) -> bool:
    """Whether both hold the same bytes, file by file."""
    return len(one) == len(other) and all(
        mine.content == theirs.content for mine, theirs in zip(one, other, strict=True)
    )


def is_sitemap(content: bytes) -> bool:
    """Whatever is wrong with it."""
    start = next(read(content))
    return isinstance(start, Start) and start.kind is not DocumentKind.UNKNOWN


def children(path: str, content: bytes) -> list[Child]:
    """What an index lists. Only of an index: a sitemap is read once, by whoever wants its entries."""
    events = read(content, name=path)
    start = next(events)
    if not isinstance(start, Start) or start.kind is not DocumentKind.INDEX:
        return []
    return [event for event in events if isinstance(event, Child)][:_MAX_FILES]


def _child(index: str, child: Child, store: Store) -> SitemapDocument:
    found = beside(str(PurePosixPath(index).parent), child.loc, store)
    if found is None:
        raise BaselineError(
            f"{index}:{child.line}: the index lists {child.loc}, and no such file is beside it",
            hint="commit the child, or remove it from the index",
        )
    return found


def beside(directory: str, address: str, store: Store) -> SitemapDocument | None:
    """A child is kept beside its index: the longest tail of its URL path that names a file there is that file."""
    segments = [part for part in unquote(urlsplit(address).path).split("/") if part not in ("", ".", "..")]
    for start in range(len(segments)):
        path = str(PurePosixPath(directory).joinpath(*segments[start:]))
        if (content := store(path)) is not None:
            return SitemapDocument(path, content, address)
    return None
