"""What to say about a key that does not exist."""

from collections.abc import Iterable, Mapping

from sitemap_action.config.planned import PLANNED
from sitemap_action.config.types import nearest


def unknown(key: str, prefix: str, siblings: Iterable[str], homes: Mapping[str, str]) -> str:
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
