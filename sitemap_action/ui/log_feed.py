"""The log of the run as a stream for every open page: numbered, bounded, and taken up again where a page left off."""

from collections import deque
from collections.abc import Iterator

from msgspec import Struct

from sitemap_action.ui.tally import LogRow

KEPT = 1_000  # lines that a page can ask for again
AT_ONCE = 60  # lines in one message: nobody reads more of them in its time


class FeedPart(Struct, frozen=True):
    """The lines behind one that a page has."""

    last: int  # number of the newest line
    rows: tuple[LogRow, ...]
    missed: int  # lines before these that are not sent


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

    def after(self, number: int, most: int = AT_ONCE) -> FeedPart:
        """`number`: the last line that the page has; one that this run never gave counts as none."""
        if not self._first <= number <= self._last:
            number = self._first
        new = self._last - number
        return FeedPart(self._last, tuple(_tail(self._rows, min(new, most))), max(0, new - most))


def _tail(rows: deque[LogRow], count: int) -> Iterator[LogRow]:
    return (rows[place] for place in range(max(0, len(rows) - count), len(rows)))
