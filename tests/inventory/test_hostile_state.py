"""S-06: a state that is damaged or hostile costs one sentence and a fresh start: no exception, no hang, no wrong page."""

import json
import os
import signal
import sqlite3
import threading
import zlib
from collections.abc import Callable
from contextlib import closing, suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawls import FakeWeb, Route, Snapshot, at, crawl, document, snapshot
from sitemap_action.decide.judge import Grace
from sitemap_action.errors import UsageError
from sitemap_action.fetch.base import Response
from sitemap_action.inventory import first_seen, listed, loading_state, safe_database, store
from sitemap_action.inventory.checkpoints import persistent
from sitemap_action.inventory.checksum import append_checksum, remove_checksum
from sitemap_action.inventory.codec import encode, seal
from sitemap_action.inventory.first_seen import store_first_seen
from sitemap_action.inventory.frontier import Frontier
from sitemap_action.inventory.loading_state import LoadingState, open_state
from sitemap_action.model.page import Page, PageKind
from webs import NOW

pytestmark = pytest.mark.attack("state")


def tagged(text: str) -> Response:
    return Response("", 200, (("content-type", "text/html"), ("etag", '"1"')), text.encode())


SITE: dict[str, Route] = {
    "/": tagged(document("/a", "/b")),
    "/a": tagged(document("/c", head='<link rel=canonical href="/d"><meta name=robots content=noindex>')),
    "/b": document("/a", "/e"),
    "/c": 404,
    "/d": document(),
    "/e": 503,
}


