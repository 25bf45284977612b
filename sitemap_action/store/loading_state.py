"""The sitemaps of one loading: which are to be requested, which are read, and why others are not.

Theory of operation. The documents are in memory, in the order of their discovery, and each is known by its URL once.
Without a database that is all: entries are counted, and whoever wants them reads the documents. With one, entries are
stored in batches (`entries.py`), and every document that changes is written with what follows from it in one
transaction: a document counts as read in the transaction that stores its URLs and its children. A run that is killed
at any instant has stored all of them or requests the document again; that a request is under way is not stored.
"""

import sqlite3
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from enum import StrEnum

from msgspec import Struct, field, json

from sitemap_action.model.sitemap import ChildSitemap, DocumentKind, Entry, EntryBatch
from sitemap_action.store import entries as table
from sitemap_action.store.entries import Seen, Sort

APPLICATION_ID = 0x53544D4C  # "STML"
VERSION = 5  # of the layout
_FRESH = timedelta(days=1)  # for which a document that was read is current, as for robots.txt (RB-22)
_MOST = 200_000  # documents that are known by name, far more than are requested: of hostile indexes the rest is counted

SCHEMA = f"""
CREATE TABLE IF NOT EXISTS loading (key TEXT NOT NULL, begun REAL NOT NULL, ended INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS sitemap (
    id INTEGER PRIMARY KEY, url TEXT NOT NULL, digest TEXT NOT NULL, record TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS handled (digest INTEGER PRIMARY KEY);
{table.SCHEMA}"""


class SitemapState(StrEnum):
    """Progress of one document."""

    USUAL = "usual"  # a conventional path, requested when there is no seed and nothing was found
    PENDING = "pending"
    REQUESTED = "requested"  # the request is under way; pending again after a kill
    READ = "read"  # completely; its URLs are stored
    DUPLICATE = "duplicate"  # another document has the same address
    ABSENT = "absent"  # a conventional path without a sitemap
    FAILED = "failed"  # no usable answer, or damaged: the URLs before the damage are stored
    REFUSED = "refused"  # never requested
    STALE = "stale"  # read by a run that ended; requested again only if it is still listed


class ResumeState(StrEnum):
    """How a run uses the stored state."""

    NEW = "new"
    RESUMED = "resumed"
    OTHER = "other"  # of other seeds or options: discarded
    AGAIN = "again"  # of a run that ended or is a day old: a cache for conditional requests


class SitemapStatus(Struct):
    """One document; the state alone changes it."""

    id: int
    url: str
    place: int = 0  # in the order of discovery
    depth: int = 0
    state: SitemapState = SitemapState.PENDING
    usual: bool = False  # at a conventional path, and listed by nothing
    listed_by: str = ""
    line: int = 0  # in the document that lists it
    address: str = ""  # after redirects
    kind: DocumentKind = DocumentKind.UNKNOWN
    entries: int = 0
    reason: str = ""  # why it is not, or not completely, read
    page: bool = False  # it is an HTML page
    version: tuple[str, str, str] = ("", "", "")  # ETag, Last-Modified, digest of its bytes
    faults: dict[str, int] = field(default_factory=dict)  # tolerated faults, by code
    skipped: dict[str, int] = field(default_factory=dict)  # URLs that are not used, by reason

    def forget(self) -> None:
        """What an earlier loading has read of it."""
        self.entries, self.faults, self.skipped = 0, {}, {}
        self.forget_validators()

    def forget_validators(self) -> None:
        """It is requested without a condition."""
        self.version = ("", "", self.version[2])


class ParsedContent(Struct):
    """What the reading of a document finds beside its entries; complete once these are read to their end."""

    kind: DocumentKind = DocumentKind.UNKNOWN
    children: list[tuple[str, ChildSitemap]] = field(default_factory=list)  # with identity
    refused: list[tuple[str, ChildSitemap, str]] = field(default_factory=list)  # and why it is never requested
    damage: str = ""  # why the rest could not be read
    fault: str = ""  # its code
    page: bool = False  # it is an HTML page
    faults: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)


_decoder = json.Decoder(SitemapStatus)


