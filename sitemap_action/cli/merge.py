"""`merge`: the verdict of a site that several runners have looked at."""

from typing import Any

import click

from sitemap_action.cli.check import from_command_line
from sitemap_action.cli.options import merge_options
from sitemap_action.model.context import Mode


@click.command(epilog="Example: sitemap-action merge shards/ --url https://www.example.com/")
@click.argument("states", metavar="STATE...", nargs=-1, required=True)
@merge_options
def merge(states: tuple[str, ...], **options: Any) -> int:
    """Join what all shards have seen, and give one verdict.

    STATE is what check --shard K/N --state STATE wrote, one of each shard; a folder stands for the states in it. With
    the options of check, the same ones for every shard, what none has seen is looked at. The report is that of one run
    over everything, and no state is changed. Exit 3 where a shard is missing, or of another run.
    """
    return from_command_line(Mode.CHECK, options, shards=states)