def run(
    path: Path, web: FakeWeb, commit: str = "1", cancel_after: int | None = None
) -> tuple[Snapshot, tuple[str, ...]]:
    with persistent(path, "a key", commit) as inventory:
        if not inventory.metadata("finished"):
            crawl(web, inventory, cancel_after=cancel_after, store=cancel_after is None, clock_step=0.3)
            if cancel_after is None:
                Frontier(inventory).finish()
                LoadingState(inventory.database).begin("key", [at("/sitemap.xml")], [], NOW)
                store_first_seen(inventory, {"gone /a": NOW.date()})
        return snapshot(inventory), inventory.notes


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A state of a run that was killed before its end, all of which the next run would use."""
    found = tmp_path / "state"
    run(found, FakeWeb(SITE))
    forge(found, "DELETE FROM metadata WHERE name = 'finished'")
    return found


@cache
def fresh() -> Snapshot:
    with TemporaryDirectory() as folder:
        return run(Path(folder) / "state", FakeWeb(SITE))[0]


def forge(path: Path, *statements: str, parameters: tuple[object, ...] = ()) -> None:
    """As somebody does who knows the checksum."""
    remove_checksum(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("PRAGMA writable_schema = ON")
        for statement in statements:
            database.execute(statement, parameters if "?" in statement else ())
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    append_checksum(path)


def started_afresh(path: Path, commit: str = "1") -> str:
    """The sentence. What is found is what a run without a state finds."""
    web = FakeWeb(SITE)
    found, notes = run(path, web, commit)
    assert found == fresh()
    assert len(web.requests) == len(SITE)
    assert not [request for request in web.requests if request.etag]
    (note,) = notes
    assert note.startswith(f"the state {path} is damaged and made anew: ")
    assert run(path, FakeWeb(SITE), commit)[1] == ()  # the new one is sound
    return note


ENDLESS = "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n"
HOSTILE = {
    "a trigger": ["CREATE TRIGGER t AFTER DELETE ON page BEGIN SELECT 1; END"],
    "a trigger that never ends": [f"CREATE TRIGGER t BEFORE UPDATE ON url BEGIN INSERT INTO skipped {ENDLESS.replace('max(x)', 'x, 1, x')}; END"],
    "a trigger on the first statement": ["CREATE TRIGGER t BEFORE DELETE ON metadata BEGIN SELECT randomblob(900000000); END"],
    "a view": ["CREATE VIEW v AS SELECT 1"],
    "a view in place of a table": ["DROP TABLE page", f"CREATE VIEW page (url_id, record) AS {ENDLESS.replace('max(x)', 'x, x')}"],
    "another table": ["CREATE TABLE more (x)"],
    "another index": ["CREATE INDEX more ON url (depth)"],
    "an index with an expression": ["CREATE INDEX more ON url (abs(depth))"],
    "a missing table": ["DROP TABLE visit"],
    "a missing index": ["DELETE FROM sqlite_master WHERE type = 'index'"],
    "a column more": ["ALTER TABLE page ADD COLUMN more TEXT"],
    "a computed column": ["ALTER TABLE page ADD COLUMN more AS (hex(zeroblob(100000000)))"],
    "a column of another name": ["ALTER TABLE page RENAME COLUMN record TO other"],
    "a virtual table": ["CREATE VIRTUAL TABLE more USING fts5 (x)"],
    "statistics": ["ANALYZE"],
    "another definition": ["UPDATE sqlite_master SET sql = replace(sql, 'NOT NULL', '') WHERE name = 'url'"],
    "a definition that is no SQL": ["UPDATE sqlite_master SET sql = 'CREATE TABLE url (' WHERE name = 'url'"],
    "a long definition": ["UPDATE sqlite_master SET sql = sql || hex(zeroblob(3000000)) WHERE name = 'url'"],
    "two tables on one page": ["UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master WHERE name = 'page') WHERE name = 'visit'"],
    "a table on no page": ["UPDATE sqlite_master SET rootpage = 999999 WHERE name = 'visit'"],
    "an oversized value": ["INSERT INTO skipped VALUES ('x', 1, zeroblob(70000000))"],
    "an oversized record": ["UPDATE page SET record = record || hex(zeroblob(35000000))"],
    "a page of another URL": ["UPDATE page SET record = (SELECT record FROM page ORDER BY url_id LIMIT 1)"],
    "a page of no URL": ["INSERT INTO page VALUES (999, (SELECT record FROM page LIMIT 1))"],
    "a deep record": [f"UPDATE page SET record = '{'[' * 100_000}'"],
    "a long number": [f"UPDATE page SET record = replace(record, '200', '{'9' * 5000}')"],
}  # fmt: skip


@pytest.mark.parametrize("statements", HOSTILE.values(), ids=HOSTILE)
def test_S_06_a_hostile_database(path: Path, statements: list[str]) -> None:
    forge(path, *statements)
    started_afresh(path)


def columns() -> list[tuple[str, str]]:
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript(store.TABLES + first_seen.TABLE + loading_state.SCHEMA + listed.SCHEMA)
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        # The entries are read anew, and the state of the run before is judged row by row.
        names = [name for name in tables if name != "previous_visit"]
        return [(name, row[1]) for name in names for row in database.execute(f"PRAGMA table_info ({name})")]


VALUES: list[object] = [None, 2**63 - 1, -1, 1.5, float("inf"), float("nan"), "x", b"\xff\xfe", "1e999"]
TEXTS = {"url", "referrer", "target", "reason", "example", "etag", "modified", "value", "what", "listed_by", "address", "digest", "key", "name", "keys", "dates", "frequencies", "priorities"}  # fmt: skip


KINDS = {name: {"text"} for name in TEXTS} | {"depth": {"integer", "null"}, "links": {"blob"}, "begun": {"real"}}
ROWS = [
    "INSERT OR IGNORE INTO redirect VALUES (1, 'https://www.example.com/x')",
    "INSERT OR IGNORE INTO skipped VALUES ('a reason', 1, 'https://www.example.com/y')",
    "INSERT OR IGNORE INTO listed VALUES (1, 1, 'https://www.example.com/', '', '', '', '1', '')",
]


@pytest.mark.parametrize("column", columns(), ids=".".join)
def test_S_06_a_value_of_another_type(tmp_path: Path, column: tuple[str, str]) -> None:
    """Each is refused, or, where it is a text that may stand there, does no harm."""
    table, name = column
    for value in VALUES:
        path = tmp_path / "state"
        path.unlink(missing_ok=True)
        run(path, FakeWeb(SITE))
        try:
            forge(path, *ROWS, f"UPDATE {table} SET {name} = ?", parameters=(value,))
        except sqlite3.IntegrityError:
            continue  # the database itself refuses it
        with closing(sqlite3.connect(f"file:{path}?immutable=1", uri=True)) as database:
            (kind,) = database.execute(f"SELECT typeof({name}) FROM {table}").fetchone()  # by the column's affinity
        found, notes = run(path, FakeWeb(SITE))
        if not notes:
            assert found == fresh() or kind in KINDS[name], (column, value)


@pytest.mark.parametrize("column", ["url", "etag", "modified", "record", "links"])
@pytest.mark.parametrize("value", [*VALUES, b"", zlib.compress(bytes(100_000_000), 9), seal('["x"]'), seal(encode(Page(at("/x"), PageKind.PAGE, 200)))], ids=lambda value: repr(value)[:20])  # fmt: skip
def test_S_06_a_row_of_the_run_before(path: Path, column: str, value: object) -> None:
    """A damaged row costs one request without validators."""
    run(path, FakeWeb(SITE), "2", cancel_after=1)
    try:
        forge(path, f"UPDATE previous_visit SET {column} = ? WHERE url = '{at('/a')}'", parameters=(value,))
    except sqlite3.IntegrityError:
        return
    web = FakeWeb(SITE)
    assert run(path, web, "3")[0] == fresh()


def test_S_06_invalid_text(path: Path) -> None:
    forge(path, "UPDATE url SET referrer = CAST(x'ff41' AS TEXT)")
    started_afresh(path)


def test_S_06_another_encoding(path: Path) -> None:
    remove_checksum(path)
    with closing(sqlite3.connect(path)) as old:
        dump = "\n".join(old.iterdump())
    numbers = [int.from_bytes(path.read_bytes()[at : at + 4], "big") for at in (68, 60)]
    path.unlink()
    with closing(sqlite3.connect(path)) as new:
        new.executescript(f"PRAGMA encoding = 'UTF-16'; PRAGMA application_id = {numbers[0]}; PRAGMA user_version = {numbers[1]}; {dump}")  # fmt: skip
    append_checksum(path)
    assert "encoding" in started_afresh(path)


# --- files beside it, and other kinds of files ---


def rollback_journal(path: Path, victim: Path) -> None:
    """A hot journal that names a super-journal: SQLite would roll it back, and delete the file that it names."""
    name = str(victim).encode()
    header = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + (0).to_bytes(4, "big") * 3 + (512).to_bytes(4, "big") + (4096).to_bytes(4, "big")  # fmt: skip
    tail = (1).to_bytes(4, "big") + name + len(name).to_bytes(4, "big") + sum(name).to_bytes(4, "big") + header[:8]
    Path(f"{path}-journal").write_bytes(header.ljust(512, b"\0") + tail)


def linked(suffix: str) -> Callable[[Path, Path], None]:
    return lambda path, victim: Path(f"{path}{suffix}").symlink_to(victim)


BESIDE: dict[str, Callable[[Path, Path], None]] = {
    "a rollback journal that names a file": rollback_journal,
    "an empty rollback journal": lambda path, _: Path(f"{path}-journal").touch(),
    "a linked rollback journal": linked("-journal"),
    "a linked log": linked("-wal"),
    "a linked index of the log": linked("-shm"),
    "a log that is a pipe": lambda path, _: os.mkfifo(f"{path}-wal"),
    "a rollback journal that is a pipe": lambda path, _: os.mkfifo(f"{path}-journal"),
}


@pytest.mark.skipif(os.name != "posix", reason="links and pipes are POSIX")
@pytest.mark.parametrize("put", BESIDE.values(), ids=BESIDE)
def test_S_06_a_file_beside_it(path: Path, tmp_path: Path, put: Callable[[Path, Path], None]) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    put(path, victim)
    assert " is beside it" in started_afresh(path)
    assert victim.read_text() == "mine"


@pytest.mark.parametrize("content", [b"", b"x" * 5000, bytes(32) * 200])
def test_S_06_a_log_that_is_none(path: Path, content: bytes) -> None:
    """SQLite checks each part of it."""
    remove_checksum(path)
    Path(f"{path}-wal").write_bytes(content)
    assert run(path, FakeWeb(SITE))[0] == fresh()


@pytest.mark.skipif(os.name != "posix", reason="pipes are POSIX")
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir], ids=["a pipe", "a folder"])
def test_S_06_no_regular_file(tmp_path: Path, make: Callable[[str], None]) -> None:
    make(str(tmp_path / "state"))
    with pytest.raises(UsageError, match="it is not a regular file"):
        run(tmp_path / "state", FakeWeb(SITE))
    with pytest.raises(UsageError, match="it is not a regular file"), open_state(tmp_path / "state"):
        pass


def test_S_06_truncated_anywhere(path: Path) -> None:
    whole = path.read_bytes()
    for size in (*range(0, 120, 7), 1000, 4095, 4096, 4097, *range(5000, len(whole), 4096), len(whole) - 20, len(whole) - 1):  # fmt: skip
        path.write_bytes(whole[:size])
        assert run(path, FakeWeb(SITE))[0] == fresh(), size


# --- time ---


def test_S_06_a_statement_ends_at_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(safe_database, "_DEADLINE", 0.05)
    with closing(sqlite3.connect(":memory:")) as database:
        with pytest.raises(safe_database.DamagedStateError, match="takes more than"), safe_database.watched(database):
            database.execute(ENDLESS)
        assert database.execute("SELECT 1").fetchone() == (1,)


@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_S_06_signals_are_heard(number: signal.Signals) -> None:
    class Stopped(BaseException):
        pass

    def stop(*_: object) -> None:
        raise Stopped

    before = signal.signal(number, stop)
    timer = threading.Timer(0.05, os.kill, (os.getpid(), number))
    try:
        ended = pytest.raises((Stopped, KeyboardInterrupt))
        with closing(sqlite3.connect(":memory:")) as database, ended, safe_database.watched(database):
            timer.start()
            database.execute(ENDLESS)
    finally:
        timer.join()
        signal.signal(number, before)


# --- random damage ---


@cache
def states() -> tuple[bytes, ...]:
    """Of a run that has ended; of one that has ended and another that was killed, which has no checksum."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "state"
        run(path, FakeWeb(SITE))
        ended = path.read_bytes()
        run(path, FakeWeb(SITE), "2", cancel_after=10)
        remove_checksum(path)
        return ended, path.read_bytes()


