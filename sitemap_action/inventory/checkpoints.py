"""An inventory that outlives the run, at `--state`: resumed after a kill, reused, or asked for what changed since."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from sitemap_action.errors import PublishError, UsageError
from sitemap_action.inventory.store import APPLICATION_ID, VERSION, WAIT, Inventory

_NO_ROOM = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}
_PRIMARY = 0xFF  # the bits of an extended result code that name its kind

_KEEP = """
DELETE FROM earlier WHERE EXISTS (SELECT 1 FROM fact WHERE name = 'finished');
INSERT OR REPLACE INTO earlier
  SELECT url, etag, modified, record, links FROM visit JOIN url ON url.id = url_id JOIN page USING (url_id);
DELETE FROM visit; DELETE FROM redirect; DELETE FROM aside; DELETE FROM page; DELETE FROM url; DELETE FROM fact;
"""

# What had no answer may have one now: it is asked again, and the look is not over.
_AGAIN = """
DELETE FROM fact WHERE name IN ('finished', 'gathered')
  AND EXISTS (SELECT 1 FROM page WHERE json_extract(record, '$[1]') = 'undetermined');
UPDATE url SET done = 0 WHERE id IN (SELECT url_id FROM page WHERE json_extract(record, '$[1]') = 'undetermined');
DELETE FROM page WHERE json_extract(record, '$[1]') = 'undetermined'
"""


@contextmanager
def lasting(path: Path, look: str, commit: str = "", *, reusable: bool = True) -> Iterator[Inventory]:
    """The inventory in a file.

    `look` says what the run looks at and how, `commit` in which state it is. A file of both goes on where it stopped,
    or, when it is `reusable`, is the answer. Of another commit, what servers gave to ask with again is kept; of another
    look nothing, because what links lead to depends on it. Raises UsageError for a file that is none of ours.
    """
    with _readable(path), closing(_open(path)) as inventory:
        _prepare(inventory, look, commit, reusable=reusable)
        yield inventory


def _open(path: Path) -> Inventory:
    if path.exists() and path.stat().st_size:
        with closing(sqlite3.connect(path, timeout=WAIT)) as database:
            ours = database.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID
            # A run that was killed before it had made its tables leaves a database without any.
            empty = not database.execute("SELECT EXISTS (SELECT 1 FROM sqlite_master)").fetchone()[0]
            if not ours and not empty:
                hint = "name another file with --state; this one is left as it is"
                raise UsageError(f"{path} is no state of sitemap-action", hint=hint)
            outdated = database.execute("PRAGMA user_version").fetchone()[0] != VERSION
        if outdated:
            for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
                path.with_name(name).unlink(missing_ok=True)
    return Inventory(path, lasting=True)


def _prepare(inventory: Inventory, look: str, commit: str, *, reusable: bool) -> None:
    with inventory.transaction():
        over = bool(inventory.fact("finished")) and not reusable
        same_look = inventory.fact("look") == look
        if over or not same_look or inventory.fact("commit") != commit:
            for statement in _KEEP.split(";"):
                inventory.database.execute(statement)
            if not same_look:
                inventory.database.execute("DELETE FROM earlier")
            inventory.set_fact("look", look)
            inventory.set_fact("commit", commit)
        for statement in _AGAIN.split(";"):
            inventory.database.execute(statement)
        # The sitemaps are read again, and may name others than before.
        inventory.database.execute("DELETE FROM entry")
        inventory.database.execute("UPDATE url SET named = 0 WHERE named = 1")


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError as error:
        if getattr(error, "sqlite_errorcode", 0) & _PRIMARY in _NO_ROOM:
            hint = "free some space where --state points, or name another file"
            raise PublishError(f"no room for the state {path}: {error}", hint=hint) from error
        hint = "another run may hold it; --state names a file in a folder that can be written to"
        raise UsageError(f"cannot use the state {path}: {error}", hint=hint) from error
    except sqlite3.DatabaseError as error:
        raise UsageError(
            f"cannot read the state {path}: {error}",
            hint="name another file with --state; one that this program wrote may be deleted",
        ) from error
