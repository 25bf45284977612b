"""Which inventory a run fills: a temporary one, or the file at `--state`; where that may be, and what it is good for.

What a pull request brings along is not believed. A state is used, and shards are merged, where the program and all that
decides what a run sees are the same.
"""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC
from pathlib import Path

from sitemap_action import __version__
from sitemap_action.config.schema import AUTO, Config
from sitemap_action.disk.folder import closed_folder
from sitemap_action.errors import BaselineError, UnreachableError, UsageError
from sitemap_action.look.places import may_have_repository
from sitemap_action.model.context import Context
from sitemap_action.model.site import MOST
from sitemap_action.model.wording import option
from sitemap_action.repo.git import Git, find_head
from sitemap_action.store.inventory import Inventory, temporary
from sitemap_action.store.shards import ShardManifest, Shards
from sitemap_action.store.state import SIDES, open_shards, persistent


@contextmanager
def inventory(config: Config, context: Context) -> Iterator[Inventory]:
    shards = given_shards(config, context) if context.shards else nullcontext()
    with shards as given, _inventory(config, context) as found:
        found.shards = given
        yield found


@contextmanager
def _inventory(config: Config, context: Context) -> Iterator[Inventory]:
    if context.state is None:
        with temporary() as found:
            yield found
        return
    workspace, path = Path(context.workspace), Path(context.state)
    try:
        why = state_refusal(path, workspace)
    except (OSError, ValueError) as error:  # a name that is too long, or that no file can have
        hint = f"name a file with {option('state')} in a folder that can be written to"
        raise UsageError(f"cannot use the state {str(path)[:200]}: {error.args[-1]}", hint=hint) from None
    if not why and not path.parent.is_dir():
        hint = f"make the folder, or name another file with {option('state')}"
        raise UsageError(f"cannot use the state {str(path)[:200]}: its folder does not exist", hint=hint)
    if why and context.shard is not None:
        raise UsageError(why, hint=f"name another file with {option('state')}, for a merge needs what a shard has seen")
    if why:
        with temporary() as found:
            found.notes = (why,)
            yield found
        return
    # A served site may be another one at another commit. A folder is read whole each time.
    commit = find_head(workspace) if config.source.url else context.now.isoformat()
    key, mask = f"{options_digest(config, context)}{context.shard or ''}", context.access.mask
    build = not config.source.url and context.shard is None
    with persistent(path, key, commit, now=context.now, mask=mask, build=build) as found:
        yield found


def options_digest(config: Config, context: Context) -> str:
    """The program, and every option that changes what is seen; policy may change and judge it again."""
    options = (
        config.site_url,
        config.source,
        config.crawl,
        config.sitemaps,
        config.http,
        config.select,
        config.sitemap,
    )
    names = sorted(name.lower() for name, _ in context.access.headers)  # not their values, which are secrets
    return hashlib.sha256(repr((__version__, options, _deployment_url(config, context), names)).encode()).hexdigest()


def _deployment_url(config: Config, context: Context) -> str:
    """The address of the event's deployment, where that is what is read."""
    return context.deployment.url if context.deployment and config.source.url == AUTO else ""


def manifest_of(config: Config, context: Context, shard: str) -> ShardManifest:
    place = _deployment_url(config, context) or config.source.url or config.source.path
    return ShardManifest(
        shard=shard,
        version=__version__,
        site=f"{config.site_url or 'no site-url'}, read at {place}",
        options=options_digest(config, context),
        commit=find_head(Path(context.workspace)),
        begun=context.now.astimezone(UTC).isoformat(timespec="seconds"),
    )


@contextmanager
def given_shards(config: Config, context: Context) -> Iterator[Shards]:
    """Raises UnreachableError."""
    workspace = Path(context.workspace)
    paths = [file for path in context.shards for file in _shard_files(workspace / path)]
    for path in paths:
        if why := state_refusal(path, workspace):
            raise UnreachableError(why, hint="give a file that no repository tracks, and no link")
        if context.state is not None and (workspace / context.state).resolve() == path.resolve():
            hint = f"name another file with {option('state')}; shards are left as they are"
            raise UsageError(f"{path} is a shard, and the state of the merge too", hint=hint)
    shown = [Path(os.path.relpath(path)) if path.is_relative_to(Path.cwd()) else path for path in paths]
    with open_shards(shown, manifest_of(config, context, ""), context.now) as shards:
        yield shards


def _shard_files(path: Path) -> list[Path]:
    """The file, or every file in a folder: each artefact has one of its own."""
    if not path.is_dir() or path.is_symlink():
        return [path]
    names = (Path(folder) / name for folder, _, names in os.walk(path) for name in names)
    found = sorted(name for name in names if not name.name.endswith(SIDES))  # these tell of a kill, beside their file
    if not found:
        raise UnreachableError(f"there is no shard in the folder {path}", hint="merge the states of all shards")
    if len(found) > MOST:
        raise UnreachableError(
            f"the folder {path} has {len(found):,} files", hint=f"give one with states alone, {MOST} at most"
        )
    return found


def state_refusal(path: Path, workspace: Path) -> str:
    """Why the state is not used, as a sentence; "" when it may be. Raises UsageError for a place below `.git`."""
    absolute = Path(os.path.abspath(workspace / path))  # noqa: PTH100 - `resolve` would follow the links
    if closed_folder((*absolute.parts, *absolute.parent.resolve().parts)):
        hint = f"name a file outside of .git with {option('state')}"
        raise UsageError(f"the state {path} is in a .git folder, where nothing is written", hint=hint)
    if why := _link_refusal(absolute, workspace) or _tracked_refusal(absolute, workspace):
        return f"the state {path} is not used: {why}"
    return ""


def _link_refusal(path: Path, workspace: Path) -> str:
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


def _tracked_refusal(path: Path, workspace: Path) -> str:
    """Tracked by the workspace's repository, or inside of another one, which may track it."""
    if not may_have_repository(workspace):
        return ""
    git, real = Git(workspace), path.parent.resolve() / path.name
    try:
        top = git.top()
        return _refusal_within(git, top.resolve(), real, workspace) if top else ""
    except BaselineError as error:
        return f"whether git tracks it is not known: {error}" if real.is_relative_to(workspace.resolve()) else ""


def _refusal_within(git: Git, top: Path, path: Path, workspace: Path) -> str:
    """What the repository at `top` says of a file."""
    if not path.is_relative_to(top):
        return ""
    for folder in path.parents:
        if folder == top:
            break
        if (folder / ".git").exists():
            return f"{os.path.relpath(folder, workspace)} is a repository of its own"
    tracked = git.find_tracked([path.with_name(path.name + side).relative_to(top).as_posix() for side in ("", *SIDES)])
    return f"{tracked} is tracked by git; remove it with git rm --cached, and ignore it" if tracked else ""
