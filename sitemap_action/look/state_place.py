"""Where a state may be: what a pull request brings along is not believed."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from sitemap_action.disk.workspace import closed_folder
from sitemap_action.errors import BaselineError, UsageError
from sitemap_action.look.judged_sitemap import may_have_repository
from sitemap_action.model.wording import option
from sitemap_action.store.state import SIDES

if TYPE_CHECKING:
    from sitemap_action.repo.git import Git


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

    if not may_have_repository(workspace):
        return ""
    git, real = Git(workspace), path.parent.resolve() / path.name
    try:
        top = git.top()
        return _within(git, top.resolve(), real, workspace) if top else ""
    except BaselineError as error:
        return f"whether git tracks it is not known: {error}" if real.is_relative_to(workspace.resolve()) else ""


def _within(git: "Git", top: Path, path: Path, workspace: Path) -> str:
    """What the repository at `top` says of a file."""
    if not path.is_relative_to(top):
        return ""
    for folder in path.parents:
        if folder == top:
            break
        if (folder / ".git").exists():
            return f"{os.path.relpath(folder, workspace)} is a repository of its own"
    tracked = git.tracked([path.with_name(path.name + side).relative_to(top).as_posix() for side in ("", *SIDES)])
    return f"{tracked} is tracked by git; remove it with git rm --cached, and ignore it" if tracked else ""
