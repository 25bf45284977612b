"""All that decides what a run sees: what is stored is used, and merged, where it is the same."""

import hashlib

from sitemap_action import __version__
from sitemap_action.config.schema import AUTO, Config
from sitemap_action.model.context import Context


def options_digest(config: Config, context: Context) -> str:
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
    return hashlib.sha256(repr((__version__, options, deployed, names)).encode()).hexdigest()
