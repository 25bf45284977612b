"""Files appear whole or not at all, only where a sitemap may be, and belong to the workspace's owner."""

import os
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path, PurePath

from sitemap_action.errors import PublishError
from sitemap_action.model.step import DeleteFile, WriteFile

_SUFFIXES = (".xml", ".xml.gz", ".txt", ".txt.gz", ".json", ".json.gz")
_FORBIDDEN = frozenset({".git", ".github"})
_TEMPORARY = ".sitemap-action-"  # prefix of what a killed run may leave beside the sitemap; the next run clears it


def publish(steps: Sequence[WriteFile | DeleteFile], workspace: Path) -> None:
    """Write every file beside its place first, then rename in order, then delete; raises PublishError.

    A full disk or a missing permission fails before the first rename, while no existing file has been changed; a run
    killed between two renames leaves whole files, and the next run finds the difference and repairs it (DIFF-46).
    """
    targets = {step.path: sitemap_place(workspace, step.path) for step in steps}
    _clear_leftovers({target.parent for target in targets.values()})
    written: list[tuple[Path, Path]] = []
    try:
        for step in steps:
            if isinstance(step, WriteFile):
                target = targets[step.path]
                written.append((_write_beside(target, step.content), target))
        for temporary, target in written:
            temporary.replace(target)
        for step in steps:
            if isinstance(step, DeleteFile):
                targets[step.path].unlink(missing_ok=True)
    except OSError as error:
        for temporary, _ in written:
            temporary.unlink(missing_ok=True)
        where = os.path.relpath(targets[steps[min(len(written), len(steps) - 1)].path], workspace)
        raise PublishError(
            f"cannot write {where}: {error.strerror}",
            hint="no existing file was changed; free some space or allow writing",
        ) from error


def sitemap_place(workspace: Path, relative: str) -> Path:
    """The path of a sitemap; raises PublishError where no sitemap may be."""
    path = PurePath(relative)
    outside = path.is_absolute() or ".." in path.parts or "\0" in relative
    if outside or not path.name.endswith(_SUFFIXES) or _FORBIDDEN & {*path.parts}:
        hint = "use a path inside the workspace that ends in .xml, .txt or .json, such as public/sitemap.xml"
        raise PublishError(f"a sitemap cannot be written to {relative}", hint=hint)
    target = workspace / path
    places = (target, *list(target.parents)[: len(path.parts) - 1])
    try:
        linked = any(place.is_symlink() for place in places)
    except OSError as error:  # such as a name that is too long
        raise PublishError(f"cannot write {relative}: {error.strerror}", hint="name another path") from error
    if linked:
        raise PublishError(f"{relative} goes through a symbolic link", hint="name the real path in `sitemap`")
    return target


def replace_text(path: Path, text: str) -> None:
    """Write a whole report, or leave the existing file as it is; raises PublishError."""
    try:
        _write_beside(path, text.encode(errors="replace")).replace(path)
    except OSError as error:
        raise PublishError(f"cannot write {path}: {error.strerror}", hint="name a file that may be written") from error


def _write_beside(target: Path, content: bytes) -> Path:
    owner = _make_parents(target.parent)
    descriptor, name = tempfile.mkstemp(prefix=_TEMPORARY, dir=target.parent)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(target.stat().st_mode & 0o777 if target.exists() else 0o644)
        _change_owner(temporary, owner)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
    return temporary


def _make_parents(directory: Path) -> os.stat_result:
    """Create the missing directories of a path; returns the owner for everything below it."""
    existing = next(parent for parent in (directory, *directory.absolute().parents) if parent.exists())
    owner = existing.stat()
    missing = [parent for parent in (directory, *directory.parents) if not parent.exists()]
    directory.mkdir(parents=True, exist_ok=True)
    for parent in missing:
        _change_owner(parent, owner)
    return owner


def _change_owner(path: Path, owner: os.stat_result) -> None:
    """Change the owner: a container runs as root in a user's workspace, and its files must stay deletable there."""
    if hasattr(os, "chown"):
        with suppress(PermissionError):
            os.chown(path, owner.st_uid, owner.st_gid)


def _clear_leftovers(directories: set[Path]) -> None:
    for directory in directories:
        for leftover in directory.glob(f"{_TEMPORARY}*"):
            leftover.unlink(missing_ok=True)