class LoadingState:
    """The state of one loading; its database is one of its own, or that of the inventory."""

    def __init__(self, database: sqlite3.Connection | None = None, note: str = "") -> None:
        self._database = database
        self.note = note  # on a state that was damaged
        self.media_types: dict[str, str] = {}  # documents of this run that are not served as sitemaps are (SM-11)
        self.dropped = 0  # documents beyond those that are known by name
        self._loading: tuple[str, float, bool] | None = None  # key, begun, ended
        self._documents: dict[str, SitemapStatus] = {}  # by URL, in order of discovery
        self._addresses: dict[str, list[SitemapStatus]] = {}
        self._pending: deque[SitemapStatus] = deque()
        self._last = 0  # number of a document, and place in their order
        self._stored = 0  # entries of all documents
        if database is not None:
            database.executescript(SCHEMA)
            self._loading = database.execute("SELECT key, begun, ended FROM loading").fetchone()
            self._know(read_documents(database))

    def begin(
        self, key: str, seeds: Sequence[str], usual: Sequence[str], now: datetime, *, lasting: bool = False
    ) -> ResumeState:
        """`key` identifies everything that decides what is read; another one starts afresh.

        `lasting`: it is resumed whatever its age.
        """
        resume = self._resume_state(key, now, lasting=lasting)
        with self._transaction():
            if resume is ResumeState.RESUMED:
                self._resume()
                self._save([one for url in seeds if (one := self._add(url)) is not None])
                return resume
            self._forget_handled()
            read = [] if resume is ResumeState.OTHER else [*self.statuses(SitemapState.READ)]
            self._delete([one for one in self._documents.values() if one not in read])
            for document in read:
                document.state = SitemapState.STALE
            self._know(read)
            self._store_loading((key, now.timestamp(), False))
            added = [self._add(url) for url in seeds]
            added += [self._add(url, state=SitemapState.USUAL) for url in usual]
            self._save([*read, *filter(None, added)])
        return resume

    def is_of(self, key: str) -> bool:
        """Whether it has a loading of that key which has not ended."""
        return self._loading is not None and self._loading[0] == key and not self._loading[2]

    def _resume_state(self, key: str, now: datetime, *, lasting: bool) -> ResumeState:
        if self._loading is None:
            return ResumeState.NEW
        before, begun, ended = self._loading
        if before != key:
            return ResumeState.OTHER
        old = not lasting and now.timestamp() - begun > _FRESH.total_seconds()
        return ResumeState.AGAIN if ended or old else ResumeState.RESUMED

    def _resume(self) -> None:
        again = [*self.statuses(SitemapState.REQUESTED, SitemapState.FAILED)]
        for document in again:
            document.state = SitemapState.PENDING
        self._pending = deque(self.statuses(SitemapState.PENDING))
        self._save(again)

    def take_pending(self, limit: int) -> list[SitemapStatus]:
        """The next documents to request, in order of discovery; they are requested now."""
        taken: list[SitemapStatus] = []
        while self._pending and len(taken) < limit:
            document = self._pending.popleft()
            if document.state is SitemapState.PENDING:
                document.state = SitemapState.REQUESTED
                taken.append(document)
        return taken

    def queue_usual(self) -> bool:
        """Make the next conventional path pending; False when there is none."""
        document = next(self.statuses(SitemapState.USUAL), None)
        if document is not None:
            self.set_status(document, SitemapState.PENDING)
        return document is not None

    def count(self, *states: SitemapState) -> int:
        return sum(document.state in states for document in self._documents.values())

    def entry_count(self) -> int:
        """Entries of all documents; one that is listed twice counts twice."""
        return self._stored

    def statuses(self, *states: SitemapState) -> Iterator[SitemapStatus]:
        """Documents in order of discovery; of all states when none is given."""
        return (one for one in [*self._documents.values()] if not states or one.state in states)

    def read(
        self, document: SitemapStatus, address: str, batches: Iterable[EntryBatch], content: ParsedContent
    ) -> None:
        """Store what a document lists. `content` is complete when `batches` is exhausted.

        Validators are stored of complete documents that list no others only: a 304 has no children.
        """
        with self._transaction():
            self._stored -= document.entries
            document.entries = self._store_entries(document, batches)
            self._stored += document.entries
            document.state = SitemapState.FAILED if content.damage else SitemapState.READ
            document.kind, document.reason, document.page = content.kind, content.damage, content.page
            document.faults, document.skipped = dict(content.faults), dict(content.skipped)
            if content.damage or content.kind is DocumentKind.INDEX:
                document.forget_validators()
            self._set_address(document, address)
            added = [self._add(url, document, child.line) for url, child in content.children]
            for url, child, why in content.refused:
                added.append(self._add(url, document, child.line, SitemapState.REFUSED, why))
            self._save([document, *filter(None, added)])

    def set_status(self, document: SitemapStatus, state: SitemapState, reason: str = "", address: str = "") -> None:
        """Set the state of a document of which nothing was read.

        What an earlier attempt of this loading has read of a damaged one stays; what an earlier loading has read is of
        another day, and would not be there without a state.
        """
        of_another_day = state is SitemapState.FAILED and document.entries and not document.reason
        with self._transaction():
            if of_another_day:
                self._forget([document])
            document.state, document.reason = state, reason
            self._set_address(document, address)
            if state is SitemapState.PENDING:
                self._pending.append(document)
            self._save([document])

    def find_by_address(self, address: str, other_than: SitemapStatus) -> SitemapStatus | None:
        """The document that has this address, or was redirected to it."""
        known = self._documents.get(address)
        found = [*self._addresses.get(address, ()), *([known] if known else ())]
        others = (one for one in found if one is not other_than and one.state is not SitemapState.STALE)
        return min(others, key=lambda one: one.place, default=None)

    def end(self) -> None:
        """Delete documents of an earlier run that are no longer listed, and its entries of those that were not read."""
        with self._transaction():
            self._delete([*self.statuses(SitemapState.STALE)])
            whole = (SitemapState.READ, SitemapState.FAILED)
            self._forget([one for one in self._documents.values() if one.entries and one.state not in whole])

    def mark_complete(self, *, anyway: bool = False) -> None:
        """The caller has the entries. The next run starts anew; where a document has failed it resumes, or `anyway`."""
        complete = anyway or not self.count(SitemapState.PENDING, SitemapState.REQUESTED, SitemapState.FAILED)
        if self._loading is not None:
            self._store_loading((*self._loading[:2], complete))

    def entries(self, sort: Sort = Sort.ORDER) -> Iterator[tuple[int, str, Entry]]:
        """(document, identity, entry) rows, each identity once."""
        return table.read_entries(self._connection(), self._ids_in_order(), sort)

    def root(self, document: SitemapStatus) -> SitemapStatus:
        """The document that a user, or a robots.txt, names, through which this one is known."""
        while document.listed_by and document.depth:
            document = self._documents[document.listed_by]
        return document

    def rows(self, document: SitemapStatus, seen: Seen) -> Iterator[tuple[int, str, Entry]]:
        """Rows of one document, as of `entries`: what was not `seen` before."""
        return table.read_entries(self._connection(), [document.id], seen=seen)

    def batches(self, document: SitemapStatus) -> Iterator[tuple[int, list[str]]]:
        """(number, identities) of the batches of one document."""
        return table.read_keys(self._connection(), document.id)

    def locs(self, batch: int) -> Iterator[tuple[str, str]]:
        """(identity, URL as the sitemap spells it) of a batch."""
        return table.read_locs(self._connection(), batch)

    def acknowledge(self, digest: int) -> None:
        """A consumer has handled the URL of this digest: stored when this returns."""
        self._connection().execute("INSERT OR IGNORE INTO handled VALUES (?)", (digest,))

    def acknowledgements(self) -> Iterator[int]:
        """The digests of what was acknowledged, in ascending order."""
        return (digest for (digest,) in self._connection().execute("SELECT digest FROM handled ORDER BY digest"))

    def urls(self) -> Iterator[str]:
        """Identities of the entries, each once, in the order of the documents."""
        return table.read_urls(self._connection(), self._ids_in_order())

    def texts(self, document: SitemapStatus, seen: Seen) -> Iterator[tuple[int, str]]:
        """(number of URLs, a line for each as the sitemaps spell it) rows as `rows`, a batch at a time."""
        return table.read_texts(self._connection(), [document.id], seen)

    def _connection(self) -> sqlite3.Connection:
        assert self._database is not None  # noqa: S101 - without one, no entries are asked for
        return self._database

    def _ids_in_order(self) -> list[int]:
        return [one.id for one in self._documents.values() if one.entries]

    def _know(self, documents: Iterable[SitemapStatus]) -> None:
        """These are all documents that are known, in order."""
        self._documents, self._addresses = {}, {}
        self._pending.clear()
        for document in documents:
            self._documents[document.url] = document
            if document.address:
                self._addresses.setdefault(document.address, []).append(document)
        self._stored = sum(one.entries for one in self._documents.values())
        self._last = max((max(one.id, one.place) for one in self._documents.values()), default=0)

    def _add(
        self,
        url: str,
        parent: SitemapStatus | None = None,
        line: int = 0,
        state: SitemapState = SitemapState.PENDING,
        reason: str = "",
    ) -> SitemapStatus | None:
        """A document that is listed now, or None where this run knows it.

        One of an earlier run takes its new place, and has its entries until it is read again.
        """
        document = self._documents.get(url)
        if document is None and len(self._documents) >= _MOST:
            self.dropped += 1
            return None
        self._last += 1
        if document is None:
            document = SitemapStatus(self._last, url)
        elif document.state is not SitemapState.STALE:
            return None
        else:
            del self._documents[url]
        self._documents[url] = document
        document.place, document.state, document.line, document.reason = self._last, state, line, reason
        document.depth, document.listed_by = (parent.depth + 1, parent.url) if parent else (0, "")
        document.usual = state is SitemapState.USUAL
        if state is SitemapState.PENDING:
            self._pending.append(document)
        return document

    def _set_address(self, document: SitemapStatus, address: str) -> None:
        if document.address != address:
            if document.address:
                self._addresses[document.address].remove(document)
            if address:
                self._addresses.setdefault(address, []).append(document)
            document.address = address

    def _store_entries(self, document: SitemapStatus, batches: Iterable[EntryBatch]) -> int:
        if self._database is None:
            return sum(part.count for part in batches)
        if document.entries:
            table.delete_batches(self._database, [document.id])
        return table.add_batches(self._database, document.id, batches)

    def _forget(self, documents: Sequence[SitemapStatus]) -> None:
        """Delete what an earlier loading has read of them."""
        self._stored -= sum(one.entries for one in documents)
        for document in documents:
            document.forget()
        if self._database is not None:
            table.delete_batches(self._database, [one.id for one in documents])
        self._save(documents)

    def _delete(self, documents: Sequence[SitemapStatus]) -> None:
        self._stored -= sum(one.entries for one in documents)
        for document in documents:
            del self._documents[document.url]
        if self._database is not None:
            table.delete_batches(self._database, [one.id for one in documents])
            self._database.executemany("DELETE FROM sitemap WHERE id = ?", [(one.id,) for one in documents])

    def _forget_handled(self) -> None:
        if self._database is not None:
            self._database.execute("DELETE FROM handled")

    def _save(self, documents: Iterable[SitemapStatus]) -> None:
        if self._database is not None:
            rows = ((one.id, one.url, one.version[2], json.encode(one).decode()) for one in documents)
            self._database.executemany("INSERT OR REPLACE INTO sitemap VALUES (?, ?, ?, ?)", rows)

    def _store_loading(self, loading: tuple[str, float, bool]) -> None:
        self._loading = loading
        if self._database is not None:
            self._database.execute("DELETE FROM loading")
            self._database.execute("INSERT INTO loading VALUES (?, ?, ?)", loading)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        if self._database is None:
            yield
            return
        self._database.execute("BEGIN IMMEDIATE")
        yield
        self._database.execute("COMMIT")


def read_documents(database: sqlite3.Connection) -> list[SitemapStatus]:
    """The stored documents in order. Raises MsgspecError where one cannot be decoded."""
    found = [_decoder.decode(record) for (record,) in database.execute("SELECT record FROM sitemap")]
    return sorted(found, key=lambda one: one.place)
