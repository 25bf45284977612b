"""The program and its commands."""

import gc
import os
import sys
from importlib import import_module
from types import ModuleType

import click

from sitemap_action import __version__
from sitemap_action.errors import UsageError

_COMMANDS = {  # name → module and attribute
    "check": ("check", "check"),
    "write": ("check", "write"),
    "commit": ("check", "commit"),
    "pull-request": ("check", "pull_request"),
    "accept": ("accept", "accept"),
    "ledger": ("ledger", "ledger"),
    "redirects": ("ledger", "redirects"),
    "merge": ("check", "merge"),
    "run": ("action", "run_action"),
    "diff": ("small_commands", "diff"),
    "validate": ("validate", "validate"),
    "read": ("read", "read"),
    "explain": ("explain", "explain"),
    "robots": ("small_commands", "robots"),
    "rules": ("small_commands", "rules"),
    "init": ("init", "init"),
    "ui": ("small_commands", "ui"),
}
_SUMMARIES = {  # each fits on one line of 80 columns; `run` is for containers
    "check": "Read the site, compare it with the sitemap, and report.",
    "write": "Check, then write the sitemap into the working tree.",
    "commit": "Write, then commit the sitemap to a branch on GitHub.",
    "pull-request": "Write, then open or update a pull request on GitHub.",
    "accept": "Put what fails today on the list of known faults.",
    "ledger": "List every address that was published, for policy.ledger.",
    "redirects": "Propose a redirect for each lost page.",
    "merge": "Join what all shards have seen, and give one verdict.",
    "diff": "Compare two sitemaps as sets of URLs.",
    "validate": "Check sitemaps by every rule that needs no site.",
    "read": "List the URLs of a sitemap, or of all that a site declares.",
    "explain": "Tell why one URL is, or is not, in the sitemap.",
    "robots": "Tell whether URLs are allowed, and by which line.",
    "rules": "List the rules, or those of a family; explain one of them.",
    "init": "Write a config and a workflow, or GitLab's pipeline.",
    "ui": "Check a site from a page in your browser.",
}
_OTHER_COMMANDS = {  # as other programs call it → here
    "help": "--help",
    "version": "--version",
    "lint": "validate",
    "generate": "write",
    "fix": "write",
    "setup": "init",
    **dict.fromkeys(("test", "scan", "crawl"), "check"),
}
_GC_THRESHOLD = 20_000  # new objects between two collections: hardly any value of a run lies in a cycle


class _Commands(click.Group):
    """Imports the requested command only: what `validate` needs does not slow the start of `check`."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - the signature is click's
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - as above
        if cmd_name not in _COMMANDS:
            return None
        name, attribute = _COMMANDS[cmd_name]
        module = sys.modules.get(f"sitemap_action.cli.{name}") or _import_uncollected(f"sitemap_action.cli.{name}")
        command: click.Command = getattr(module, attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in _COMMANDS and not name.startswith("-"):
            raise UsageError(f"there is no command {name[:200]}", hint=_near_miss(name))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the list of commands from the table, without importing any."""
        click.Group(commands=[click.Command(name, help=text) for name, text in _SUMMARIES.items()]).format_commands(
            ctx, formatter
        )


def _near_miss(name: str) -> str:
    """What may have been meant: a site or a build to check, or a command of a similar name."""
    if "://" in name or os.path.isdir(name):  # noqa: PTH112 - `Path.is_dir` raises for a long name
        return f"check it: `sitemap-action check {name[:200]}`"
    from difflib import get_close_matches  # noqa: PLC0415 - few command lines have a wrong name

    if name in _OTHER_COMMANDS:
        return f"did you mean `sitemap-action {_OTHER_COMMANDS[name]}`?"
    near = [one for one in get_close_matches(name.lower(), _COMMANDS, 1) if one in _SUMMARIES]
    return f"did you mean `sitemap-action {near[0]}`?" if near else "see `sitemap-action --help`"


def _import_uncollected(name: str) -> ModuleType:
    """Imports make no garbage, and what they load stays: collecting it is lost time."""
    gc.disable()
    try:
        return import_module(name)
    finally:
        gc.freeze()
        gc.set_threshold(_GC_THRESHOLD)
        gc.enable()


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="sitemap-action")
def sitemap_action() -> None:
    """Know which pages of a site appear and which vanish, and why.

    Exit codes: 0 in sync, 1 the sitemap and the site differ or the sitemap is invalid, 2 usage or configuration,
    3 not enough was read for a verdict, 4 something could not be written or published, 70 a bug in this program.
    """
