"""Lines of a text report as a terminal shows them best: no wider than it, without letters that it lacks."""

import textwrap
import unicodedata
from collections.abc import Mapping

_ASCII = str.maketrans(
    {
        "✗": "x",
        "✓": "v",
        "→": ">",
        "↳": ">",
        "…": "...",
        "–": "-",
        "“": '"',
        "”": '"',
        "’": "'",
    }
)
_GAP = "  "  # between the parts of a row
_NARROWEST = 20  # columns; a terminal that says less does not know
_RIGHT_TO_LEFT = frozenset({"R", "AL"})


def shows_unicode(environment: Mapping[str, str]) -> bool:
    """By the locale that the user has set; most terminals without one show UTF-8."""
    locale = environment.get("LC_ALL") or environment.get("LC_CTYPE") or environment.get("LANG") or "utf-8"
    return "utf" in locale.lower() and environment.get("TERM") != "dumb"


def fitted(text: str, width: int, *, unicode: bool) -> str:
    """The report in lines of at most `width` columns where words allow it; `unicode`: the terminal can show all."""
    lines = [part for line in text.splitlines() for part in _parts(line, max(width, _NARROWEST))]
    shown = "".join(f"{line}\n" for line in lines)
    return shown if unicode else shown.translate(_ASCII).encode("ascii", "backslashreplace").decode()


def _parts(line: str, width: int) -> list[str]:
    """A part that is read from right to left has a line of its own, so that it moves no other part of the row."""
    if not line.isascii() and any(unicodedata.bidirectional(letter) in _RIGHT_TO_LEFT for letter in line):
        indent = line[: len(line) - len(line.lstrip())]
        first, *rest = line.strip().split(_GAP)
        lines = [f"{indent}{first}", *(f"{indent}    {part.strip()}" for part in rest if part.strip())]
    else:
        lines = [line]
    return [part for one in lines for part in _wrapped(one, width)]


def _wrapped(line: str, width: int) -> list[str]:
    if len(line) <= width:
        return [line]
    indent = line[: len(line) - len(line.lstrip())]
    hanging = indent + "    "
    first, *rest = textwrap.wrap(
        line,
        width,
        initial_indent="",
        subsequent_indent=hanging,
        break_long_words=False,
        break_on_hyphens=False,
        drop_whitespace=True,
        replace_whitespace=False,
    )
    if rest and len(first.strip()) == 1:  # the mark of a row is on the line of its address
        first, rest = f"{first} {rest[0].lstrip()}", rest[1:]
    return [first, *rest]
