"""What was read of each file of a build, for the next run with the same state: the inventory itself, by file.

Theory of operation. A row of `file` is what one file adds to the inventory: its page, the URLs that it links to, and
those that need an answer. It is stored in one transaction with that page, and forgotten together with it, so after a
kill every row is whole. All else in `url` and `page` follows from all files together, and is made anew by each run.
"""

import json
import sqlite3
from array import array
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sitemap_action.inventory.safe_database import DamagedStateError, MaskedConnection
from sitemap_action.inventory.store import FILES, Inventory

TABLE = """CREATE TABLE IF NOT EXISTS file (
  path TEXT PRIMARY KEY, digest BLOB NOT NULL, answer BLOB NOT NULL, url_id INTEGER, links BLOB NOT NULL,
  targets TEXT NOT NULL, stub TEXT NOT NULL
) WITHOUT ROWID;"""
IDS = "I"  # array type of the ids in `links`
_PART = 500  # rows of a statement or a transaction
_KNOWN = 100_000  # URLs whose ids are in memory
_ADD = "INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?, ?, ?, ?)"
_DIGESTS = "SELECT path, {} FROM file WHERE path BETWEEN ? AND ?"
_COUNTED = "counted"  # behind reader and host: the numbers of links in `url` are those of the rows
_STATED = """
SELECT path, ifnull(url, ''), targets, stub FROM file LEFT JOIN url ON url.id = file.url_id
  WHERE (targets != '' OR stub != '' OR path GLOB '*404.html')
"""
_LINKS = "SELECT ifnull(url, ''), links FROM file LEFT JOIN url ON url.id = file.url_id WHERE true"
_START_FIRST = ("AND path = 'index.html'", "AND path != 'index.html' ORDER BY path")  # as files are read; no sorting
_RECORD = "SELECT record FROM file JOIN page ON page.url_id = file.url_id WHERE path = ?"
_DERIVED = "DELETE FROM page WHERE url_id IN (SELECT url_id FROM page EXCEPT SELECT url_id FROM file)"
_FOLLOWING = "UPDATE url SET depth = NULL, redirect_inlinks = 0 WHERE depth IS NOT NULL OR redirect_inlinks != 0"
_ODD_LINKS = "SELECT EXISTS (SELECT 1 FROM file WHERE typeof(links) != 'blob' OR length(links) % ?)"
_WITHOUT_PAGE = """
SELECT EXISTS (SELECT url_id FROM file WHERE url_id IS NOT NULL EXCEPT SELECT url_id FROM page)
"""
_UNUSED = "DELETE FROM url WHERE inlinks = 0 AND id NOT IN (SELECT url_id FROM page)"


class FileRow(NamedTuple):
    """What one file adds."""

    path: str
    digest: bytes  # of its content; b"" where it is read every time
    answer: bytes  # digest of how the host serves it
    url: str  # of its page; "" where the host does not serve it
    links: "array[int]"  # positions in a list of URLs
    targets: Mapping[str, str]  # URL that needs an answer of its own → the page that has it, or ""
    stub: str  # key of a short document


class StoredRow(NamedTuple):
    """The same as the state has it, without the links."""

    path: str
    url: str
    targets: Mapping[str, str]
    stub: str


