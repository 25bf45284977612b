"""One SQLite file that holds every known URL, its page, and the entries of the sitemaps it is compared with.

Theory of operation. `url` has a row for each known URL, `page` one for each URL that has an answer (`record`, see
`codec.py`); only what is joined or sorted on is a column. `page_id` has no column beside the row's id: reading all ids
there costs a tenth of reading them between the records. `redirect` holds the edges along which in-links count,
`skipped` counts URLs that are not requested by reason, `entry` holds sitemap entries by role, `metadata` texts by name.
`visit` (validators and links of this run) and `previous_visit` (of the run before it) are filled in a persistent file,
which `state.py` opens.
Tables of `loading_state.py` (sitemaps of the site) may be in the same file. A build is read whole by each run: its
pages are in tables of the same names in SQLite's temporary database, which come first.
The source of the run writes, from one thread and one connection: a folder through `add_records` and `add_links`, a
crawl through `Frontier`. After the look phase these tables are read only, as the `Site` of `model/site.py`.
Every write is a transaction: `_BATCH` rows here, one `VisitBatch` with all that follows from it in `Frontier.store`.
A temporary file has no journal and is deleted with the run. A persistent one (`--state`) is in WAL mode: after a kill
it holds whole batches only, so a resumed run sees each URL either done with its page and links or still queued. The log
starts again once all of it is in the database, which an open cursor prevents: none stays open across a commit (U-12).
"""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import date
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from sitemap_action.errors import PublishError
from sitemap_action.model.mask import NO_MASK, Mask
from sitemap_action.model.page import Facts, Page, PageKind
from sitemap_action.model.site import Content, Role
from sitemap_action.model.sitemap import Entry, EntryBatch, line_numbers
from sitemap_action.store.codec import Packed, PackedDocument, decode_entry, decode_page, encode
from sitemap_action.store.shards import Shards, ShardState

