"""The program and its commands."""

import click

from sitemap_action import __version__
from sitemap_action.cli import files, look, robots, rules


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="sitemap-action")
def sitemap_action() -> None:
    """Know which pages of a site appear and which vanish, and why.

    Exit codes: 0 in sync, 1 the sitemap and the site differ or the sitemap is invalid, 2 usage or configuration,
    3 not enough was seen to judge, 4 a file could not be written, 70 a bug in this program.
    """


for command in (look.check, look.write, look.run_action, files.diff, files.validate, robots.robots, rules.rules):
    sitemap_action.add_command(command)
