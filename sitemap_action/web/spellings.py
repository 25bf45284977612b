"""Spellings of one URL: the one the config asks for, those of the host, the known ones a mistyped URL may mean."""

import re
from collections.abc import Collection, Iterator
from itertools import compress, count
from operator import ne

from msgspec import Struct

from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.web.media import media_type
from sitemap_action.web.site_mapping import SiteMapping, is_preview, www_twin
from sitemap_action.web.urls import origin

_HTML = ".html"
_INDEX = "/index.html"


class SpellingRules(Struct, frozen=True):
    """`None`: as the host serves the page."""

    slash: bool | None = None  # whether a page without a file extension ends with a slash
    html: bool | None = None  # whether the `.html` of its file is part of its URL

    @property
    def any(self) -> bool:
        return self.slash is not None or self.html is not None

    def spell(self, url: str, start: str, file: str = "") -> Iterator[str]:
        """The spellings to list, the best first; the URL itself where the rules change nothing.

        `start`: site-url, which keeps its slash; `file`: of a build, "" when it is not known.
        """
        path, question, query = url.partition("?")
        if path == start:
            yield url
            return
        index = f"/{file}".endswith(_INDEX) if file else path.endswith("/") and self.slash is not False
        if self.slash is False:
            path = path.removesuffix("/")
        if self.html and not index and not _has_extension(path):
            yield path.removesuffix("/") + _HTML + question + query
        stem = path.removesuffix(_HTML)
        if self.html is False and not path.endswith(_INDEX) and not stem.endswith("/") and not _has_extension(stem):
            path = stem
        if self.slash and not path.endswith("/") and not _has_extension(path):
            path += "/"
        yield path + question + query

    def spelling_to_request(self, url: str, start: str) -> str:
        """The spelling to request from a server, "" for none: only a folder shows which pages are files `x.html`."""
        *_, last = self.spell(url, start)
        return "" if last == url else last


NO_RULES = SpellingRules()


def other_slash(url: str, start: str) -> str:
    """The URL with the final slash of its path added or removed; "" for the start page and for a file name."""
    path, question, query = url.partition("?")
    if path == start or _has_extension(path):
        return ""
    return (path[:-1] if path.endswith("/") else f"{path}/") + question + query


def _has_extension(path: str) -> bool:
    """Whether the last segment is the name of a file: `/v1.2` is a page."""
    return bool(media_type(path.rpartition("/")[2]))


def count_links(origins: tuple[str, ...], links: Collection[str]) -> tuple[tuple[str, int], ...]:
    """(origin, links to it) of those origins that links of a page name."""
    text = "\n".join(("", *links))  # one search per origin, however many links a page has
    return tuple((one, number) for one in origins if (number := text.count(f"\n{one}/")))


def other_spellings(site_url: str, mapping: SiteMapping | None = None) -> tuple[str, ...]:
    """Origins under which a site may be reached as well: the other scheme, with or without www. (URL-28).

    `mapping`: of a served site, which reaches some of them.
    """
    site = origin(site_url)
    if is_preview(site_url) or ":" in site.partition("://")[2]:
        return ()
    other = site.replace("https:", "http:", 1) if site.startswith("https:") else site.replace("http:", "https:", 1)
    found = (other, www_twin(site), www_twin(other))
    path = site_url[len(site) :]
    return tuple(
        one
        for one in found
        if mapping is None or (mapping.to_site(one + path) == one + path and not mapping.served.startswith(f"{one}/"))
    )


_MOST = 3
_EDITS = 2
_LONGEST = 60  # characters that differ; a longer rest is no slip of a key
_SPELLING = lazy_re(r"https?://(?:www\.)?([^?]*?)(?:/index\.html?|\.html?)?/?(?=\?|\Z)", re.DOTALL)


class NearUrls:
    """Collects the best three of many; the order in which they come does not matter."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._folded = _fold_spelling(url)
        self._found: dict[str, int] = {}  # URL → edits

    def add(self, url: str) -> None:
        if url == self._url:
            return
        folded = _fold_spelling(url)
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


def _fold_spelling(url: str) -> str:
    """The URL without what differs between spellings of a page: scheme, www., case, index.html, .html, final slash."""
    found = _SPELLING.match(url)
    return (found[1] + url[found.end() :] if found else url).lower()


def _different_parts(one: str, other: str) -> tuple[str, str]:
    start = _common_length(one, other)
    one, other = one[start:], other[start:]
    end = _common_length(one[::-1], other[::-1])
    return one[: len(one) - end], other[: len(other) - end]


def _common_length(one: str, other: str) -> int:
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
