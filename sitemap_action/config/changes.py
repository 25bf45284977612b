"""Differences between two configs in the keys that decide what is seen, compared or tolerated (POL-01)."""

from collections.abc import Iterator, Mapping
from operator import attrgetter

from sitemap_action.config.options import DEFAULTS, TABLE
from sitemap_action.config.schema import Config, ExpectedRemoval, RuleSetting, SectionPolicy
from sitemap_action.model.outcome import PolicyChange

_UNSET = "not set"


def policy_changes(base: Config, head: Config) -> tuple[PolicyChange, ...]:
    """Keys whose value differs, in the order of the table of options."""
    before, after = dict(_values(base)), dict(_values(head))
    return tuple(
        PolicyChange(key, before.get(key, _UNSET), after.get(key, _UNSET))
        for key in dict.fromkeys((*before, *after))
        if before.get(key) != after.get(key)
    )


def _values(config: Config) -> Iterator[tuple[str, str]]:
    """(dotted key, value as text) of every key that has a value; that of the version decides nothing."""
    for option in TABLE:
        if option.key == "version" or option.retired:
            continue
        value = attrgetter(option.path)(config)
        if option.names is not None:
            section = option.key.rpartition(".")[0]
            yield from ((f"{section}.{name}", _flow_text(value[name])) for name in sorted(value))
        elif option.default_text and value == attrgetter(option.path)(DEFAULTS):
            yield option.key, option.default_text
        else:
            yield option.key, _flow_text(value)


def _flow_text(value: object) -> str:
    """A value as YAML in flow style."""
    match value:
        case bool() | None:
            return "" if value is None else str(value).lower()
        case frozenset():
            return f"[{', '.join(sorted(value))}]" if value else "none"
        case tuple():
            return f"[{', '.join(map(_flow_text, value))}]"
        case Mapping():
            return f"{{{', '.join(f'{key}: {_flow_text(value[key])}' for key in sorted(value))}}}"
        case SectionPolicy() | ExpectedRemoval() | RuleSetting():
            values = ((name, _flow_text(getattr(value, name))) for name in value.__struct_fields__)
            pairs = (f"{name.rstrip('_').replace('_', '-')}: {text}" for name, text in values if text)
            return f"{{{', '.join(pairs)}}}"
        case _:
            return str(value)
