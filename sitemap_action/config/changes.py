"""What differs between two configs among the keys that decide what a check lets pass (POL-01)."""

from collections.abc import Iterator, Mapping
from typing import Any

from sitemap_action.config.fields import Option, Rest, Section, slots
from sitemap_action.config.schema import Config, ExpectedRemoval, SectionPolicy
from sitemap_action.model.outcome import PolicyChange

_DECIDING = ("baseline", "crawl.", "select.", "output.keep", "policy.", "checks.")
"""Keys, and sections with their dot: what is compared, what is seen, what may be listed or kept, what fails."""

_UNSET = "not set"


def policy_changes(base: Config, head: Config) -> tuple[PolicyChange, ...]:
    """In the order of the schema."""
    before, after = dict(_values(base)), dict(_values(head))
    return tuple(
        PolicyChange(key, before.get(key, _UNSET), after.get(key, _UNSET))
        for key in dict.fromkeys((*before, *after))
        if before.get(key) != after.get(key)
    )


def _values(record: Any, prefix: str = "") -> Iterator[tuple[str, str]]:
    """(dotted key, value in words) of every deciding key that has a value."""
    for name, key, slot in slots(type(record)):
        value, path = getattr(record, name), f"{prefix}{key}"
        match slot:
            case Section():
                yield from _values(value, f"{path}.")
            case Rest():
                yield from ((f"{prefix}{other}", _shown(value[other])) for other in sorted(value))
            case Option() if path.startswith(_DECIDING):
                yield path, slot.shown if slot.shown and value == slot.default else _shown(value)


def _shown(value: object) -> str:
    """In YAML's flow style."""
    match value:
        case bool():
            return str(value).lower()
        case frozenset():
            return f"[{', '.join(sorted(value))}]" if value else "none"
        case tuple():
            return f"[{', '.join(map(_shown, value))}]"
        case Mapping():
            return f"{{{', '.join(f'{key}: {_shown(value[key])}' for key in sorted(value))}}}"
        case SectionPolicy() | ExpectedRemoval():
            pairs = ((key, _shown(getattr(value, name))) for name, key, _ in slots(type(value)))
            return f"{{{', '.join(f'{key}: {text}' for key, text in pairs if text)}}}"
        case _:
            return str(value)
