"""The file at `--state`: resumed after a kill, else a cache for conditional requests; a damaged one is made anew.

Theory of operation. A file that does not begin as ours is another program's, and is left as it is. One of ours is
opened without trust in the code of its schema, and its structure is checked (`quick_check`). Then everything that this
run does not go on with is deleted, and what is left is decoded once. A file that fails there is damaged: it is deleted
and made anew, and the report has the reason. Other rows are decoded where they are used, and one that cannot be counts
as missing. Where a state may come from is not decided here: `runner/event.py` has the events, `look/state.py` the
places.
"""

import os
import sqlite3
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from datetime import datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import TypeAlias

import msgspec
from msgspec import MsgspecError, Struct

from sitemap_action.errors import PublishError, UnreachableError, UsageError
from sitemap_action.model.mask import NO_MASK, Mask
from sitemap_action.model.site import SiteShard, parse_shard
from sitemap_action.model.wording import option
from sitemap_action.store import loading_state
from sitemap_action.store.codec import decode_page
from sitemap_action.store.inventory import (
    APPLICATION_ID,
    BEGUN,
    PAGE_COUNTS,
    PREVIOUS,
    TABLES,
    UNSUBMITTED,
    VERSION,
    Inventory,
    connect,
)
from sitemap_action.store.loading_state import LoadingState, read_documents
from sitemap_action.store.shards import MANIFEST, OpenShard, ShardManifest, Shards, damage_error

SIDES = ("-wal", "-shm", "-journal")
_MAGIC = b"SQLite format 3\0"
_HEADER = 100  # bytes
_APPLICATION = slice(68, 72)  # of the header
_FRESH = timedelta(days=1)  # in which a run that was killed is resumed: an older one is asked again (U-11)
_IN_USE = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_NO_ROOM = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}
_NO_RIGHT = {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM}
_GIVES_UP_ROOT = "a run that root starts reads the site as another user, who needs the right to write there"

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
_HAS_LOADING = "SELECT 1 FROM sqlite_master WHERE name = 'loading'"

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

Prepare: TypeAlias = Callable[[sqlite3.Connection], object]


class DamagedStateError(Exception):
    """A state that cannot be what this program wrote; the text says why."""


class StateLayout(Struct, frozen=True):
    """One kind of state file."""

    application: int
    version: int  # a file of another one is made anew
    tables: str  # SQL that creates those of a new file


LAYOUT = StateLayout(APPLICATION_ID, VERSION, TABLES)
_LOADING = StateLayout(loading_state.APPLICATION_ID, loading_state.VERSION, loading_state.SCHEMA)


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
        begun |= {name: before.get(name, "") for name in (UNSUBMITTED, PAGE_COUNTS)}
        _prepare(database, before, begun, now)
        require_pages(database)

    with translated_errors(path):
        database, note = open_file(path, LAYOUT, prepare, mask)
        notes = (note,) if note else ()
        with closing(Inventory(database, persistent=True, keeps_pages=not build, notes=notes)) as inventory:
            yield inventory


def keep_unsubmitted(path: Path, urls: Iterable[str]) -> None:
    """Store what the next run with this state is to submit to search engines."""
    with translated_errors(path), closing(sqlite3.connect(path)) as database, database:
        database.execute("INSERT OR REPLACE INTO metadata VALUES (?, ?)", (UNSUBMITTED, "\n".join(urls)))


@contextmanager
def stored_state(path: Path, mask: Mask = NO_MASK) -> Iterator[Inventory]:
    """The pages of the run that wrote a state, for `explain`: a copy is read, and the file stays as it is.

    Raises UsageError.
    """
    import tempfile  # noqa: PLC0415 - for a copy alone
    from shutil import copyfile  # noqa: PLC0415

    with tempfile.TemporaryDirectory(prefix="sitemap-action-", ignore_cleanup_errors=True) as folder:
        copy = Path(folder) / path.name
        with translated_errors(path):
            for side in ("", "-wal"):
                if (found := path.with_name(path.name + side)).is_file():
                    copyfile(found, copy.with_name(copy.name + side))
            if not copy.exists():
                hint = f"name the file that a run of check with {option('state')} wrote"
                raise UsageError(f"there is no state at {path}", hint=hint)
            database, note = open_file(copy, LAYOUT, require_pages, mask)
        with closing(Inventory(database)) as inventory:
            if note:
                hint = "run check with it once more, which makes it anew, or leave it out"
                raise UsageError(f"the state {path} is damaged", hint=hint)
            yield inventory


