"""The loading of sitemaps as rows of SQLite: what is to be asked, what was read with which URLs, what failed and why.

One commit for each step. A document counts as read in the transaction that stores its URLs, so a run that is killed at
any instant has all of them or asks again.
"""

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import datetime, timedelta

from sitemap_action.inventory import listed
from sitemap_action.inventory.listed import EntryBatch, Sort
from sitemap_action.inventory.sitemap_status import Arrival, Content, ResumeState, SitemapState, SitemapStatus
from sitemap_action.model.sitemap import DocumentKind, Entry

_FRESH = timedelta(days=1)
"""How long what was read is taken for what is there, as for robots.txt (RB-22)."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS loading (
    key TEXT NOT NULL, begun REAL NOT NULL, ended INTEGER NOT NULL, taken INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS sitemap (
    id INTEGER PRIMARY KEY, place INTEGER NOT NULL, url TEXT NOT NULL UNIQUE, depth INTEGER NOT NULL,
    state TEXT NOT NULL, usual INTEGER NOT NULL DEFAULT 0, listed_by TEXT NOT NULL DEFAULT '',
    line INTEGER NOT NULL DEFAULT 0, address TEXT NOT NULL DEFAULT '', kind TEXT NOT NULL DEFAULT 'unknown',
    entries INTEGER NOT NULL DEFAULT 0, reason TEXT NOT NULL DEFAULT '', etag TEXT NOT NULL DEFAULT '',
    modified TEXT NOT NULL DEFAULT '', digest TEXT NOT NULL DEFAULT '', faults TEXT NOT NULL DEFAULT '{}',
    skipped TEXT NOT NULL DEFAULT '{}'
);
CREATE INDEX IF NOT EXISTS sitemap_place ON sitemap (place);
CREATE INDEX IF NOT EXISTS sitemap_state ON sitemap (state, place);
CREATE INDEX IF NOT EXISTS sitemap_address ON sitemap (address);
"""
_SHEETS = """
SELECT id, url, depth, state, usual, listed_by, line, address, kind, entries, reason, etag, modified, digest, faults,
    skipped FROM sitemap
"""
_NEXT_USUAL = """
UPDATE sitemap SET state = 'pending' WHERE id = (SELECT id FROM sitemap WHERE state = 'usual' ORDER BY place LIMIT 1)
"""
# What an earlier run read keeps its entries until it is read again; whatever this run knows stays as it is.
_ADD = """
INSERT INTO sitemap (place, url, depth, state, usual, listed_by, line, reason)
VALUES ((SELECT ifnull(max(place), 0) + 1 FROM sitemap), ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (url) DO UPDATE SET place = excluded.place, depth = excluded.depth, state = excluded.state,
    usual = excluded.usual, listed_by = excluded.listed_by, line = excluded.line WHERE sitemap.state = 'known'
"""
_READ = """
UPDATE sitemap SET state = ?, address = ?, digest = ?, etag = ?, modified = ?, kind = ?, entries = ?, reason = ?,
    faults = ?, skipped = ? WHERE id = ?
"""


