"""Which inventory a run fills: a temporary one, or the file at `--state` with a key to what it is good for."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sitemap_action import __version__
from sitemap_action.config.locations import AUTO
from sitemap_action.config.schema import Config
from sitemap_action.errors import UsageError
from sitemap_action.inventory.store import Inventory, temporary
from sitemap_action.model.context import Context
from sitemap_action.model.wording import option


@contextmanager
def inventory(config: Config, context: Context) -> Iterator[Inventory]:
    if context.state is None:
        with temporary() as found:
            yield found
        return
    from sitemap_action.inventory.checkpoints import persistent  # noqa: PLC0415 - as below
    from sitemap_action.look.state_place import state_refusal  # noqa: PLC0415

    workspace, path = Path(context.workspace), Path(context.state)
    try:
        why = state_refusal(path, workspace)
    except (OSError, ValueError) as error:  # a name that is too long, or that no file can have
        hint = f"name a file with {option('state')} in a folder that can be written to"
        raise UsageError(f"cannot use the state {str(path)[:200]}: {error.args[-1]}", hint=hint) from None
    if why:
        with temporary() as found:
            found.notes = (why,)
            yield found
        return
    # A served site may be another one at another commit. A folder is read whole each time.
    from sitemap_action.repo.git import Git  # noqa: PLC0415 - only here, where a state is kept

    commit = Git(workspace).commit("HEAD") if config.source.url else context.now.isoformat()
    key, mask = _look(config, context), context.access.mask
    with persistent(path, key, commit or "", now=context.now, mask=mask) as found:
        yield found


def _look(config: Config, context: Context) -> str:
    """The program, and every option that changes what is seen; policy may change and judge it again."""
    deployed = context.deployment.url if context.deployment and config.source.url == AUTO else ""
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
    import hashlib  # noqa: PLC0415 - as above

    return hashlib.sha256(repr((__version__, options, deployed, names)).encode()).hexdigest()
