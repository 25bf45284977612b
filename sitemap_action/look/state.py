"""Which inventory a run fills: a temporary one, or the file at `--state` with a key to what it is good for."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sitemap_action.config.schema import Config
from sitemap_action.errors import UsageError
from sitemap_action.model.context import Context
from sitemap_action.model.wording import option
from sitemap_action.store.inventory import Inventory, temporary


@contextmanager
def inventory(config: Config, context: Context) -> Iterator[Inventory]:
    if not context.shards:
        with _inventory(config, context) as found:
            yield found
        return
    from sitemap_action.look.given_shards import given_shards  # noqa: PLC0415 - as below

    with given_shards(config, context) as shards, _inventory(config, context) as found:
        found.give(shards)
        yield found


@contextmanager
def _inventory(config: Config, context: Context) -> Iterator[Inventory]:
    if context.state is None:
        with temporary() as found:
            yield found
        return
    from sitemap_action.look.state_place import state_refusal  # noqa: PLC0415
    from sitemap_action.store.state import persistent  # noqa: PLC0415 - as below

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
    from sitemap_action.look.options_digest import options_digest  # noqa: PLC0415 - only here, where a state is kept
    from sitemap_action.repo.git import checked_out  # noqa: PLC0415

    commit = checked_out(workspace) if config.source.url else context.now.isoformat()
    key, mask = f"{options_digest(config, context)}{context.shard or ''}", context.access.mask
    build = not config.source.url and context.shard is None
    with persistent(path, key, commit, now=context.now, mask=mask, build=build) as found:
        yield found
