"""The entries of loaded sitemaps, stored in batches: a row for each batch, not for each URL.

Half a million URLs are a thousand rows. A batch is written and read in a few calls, so storing entries costs little
beside parsing the documents. An entry is found by its document; the order of the documents is the caller's to say.
"""

import json
import sqlite3
from array import array
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import chain, compress, count, repeat
from operator import ne
from typing import Any

from sitemap_action.model.sitemap import ALL, Entry, EntryBatch, make_entries
from sitemap_action.sitemap.protocol import is_priority, parse_date
from sitemap_action.store.codec import decode_entry, encode

SCHEMA = """
CREATE TABLE IF NOT EXISTS listed (
    id INTEGER PRIMARY KEY, sitemap INTEGER NOT NULL, keys TEXT NOT NULL, dates TEXT NOT NULL,
    frequencies TEXT NOT NULL, priorities TEXT NOT NULL, lines TEXT NOT NULL, more TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS listed_sitemap ON listed (sitemap);
"""
_ADD = """
INSERT INTO listed (sitemap, keys, dates, frequencies, priorities, lines, more) VALUES (?, ?, ?, ?, ?, ?, ?)
"""
_SORTED = "CREATE TEMP TABLE sorted (rank, sitemap INTEGER, key TEXT, record TEXT)"
_DEFAULT_PRIORITY = 0.5
"""Of an entry without one, as in the protocol."""


class Sort(StrEnum):
    """Orders of entries; `order` is that of the documents."""

    ORDER = "order"
    URL = "url"
    LASTMOD = "lastmod"  # newest first, undated last
    PRIORITY = "priority"  # highest first, entries without one last


def make_batch(keys: Sequence[str], entries: Sequence[Entry]) -> EntryBatch:
    return EntryBatch(
        count=len(keys),
        keys=_column(keys),
        fields=(
            _column([entry.lastmod for entry in entries]),
            _column([entry.changefreq for entry in entries]),
            _column([entry.priority for entry in entries]),
        ),
        lines="\n".join([str(entry.line) for entry in entries]),
        more={
            index: entry
            for index, (key, entry) in enumerate(zip(keys, entries, strict=True))
            if entry.loc != key or entry.alternates or entry.images or entry.extensions
        },
    )


def add_batches(database: sqlite3.Connection, sitemap: int, batches: Iterable[EntryBatch]) -> int:
    """Store the entries of a document; returns their number."""
    stored = 0
    for part in batches:
        more = json.dumps({index: encode(entry) for index, entry in part.more.items()}) if part.more else ""
        row = (sitemap, part.keys, *part.fields, part.lines, more)
        stored += part.count
        database.execute(_ADD, row)
    return stored


def delete_batches(database: sqlite3.Connection, sitemaps: Iterable[int]) -> None:
    """Delete the entries of documents."""
    database.executemany("DELETE FROM listed WHERE sitemap = ?", ((number,) for number in sitemaps))


_PART = 2**26  # characters of URLs, of which hashes are compared at once: half a million URLs, at 100 bytes each
_RECENT = 2**18  # hashes in a set, which takes eight times the memory of a sorted array


class Seen:
    """Which URLs were met, as hashes of 64 bits: millions fit in memory, and two URLs share one by 2⁻⁶⁴."""

    def __init__(self, digest: Callable[[str], int] = hash, known: Iterable[int] = ()) -> None:
        """`known`: in ascending order."""
        self._digest = digest
        self._recent: set[int] = set()
        self._before = [before] if (before := array("q", known)) else []

    def new(self, keys: list[str]) -> list[bool] | None:
        """Which keys are new, None when all are; from now on they are seen."""
        hashes = [*map(self._digest, keys)]
        if len(self._recent) > _RECENT:
            self._before.append(array("q", sorted(self._recent)))
            self._recent.clear()
        if self._recent.isdisjoint(hashes) and not (self._before and any(map(self._is_before, hashes))):
            before = len(self._recent)
            self._recent.update(hashes)
            if len(self._recent) - before == len(hashes):
                return None
            self._recent.difference_update(hashes)
        new = []
        for value in hashes:
            new.append(value not in self._recent and not self._is_before(value))
            self._recent.add(value)
        return new

    def _is_before(self, value: int) -> bool:
        for part in self._before:
            at = bisect_left(part, value)
            if at < len(part) and part[at] == value:
                return True
        return False


def read_entries(
    database: sqlite3.Connection, sitemaps: Sequence[int], sort: Sort = Sort.ORDER, seen: Seen | None = None
) -> Iterator[tuple[int, str, Entry]]:
    """(document, identity, entry) rows, each identity once: of several the first counts (SM-31)."""
    found = chain.from_iterable(_unique(database, sitemaps, (seen or Seen()).new))
    return found if sort is Sort.ORDER else _sorted_rows(database, found, sort)


def read_differing(database: sqlite3.Connection, old: int, new: int) -> Iterator[tuple[int, str, Entry]]:
    """(document, identity, entry) rows of two documents in byte order of the identity, but for most that are alike.

    Nearly all entries of two sitemaps are alike: the others are found by hashes of 64 bits, as by `Seen`, and they
    alone are made and sorted.
    """
    differing = _differing(database, old, new)

    def select(keys: list[str]) -> list[bool]:
        return [*map(differing.__contains__, map(hash, keys))]

    found = chain.from_iterable(_unique(database, (old, new), select))
    return _sorted_rows(database, found, Sort.URL) if differing else iter(())


