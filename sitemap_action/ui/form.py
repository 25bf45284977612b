"""The fields of the screen, with help, choices and defaults of the options that they set."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from sitemap_action.config.options import json_schema, option_rows
from sitemap_action.config.yaml import MappingNode
from sitemap_action.ui.config_tree import value_text

ADDRESS, FOLDER = "source.url", "source.path"

_GROUPS: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    ("", ((ADDRESS, "Address"), (FOLDER, "Build folder"), ("site-url", "Where the pages will live"))),
    (
        "Limits and politeness",
        (
            ("crawl.max-pages", "Most pages"),
            ("crawl.max-depth", "Most clicks from the start page"),
            ("crawl.requests-per-second", "Requests a second"),
            ("crawl.concurrency", "Requests at one time"),
            ("crawl.timeout", "Seconds for one request"),
            ("crawl.deadline", "Seconds for the whole crawl"),
            ("http.retries", "Retries"),
            ("crawl.robots", "robots.txt"),
            ("crawl.scope", "Scope"),
        ),
    ),
    (
        "Pages and comparison",
        (
            ("select.exclude", "Leave out"),
            ("select.include", "Only these"),
            ("sitemap", "Sitemap that is judged"),
            ("baseline", "Compare with"),
            ("source.host", "Static host of the build"),
            ("policy.max-removed", "Most pages that may be lost"),
        ),
    ),
)
_OWN_HELP = {  # where that of the config file speaks of a workflow
    ADDRESS: "Where the site is served now: production, a preview, or a server on this machine.",
    FOLDER: "Below the folder that is named at the top of this page.",
    "site-url": "Every listed URL is below it. Empty: the address, or what the sitemap of the build says; a preview, a "
    "server on this machine and a build without a sitemap need it.",
}
KEYS = tuple(key for _, fields in _GROUPS for key, _ in fields)


class FormField(Struct, frozen=True):
    """One field; every value is text, as on a command line."""

    key: str
    label: str
    help: str
    default: str  # empty: the help says it
    choices: tuple[str, ...]  # empty: any text
    lines: bool  # a list, one item a line
    numeric: bool
    value: str  # of the config file that the form starts from


class FormGroup(Struct, frozen=True):
    title: str
    fields: tuple[FormField, ...]


def form(base: MappingNode | None = None) -> tuple[FormGroup, ...]:
    """`base`: the config file that the fields are filled in from."""
    rows = {row.key: row for row in option_rows()}
    schema = json_schema()
    groups = []
    for title, fields in _GROUPS:
        made = []
        for key, label in fields:
            row, described = rows[key], _schema(schema, key)
            kinds = described.get("type", ())
            made.append(
                FormField(
                    key=key,
                    label=label,
                    help=_OWN_HELP.get(key, row.help),
                    default="" if key in _OWN_HELP else row.default,
                    choices=tuple(described.get("enum", ())),
                    lines=any(one.get("type") == "array" for one in described.get("anyOf", ())),
                    numeric=kinds == "integer",
                    value=(base and value_text(base, key)) or "",
                )
            )
        groups.append(FormGroup(title, tuple(made)))
    return tuple(groups)


def _schema(schema: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """What the JSON Schema of the config says about a dotted key."""
    for name in key.split("."):
        schema = schema["properties"][name]
    return schema
