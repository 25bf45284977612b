"""Workflow commands: the lines that a GitHub runner acts on, and how text is put into them."""

import re

from sitemap_action.web.printable import INVISIBLE, printable

# What a comparison may pass over: controls, formats (Cf), and what else shows nothing.
_IGNORED = (
    "\\x00-\\x08\\x0e-\\x1f\\x7f-\\x84\\x86-\\x9f\\xad\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u180e"
    "\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\U000110bd\\U000110cd"
    "\\U00013430-\\U0001343f\\U0001bca0-\\U0001bca3\\U0001d173-\\U0001d17a\\U000e0001\\U000e0020-\\U000e007f"
) + "".join(sorted(INVISIBLE))
_ANYWHERE = re.compile(rf"(#[{_IGNORED}]*#[{_IGNORED}]*)\[(?!\\)")
_STARTS = re.compile(rf"((?:^|[\r\n])[\s{_IGNORED}]*):(?=[{_IGNORED}]*:)")
LONGEST = 4000  # characters of a message; the runner cuts at 4,096


def command(name: str, message: str = "", **properties: str) -> str:
    """One line. `message` is data as it is; what comes from a site goes through `said` or `printable` before."""
    listed = ",".join(f"{key}={_property(value)}" for key, value in properties.items() if value)
    return f"::{name}{f' {listed}' if listed else ''}::{_data(message)}"


def said(*lines: str) -> str:
    """A message of several lines, cut where the runner would cut it, each line fit for a log."""
    text = "\n".join(printable(line) for part in lines for line in part.splitlines())
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def inert(text: str) -> str:
    """Lines of a report in which no command starts. JSON stays the same JSON: there the marker is in a string."""
    return _STARTS.sub(r"\1\\:", _ANYWHERE.sub(r"\1\\u005b", text))


def _data(text: str) -> str:
    """The runner undoes these three, `%25` last (actions/toolkit, command.ts)."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
