"""Commands that are a check and more: merge joins shards; commit and pull-request change a branch on GitHub."""

import os
from collections.abc import Mapping
from typing import Any

import click

from sitemap_action.cli.check import from_command_line
from sitemap_action.cli.options import look_options, merge_options
from sitemap_action.cli.settings import event_file
from sitemap_action.errors import UsageError
from sitemap_action.model.context import Mode
from sitemap_action.runner.event import read_forge
from sitemap_action.runner.publishing import PR_BRANCH, read_publish_inputs, read_publishing
from sitemap_action.runner.trust import trust

_API = "https://api.github.com"
_MESSAGE = click.option(
    "--commit-message", metavar="TEXT", help="The commit message.  [default: Update sitemap, with counts]"
)
_METHOD = click.option(
    "--commit-method", metavar="METHOD", help="api, signed by GitHub, or git, pushed.  [default: api]"
)


@click.command(epilog="Example: sitemap-action commit --url https://www.example.com/ --branch main")
@click.option("--branch", metavar="NAME", help="The branch.  [default: that of the workflow or pull request]")
@_MESSAGE
@_METHOD
@look_options
def commit(**options: Any) -> int:
    """Write, then commit the sitemap to a branch on GitHub.

    What that branch has is judged. The repository is GITHUB_REPOSITORY (owner/name), and the token GITHUB_TOKEN, of
    the environment.
    """
    return _publish(Mode.COMMIT, options)


@click.command("pull-request", epilog="Example: sitemap-action pull-request --url https://www.example.com/ --base main")
@click.option("--base", metavar="NAME", help="The branch it is for.  [default: that of the workflow]")
@click.option("--pr-branch", metavar="NAME", help=f"The branch it is from.  [default: {PR_BRANCH}]")
@click.option("--pr-labels", metavar="LIST", help="Labels, separated by commas.")
@_MESSAGE
@_METHOD
@look_options
def pull_request(**options: Any) -> int:
    """Write, then open or update a pull request on GitHub.

    There is one at a time, and it is closed when the sitemap is right without it. The repository is
    GITHUB_REPOSITORY (owner/name), and the token GITHUB_TOKEN, of the environment.
    """
    return _publish(Mode.PULL_REQUEST, options)


def _publish(mode: Mode, options: Mapping[str, Any]) -> int:
    """What is not given comes from the environment of a runner, where there is one."""
    if options["offline"]:
        raise UsageError(f"{mode} writes to GitHub, and --offline is given", hint="use the command write")
    event = event_file(os.environ)
    names = ("branch", "base", "pr-branch", "pr-labels", "commit-message", "commit-method")
    given = {name: options.get(name.replace("-", "_")) or "" for name in names}
    publishing = read_publishing(read_publish_inputs(given), mode, trust(os.environ, event), os.environ, event)
    environment = {"GITHUB_API_URL": _API, **os.environ}
    return from_command_line(mode, options, publishing, read_forge(environment, os.environ.get("GITHUB_TOKEN", "")))


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
