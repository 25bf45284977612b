"""The entries that loaded sitemaps list, in batches as they arrived: a row for each batch, not for each URL.

Half a million URLs are a thousand rows. A batch is written and read in a few calls, which is what makes the loading as
fast as the reading of the documents.
"""

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import chain, compress, count, repeat
from math import isfinite
from typing import Any

from sitemap_action.inventory.codec import decode_entry, encode
from sitemap_action.model.sitemap import Entry
from sitemap_action.sitemap.dates import stamp

_SCHEMA = """
CREATE TABLE IF NOT EXISTS listed (
    id INTEGER PRIMARY KEY, sitemap INTEGER NOT NULL, keys TEXT NOT NULL, dates TEXT NOT NULL,
    frequencies TEXT NOT NULL, priorities TEXT NOT NULL, lines TEXT NOT NULL, more TEXT NOT NULL
);
"""
_ADD = """
INSERT INTO listed (sitemap, keys, dates, frequencies, priorities, lines, more) VALUES (?, ?, ?, ?, ?, ?, ?)
"""
_ORDER = """
SELECT sitemap.id, listed.id FROM listed JOIN sitemap ON sitemap.id = listed.sitemap ORDER BY sitemap.place, listed.id
"""
_KEYS = "SELECT keys FROM listed WHERE id = ?"
_TEXTS = "SELECT keys, more FROM listed WHERE id = ?"
_BATCH = "SELECT keys, dates, frequencies, priorities, lines, more FROM listed WHERE id = ?"
_TAKE = "SELECT id, keys FROM listed WHERE id > (SELECT taken FROM loading) ORDER BY id LIMIT 1"
_SORTED = "CREATE TEMP TABLE sorted (rank, sitemap INTEGER, key TEXT, record TEXT)"
_DEFAULT_PRIORITY = 0.5
"""Of an entry that names none, as the protocol says."""


class Sort(StrEnum):
    """Orders of entries; `order` is that of the documents."""

    ORDER = "order"
    URL = "url"
    LASTMOD = "lastmod"  # newest first, undated last
    PRIORITY = "priority"  # highest first


@dataclass(frozen=True, slots=True)
class EntryBatch:
    """Consecutive entries of one document, field by field, a line for each; a field that no entry has is empty."""

    count: int
    keys: str  # identities
    lines: str  # where each <url> stands, or the first one with the step to the next, as `stepped` writes it
    dates: str = ""
    frequencies: str = ""
    priorities: str = ""
    more: Mapping[int, Entry] = field(default_factory=dict)  # entries with anything else, by place in the batch


def batch(keys: Sequence[str], entries: Sequence[Entry]) -> EntryBatch:
    return EntryBatch(
        len(keys),
        "\n".join(keys),
        "\n".join([str(entry.line) for entry in entries]),
        _column([entry.lastmod for entry in entries]),
        _column([entry.changefreq for entry in entries]),
        _column([entry.priority for entry in entries]),
        {
            at: entry
            for at, (key, entry) in enumerate(zip(keys, entries, strict=True))
            if entry.loc != key or entry.alternates or entry.images or entry.extensions
        },
    )


def stepped(first: int, step: int) -> str:
    """Lines of entries that stand equally far apart."""
    return f"{first}+{step}"


def _numbers(lines: str) -> Iterator[int]:
    first, equal, step = lines.partition("+")
    return count(int(first), int(step)) if equal else map(int, lines.split("\n"))


def prepare(database: sqlite3.Connection) -> None:
    database.executescript(_SCHEMA)


def replace(database: sqlite3.Connection, sheet: int, before: int, batches: Iterable[EntryBatch]) -> int:
    """Store what a document lists in place of the `before` entries of an earlier reading; returns their number."""
    if before:
        database.execute("DELETE FROM listed WHERE sitemap = ?", (sheet,))
        # The numbers of the last rows are given again, to URLs that nobody has taken yet.
        database.execute("UPDATE loading SET taken = min(taken, (SELECT ifnull(max(id), 0) FROM listed))")
    stored = 0
    for one in batches:
        more = json.dumps({at: encode(entry) for at, entry in one.more.items()}) if one.more else ""
        row = (sheet, one.keys, one.dates, one.frequencies, one.priorities, one.lines, more)
        stored += one.count
        database.execute(_ADD, row)
    return stored


def prune(database: sqlite3.Connection) -> None:
    """Drop the entries of documents that are not known any more."""
    database.execute("DELETE FROM listed WHERE sitemap NOT IN (SELECT id FROM sitemap)")


def entries(database: sqlite3.Connection, sort: Sort) -> Iterator[tuple[int, str, Entry]]:
    """(document, identity, entry), each identity once: the first of several stays (SM-31)."""
    found = _unique(database)
    return found if sort is Sort.ORDER else _sorted(database, found, sort)


