"""Links of a build that lead to no file and to no rule of its host, each with the first page that has it (HTML-73)."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sitemap_action.hosts.page_spellings import StaticHost
from sitemap_action.walk.build import Build, BuildFetcher

_MAX_HOPS = 10
_MAX_KNOWN = 30_000  # URLs that are resolved once, as many as the reader of links caches


class PageEnd(NamedTuple):
    """How many URLs were known after the links of a page."""

    known: int
    url: str


class DeadLinks:
    """Resolves each URL once, however many pages link to it."""

    def __init__(self, build: Build) -> None:
        self._build = build
        self._fetcher = build.fetcher()
        self._files = build.host.files if isinstance(build.host, StaticHost) else frozenset()  # no rule hides one
        self._known: set[str] = set()
        self._dead: set[str] = set()

    def find(self, links: Mapping[str, int], pages: Sequence[PageEnd]) -> dict[str, str]:
        """Dead URL without its query → the first page that links to it; `links` in the order of the pages."""
        if len(self._known) > _MAX_KNOWN:
            self._known, self._dead = set(), set()
        if not self._known.issuperset(links):
            self._resolve(links.keys() - self._known)
        if not self._dead or self._dead.isdisjoint(links):
            return {}
        found: dict[str, str] = {}
        ends = iter(pages)
        end = next(ends)
        for number, url in enumerate(links):
            while number >= end.known:
                end = next(ends)
            if url in self._dead:
                found.setdefault(url.partition("?")[0], end.url)
        return found

    def _resolve(self, urls: set[str]) -> None:
        start, files = len(self._build.base), self._files
        self._known |= urls
        for url in urls:
            path = url[start:]
            is_file = (path or "index.html") in files or (path[-1:] == "/" and f"{path}index.html" in files)
            if not is_file and is_dead(self._build, self._fetcher, url):
                self._dead.add(url)


def is_dead(build: Build, fetcher: BuildFetcher, url: str) -> bool:
    """Whether the host answers with 404 or another error, at once or where its redirects end."""
    for _ in range(_MAX_HOPS):
        found = fetcher.resolve(url)
        if 400 <= found.status < 500:
            return not build.may_have(url)
        if not found.location.startswith("/"):
            return False
        url = build.base + found.location[1:]
        if url in build.promised:
            return False
    return True
