"""The program and its commands."""

import gc
from importlib import import_module

import click

from sitemap_action import __version__

_COMMANDS = {  # name → module and attribute
    "check": ("look", "check"),
    "write": ("look", "write"),
    "run": ("action", "run_action"),
    "diff": ("files", "diff"),
    "validate": ("files", "validate"),
    "read": ("read", "read"),
    "robots": ("robots", "robots"),
    "rules": ("rules", "rules"),
}
_COLLECTED = 20_000  # new objects between two looks for garbage: hardly any value of a run lies in a cycle


class _Commands(click.Group):
    """Loads the command that is named and no other: what `validate` needs is no part of starting `check`."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - the signature is click's
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - as above
        if cmd_name not in _COMMANDS:
            return None
        module, attribute = _COMMANDS[cmd_name]
        gc.disable()  # loading makes no garbage, and what is loaded stays: looking through it is lost time
        try:
            command: click.Command = getattr(import_module(f"sitemap_action.cli.{module}"), attribute)
        finally:
            gc.freeze()
            gc.set_threshold(_COLLECTED)
            gc.enable()
        return command


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="sitemap-action")
def sitemap_action() -> None:
    """Know which pages of a site appear and which vanish, and why.

    Exit codes: 0 in sync, 1 the sitemap and the site differ or the sitemap is invalid, 2 usage or configuration,
    3 not enough was seen to judge, 4 a file could not be written, 70 a bug in this program.
    """
