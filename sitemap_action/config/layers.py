"""Where values come from, and which of them wins."""

from collections.abc import Iterable
from collections.abc import Mapping as Map
from dataclasses import dataclass
from enum import Enum, auto
from typing import TypeAlias

from sitemap_action.config.fields import Option, Section, slots
from sitemap_action.config.problem import Mark
from sitemap_action.config.schema import INPUTS, Config
from sitemap_action.config.types import KeyValue, ListOf, Mapping, Node, OptionType, Scalar, Sequence, YamlDocument
from sitemap_action.config.values import FailOnKind
from sitemap_action.errors import UsageError


class Origin(Enum):
    """Who gave a value."""

    FILE = auto()
    INPUT = auto()  # of the action, or another variable of the environment
    COMMAND_LINE = auto()


PRECEDENCE = (Origin.FILE, Origin.INPUT, Origin.COMMAND_LINE)
"""Later wins; the built-in defaults come before all of them."""


@dataclass(frozen=True, slots=True)
class File:
    """The config file, as bytes; `name` is the path that errors show."""

    name: str
    data: bytes

    origin = Origin.FILE


@dataclass(frozen=True, slots=True)
class Setting:
    """One key from elsewhere; `name` is what errors call it, such as `input max-removed` and `--set`."""

    origin: Origin
    name: str
    key: str
    text: str


Layer: TypeAlias = File | Setting


def inputs(values: Map[str, str]) -> tuple[Setting, ...]:
    """The action's inputs that are options; an empty one is not given."""
    return tuple(
        Setting(Origin.INPUT, f"input {name}", key, values[name])
        for name, key in INPUTS.items()
        if values.get(name, "").strip()
    )


def flag(name: str, text: str) -> Setting:
    """A flag that is an option: `--path dist`."""
    return Setting(Origin.COMMAND_LINE, f"--{name}", INPUTS[name], text)


def assignment(text: str) -> Setting:
    """The KEY=VALUE of `--set`."""
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise UsageError(f"--set {text} gives no value", hint="write --set KEY=VALUE, as in --set policy.max-removed=5")
    return Setting(Origin.COMMAND_LINE, "--set", key.strip(), value)


def tree(layer: Layer) -> YamlDocument:
    """What a layer says, as the config file would say it."""
    if isinstance(layer, File):
        from sitemap_action.config.yaml import read_file  # noqa: PLC0415 - flags alone need no YAML parser

        return read_file(layer.name, layer.data)
    mark = Mark(layer.name)
    value = _value(mark, layer.text.strip(), _kind(layer.key))
    if (node := value.root) is None:
        return value
    for name in reversed(_names(layer.key)):
        node = Mapping(mark, (KeyValue(Scalar(mark, name), node),))
    return YamlDocument(node, value.problems)


def _value(mark: Mark, text: str, kind: OptionType[object] | None) -> YamlDocument:
    """YAML in flow style, or bare text as it is, so that `*.pdf` needs no quotes; a list may be given line by line."""
    if text.startswith(("[", "{", '"', "'")):
        from sitemap_action.config.yaml import read_value  # noqa: PLC0415 - as above

        return read_value(mark, text)
    if isinstance(kind, ListOf | FailOnKind):
        parts = text.replace(",", "\n").splitlines() if kind.commas else text.splitlines()
        return YamlDocument(Sequence(mark, tuple(_texts(mark, parts))))
    return YamlDocument(Scalar(mark, text, plain=bool(text)))


def _texts(mark: Mark, parts: Iterable[str]) -> Iterable[Node]:
    return (Scalar(mark, part.strip()) for part in parts if part.strip())


def _kind(key: str) -> OptionType[object] | None:
    """The kind of a dotted key; None where there is no such option."""
    record: type = Config
    for name in _names(key):
        slot = {name: slot for _, name, slot in slots(record)}.get(name)
        match slot:
            case Option():
                return slot.kind
            case Section():
                record = slot.type
            case _:
                return None
    return None


def _names(key: str) -> list[str]:
    """The names of a dotted key: inside a section a name may hold dots, as a pattern does, unless it is a section's."""
    first, dot, rest = key.partition(".")
    names, record = [first], _section(Config, first)
    while dot:
        name, further, remains = rest.partition(".")
        record = _section(record, name) if record else None
        if not further or record is None:
            return [*names, rest]
        names, rest = [*names, name], remains
    return names


def _section(record: type, name: str) -> type | None:
    found = {name: slot for _, name, slot in slots(record)}.get(name)
    return found.type if isinstance(found, Section) else None
