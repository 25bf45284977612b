"""The list of options for editors, as a JSON Schema, and for the documentation, as rows of a table."""

import json
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from sitemap_action.config.fields import OptionField, RestField, SectionField, config_fields
from sitemap_action.config.record import record_schema, to_json
from sitemap_action.config.schema import Config
from sitemap_action.config.types import Json, KnownNames


class OptionRow(Struct, frozen=True):
    """One row of the table; every cell is text."""

    key: str  # dotted
    takes: str
    default: str
    help: str


def json_schema(known: KnownNames) -> dict[str, Json]:
    """Of the config file. Rule ids are checked by their syntax only, so that a new rule does not change the schema."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Configuration of sitemap-action",
        **record_schema(Config, "", known),
        "type": ["object", "null"],
    }


def json_text(known: KnownNames) -> str:
    """The file that ships with the package."""
    return json.dumps(json_schema(known), indent=2, ensure_ascii=False) + "\n"


def options(known: KnownNames) -> tuple[OptionRow, ...]:
    """Every key a config file may have, in the order of the schema."""
    return tuple(_rows(Config, "", known))


def _rows(record: type[Any], prefix: str, known: KnownNames) -> Iterator[OptionRow]:
    for _, key, field in config_fields(record):
        match field:
            case SectionField():
                yield from _rows(field.record, f"{prefix}{key}.", known)
            case RestField():
                yield OptionRow(
                    f"{prefix}{field.placeholder}", field.value_type.describe(known), "the rule's own", field.help
                )
            case OptionField():
                default = field.default_text or _to_yaml(to_json(field.default))
                yield OptionRow(f"{prefix}{key}", field.value_type.describe(known), default, field.help)


def _to_yaml(value: Json) -> str:
    """In flow style, as far as defaults need it."""
    match value:
        case bool():
            return str(value).lower()
        case list():
            return f"[{', '.join(str(item) for item in value)}]"
        case _:
            return str(value)
