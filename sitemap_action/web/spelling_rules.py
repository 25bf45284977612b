"""The spelling of a page's URL that the config asks for: its final slash and its `.html` (URL-21)."""

from collections.abc import Iterator

from msgspec import Struct

from sitemap_action.web.media import media_type

_HTML = ".html"
_INDEX = "/index.html"


class SpellingRules(Struct, frozen=True):
    """`None`: as the host serves the page."""

    slash: bool | None = None  # whether a page without a file extension ends with a slash
    html: bool | None = None  # whether the `.html` of its file is part of its URL

    @property
    def any(self) -> bool:
        return self.slash is not None or self.html is not None

    def spelled(self, url: str, start: str, file: str = "") -> Iterator[str]:
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

    def requested(self, url: str, start: str) -> str:
        """The spelling to request from a server, "" for none: only a folder shows which pages are files `x.html`."""
        *_, last = self.spelled(url, start)
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
