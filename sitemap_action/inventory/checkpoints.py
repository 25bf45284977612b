"""A persistent inventory, at `--state`: resumed after a kill, reused as it is, or a cache for conditional requests."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from sitemap_action.errors import PublishError, UsageError
from sitemap_action.inventory.store import APPLICATION_ID, VERSION, WAIT, Inventory

_NO_ROOM = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}
_PRIMARY = 0xFF  # the bits of an extended result code that name its kind

_TO_PREVIOUS = """
DELETE FROM previous_visit WHERE EXISTS (SELECT 1 FROM metadata WHERE name = 'finished');
INSERT OR REPLACE INTO previous_visit
  SELECT url, etag, modified, record, links FROM visit JOIN url ON url.id = url_id JOIN page USING (url_id);
DELETE FROM visit; DELETE FROM redirect; DELETE FROM skipped; DELETE FROM page; DELETE FROM url; DELETE FROM metadata;
"""

# An undetermined page may have an answer now: it is fetched again, and the crawl is not finished.
_RETRY_UNDETERMINED = """
DELETE FROM metadata WHERE name IN ('finished', 'source_result')
  AND EXISTS (SELECT 1 FROM page WHERE json_extract(record, '$[1]') = 'undetermined');
UPDATE url SET done = 0 WHERE id IN (SELECT url_id FROM page WHERE json_extract(record, '$[1]') = 'undetermined');
DELETE FROM page WHERE json_extract(record, '$[1]') = 'undetermined'
"""


@contextmanager
def persistent(path: Path, key: str, commit: str = "", *, reusable: bool = True) -> Iterator[Inventory]:
    """The inventory in a file.

    `key` identifies the site and every option that changes what is found, `commit` the version of the site. A file of
    both is resumed where it stopped or, when it is `reusable` and finished, is the result. Of another commit, pages are
    kept with their validators for conditional requests; of another key nothing, because the options decide what links
    resolve to. Raises UsageError for a file that this program has not written.
    """
    with _translated_errors(path), closing(_open(path)) as inventory:
        _prepare(inventory, key, commit, reusable=reusable)
        yield inventory


def _open(path: Path) -> Inventory:
    if path.exists() and path.stat().st_size:
        with closing(sqlite3.connect(path, timeout=WAIT)) as database:
            ours = database.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID
            # A run that was killed before it created its tables leaves a database without any.
            empty = not database.execute("SELECT EXISTS (SELECT 1 FROM sqlite_master)").fetchone()[0]
            if not ours and not empty:
                hint = "name another file with --state; this one is not changed"
                raise UsageError(f"{path} is not a state file of sitemap-action", hint=hint)
            outdated = database.execute("PRAGMA user_version").fetchone()[0] != VERSION
        if outdated:
            for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
                path.with_name(name).unlink(missing_ok=True)
    return Inventory(path, persistent=True)


def _prepare(inventory: Inventory, key: str, commit: str, *, reusable: bool) -> None:
    with inventory.transaction():
        outdated = bool(inventory.metadata("finished")) and not reusable
        same_key = inventory.metadata("key") == key
        if outdated or not same_key or inventory.metadata("commit") != commit:
            for statement in _TO_PREVIOUS.split(";"):
                inventory.database.execute(statement)
            if not same_key:
                inventory.database.execute("DELETE FROM previous_visit")
            inventory.set_metadata("key", key)
            inventory.set_metadata("commit", commit)
        for statement in _RETRY_UNDETERMINED.split(";"):
            inventory.database.execute(statement)
        # The sitemaps are read again and may list other URLs than before.
        inventory.database.execute("DELETE FROM entry")
        inventory.database.execute("UPDATE url SET required = 0 WHERE required = 1")


@contextmanager
def _translated_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError as error:
        if getattr(error, "sqlite_errorcode", 0) & _PRIMARY in _NO_ROOM:
            hint = "free some space where --state points, or name another file"
            raise PublishError(f"no space for the state {path}: {error}", hint=hint) from error
        hint = "another run may be using it; else give --state a file in a folder that can be written to"
        raise UsageError(f"cannot use the state {path}: {error}", hint=hint) from error
    except sqlite3.DatabaseError as error:
        raise UsageError(
            f"cannot read the state {path}: {error}",
            hint="name another file with --state; one that this program wrote may be deleted",
        ) from error
