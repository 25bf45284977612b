"""How a record declares keys of the config file: an option, a section, or every other key of a section."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn, TypeAlias, TypeVar

from msgspec import Struct, field

from sitemap_action.config.types import OptionType

T = TypeVar("T")


class OptionField(Struct, frozen=True, kw_only=True):
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


class _Default(Struct, frozen=True):
    """The factory of a field's default, which says what the field is."""

    described: ConfigField
    make: Callable[[], Any]

    def __call__(self) -> Any:
        return self.make()


def option(default: T, value_type: OptionType[T], help_text: str, *, default_text: str = "", key: str = "") -> T:
    """A field of a record; its key is the field's name with dashes, or `key`."""
    described = OptionField(key=key, value_type=value_type, help=help_text, default_text=default_text, default=default)
    return _described(described, lambda: default)


def required(value_type: OptionType[T], help_text: str) -> T:
    return _described(OptionField(key="", value_type=value_type, help=help_text, required=True), _missing)


def section(record: type[T], help_text: str) -> T:
    return _described(SectionField("", record, help_text), record)


def rest(key_type: OptionType[str], value_type: OptionType[T], help_text: str, *, placeholder: str) -> Mapping[str, T]:
    return _described(RestField(key_type, value_type, help_text, placeholder), dict[str, T])


def config_fields(record: type[Any]) -> Iterator[tuple[str, str, ConfigField]]:
    """(name of the field, key, ConfigField) in order of definition."""
    for name, default in zip(record.__struct_fields__, record.__struct_defaults__, strict=True):
        found: ConfigField = default.factory.described
        key = found.placeholder if isinstance(found, RestField) else found.key
        yield name, key or name.replace("_", "-"), found


def _described(described: ConfigField, make: Callable[[], T]) -> T:
    value: T = field(default_factory=_Default(described, make))
    return value


def _missing() -> NoReturn:
    raise TypeError("a record is made without a value that it requires")
