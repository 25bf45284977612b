"""What a GitHub runner makes of a step: a model of its parser, from ActionCommand.cs and FileCommandManager.cs."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

# ruff: noqa: SIM905 - a list of words reads best as words
NAMES = frozenset(
    "set-env set-output save-state add-mask add-path add-matcher remove-matcher debug warning error notice group "
    "endgroup echo stop-commands internal-set-repo-path".split()
)
_IGNORABLE = frozenset(
    map(chr, (0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0, *range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)))
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Command:
    name: str
    properties: dict[str, str]
    data: str


def commands(stream: str) -> list[Command]:
    """Every command of a stream, also those that a culture would find by passing over what shows nothing."""
    found = []
    shown = stream.encode(errors="replace").decode()  # our streams write UTF-8, and nothing else can be read from them
    for line in re.split(r"\r\n|\n|\r", shown):
        for heard in dict.fromkeys((line, line.translate(_CULTURE))):
            if one := _second(heard) or _first(heard):
                found.append(one)
                break
    return found


class _Culture(dict[int, int | None]):
    """Code points without those that show nothing, for `str.translate`."""

    def __missing__(self, point: int) -> int | None:
        hidden = unicodedata.category(chr(point)) in {"Cc", "Cf"} or chr(point) in _IGNORABLE
        self[point] = None if hidden else point
        return self[point]


_CULTURE = _Culture()


def _second(line: str) -> Command | None:
    """`::name k=v,k=v::data`, after white space."""
    text = line.lstrip()
    if not text.startswith("::") or (end := text.find("::", 2)) < 0:
        return None
    name, _, listed = text[2:end].partition(" ")
    if name.lower() not in NAMES:
        return None
    pairs = (pair.partition("=") for pair in listed.strip().split(",") if "=" in pair)
    properties = {key.strip(): _undone(value, "%3A", ":", "%2C", ",") for key, _, value in pairs}
    return Command(name.lower(), properties, _undone(text[end + 2 :]))


def _first(line: str) -> Command | None:
    """`##[name k=v;k=v]data`, anywhere; the first marker alone counts."""
    start = line.find("##[")
    end = line.find("]", start)
    if start < 0 or end < 0:
        return None
    name = line[start + 3 : end].partition(" ")[0]
    return Command(name.lower(), {}, line[end + 1 :]) if name.lower() in NAMES else None


def _undone(text: str, *more: str) -> str:
    for escaped, character in zip(more[::2], more[1::2], strict=True):
        text = text.replace(escaped, character)
    return text.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")


def outputs(file: str) -> dict[str, str]:
    """`name=value`, or `name<<DELIMITER` and lines up to DELIMITER; raises ValueError where the runner fails the step."""
    found: dict[str, str] = {}
    lines = _lines(file)
    for line in lines:
        equals, heredoc = line.find("="), line.find("<<")
        if not line:
            continue
        if equals >= 0 and (heredoc < 0 or equals < heredoc):
            found[line[:equals]] = line[equals + 1 :]
        elif heredoc >= 0:
            name, delimiter = line[:heredoc], line[heredoc + 2 :]
            found[name] = _value(lines, delimiter)
        else:
            raise ValueError(f"invalid format {line!r}")
    return found


def _lines(file: str) -> Iterator[str]:
    """Only LF ends a line here, with or without a CR before it."""
    return iter(file.split("\n"))


def _value(lines: Iterator[str], delimiter: str) -> str:
    value = []
    for line in lines:
        if line == delimiter:
            return "\n".join(value)
        value.append(line)
    raise ValueError("matching delimiter not found")
