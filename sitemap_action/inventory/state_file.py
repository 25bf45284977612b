"""A state file is opened here alone, so that a damaged or hostile one costs a sentence and a fresh start.

Theory of operation. A file whose beginning is not ours is left as it is. One of ours has a checksum at its end, unless
its run was killed. SQLite opens it without triggers, views and long values; the schema has to be exactly the one that
we write, and its structure whole. Then every row that a run may use is read once (`state_rows.py`). Whatever
fails there means damage: the file is deleted and made anew. A watch ends every statement at the deadline, and passes
signals on, which SQLite would otherwise hold up.
"""

import os
import sqlite3
import stat
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, TypeAlias

from msgspec import Struct

from sitemap_action.errors import UsageError
from sitemap_action.inventory.checksum import remove_checksum
from sitemap_action.inventory.safe_database import (
    WAIT,
    DamagedStateError,
    connect,
    created_schema,
    error_kind,
    schema,
    watched,
)
from sitemap_action.model.mask import NO_MASK, Mask
from sitemap_action.model.wording import option

_ROWS = 500  # looked at together
_HEAD = 64 * 1024  # bytes in which our tables are named
_MAGIC = b"SQLite format 3\0"
_APPLICATION = slice(68, 72)
_SIDES = ("-wal", "-shm", "-journal")
_IN_USE = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_OF_THE_DISK = {
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_PERM,
}
Prepare: TypeAlias = Callable[[sqlite3.Connection], None]


class StateLayout(Struct, frozen=True):
    """One kind of state file."""

    application: int
    version: int
    table: str  # one of its tables, by which a file with a damaged header is recognised
    required: str  # SQL that creates the tables of every such file
    optional: str  # SQL that creates the others
    valid: Callable[[str, Sequence[tuple[Any, ...]]], bool]  # whether rows of a table are such as we write

    def marks(self) -> tuple[bytes, bytes]:
        return self.application.to_bytes(4, "big"), f"CREATE TABLE {self.table} (".encode()


class Opened(Struct, frozen=True):
    """A connection to a sound state, and the sentence about one that was not."""

    database: sqlite3.Connection
    note: str = ""


def open_sound(path: Path, layout: StateLayout, prepare: Prepare, mask: Mask = NO_MASK) -> Opened:
    """The state at `path`, new where there was none or a damaged one. `prepare` deletes what this run does not use.

    Raises UsageError for a file that is not ours, sqlite3.OperationalError where another run or the disk prevents it.
    """
    try:
        if (found := _recognise(path, layout)) is not None:
            return Opened((_sound if found else _new)(path, layout, prepare, mask))
    except DamagedStateError as error:
        note = f"the state {path} is damaged and made anew: {error}"
        return Opened(_new(path, layout, prepare, mask), note)
    hint = f"name another file with {option('state')}; this one is not changed"
    raise UsageError(f"{path} is not a state file of sitemap-action", hint=hint)


def is_own(head: bytes, layout: StateLayout) -> bool:
    """Whether the first bytes of a file are those of a state."""
    return head.startswith(_MAGIC) and head[_APPLICATION] == layout.marks()[0]


def create(database: sqlite3.Connection, layout: StateLayout) -> None:
    database.executescript(
        f"BEGIN; PRAGMA application_id = {layout.application}; PRAGMA user_version = {layout.version};"
        f"{layout.required} COMMIT;"
    )


def _recognise(path: Path, layout: StateLayout) -> bool | None:
    """True for a state of ours, False where one has to be made, None for another file."""
    head, size = _head(path)
    if size == 0 or (size < len(_MAGIC) + 84 and _MAGIC.startswith(head[: len(_MAGIC)])):
        return False  # empty, or less than the header of a database
    application, table = layout.marks()
    if head[_APPLICATION] == application or table in head:
        if not head.startswith(_MAGIC):
            raise DamagedStateError("its header is not that of a database")
        return int.from_bytes(head[60:64], "big") == layout.version  # else of another version of this program
    wal, _ = _head(path.with_name(f"{path.name}-wal"))
    # A run that was killed while it created its tables leaves a database without any, and perhaps a log with them.
    if head.startswith(_MAGIC) and not any(head[_APPLICATION]) and b"CREATE " not in head and (not wal or table in wal):
        return False
    return None


