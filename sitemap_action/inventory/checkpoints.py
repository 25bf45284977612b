"""A persistent inventory, at `--state`: resumed after a kill, reused as it is, or a cache for conditional requests."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from sitemap_action.errors import PublishError, UsageError
from sitemap_action.inventory import contents, first_seen, listed, loading_state, state_rows, store
from sitemap_action.inventory.checksum import append_checksum
from sitemap_action.inventory.safe_database import DamagedStateError, error_kind
from sitemap_action.inventory.state_file import StateLayout, open_sound
from sitemap_action.inventory.store import Inventory
from sitemap_action.model.mask import NO_MASK, Mask
from sitemap_action.model.wording import option

_NO_ROOM = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}
LAYOUT = StateLayout(
    application=store.APPLICATION_ID,
    version=store.VERSION,
    table="previous_visit",
    required=store.TABLES,
    optional=first_seen.TABLE + contents.TABLE + loading_state.SCHEMA + listed.SCHEMA,
    valid=state_rows.valid,
)

_TO_PREVIOUS = """
DELETE FROM previous_visit WHERE EXISTS (SELECT 1 FROM metadata WHERE name = 'finished');
INSERT OR REPLACE INTO previous_visit
  SELECT url, etag, modified, record, links FROM visit JOIN url ON url.id = url_id JOIN page USING (url_id);
DELETE FROM visit; DELETE FROM redirect; DELETE FROM skipped; DELETE FROM page; DELETE FROM url; DELETE FROM metadata;
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
def persistent(
    path: Path, key: str, commit: str = "", *, reusable: bool = True, mask: Mask = NO_MASK
) -> Iterator[Inventory]:
    """The inventory in a file.

    `key` identifies the site and every option that changes what is found, `commit` the version of the site. A file of
    both is resumed where it stopped or, when it is `reusable` and finished, is the result. Of another commit, pages are
    kept with their validators for conditional requests; of another key nothing, because the options decide what links
    resolve to. A damaged file is made anew. Raises UsageError for a file that this program has not written.
    """

    def prepare(database: sqlite3.Connection) -> None:
        _prepare(database, key, commit, reusable=reusable)

    with translated_errors(path):
        opened = open_sound(path, LAYOUT, prepare, mask)
        notes = (opened.note,) if opened.note else ()
        try:
            with closing(Inventory(opened.database, persistent=True, notes=notes)) as inventory:
                yield inventory
        finally:
            append_checksum(path)


def _prepare(database: sqlite3.Connection, key: str, commit: str, *, reusable: bool) -> None:
    database.execute("BEGIN")
    before = dict(database.execute("SELECT name, value FROM metadata"))
    outdated = bool(before.get("finished")) and not reusable
    same_key = before.get("key") == key
    if outdated or not same_key or before.get("commit") != commit:
        for statement in _TO_PREVIOUS.split(";"):
            database.execute(statement)
        if not same_key:
            database.execute("DELETE FROM previous_visit")
        database.executemany("INSERT INTO metadata VALUES (?, ?)", [("key", key), ("commit", commit)])
    for statement in _RETRY_UNDETERMINED.split(";"):
        database.execute(statement)
    require_own_urls(database)
    # The sitemaps are read again and may list other URLs than before.
    database.execute("DELETE FROM entry")
    database.execute("UPDATE url SET required = 0 WHERE required = 1")
    database.execute("COMMIT")


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
        hint = (
            f"another run may be using it; else name a file with {option('state')} in a folder that can be written to"
        )
        raise UsageError(f"cannot use the state {path}: {error}", hint=hint) from error
    except sqlite3.DatabaseError as error:
        raise UsageError(
            f"cannot read the state {path}: {error}",
            hint=f"name another file with {option('state')}; one that this program wrote may be deleted",
        ) from error