class LoadingState:
    """Where one loading of sitemaps stands, in a database of its own or in the inventory's."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._database.executescript(_SCHEMA)
        listed.prepare(self._database)

    def begin(self, key: str, seeds: Sequence[str], usual: Sequence[str], now: datetime) -> ResumeState:
        """`key`: of everything that decides what a loading reads; another one starts afresh."""
        begun = self._begun(key, now)
        with self._transaction() as execute:
            if begun is ResumeState.RESUMED:
                execute("UPDATE sitemap SET state = 'pending' WHERE state IN ('asked', 'failed')")
                return begun
            execute("DELETE FROM loading")
            execute("DELETE FROM sitemap WHERE state != 'read' OR ?", (begun is ResumeState.OTHER,))
            listed.prune(self._database)
            execute("UPDATE sitemap SET state = 'known'")
            execute("INSERT INTO loading VALUES (?, ?, 0, 0)", (key, now.timestamp()))
            for url in seeds:
                execute(_ADD, (url, 0, SitemapState.PENDING, False, "", 0, ""))
            for url in usual:
                execute(_ADD, (url, 0, SitemapState.USUAL, True, "", 0, ""))
        return begun

    def _begun(self, key: str, now: datetime) -> ResumeState:
        row = self._database.execute("SELECT key, begun, ended FROM loading").fetchone()
        if row is None:
            return ResumeState.NEW
        if row[0] != key:
            return ResumeState.OTHER
        return ResumeState.AGAIN if row[2] or now.timestamp() - row[1] > _FRESH.total_seconds() else ResumeState.RESUMED

    def ask(self, limit: int) -> list[SitemapStatus]:
        """The next documents to fetch, in order of discovery; they count as asked from here on."""
        with self._transaction() as execute:
            rows = execute(f"{_SHEETS} WHERE state = 'pending' ORDER BY place LIMIT ?", (limit,))
            sheets = [_sheet(row) for row in rows]
            for sheet in sheets:
                execute("UPDATE sitemap SET state = 'asked' WHERE id = ?", (sheet.id,))
        return sheets

    def try_usual(self) -> bool:
        """Make the next usual path pending; False when there is none."""
        with self._transaction() as execute:
            return execute(_NEXT_USUAL).rowcount > 0

    def count(self, *states: SitemapState) -> int:
        one = "SELECT count(*) FROM sitemap WHERE state = ?"
        return sum(int(self._database.execute(one, (state,)).fetchone()[0]) for state in states)

    def stored(self) -> int:
        """Entries of all documents; one that is listed twice counts twice."""
        (number,) = self._database.execute("SELECT ifnull(sum(entries), 0) FROM sitemap").fetchone()
        return int(number)

    def sheet(self, id: int) -> SitemapStatus:  # noqa: A002 - the column's name
        return _sheet(self._database.execute(f"{_SHEETS} WHERE id = ?", (id,)).fetchone())

    def sheets(self, *states: SitemapState) -> Iterator[SitemapStatus]:
        """In order of discovery; of all states when none is named."""
        where = f"WHERE state IN ({', '.join('?' * len(states))})" if states else ""
        for row in self._database.execute(f"{_SHEETS} {where} ORDER BY place", states):
            yield _sheet(row)

    def read(
        self, sheet: SitemapStatus, arrival: Arrival, batches: Iterable[EntryBatch], content: Callable[[], Content]
    ) -> None:
        """Store what a document lists. `content`: what the reading came to; asked when `batches` are at their end."""
        with self._transaction() as execute:
            stored = listed.replace(self._database, sheet.id, sheet.entries, batches)
            found = content()
            for url, child in found.children:
                execute(_ADD, (url, sheet.depth + 1, SitemapState.PENDING, False, sheet.url, child.line, ""))
            for url, child, why in found.refused:
                execute(_ADD, (url, sheet.depth + 1, SitemapState.REFUSED, False, sheet.url, child.line, why))
            execute(_READ, _row(sheet, arrival, found, stored))

    def mark(self, sheet: SitemapStatus, state: SitemapState, reason: str = "", address: str = "") -> None:
        """The end of a document that nothing was read of. What an earlier attempt stored of it stays."""
        update = "UPDATE sitemap SET state = ?, reason = ?, address = ? WHERE id = ?"
        self._database.execute(update, (state, reason, address, sheet.id))

    def at(self, address: str, other_than: SitemapStatus) -> SitemapStatus | None:
        """The document that has this address, or has answered at it."""
        query = f"{_SHEETS} WHERE (url = ? OR address = ?) AND id != ? AND state != 'known'"
        row = self._database.execute(f"{query} ORDER BY place", (address, address, other_than.id)).fetchone()
        return _sheet(row) if row else None

    def end(self) -> None:
        """Nothing more will be asked: what an earlier run knew, and nobody names any more, goes."""
        with self._transaction() as execute:
            execute("DELETE FROM sitemap WHERE state = 'known'")
            listed.prune(self._database)

    def arrived(self) -> None:
        """What was loaded is where it was wanted. The next run begins again, or asks for what failed."""
        whole = not self.count(SitemapState.PENDING, SitemapState.ASKED, SitemapState.FAILED)
        self._database.execute("UPDATE loading SET ended = ?", (whole,))

    def entries(self, sort: Sort = Sort.ORDER) -> Iterator[tuple[int, str, Entry]]:
        """(document, identity, entry), each identity once."""
        return listed.entries(self._database, sort)

    def urls(self) -> Iterator[tuple[int, str]]:
        """(document, identity), each identity once, in the order of the documents: for whom the rest is nothing."""
        return listed.urls(self._database)

    def texts(self) -> Iterator[tuple[int, str]]:
        """(how many, their URLs as the sitemaps spell them, a line each), as `urls`, many at once."""
        return listed.texts(self._database)

    def take(self) -> tuple[int, list[str]] | None:
        """(number, identities) of the next URLs in order of arrival; the same ones until they are acknowledged."""
        return listed.take(self._database)

    def acknowledge(self, number: int) -> None:
        """Everything up to this number has arrived where it was wanted."""
        self._database.execute("UPDATE loading SET taken = ?", (number,))

    @contextmanager
    def _transaction(self) -> Iterator[Callable[..., sqlite3.Cursor]]:
        self._database.execute("BEGIN IMMEDIATE")
        yield self._database.execute
        self._database.execute("COMMIT")


@contextmanager
def in_memory() -> Iterator[LoadingState]:
    """The state of a loading whose entries are stored elsewhere."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as database:
        yield LoadingState(database)


def _sheet(row: tuple[object, ...]) -> SitemapStatus:
    values = list(row)
    values[3], values[4] = SitemapState(str(row[3])), bool(row[4])
    values[8] = DocumentKind(str(row[8]))
    values[14], values[15] = json.loads(str(row[14])), json.loads(str(row[15]))
    return SitemapStatus(*values)  # type: ignore[arg-type]


def _row(sheet: SitemapStatus, arrival: Arrival, found: Content, stored: int) -> tuple[object, ...]:
    """Only a whole document that lists no others is ever asked for with validators: 304 brings no children back."""
    lasting = not found.damage and found.kind is not DocumentKind.INDEX
    return (
        SitemapState.FAILED if found.damage else SitemapState.READ,
        arrival.address,
        arrival.digest,
        arrival.etag if lasting else "",
        arrival.modified if lasting else "",
        found.kind,
        stored,
        found.damage,
        json.dumps(found.faults),
        json.dumps(found.skipped),
        sheet.id,
    )
