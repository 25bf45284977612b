"""Differences between two configs in the keys that decide what is seen, compared or tolerated (POL-01)."""

from collections.abc import Iterator, Mapping
from typing import Any

from sitemap_action.config.fields import OptionField, RestField, SectionField, config_fields
from sitemap_action.config.schema import Config, ExpectedRemoval, RuleSetting, SectionPolicy
from sitemap_action.model.outcome import PolicyChange

_DECIDING = (
    "site-url",
    "sitemap",
    "sitemap-url",
    "baseline",
    "source.",
    "crawl.",
    "sitemaps.",
    "http.",
    "render.",
    "select.",
    "output.",
    "policy.",
    "checks.",
)
"""Keys, and prefixes of keys: what is looked at, compared, crawled, listed and written, and what fails."""

_UNSET = "not set"


def policy_changes(base: Config, head: Config) -> tuple[PolicyChange, ...]:
    """Sorted as in the schema."""
    before, after = dict(_values(base)), dict(_values(head))
    return tuple(
        PolicyChange(key, before.get(key, _UNSET), after.get(key, _UNSET))
        for key in dict.fromkeys((*before, *after))
        if before.get(key) != after.get(key)
    )


def _values(record: Any, prefix: str = "") -> Iterator[tuple[str, str]]:
    """(dotted key, value as text) of every deciding key that has a value."""
    for name, key, field in config_fields(type(record)):
        value, path = getattr(record, name), f"{prefix}{key}"
        match field:
            case SectionField():
                yield from _values(value, f"{path}.")
            case RestField():
                yield from ((f"{prefix}{other}", _to_yaml(value[other])) for other in sorted(value))
            case OptionField() if path.startswith(_DECIDING):
                yield path, field.default_text if field.default_text and value == field.default else _to_yaml(value)


def _to_yaml(value: object) -> str:
    """In flow style."""
    match value:
        case bool():
            return str(value).lower()
        case frozenset():
            return f"[{', '.join(sorted(value))}]" if value else "none"
        case tuple():
            return f"[{', '.join(map(_to_yaml, value))}]"
        case Mapping():
            return f"{{{', '.join(f'{key}: {_to_yaml(value[key])}' for key in sorted(value))}}}"
        case SectionPolicy() | ExpectedRemoval() | RuleSetting():
            pairs = ((key, _to_yaml(getattr(value, name))) for name, key, _ in config_fields(type(value)))
            return f"{{{', '.join(f'{key}: {text}' for key, text in pairs if text)}}}"
        case _:
            return str(value)
