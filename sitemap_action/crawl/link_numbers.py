"""URLs as numbers between a process that reads and the one that fetches: most links of a page were sent with another.

Both sides number a URL when it is first sent, in the order of sending, and begin anew after as many as are kept.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sitemap_action.inventory.frontier import Visit

_MOST = 100_000  # URLs that have a number


class NumberedVisits(NamedTuple):
    """Visits whose links and targets are numbers; `urls` are those that have none yet."""

    anew: bool
    urls: list[str]
    visits: list[tuple[Visit, list[int], list[int]]]


class Numbers(dict[str, int]):
    """Of the side that sends."""

    def __init__(self) -> None:
        super().__init__()
        self._new: list[str] = []

    def __missing__(self, url: str) -> int:
        self._new.append(url)
        self[url] = number = len(self)
        return number

    def packed(self, visits: Iterable[Visit]) -> NumberedVisits:
        if len(self) > _MOST:
            self.clear()
        anew = not self
        self._new = []
        of = self.__getitem__
        rows = [
            (visit._replace(links=(), targets=()), list(map(of, visit.links)), list(map(of, visit.targets)))
            for visit in visits
        ]
        return NumberedVisits(anew, self._new, rows)


class NumberedUrls:
    """Of the side that receives."""

    def __init__(self) -> None:
        self._urls: list[str] = []

    def unpacked(self, numbered: NumberedVisits, shared: dict[str, str]) -> Sequence[Visit]:
        """`shared`: URLs that are kept once, whoever sends them."""
        if numbered.anew:
            self._urls.clear()
        self._urls += map(shared.setdefault, numbered.urls, numbered.urls)
        of = self._urls.__getitem__
        return [
            visit._replace(links=tuple(map(of, links)), targets=tuple(map(of, targets)))
            for visit, links, targets in numbered.visits
        ]
