"""What the events of a run add up to: counts, the time that is left, why pages were not read."""

from collections import deque
from itertools import islice

from msgspec import Struct

from sitemap_action.model.observer import Event, EventKind, Progress

_LONGEST = 500  # characters of one text
_GROUPS = 60  # reasons that are told apart
_EXAMPLES = 12  # URLs of one reason
_WINDOW = 15.0  # seconds over which the speed is measured
OTHER = "other reasons"


class LogRow(Struct, frozen=True):
    """One line of the log."""

    kind: str  # read, problem, skipped, sitemap, note
    text: str  # URL, path or sentence
    status: int = 0
    reason: str = ""


def note(line: str) -> LogRow:
    """A line that is no event."""
    return LogRow("note", _short(line))


class Unread(Struct):
    """Pages that one reason kept from being read."""

    reason: str
    kind: str
    count: int = 0
    examples: list[str] = []


class RunStatistics:
    """The statistics of one run; `now` is a clock that only grows."""

    def __init__(self, started: float) -> None:
        self._started = started
        self._ended: float | None = None
        self._fetched = self._problems = self._sitemaps = self._skipped = 0
        self._done = self._fetched_then = 0  # at the last count, which has those of a run that this one resumes
        self._queued = 0
        self._left: int | None = None
        self._marks: deque[tuple[float, int]] = deque(((started, 0),))
        self._unread: dict[tuple[str, str], Unread] = {}

    def add(self, event: Event | Progress, now: float) -> LogRow | None:
        """The line of the log for it."""
        if isinstance(event, Progress):
            self._queued, self._left = event.queued, event.left
            self._done, self._fetched_then = event.done, self._fetched
            self._marks.append((now, self._fetched))
            while len(self._marks) > 2 and now - self._marks[0][0] > _WINDOW:
                self._marks.popleft()
            return None
        match event.what:
            case EventKind.FETCHED:
                return self._add_fetched(event)
            case EventKind.SKIPPED:
                self._skipped += 1
                return self._not_read(event, "skipped")
            case EventKind.SITEMAP:
                self._sitemaps += 1
                return LogRow("sitemap", _short(event.url))
        return None

    def _add_fetched(self, event: Event) -> LogRow:
        self._fetched += 1
        self._queued = max(0, self._queued - 1)
        if event.reason or not 200 <= (event.status or 200) < 400:
            self._problems += 1
            return self._not_read(event, "problem")
        return LogRow("read", _place(event), event.status)

    def _not_read(self, event: Event, kind: str) -> LogRow:
        place, reason = _place(event), _short(event.reason or f"status {event.status}")
        key = (kind, reason)
        if key not in self._unread and len(self._unread) >= _GROUPS:
            key = (kind, OTHER)
        group = self._unread.setdefault(key, Unread(key[1], kind))
        group.count += 1
        if len(group.examples) < _EXAMPLES:
            group.examples = [*group.examples, place]
        return LogRow(kind, place, event.status, reason)

    def end(self, now: float) -> None:
        self._ended = now

    def counts(self, now: float) -> dict[str, float | None]:
        """What the screen shows: numbers of pages, seconds, pages a second of late, and seconds that remain."""
        now = self._ended if self._ended is not None else now
        (since, fetched), seconds = self._marks[0], now - self._started
        speed = (self._fetched - fetched) / (now - since) if now > since else 0.0
        waiting = self._queued if self._left is None else min(self._queued, self._left)
        known = self._ended is None and waiting and speed > 0
        return {
            "read": self._done + self._fetched - self._fetched_then,
            "queued": 0 if self._ended is not None else self._queued,
            "skipped": self._skipped,
            "problems": self._problems,
            "sitemaps": self._sitemaps,
            "seconds": round(seconds, 1),
            "speed": round(speed, 1),
            "remaining": round(waiting / speed, 1) if known else None,
        }

    def list_unread(self) -> list[Unread]:
        """Reasons why pages were not read, the most frequent first."""
        return sorted(self._unread.values(), key=lambda group: (-group.count, group.kind, group.reason))


def _place(event: Event) -> str:
    return _short(event.url or event.path)


def _short(text: str) -> str:
    """Short enough for a page, and Unicode: a file name may be none."""
    text = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
    return text if text.isascii() else text.encode(errors="replace").decode()


KEPT = 1_000  # lines that a page can ask for again
AT_ONCE = 60  # lines in one message: nobody reads more of them in its time


class Feed:
    """Numbers go on from run to run, so that a page cannot take a line of an earlier run for one of this."""

    def __init__(self) -> None:
        self._last = 0
        self._rows: deque[LogRow] = deque(maxlen=KEPT)
        self._first = 0  # number of the line before the first of this run

    def begin(self) -> None:
        self._rows.clear()
        self._first = self._last

    def add(self, row: LogRow) -> None:
        self._last += 1
        self._rows.append(row)

    def rows_after(self, number: int, most: int = AT_ONCE) -> tuple[int, tuple[LogRow, ...], int]:
        """The number of the newest line, the last lines behind a number, and how many before these are left out.

        `number`: of the last line that the page has; one that this run never gave counts as none.
        """
        if not self._first <= number <= self._last:
            number = self._first
        new = self._last - number
        rows = islice(reversed(self._rows), min(new, most))
        return self._last, tuple(rows)[::-1], max(0, new - most)
