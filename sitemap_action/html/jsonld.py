"""Structured data of a page in its JSON-LD blocks."""

import json
from collections.abc import Iterable, Iterator

_ABOUT_THE_PAGE = ("@graph", "mainEntity", "mainEntityOfPage")


def is_block(kind: str | None) -> bool:
    """Whether the `type` of a <script> says that it holds JSON-LD."""
    return kind is not None and kind.partition(";")[0].strip().lower() == "application/ld+json"


def modified(blocks: Iterable[str]) -> Iterator[str]:
    """Every `dateModified` of the page itself; those of pages that it merely lists are theirs."""
    waiting = [_parsed(block) for block in blocks if "dateModified" in block][::-1]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting.extend(value[::-1])
        elif isinstance(value, dict):
            date = value.get("dateModified")
            if isinstance(date, str) and date.strip():
                yield date.strip()
            waiting.extend(value[key] for key in reversed(_ABOUT_THE_PAGE) if key in value)


def _parsed(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
