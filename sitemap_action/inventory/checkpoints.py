"""A persistent inventory, at `--state`: resumed after a kill, else a cache for conditional requests."""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import datetime, timedelta
from pathlib import Path

from sitemap_action.errors import PublishError, UsageError
from sitemap_action.inventory import (
    contents,
    first_seen,
    listed,
    loading_state,
    shard_state,
    state_rows,
    store,
    stored_documents,
)
from sitemap_action.inventory.checksum import append_checksum
from sitemap_action.inventory.rendered_documents import TABLE as RENDERED
from sitemap_action.inventory.safe_database import DamagedStateError, error_kind, schema
from sitemap_action.inventory.state_file import StateLayout, open_sound
from sitemap_action.inventory.store import BEGUN, PREVIOUS, Inventory
from sitemap_action.model.mask import NO_MASK, Mask
from sitemap_action.model.wording import option

_FRESH = timedelta(days=1)  # in which a run that was killed is resumed: an older one is asked again (U-11)
_NO_ROOM = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}
_NO_RIGHT = {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM}
_GIVES_UP_ROOT = "a run that root starts reads the site as another user, who needs the right to write there"
LAYOUT = StateLayout(
    application=store.APPLICATION_ID,
    version=store.VERSION,
    table="previous_visit",
    required=store.TABLES,
    optional=first_seen.TABLE
    + contents.TABLE
    + stored_documents.TABLE
    + shard_state.TABLE
    + RENDERED
    + loading_state.SCHEMA
    + listed.SCHEMA,
    valid=state_rows.valid,
)

_PART = 2_000  # rows of a transaction
# In the order of the table that takes them, of whose pages each is then written once.
_END_OF_PART = "SELECT max(url) FROM (SELECT url FROM url WHERE url > ? ORDER BY url LIMIT ?)"
_KEEP_PART = """
INSERT OR REPLACE INTO previous_visit SELECT url, etag, modified, record, links
  FROM url CROSS JOIN visit ON visit.url_id = url.id CROSS JOIN page ON page.url_id = url.id
  WHERE url > ? AND url <= ? ORDER BY url
"""
_FORGET = """
DELETE FROM visit; DELETE FROM redirect; DELETE FROM skipped; DELETE FROM metadata; DELETE FROM page; DELETE FROM url
"""

# An undetermined page may have an answer now: it is fetched again, and the crawl is not finished.
# The kind is the second value of a record, behind the URL.
_RETRY_UNDETERMINED = """
CREATE TEMP TABLE undetermined AS SELECT url_id FROM page JOIN url ON url.id = url_id
  WHERE substr(record, length(url) + 4, 16) = ',"undetermined",';
DELETE FROM metadata WHERE name IN ('finished', 'source_result') AND EXISTS (SELECT 1 FROM undetermined);
UPDATE url SET done = 0 WHERE id IN (SELECT url_id FROM undetermined);
DELETE FROM page WHERE url_id IN (SELECT url_id FROM undetermined);
DROP TABLE undetermined
"""
_OTHER_URL = """
SELECT EXISTS (SELECT 1 FROM page LEFT JOIN url ON url.id = url_id
  WHERE url IS NULL OR substr(record, 1, length(url) + 4) != '["' || url || '",')
"""


@contextmanager
def persistent(  # noqa: PLR0913 - what a state is good for
    path: Path, key: str, commit: str = "", *, now: datetime | None = None, mask: Mask = NO_MASK, build: bool = False
) -> Iterator[Inventory]:
    """The inventory in a file.

    `key` identifies the site and every option that changes what is found, `commit` the version of the site. A run of
    both that was killed within a day is resumed where it stopped. Of any other, pages are kept with their validators
    for conditional requests; of another key nothing, because the options decide what links resolve to. Of a `build` no
    page is kept: it is read whole each time. A damaged file is made anew. Raises UsageError for a file that this
    program has not written.
    """

    def prepare(database: sqlite3.Connection) -> None:
        before = dict(database.execute("SELECT name, value FROM metadata"))
        begun = {"key": key, "commit": commit, BEGUN: now.isoformat() if now else ""}
        _prepare(database, before, begun, now)

    with translated_errors(path):
        opened = open_sound(path, LAYOUT, prepare, mask)
        notes = (opened.note,) if opened.note else ()
        try:
            found = Inventory(opened.database, persistent=True, keeps_pages=not build, notes=notes)
            with closing(found) as inventory:
                yield inventory
        finally:
            append_checksum(path)


