"""`check --shard K/N`: one part of a site is looked at, into a state, and no verdict is given."""

import json
from collections.abc import Mapping
from typing import Any

from sitemap_action.config.layers import ConfigReader
from sitemap_action.config.schema import Config
from sitemap_action.console.streams import Console
from sitemap_action.errors import UsageError
from sitemap_action.look.one_shard import look_at_shard
from sitemap_action.model.context import Context, Mode
from sitemap_action.model.shard_result import ShardResult
from sitemap_action.model.site_shard import MOST, SiteShard, parse_shard

_FORMATS = ("text", "json")


def check_shard(
    console: Console, config: Config, context: Context, reading: ConfigReader, options: Mapping[str, Any]
) -> int:
    """`context` has the shard."""
    assert context.shard is not None  # noqa: S101 - the caller has asked for it
    console.log_unmasked(context.access.headers)
    with console.progress(options["events"], progress=not options["no_progress"]) as observer:
        found = look_at_shard(config, context, context.shard, reading, observer)
    found = context.access.mask.value(found)
    console.write_report(_json(found) if options["form"] == "json" else found.text(), prose=options["form"] == "text")
    return found.exit_code


def requested_shard(mode: Mode, options: Mapping[str, Any]) -> SiteShard:
    """Raises UsageError."""
    if mode.writes:
        hint = "look at the parts with check --shard, then merge them"
        raise UsageError(f"--shard is given, and {mode} needs the whole site", hint=hint)
    shard = require_shard(options["shard"], "--shard")
    if not options["state"]:
        hint = f"name the file that merge is to read: --shard {shard} --state FILE"
        raise UsageError("--shard is given without --state", hint=hint)
    if options["reports"] or options["form"] not in _FORMATS:
        hint = "leave --report out, and --format or give it text or json; merge writes the reports"
        raise UsageError("--shard is given, and a part of a site has no report", hint=hint)
    return shard


def require_shard(text: str, name: str) -> SiteShard:
    """Raises UsageError."""
    if (found := parse_shard(text)) is None:
        hint = f"write K/N, as in 1/8: the parts are counted from 1, and there are {MOST} at most"
        raise UsageError(f"{name} {text}: it names no shard", hint=hint)
    return found


def _json(found: ShardResult) -> str:
    return (
        json.dumps(
            {
                "version": 1,
                "shard": str(found.shard),
                "state": found.state,
                "looked_at": found.looked_at,
                "complete": not found.incomplete,
                "incomplete": found.incomplete,
                "notes": found.notes,
                "exit_code": found.exit_code,
            },
            indent=2,
            ensure_ascii=False,
        )
        + "\n"
    )
