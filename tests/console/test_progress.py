"""Progress lines and events of the look phase, on a clock that the test sets."""

import io
import json
from collections.abc import Mapping
from importlib.resources import files

import jsonschema
import pytest

from sitemap_action.console.streams import ProgressLog
from sitemap_action.model.observer import Event, EventKind, NullObserver, Progress

SCHEMA = json.loads(files("sitemap_action.console").joinpath("events.schema.json").read_text("utf-8"))
CLEAR = "\r\x1b[2K"


class FakeClock:
    def __init__(self) -> None:
        self.now = 50.0

    def __call__(self) -> float:
        return self.now


def progress_line(progress: Progress, seconds: float = 20.0, *, live: bool = False, width: int = 100) -> str:
    log, clock = io.StringIO(), FakeClock()
    progress_log = ProgressLog(log, live=live, width=width, clock=clock)
    clock.now += seconds
    progress_log.progress(progress)
    return log.getvalue()


LINES = [
    # id, progress, seconds since the beginning, line
    ("the first", Progress(done=10, queued=5), 20, "10 done, 5 queued, 0/s, about 10 s for this level"),
    ("many", Progress(done=12_000, queued=30_000), 20, "12,000 done, 30,000 queued, 600/s, about 50 s for this level"),
    ("many queued", Progress(done=200, queued=9_000), 20, "200 done, 9,000 queued, 10/s, about 15 min for this level"),
    ("few queued", Progress(done=200, queued=3), 20, "200 done, 3 queued, 10/s"),
    ("with skips and errors", Progress(done=200, skipped=1_500, errors=2), 20, "200 done, 0 queued, 10/s, 1,500 skipped, 2 without an answer"),
    ("none done", Progress(queued=1), 20, "0 done, 1 queued, 0/s"),
    ("U-05 no further than crawl.max-pages", Progress(done=200, queued=9_000, left=600), 20, "200 done, 9,000 queued, 10/s, about 60 s for this level"),
    ("U-16 the current URL", Progress(done=20, url="https://x.com/a"), 20, "20 done, 0 queued, 1/s  https://x.com/a"),
    ("never negative", Progress(done=20, queued=-3), 20, "20 done, 0 queued, 1/s"),
]  # fmt: skip


@pytest.mark.parametrize(("progress", "seconds", "line"), [pytest.param(*row[1:], id=row[0]) for row in LINES])
def test_log_lines(progress: Progress, seconds: float, line: str) -> None:
    assert progress_line(progress, seconds) == f"{line}\n"


def test_a_live_line_replaces_the_one_before() -> None:
    log, clock = io.StringIO(), FakeClock()
    progress_log = ProgressLog(log, live=True, clock=clock)
    for done in (1, 2):
        clock.now += 1
        progress_log.progress(Progress(done=done, url="https://x.com/a"))
    progress_log.close()
    line = "{} done, 0 queued, 1/s  https://x.com/a"
    assert log.getvalue() == f"{CLEAR}{line.format(1)}{CLEAR}{line.format(2)}{CLEAR}"


def test_a_live_line_fits_the_terminal_and_is_printable() -> None:
    line = progress_line(Progress(done=1, url="https://x.com/\x1b[31m\r\n\u202e" + "a" * 200), live=True, width=60)
    assert line.startswith(CLEAR)
    shown = line.removeprefix(CLEAR)
    assert len(shown) == 59
    assert shown.isprintable()


INTERVALS = [
    # id, live, seconds between two states, states, lines
    ("a terminal", True, 0.0625, 96, 48),
    ("a log", False, 1.0, 100, 10),
    ("a log of a short run", False, 1.0, 9, 0),
]


@pytest.mark.parametrize(("live", "step", "states", "lines"), [pytest.param(*row[1:], id=row[0]) for row in INTERVALS])
def test_not_too_often(live: bool, step: float, states: int, lines: int) -> None:
    log, clock = io.StringIO(), FakeClock()
    progress_log = ProgressLog(log, live=live, clock=clock)
    for done in range(states):
        clock.now += step
        progress_log.progress(Progress(done=done))
    written = log.getvalue().count(" done, ")
    assert written == lines