APPLICATION_ID = 0x53544D50  # "STMP"
UNSUBMITTED = "unsubmitted"  # URLs that no search engine has taken
PAGE_COUNTS = "page_counts"  # site-url, and the number of listed pages on each day of a run, as JSON
VERSION = 19  # of this layout; a file of another one is made anew
BEGUN = "begun"  # name of a metadata text: when the run began
PREVIOUS = "previous"  # when the oldest run began whose visits are kept
_Row = TypeVar("_Row")
_BATCH = 500  # rows between commits
_WAIT = 1.0  # seconds to wait for a lock; a run holds its lock until it ends
_LOG = 16 * 2**20  # bytes to which a larger write-ahead log is cut
_CACHE = 8_192  # KiB of memory, whatever the size of the site
_LARGE_CACHE = 128 * 1_024  # KiB, of a merge: with less, each link to one of a million URLs is a page read and written
_PAGE_TABLES = """
CREATE TABLE url (
  id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE,
  inlinks INTEGER NOT NULL DEFAULT 0, redirect_inlinks INTEGER NOT NULL DEFAULT 0,
  depth INTEGER, referrer TEXT NOT NULL DEFAULT '', required INTEGER NOT NULL DEFAULT 0,
  done INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE page (url_id INTEGER PRIMARY KEY REFERENCES url (id), record TEXT NOT NULL);
CREATE TABLE redirect (url_id INTEGER PRIMARY KEY REFERENCES url (id), target TEXT NOT NULL);
CREATE TABLE skipped (reason TEXT PRIMARY KEY, urls INTEGER NOT NULL, example TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE visit (url_id INTEGER PRIMARY KEY REFERENCES url (id), etag TEXT, modified TEXT, links BLOB);
CREATE INDEX page_id ON page (url_id);
"""
TABLES = f"""{_PAGE_TABLES}
CREATE TABLE previous_visit (
  url TEXT PRIMARY KEY, etag TEXT, modified TEXT, record TEXT, links BLOB
) WITHOUT ROWID;
CREATE TABLE metadata (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""
_PAGES_OF_THIS_RUN = _PAGE_TABLES.replace("CREATE TABLE ", "CREATE TABLE temp.").replace("INDEX ", "INDEX temp.")
# Sitemaps are read by each run, so that what they list is in no state.
_ENTRIES_OF_THIS_RUN = """
CREATE TEMP TABLE entry (
  role TEXT, key TEXT, loc TEXT DEFAULT '', lastmod TEXT DEFAULT '', changefreq TEXT DEFAULT '',
  priority TEXT DEFAULT '', line INTEGER, file INTEGER, record TEXT DEFAULT ''
)
"""
_SCHEMA = f"BEGIN; PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {VERSION}; {TABLES} COMMIT;"
_ADD_URL = "INSERT OR IGNORE INTO url (url) VALUES (?)"
_ADD_PAGE = "INSERT OR REPLACE INTO page (url_id, record) SELECT id, ? FROM url WHERE url = ?"
_ADD_LINK = """
INSERT INTO url (url, {0}) VALUES (?, ?) ON CONFLICT (url) DO UPDATE SET {0} = {0} + excluded.{0}
"""
_ADD_DIRECT, _ADD_INDIRECT = _ADD_LINK.format("inlinks"), _ADD_LINK.format("redirect_inlinks")
_SET_DEPTH = "UPDATE url SET depth = ? WHERE url = ?"
_ADD_ENTRY = "INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
_PAGES = "SELECT record, inlinks + redirect_inlinks, ifnull(depth, 0) FROM page JOIN url ON url.id = page.url_id"
_WITHOUT_PAGE = "SELECT url, inlinks FROM url LEFT JOIN page ON url_id = id WHERE url_id IS NULL ORDER BY url"
# Fields that no entry of a block has are not bound: a million rows cost a third less.
_ADD_COLUMNS = "INSERT INTO entry (line, key{0}, role, file) VALUES (?, ?{3}, '{1}', {2})"
_FIELDS = ("lastmod", "changefreq", "priority")
# Sorting once costs less than keeping a million rows sorted while they are inserted.
_ENTRIES = """
SELECT key, loc, lastmod, changefreq, priority, line, file, record FROM entry WHERE role = ? ORDER BY key, rowid
"""
_IDENTITIES = "SELECT DISTINCT key FROM entry WHERE role = ? ORDER BY key"
_DELETE_ENTRIES = "DELETE FROM entry WHERE role = ? AND file = ?"


class MaskedConnection(sqlite3.Connection):
    """Stores no secret of the run: every text that is handed to a statement passes the mask."""

    mask: Mask = NO_MASK

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        return super().execute(sql, self._mask_values(parameters))

    def executemany(self, sql: str, rows: Iterable[Any], /) -> sqlite3.Cursor:
        return super().executemany(sql, map(self._mask_values, rows))

    def _mask_values(self, values: Iterable[Any]) -> tuple[Any, ...]:
        return tuple(self.mask(value) if isinstance(value, str) else value for value in values)


def connect(path: Path, mask: Mask = NO_MASK) -> sqlite3.Connection:
    """A connection that no other run has beside this one. Raises sqlite3.OperationalError after a second."""
    factory = MaskedConnection if mask else sqlite3.Connection
    database = sqlite3.connect(path, timeout=_WAIT, isolation_level=None, factory=factory)
    if isinstance(database, MaskedConnection):
        database.mask = mask
    database.execute("PRAGMA locking_mode = EXCLUSIVE")
    database.execute("PRAGMA secure_delete = OFF")  # no row has a secret: what is deleted need not be overwritten
    return database


class Inventory:
    """Written during the look phase, read only afterwards; implements `Site`."""

    def __init__(
        self,
        database: sqlite3.Connection,
        *,
        persistent: bool = False,
        keeps_pages: bool = True,
        notes: tuple[str, ...] = (),
    ) -> None:
        """`keeps_pages`: whether a persistent one has pages for a later run."""
        self.persistent = persistent
        self.notes = notes  # on the state, for the report
        self.masked = isinstance(database, MaskedConnection)
        self.shard: ShardState | None = None  # that this run writes
        self.shards: Shards | None = None  # that this run is given in place of requests
        self._given = False
        self.database = self._database = database
        # A temporary file is never rolled back, so it needs no journal; a persistent one survives a kill.
        self._database.execute(f"PRAGMA journal_mode = {'WAL' if persistent else 'OFF'}")
        self._database.execute(f"PRAGMA synchronous = {'NORMAL' if persistent else 'OFF'}")
        self._database.execute(f"PRAGMA cache_size = -{_CACHE}")
        self._database.execute(f"PRAGMA journal_size_limit = {_LOG}")
        self._database.execute("PRAGMA temp.journal_mode = OFF")
        self._database.execute(_ENTRIES_OF_THIS_RUN)
        if not keeps_pages:
            self._database.execute(f"PRAGMA temp.cache_size = -{_CACHE}")
            self._database.executescript(_PAGES_OF_THIS_RUN)

    @contextmanager
    def crawling(self) -> Iterator[None]:
        """The large cache of a merge is there while links are counted: sorting would fill the same room once more."""
        if self.shards is None:
            yield
            return
        self._database.execute(f"PRAGMA cache_size = -{_LARGE_CACHE}")
        yield
        self._database.execute(f"PRAGMA cache_size = -{_CACHE}")
        self._database.execute("PRAGMA shrink_memory")

    def close(self) -> None:
        self._database.close()

    def add_pages(self, pages: Iterable[Page]) -> None:
        self.add_records((page.url, encode(page)) for page in pages)

    def add_records(self, records: Iterable[tuple[str, str]]) -> None:
        """(URL, encoded page) rows, as worker processes return them; a URL's newest record replaces the older one."""
        for batch in _batches(records):
            with self.transaction():
                self._database.executemany(_ADD_URL, ((url,) for url, _ in batch))
                self._database.executemany(_ADD_PAGE, ((record, url) for url, record in batch))

    def add_links(self, links: Iterable[tuple[str, int]]) -> None:
        """(URL, number of further followable links to it) rows; a new URL becomes known without an answer."""
        self._add_links(_ADD_DIRECT, links)

    def add_indirect_links(self, links: Iterable[tuple[str, int]]) -> None:
        """Links to another URL that count for this one, and those that a browser has found."""
        self._add_links(_ADD_INDIRECT, links)

    def _add_links(self, statement: str, links: Iterable[tuple[str, int]]) -> None:
        for batch in _batches(links):
            with self.transaction():
                self._database.executemany(statement, batch)

    def add_entries(self, role: Role, entries: Iterable[tuple[str, Entry]], file: int = 0) -> None:
        """(identity, entry) rows of one document; of several with one identity the first counts (SM-31)."""
        name = role.value
        for batch in _batches(entries):
            with self.transaction():
                self._database.executemany(_ADD_ENTRY, [_entry_row(name, key, entry, file) for key, entry in batch])

    def add_columns(self, role: Role, part: EntryBatch, file: int) -> None:
        """Consecutive entries of one document that are their URLs in normal form and fields without extensions."""
        names = [name for name, text in zip(_FIELDS, part.fields, strict=True) if text]
        columns = [text.split("\n") for text in part.fields if text]
        statement = _ADD_COLUMNS.format("".join(f", {name}" for name in names), role.value, file, ", ?" * len(names))
        rows = zip(line_numbers(part.lines), part.keys.split("\n"), *columns, strict=False)
        with self.transaction():
            self._database.executemany(statement, rows)

    def delete_entries(self, role: Role, file: int) -> None:
        """Delete the entries of one document."""
        self._database.execute(_DELETE_ENTRIES, (role.value, file))

    def set_depths(self, depths: Iterable[tuple[str, int]]) -> None:
        """(URL, clicks from the start page) rows; any other URL has none."""
        with self.transaction():
            self._database.execute("UPDATE url SET depth = NULL")
            self._database.executemany(_SET_DEPTH, ((depth, url) for url, depth in depths))

    def last_url(self) -> int:
        """The row of the URL that became known last."""
        return int(self._database.execute("SELECT ifnull(max(id), 0) FROM url").fetchone()[0])

    def forget_urls(self, last: int) -> None:
        """Delete what became known behind this row, and all links."""
        with self.transaction():
            self._database.execute("DELETE FROM page WHERE url_id > ?", (last,))
            self._database.execute("DELETE FROM url WHERE id > ?", (last,))
            self._database.execute("UPDATE url SET inlinks = 0 WHERE inlinks > 0")

    def linked_urls(self) -> Iterator[str]:
        """Every known URL that a page links to."""
        return (url for (url,) in self._database.execute("SELECT url FROM url WHERE inlinks > 0"))

    def urls_without_page(self) -> list[tuple[str, int]]:
        """(URL, links to it) of every known URL that has no answer."""
        return self._database.execute(_WITHOUT_PAGE).fetchall()

    def pages(self) -> Iterator[Page]:
        for record, inlinks, depth in self._database.execute(f"{_PAGES} ORDER BY url.url"):
            yield decode_page(record, inlinks, depth)

    def page(self, url: str) -> Page | None:
        row = self._database.execute(f"{_PAGES} WHERE url.url = ?", (url,)).fetchone()
        return decode_page(*row) if row else None

    def entries(self, role: Role) -> Iterator[tuple[str, Entry]]:
        """(identity, entry) rows in byte order, each identity once."""
        last = None
        rows = self._database.execute(_ENTRIES, (role.value,))
        for key, loc, lastmod, changefreq, priority, line, file, record in rows:
            if key != last:
                if record:
                    yield key, decode_entry(record)._replace(file=file)
                else:  # positional: made for every entry
                    yield key, Entry(loc or key, lastmod, changefreq, priority, (), (), (), line, file)
            last = key

    def identities(self, role: Role) -> Iterator[str]:
        """Identities of the entries, each once, in byte order."""
        return (key for (key,) in self._database.execute(_IDENTITIES, (role.value,)))

    def has_dated_entries(self) -> bool:
        """Whether an entry of the judged sitemap has a lastmod."""
        rows = self._database.execute("SELECT 1 FROM entry WHERE role = ? AND lastmod != ''", (Role.COMMITTED.value,))
        return rows.fetchone() is not None

    def contents(self) -> Iterator[tuple[str, Content]]:
        """What pages had in earlier runs, in byte order of the URL."""
        if not (self._given or self.persistent):
            return
        self._database.execute(_CONTENT)
        for url, *content in self._database.execute(_WITH_GIVEN if self._given else _CONTENTS):
            yield url, Content(*content)

    def give_contents(self, rows: Iterable[tuple[str, Content]]) -> None:
        """What a committed file says of pages: of these nothing that a state has counts."""
        self._given = True
        values = ((url, content.fingerprint, content.lastmod) for url, content in rows)
        with self.transaction():
            self._database.execute(_GIVEN)
            self._database.executemany("INSERT OR REPLACE INTO given_content VALUES (?, ?, ?)", values)

    def store_contents(self, today: date) -> None:
        """Store what the listed pages have, for the next run with this state; one without an answer keeps its row."""
        if not self.persistent:
            return
        self._database.create_function("fingerprint_of", 1, _fingerprint, deterministic=True)
        with self.transaction():
            self._database.execute(_CONTENT)
            self._database.execute(_STORE, (today.isoformat(), Role.COMMITTED.value))
            self._database.execute(_FORGET, (Role.COMMITTED.value,))

    def first_seen(self) -> dict[str, date] | None:
        """Problem → the day on which it was first found (DIFF-43); None for a temporary inventory."""
        if not self.persistent:
            return None
        self._database.execute(_FIRST_SEEN)
        rows = self._database.execute("SELECT what, day FROM first_seen WHERE day = date(day)")  # else damaged
        return {problem: date.fromisoformat(day) for problem, day in rows}

    def store_first_seen(self, days: Mapping[str, date]) -> None:
        """Replace since when each problem exists, for the next run with this state: one that was absent starts anew."""
        if not self.persistent:
            return
        rows = [(problem, day.isoformat()) for problem, day in sorted(days.items())]
        with self.transaction():
            self._database.execute(_FIRST_SEEN)
            self._database.execute("DELETE FROM first_seen")
            self._database.executemany("INSERT INTO first_seen VALUES (?, ?)", rows)

    def metadata(self, name: str) -> str:
        """A text that is stored with the inventory, "" when there is none of this name."""
        row = self._database.execute("SELECT value FROM metadata WHERE name = ?", (name,)).fetchone()
        return row[0] if row else ""

    def set_metadata(self, name: str, value: str) -> None:
        self._database.execute("INSERT OR REPLACE INTO metadata VALUES (?, ?)", (name, value))

    @contextmanager
    def transaction(self) -> Iterator[None]:
        if self._database.in_transaction:  # a nested transaction joins the outer one
            yield
            return
        self._database.execute("BEGIN")
        yield
        self._database.execute("COMMIT")


