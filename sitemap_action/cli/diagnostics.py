"""The options that show what a command does: no command that fetches is without them (U-15)."""

import click

DIAGNOSTICS = (
    click.option("--verbose", is_flag=True, help="Print a line for each request."),
    click.option("--debug", is_flag=True, help="The same, and a traceback when the program itself fails."),
)
"""Of every command that fetches."""
