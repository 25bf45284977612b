"""Where a state may be: what a pull request brings along is not believed."""

import os
from pathlib import Path

from sitemap_action.disk.workspace import closed_folder
from sitemap_action.errors import UsageError
from sitemap_action.model.wording import option

_SIDES = ("", "-wal", "-shm", "-journal")


def state_refusal(path: Path, workspace: Path) -> str:
    """Why the state is not used, as a sentence; "" when it may be. Raises UsageError for a place below `.git`."""
    absolute = Path(os.path.abspath(workspace / path))  # noqa: PTH100 - `resolve` would follow the links
    if closed_folder((*absolute.parts, *absolute.parent.resolve().parts)):
        hint = f"name a file outside of .git with {option('state')}"
        raise UsageError(f"the state {path} is in a .git folder, where nothing is written", hint=hint)
    if why := _link(absolute, workspace) or _repository(absolute, workspace):
        return f"the state {path} is not used: {why}"
    return ""


def _link(path: Path, workspace: Path) -> str:
    """A link on the way from the workspace, or at the end."""
    inside = path.is_relative_to(workspace)
    for place in (path, *(path.parents if inside else ())):
        if place == workspace:
            break
        if place.is_symlink():
            return f"{os.path.relpath(place, workspace) if inside else place} is a symbolic link"
    try:
        links = path.stat().st_nlink if path.is_file() else 1
    except OSError:
        return ""
    return "the file has another name, too (a hard link)" if links > 1 else ""


def _repository(path: Path, workspace: Path) -> str:
    """Tracked by the workspace's repository, or inside of another one, which may track it."""
    from sitemap_action.repo.git import Git  # noqa: PLC0415 - only here, where a state is kept

    git = Git(workspace)
    if (top := git.top()) is None:
        return ""
    top = top.resolve()
    real = path.parent.resolve() / path.name
    if not real.is_relative_to(top):
        return ""
    for folder in real.parents:
        if folder == top:
            break
        if (folder / ".git").exists():
            return f"{os.path.relpath(folder, workspace)} is a repository of its own"
    names = [real.with_name(real.name + side).relative_to(top).as_posix() for side in _SIDES]
    tracked = git.tracked(names)
    return f"{tracked} is tracked by git; remove it with git rm --cached, and ignore it" if tracked else ""
