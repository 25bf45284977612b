"""Which spellings of a page's path a host serves, redirects or refuses: the host table of spec section 6, as data.

A page is a file `x.html` or an index `x/index.html`. Each has three spellings: `/x`, `/x/`, and the path of its file.
"""

from collections import Counter
from collections.abc import Container, Iterable, Mapping
from copy import copy
from enum import StrEnum
from typing import NamedTuple
from urllib.parse import quote, unquote

from sitemap_action.hosts.base import BuildFiles, HostResponse, ServedBuild

_SAFE = "/!$&'()*+,;=:@-._~"  # unescaped in a path by the URL standard: link and file have one identity
_INDEX = "index.html"


class Spelling(StrEnum):
    """One way to write the path of a page."""

    BARE = "/x"
    SLASH = "/x/"
    FILE = "/x.html"  # or /x/index.html


class Reply(StrEnum):
    """What the host does with a spelling."""

    SERVED = "200"
    REDIRECTED = "redirect"  # to the listed spelling
    MISSING = "404"


class PageSpellings(NamedTuple):
    """What the host does with each spelling of a page, and the spelling that is listed."""

    replies: Mapping[Spelling, Reply]
    listed: Spelling
    choices: tuple[Spelling, ...] = ()  # that answer alike, so that what the site uses is listed

    def with_most_used(self, uses: Mapping[Spelling, int]) -> "PageSpellings":
        """Lists the choice that is used most."""
        best = max(self.choices, key=lambda one: uses.get(one, 0), default=self.listed)
        return self._replace(listed=best) if uses.get(best, 0) > uses.get(self.listed, 0) else self

    def outcome(self, spelling: Spelling) -> Reply:
        return Reply.SERVED if spelling is self.listed else self.replies[spelling]


class Spellings(NamedTuple):
    """A row of the host table. `file_first`: of `x.html` and `x/index.html`, the file answers for a common spelling."""

    file: PageSpellings
    folder: PageSpellings
    status: int = 301  # of its redirects
    file_first: bool | None = True  # None: where it alone is listed so

    def index_first(self, spelling: Spelling) -> bool:
        """Whether of both files the index answers for a common spelling."""
        if self.file_first is None:
            return spelling is not self.file.listed or spelling is self.folder.listed
        return not self.file_first


def row(outcomes: str, listed: Spelling, *choices: Spelling) -> PageSpellings:
    """A row of the table, written as three of `ok`, `->` and `404` in the order of `Spelling`."""
    replies = {one: _OUTCOMES[word] for one, word in zip(Spelling, outcomes.split(), strict=True)}
    return PageSpellings(replies, listed, choices)


_OUTCOMES = {"ok": Reply.SERVED, "->": Reply.REDIRECTED, "404": Reply.MISSING}