def open_file(
    path: Path, layout: StateLayout, prepare: Prepare, mask: Mask = NO_MASK
) -> tuple[sqlite3.Connection, str]:
    """The state at `path`, new where there was none or a damaged one, and the sentence about a damaged one.

    `prepare` deletes what this run does not use. Raises UsageError for a file that is not ours,
    sqlite3.OperationalError where another run or the disk prevents it.
    """
    note = ""
    if _is_own(path, layout):
        try:
            if (database := _open(path, layout, prepare, mask)) is not None:
                return database, ""
        except DamagedStateError as error:
            note = f"the state {path} is damaged and made anew: {error}"
    return _create(path, layout, prepare, mask), note


def connect_read_only(path: Path) -> sqlite3.Connection:
    """A file that nobody writes: no lock is taken, and no other file is made beside it."""
    address = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    database = sqlite3.connect(address, isolation_level=None, uri=True)
    database.execute("PRAGMA trusted_schema = OFF")
    return database


def require_sound(database: sqlite3.Connection) -> None:
    (answer,) = database.execute("PRAGMA quick_check(1)").fetchone()
    if answer != "ok":
        raise DamagedStateError("its structure is broken")


def require_pages(database: sqlite3.Connection) -> None:
    """Raises MsgspecError where a page that this run goes on with cannot be decoded."""
    for (record,) in database.execute("SELECT record FROM page"):
        decode_page(record, 0)


def has_header(head: bytes, layout: StateLayout) -> bool:
    """Whether the first bytes of a file are those of a state."""
    return head[_APPLICATION] == layout.application.to_bytes(4, "big")


def _is_own(path: Path, layout: StateLayout) -> bool:
    """Whether there is a state; False where one has to be made. Raises UsageError for another file."""
    hint = f"name another file with {option('state')}"
    if not path.exists():
        return False
    if not path.is_file():
        raise UsageError(f"cannot use the state {path}: it is not a regular file", hint=hint)
    try:
        with path.open("rb") as file:
            head = file.read(_HEADER)
    except OSError as error:
        raise UsageError(f"cannot use the state {path}: {error.strerror}", hint=hint) from None
    if len(head) < _HEADER and _MAGIC.startswith(head[: len(_MAGIC)]):
        return False  # empty, or less than the header of a database
    if not has_header(head, layout):
        raise UsageError(f"{path} is not a state file of sitemap-action", hint=f"{hint}; this one is not changed")
    return True


def _open(path: Path, layout: StateLayout, prepare: Prepare, mask: Mask) -> sqlite3.Connection | None:
    """None for a file of another version of this program."""
    database = connect(path, mask)
    try:
        database.execute("PRAGMA trusted_schema = OFF")
        if database.execute("PRAGMA user_version").fetchone() != (layout.version,):
            database.close()
            return None
        require_sound(database)
        database.execute("PRAGMA journal_mode = WAL")
        prepare(database)
    except (sqlite3.Error, DamagedStateError, MsgspecError, ValueError) as error:
        database.close()
        if error_kind(error) in _IN_USE | _NO_ROOM | _NO_RIGHT:
            raise
        raise DamagedStateError(str(error)) from error
    except BaseException:
        database.close()
        raise
    return database