_DOCUMENTS = """CREATE TABLE IF NOT EXISTS document (
  url TEXT PRIMARY KEY, digest BLOB NOT NULL, packed BLOB NOT NULL
)"""


class StoredDocuments:
    """What earlier runs or a shard have read of documents, by URL: one with the same bytes is not parsed again."""

    def __init__(self, inventory: Inventory) -> None:
        self._inventory = inventory
        inventory.database.execute(_DOCUMENTS)

    def find(self, urls: Sequence[str]) -> dict[str, Packed]:
        marks = ", ".join("?" * len(urls))
        select = f"SELECT url, digest, packed FROM document WHERE url IN ({marks})"  # noqa: S608 - only `?`
        rows = self._inventory.database.execute(select, urls)
        return {url: (digest, packed) for url, digest, packed in rows}

    def store(self, documents: Iterable[PackedDocument]) -> None:
        """New documents replace those with their URLs."""
        with self._inventory.transaction():
            self._inventory.database.executemany("INSERT OR REPLACE INTO document VALUES (?, ?, ?)", documents)


def stored_documents(inventory: Inventory) -> StoredDocuments | None:
    """None where secrets are to be masked: what is packed cannot be."""
    return None if inventory.masked else StoredDocuments(inventory)


def create_inventory(path: Path, *, persistent: bool = False) -> Inventory:
    database = connect(path)
    inventory = Inventory(database, persistent=persistent)
    database.executescript(_SCHEMA)
    return inventory


