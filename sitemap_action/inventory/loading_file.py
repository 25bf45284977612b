"""The file that holds the state of a loading: one that survives the run, or one that goes away with it."""

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from sitemap_action.errors import PublishError, UsageError
from sitemap_action.inventory.loading import LoadingState

_APPLICATION_ID = 0x53544D4C  # "STML"
_VERSION = 1  # of the layout


@contextmanager
def opened(path: Path | None) -> Iterator[LoadingState]:
    """The state in a file that survives the run, or in one that goes away with it."""
    try:
        with _temporary() if path is None else closing(_connect(path)) as database:
            if path is not None:
                _own(database, path)
            yield LoadingState(database)
    except sqlite3.OperationalError as error:
        hint = "free some space, or name a file that may be written; one run at a time can use a state"
        raise PublishError(f"no room for the state of the loading: {error}", hint=hint) from error


@contextmanager
def _temporary() -> Iterator[sqlite3.Connection]:
    """Nothing in it outlives the run, and nothing is ever rolled back."""
    with (
        tempfile.TemporaryDirectory(prefix="sitemap-action-", ignore_cleanup_errors=True) as directory,
        closing(_connect(Path(directory) / "loading.sqlite")) as database,
    ):
        database.execute("PRAGMA journal_mode = OFF")
        database.execute("PRAGMA synchronous = OFF")
        yield database


def _connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, isolation_level=None)


def _own(database: sqlite3.Connection, path: Path) -> None:
    """Make the file ours, or refuse one that is something else."""
    hint = "delete the file, or name another one with --state"
    try:
        (application,) = database.execute("PRAGMA application_id").fetchone()
        (version,) = database.execute("PRAGMA user_version").fetchone()
        (tables,) = database.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.DatabaseError:
        raise UsageError(f"{path} is no state file", hint=hint) from None
    if tables and (application, version) != (_APPLICATION_ID, _VERSION):
        raise UsageError(f"{path} is not a state of this version", hint=hint)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = NORMAL")
    database.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
    database.execute(f"PRAGMA user_version = {_VERSION}")
