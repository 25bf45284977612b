"""Whether a row of a state is one that this program writes: types, ranges, and what text columns encode."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from math import isfinite
from types import UnionType
from typing import Annotated, Any, NamedTuple, TypeAlias, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta

from sitemap_action.inventory.codec import checksum, unsealed
from sitemap_action.inventory.sitemap_status import SitemapState
from sitemap_action.model.page import Page
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


def _blob(value: Any) -> bool:
    return type(value) is bytes


def _time(value: Any) -> bool:
    return type(value) is float and isfinite(value)


def _day(value: Any) -> bool:
    try:
        return type(value) is str and bool(date.fromisoformat(value))
    except ValueError:
        return False


def _numbers(value: Any) -> bool:
    found = _json(value)
    return type(found) is dict and all(map(_count, found.values()))


def _more(value: Any) -> bool:
    return value == "" or (_decodes(_entries, value) and all(map(str.isdecimal, _entries.decode(value))))


_COLUMNS: Mapping[str, tuple[_Test, ...]] = {
    "redirect": (_count, _text),
    "skipped": (_text, _count, _text),
    "visit": (_count, _text, _text, _blob),
    "previous_visit": (_text, _text, _text, _text, _blob),
    "metadata": (_text, _text),
    "first_seen": (_text, _day),
    "document": (_text, _blob, _blob),
    "answer": (_text, _blob),
    "rendered": (_text, _blob, _blob),
    "loading": (_text, _time, _count, _count),
    "sitemap": (
        *(_count, _count, _text, _count, lambda value: value in _STATES, _count, _text, _count, _text),
        *(lambda value: value in _KINDS, _count, _text, _text, _text, _text, _numbers, _numbers),
    ),
    "listed": (_count, _count, _text, _text, _text, _text, lambda value: bool(_LINES.fullmatch(str(value))), _more),
}


# Tables with a row for each page: their rows are looked at many at a time.
_Count = Annotated[int, Meta(ge=0, le=_MOST)]
_TYPES: Mapping[str, Any] = {
    "url": list[
        tuple[_Count, str, _Count, _Count, Annotated[int, Meta(ge=0, le=_DEEPEST)] | None, str, _Count, _Count]
    ],
    "page": list[tuple[_Count, str]],
    "content": list[tuple[str, str, str, date, str]],
}


def valid(table: str, rows: Sequence[tuple[Any, ...]]) -> bool:
    """Of one table."""
    if table not in _TYPES:
        return all(_valid(table, row) for row in rows)
    try:
        msgspec.convert(rows, _TYPES[table])
    except msgspec.ValidationError:
        return False
    if table == "page":
        return _are_sealed_pages(record for _, record in rows)
    return True


def _valid(table: str, row: tuple[Any, ...]) -> bool:
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
    return _decodes(_pages, unsealed(text))


def _are_sealed_pages(records: Iterable[str]) -> bool:
    """The same of many, each with the checksum of `codec.seal`: one loop, for it sees every page of the site."""
    decode = _pages.decode
    try:
        for record in records:
            if record[-8:] != checksum(text := record[:-8]):
                return False
            decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return False
    return True


def _decodes(decoder: msgspec.json.Decoder[Any], text: Any) -> bool:
    try:
        decoder.decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError, TypeError):
        return False
    return True


def _json(text: Any) -> Any:
    """The value at the beginning of a text; None where there is none."""
    try:
        return json.JSONDecoder().raw_decode(text)[0]
    except (ValueError, TypeError, RecursionError):
        return None


def _exact(kind: Any) -> Any:
    """The type with its numbers in range, and without values that may be missing."""
    if kind is int:
        return Annotated[int, Meta(ge=-_MOST, le=_MOST)]
    if hasattr(kind, "_fields"):
        return NamedTuple(kind.__name__, [(name, _exact(of)) for name, of in get_type_hints(kind).items()])
    if get_origin(kind) is tuple:
        return tuple.__class_getitem__(tuple(of if of is ... else _exact(of) for of in get_args(kind)))
    if get_origin(kind) in (Union, UnionType):
        return Union[tuple(map(_exact, get_args(kind)))]  # noqa: UP007 - of a list
    return kind


_pages = msgspec.json.Decoder(_exact(Page))
_entries = msgspec.json.Decoder(dict.__class_getitem__((str, _exact(Entry))))
