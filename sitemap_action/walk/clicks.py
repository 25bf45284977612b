"""How many clicks each page of a build is away from the start page."""

from array import array
from collections.abc import Callable, Iterable, Iterator


class Clicks:
    """Collects the links of pages; memory holds a number for each link, and only a run that asks for it has one."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._links: dict[int, array[int]] = {}

    def add(self, url: str, links: Iterable[str]) -> None:
        """The links of a page, which is the start of none that is added again."""
        self._links[self._number(url)] = array("l", [self._number(link) for link in links])

    def depths(self, start: str, end_of: Callable[[str], str]) -> Iterator[tuple[str, int]]:
        """(URL, clicks) of every page that can be reached, nearest first.

        `end_of`: the page that a URL without one redirects to, or is another spelling of; "" for none.
        """
        urls = [*self._numbers, start]
        first = self._numbers.get(start, -1)
        level = [first] if first in self._links else self._ends([len(urls) - 1], urls, end_of)
        depth = 0 if first in self._links else 1
        seen: set[int] = set()
        while level:
            level = [number for number in dict.fromkeys(level) if number not in seen]
            seen.update(level)
            yield from ((urls[number], depth) for number in level if number in self._links)
            found = dict.fromkeys(link for number in level for link in self._links.get(number, ()) if link not in seen)
            seen.update(link for link in found if link not in self._links)
            level = [*(link for link in found if link in self._links), *self._ends(found, urls, end_of)]
            depth += 1

    def _ends(self, found: Iterable[int], urls: list[str], end_of: Callable[[str], str]) -> list[int]:
        """The pages behind other spellings and redirects."""
        ends = (self._numbers.get(end_of(urls[number]), -1) for number in found if number not in self._links)
        return [end for end in ends if end in self._links]

    def _number(self, url: str) -> int:
        return self._numbers.setdefault(url, len(self._numbers))