def _differing(database: sqlite3.Connection, old: int, new: int) -> set[int]:
    """Hashes of the identities whose first entries have not the same values in both (SM-31), and of some others."""
    found: set[int] = set()
    (rows,) = database.execute("SELECT sum(length(keys)) FROM listed WHERE sitemap = ?", (old,)).fetchone()
    parts = 1 + (rows or 0) // _PART
    for part in range(parts):
        values: dict[int, int] = {}
        for found_in in _hashes(database, old, part, parts):
            deque(map(values.setdefault, *found_in), maxlen=0)
        for keys, now in _hashes(database, new, part, parts):
            found.update(compress(keys, map(ne, map(values.pop, keys, repeat(None)), now)))
        found.update(values)
    return found


def _hashes(database: sqlite3.Connection, sitemap: int, part: int, parts: int) -> Iterator[tuple[list[int], list[int]]]:
    """Hashes of the identities of a batch, and of what else is compared; of one part of all identities."""
    for _, text, *columns, more in _rows(database, [sitemap], "keys, dates, frequencies, priorities, more"):
        hashes = [*map(hash, text.split("\n"))]
        texts = [column.split("\n") if column else repeat("", len(hashes)) for column in columns]
        values = [*map(hash, zip(*texts, strict=True))]
        for index, record in json.loads(more).items() if more else ():
            entry = decode_entry(record)
            values[int(index)] = hash((entry.lastmod, entry.changefreq, entry.priority, *entry.extensions))
        if parts > 1:
            wanted = [value % parts == part for value in hashes]
            hashes, values = [*compress(hashes, wanted)], [*compress(values, wanted)]
        yield hashes, values


def read_urls(database: sqlite3.Connection, sitemaps: Sequence[int]) -> Iterator[str]:
    """Identities, each once, in the order of the documents."""
    seen = Seen()
    for _, text in _rows(database, sitemaps, "keys"):
        keys = text.split("\n")
        new = seen.new(keys)
        yield from keys if new is None else compress(keys, new)


def read_texts(database: sqlite3.Connection, sitemaps: Sequence[int], seen: Seen) -> Iterator[tuple[int, str]]:
    """(number of URLs, a line for each as the sitemaps spell it) rows, each identity once: a batch at a time."""
    for _, text, more in _rows(database, sitemaps, "keys, more"):
        keys = text.split("\n")
        new = seen.new(keys)
        _respell(keys, more)
        found = keys if new is None else [*compress(keys, new)]
        if found:
            yield len(found), "\n".join(found) + "\n" if more or new else f"{text}\n"


def read_keys(database: sqlite3.Connection, sitemap: int) -> Iterator[tuple[int, list[str]]]:
    """(batch, identities) of one document."""
    for _, number, text in _rows(database, [sitemap], "id, keys"):
        yield number, text.split("\n")


def read_locs(database: sqlite3.Connection, batch: int) -> Iterator[tuple[str, str]]:
    """(identity, URL as the sitemap spells it) of a batch."""
    text, more = database.execute("SELECT keys, more FROM listed WHERE id = ?", (batch,)).fetchone()
    keys = str(text).split("\n")
    locs = [*keys]
    _respell(locs, more)
    return zip(keys, locs, strict=True)


def _respell(keys: list[str], more: str) -> None:
    for index, record in json.loads(more).items() if more else ():
        keys[int(index)] = decode_entry(record).loc


def priority(entry: Entry) -> float:
    """The priority of an entry; text that is none counts as none."""
    return float(entry.priority) if is_priority(entry.priority) else _DEFAULT_PRIORITY


def _rows(database: sqlite3.Connection, sitemaps: Sequence[int], columns: str) -> Iterator[tuple[Any, ...]]:
    """(document, columns) of every batch in the order of the documents; no cursor stays open between two batches."""
    for sitemap in sitemaps:
        numbers = database.execute("SELECT id FROM listed WHERE sitemap = ? ORDER BY id", (sitemap,)).fetchall()
        for number in numbers:
            yield sitemap, *database.execute(f"SELECT {columns} FROM listed WHERE id = ?", number).fetchone()  # noqa: S608 - names of this module


def _unique(
    database: sqlite3.Connection, sitemaps: Sequence[int], select: Callable[[list[str]], list[bool] | None]
) -> Iterator[Iterator[tuple[int, str, Entry]]]:
    """The rows of each batch. `select`: whether each of the identities of a batch is wanted, None for all."""
    names = "keys, dates, frequencies, priorities, lines, more"
    for sitemap, text, *columns, lines, more in _rows(database, sitemaps, names):
        keys = text.split("\n")
        wanted = ALL if (chosen := select(keys)) is None else chosen
        entries = make_entries(keys, columns, lines, wanted)
        if more:
            records = {int(index): record for index, record in json.loads(more).items()}
            numbered = zip(compress(count(), wanted), entries, strict=False)
            entries = (decode_entry(records[at]) if at in records else entry for at, entry in numbered)
        yield zip(repeat(sitemap), compress(keys, wanted), entries, strict=False)


def _sorted_rows(
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


def _newest(_: str, entry: Entry) -> float:
    found = parse_date(entry.lastmod)
    return -found.instant.timestamp() if found else float("inf")


def _highest(_: str, entry: Entry) -> float:
    return -float(entry.priority) if is_priority(entry.priority) else float("inf")


_RANKS: Mapping[Sort, Callable[[str, Entry], str | float]] = {
    Sort.URL: lambda key, _: key,
    Sort.LASTMOD: _newest,
    Sort.PRIORITY: _highest,
}