@contextmanager
def temporary() -> Iterator[Inventory]:
    """An inventory in a directory that is deleted with the run."""
    import tempfile  # noqa: PLC0415 - the library has none

    with tempfile.TemporaryDirectory(prefix="sitemap-action-", ignore_cleanup_errors=True) as directory:
        try:
            with closing(create_inventory(Path(directory) / "inventory.sqlite")) as inventory:
                yield inventory
        except sqlite3.OperationalError as error:
            hint = "free some space where temporary files go (TMPDIR)"
            raise PublishError(f"no space for the inventory: {error}", hint=hint) from error


def _entry_row(role: str, key: str, entry: Entry, file: int) -> tuple[str | int, ...]:
    """Most entries have no extensions: these are stored in columns, the others as a record."""
    loc, lastmod, changefreq, priority, alternates, images, extensions, line, _ = entry
    record = encode(entry) if alternates or images or extensions else ""
    return role, key, "" if loc == key else loc, lastmod, changefreq, priority, line, file, record


def _batches(rows: Iterable[_Row]) -> Iterator[list[_Row]]:
    iterator = iter(rows)
    while batch := list(islice(iterator, _BATCH)):
        yield batch


_SHELL = '"shell-'  # starts the stored value of each ShellKind that is evidence


def shells(inventory: Inventory) -> list[Page]:
    """Pages that scripts build, in byte order of the URL; with those that an earlier run has rendered."""
    records = [
        record  # instr of SQLite takes three times as long
        for (record,) in inventory.database.execute("SELECT record FROM page")
        if _SHELL in record
    ]
    pages = (decode_page(record, 0) for record in records)
    found = [page for page in pages if page.kind is PageKind.PAGE and not page.unlisted and _is_shell(page)]
    return sorted(found, key=lambda page: page.url.encode())