def damaged(content: bytes, edits: list[tuple[float, bytes]], cut: float) -> bytes:
    found = bytearray(content)
    for place, piece in edits:
        start = int(place * len(found))
        found[start : start + len(piece)] = piece[: len(found) - start]
    return bytes(found[: int(cut * len(found))])


places = st.floats(0, 1, exclude_max=True)
edits = st.lists(st.tuples(places, st.binary(min_size=1, max_size=8)), max_size=4)


@settings(max_examples=60)
@given(edits=edits, cut=st.one_of(st.just(1.0), places), killed=st.booleans())
def test_S_06_random_damage(edits: list[tuple[float, bytes]], cut: float, killed: bool) -> None:
    """Whatever bytes are changed, the pages are those of a run without a state, or the file is said not to be ours."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "state"
        path.write_bytes(damaged(states()[killed], edits, cut))
        before = path.read_bytes()
        with suppress(UsageError):
            found, notes = run(path, FakeWeb(SITE), "2" if killed else "1")
            assert len(notes) <= 1
            assert found == fresh()
            return
        assert path.read_bytes() == before


# --- what a state decides ---


def test_S_06_a_day_in_the_future_is_not_believed() -> None:
    today = NOW.date()
    grace = Grace({"gone": 1}, {"gone /a": today.replace(year=today.year + 1)}, today)
    grace._last_day("gone", "/a")
    assert grace.first_seen == {"gone /a": today}


# --- the state of `read` ---


LOADING = {
    "a trigger": ["CREATE TRIGGER t BEFORE UPDATE ON sitemap BEGIN SELECT 1; END"],
    "a table more": ["CREATE TABLE more (x)"],
    "another state": ["UPDATE sitemap SET state = 'x'"],
    "another kind": ["UPDATE sitemap SET kind = 'x'"],
    "faults that are no JSON": ["UPDATE sitemap SET faults = '{'"],
    "faults that are no numbers": ["""UPDATE sitemap SET faults = '{"x": "y"}'"""],
    "a time that is none": ["UPDATE loading SET begun = 9e999"],
    "a line that is no number": ["INSERT INTO listed VALUES (1, 1, 'https://x.com/', '', '', '', 'x', '')"],
    "fewer lines than URLs": ["INSERT INTO listed VALUES (1, 1, 'https://x.com/' || char(10) || 'y', '', '', '', '1', '')"],
    "a record that is none": ["""INSERT INTO listed VALUES (1, 1, 'https://x.com/', '', '', '', '1', '{"0": "[1]"}')"""],
}  # fmt: skip


@pytest.mark.parametrize("statements", LOADING.values(), ids=LOADING)
def test_S_06_a_state_of_read(tmp_path: Path, statements: list[str]) -> None:
    path = tmp_path / "state"
    with open_state(path) as state:
        state.begin("key", ["https://x.com/sitemap.xml"], [], NOW)
    forge(path, *statements)
    with open_state(path) as state:
        assert "is damaged and made anew" in state.note
        assert list(state.statuses()) == []
    with open_state(path) as state:
        assert state.note == ""


def test_S_06_records_are_json() -> None:
    page: Any = json.loads(encode(Page(at("/"), PageKind.PAGE)))
    assert json.JSONDecoder().raw_decode(seal(json.dumps(page)))[0] == page
