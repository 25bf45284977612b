"""Which inventory a run fills: a temporary one, or the file at `--state` with a key to what it is good for."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sitemap_action import __version__
from sitemap_action.config.locations import AUTO
from sitemap_action.config.schema import Config
from sitemap_action.inventory.checkpoints import persistent
from sitemap_action.inventory.store import Inventory, temporary
from sitemap_action.model.context import Context


@contextmanager
def inventory(config: Config, context: Context) -> Iterator[Inventory]:
    if context.state is None:
        with temporary() as found:
            yield found
        return
    # Without a commit the site may have changed: a run that was killed goes on, a whole one is over.
    # A folder is read whole each time.
    from sitemap_action.repo.git import Git  # noqa: PLC0415 - only here, where a state is kept

    commit = Git(Path(context.workspace)).commit("HEAD") if config.source.url else context.now.isoformat()
    with persistent(Path(context.state), _look(config, context), commit or "", reusable=commit is not None) as found:
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