def _create(path: Path, layout: StateLayout, prepare: Prepare, mask: Mask) -> sqlite3.Connection:
    for old in (path, *(path.with_name(f"{path.name}{side}") for side in SIDES)):
        old.unlink(missing_ok=True)
    database = connect(path, mask)
    try:
        database.execute(f"PRAGMA application_id = {layout.application}")  # first: so that the file is known as ours
        database.execute("PRAGMA journal_mode = WAL")
        database.executescript(f"BEGIN; PRAGMA user_version = {layout.version}; {layout.tables} COMMIT;")
        prepare(database)
    except BaseException:
        database.close()
        raise
    return database


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
    # The sitemaps are read again and may list other URLs than before.
    database.execute("UPDATE url SET required = 0 WHERE required = 1")
    database.execute("COMMIT")


def _is_old(begun: str, now: datetime | None) -> bool:
    try:
        return bool(begun) and now is not None and now - datetime.fromisoformat(begun) > _FRESH
    except (ValueError, TypeError):
        return True


def _keep_visits(database: sqlite3.Connection, *, finished: bool) -> None:
    """Keep visits for conditional requests, in parts, which bound the write-ahead log. A kill loses nothing."""
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
    if database.execute(_HAS_LOADING).fetchone() is not None:
        database.execute("UPDATE loading SET ended = 1")  # sitemaps are asked again, too
    oldest = before.get(BEGUN, "") if before.get("finished") else before.get(PREVIOUS, "") or before.get(BEGUN, "")
    metadata[PREVIOUS] = oldest
    database.executemany("INSERT INTO metadata VALUES (?, ?)", metadata.items())


