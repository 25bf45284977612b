"""The shards that a merge is given, and what they have to be a part of."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC
from pathlib import Path

from sitemap_action import __version__
from sitemap_action.config.schema import AUTO, Config
from sitemap_action.errors import UnreachableError, UsageError
from sitemap_action.look.options_digest import options_digest
from sitemap_action.look.state_place import state_refusal
from sitemap_action.model.context import Context
from sitemap_action.model.shards import MOST
from sitemap_action.model.wording import option
from sitemap_action.repo.git import checked_out
from sitemap_action.store.open_shards import open_shards
from sitemap_action.store.shards import ShardManifest, Shards
from sitemap_action.store.state import SIDES


def manifest_of(config: Config, context: Context, shard: str) -> ShardManifest:
    source = config.source
    deployed = context.deployment.url if context.deployment and source.url == AUTO else ""
    return ShardManifest(
        shard=shard,
        version=__version__,
        site=f"{config.site_url or 'no site-url'}, read at {deployed or source.url or source.path}",
        options=options_digest(config, context),
        commit=checked_out(Path(context.workspace)),
        begun=context.now.astimezone(UTC).isoformat(timespec="seconds"),
    )


@contextmanager
def given_shards(config: Config, context: Context) -> Iterator[Shards]:
    """Raises UnreachableError."""
    workspace = Path(context.workspace)
    paths = [file for path in context.shards for file in _files(workspace / path)]
    for path in paths:
        if why := state_refusal(path, workspace):
            raise UnreachableError(why, hint="give a file that no repository tracks, and no link")
        if context.state is not None and (workspace / context.state).resolve() == path.resolve():
            hint = f"name another file with {option('state')}; shards are left as they are"
            raise UsageError(f"{path} is a shard, and the state of the merge too", hint=hint)
    shown = [Path(os.path.relpath(path)) if path.is_relative_to(Path.cwd()) else path for path in paths]
    with open_shards(shown, manifest_of(config, context, ""), context.now) as shards:
        yield shards


def _files(path: Path) -> list[Path]:
    """Of a folder, every file in it: each artefact has one of its own."""
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