def take(database: sqlite3.Connection) -> tuple[int, list[str]] | None:
    row = database.execute(_TAKE).fetchone()
    return (row[0], row[1].split("\n")) if row else None


def priority(entry: Entry) -> float:
    try:
        found = float(entry.priority)
    except ValueError:
        return _DEFAULT_PRIORITY
    return found if isfinite(found) else _DEFAULT_PRIORITY


def urls(database: sqlite3.Connection) -> Iterator[tuple[int, str]]:
    """(document, identity), each identity once, in the order of the documents."""
    return chain.from_iterable(_distinct(database))


def texts(database: sqlite3.Connection) -> Iterator[tuple[int, str]]:
    """(how many, their URLs as the sitemaps spell them, a line each): as `entries`, many at once."""
    seen: set[int] = set()
    for _, text, more in _rows(database, _TEXTS):
        keys = text.split("\n")
        new = _new(keys, seen)
        for at, record in json.loads(more).items() if more else ():
            keys[int(at)] = decode_entry(record).loc
        found = keys if new is None else [*compress(keys, new)]
        if found:
            yield len(found), "\n".join(found) + "\n" if more or new else f"{text}\n"


def _distinct(database: sqlite3.Connection) -> Iterator[Iterator[tuple[int, str]]]:
    seen: set[int] = set()
    for sheet, text in _rows(database, _KEYS):
        keys = text.split("\n")
        new = _new(keys, seen)
        yield zip(repeat(sheet), keys if new is None else compress(keys, new), strict=False)


def _rows(database: sqlite3.Connection, one: str) -> Iterator[tuple[Any, ...]]:
    """(document, columns) of every batch in the order of the documents; SQLite sorts their numbers, not their texts."""
    for sheet, number in database.execute(_ORDER):
        yield sheet, *database.execute(one, (number,)).fetchone()


def _unique(database: sqlite3.Connection) -> Iterator[tuple[int, str, Entry]]:
    seen: set[int] = set()
    for sheet, text, *columns, lines, more in _rows(database, _BATCH):
        keys = text.split("\n")
        fields = [column.split("\n") if column else repeat("") for column in columns]
        # Without a loop of Python's own for each of perhaps a million entries.
        entries: Iterator[Entry] = map(Entry, keys, *fields, repeat(()), repeat(()), repeat(()), _numbers(lines))
        if more:
            entries = _replaced(entries, {int(at): record for at, record in json.loads(more).items()})
        found = zip(repeat(sheet), keys, entries, strict=False)
        new = _new(keys, seen)
        yield from found if new is None else compress(found, new)


def _new(keys: list[str], seen: set[int]) -> list[bool] | None:
    """Which of them were not seen before, None for all of them; from here on they are.

    Hashes of URLs, not URLs: a million of them fit in memory, and two URLs share one in 2⁶⁴.
    """
    marks = [*map(hash, keys)]
    if seen.isdisjoint(marks):
        before = len(seen)
        seen.update(marks)
        if len(seen) - before == len(marks):
            return None
        seen.difference_update(marks)
    new = []
    for mark in marks:
        new.append(mark not in seen)
        seen.add(mark)
    return new


def _replaced(entries: Iterable[Entry], records: Mapping[int, str]) -> Iterator[Entry]:
    for at, entry in enumerate(entries):
        yield decode_entry(records[at]) if at in records else entry


def _sorted(
    database: sqlite3.Connection, found: Iterable[tuple[int, str, Entry]], sort: Sort
) -> Iterator[tuple[int, str, Entry]]:
    """By SQLite, which sorts what memory does not hold; equals stay in the order of the documents."""
    rank = _RANKS[sort]
    database.execute("DROP TABLE IF EXISTS temp.sorted")
    database.execute(_SORTED)
    rows = ((rank(key, entry), sheet, key, encode(entry)) for sheet, key, entry in found)
    database.execute("BEGIN")
    database.executemany("INSERT INTO sorted VALUES (?, ?, ?, ?)", rows)
    database.execute("COMMIT")
    for sheet, key, record in database.execute("SELECT sitemap, key, record FROM sorted ORDER BY rank, rowid"):
        yield sheet, key, decode_entry(record)


def _column(texts: Sequence[str]) -> str:
    """A line each; "" for a column without text. A line break within one is no date, and is not kept."""
    if not any(texts):
        return ""
    joined = "\n".join(texts)
    return joined if joined.count("\n") == len(texts) - 1 else "\n".join([" ".join(text.split("\n")) for text in texts])


def _url(key: str, _: Entry) -> str:
    return key


def _newest(_: str, entry: Entry) -> float:
    found = stamp(entry.lastmod)
    return -found.instant.timestamp() if found else float("inf")


def _highest(_: str, entry: Entry) -> float:
    return -priority(entry)


_RANKS: Mapping[Sort, Callable[[str, Entry], str | float]] = {
    Sort.URL: _url,
    Sort.LASTMOD: _newest,
    Sort.PRIORITY: _highest,
}
