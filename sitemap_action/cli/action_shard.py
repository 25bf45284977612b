"""The action with the input `shard` or `merge`: it looks at one part of a site, or joins what all parts have seen."""

from pathlib import Path

from msgspec.structs import replace

from sitemap_action.cli.check import require_shard
from sitemap_action.cli.effects import Effects
from sitemap_action.config.layers import ConfigReader
from sitemap_action.config.schema import Config
from sitemap_action.console.streams import Console
from sitemap_action.errors import UsageError
from sitemap_action.look.one_shard import look_at_shard
from sitemap_action.model.context import Context
from sitemap_action.runner.event import ActionInputs


def with_shards(context: Context, action: ActionInputs, *, trusted: bool) -> Context:
    """`trusted`: whether this run may use a state. Raises UsageError."""
    if not trusted:
        hint = "leave shard and merge out on pull requests of forks and of Dependabot: one job then looks at all"
        raise UsageError("a shard is stored in a state, and on this event no state is used", hint=hint)
    if not action.shard:
        return replace(context, shards=tuple(map(Path, action.merge)))
    shard = require_shard(action.shard, "input shard:")
    if action.merge:
        hint = "the jobs of a matrix have shard, and one job after them has merge"
        raise UsageError("inputs shard and merge are both set", hint=hint)
    if context.mode.writes:
        hint = "look at the parts with mode: check, and write in the job that merges them"
        raise UsageError(f"input shard is set, and mode {context.mode} needs the whole site", hint=hint)
    if context.state is None:
        hint = "name the file that the job which merges them is given, as in state: shards/1"
        raise UsageError("input shard is set without state", hint=hint)
    return replace(context, shard=shard)


def run_shard(console: Console, config: Config, context: Context, reading: ConfigReader, effects: Effects) -> int:
    """Of a part there are no reports: the summary says that it was looked at."""
    assert context.shard is not None  # noqa: S101 - the caller has asked
    with console.group("Reading the site"), console.progress() as observer:
        found = look_at_shard(config, context, context.shard, reading, observer)
    found = context.access.mask.value(found)
    console.write_report(found.text())
    what = "files were read" if found.files else "URLs were asked for"
    sentences = [f"{found.looked_at:,} {what}.", "The job that merges all shards gives the verdict."]
    sentences += ["Not all of the part was seen; the log says why."] if found.incomplete else []
    text = f"### Sitemap: shard {found.shard}\n\n{' '.join(sentences)}\n"
    effects.publish_outputs(text, {"complete": str(not found.incomplete).lower()})
    return found.exit_code