def _prepare(database: sqlite3.Connection, before: dict[str, str], begun: dict[str, str], now: datetime | None) -> None:
    """`before`, `begun`: what the file says about the run before, and what it will say about this one."""
    finished = bool(before.get("finished"))
    again = finished or before.get("commit") != begun["commit"] or _is_old(before.get(BEGUN, ""), now)
    if before.get("key") != begun["key"]:
        before = {}
        database.execute("DELETE FROM previous_visit")
    elif again:
        _keep_visits(database, finished=finished)
    database.execute("BEGIN")
    if again or not before:
        _begin(database, before, begun)
    for statement in _RETRY_UNDETERMINED.split(";"):
        database.execute(statement)
    require_own_urls(database)
    # The sitemaps are read again and may list other URLs than before.
    database.execute("UPDATE url SET required = 0 WHERE required = 1")
    database.execute("COMMIT")


def _is_old(begun: str, now: datetime | None) -> bool:
    try:
        return bool(begun) and now is not None and now - datetime.fromisoformat(begun) > _FRESH
    except (ValueError, TypeError):
        return True


def _keep_visits(database: sqlite3.Connection, *, finished: bool) -> None:
    """For conditional requests; in parts, which bound the write-ahead log. A kill between two of them loses nothing."""
    if finished:
        database.execute("DELETE FROM previous_visit")
    last = ""
    while (end := database.execute(_END_OF_PART, (last, _PART)).fetchone()[0]) is not None:
        database.execute(_KEEP_PART, (last, end))
        last = end


def _begin(database: sqlite3.Connection, before: Mapping[str, str], metadata: dict[str, str]) -> None:
    """A run that asks for every URL. The age of what is kept is that of the oldest run that may have written it."""
    for statement in _FORGET.split(";"):
        database.execute(statement)
    if any(row[1] == "loading" for row in schema(database)):
        database.execute("UPDATE loading SET ended = 1")  # sitemaps are asked again, too
    oldest = before.get(BEGUN, "") if before.get("finished") else before.get(PREVIOUS, "") or before.get(BEGUN, "")
    metadata[PREVIOUS] = oldest
    database.executemany("INSERT INTO metadata VALUES (?, ?)", metadata.items())


def require_own_urls(database: sqlite3.Connection) -> None:
    if database.execute(_OTHER_URL).fetchone()[0]:
        raise DamagedStateError("a page has another URL than its row")


@contextmanager
def translated_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        hint = f"name a file with {option('state')} in a folder that can be written to"
        raise UsageError(f"cannot use the state {path}: {error.strerror}", hint=hint) from error
    except sqlite3.OperationalError as error:
        if error_kind(error) in _NO_ROOM:
            hint = f"free some space for this file, or name another one with {option('state')}"
            raise PublishError(f"no space for the state {path}: {error}", hint=hint) from error
        if error_kind(error) in _NO_RIGHT:
            hint = f"{_GIVES_UP_ROOT}; name a file with {option('state')} in a folder that every user may write to"
            raise UsageError(f"cannot use the state {path}: it cannot be written: {error}", hint=hint) from error
        hint = (
            f"another run may be using it; else name a file with {option('state')} in a folder that can be written to"
        )
        raise UsageError(f"cannot use the state {path}: {error}", hint=hint) from error
    except sqlite3.DatabaseError as error:
        raise UsageError(
            f"cannot read the state {path}: {error}",
            hint=f"name another file with {option('state')}; one that this program wrote may be deleted",
        ) from error
