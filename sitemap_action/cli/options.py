"""The options that commands share, each with its help."""

from collections.abc import Callable, Sequence
from typing import Any

import click

from sitemap_action.config.schema import DEFAULT_CONFIG, INPUTS
from sitemap_action.hosts.all import HOSTS
from sitemap_action.reports.all import FORMATS

DIAGNOSTICS = (
    click.option("--verbose", is_flag=True, help="Print a line for each request."),
    click.option("--debug", is_flag=True, help="The same, and a traceback when the program itself fails."),
)
"""Of every command that fetches."""
_HELP = {  # what stands for the value, and the sentence
    "path": ("DIR", "Folder of the built site, such as dist. Without --path and --url: source.path of the config."),
    "url": ("URL", "Address of the deployed site that is crawled, such as a preview."),
    "environment": ("NAME", "Environment of the deployment, where url is auto."),
    "host": ("NAME", f"Static host whose rules turn files into URLs: auto, {', '.join(HOSTS)}."),
    "site-url": ("URL", "Where the pages will live, such as https://www.example.com/docs/."),
    "sitemap": ("FILE", "The sitemap or sitemap index that is judged: a committed one, or one in the build."),
    "baseline": (
        "SITEMAP",
        "What added and removed pages are measured against: auto, committed, a path, a URL, git:REF[:PATH].",
    ),
    "fail-on": ("LIST", "What fails the check, separated by commas: stale, lost, invalid, a class of removal, none."),
    "max-removed": ("LIMIT", "How many pages may be lost at once: a number, a percentage (20%), or both."),
    "wait-for": ("TEXT", "Text that the deployed site serves once it is ready; the run waits for it."),
    "wait-path": ("PATH", "Page that serves it."),
    "wait-timeout": ("SECONDS", "How long to wait for it."),
}
_TOP = (
    click.option("--config", metavar="FILE", help=f"Config file.  [default: {DEFAULT_CONFIG}, which may be missing]"),
    click.option(
        "--set", "settings", multiple=True, metavar="KEY=VALUE", help="Any key of the config file; repeatable."
    ),
)
_REPORTS = (
    click.option(
        "--format", "form", type=click.Choice(list(FORMATS)), default="text", help="Output format.  [default: text]"
    ),
    click.option(
        "--report", "reports", multiple=True, metavar="FORMAT=FILE", help="Also write a report to a file; repeatable."
    ),
)
_NETWORK = (
    click.option(
        "--state", metavar="FILE", help="File that keeps what was read: a killed run resumes, a later one fetches less."
    ),
    click.option("--events", metavar="FILE", help="Write one JSON object per event as it happens; - is stderr."),
    click.option("--tls-verify", type=bool, default=True, metavar="BOOL", help="Verify certificates.  [default: true]"),
    click.option(
        "--allow-private-hosts", default="", metavar="LIST", help="Private hosts, addresses or ranges to connect to."
    ),
    click.option("--offline", is_flag=True, help="Connect to nothing: a folder and local files alone."),
    click.option("--no-progress", is_flag=True, help="Show no progress."),
)
_SHARD = (
    click.option(
        "--shard", metavar="K/N", help="Look at one of N parts of the site, and store it in --state for merge."
    ),
)
_DRY_RUN = (click.option("--dry-run", is_flag=True, help="Print what would be done, and exit as if it had been."),)
_OUTPUT = (
    click.option("--quiet", is_flag=True, help="Print the report and errors only."),
    *DIAGNOSTICS,
)

_WEB = (
    click.option("--config", metavar="FILE", help="Config file, for its `sitemaps`, `http` and `crawl` keys."),
    click.option(
        "--set", "settings", multiple=True, metavar="KEY=VALUE", help="Any key of the config file; repeatable."
    ),
    click.option("--tls-verify", type=bool, default=True, metavar="BOOL", help="Verify certificates.  [default: true]"),
    click.option(
        "--allow-private-hosts",
        default="",
        metavar="LIST",
        help="Private hosts, addresses or ranges to connect to; the given host is always allowed.",
    ),
    *DIAGNOSTICS,
)


def look_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options of every command that reads a site."""
    return _add_options([*_keys(), *_TOP, *_REPORTS, *_NETWORK, *_SHARD, *_DRY_RUN, *_OUTPUT], command)


def merge_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options of `merge`: those of a site, for all shards at once."""
    return _add_options([*_keys(), *_TOP, *_REPORTS, *_NETWORK, *_DRY_RUN, *_OUTPUT], command)


def explain_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options of `explain`, which prints one answer and writes nothing: no reports and no dry run."""
    form = click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="Output format.")
    return _add_options([*_keys(), *_TOP, form, *_NETWORK, *_OUTPUT], command)


def network_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options of commands that read sitemaps, perhaps from the web."""
    return _add_options(_WEB, command)


def _keys() -> list[Callable[..., Any]]:
    return [click.option(f"--{name}", metavar=_HELP[name][0], help=_HELP[name][1]) for name in INPUTS]


def _add_options(options: Sequence[Callable[..., Any]], command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds options in the order of the list, which is that of the help."""
    for option in reversed(options):
        command = option(command)
    return command
