"""The files of one sitemap, index and children, from wherever they are kept."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TypeAlias
from urllib.parse import unquote, urlsplit

from sitemap_action.errors import BaselineError
from sitemap_action.model.sitemap import Child, DocumentKind, Start
from sitemap_action.repo.git import Git
from sitemap_action.sitemap.read import read

Store: TypeAlias = Callable[[str], bytes | None]
"""Path with `/` → content; None when there is no such file. Raises BaselineError when it cannot be read."""

_MAX_FILES = 50_000  # children of an index (SM-60)


@dataclass(frozen=True, slots=True)
class Document:
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


def git_tree(git: Git, commit: str, workspace: Path) -> Store:
    """Files at a commit, by their path in the workspace, which may be a part of the repository, or hold it."""
    top = git.top()

    def get(path: str) -> bytes | None:
        inside = _inside(top, workspace, path)
        return git.blob(commit, inside) if inside else None

    return get


def outside(git: Git, workspace: Path, path: str) -> bool:
    """A file that the repository cannot have."""
    return not _inside(git.top(), workspace, path)


def _inside(top: Path | None, workspace: Path, path: str) -> str:
    """The path in the repository; "" outside of it."""
    if top is None:
        return ""
    full, root = Path(os.path.normpath(workspace.resolve() / path)), top.resolve()
    return full.relative_to(root).as_posix() if full.is_relative_to(root) else ""


def documents(path: str, store: Store) -> tuple[Document, ...]:
    """The file at `path` and, of an index, its children; () when there is no such file."""
    content = store(path)
    if content is None:
        return ()
    return (Document(path, content), *(_child(path, child, store) for child in _children(path, content)))


def _children(path: str, content: bytes) -> list[Child]:
    """Only of an index: a sitemap is read once, by whoever wants its entries."""
    events = read(content, name=path)
    start = next(events)
    if not isinstance(start, Start) or start.kind is not DocumentKind.INDEX:
        return []
    return [event for event in events if isinstance(event, Child)][:_MAX_FILES]


def _child(index: str, child: Child, store: Store) -> Document:
    """A child is kept beside its index: the longest tail of its URL path that names a file there is that file."""
    directory = PurePosixPath(index).parent
    segments = [part for part in unquote(urlsplit(child.loc).path).split("/") if part not in ("", ".", "..")]
    for start in range(len(segments)):
        path = str(directory.joinpath(*segments[start:]))
        if (content := store(path)) is not None:
            return Document(path, content, child.loc)
    raise BaselineError(
        f"{index}:{child.line}: the index lists {child.loc}, and no such file is beside it",
        hint="commit the child, or remove it from the index",
    )
