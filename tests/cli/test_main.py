"""The list of commands, which is shown without loading any."""

import click
import pytest

from sitemap_action.__main__ import sitemap_action


@pytest.mark.parametrize("width", [20, 60, 100, 200])
def test_the_list_of_commands_equals_their_help(width: int) -> None:
    context, listed, loaded = click.Context(sitemap_action), click.HelpFormatter(width), click.HelpFormatter(width)
    sitemap_action.format_commands(context, listed)
    click.Group.format_commands(sitemap_action, context, loaded)
    assert listed.getvalue() == loaded.getvalue()
    assert "  check" in listed.getvalue()
