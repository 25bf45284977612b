"""The state of a loading: which files are accepted, and its content after each step."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sitemap_action.errors import PublishError, UsageError
from sitemap_action.model.page import Alternate
from sitemap_action.model.sitemap import ChildSitemap, DocumentKind, Entry
from sitemap_action.store.entries import EntryBatch, Sort, make_batch, priority
from sitemap_action.store.inventory import create_inventory
from sitemap_action.store.loading_state import (
    LoadingState,
    ParsedContent,
    ResumeState,
    SitemapState,
    SitemapStatus,
)
from sitemap_action.store.state import open_state

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture
def state() -> Iterator[LoadingState]:
    with open_state(None) as found:
        yield found


def store(state: LoadingState, document: SitemapStatus, *entries: Entry, content: ParsedContent | None = None) -> None:
    batches = [make_batch([entry.loc for entry in entries], entries)] if entries else []
    document.version = ("etag", "modified", "digest")
    state.read(document, document.url, batches, content or ParsedContent(DocumentKind.URLSET))


def start(state: LoadingState, *seeds: str, key: str = "k", now: datetime = NOW) -> ResumeState:
    return state.begin(key, seeds, (), now)


def test_documents_are_returned_in_order_of_discovery_and_once(state: LoadingState) -> None:
    assert start(state, "b", "a") is ResumeState.NEW
    assert [document.url for document in state.take_pending(1)] == ["b"]
    (document,) = state.take_pending(5)
    assert state.take_pending(5) == []
    store(
        state,
        document,
        content=ParsedContent(DocumentKind.INDEX, [("c", ChildSitemap("c", line=7)), ("b", ChildSitemap("b"))]),
    )
    (child,) = state.take_pending(5)
    assert (child.url, child.depth, child.listed_by, child.line) == ("c", 1, "a", 7)
    assert [(document.url, document.state) for document in state.statuses()] == [
        ("b", SitemapState.REQUESTED),
        ("a", SitemapState.READ),
        ("c", SitemapState.REQUESTED),
    ]


def test_refused_documents_are_known_and_never_requested(state: LoadingState) -> None:
    start(state, "a")
    (document,) = state.take_pending(1)
    store(
        state,
        document,
        content=ParsedContent(DocumentKind.INDEX, refused=[("x", ChildSitemap("x", line=3), "too deep")]),
    )
    assert state.take_pending(1) == []
    (refused,) = state.statuses(SitemapState.REFUSED)
    assert (refused.url, refused.reason, refused.line) == ("x", "too deep", 3)


def test_a_kill_within_a_document_stores_nothing_of_it(tmp_path: Path) -> None:
    def batches() -> Iterator[EntryBatch]:
        yield make_batch(["u"], [Entry("u")])
        raise KeyboardInterrupt

    path = tmp_path / "state.sqlite"
    with open_state(path) as state:
        start(state, "a")
        (document,) = state.take_pending(1)
        with pytest.raises(KeyboardInterrupt):
            state.read(document, "a", batches(), ParsedContent())
    with open_state(path) as state:
        assert start(state, "a") is ResumeState.RESUMED
        assert [*state.urls()] == []
        assert [document.url for document in state.take_pending(1)] == ["a"]


@pytest.mark.parametrize(
    ("key", "later", "arrived", "expected"),
    [
        ("k", timedelta(), False, ResumeState.RESUMED),
        ("k", timedelta(hours=23), False, ResumeState.RESUMED),
        ("k", timedelta(hours=25), False, ResumeState.AGAIN),
        ("k", timedelta(), True, ResumeState.AGAIN),
        ("other", timedelta(), False, ResumeState.OTHER),
        ("other", timedelta(), True, ResumeState.OTHER),
    ],
)
def test_how_the_next_run_resumes(
    key: str, later: timedelta, arrived: bool, expected: ResumeState, state: LoadingState
) -> None:
    start(state, "a")
    (document,) = state.take_pending(1)
    store(state, document, Entry("u"))
    state.end()
    if arrived:
        state.mark_complete()
    assert start(state, "a", key=key, now=NOW + later) is expected
    assert len([*state.urls()]) == (expected is not ResumeState.OTHER)
    documents = state.take_pending(5)
    assert [(document.url, document.version[0]) for document in documents] == {
        ResumeState.RESUMED: [],
        ResumeState.AGAIN: [("a", "etag")],
        ResumeState.OTHER: [("a", "")],
    }[expected]


def test_a_loading_with_a_failed_document_is_resumed(state: LoadingState) -> None:
    start(state, "a")
    (document,) = state.take_pending(1)
    state.set_status(document, SitemapState.FAILED, "503")
    state.end()
    state.mark_complete()
    assert start(state, "a") is ResumeState.RESUMED


FULL = Entry(
    loc="https://x.com/ü",
    lastmod="2026-01-01",
    changefreq="daily",
    priority="0.5",
    alternates=(Alternate("de", "https://x.com/de"),),
    images=("i",),
    extensions=("<a/>",),
    line=9,
)
ENTRIES = (
    Entry("https://x.com/", line=2),
    Entry("https://x.com/p", "2026-01-01", "daily", "0.9", line=3),
    FULL,
    Entry("https://x.com/q", priority="high", line=12),
)


def test_entries_are_returned_as_stored(state: LoadingState) -> None:
    start(state, "a")
    (document,) = state.take_pending(1)
    keys = ["https://x.com/", "https://x.com/p", "https://x.com/%C3%BC", "https://x.com/q"]
    state.read(document, "a", [make_batch(keys, ENTRIES)], ParsedContent(DocumentKind.URLSET))
    assert [*state.entries()] == [(document.id, key, entry) for key, entry in zip(keys, ENTRIES, strict=True)]
    assert [*state.urls()] == keys
    assert [entry for _, _, entry in state.entries(Sort.PRIORITY)] == [ENTRIES[1], FULL, ENTRIES[0], ENTRIES[3]]
    assert [entry for _, _, entry in state.entries(Sort.LASTMOD)] == [ENTRIES[1], FULL, ENTRIES[0], ENTRIES[3]]
    assert [entry for _, _, entry in state.entries(Sort.URL)] == [ENTRIES[0], FULL, ENTRIES[1], ENTRIES[3]]
    assert state.entry_count() == 4


def test_a_line_break_in_a_date_is_no_new_row(state: LoadingState) -> None:
    start(state, "a")
    (document,) = state.take_pending(1)
    store(state, document, Entry("u", "2026\n-01"), Entry("v", "2026"))
    assert [entry.lastmod for _, _, entry in state.entries()] == ["2026 -01", "2026"]


@pytest.mark.parametrize("first", [["u", "u", "v"], ["u", "v"]])
def test_SM_31_each_identity_once_within_and_across_documents(first: list[str], state: LoadingState) -> None:
    start(state, "a", "b")
    one, two = state.take_pending(2)
    store(state, one, *(Entry(loc, line=at) for at, loc in enumerate(first)))
    store(state, two, Entry("v"), Entry("w"))
    assert [*state.urls()] == ["u", "v", "w"]
    assert [(document, key) for document, key, _ in state.entries()] == [(one.id, "u"), (one.id, "v"), (two.id, "w")]


def test_a_document_that_is_read_again_has_its_new_entries_alone(state: LoadingState) -> None:
    start(state, "a")
    (document,) = state.take_pending(1)
    store(state, document, Entry("old"), content=ParsedContent(DocumentKind.URLSET, damage="cut"))
    start(state, "a")
    (document,) = state.take_pending(1)
    store(state, document, Entry("new"))
    assert [*state.urls()] == ["new"]


def test_documents_beyond_those_that_are_known_by_name_are_counted(
    state: LoadingState, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sitemap_action.store.loading_state._MOST", 3)
    start(state, "a")
    (document,) = state.take_pending(1)
    children = [(name, ChildSitemap(name)) for name in "bcdea"]
    store(state, document, content=ParsedContent(DocumentKind.INDEX, children))
    assert [one.url for one in state.statuses()] == ["a", "b", "c"]
    assert state.dropped == 2


def test_the_state_may_be_in_the_inventory(tmp_path: Path) -> None:
    with closing(create_inventory(tmp_path / "inventory.sqlite")) as inventory:
        state = LoadingState(inventory.database)
        start(state, "a")
        (document,) = state.take_pending(1)
        store(state, document, Entry("https://x.com/"))
        assert [*LoadingState(inventory.database).urls()] == ["https://x.com/"]


def other_database(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE x (y)")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda path: path.write_text("<urlset/>" * 1000), "is not a state file"),
        (other_database, "is not a state file"),
    ],
)
def test_other_files_are_not_changed(make: object, message: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    make(path)
    before = path.read_bytes()
    with pytest.raises(UsageError, match=message), open_state(path):
        pass
    assert path.read_bytes() == before


def test_a_state_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(PublishError, match="no space for the state"), open_state(tmp_path / "no" / "folder"):
        pass


def test_a_temporary_state_is_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with open_state(None) as state:
        start(state, "a")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("text", "value"), [("0.8", 0.8), ("", 0.5), ("high", 0.5), ("nan", 0.5), ("1", 1.0)])
def test_an_entry_without_a_priority_has_the_default(text: str, value: float) -> None:
    assert priority(Entry("u", priority=text)) == value