def error_kind(error: BaseException) -> int:
    """SQLite's primary result code, without the bits of the extended one; 0 for an error that is not SQLite's."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


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


@contextmanager
def open_state(path: Path | None) -> Iterator[LoadingState]:
    """The state in the file at `path`, or in a temporary one that is deleted with the run."""
    try:
        if path is None:
            with closing(sqlite3.connect("", isolation_level=None)) as database:  # a file that SQLite deletes at once
                database.execute("PRAGMA journal_mode = OFF")  # it is never rolled back
                yield LoadingState(database)
            return
        database, note = open_file(path, _LOADING, read_documents)
        with closing(database):
            database.execute("PRAGMA synchronous = NORMAL")
            yield LoadingState(database, note)
    except (sqlite3.OperationalError, OSError) as error:
        hint = "free some space, or name a file that may be written; one run at a time can use a state"
        raise PublishError(f"no space for the state of the sitemaps: {error}", hint=hint) from error


# --- states that may be merged: all shards of one run, each once, of this commit, site, options and program ---

_ALL = "merge the states of all shards of one run"
_ONE_VERSION = "run every shard and the merge with one version"


@contextmanager
def open_shards(paths: Sequence[Path], expected: ShardManifest, now: datetime) -> Iterator[Shards]:
    """`expected`: of this run. Raises UnreachableError: a verdict needs every shard, and no other one."""
    with ExitStack() as stack:
        opened = [stack.enter_context(_open_shard(path)) for path in paths]
        for one in opened:
            _require_same(one, expected, now)
        yield Shards(_complete(opened))


@contextmanager
def _open_shard(path: Path) -> Iterator[OpenShard]:
    _require_file(path)
    with _as_damage(path):
        database = connect_read_only(path)
    with closing(database):
        with _as_damage(path):
            require_sound(database)
            row = database.execute("SELECT value FROM metadata WHERE name = ?", (MANIFEST,)).fetchone()
        if row is None:
            hint = "give the states that check --shard K/N wrote"
            raise UnreachableError(f"{path} is the state of a whole run, and not of a shard", hint=hint)
        try:
            manifest = msgspec.json.decode(row[0], type=ShardManifest)
        except (msgspec.MsgspecError, TypeError) as error:
            raise damage_error(path, "what it is a part of cannot be read") from error
        yield OpenShard(path, manifest, database)


@contextmanager
def _as_damage(path: Path) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, DamagedStateError, OSError, ValueError) as error:
        raise damage_error(path, str(error)) from error


def _require_file(path: Path) -> None:
    """A regular file that this version of the program has written."""
    try:
        regular = stat.S_ISREG(path.stat().st_mode)  # before it is opened, which waits at a pipe
        with (path if regular else Path(os.devnull)).open("rb") as file:
            head = file.read(100)
    except OSError as error:
        raise UnreachableError(f"there is no shard at {path}: {error.strerror}", hint=_ALL) from None
    version = int.from_bytes(head[60:64], "big")
    if not has_header(head, LAYOUT):
        raise UnreachableError(f"{path} is not a state of sitemap-action", hint=_ALL)
    for side in SIDES:
        if os.path.lexists(path.with_name(path.name + side)):
            raise _kill_error(path)
    if version != LAYOUT.version:
        raise UnreachableError(f"the shard {path} was written by another version of sitemap-action", hint=_ONE_VERSION)


def _kill_error(path: Path) -> UnreachableError:
    hint = "run its job again with the same state: it goes on where it stopped"
    return UnreachableError(f"the shard {path} was killed before it ended", hint=hint)


def _require_same(one: OpenShard, expected: ShardManifest, now: datetime) -> None:
    path, found = one.path, one.manifest
    if not found.ended:
        raise _kill_error(path)
    same = "give every shard and the merge the same options"
    differences = (
        ("version", f"was written by sitemap-action {found.version}, and this is {expected.version}", _ONE_VERSION),
        (
            "commit",
            f"is of the commit {found.commit[:12] or 'none'}, and this is {expected.commit[:12] or 'none'}",
            "check out one commit in the jobs of all shards and of the merge",
        ),
        ("site", f"is of another site: {found.site}, and this is {expected.site}", same),
        ("options", "was looked at with other options than these", same),
    )
    for name, why, hint in differences:
        if getattr(found, name) != getattr(expected, name):
            raise UnreachableError(f"the shard {path} {why}", hint=hint)
    if not found.build and not timedelta(0) <= now - _begin_of(path, found.begun) + timedelta(
        hours=1
    ) <= _FRESH + timedelta(hours=1):
        raise UnreachableError(f"the shard {path} was begun at {found.begun}, more than a day ago", hint=_ALL)


def _begin_of(path: Path, text: str) -> datetime:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise damage_error(path, "it does not say when it was begun")
    return found


def _complete(opened: Sequence[OpenShard]) -> list[OpenShard]:
    """The shards in the order of their numbers. Raises UnreachableError where one is missing, or there twice."""
    numbered = sorted(((_shard_of(one), one) for one in opened), key=lambda pair: (pair[0].number, str(pair[1].path)))
    counts = {shard.of: one.path for shard, one in numbered}
    if len(counts) > 1:
        (one, first), (other, second), *_ = sorted(counts.items())
        raise UnreachableError(f"{first} is one of {one} shards, and {second} one of {other}", hint=_ALL)
    for number, group in groupby(numbered, key=lambda pair: pair[0].number):
        same = [one.path for _, one in group]
        if len(same) > 1:
            raise UnreachableError(f"shard {number} is there twice: {same[0]} and {same[1]}", hint=_ALL)
    (of,) = counts
    missing = sorted({*range(1, of + 1)} - {shard.number for shard, _ in numbered})
    if missing:
        names = ", ".join(map(str, missing[:10])) + (f" and {len(missing) - 10} more" if len(missing) > 10 else "")
        what = f"shard {names} of {of} is" if len(missing) == 1 else f"shards {names} of {of} are"
        raise UnreachableError(f"{what} missing, so that there is no verdict", hint=_ALL)
    builds = {one.manifest.build: one.path for one in opened}
    if len(builds) > 1:
        first, second, *_ = sorted(builds.values())
        hint = "build once, and give every shard that build"
        raise UnreachableError(f"{first} and {second} are of two builds, with other files", hint=hint)
    return [one for _, one in numbered]


def _shard_of(one: OpenShard) -> SiteShard:
    if (found := parse_shard(one.manifest.shard)) is None:
        raise damage_error(one.path, "it does not say which shard it is")
    return found
