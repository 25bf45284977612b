"""A dataclass of options as something to read, to build and to describe.

Reading yields dotted keys with typed values, so that several layers can be laid over each other key by key before
`build` makes the one object.
"""

from collections.abc import Iterable
from collections.abc import Mapping as Map
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Any, Generic, TypeVar

from sitemap_action.config.fields import Option, Rest, Section, slots
from sitemap_action.config.problem import Bad, Problem
from sitemap_action.config.types import Json, KeyValue, KnownNames, Mapping, Node, Scalar, found, gather, nearest

T = TypeVar("T")

# A key leaves this list in the commit that puts its option into schema.py; a test holds the two apart.
PLANNED = (
    "render",
    "select.trailing-slash",
    "select.html-extension",
    "output.lastmod-map",
    "output.fingerprints",
    "output.date-only",
    "output.extensions",
    "output.changefreq",
    "output.priority",
)


def read(record: type[Any], node: Node, prefix: str, known: KnownNames, homes: Map[str, str]) -> dict[str, object]:
    """Dotted key → typed value. `homes`: where keys live that stand in the wrong section. Raises Bad."""
    if isinstance(node, Scalar) and node.empty:
        return {}
    if not isinstance(node, Mapping):
        name = prefix.removesuffix(".")
        what = f"{name}: {found(node)} is not a section; indent its keys below it"
        raise Bad(Problem(node.mark, what if name else f"a config file holds keys and values, not {found(node)}"))
    values: dict[str, object] = {}
    for part in gather(partial(_read_entry, record, entry, prefix, known, homes) for entry in node.entries):
        values |= part
    return values


def _read_entry(
    record: type[Any], entry: KeyValue, prefix: str, known: KnownNames, homes: Map[str, str]
) -> dict[str, object]:
    key, path = entry.key.text, f"{prefix}{entry.key.text}"
    keys = {key: slot for _, key, slot in slots(record) if not isinstance(slot, Rest)}
    others = [slot for _, _, slot in slots(record) if isinstance(slot, Rest)]
    match keys.get(key):
        case Option() as slot:
            return {path: slot.kind.read(entry.value, path, known)}
        case Section() as slot:
            return read(slot.type, entry.value, f"{path}.", known, homes)
    if others and not nearest(key, keys):
        others[0].name.read(entry.key, prefix.removesuffix("."), known)
        return {path: others[0].kind.read(entry.value, path, known)}
    raise Bad(Problem(entry.key.mark, _unknown(key, prefix, keys, homes)))


def _unknown(key: str, prefix: str, siblings: Iterable[str], homes: Map[str, str]) -> str:
    """`prefix` is the section with its dot; `homes` leads from each key of the file to its section."""
    path = f"{prefix}{key}"
    if path in PLANNED:
        return f"{path} is not available in this version"
    if key in homes:
        where = f"under {homes[key]}" if homes[key] else "at the top level, not indented"
        return f"{path} is not a known key; {key} belongs {where}"
    names = list(siblings)
    rest = nearest(key, names) or f"; known here: {', '.join(names)}"
    return f"{path} is not a known key{rest}"


def build(record: type[T], values: Map[str, object], prefix: str = "") -> T:
    """The object that dotted values make; what they lack has its default."""
    arguments: dict[str, object] = {}
    keys = {f"{prefix}{key}" for _, key, slot in slots(record) if not isinstance(slot, Rest)}
    for name, key, slot in slots(record):
        path = f"{prefix}{key}"
        match slot:
            case Section():
                arguments[name] = build(slot.type, values, f"{path}.")
            case Rest():
                others = [other for other in values if other.startswith(prefix) and other not in keys]
                arguments[name] = {other.removeprefix(prefix): values[other] for other in others}
            case Option() if path in values:
                arguments[name] = values[path]
    return record(**arguments)


@dataclass(frozen=True, slots=True)
class RecordType(Generic[T]):
    """A record as the value of one option, complete or not at all."""

    type: type[T]

    def words(self, _known: KnownNames) -> str:
        return f"{{{', '.join(key for _, key, _ in slots(self.type))}}}"

    def read(self, node: Node, key: str, known: KnownNames) -> T:
        values = read(self.type, node, f"{key}.", known, {})
        missing = [
            Problem(node.mark, f"{key}: {name} is missing; it takes {slot.kind.words(known)}")
            for _, name, slot in slots(self.type)
            if isinstance(slot, Option) and slot.required and f"{key}.{name}" not in values
        ]
        if missing:
            raise Bad(*missing)
        return build(self.type, values, f"{key}.")

    def schema(self, known: KnownNames) -> Map[str, Json]:
        return schema(self.type, "", known)


def schema(record: type[Any], prefix: str, known: KnownNames) -> dict[str, Json]:
    """JSON Schema of the mapping that holds a record's keys; `prefix` is the section with its dot."""
    properties: dict[str, Json] = {}
    result: dict[str, Json] = {"type": "object", "properties": properties, "additionalProperties": False}
    needed = []
    for _, key, slot in slots(record):
        title: dict[str, Json] = {"title": f"{prefix}{key}", "description": slot.help}
        match slot:
            case Section():
                properties[key] = title | schema(slot.type, f"{prefix}{key}.", known) | {"type": ["object", "null"]}
            case Rest():
                result["additionalProperties"] = {"description": slot.help, **slot.kind.schema(known)}
                result["propertyNames"] = slot.name.schema(known)
            case Option():
                needed += [key] if slot.required else []
                properties[key] = title | dict(slot.kind.schema(known)) | _default(slot)
    return result | ({"required": needed} if needed else {})


def _default(slot: Option) -> dict[str, Json]:
    """Only a default that could be written down; one that is worked out later stays unsaid."""
    if slot.shown or slot.required:
        return {}
    return {"default": plain(slot.default)}


def plain(value: object) -> Json:
    """A typed value as it stands in YAML."""
    match value:
        case Enum():
            return str(value.value)
        case bool() | int() | str():
            return value
        case tuple():
            return [plain(item) for item in value]
        case dict():
            return {str(key): plain(item) for key, item in value.items()}
        case _:
            return str(value)
