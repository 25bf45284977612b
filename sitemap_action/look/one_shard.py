"""One shard of a site: looked at into a state, and not judged."""

import hashlib

from sitemap_action.config.layers import ConfigReader
from sitemap_action.config.schema import Config
from sitemap_action.look.baseline import production
from sitemap_action.look.phase import look
from sitemap_action.look.state import inventory, manifest_of
from sitemap_action.model.context import Context
from sitemap_action.model.observer import Observer
from sitemap_action.model.shards import ShardResult, SiteShard
from sitemap_action.store.shards import ShardState


def look_at_shard(
    config: Config, context: Context, shard: SiteShard, reading: ConfigReader, observer: Observer
) -> ShardResult:
    """What a run looks at before it judges, of the URLs or files of one shard, into the state."""
    with inventory(config, context) as found:
        found.shard = ShardState(found.database, manifest_of(config, context, str(shard)), shard)
        served = None if context.access.offline else production(config, context.access, found)
        seen = look(config, context, found, reading, observer, production=served)
        robots = hashlib.sha256(seen.robots).hexdigest() if seen.robots is not None else ""
        manifest = found.shard.end(tuple(one.sentence for one in seen.run.incomplete), robots)
    return ShardResult(
        shard=shard,
        state=str(context.state),
        looked_at=manifest.urls,
        files=bool(manifest.build),
        incomplete=manifest.incomplete,
        interrupted=seen.run.source.interrupted,
        notes=(*found.notes, *seen.run.notes),
    )
