"""A problem in the configuration: its place and what to do, safe to print."""

import re

from msgspec import Struct

from sitemap_action.web.printable import printable

_MAX_TEXT = 400
_MAX_QUOTED = 60
_USERINFO = re.compile(r"//\S*@")


class Mark(Struct, frozen=True):
    """A place: `name:line:column` in a file, counted from 1; for an input or a flag its name alone."""

    name: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"{self.name}:{self.line}:{self.column}" if self.line else self.name


class Problem(Struct, frozen=True):
    """A sentence about one place."""

    mark: Mark
    text: str

    def __str__(self) -> str:
        return printable(f"{self.mark}: {_shortened(_without_userinfo(self.text), _MAX_TEXT)}")


class InvalidValue(Exception):  # noqa: N818  about the configuration; the program did not fail
    """A value that cannot be used, with all of its problems."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__(*problems)
        self.problems = problems


def quoted(text: str) -> str:
    return f'"{_shortened(_without_userinfo(text), _MAX_QUOTED)}"'


def _without_userinfo(text: str) -> str:
    """Without the userinfo of URLs, which may hold a password (URL-20)."""
    return _USERINFO.sub("//…@", text)


def _shortened(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"
