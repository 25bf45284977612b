"""Options in sections: reading a mapping of them, making the typed record, and describing them as a JSON Schema.

Reading yields dotted keys with typed values, so that layers can be merged key by key before `make_record` makes the one
object.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import partial
from types import MappingProxyType
from typing import Any, TypeVar

from msgspec import NODEFAULT, Struct
from msgspec.structs import fields, replace

from sitemap_action.config.types import Json, RuleNames, ValueType, describe_node, did_you_mean, read_all
from sitemap_action.config.yaml import InvalidValue, KeyValue, MappingNode, Node, Problem, ScalarNode

T = TypeVar("T", bound=Struct)
_NOTHING: Mapping[str, str] = MappingProxyType({})


class Option(Struct, frozen=True):
    """One key of the config file."""

    key: str  # dotted
    value: ValueType[Any]
    help: str
    default_text: str = ""  # where no value describes the default
    field: str = ""  # dotted, of the typed config; "": as the key, with underscores
    names: ValueType[str] | None = None  # the last part of the key stands for any of these
    retired: bool = False  # accepted with a warning, and without effect: the help says what to do

    @property
    def path(self) -> str:
        return self.field or self.key.replace("-", "_")


class ConfigSection(Struct, frozen=True):
    """The keys of a mapping."""

    help: str
    keys: dict[str, "Option | ConfigSection"]

    @property
    def other(self) -> Option | None:
        """The option that stands for every other key."""
        last = next(reversed(self.keys.values()), None)
        return last if isinstance(last, Option) and last.names is not None else None

    def find(self, name: str) -> "Option | ConfigSection | None":
        """The key with this name; not the option that stands for others."""
        found = self.keys.get(name)
        return None if isinstance(found, Option) and found.names is not None else found

    def options(self) -> Iterator[Option]:
        """All options of this section and of those below it, in order."""
        for found in self.keys.values():
            if isinstance(found, Option):
                yield found
            else:
                yield from found.options()


def make_section(options: Iterable[Option], helps: Mapping[str, str] = _NOTHING) -> ConfigSection:
    """The tree of dotted keys. `helps`: for the key of each section, what it is about."""
    root = ConfigSection("", {})
    for option in options:
        section = root
        *parents, name = option.key.split(".")
        for number, parent in enumerate(parents, 1):
            found = section.keys.get(parent) or ConfigSection(helps[".".join(parents[:number])], {})
            assert isinstance(found, ConfigSection)  # noqa: S101 - no option has the key of a section
            section.keys[parent] = section = found
        section.keys[name] = option
    return root


def read_section(
    section: ConfigSection, node: Node, prefix: str, rules: RuleNames, places: Mapping[str, str] = _NOTHING
) -> dict[str, object]:
    """Dotted key → typed value; raises InvalidValue. `places`: key → its section, for the hint at a misplaced key."""
    if isinstance(node, ScalarNode) and node.empty:
        return {}
    if not isinstance(node, MappingNode):
        name, what = prefix.removesuffix("."), describe_node(node)
        problem = f"{name}: {what} is not a section; indent its keys below it"
        raise InvalidValue(Problem(node.mark, problem if name else f"a config file holds keys and values, not {what}"))
    values: dict[str, object] = {}
    for found in read_all(partial(_read_entry, section, entry, prefix, rules, places) for entry in node.entries):
        values |= found
    return values


def _read_entry(
    section: ConfigSection, entry: KeyValue, prefix: str, rules: RuleNames, places: Mapping[str, str]
) -> dict[str, object]:
    key, path, other = entry.key.text, f"{prefix}{entry.key.text}", section.other
    match section.find(key):
        case Option() as option:
            return {path: option.value.read(entry.value, path, rules)}
        case ConfigSection() as inner:
            return read_section(inner, entry.value, f"{path}.", rules, places)
    siblings = [name for name in section.keys if section.find(name)]
    guess = did_you_mean(key, siblings)
    if other is not None and other.names is not None and not guess:
        other.names.read(entry.key, prefix.removesuffix("."), rules)
        return {path: other.value.read(entry.value, path, rules)}
    if key in places:
        where = f"under {places[key]}" if places[key] else "at the top level, not indented"
        guess = f"; {key} belongs {where}"
    guess = guess or f"; known here: {', '.join(siblings)}"
    raise InvalidValue(Problem(entry.key.mark, f"{path} is not a known key{guess}"))


def find_option(section: ConfigSection, names: Sequence[str]) -> Option | None:
    """The option of a key, in its parts; None where there is none."""
    *parents, name = names
    for parent in parents:
        inner = section.find(parent)
        if not isinstance(inner, ConfigSection):
            return None
        section = inner
    found = section.find(name) or section.other
    return found if isinstance(found, Option) else None


class _Changes(dict[str, Any]):
    """New values of the fields of a record, by name; of a field that is a record too, its changes."""


def make_record(default: T, section: ConfigSection, values: Mapping[str, object]) -> T:
    """`default` with these values by dotted key."""
    changes = _Changes()
    for key, value in values.items():
        option = find_option(section, key.split("."))
        if option is None or option.retired:
            continue
        *parents, name = option.path.split(".")
        fields_of = changes
        for parent in parents:
            fields_of = fields_of.setdefault(parent, _Changes())
        if option.names is None:
            fields_of[name] = value
        else:
            fields_of.setdefault(name, {})[key.rpartition(".")[2]] = value
    return _change(default, changes)


def _change(record: T, changes: _Changes) -> T:
    new = {
        name: _change(getattr(record, name), value) if isinstance(value, _Changes) else value
        for name, value in changes.items()
    }
    return replace(record, **new)


def record_type(record: type[T], *options: Option) -> ValueType[T]:
    """A record as the value of one option; a field without a default is a key that has to be there."""
    defaults = {one.name: one.default for one in fields(record)}
    required = [option for option in options if defaults[option.path] is NODEFAULT]
    section = make_section(options)

    def read(node: Node, key: str, rules: RuleNames) -> T:
        values = read_section(section, node, f"{key}.", rules)
        missing = [
            Problem(node.mark, f"{key}: {option.key} is missing; it takes {option.value.takes}")
            for option in required
            if f"{key}.{option.key}" not in values
        ]
        if missing:
            raise InvalidValue(*missing)
        names = {f"{key}.{option.key}": option.path for option in options}
        return record(**{names[name]: value for name, value in values.items()})

    json_schema = section_schema(section, "", lambda option: defaults[option.path])
    if required:
        json_schema["required"] = [option.key for option in required]
    return ValueType(f"{{{', '.join(option.key for option in options)}}}", json_schema, read)


def section_schema(section: ConfigSection, prefix: str, default_of: Callable[[Option], object]) -> dict[str, Json]:
    """JSON Schema of the mapping that holds these keys; `prefix` is the section with its dot."""
    properties: dict[str, Json] = {}
    result: dict[str, Json] = {"type": "object", "properties": properties, "additionalProperties": False}
    for key, found in section.keys.items():
        title: dict[str, Json] = {"title": f"{prefix}{key}", "description": found.help}
        if isinstance(found, ConfigSection):
            inner = section_schema(found, f"{prefix}{key}.", default_of)
            properties[key] = title | inner | {"type": ["object", "null"]}
        elif found.names is not None:
            result["additionalProperties"] = {"description": found.help, **found.value.json_schema}
            result["propertyNames"] = found.names.json_schema
        else:
            properties[key] = title | dict(found.value.json_schema) | _default_keys(found, default_of(found))
    return result


def _default_keys(option: Option, default: object) -> dict[str, Json]:
    """The default as JSON Schema has it; one that is computed later has no value."""
    known = {} if option.default_text or default is NODEFAULT else {"default": to_json(default)}
    return known | ({"deprecated": True} if option.retired else {})


def to_json(value: object) -> Json:
    """A typed value as the config file would have it."""
    match value:
        case Enum():
            return str(value.value)
        case bool() | int() | str():
            return value
        case tuple():
            return [to_json(item) for item in value]
        case dict():
            return {str(key): to_json(item) for key, item in value.items()}
        case _:
            return str(value)
