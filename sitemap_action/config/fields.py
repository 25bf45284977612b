"""How a dataclass declares keys of the config file: an option, a section, or every other key of a section."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeAlias, TypeVar

from msgspec import Struct

from sitemap_action.config.types import OptionType

T = TypeVar("T")

_CONFIG = "config"  # where the metadata of a dataclass field holds a ConfigField


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionField:
    """One key with a value. `default_text` describes the default where no value can."""

    key: str
    value_type: OptionType[object]
    help: str
    default_text: str = ""
    default: object = None
    required: bool = False


class SectionField(Struct, frozen=True):
    """One key whose value is a mapping with the keys of `record`."""

    key: str
    record: type[Any]
    help: str


class RestField(Struct, frozen=True):
    """Every other key of a section; all values have one type."""

    key_type: OptionType[str]
    value_type: OptionType[object]
    help: str
    placeholder: str  # for such a key in a table


ConfigField: TypeAlias = OptionField | SectionField | RestField


def option(default: T, value_type: OptionType[T], help_text: str, *, default_text: str = "", key: str = "") -> T:
    """A dataclass field; its key is the field's name with dashes, or `key`."""
    described = OptionField(key=key, value_type=value_type, help=help_text, default_text=default_text, default=default)
    value: T = field(default_factory=lambda: default, metadata={_CONFIG: described})
    return value


def required(value_type: OptionType[T], help_text: str) -> T:
    described = OptionField(key="", value_type=value_type, help=help_text, required=True)
    value: T = field(metadata={_CONFIG: described})
    return value


def section(record: type[T], help_text: str) -> T:
    value: T = field(default_factory=record, metadata={_CONFIG: SectionField("", record, help_text)})
    return value


def rest(key_type: OptionType[str], value_type: OptionType[T], help_text: str, *, placeholder: str) -> Mapping[str, T]:
    described = RestField(key_type, value_type, help_text, placeholder)
    value: Mapping[str, T] = field(default_factory=dict, metadata={_CONFIG: described})
    return value


def config_fields(record: type[Any]) -> Iterator[tuple[str, str, ConfigField]]:
    """(name of the dataclass field, key, ConfigField) in order of definition."""
    for each in fields(record):
        found: ConfigField = each.metadata[_CONFIG]
        key = found.placeholder if isinstance(found, RestField) else found.key
        yield each.name, key or each.name.replace("_", "-"), found
