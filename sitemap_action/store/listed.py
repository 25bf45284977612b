"""The entries of loaded sitemaps, stored in batches: a row for each batch, not for each URL.

Half a million URLs are a thousand rows. A batch is written and read in a few calls, so storing entries costs little
beside parsing the documents.
"""

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import chain, compress, count, repeat
from typing import Any

from msgspec import Struct, field

from sitemap_action.model.sitemap import Entry
from sitemap_action.sitemap.dates import parse_date
from sitemap_action.sitemap.protocol import is_priority
from sitemap_action.store.codec import decode_entry, encode

SCHEMA = """
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
_SPELLINGS = "SELECT keys, more FROM listed WHERE id = ?"
_BATCH = "SELECT keys, dates, frequencies, priorities, lines, more FROM listed WHERE id = ?"
_TAKE = "SELECT id, keys FROM listed WHERE id > (SELECT taken FROM loading) ORDER BY id LIMIT 1"
_SORTED = "CREATE TEMP TABLE sorted (rank, sitemap INTEGER, key TEXT, record TEXT)"
_DEFAULT_PRIORITY = 0.5
"""Of an entry without one, as in the protocol."""


class Sort(StrEnum):
    """Orders of entries; `order` is that of the documents."""

    ORDER = "order"
    URL = "url"
    LASTMOD = "lastmod"  # newest first, undated last
    PRIORITY = "priority"  # highest first, entries without one last


class EntryBatch(Struct, frozen=True):
    """Consecutive entries of one document by field, a line for each entry; a field that no entry has is empty."""

    count: int
    keys: str  # identities
    lines: str  # line number of each <url>, or first line and step as `stepped` writes them
    dates: str = ""
    frequencies: str = ""
    priorities: str = ""
    more: Mapping[int, Entry] = field(default_factory=dict)  # entries with other fields, by index in the batch


def batch(keys: Sequence[str], entries: Sequence[Entry]) -> EntryBatch:
    return EntryBatch(
        count=len(keys),
        keys="\n".join(keys),
        lines="\n".join([str(entry.line) for entry in entries]),
        dates=_column([entry.lastmod for entry in entries]),
        frequencies=_column([entry.changefreq for entry in entries]),
        priorities=_column([entry.priority for entry in entries]),
        more={
            index: entry
            for index, (key, entry) in enumerate(zip(keys, entries, strict=True))
            if entry.loc != key or entry.alternates or entry.images or entry.extensions
        },
    )


def stepped(first: int, step: int) -> str:
    """Line numbers of entries at equal distances."""
    return f"{first}+{step}"


def _line_numbers(lines: str) -> Iterator[int]:
    first, equal, step = lines.partition("+")
    return count(int(first), int(step)) if equal else map(int, lines.split("\n"))


def prepare(database: sqlite3.Connection) -> None:
    database.executescript(SCHEMA)


def replace(database: sqlite3.Connection, sitemap: int, before: int, batches: Iterable[EntryBatch]) -> int:
    """Store the entries of a document, in place of the `before` ones that it had; returns their number."""
    if before:
        database.execute("DELETE FROM listed WHERE sitemap = ?", (sitemap,))
        # SQLite reuses the ids of the last rows, for batches that are not taken yet.
        database.execute("UPDATE loading SET taken = min(taken, (SELECT ifnull(max(id), 0) FROM listed))")
    stored = 0
    for part in batches:
        more = json.dumps({index: encode(entry) for index, entry in part.more.items()}) if part.more else ""
        row = (sitemap, part.keys, part.dates, part.frequencies, part.priorities, part.lines, more)
        stored += part.count
        database.execute(_ADD, row)
    return stored


def prune(database: sqlite3.Connection) -> None:
    """Delete the entries of documents that are no longer known."""
    database.execute("DELETE FROM listed WHERE sitemap NOT IN (SELECT id FROM sitemap)")


def entries(database: sqlite3.Connection, sort: Sort) -> Iterator[tuple[int, str, Entry]]:
    """(document, identity, entry) rows, each identity once: of several the first counts (SM-31)."""
    found = _unique(database)
    return found if sort is Sort.ORDER else _sorted(database, found, sort)


def take(database: sqlite3.Connection) -> tuple[int, list[str]] | None:
    row = database.execute(_TAKE).fetchone()
    return (row[0], row[1].split("\n")) if row else None


def priority(entry: Entry) -> float:
    """One that is no priority counts as none."""
    return float(entry.priority) if is_priority(entry.priority) else _DEFAULT_PRIORITY


def urls(database: sqlite3.Connection) -> Iterator[tuple[int, str]]:
    """(document, identity) rows, each identity once, in the order of the documents."""
    return chain.from_iterable(_distinct(database))


def texts(database: sqlite3.Connection) -> Iterator[tuple[int, str]]:
    """(number of URLs, a line for each as the sitemaps spell it) rows, each identity once: a batch at a time."""
    seen: set[int] = set()
    for _, text, more in _rows(database, _SPELLINGS):
        keys = text.split("\n")
        new = _new(keys, seen)
        for index, record in json.loads(more).items() if more else ():
            keys[int(index)] = decode_entry(record).loc
        found = keys if new is None else [*compress(keys, new)]
        if found:
            yield len(found), "\n".join(found) + "\n" if more or new else f"{text}\n"


def _distinct(database: sqlite3.Connection) -> Iterator[Iterator[tuple[int, str]]]:
    seen: set[int] = set()
    for sitemap, text in _rows(database, _KEYS):
        keys = text.split("\n")
        new = _new(keys, seen)
        yield zip(repeat(sitemap), keys if new is None else compress(keys, new), strict=False)


def _rows(database: sqlite3.Connection, select: str) -> Iterator[tuple[Any, ...]]:
    """(document, columns) of every batch in the order of the documents; SQLite sorts ids only, not the batches."""
    for sitemap, number in database.execute(_ORDER):
        yield sitemap, *database.execute(select, (number,)).fetchone()


def _unique(database: sqlite3.Connection) -> Iterator[tuple[int, str, Entry]]:
    seen: set[int] = set()
    for sitemap, text, *columns, lines, more in _rows(database, _BATCH):
        keys = text.split("\n")
        fields = [column.split("\n") if column else repeat("") for column in columns]
        # `map` instead of a Python loop: there may be a million entries.
        entries: Iterator[Entry] = map(Entry, keys, *fields, repeat(()), repeat(()), repeat(()), _line_numbers(lines))
        if more:
            entries = _replaced(entries, {int(index): record for index, record in json.loads(more).items()})
        found = zip(repeat(sitemap), keys, entries, strict=False)
        new = _new(keys, seen)
        yield from found if new is None else compress(found, new)


def _new(keys: list[str], seen: set[int]) -> list[bool] | None:
    """Which keys are new, None when all are; adds them to `seen`.

    `seen` holds hashes instead of URLs: a million fit in memory, and two URLs share one with probability 2⁻⁶⁴.
    """
    hashes = [*map(hash, keys)]
    if seen.isdisjoint(hashes):
        before = len(seen)
        seen.update(hashes)
        if len(seen) - before == len(hashes):
            return None
        seen.difference_update(hashes)
    new = []
    for value in hashes:
        new.append(value not in seen)
        seen.add(value)
    return new


def _replaced(entries: Iterable[Entry], records: Mapping[int, str]) -> Iterator[Entry]:
    for index, entry in enumerate(entries):
        yield decode_entry(records[index]) if index in records else entry


def _sorted(
    database: sqlite3.Connection, found: Iterable[tuple[int, str, Entry]], sort: Sort
) -> Iterator[tuple[int, str, Entry]]:
    """Sorted by SQLite, in bounded memory; equal ranks stay in the order of the documents."""
    rank = _RANKS[sort]
    database.execute("DROP TABLE IF EXISTS temp.sorted")
    database.execute(_SORTED)
    rows = ((rank(key, entry), sitemap, key, encode(entry)) for sitemap, key, entry in found)
    database.execute("BEGIN")
    database.executemany("INSERT INTO sorted VALUES (?, ?, ?, ?)", rows)
    database.execute("COMMIT")
    for sitemap, key, record in database.execute("SELECT sitemap, key, record FROM sorted ORDER BY rank, rowid"):
        yield sitemap, key, decode_entry(record)


def _column(texts: Sequence[str]) -> str:
    """A line for each text; "" for a column without text. A line break within a text becomes a space."""
    if not any(texts):
        return ""
    joined = "\n".join(texts)
    return joined if joined.count("\n") == len(texts) - 1 else "\n".join([" ".join(text.split("\n")) for text in texts])


def _url(key: str, _: Entry) -> str:
    return key


def _newest(_: str, entry: Entry) -> float:
    found = parse_date(entry.lastmod)
    return -found.instant.timestamp() if found else float("inf")


def _highest(_: str, entry: Entry) -> float:
    return -float(entry.priority) if is_priority(entry.priority) else float("inf")


_RANKS: Mapping[Sort, Callable[[str, Entry], str | float]] = {
    Sort.URL: _url,
    Sort.LASTMOD: _newest,
    Sort.PRIORITY: _highest,
}