def _head(path: Path) -> tuple[bytes, int]:
    """The beginning of a regular file, and its size; b"" and 0 where there is none."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except FileNotFoundError:
        return b"", 0
    except OSError as error:
        raise UsageError(
            f"cannot use the state {path}: {error.strerror}", hint=f"name another file with {option('state')}"
        ) from None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            hint = f"name another file with {option('state')}"
            raise UsageError(f"cannot use the state {path}: it is not a regular file", hint=hint)
        return os.read(descriptor, _HEAD), status.st_size
    finally:
        os.close(descriptor)


def _sound(path: Path, layout: StateLayout, prepare: Prepare, mask: Mask) -> sqlite3.Connection:
    for side in filter(_odd, _sides(path)):
        raise DamagedStateError(f"{side.name} is beside it")
    remove_checksum(path)
    database = connect(path, mask)
    try:
        with watched(database):
            verify(database, layout)
            database.execute("PRAGMA journal_mode = WAL")
            prepare(database)
            _verify_rows(database, layout)
    except (sqlite3.Error, DamagedStateError, MemoryError, OverflowError, RecursionError, ValueError) as error:
        database.close()
        if error_kind(error) in _IN_USE | _OF_THE_DISK:
            raise
        raise DamagedStateError(str(error) or type(error).__name__) from error
    except BaseException:
        database.close()
        raise
    return database


def _new(path: Path, layout: StateLayout, prepare: Prepare, mask: Mask) -> sqlite3.Connection:
    for side in _sides(path):
        if _odd(side):
            side.unlink()
    if path.exists() and path.stat().st_size:
        _require_unlocked(path)
    for old in (path, *_sides(path)):
        old.unlink(missing_ok=True)
    database = connect(path, mask)
    try:
        database.execute("PRAGMA journal_mode = WAL")
        create(database, layout)
        database.execute("PRAGMA wal_checkpoint")  # so that the file itself is recognised as ours
        prepare(database)
    except BaseException:
        database.close()
        raise
    return database


def _require_unlocked(path: Path) -> None:
    """Raises sqlite3.OperationalError while another run uses the file, damaged as it may be."""
    with closing(sqlite3.connect(path, timeout=WAIT)) as database:
        try:
            database.execute("PRAGMA locking_mode = EXCLUSIVE")
            database.execute("SELECT 1 FROM sqlite_master").fetchone()
        except (sqlite3.Error, ValueError) as error:  # ValueError: a message of SQLite that is not UTF-8
            if error_kind(error) in _IN_USE:
                raise


def _odd(side: Path) -> bool:
    """A file that is not ours: a link, or a rollback journal, which may name any file for SQLite to delete."""
    if side.name.endswith("-journal"):
        return os.path.lexists(side)
    return side.is_symlink() or (side.exists() and not side.is_file())


def _sides(path: Path) -> list[Path]:
    return [path.with_name(f"{path.name}{side}") for side in _SIDES]


def verify(database: sqlite3.Connection, layout: StateLayout) -> None:
    """The schema, before anything else is read: it may contain code."""
    found = schema(database)
    if not created_schema(layout.required) <= found <= created_schema(layout.required + layout.optional):
        raise DamagedStateError("its tables are not those of this program")
    if database.execute("PRAGMA encoding").fetchone() != ("UTF-8",):
        raise DamagedStateError("its encoding is not UTF-8")
    (answer,) = database.execute("PRAGMA integrity_check(1)").fetchone()
    if answer != "ok":
        raise DamagedStateError("its structure is broken")


def _verify_rows(database: sqlite3.Connection, layout: StateLayout) -> None:
    tables = [name for kind, name, *_ in sorted(schema(database), key=str) if kind == "table"]
    for table in tables:
        with closing(database.execute(f"SELECT * FROM {table}")) as cursor:  # noqa: S608 - a name of our own schema
            while rows := cursor.fetchmany(_ROWS):
                if not layout.valid(str(table), rows):
                    raise DamagedStateError(f"a row of the table {table} is not one that this program writes")