def test_without_log_and_events() -> None:
    clock = FakeClock()
    progress_log = ProgressLog(None, clock=clock)
    clock.now += 99
    progress_log.progress(Progress(done=1))
    progress_log.event(Event(EventKind.FOUND, "https://x.com/"))
    progress_log.close()
    assert not progress_log.wants_events
    assert not NullObserver().wants_events


def test_close_writes_nothing_to_a_log() -> None:
    log = io.StringIO()
    ProgressLog(log, clock=FakeClock()).close()
    assert log.getvalue() == ""


# Events


def lines(*events: Event) -> list[str]:
    stream = io.StringIO()
    progress_log = ProgressLog(None, stream, clock=FakeClock())
    assert progress_log.wants_events
    for event in events:
        progress_log.event(event)
    progress_log.close()
    return stream.getvalue().splitlines()


X = "https://x.com/"
EVENTS: list[tuple[str, Event, Mapping[str, object]]] = [
    ("found", Event(EventKind.FOUND, f"{X}a", found_on=X, depth=1), {"what": "found", "url": f"{X}a", "found_on": X, "depth": 1}),
    ("the start page", Event(EventKind.FOUND, X), {"what": "found", "url": X}),
    ("fetched", Event(EventKind.FETCHED, X, status=200), {"what": "fetched", "url": X, "status": 200}),
    ("no answer", Event(EventKind.FETCHED, X, reason="timed out"), {"what": "fetched", "url": X, "reason": "timed out"}),
    ("skipped", Event(EventKind.SKIPPED, f"{X}a.png", reason="crawl.skip has media"), {"what": "skipped", "url": f"{X}a.png", "reason": "crawl.skip has media"}),
    ("a sitemap", Event(EventKind.SITEMAP, f"{X}s.xml"), {"what": "sitemap", "url": f"{X}s.xml"}),
    ("a file", Event(EventKind.WRITTEN, path="sitemap.xml"), {"what": "written", "path": "sitemap.xml"}),
]  # fmt: skip


@pytest.mark.parametrize(("event", "record"), [pytest.param(*row[1:], id=row[0]) for row in EVENTS])
def test_an_event_is_one_json_object_of_the_published_schema(event: Event, record: Mapping[str, object]) -> None:
    (line,) = lines(event)
    assert json.loads(line) == record
    jsonschema.Draft202012Validator(SCHEMA).validate(record)


def test_counts_come_once_a_second_and_at_the_end() -> None:
    stream, clock = io.StringIO(), FakeClock()
    progress_log = ProgressLog(None, stream, clock=clock)
    for done in range(9):
        progress_log.progress(Progress(done=done, queued=5 - done, skipped=1, errors=2, left=done or None))
        clock.now += 0.5
    progress_log.close()
    records = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert [record["done"] for record in records] == [2, 4, 6, 8, 8]
    assert records[0] == {"what": "progress", "done": 2, "queued": 3, "skipped": 1, "errors": 2, "left": 2}
    assert records[-1]["queued"] == 0, "never negative"
    for record in records:
        jsonschema.Draft202012Validator(SCHEMA).validate(record)


def test_events_come_one_a_line_whatever_they_hold() -> None:
    found = lines(Event(EventKind.FOUND, "a\nb\r\u2028\ud800"), Event(EventKind.FOUND, X))
    assert [json.loads(line)["url"] for line in found] == ["a\nb\r\u2028\ud800", X]
    assert all(line.isascii() for line in found)


def test_the_schema_knows_every_kind_of_event_and_every_field() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["properties"]["what"]["enum"] == [what.value for what in EventKind]
    counts = {*Progress.__struct_fields__} - {"url"}
    assert set(SCHEMA["properties"]) == {*Event.__slots__} | counts


@pytest.mark.parametrize(
    "record", [{}, {"what": "other"}, {"what": "found", "more": 1}, {"what": "fetched", "status": 0}]
)
def test_the_schema_refuses(record: Mapping[str, object]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(SCHEMA).validate(record)
