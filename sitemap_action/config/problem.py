"""One thing wrong in the configuration: where it stands and what to do, safe to print."""

import re
from dataclasses import dataclass

from sitemap_action.web.printable import printable

_MAX_TEXT = 400
_MAX_QUOTED = 60
_USER = re.compile(r"//\S*@")


@dataclass(frozen=True, slots=True)
class Mark:
    """A place: `name:line:column` of a file, counted from 1; the name alone of an input or a flag."""

    name: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"{self.name}:{self.line}:{self.column}" if self.line else self.name


@dataclass(frozen=True, slots=True)
class Problem:
    """A mark and a sentence."""

    mark: Mark
    text: str

    def __str__(self) -> str:
        return printable(f"{self.mark}: {_shortened(_public(self.text), _MAX_TEXT)}")


class Bad(Exception):  # noqa: N818  a statement about the configuration; nothing went wrong in the program
    """A value that cannot be used, with everything that is wrong with it."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__(*problems)
        self.problems = problems


def quoted(text: str) -> str:
    return f'"{_shortened(_public(text), _MAX_QUOTED)}"'


def _public(text: str) -> str:
    """Without what stands before the @ of a URL: it may be a password (URL-20)."""
    return _USER.sub("//…@", text)


def _shortened(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"
