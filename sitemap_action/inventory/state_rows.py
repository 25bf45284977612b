"""Whether a row of a state is one that this program writes: types, ranges, and what text columns encode."""

import json
import re
from collections.abc import Callable, Mapping
from datetime import date
from functools import cache
from math import isfinite
from typing import Any, TypeAlias, get_args, get_origin, get_type_hints

from sitemap_action.inventory.codec import sealed
from sitemap_action.inventory.sitemap_status import SitemapState
from sitemap_action.model.page import Page, PageKind
from sitemap_action.model.sitemap import DocumentKind, Entry

_Test: TypeAlias = Callable[[Any], bool]
_STATES = frozenset(state.value for state in SitemapState)
_KINDS = frozenset(kind.value for kind in DocumentKind)
_MOST = 2**31  # any count of a site; sums of counts stay below 2**63
_DEEPEST = 100_000  # clicks: more than `crawl.max-depth` allows
_LINES = re.compile(r"[0-9]{1,12}(?:\+[0-9]{1,12}|(?:\n[0-9]{1,12})*)")


def _text(value: Any) -> bool:
    return type(value) is str


def _count(value: Any) -> bool:
    return type(value) is int and 0 <= value <= _MOST


def _depth(value: Any) -> bool:
    return value is None or (_count(value) and value <= _DEEPEST)


def _blob(value: Any) -> bool:
    return type(value) is bytes


def _time(value: Any) -> bool:
    return type(value) is float and isfinite(value)


def _day(value: Any) -> bool:
    try:
        return type(value) is str and bool(date.fromisoformat(value))
    except ValueError:
        return False


def _page(value: Any) -> bool:
    return type(value) is str and sealed(value) and is_page(value)


def _entry(value: Any) -> bool:
    return _encodes(value, Entry)


def _numbers(value: Any) -> bool:
    found = _json(value)
    return type(found) is dict and all(map(_count, found.values()))


def _more(value: Any) -> bool:
    if value == "":
        return True
    found = _json(value)
    return type(found) is dict and all(key.isdecimal() and _entry(row) for key, row in found.items())


_COLUMNS: Mapping[str, tuple[_Test, ...]] = {
    "url": (_count, _text, _count, _count, _depth, _text, _count, _count),
    "page": (_count, _page),
    "redirect": (_count, _text),
    "skipped": (_text, _count, _text),
    "visit": (_count, _text, _text, _blob),
    "previous_visit": (_text, _text, _text, _text, _blob),
    "metadata": (_text, _text),
    "entry": (_text, _text, _text, _text, _count, _count, _text),
    "first_seen": (_text, _day),
    "document": (_text, _blob, _blob),
    "answer": (_text, _blob),
    "content": (_text, _text, _text, _day),
    "loading": (_text, _time, _count, _count),
    "sitemap": (
        *(_count, _count, _text, _count, lambda value: value in _STATES, _count, _text, _count, _text),
        *(lambda value: value in _KINDS, _count, _text, _text, _text, _text, _numbers, _numbers),
    ),
    "listed": (_count, _count, _text, _text, _text, _text, lambda value: bool(_LINES.fullmatch(str(value))), _more),
}


def valid(table: str, row: tuple[Any, ...]) -> bool:
    tests = _COLUMNS[table]
    if len(row) != len(tests) or not all(test(value) for test, value in zip(tests, row, strict=True)):
        return False
    return table != "listed" or _is_batch(row)


def _is_batch(row: tuple[Any, ...]) -> bool:
    """Each column has a line for each identity, or none."""
    lines = row[2].count("\n")
    columns = [column for column in row[3:6] if column] + ([] if "+" in row[6] else [row[6]])
    return all(column.count("\n") == lines for column in columns)


def is_page(text: str) -> bool:
    """Whether a record, with or without a checksum, decodes to a page with every value of its type."""
    return _encodes(text, Page)


def _encodes(text: Any, record: type) -> bool:
    found = _json(text)
    return _matches(found, record)


def _json(text: Any) -> Any:
    """The value at the beginning of a text; None where there is none."""
    try:
        return json.JSONDecoder().raw_decode(text)[0]
    except (ValueError, TypeError, RecursionError):
        return None


def _matches(value: Any, kind: Any) -> bool:
    if kind is PageKind:
        return value in set(PageKind)
    if kind is int:
        return type(value) is int and -_MOST <= value <= _MOST
    if kind is str or kind is bool:
        return type(value) is kind
    if get_origin(kind) is tuple:
        return type(value) is list and all(_matches(item, get_args(kind)[0]) for item in value)
    if types := _fields(kind):
        return type(value) is list and len(value) == len(types) and all(map(_matches, value, types))
    return any(value is None if one is type(None) else _matches(value, one) for one in get_args(kind))


@cache
def _fields(kind: Any) -> tuple[Any, ...]:
    """The types of a NamedTuple's fields; () for any other type."""
    return tuple(get_type_hints(kind).values()) if hasattr(kind, "_fields") else ()