def documents(inventory: Inventory) -> Iterator[Page]:
    """Every page that has a document, in byte order of the URL."""
    return (page for page in inventory.pages() if page.kind is PageKind.PAGE and page.facts and not page.unlisted)


def _is_shell(page: Page) -> bool:
    if page.facts is None:
        return False
    rendering = page.facts.rendering
    return page.facts.may_need_scripts or (rendering is not None and rendering.shell is not None)


# --- of the runs before: what a page had (DIFF-31, DIFF-32), and since when each problem exists (DIFF-43) ---

_CONTENT = """CREATE TABLE IF NOT EXISTS content (
  url TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, lastmod TEXT NOT NULL, seen TEXT NOT NULL
) WITHOUT ROWID;"""

# A page whose date or text alone has changed keeps its row, so that the next run reports it too.
_STORE = """
INSERT INTO content
  SELECT url.url, fingerprint_of(page.record), entry.lastmod, ?1
  FROM entry JOIN url ON url.url = entry.key JOIN page ON page.url_id = url.id WHERE entry.role = ?2
ON CONFLICT (url) DO UPDATE SET fingerprint = excluded.fingerprint, lastmod = excluded.lastmod, seen = excluded.seen
  WHERE excluded.fingerprint != '' AND (
    fingerprint = '' OR lastmod = '' OR excluded.lastmod = ''
    OR (fingerprint = excluded.fingerprint) = (lastmod = excluded.lastmod))
"""
_FORGET = "DELETE FROM content WHERE url NOT IN (SELECT key FROM entry WHERE role = ?)"


