"""Crawler traps: URL patterns that produce new URLs without end, and where to stop following one (URL-33)."""

import re
from collections import Counter

MAX_VARIANTS = 200  # of one path by its query, of one address by a date in it
_MAX_SEGMENTS = 20
_MAX_REPEATS = 3
_DATE = r"(?<![0-9])[0-9]{4}[-/](?:0?[1-9]|1[0-2])(?:[-/](?:0?[1-9]|[12][0-9]|3[01]))?(?![0-9])"
_ANY_DATE = re.compile(_DATE)
_LAST_DATE = re.compile(rf"{_DATE}/?$")


class Traps:
    """Counts URLs by pattern; its answers depend on the order of the calls, which is the sorted one (NET-16)."""

    def __init__(self) -> None:
        self._variants: Counter[str] = Counter()

    def find(self, url: str) -> str:
        """The pattern that a URL matches too often, "" when it may be followed, which counts it."""
        path, question, query = url.partition("?")
        segments = path.split("/")[3:]
        if len(segments) > _MAX_SEGMENTS:
            return f"paths of more than {_MAX_SEGMENTS} segments"
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
    """A path segment that occurs too often, as relative links make when they accumulate."""
    if len(segments) - len(set(segments)) < _MAX_REPEATS - 1:
        return ""
    counts = Counter(filter(None, segments))
    return next((segment for segment, count in counts.items() if count >= _MAX_REPEATS), "")


def _of_query(path: str, query: str) -> tuple[str, ...]:
    """Patterns of a URL with a query: its path, and the query without its dates."""
    dated = _ANY_DATE.sub("<date>", query)
    return (f"{path}?…",) if dated == query else (f"{path}?…", f"{path}?{dated}")


def _of_date(path: str) -> tuple[str, ...]:
    """Pattern of a calendar page, which differs from others in its date only.

    A path that continues after the date, as that of a post, is no calendar.
    """
    if not path[-2:].rstrip("/")[-1:].isdigit():  # most paths do not end in a date, and the search is slow
        return ()
    date = _LAST_DATE.search(path)
    return (f"{path[: date.start()]}<date>",) if date else ()