class StoredFiles:
    """Those of the runs before this one, and what this one changes."""

    def __init__(self, inventory: Inventory) -> None:
        self._inventory = inventory
        self._database: sqlite3.Connection = inventory.database
        self._known: dict[str, int] = {}
        self._reader = ""
        self.counted = False  # the links of all rows
        self._database.execute(TABLE)

    def begin(self, reader: str) -> str:
        """Forgets what another reader has read, and what follows from all files.

        Returns how the host served the files; "" where that may differ from file to file.
        """
        before, host, counted = (*self._inventory.metadata(FILES).split(" "), "", "")[:3]
        self._reader, self.counted = reader, before == reader and counted == _COUNTED
        with self._inventory.transaction():
            if before != reader:
                self._database.execute("DELETE FROM file")
            self._inventory.set_metadata(FILES, f"{reader} ")
            self._database.execute(_DERIVED)
            self._database.execute(_FOLLOWING)
        return host if before == reader else ""

    def end(self, host: str, links: Counter[int] | None = None) -> None:
        """Every row is of this host. `links`: the number of links to each URL by its id, where they were counted."""
        with self._inventory.transaction():
            if links is not None:
                rows = self._database.execute("SELECT id, inlinks FROM url")
                changed = [(links[row_id], row_id) for row_id, before in rows if links[row_id] != before]
                self._database.executemany("UPDATE url SET inlinks = ? WHERE id = ?", changed)
            self._inventory.set_metadata(FILES, f"{self._reader} {host} {_COUNTED}")

    def digests(self, paths: Sequence[str]) -> dict[str, bytes]:
        """Path → digest of the content, of all rows from the first to the last of these, which are sorted."""
        return dict(self._database.execute(_DIGESTS.format("digest"), (paths[0], paths[-1])))

    def answers(self, paths: Sequence[str]) -> dict[str, bytes]:
        """The same with the digest of how the host serves it."""
        return dict(self._database.execute(_DIGESTS.format("answer"), (paths[0], paths[-1])))

    def others(self, paths: Container[str]) -> list[str]:
        return [path for (path,) in self._database.execute("SELECT path FROM file") if path not in paths]

    def records(self, paths: Sequence[str]) -> Iterator[str]:
        """Encoded pages, in this order."""
        for path in paths:
            yield from (record for (record,) in self._database.execute(_RECORD, (path,)))

    def forget(self, paths: Sequence[str]) -> None:
        self.counted = self.counted and not paths
        for start in range(0, len(paths), _PART):
            part = paths[start : start + _PART]
            pages = self._of("SELECT url_id FROM file WHERE url_id IS NOT NULL AND path IN", part)
            with self._inventory.transaction():
                self._database.executemany("DELETE FROM page WHERE url_id = ?", pages)
                self._database.executemany("DELETE FROM file WHERE path = ?", [(path,) for path in part])

    def store(self, files: Sequence[FileRow], records: Iterable[tuple[str, str]], urls: Sequence[str]) -> None:
        """`records`: encoded pages by URL; `urls`: those that `files` link to."""
        self.counted = False
        with self._inventory.transaction():
            self._inventory.add_records(records)
            self._learn([*urls, *(file.url for file in files if file.url)])
            ids = [self._known[url] for url in urls]
            self._database.executemany(_ADD, [self._row(file, ids) for file in files])

    def rows(self) -> Iterator[StoredRow]:
        """Those with more than links, in the order in which files are read: that of the start page comes first."""
        for part in _START_FIRST:
            for path, url, targets, stub in self._database.execute(f"{_STATED} {part}"):
                yield StoredRow(path, url, json.loads(targets) if targets else {}, stub)

    def links(self) -> Iterator[tuple[str, "array[int]"]]:
        """(page, ids of the URLs that it links to), in the same order."""
        for part in _START_FIRST:
            for url, links in self._database.execute(f"{_LINKS} {part}"):
                yield url, array(IDS, links)

    def linked(self) -> list[tuple[int, str]]:
        """(id, URL) of each URL that a file links to."""
        return self._database.execute("SELECT id, url FROM url WHERE inlinks != 0").fetchall()

    def forget_unused(self) -> None:
        """URLs that nothing has any more."""
        with self._inventory.transaction():
            self._database.execute(_UNUSED)

    def _learn(self, urls: Sequence[str]) -> None:
        """The ids of all of these; a URL that is new gets one."""
        if len(self._known) > _KNOWN:
            self._known.clear()  # before, so that none of these is missing
        new = [url for url in urls if url not in self._known]
        self._inventory.add_urls(new)
        self._known.update(self._of("SELECT url, id FROM url WHERE url IN", new))

    def _row(self, file: FileRow, ids: Sequence[int]) -> tuple[object, ...]:
        links = array(IDS, [ids[position] for position in file.links]).tobytes()
        targets = json.dumps(file.targets) if file.targets else ""
        url_id = self._known[file.url] if file.url else None
        return file.path, file.digest, file.answer, url_id, links, targets, file.stub

    def _of(self, select: str, values: Sequence[str]) -> list[Any]:
        rows: list[Any] = []
        for start in range(0, len(values), _PART):
            part = values[start : start + _PART]
            rows += self._database.execute(f"{select} ({', '.join('?' * len(part))})", part).fetchall()
        return rows


def require_known(database: sqlite3.Connection) -> None:
    """Raises DamagedStateError where a row names a page or a URL that is not there; each page has its URL."""
    if database.execute(_WITHOUT_PAGE).fetchone()[0]:
        raise DamagedStateError("a file has no page")
    if database.execute(_ODD_LINKS, (array(IDS).itemsize,)).fetchone()[0]:
        raise DamagedStateError("the links of a file are no numbers")


def stored_files(inventory: Inventory) -> StoredFiles | None:
    """None without a state, and where secrets are to be masked: a record may have one."""
    if not inventory.persistent or isinstance(inventory.database, MaskedConnection):
        return None
    return StoredFiles(inventory)
