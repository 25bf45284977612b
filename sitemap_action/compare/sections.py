"""Counts pages by directory of the site, two levels deep, in bounded memory."""

from sitemap_action.model.page_table import SectionCount
from sitemap_action.model.site import KnownUrl

_MOST = 2_000  # directories; a page of another one counts above it


class SectionCounter:
    """A page `a/b` counts in `a`; `a/b/c` in `a` and in `a/b`; `a` in `a`, where other pages are below it."""

    def __init__(self, site_url: str) -> None:
        self._site_url = site_url
        self._counts: dict[str, list[int]] = {"": [0, 0]}

    def add(self, row: KnownUrl, *, listed: bool) -> None:
        place = 0 if listed else 1
        for path in self._paths(row.page.url):
            counts = self._counts.get(path)
            if counts is None and len(self._counts) < _MOST:
                counts = self._counts[path] = [0, 0]
            if counts is None:
                self._counts[""][place] += 1
                return
            counts[place] += 1

    def counts(self) -> tuple[SectionCount, ...]:
        """Sorted by path; a directory with one page is none, and its page counts above it."""
        found, top = [], list(self._counts[""])
        for path, count in sorted(self._counts.items()):
            if path and sum(count) > 1:
                found.append(SectionCount(path, *count))
            elif path and "/" not in path:
                top = [one + other for one, other in zip(top, count, strict=True)]
        return (*([SectionCount("", *top)] if any(top) else ()), *found)

    def _paths(self, url: str) -> tuple[str, ...]:
        if not url.startswith(self._site_url):
            return ("",)
        first, slash, rest = url[len(self._site_url) :].partition("?")[0].strip("/").partition("/")
        second, deeper, _ = rest.partition("/")
        return (first, f"{first}/{second}") if slash and deeper else (first,)
