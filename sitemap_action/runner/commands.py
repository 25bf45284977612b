"""Workflow commands: the lines that a GitHub runner acts on, and how text is escaped in them and against them."""

import re
from functools import cache

from sitemap_action.web.printable import INVISIBLE, printable

# Characters that a comparison may ignore: controls, formats (Cf), and others without a glyph.
_IGNORED = (
    "\\x00-\\x08\\x0e-\\x1f\\x7f-\\x84\\x86-\\x9f\\xad\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u180e"
    "\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\U000110bd\\U000110cd"
    "\\U00013430-\\U0001343f\\U0001bca0-\\U0001bca3\\U0001d173-\\U0001d17a\\U000e0001\\U000e0020-\\U000e007f"
) + "".join(sorted(INVISIBLE))
MAX_MESSAGE = 4000  # characters of a message; the runner cuts at 4,096


def command(name: str, message: str = "", **properties: str) -> str:
    """One line. `message` is escaped for the runner only: text of a site needs `printable_message` before."""
    joined = ",".join(f"{key}={_escape_property(value)}" for key, value in properties.items() if value)
    return f"::{name}{f' {joined}' if joined else ''}::{_escape_data(message)}"


def printable_message(*lines: str) -> str:
    """A message of several lines for `command`: each printable, the whole shorter than the runner's limit."""
    message = "\n".join(printable(line) for text in lines for line in text.splitlines())
    return message if len(message) <= MAX_MESSAGE else f"{message[:MAX_MESSAGE]}…"


def escape_commands(text: str) -> str:
    """The text of a report without commands. JSON keeps its meaning: there, the marker is inside a string."""
    legacy, command_start = _command_patterns()
    return command_start.sub(r"\1\\:", legacy.sub(r"\1\\u005b", text))


@cache
def _command_patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """`##[name]` and `::name::`; compiled on first use, because only a run on GitHub needs them."""
    legacy = re.compile(rf"(#[{_IGNORED}]*#[{_IGNORED}]*)\[(?!\\)")
    return legacy, re.compile(rf"((?:^|[\r\n])[\s{_IGNORED}]*):(?=[{_IGNORED}]*:)")


def _escape_data(text: str) -> str:
    """The runner decodes these three, `%25` last (actions/toolkit, command.ts)."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape_data(text).replace(":", "%3A").replace(",", "%2C")
