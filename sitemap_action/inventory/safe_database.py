"""Connections to a database that may be hostile: no code of it runs, no value is long, every statement ends."""

import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from sitemap_action.model.mask import NO_MASK, Mask

WAIT = 1.0  # seconds to wait for a lock; a run holds its lock until it ends
_DEADLINE = 120.0  # seconds for reading a state; a gigabyte takes some ten
_LONGEST = 64 * 2**20  # bytes of one value or row
_STEPS = 20_000  # instructions of SQLite between two looks at the clock
_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: _LONGEST,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 100_000,
    sqlite3.SQLITE_LIMIT_COLUMN: 100,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 0,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}
# What is deleted need not be overwritten, which would double the write-ahead log: no row has a secret.
_PRAGMAS = (
    *("trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0", "locking_mode = EXCLUSIVE"),
    "secure_delete = OFF",
)
# Names of sqlite3, where this Python has them (3.12), and what they are set to.
_SETTINGS = {
    "SQLITE_DBCONFIG_DEFENSIVE": True,
    "SQLITE_DBCONFIG_TRUSTED_SCHEMA": False,
    "SQLITE_DBCONFIG_WRITABLE_SCHEMA": False,
    "SQLITE_DBCONFIG_ENABLE_TRIGGER": False,
    "SQLITE_DBCONFIG_ENABLE_VIEW": False,
    "SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION": False,
    "SQLITE_DBCONFIG_DQS_DML": False,
    "SQLITE_DBCONFIG_DQS_DDL": False,
}


class DamagedStateError(Exception):
    """A state that cannot be what this program wrote; the text says why."""


def error_kind(error: BaseException) -> int:
    """SQLite's primary result code, without the bits of the extended one; 0 for an error that is not SQLite's."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


class MaskedConnection(sqlite3.Connection):
    """Stores no secret of the run."""

    mask: Mask = NO_MASK

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        return super().execute(sql, self._masked(parameters))

    def executemany(self, sql: str, rows: Iterable[Any], /) -> sqlite3.Cursor:
        return super().executemany(sql, map(self._masked, rows))

    def _masked(self, values: Iterable[Any]) -> tuple[Any, ...]:
        return tuple(self.mask(value) if isinstance(value, str) else value for value in values)


def connect(path: Path, mask: Mask) -> sqlite3.Connection:
    factory = MaskedConnection if mask else sqlite3.Connection
    database = sqlite3.connect(path, timeout=WAIT, isolation_level=None, factory=factory)
    if isinstance(database, MaskedConnection):
        database.mask = mask
    return _guarded(database)


def connect_read_only(path: Path) -> sqlite3.Connection:
    """Of a file that nobody writes: no lock is taken, and no other file is made beside it."""
    address = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    return _guarded(sqlite3.connect(address, timeout=WAIT, isolation_level=None, uri=True))


def _guarded(database: sqlite3.Connection) -> sqlite3.Connection:
    for limit, value in _LIMITS.items():
        database.setlimit(limit, value)
    for name, value in _SETTINGS.items():
        if (setting := getattr(sqlite3, name, None)) is not None and hasattr(database, "setconfig"):
            database.setconfig(setting, value)
    try:
        for pragma in _PRAGMAS:
            database.execute(f"PRAGMA {pragma}")
    except BaseException:
        database.close()
        raise
    return database


def schema(database: sqlite3.Connection) -> set[tuple[object, ...]]:
    return set(database.execute("SELECT type, name, tbl_name, sql FROM sqlite_master"))


def created_schema(script: str) -> set[tuple[object, ...]]:
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript(script)
        return schema(database)


@contextmanager
def watched(database: sqlite3.Connection) -> Iterator[None]:
    """Ends a statement at the deadline or on a signal; SQLite reports either as an interruption."""
    end = time.monotonic() + _DEADLINE
    raised: list[BaseException] = []

    def stop() -> int:
        try:
            return int(time.monotonic() > end)
        except BaseException as error:  # noqa: BLE001 - of a signal; SQLite would drop it
            raised.append(error)
            return 1

    database.set_progress_handler(stop, _STEPS)
    try:
        yield
    except sqlite3.OperationalError as error:
        if getattr(error, "sqlite_errorcode", 0) != sqlite3.SQLITE_INTERRUPT:  # text that is not UTF-8 has no code
            raise
        if raised:
            raise raised[0] from None
        if time.monotonic() <= end:
            raise KeyboardInterrupt from None  # a signal whose exception SQLite has dropped
        raise DamagedStateError(f"reading it takes more than {_DEADLINE:.0f} seconds") from error
    finally:
        database.set_progress_handler(None, 0)
