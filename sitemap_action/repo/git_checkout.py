"""Which repository a folder belongs to, found without git: git would trust what it finds on the way."""

import os
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from sitemap_action.repo.git_process import GitProcess

_MAX_POINTER = 4096  # bytes of a path in a file


class NotTrustedError(Exception):
    """There is a repository, and it is not used."""


class Checkout(Struct, frozen=True):
    top: Path
    own: Path  # the work tree's part of the repository, with HEAD
    common: Path  # objects, references, configuration


def find_checkout(start: Path, ceiling: Path | None, process: GitProcess) -> Checkout | None:
    """The nearest folder with a repository in `.git`, not above the ceiling and not on another file system.

    A bare repository is never one: it is a folder of ordinary files, and a pull request may bring it. Raises
    NotTrustedError where the repository is somebody else's, or a `.git` file leads to one that does not lead back.
    """
    try:
        start = start.resolve()
        owners = {start.stat().st_uid, 0, *([os.geteuid()] if hasattr(os, "geteuid") else [])}
        for top in _upwards(start, ceiling):
            entry = top / ".git"
            if entry.is_symlink():
                raise NotTrustedError(f"{entry} is a symbolic link")
            if entry.is_file():
                found = _pointed(top, entry, process)
            elif _is_repository(entry):
                found = Checkout(top, entry, entry)
            else:
                continue
            if any(path.stat().st_uid not in owners for path in (entry, found.own, found.common)):
                raise NotTrustedError(f"{entry} belongs to another user")
            return found
    except (OSError, RuntimeError):
        return None
    return None


def _upwards(start: Path, ceiling: Path | None) -> Iterator[Path]:
    last, device = ceiling.resolve() if ceiling else None, start.stat().st_dev
    for folder in (start, *start.parents):
        if folder.stat().st_dev != device:
            return
        yield folder
        if folder == last:
            return


def _pointed(top: Path, entry: Path, process: GitProcess) -> Checkout:
    """What a `.git` file leads to: `git worktree` and submodules write one, and the way back."""
    own = _path(entry, "gitdir: ")
    if own is None:
        raise NotTrustedError(f"{entry} names no repository")
    back = _path(own / "gitdir")
    if back == entry and own.parent.name == "worktrees" and _is_repository(own.parents[1]):
        return Checkout(top, own, own.parents[1])
    worktree = dict(process.config(own / "config")).get("core.worktree", "") if _is_repository(own) else ""
    if worktree and (own / worktree).resolve() == top:
        return Checkout(top, own, own)
    raise NotTrustedError(f"{entry} leads to {own}, which is not the repository of this folder")


def _path(file: Path, prefix: str = "") -> Path | None:
    """The path in a file, resolved against the folder of that file."""
    if not file.is_file():
        return None
    with file.open("rb") as stream:
        text = os.fsdecode(stream.read(_MAX_POINTER)).rstrip("\r\n")
    name = text.removeprefix(prefix)
    if not text.startswith(prefix) or not name or "\0" in name:
        return None
    return Path(os.path.realpath(file.parent / name)) if prefix else _but_the_last(file.parent / name)


def _but_the_last(path: Path) -> Path:
    return Path(os.path.realpath(path.parent)) / path.name


def _is_repository(folder: Path) -> bool:
    return (folder / "HEAD").is_file() and (folder / "objects").is_dir() and (folder / "refs").is_dir()
