"""One SQLite file that holds every known URL, what answered, and the sitemaps it is compared with."""

import sqlite3
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import TypeVar

from sitemap_action.errors import PublishError
from sitemap_action.inventory.codec import decode_entry, decode_page, encode
from sitemap_action.model.page import Page
from sitemap_action.model.site import Role
from sitemap_action.model.sitemap import Entry

APPLICATION_ID = 0x53544D50  # "STMP"
VERSION = 2  # of this layout
WAIT = 1.0  # seconds for another run that holds the file, which it does until its end
_Row = TypeVar("_Row")
_BATCH = 500  # rows between commits
_CACHE = 8_192  # KiB of memory, whatever the size of the site
_SCHEMA = f"""
BEGIN;
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {VERSION};
CREATE TABLE url (
  id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE,
  inlinks INTEGER NOT NULL DEFAULT 0, credit INTEGER NOT NULL DEFAULT 0,
  depth INTEGER, referrer TEXT NOT NULL DEFAULT '', named INTEGER NOT NULL DEFAULT 0, done INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE page (url_id INTEGER PRIMARY KEY REFERENCES url (id), record TEXT NOT NULL);
CREATE TABLE redirect (url_id INTEGER PRIMARY KEY REFERENCES url (id), target TEXT NOT NULL);
CREATE TABLE aside (reason TEXT PRIMARY KEY, urls INTEGER NOT NULL, example TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE visit (url_id INTEGER PRIMARY KEY REFERENCES url (id), etag TEXT, modified TEXT, links BLOB);
CREATE TABLE earlier (url TEXT PRIMARY KEY, etag TEXT, modified TEXT, record TEXT, links BLOB) WITHOUT ROWID;
CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE entry (role TEXT, key TEXT, loc TEXT, lastmod TEXT, line INTEGER, record TEXT);
COMMIT;
"""
_ADD_URL = "INSERT OR IGNORE INTO url (url) VALUES (?)"
_ADD_PAGE = "INSERT OR REPLACE INTO page (url_id, record) SELECT id, ? FROM url WHERE url = ?"
_ADD_LINK = (
    "INSERT INTO url (url, inlinks) VALUES (?, ?) ON CONFLICT (url) DO UPDATE SET inlinks = inlinks + excluded.inlinks"
)
_ADD_ENTRY = "INSERT INTO entry (role, key, loc, lastmod, line, record) VALUES (?, ?, ?, ?, ?, ?)"
_PAGES = "SELECT record, inlinks + credit FROM page JOIN url ON url.id = page.url_id"
_UNANSWERED = "SELECT url, inlinks FROM url WHERE id NOT IN (SELECT url_id FROM page) ORDER BY url"
# Sorting once costs less than keeping a million rows in order while they arrive.
_ENTRIES = "SELECT key, loc, lastmod, line, record FROM entry WHERE role = ? ORDER BY key, rowid"


class Inventory:
    """Grows during the look phase and is only read afterwards; it is the `Site` that everything pure sees."""

    def __init__(self, path: Path, *, lasting: bool = False) -> None:
        self.lasting = lasting
        self.database = self._database = sqlite3.connect(path, timeout=WAIT, isolation_level=None)
        # Of a temporary file nothing outlives the run and nothing is ever rolled back; a lasting one survives a kill.
        self._database.execute(f"PRAGMA journal_mode = {'WAL' if lasting else 'OFF'}")
        self._database.execute(f"PRAGMA synchronous = {'NORMAL' if lasting else 'OFF'}")
        self._database.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._database.execute(f"PRAGMA cache_size = -{_CACHE}")
        if self._database.execute("PRAGMA user_version").fetchone()[0] == 0:
            self._database.executescript(_SCHEMA)

    def close(self) -> None:
        self._database.close()

    def add_pages(self, pages: Iterable[Page]) -> None:
        self.add_records((page.url, encode(page)) for page in pages)

    def add_records(self, records: Iterable[tuple[str, str]]) -> None:
        """(URL, encoded page) rows, as worker processes hand them over; a URL's newest record replaces the older."""
        for batch in _batches(records):
            with self.transaction():
                self._database.executemany(_ADD_URL, ((url,) for url, _ in batch))
                self._database.executemany(_ADD_PAGE, ((record, url) for url, record in batch))

    def add_links(self, links: Iterable[tuple[str, int]]) -> None:
        """(URL, how many more followable links lead to it); a new URL becomes known without an answer."""
        for batch in _batches(links):
            with self.transaction():
                self._database.executemany(_ADD_LINK, batch)

    def add_entries(self, role: Role, entries: Iterable[tuple[str, Entry]]) -> None:
        """(identity, entry) rows; of several with one identity the first stays (SM-31)."""
        name = role.value
        for batch in _batches(entries):
            with self.transaction():
                self._database.executemany(_ADD_ENTRY, [_entry_row(name, key, entry) for key, entry in batch])

    def unanswered(self) -> list[tuple[str, int]]:
        """(URL, links to it) of every known URL that nothing has answered for."""
        return self._database.execute(_UNANSWERED).fetchall()

    def pages(self) -> Iterator[Page]:
        for record, inlinks in self._database.execute(f"{_PAGES} ORDER BY url.url"):
            yield decode_page(record, inlinks)

    def page(self, url: str) -> Page | None:
        row = self._database.execute(f"{_PAGES} WHERE url.url = ?", (url,)).fetchone()
        return decode_page(*row) if row else None

    def entries(self, role: Role) -> Iterator[tuple[str, Entry]]:
        last = None
        for key, loc, lastmod, line, record in self._database.execute(_ENTRIES, (role.value,)):
            if key != last:
                yield key, decode_entry(record) if record else Entry(loc or key, lastmod, line=line)
            last = key

    def fact(self, name: str) -> str:
        """A text that goes with the inventory, "" when it is not there."""
        row = self._database.execute("SELECT value FROM fact WHERE name = ?", (name,)).fetchone()
        return row[0] if row else ""

    def set_fact(self, name: str, value: str) -> None:
        self._database.execute("INSERT OR REPLACE INTO fact VALUES (?, ?)", (name, value))

    @contextmanager
    def transaction(self) -> Iterator[None]:
        if self._database.in_transaction:  # what is stored while another store goes on belongs to that one
            yield
            return
        self._database.execute("BEGIN")
        yield
        self._database.execute("COMMIT")


@contextmanager
def temporary() -> Iterator[Inventory]:
    """An inventory in a directory that goes away with the run."""
    with tempfile.TemporaryDirectory(prefix="sitemap-action-", ignore_cleanup_errors=True) as directory:
        try:
            with closing(Inventory(Path(directory) / "inventory.sqlite")) as inventory:
                yield inventory
        except sqlite3.OperationalError as error:
            hint = "free some space where temporary files go (TMPDIR)"
            raise PublishError(f"no room for the inventory: {error}", hint=hint) from error


def _entry_row(role: str, key: str, entry: Entry) -> tuple[str, str, str, str, int, str]:
    """Most entries are a URL and perhaps a date: these are stored as they are, the others as a record."""
    plain = not (entry.changefreq or entry.priority or entry.alternates or entry.images or entry.extensions)
    loc = "" if entry.loc == key else entry.loc
    return role, key, loc, entry.lastmod, entry.line, "" if plain else encode(entry)


def _batches(rows: Iterable[_Row]) -> Iterator[list[_Row]]:
    iterator = iter(rows)
    while batch := list(islice(iterator, _BATCH)):
        yield batch
