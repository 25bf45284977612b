"""How a dataclass lists its keys: a field is an option with kind, default and help, a section, or every other key."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeAlias, TypeVar

from sitemap_action.config.types import OptionType

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Option:
    """One key with a value. `shown` says in words what happens without it, where no value can."""

    key: str
    kind: OptionType[object]
    help: str
    shown: str = ""
    default: object = None
    required: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """One key with keys of its own."""

    key: str
    type: type[Any]
    help: str


@dataclass(frozen=True, slots=True)
class Rest:
    """Every other key of a section, all of one kind."""

    name: OptionType[str]
    kind: OptionType[object]
    help: str
    key: str  # what stands for such a key in a table


Slot: TypeAlias = Option | Section | Rest


def option(default: T, kind: OptionType[T], says: str, *, shown: str = "", key: str = "") -> T:
    """A field of a record. Its key is the field's name with dashes."""
    value: T = field(default_factory=lambda: default, metadata={"slot": Option(key, kind, says, shown, default)})
    return value


def required(kind: OptionType[T], says: str) -> T:
    value: T = field(metadata={"slot": Option("", kind, says, required=True)})
    return value


def section(record: type[T], says: str) -> T:
    value: T = field(default_factory=record, metadata={"slot": Section("", record, says)})
    return value


def rest(name: OptionType[str], kind: OptionType[T], says: str, *, key: str) -> Mapping[str, T]:
    value: Mapping[str, T] = field(default_factory=dict, metadata={"slot": Rest(name, kind, says, key)})
    return value


def slots(record: type[Any]) -> Iterator[tuple[str, str, Slot]]:
    """(field, key, slot) in order of definition."""
    for each in fields(record):
        slot: Slot = each.metadata["slot"]
        yield each.name, slot.key or each.name.replace("_", "-"), slot
