"""Reads, builds and describes a record whose fields are options.

Reading yields dotted keys with typed values, so that layers can be merged key by key before `build_record` makes the
one object.
"""

from collections.abc import Iterable, Mapping
from enum import Enum
from functools import partial
from typing import Any, Generic, TypeVar

from msgspec import Struct

from sitemap_action.config.fields import OptionField, RestField, SectionField, config_fields
from sitemap_action.config.problem import InvalidValue, Problem
from sitemap_action.config.types import (
    Json,
    KeyValue,
    KnownNames,
    MappingNode,
    Node,
    ScalarNode,
    describe_node,
    did_you_mean,
    gather,
)

T = TypeVar("T")


def read_record(
    record: type[Any], node: Node, prefix: str, known: KnownNames, sections_by_key: Mapping[str, str]
) -> dict[str, object]:
    """Dotted key → typed value. `sections_by_key` is for the hint about a misplaced key. Raises InvalidValue."""
    if isinstance(node, ScalarNode) and node.empty:
        return {}
    if not isinstance(node, MappingNode):
        name = prefix.removesuffix(".")
        what = f"{name}: {describe_node(node)} is not a section; indent its keys below it"
        raise InvalidValue(
            Problem(node.mark, what if name else f"a config file holds keys and values, not {describe_node(node)}")
        )
    values: dict[str, object] = {}
    for entry_values in gather(
        partial(_read_entry, record, entry, prefix, known, sections_by_key) for entry in node.entries
    ):
        values |= entry_values
    return values


def _read_entry(
    record: type[Any], entry: KeyValue, prefix: str, known: KnownNames, sections_by_key: Mapping[str, str]
) -> dict[str, object]:
    key, path = entry.key.text, f"{prefix}{entry.key.text}"
    keys = {key: field for _, key, field in config_fields(record) if not isinstance(field, RestField)}
    rest = [field for _, _, field in config_fields(record) if isinstance(field, RestField)]
    match keys.get(key):
        case OptionField() as field:
            return {path: field.value_type.read(entry.value, path, known)}
        case SectionField() as field:
            return read_record(field.record, entry.value, f"{path}.", known, sections_by_key)
    if rest and not did_you_mean(key, keys):
        rest[0].key_type.read(entry.key, prefix.removesuffix("."), known)
        return {path: rest[0].value_type.read(entry.value, path, known)}
    raise InvalidValue(Problem(entry.key.mark, _unknown_key(key, prefix, keys, sections_by_key)))


def _unknown_key(key: str, prefix: str, siblings: Iterable[str], sections_by_key: Mapping[str, str]) -> str:
    """The message for an unknown key. `prefix` is the section with its dot."""
    path = f"{prefix}{key}"
    if key in sections_by_key:
        where = f"under {sections_by_key[key]}" if sections_by_key[key] else "at the top level, not indented"
        return f"{path} is not a known key; {key} belongs {where}"
    names = list(siblings)
    hint = did_you_mean(key, names) or f"; known here: {', '.join(names)}"
    return f"{path} is not a known key{hint}"


def build_record(record: type[T], values: Mapping[str, object], prefix: str = "") -> T:
    """The object with these values by dotted key; a missing one has its default."""
    arguments: dict[str, object] = {}
    keys = {f"{prefix}{key}" for _, key, field in config_fields(record) if not isinstance(field, RestField)}
    for name, key, field in config_fields(record):
        path = f"{prefix}{key}"
        match field:
            case SectionField():
                arguments[name] = build_record(field.record, values, f"{path}.")
            case RestField():
                others = [other for other in values if other.startswith(prefix) and other not in keys]
                arguments[name] = {other.removeprefix(prefix): values[other] for other in others}
            case OptionField() if path in values:
                arguments[name] = values[path]
    return record(**arguments)


class RecordType(Struct, Generic[T], frozen=True):
    """A record as the value of one option: its required keys have to be there."""

    record: type[T]

    def describe(self, _known: KnownNames) -> str:
        return f"{{{', '.join(key for _, key, _ in config_fields(self.record))}}}"

    def read(self, node: Node, key: str, known: KnownNames) -> T:
        values = read_record(self.record, node, f"{key}.", known, {})
        missing = [
            Problem(node.mark, f"{key}: {name} is missing; it takes {field.value_type.describe(known)}")
            for _, name, field in config_fields(self.record)
            if isinstance(field, OptionField) and field.required and f"{key}.{name}" not in values
        ]
        if missing:
            raise InvalidValue(*missing)
        return build_record(self.record, values, f"{key}.")

    def schema(self, known: KnownNames) -> Mapping[str, Json]:
        return record_schema(self.record, "", known)


def record_schema(record: type[Any], prefix: str, known: KnownNames) -> dict[str, Json]:
    """JSON Schema of the mapping that holds a record's keys; `prefix` is the section with its dot."""
    properties: dict[str, Json] = {}
    result: dict[str, Json] = {"type": "object", "properties": properties, "additionalProperties": False}
    required = []
    for _, key, field in config_fields(record):
        title: dict[str, Json] = {"title": f"{prefix}{key}", "description": field.help}
        match field:
            case SectionField():
                properties[key] = (
                    title | record_schema(field.record, f"{prefix}{key}.", known) | {"type": ["object", "null"]}
                )
            case RestField():
                result["additionalProperties"] = {"description": field.help, **field.value_type.schema(known)}
                result["propertyNames"] = field.key_type.schema(known)
            case OptionField():
                required += [key] if field.required else []
                properties[key] = title | dict(field.value_type.schema(known)) | _default(field)
    return result | ({"required": required} if required else {})


def _default(field: OptionField) -> dict[str, Json]:
    """Only a default that has a value; one that is computed later has none."""
    if field.default_text or field.required:
        return {}
    return {"default": to_json(field.default)}


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
