"""Events of a run as counts, lines and reasons, on a clock that the test sets; the log behind them is bounded."""

import pytest

from sitemap_action.model.observer import Event, EventKind, Progress
from sitemap_action.ui.run_statistics import AT_ONCE, KEPT, OTHER, Feed, LogRow, RunStatistics

X = "https://x.example/"
ROWS = [
    ("a page", Event(EventKind.FETCHED, X, status=200), LogRow("read", X, 200)),
    ("a file of a build", Event(EventKind.FETCHED, path="a/index.html"), LogRow("read", "a/index.html")),
    ("a redirect", Event(EventKind.FETCHED, X, status=301), LogRow("read", X, 301)),
    ("gone", Event(EventKind.FETCHED, X, status=404), LogRow("problem", X, 404, "status 404")),
    ("no answer", Event(EventKind.FETCHED, X, reason="timed out"), LogRow("problem", X, 0, "timed out")),
    ("skipped", Event(EventKind.SKIPPED, X, reason="robots.txt"), LogRow("skipped", X, 0, "robots.txt")),
    ("a sitemap", Event(EventKind.SITEMAP, X), LogRow("sitemap", X)),
    ("found", Event(EventKind.FOUND, X), None),
    ("counts", Progress(done=1), None),
]


@pytest.mark.parametrize(("event", "row"), [pytest.param(*row[1:], id=row[0]) for row in ROWS])
def test_an_event_is_a_line(event: Event | Progress, row: LogRow | None) -> None:
    assert RunStatistics(0).add(event, 1) == row


def test_counts_and_the_time_that_is_left() -> None:
    tally = RunStatistics(100)
    for second in range(1, 11):
        for _ in range(5):
            tally.add(Event(EventKind.FETCHED, X, status=200), 100 + second)
        tally.add(Progress(done=5 * second, queued=200 - 5 * second), 100 + second)
    found = tally.counts(110)
    assert (found["read"], found["queued"], found["seconds"], found["speed"], found["remaining"]) == (
        50,
        150,
        10,
        5.0,
        30.0,
    )


def test_of_a_run_that_is_resumed_the_pages_before_count_and_their_speed_does_not() -> None:
    tally = RunStatistics(0)
    tally.add(Event(EventKind.FETCHED, X, status=200), 1)
    tally.add(Progress(done=41, queued=10), 1)
    found = tally.counts(1)
    assert (found["read"], found["speed"], found["remaining"]) == (41, 1.0, 10.0)


def test_no_further_than_the_most_pages() -> None:
    tally = RunStatistics(0)
    tally.add(Event(EventKind.FETCHED, X, status=200), 1)
    tally.add(Progress(done=1, queued=900, left=20), 1)
    assert tally.counts(1)["remaining"] == 20


def test_before_the_first_page_nothing_is_estimated_and_an_ended_run_stands_still() -> None:
    tally = RunStatistics(0)
    assert tally.counts(0)["remaining"] is None
    tally.add(Progress(queued=9), 5)
    assert tally.counts(5)["remaining"] is None
    tally.end(7)
    found = tally.counts(99)
    assert (found["seconds"], found["queued"], found["remaining"]) == (7, 0, None)


def test_reasons_are_counted_most_first_with_examples() -> None:
    tally = RunStatistics(0)
    for number in range(30):
        tally.add(Event(EventKind.FETCHED, f"{X}{number}", status=404), 1)
    tally.add(Event(EventKind.SKIPPED, f"{X}a.png", reason="crawl.skip has media"), 1)
    first, second = tally.list_unread()
    assert (first.reason, first.kind, first.count, len(first.examples)) == ("status 404", "problem", 30, 12)
    assert (second.reason, second.kind, second.count, second.examples) == ("crawl.skip has media", "skipped", 1, [f"{X}a.png"])  # fmt: skip


def test_a_hostile_site_fills_no_memory() -> None:
    tally, feed = RunStatistics(0), Feed()
    for number in range(5_000):
        row = tally.add(Event(EventKind.FETCHED, X + "a" * 5_000, reason=f"{number} " + "b" * 5_000), 1)
        assert row is not None
        feed.add(row)
    groups = tally.list_unread()
    assert len(groups) <= 61
    assert sum(group.count for group in groups) == 5_000
    assert groups[0].reason == OTHER
    assert max(len(text) for group in groups for text in (group.reason, *group.examples)) == 500
    _, rows, _ = feed.rows_after(0, most=9_999)
    assert len(rows) == KEPT


def feed(lines: int) -> Feed:
    made = Feed()
    for number in range(1, lines + 1):
        made.add(LogRow("read", str(number)))
    return made


AFTER = [
    # why, lines, what the page has, first, last, missed
    ("nothing yet", 0, -1, None, None, 0),
    ("a new page", 5, -1, "1", "5", 0),
    ("a page that is up to date", 5, 5, None, None, 0),
    ("a page that was away", 5, 2, "3", "5", 0),
    ("one that was away for long", 5 + AT_ONCE, 2, "6", str(5 + AT_ONCE), 3),
    ("a number that was never given", 5, 99, "1", "5", 0),
]


@pytest.mark.parametrize(("lines", "has", "first", "last", "missed"), [pytest.param(*row[1:], id=row[0]) for row in AFTER])  # fmt: skip
def test_a_page_gets_what_it_lacks(lines: int, has: int, first: str | None, last: str | None, missed: int) -> None:
    newest, rows, left_out = feed(lines).rows_after(has)
    shown = [row.text for row in rows]
    assert (shown[:1], shown[-1:]) == ([first] if first else [], [last] if last else [])
    assert (newest, left_out) == (lines, missed)


def test_lines_of_an_earlier_run_are_not_those_of_this() -> None:
    made = feed(5)
    made.begin()
    assert made.rows_after(3)[1] == ()
    made.add(LogRow("read", "new"))
    assert made.rows_after(3) == (6, (LogRow("read", "new"),), 0)
