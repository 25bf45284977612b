"""The list of options for others: a JSON Schema for editors, and rows for the table in the documentation."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sitemap_action.config.fields import Option, Rest, Section, slots
from sitemap_action.config.record import plain, schema
from sitemap_action.config.schema import Config
from sitemap_action.config.types import Json, KnownNames


@dataclass(frozen=True, slots=True)
class OptionRow:
    """One option, in words."""

    key: str  # dotted
    takes: str
    default: str
    help: str


def json_schema(known: KnownNames) -> dict[str, Json]:
    """Of the config file. Rule ids are checked by their form only: the file must not change with every new rule."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Configuration of sitemap-action",
        **schema(Config, "", known),
        "type": ["object", "null"],
    }


def json_text(known: KnownNames) -> str:
    """The file that ships with the package."""
    return json.dumps(json_schema(known), indent=2, ensure_ascii=False) + "\n"


def options(known: KnownNames) -> tuple[OptionRow, ...]:
    """Every key a config file may have, in the order of the schema."""
    return tuple(_rows(Config, "", known))


def _rows(record: type[Any], prefix: str, known: KnownNames) -> Iterator[OptionRow]:
    for _, key, slot in slots(record):
        match slot:
            case Section():
                yield from _rows(slot.type, f"{prefix}{key}.", known)
            case Rest():
                yield OptionRow(f"{prefix}{slot.key}", slot.kind.words(known), "the rule's own", slot.help)
            case Option():
                default = slot.shown or _shown(plain(slot.default))
                yield OptionRow(f"{prefix}{key}", slot.kind.words(known), default, slot.help)


def _shown(value: Json) -> str:
    """In YAML's flow style, as far as defaults need it."""
    match value:
        case bool():
            return str(value).lower()
        case list():
            return f"[{', '.join(str(item) for item in value)}]"
        case _:
            return str(value)