_GIVEN = "CREATE TEMP TABLE given_content (url TEXT PRIMARY KEY, fingerprint TEXT, lastmod TEXT) WITHOUT ROWID"
_WITH_GIVEN = """
SELECT url, fingerprint, lastmod, '' FROM given_content UNION ALL
SELECT url, fingerprint, lastmod, seen FROM content WHERE url NOT IN (SELECT url FROM given_content) ORDER BY url
"""


_CONTENTS = "SELECT url, fingerprint, lastmod, seen FROM content ORDER BY url"
_FIRST_SEEN = "CREATE TABLE IF NOT EXISTS first_seen (what TEXT PRIMARY KEY, day TEXT NOT NULL) WITHOUT ROWID;"


def _first_fields(of: type[Page] | type[Facts], last: str, kind: Any) -> type[Any]:
    """A record of which one field is decoded, and those before it are skipped."""
    skipped = of._fields[: of._fields.index(last)]
    return msgspec.defstruct(of.__name__, [*((name, msgspec.Raw) for name in skipped), (last, kind)], array_like=True)


@cache
def _page_decoder() -> msgspec.json.Decoder[Any]:
    facts = _first_fields(Facts, "fingerprint", str)
    return msgspec.json.Decoder(_first_fields(Page, "facts", facts | None))


def _fingerprint(record: str) -> str:
    """The fingerprint in a record: decoding all of it costs five times as much."""
    facts = _page_decoder().decode(record).facts
    return str(facts.fingerprint) if facts is not None else ""