class StaticHost:
    """Implements `Host` for a host without control files."""

    def __init__(self, files: Container[str], spellings: Spellings) -> None:
        self.files = files
        self.spellings = spellings

    def address(self, path: str, /) -> str:
        """Percent-encodes each segment of the file name (HOST-11); an index file becomes its directory (HOST-02)."""
        directory, _, base = path.rpartition("/")
        if base == _INDEX:
            return _url_path(directory, self.spellings.folder.listed, index=True)
        if path.endswith(".html"):
            return _url_path(path.removesuffix(".html"), self.spellings.file.listed, index=False)
        return encoded_path(path)

    def preferring(self, url_paths: Iterable[str], /) -> "StaticHost":
        if not self.spellings.file.choices and not self.spellings.folder.choices:
            return self
        uses = Counter(map(self.spelling_of, url_paths))
        files, folders = ({one: uses[folder, one] for one in Spelling} for folder in (False, True))
        host = copy(self)
        file, folder = self.spellings.file.with_most_used(files), self.spellings.folder.with_most_used(folders)
        host.spellings = self.spellings._replace(file=file, folder=folder)
        return host

    def listing(self, spelling: Spelling, *, folder: bool) -> "StaticHost":
        """A host that lists pages of one kind so."""
        host, (file, index) = copy(self), self.spellings[:2]
        file, index = (file, index._replace(listed=spelling)) if folder else (file._replace(listed=spelling), index)
        host.spellings = self.spellings._replace(file=file, folder=index)
        return host

    def spelling_of(self, url_path: str) -> tuple[bool, Spelling] | None:
        """Whether a path is of the index of a folder, and which of its page's spellings; None for no page x.html.

        The start page has one spelling.
        """
        path = unquote(url_path).lstrip("/")
        directory, _, name = path.rpartition("/")
        if path in self.files:
            index = name == _INDEX
            return (index, Spelling.FILE) if name.endswith(".html") and (directory or not index) else None
        spelling, stem = Spelling.SLASH if path.endswith("/") else Spelling.BARE, path.removesuffix("/")
        index = self.spellings.index_first(spelling)
        kinds = [kind for kind in (index, not index) if stem and _file(stem, index=kind) in self.files]
        is_known = len(kinds) == 1 or (kinds and self.spellings.file_first is not None)  # HOST-03: hosts disagree
        return (kinds[0], spelling) if is_known else None

    def answer(self, url_path: str, /) -> HostResponse:
        try:
            path = unquote(url_path, errors="strict").lstrip("/")
        except UnicodeDecodeError:
            return HostResponse(404)
        if path in self.files and not path.endswith(".html"):
            return HostResponse(200, path)
        if path.endswith(".html") and path in self.files:
            index = path.rpartition("/")[2] == _INDEX
            stem = path.removesuffix(_INDEX).removesuffix("/") if index else path.removesuffix(".html")
            return self._page(stem, Spelling.FILE, index=index) or HostResponse(404)
        spelling = Spelling.SLASH if path.endswith("/") or not path else Spelling.BARE
        stem = path.removesuffix("/")
        index_first = self.spellings.index_first(spelling)
        for index in (index_first, not index_first):
            if response := self._page(stem, spelling, index=index):
                return response
        return HostResponse(404)

    def _page(self, stem: str, spelling: Spelling, *, index: bool) -> HostResponse | None:
        """The response for one spelling of the page; None when there is no such page, or the host refuses it."""
        name = _file(stem, index=index)
        if name not in self.files:
            return None
        rules = self.spellings.folder if index else self.spellings.file
        outcome = Reply.SERVED if not stem and spelling is Spelling.SLASH else rules.outcome(spelling)
        match outcome:
            case Reply.SERVED:
                return HostResponse(200, name)
            case Reply.REDIRECTED:
                return HostResponse(self.spellings.status, location=_url_path(stem, rules.listed, index=index))
            case Reply.MISSING:
                return None


def _file(stem: str, *, index: bool) -> str:
    """The file of the page; a name that no file has for a page without one."""
    if index:
        return f"{stem}/{_INDEX}" if stem else _INDEX
    return f"{stem}.html" if stem and not stem.endswith("/") else ""


def _url_path(stem: str, spelling: Spelling, *, index: bool) -> str:
    if index and not stem:
        return "/"
    path = stem if spelling is Spelling.BARE else f"{stem}/" if spelling is Spelling.SLASH else _file(stem, index=index)
    return encoded_path(path)


def encoded_path(file: str | bytes) -> str:
    """The URL path of a file name, with each segment percent-encoded (HOST-11)."""
    return "/" + quote(file, safe=_SAFE)


_BARE, _SLASH, _FILE = Spelling.BARE, Spelling.SLASH, Spelling.FILE

# The columns: /file /file/ /file.html, and /folder /folder/ /folder/index.html.
_PLAIN = Spellings(row("404 404 ok", _FILE), row("-> ok ok", _SLASH), file_first=False)
PLAIN_HOSTS = {
    "generic": _PLAIN,
    "github-pages": Spellings(row("ok 404 ok", _FILE, _FILE, _BARE), row("-> ok ok", _SLASH)),
    "s3-website": Spellings(row("404 404 ok", _FILE), row("-> ok ok", _SLASH), status=302),
    "nginx": _PLAIN,
    "nginx-clean": Spellings(
        row("ok 404 ok", _FILE, _FILE, _BARE), row("ok ok ok", _SLASH, _SLASH, _BARE), file_first=False
    ),
    "render": Spellings(row("ok ok ok", _FILE, _FILE, _BARE, _SLASH), row("ok ok ok", _SLASH, _SLASH, _BARE)),
}
# Which spelling a host serves that is not known is for the site to say (HOST-01): each one of a file is its page. Only
# that of a folder without its slash is a redirect on every server that lists the one with it.
UNKNOWN_HOST = Spellings(
    row("ok ok ok", _FILE, _FILE, _BARE, _SLASH), row("-> ok ok", _SLASH, _SLASH, _BARE, _FILE), file_first=None
)


def serve_plain(spellings: Spellings, found: BuildFiles) -> ServedBuild:
    """A build on a host without control files."""
    return ServedBuild(StaticHost(found.files, spellings))
