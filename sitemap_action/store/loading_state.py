"""What is stored of one sitemap document while sitemaps are loaded.

The loading of sitemaps as rows of SQLite: documents to request, documents read with their URLs, and failures.

One transaction for each step. A document counts as read in the transaction that stores its URLs, so a run that is
killed at any instant has stored all of them or requests the document again.
"""

import json
import sqlite3
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path

from msgspec import Struct, field

from sitemap_action.errors import PublishError
from sitemap_action.model.sitemap import ChildSitemap, DocumentKind, Entry
from sitemap_action.store import listed
from sitemap_action.store.listed import EntryBatch, Sort
from sitemap_action.store.state import StateLayout, open_file


class SitemapState(StrEnum):
    """Progress of one document."""

    USUAL = "usual"  # a conventional path, requested when there is no seed and nothing was found
    PENDING = "pending"
    REQUESTED = "asked"  # the request is under way; pending again after a kill
    READ = "read"  # completely; its URLs are stored
    DUPLICATE = "same"  # a duplicate: another document has the same address
    ABSENT = "absent"  # a conventional path without a sitemap
    FAILED = "failed"  # no usable answer, or damaged: the URLs before the damage are stored
    REFUSED = "refused"  # never requested
    STALE = "known"  # read by a run that ended; requested again only if it is still listed


class ResumeState(StrEnum):
    """How a run uses the stored state."""

    NEW = "new"
    RESUMED = "resumed"
    OTHER = "other"  # of other seeds or options: discarded
    AGAIN = "again"  # of a run that ended or is a day old: a cache for conditional requests


class SitemapStatus(Struct, frozen=True):
    """One document."""

    id: int
    url: str
    depth: int = 0
    state: SitemapState = SitemapState.PENDING
    usual: bool = False  # at a conventional path, and listed by nothing
    listed_by: str = ""
    line: int = 0  # in the document that lists it
    address: str = ""  # after redirects
    kind: DocumentKind = DocumentKind.UNKNOWN
    entries: int = 0
    reason: str = ""  # why it is not, or not completely, read
    etag: str = ""
    modified: str = ""
    digest: str = ""  # of its bytes
    faults: Mapping[str, int] = field(default_factory=dict)  # tolerated faults, by code
    skipped: Mapping[str, int] = field(default_factory=dict)  # URLs that are not used, by reason


class ResponseInfo(Struct, frozen=True):
    """Address, digest and validators of a response."""

    address: str
    digest: str
    etag: str = ""
    modified: str = ""


class ParsedContent(Struct, frozen=True):
    """Result of reading a document, except its entries."""

    kind: DocumentKind
    children: Sequence[tuple[str, ChildSitemap]] = ()  # with identity
    refused: Sequence[tuple[str, ChildSitemap, str]] = ()  # with identity, and why it is never requested
    damage: str = ""  # why the rest could not be read
    faults: Mapping[str, int] = field(default_factory=dict)
    skipped: Mapping[str, int] = field(default_factory=dict)


APPLICATION_ID = 0x53544D4C  # "STML"
_VERSION = 3  # of the layout
_FRESH = timedelta(days=1)
"""How long a document that was read counts as current, as for robots.txt (RB-22)."""

SCHEMA = """
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
_SELECT = """
SELECT id, url, depth, state, usual, listed_by, line, address, kind, entries, reason, etag, modified, digest, faults,
    skipped FROM sitemap
