"""The layers of the config: file, inputs, flags; each becomes a tree of nodes, and the later one wins."""

from collections.abc import Iterable, Mapping
from enum import Enum, auto
from typing import TypeAlias

from msgspec import Struct

from sitemap_action.config.entry_extensions import ExtensionsType
from sitemap_action.config.fields import OptionField, SectionField, config_fields
from sitemap_action.config.problem import Mark
from sitemap_action.config.schema import INPUTS, Config
from sitemap_action.config.types import (
    KeyValue,
    ListOf,
    MappingNode,
    Node,
    OptionType,
    ScalarNode,
    SequenceNode,
    YamlDocument,
)
from sitemap_action.config.values import FailOnType
from sitemap_action.errors import UsageError


class Origin(Enum):
    """Where a value comes from."""

    FILE = auto()
    INPUT = auto()  # of the action, or another variable of the environment
    COMMAND_LINE = auto()


PRECEDENCE = (Origin.FILE, Origin.INPUT, Origin.COMMAND_LINE)
"""Later wins; the built-in defaults come before all of them."""


class File(Struct, frozen=True):
    """The config file, as bytes; `name` is the path that errors show."""

    name: str
    data: bytes

    origin = Origin.FILE


class Setting(Struct, frozen=True):
    """One key from an input or a flag; errors show `name`, such as `input max-removed` or `--set`."""

    origin: Origin
    name: str
    key: str
    text: str


Layer: TypeAlias = File | Setting


def inputs(values: Mapping[str, str]) -> tuple[Setting, ...]:
    """The action's inputs that are options; an empty one counts as absent."""
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


def read_layer(layer: Layer) -> YamlDocument:
    """The same tree that a config file with these keys gives."""
    if isinstance(layer, File):
        from sitemap_action.config.yaml import read_file  # noqa: PLC0415 - flags alone need no YAML parser

        return read_file(layer.name, layer.data)
    mark = Mark(layer.name)
    value = _parse_value(mark, layer.text.strip(), _option_type(layer.key))
    if (node := value.root) is None:
        return value
    for name in reversed(_split_key(layer.key)):
        node = MappingNode(mark, (KeyValue(ScalarNode(mark, name), node),))
    return YamlDocument(node, value.problems)


def _parse_value(mark: Mark, text: str, value_type: OptionType[object] | None) -> YamlDocument:
    """YAML in flow style, or text as it is, so that `*.pdf` needs no quotes; a list may have one item a line."""
    if text.startswith(("[", "{", '"', "'")):
        from sitemap_action.config.yaml import read_value  # noqa: PLC0415 - as above

        return read_value(mark, text)
    if isinstance(value_type, ListOf | FailOnType | ExtensionsType):
        parts = text.replace(",", "\n").splitlines() if value_type.commas else text.splitlines()
        return YamlDocument(SequenceNode(mark, tuple(_scalars(mark, parts))))
    return YamlDocument(ScalarNode(mark, text, plain=bool(text)))


def _scalars(mark: Mark, parts: Iterable[str]) -> Iterable[Node]:
    return (ScalarNode(mark, part.strip()) for part in parts if part.strip())


def _option_type(key: str) -> OptionType[object] | None:
    """Of a dotted key; None where there is no such option."""
    record: type = Config
    for name in _split_key(key):
        field = {name: field for _, name, field in config_fields(record)}.get(name)
        match field:
            case OptionField():
                return field.value_type
            case SectionField():
                record = field.record
            case _:
                return None
    return None


def _split_key(key: str) -> list[str]:
    """The parts of a dotted key. Behind the last section everything is one part: a pattern may hold dots."""
    first, dot, tail = key.partition(".")
    names, record = [first], _section_record(Config, first)
    while dot:
        name, further, remains = tail.partition(".")
        record = _section_record(record, name) if record else None
        if not further or record is None:
            return [*names, tail]
        names, tail = [*names, name], remains
    return names


def _section_record(record: type, name: str) -> type | None:
    found = {name: field for _, name, field in config_fields(record)}.get(name)
    return found.record if isinstance(found, SectionField) else None
