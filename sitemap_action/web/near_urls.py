"""Known URLs that a mistyped one may have meant: another spelling of it, or a few characters away."""

import re
from itertools import compress, count
from operator import ne

_MOST = 3
_EDITS = 2
_LONGEST = 60  # characters that differ; a longer rest is no slip of a key
_SPELLING = re.compile(r"https?://(?:www\.)?([^?]*?)(?:/index\.html?|\.html?)?/?(?=\?|\Z)", re.DOTALL)


class NearUrls:
    """Collects the best three of many; the order in which they come does not matter."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._folded = _folded(url)
        self._found: dict[str, int] = {}  # URL → edits

    def add(self, url: str) -> None:
        if url == self._url:
            return
        folded = _folded(url)
        edits = 0 if folded == self._folded else self._edits(folded)
        if edits <= _EDITS:
            self._found[url] = edits

    def best(self) -> tuple[str, ...]:
        return tuple(sorted(self._found, key=lambda url: (self._found[url], url))[:_MOST])

    def _edits(self, folded: str) -> int:
        if abs(len(folded) - len(self._folded)) > _EDITS:
            return _EDITS + 1
        one, other = _different_parts(folded, self._folded)
        if max(len(one), len(other)) > _LONGEST:
            return _EDITS + 1
        return edit_distance(one, other, _EDITS)


def _folded(url: str) -> str:
    """Without what differs between spellings of a page: scheme, www., letter case, index.html, .html, final slash."""
    found = _SPELLING.match(url)
    return (found[1] + url[found.end() :] if found else url).lower()


def _different_parts(one: str, other: str) -> tuple[str, str]:
    start = _shared(one, other)
    one, other = one[start:], other[start:]
    end = _shared(one[::-1], other[::-1])
    return one[: len(one) - end], other[: len(other) - end]


def _shared(one: str, other: str) -> int:
    """Length of their common beginning."""
    return next(compress(count(), map(ne, one, other)), min(len(one), len(other)))


def edit_distance(one: str, other: str, most: int) -> int:
    """Insertions, deletions and substitutions that turn one text into the other (Levenshtein), at most `most` + 1.

    No path with so few edits leaves the diagonal by more than `most`, so that only the cells beside it are computed.
    """
    more = most + 1
    row = [min(place, more) for place in range(len(other) + 1)]
    for index, character in enumerate(one, 1):
        before, row = row, [more] * len(row)
        row[0] = min(index, more)
        for place in range(max(1, index - most), min(len(other), index + most) + 1):
            replaced = before[place - 1] + (character != other[place - 1])
            row[place] = min(before[place] + 1, row[place - 1] + 1, replaced, more)
        if min(row) == more:
            return more
    return row[-1]