"""
_NEXT_USUAL = """
UPDATE sitemap SET state = 'pending' WHERE id = (SELECT id FROM sitemap WHERE state = 'usual' ORDER BY place LIMIT 1)
"""
# A document of an earlier run keeps its entries until it is read again; one that this run knows is not changed.
_ADD = """
INSERT INTO sitemap (place, url, depth, state, usual, listed_by, line, reason)
VALUES ((SELECT ifnull(max(place), 0) + 1 FROM sitemap), ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (url) DO UPDATE SET place = excluded.place, depth = excluded.depth, state = excluded.state,
    usual = excluded.usual, listed_by = excluded.listed_by, line = excluded.line WHERE sitemap.state = 'known'
"""
_UNREAD = "SELECT id FROM sitemap WHERE entries != 0 AND state NOT IN ('read', 'failed')"
_FORGET = "UPDATE sitemap SET entries = 0, etag = '', modified = '', faults = '{}', skipped = '{}' WHERE id = ?"
_READ = """
UPDATE sitemap SET state = ?, address = ?, digest = ?, etag = ?, modified = ?, kind = ?, entries = ?, reason = ?,
    faults = ?, skipped = ? WHERE id = ?
"""


class LoadingState:
    """State of one loading of sitemaps, in a database of its own or in that of the inventory."""

    def __init__(self, database: sqlite3.Connection, note: str = "") -> None:
        self._database = database
        self.note = note  # on a state that was damaged
        self._database.executescript(SCHEMA)
        listed.prepare(self._database)
        self.media_types: dict[str, str] = {}  # documents of this run that are not served as sitemaps are (SM-11)
        self._stored: int | None = None  # entries of all documents; None: to be counted

    def begin(self, key: str, seeds: Sequence[str], usual: Sequence[str], now: datetime) -> ResumeState:
        """`key` identifies everything that decides what is read; another one starts afresh."""
        resume = self._resume_state(key, now)
        self._stored = None
        with self._transaction() as execute:
            if resume is ResumeState.RESUMED:
                execute("UPDATE sitemap SET state = 'pending' WHERE state IN ('asked', 'failed')")
                return resume
            execute("DELETE FROM loading")
            execute("DELETE FROM sitemap WHERE state != 'read' OR ?", (resume is ResumeState.OTHER,))
            listed.prune(self._database)
            execute("UPDATE sitemap SET state = 'known'")
            execute("INSERT INTO loading VALUES (?, ?, 0, 0)", (key, now.timestamp()))
            for url in seeds:
                execute(_ADD, (url, 0, SitemapState.PENDING, False, "", 0, ""))
            for url in usual:
                execute(_ADD, (url, 0, SitemapState.USUAL, True, "", 0, ""))
        return resume

    def _resume_state(self, key: str, now: datetime) -> ResumeState:
        row = self._database.execute("SELECT key, begun, ended FROM loading").fetchone()
        if row is None:
            return ResumeState.NEW
        if row[0] != key:
            return ResumeState.OTHER
        return ResumeState.AGAIN if row[2] or now.timestamp() - row[1] > _FRESH.total_seconds() else ResumeState.RESUMED

    def take_pending(self, limit: int) -> list[SitemapStatus]:
        """The next documents to request, in order of discovery; marks them as ASKED."""
        with self._transaction() as execute:
            rows = execute(f"{_SELECT} WHERE state = 'pending' ORDER BY place LIMIT ?", (limit,))
            documents = [_status(row) for row in rows]
            for status in documents:
                execute("UPDATE sitemap SET state = 'asked' WHERE id = ?", (status.id,))
        return documents

    def queue_usual(self) -> bool:
        """Make the next conventional path pending; False when there is none."""
        with self._transaction() as execute:
            return execute(_NEXT_USUAL).rowcount > 0

    def count(self, *states: SitemapState) -> int:
        query = "SELECT count(*) FROM sitemap WHERE state = ?"
        return sum(int(self._database.execute(query, (state,)).fetchone()[0]) for state in states)

    def stored(self) -> int:
        """Entries of all documents; one that is listed twice counts twice."""
        if self._stored is None:
            (number,) = self._database.execute("SELECT ifnull(sum(entries), 0) FROM sitemap").fetchone()
            self._stored = int(number)
        return self._stored

    def status(self, id: int) -> SitemapStatus:  # noqa: A002 - the column's name
        return _status(self._database.execute(f"{_SELECT} WHERE id = ?", (id,)).fetchone())

    def statuses(self, *states: SitemapState) -> Iterator[SitemapStatus]:
        """In order of discovery; of all states when none is given."""
        where = f"WHERE state IN ({', '.join('?' * len(states))})" if states else ""
        for row in self._database.execute(f"{_SELECT} {where} ORDER BY place", states):
            yield _status(row)

    def read(
        self,
        document: SitemapStatus,
        response: ResponseInfo,
        batches: Iterable[EntryBatch],
        content: Callable[[], ParsedContent],
    ) -> None:
        """Store what a document lists. `content` is called when `batches` is exhausted."""
        with self._transaction() as execute:
            stored = listed.replace(self._database, document.id, document.entries, batches)
            result = content()
            for url, child in result.children:
                execute(_ADD, (url, document.depth + 1, SitemapState.PENDING, False, document.url, child.line, ""))
            for url, child, why in result.refused:
                execute(_ADD, (url, document.depth + 1, SitemapState.REFUSED, False, document.url, child.line, why))
            execute(_READ, _row(document, response, result, stored))
        if self._stored is not None:
            self._stored += stored - document.entries

    def set_status(self, document: SitemapStatus, state: SitemapState, reason: str = "", address: str = "") -> None:
        """Set the state of a document of which nothing was read.

        What an earlier attempt of this loading has read of a damaged one stays; what an earlier loading has read is of
        another day, and would not be there without a state.
        """
        update = "UPDATE sitemap SET state = ?, reason = ?, address = ? WHERE id = ?"
        self._database.execute(update, (state, reason, address, document.id))
        if state is SitemapState.FAILED and document.entries and not document.reason:
            with self._transaction() as execute:
                listed.replace(self._database, document.id, document.entries, ())
                execute(_FORGET, (document.id,))
            self._stored = None

    def find_by_address(self, address: str, other_than: SitemapStatus) -> SitemapStatus | None:
        """The document that has this address, or was redirected to it."""
        query = f"{_SELECT} WHERE (url = ? OR address = ?) AND id != ? AND state != 'known'"
        row = self._database.execute(f"{query} ORDER BY place", (address, address, other_than.id)).fetchone()
        return _status(row) if row else None

    def end(self) -> None:
        """Delete documents of an earlier run that are no longer listed, and its entries of those that were not read."""
        self._stored = None
        with self._transaction() as execute:
            execute("DELETE FROM sitemap WHERE state = 'known'")
            unread = execute(_UNREAD).fetchall()
            for (number,) in unread:
                listed.replace(self._database, number, 1, ())
                execute(_FORGET, (number,))
            listed.prune(self._database)

    def mark_complete(self) -> None:
        """The caller has stored the entries. The next run starts anew, or resumes when a document has failed."""
        complete = not self.count(SitemapState.PENDING, SitemapState.REQUESTED, SitemapState.FAILED)
        self._database.execute("UPDATE loading SET ended = ?", (complete,))

    def entries(self, sort: Sort = Sort.ORDER) -> Iterator[tuple[int, str, Entry]]:
        """(document, identity, entry) rows, each identity once."""
        return listed.entries(self._database, sort)

    def urls(self) -> Iterator[tuple[int, str]]:
        """(document, identity) rows as `entries`, in the order of the documents."""
        return listed.urls(self._database)

    def texts(self) -> Iterator[tuple[int, str]]:
        """(number of URLs, a line for each as the sitemaps spell it) rows as `urls`, a batch at a time."""
        return listed.texts(self._database)

    def take(self) -> tuple[int, list[str]] | None:
        """(number, identities) of the next batch in order of response; the same one until it is acknowledged."""
        return listed.take(self._database)

    def acknowledge(self, number: int) -> None:
        """Batches up to this number are used."""
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


@contextmanager
def open_state(path: Path | None) -> Iterator[LoadingState]:
    """The state in the file at `path`, or in a temporary one that is deleted with the run."""
    try:
        if path is None:
            with _temporary() as database:
                yield LoadingState(database)
            return
        with _kept(path) as state:
            yield state
    except (sqlite3.OperationalError, OSError) as error:
        hint = "free some space, or name a file that may be written; one run at a time can use a state"
        raise PublishError(f"no space for the state of the sitemaps: {error}", hint=hint) from error


@contextmanager
def _kept(path: Path) -> Iterator[LoadingState]:
    layout = StateLayout(APPLICATION_ID, _VERSION, SCHEMA + listed.SCHEMA)
    database, note = open_file(path, layout, _require_documents)
    with closing(database):
        database.execute("PRAGMA synchronous = NORMAL")
        yield LoadingState(database, note=note)


def _require_documents(database: sqlite3.Connection) -> None:
    """Raises ValueError where a document cannot be decoded."""
    for row in database.execute(_SELECT):
        _status(row)


@contextmanager
def _temporary() -> Iterator[sqlite3.Connection]:
    """Never rolled back, so it needs no journal."""
    with tempfile.TemporaryDirectory(prefix="sitemap-action-", ignore_cleanup_errors=True) as directory:
        path = Path(directory) / "loading.sqlite"
        with closing(sqlite3.connect(path, isolation_level=None)) as database:
            database.execute("PRAGMA journal_mode = OFF")
            database.execute("PRAGMA synchronous = OFF")
            yield database


def _status(row: tuple[object, ...]) -> SitemapStatus:
    values = list(row)
    values[3], values[4] = SitemapState(str(row[3])), bool(row[4])
    values[8] = DocumentKind(str(row[8]))
    values[14], values[15] = json.loads(str(row[14])), json.loads(str(row[15]))
    return SitemapStatus(*values)  # type: ignore[arg-type]


def _row(document: SitemapStatus, response: ResponseInfo, content: ParsedContent, stored: int) -> tuple[object, ...]:
    """Validators are stored of complete documents that list no others only: a 304 has no children."""
    conditional = not content.damage and content.kind is not DocumentKind.INDEX
    return (
        SitemapState.FAILED if content.damage else SitemapState.READ,
        response.address,
        response.digest,
        response.etag if conditional else "",
        response.modified if conditional else "",
        content.kind,
        stored,
        content.damage,
        json.dumps(content.faults),
        json.dumps(content.skipped),
        document.id,
    )
