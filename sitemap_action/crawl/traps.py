"""Addresses without end: which patterns of a site make ever new URLs, and where to stop following one (URL-33)."""

import re
from collections import Counter

MAX_VARIANTS = 200  # of one path by its query, of one address by a date in it
_MAX_SEGMENTS = 20
_MAX_REPEATS = 3
_DATE = r"(?<![0-9])[0-9]{4}[-/](?:0?[1-9]|1[0-2])(?:[-/](?:0?[1-9]|[12][0-9]|3[01]))?(?![0-9])"
_ANY_DATE = re.compile(_DATE)
_LAST_DATE = re.compile(rf"{_DATE}/?$")


class Traps:
    """Counts while URLs are queued, so it gives one answer for one order; callers ask in sorted order (NET-16)."""

    def __init__(self) -> None:
        self._variants: Counter[str] = Counter()

    def caught(self, url: str) -> str:
        """The pattern that a URL is one more of, "" when it may be followed. Counts it."""
        path, question, query = url.partition("?")
        segments = path.split("/")[3:]
        if len(segments) > _MAX_SEGMENTS:
            return f"paths of more than {_MAX_SEGMENTS} parts"
        if repeated := _repeated(segments):
            return f"paths with /{repeated}/ {_MAX_REPEATS} times"
        patterns = _of_query(path, query) if question else _of_date(path)
        for pattern in patterns:
            if self._variants[pattern] >= MAX_VARIANTS:
                return f"{pattern}, more than {MAX_VARIANTS} of them"
        for pattern in patterns:
            self._variants[pattern] += 1
        return ""


def _repeated(segments: list[str]) -> str:
    """A part of the path that stands in it too often: relative links that pile up."""
    if len(segments) - len(set(segments)) < _MAX_REPEATS - 1:
        return ""
    times = Counter(filter(None, segments))
    return next((part for part, count in times.items() if count >= _MAX_REPEATS), "")


def _of_query(path: str, query: str) -> tuple[str, ...]:
    """What a URL is a variant of: a path by its query."""
    dated = _ANY_DATE.sub("<date>", query)
    return (f"{path}?…",) if dated == query else (f"{path}?…", f"{path}?{dated}")


def _of_date(path: str) -> tuple[str, ...]:
    """The same of a calendar's page, whose date is all that tells it from others.

    A dated address that goes on after the date, as a post's does, is no calendar.
    """
    if not path[-2:].rstrip("/")[-1:].isdigit():  # most paths end in no date, and searching is slow
        return ()
    date = _LAST_DATE.search(path)
    return (f"{path[: date.start()]}<date>",) if date else ()
