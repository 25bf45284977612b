"""S-06: a state that is damaged costs one sentence and a fresh start; what is no state of ours is left as it is."""

import os
import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing, suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawls import FakeWeb, Route, Snapshot, at, crawl, document, snapshot
from examples import share
from sitemap_action.decide.judge import Grace
from sitemap_action.errors import UsageError
from sitemap_action.fetch.base import Response
from sitemap_action.model.page import Page, PageKind
from sitemap_action.store.codec import encode
from sitemap_action.store.frontier import Frontier
from sitemap_action.store.loading_state import LoadingState
from sitemap_action.store.state import open_state, persistent
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
                inventory.store_first_seen({"gone /a": NOW.date()})
        return snapshot(inventory), inventory.notes


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A state of a run that was killed before its end, all of which the next run would use."""
    found = tmp_path / "state"
    run(found, FakeWeb(SITE))
    forge(found, "DELETE FROM metadata WHERE name = 'finished'")
    return found


def bomb() -> bytes:
    return zlib.compress(bytes(100_000_000), 9)


@cache
def fresh() -> Snapshot:
    with TemporaryDirectory() as folder:
        return run(Path(folder) / "state", FakeWeb(SITE))[0]


def forge(path: Path, *statements: str, parameters: tuple[object, ...] = ()) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("PRAGMA writable_schema = ON")
        for statement in statements:
            database.execute(statement, parameters if "?" in statement else ())
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")


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


DAMAGED = {
    "a missing table": ["DROP TABLE page"],
    "a view in place of a table": ["DROP TABLE page", "CREATE VIEW page (url_id, record) AS SELECT 1, '['"],
    "a definition that is no SQL": ["UPDATE sqlite_master SET sql = 'CREATE TABLE url (' WHERE name = 'url'"],
    "two tables on one page": ["UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master WHERE name = 'page') WHERE name = 'visit'"],
    "a table on no page": ["UPDATE sqlite_master SET rootpage = 999999 WHERE name = 'visit'"],
    "a record that is none": ["UPDATE page SET record = '[\"x\"]'"],
    "a record that is cut short": ["UPDATE page SET record = substr(record, 1, 20)"],
    "a long number": [f"UPDATE page SET record = replace(record, '200', '{'9' * 5000}')"],
    "text that is not UTF-8": ["UPDATE page SET record = CAST(x'ff41' AS TEXT)"],
}  # fmt: skip


@pytest.mark.parametrize("statements", DAMAGED.values(), ids=DAMAGED)
def test_S_06_a_damaged_database(path: Path, statements: list[str]) -> None:
    forge(path, *statements)
    started_afresh(path)


@pytest.mark.parametrize("column", ["etag", "modified", "record", "links"])
@pytest.mark.parametrize("value", [None, 1.5, "x", b"\xff\xfe", b"", bomb, '["x"]', encode(Page(at("/x"), PageKind.PAGE, 200))], ids=lambda value: repr(value)[:20])  # fmt: skip
def test_S_06_a_row_of_the_run_before(path: Path, column: str, value: object) -> None:
    """A damaged row costs one request without validators."""
    run(path, FakeWeb(SITE), "2", cancel_after=1)
    value = value() if callable(value) else value
    forge(path, f"UPDATE previous_visit SET {column} = ? WHERE url = '{at('/a')}'", parameters=(value,))
    web = FakeWeb(SITE)
    assert run(path, web, "3")[0] == fresh()


def test_S_06_a_day_that_is_none_is_not_known(path: Path) -> None:
    forge(path, "INSERT INTO first_seen VALUES ('gone /b', 'today')")
    with persistent(path, "a key") as inventory:
        assert inventory.first_seen() == {"gone /a": NOW.date()}


# --- files beside it, and other kinds of files ---


@pytest.mark.parametrize("content", [b"", b"x" * 5000, bytes(32) * 200])
def test_S_06_a_log_that_is_none(path: Path, content: bytes) -> None:
    """SQLite checks each part of it."""
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
    for size in (0, 7, 99, 1000, 4095, 4096, 4097, *range(5000, len(whole), 4096), len(whole) - 1):
        path.write_bytes(whole[:size])
        assert run(path, FakeWeb(SITE))[0] == fresh(), size


# --- random damage ---


@cache
def states() -> tuple[bytes, ...]:
    """Of a run that has ended; of one that has ended and another that was killed."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "state"
        run(path, FakeWeb(SITE))
        ended = path.read_bytes()
        run(path, FakeWeb(SITE), "2", cancel_after=10)
        return ended, path.read_bytes()


@settings(max_examples=share(40))
@given(place=st.floats(0, 1, exclude_max=True), pages=st.integers(1, 3), killed=st.booleans())
def test_S_06_lost_pages_of_the_file(place: float, pages: int, killed: bool) -> None:
    """The pages are those of a run without a state, or the file is said not to be ours."""
    with TemporaryDirectory() as folder:
        path, content = Path(folder) / "state", bytearray(states()[killed])
        start = int(place * len(content)) // 4_096 * 4_096
        content[start : start + pages * 4_096] = bytes(len(content[start : start + pages * 4_096]))
        path.write_bytes(content)
        with suppress(UsageError):
            found, notes = run(path, FakeWeb(SITE), "2" if killed else "1")
            assert len(notes) <= 1
            assert found == fresh()
            return
        assert path.read_bytes() == content


# --- what a state decides ---


def test_S_06_a_day_in_the_future_is_not_believed() -> None:
    today = NOW.date()
    grace = Grace({"gone": 1}, {"gone /a": today.replace(year=today.year + 1)}, today)
    grace._last_day("gone", "/a")
    assert grace.first_seen == {"gone /a": today}


# --- the state of `read` ---


LOADING = {
    "a missing table": ["DROP TABLE sitemap"],
    "another state": ["UPDATE sitemap SET record = json_set(record, '$.state', 'x')"],
    "another kind": ["UPDATE sitemap SET record = json_set(record, '$.kind', 'x')"],
    "a record that is no JSON": ["UPDATE sitemap SET record = '{'"],
}


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
