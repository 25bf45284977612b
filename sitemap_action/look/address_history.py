"""What is known of addresses: by git, which the sitemap ever had and what broke one; by files that a person names.

One walk along the first parents, which is what a branch has published; of a file all changed lines are read, so that a
merge counts as what it brought.
"""

import csv
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from html import unescape
from io import StringIO
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from msgspec.structs import replace

from sitemap_action.config.schema import Config
from sitemap_action.disk.folder import read_whole
from sitemap_action.errors import BaselineError, UsageError
from sitemap_action.hosts.all import CONTROL_FILES
from sitemap_action.look.baseline import FOLDERS, Baseline
from sitemap_action.look.documents import Documents, documents_of, read_entries, user_named
from sitemap_action.look.places import is_sitemap, path_inside, repository
from sitemap_action.model.context import Context
from sitemap_action.model.finding import LedgerLine
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.outcome import Outcome, Removed
from sitemap_action.repo.git import Git
from sitemap_action.web.media import SKIP_CLASSES, SkipFilter
from sitemap_action.web.patterns import filter_query
from sitemap_action.web.urls import BadUrl, is_host_of, is_url, normalize, origin, path_query

_WALK = ("log", "--first-parent", "-m", "--no-color", "--no-ext-diff", "--no-textconv", "--no-notes", "--no-decorate")
_NAMES = (*_WALK, "-z", "--name-status", "--diff-filter=AR", "-M", "--format=", "HEAD", "--")
_PATCH = ("-p", "-U0", "--no-renames", "--no-prefix", "--no-show-signature", "--format=%x01%h %cs")
_LINES = (*_WALK, *_PATCH, "HEAD", "--")
_SITEMAP = lazy_re(r"(?:.*/)?[^/]*sitemap[^/]*\.(?:xml|txt)")
_LOC = lazy_re(rb"<(?:(?!image:)[\w-]+:)?loc>\s*+(?:<!\[CDATA\[)?+\s*+(https?://[^\s<\]]+)")
_ALONE = lazy_re(rb"\s*(https?://[^\s<>\"']+)\s*")
_TOKEN = lazy_re(r"[^\s\"'<>,()\[\]{}]+")
_SHOWN = 1_000  # dead addresses whose history is looked for
NO_HISTORY = "no address comes from the history: git has none here, or not the whole (fetch-depth: 0)"


class _Change(NamedTuple):
    """One changed line."""

    commit: str  # and its day
    path: str
    added: bool
    text: bytes


def _changes(git: Git, paths: Sequence[str]) -> Iterator[_Change]:
    """The newest commit first; of each file the lines that go before those that come."""
    commit = path = ""
    body = False
    with closing(git.records(*_LINES, *paths, end=b"\n")) as lines:
        for line in lines:
            if line.startswith(b"\x01"):
                commit = line[1:].decode(errors="replace")
            elif line.startswith(b"diff --git "):
                path, body = "", False
            elif not body and line.startswith((b"--- ", b"+++ ")):
                name = os.fsdecode(line[4:]).rstrip("\t")
                path = path if name == "/dev/null" else name
            elif line.startswith(b"@@"):
                body = True
            elif body and line[:1] in {b"+", b"-"}:
                yield _Change(commit, path, line[:1] == b"+", line[1:])


def sitemap_urls(git: Git, paths: Iterable[str]) -> Iterator[str]:
    """URLs that a sitemap had at one of its names, each perhaps several times; `paths`: those of today.

    Other sitemaps are read too: whoever asks knows which URLs are of the site. Raises BaselineError.
    """
    names = {path for path in paths if path}
    with closing(git.records(*_NAMES)) as found:
        for status in found:
            moved = next(found, b"") if status.startswith(b"R") else b""
            old, new = os.fsdecode(moved), os.fsdecode(next(found, b""))
            if new in names or _SITEMAP.fullmatch(new):
                names |= {new, old} - {""}
    for change in _changes(git, sorted(names)) if names else ():
        if change.added:
            alone = _ALONE.fullmatch(change.text)
            locs = [alone[1]] if alone else _LOC.findall(change.text)
            yield from (unescape(loc.decode(errors="replace")) for loc in locs)


def with_history(outcome: Outcome, workspace: Path, build: str) -> Outcome:
    """The outcome with what git tells of each dead address of the ledger; as it is where git tells nothing.

    No verdict depends on it, so that it is read where one fails alone. `build`: the folder, "" of a served site.
    """
    ledger = outcome.diff.ledger
    try:
        git = repository(workspace, ledger.path)
        top = git.top()
        if top is None or git.shallow():
            return outcome
        folders = (*FOLDERS, build, str(PurePosixPath(build).parent))
        places = (ledger.path, outcome.run.sitemap, *(f"{one}/{name}" for one in folders for name in CONTROL_FILES))
        paths = {path_inside(top, workspace, place.lstrip("/")) for place in places} - {""}
        own = (path_inside(top, workspace, place) for place in (ledger.path, outcome.run.sitemap))
        told = _Told(ledger.dead[:_SHOWN], *own)
        for change in _changes(git, sorted(paths)):
            told.add(change)
    except BaselineError:
        return outcome
    dead = (*(told.complete(row) for row in ledger.dead[:_SHOWN]), *ledger.dead[_SHOWN:])
    return replace(outcome, diff=replace(outcome.diff, ledger=replace(ledger, dead=dead)))


class _Told:
    """Since when the ledger has an address, and the newest change that took it, or where it leads, from a file."""

    def __init__(self, rows: Iterable[Removed], ledger: str, sitemap: str) -> None:
        self._ledger, self._sitemap = ledger, sitemap
        self._wanted: dict[str, list[str]] = {}  # path without its final slash → URLs of rows
        self._since: dict[str, str] = {}
        self._broken: dict[str, str] = {}
        self._taken: dict[str, _Change] = {}  # of one commit
        self._changed: set[str] = set()  # of them, what is there in another line
        for row in rows:
            for url in filter(None, (row.url, row.redirect_to)):
                self._wanted.setdefault(_key(url), []).append(row.url)

    def add(self, change: _Change) -> None:
        if self._taken and next(iter(self._taken.values())).commit != change.commit:
            self._end_commit()
        keys = {_key(token) for token in _TOKEN.findall(change.text.decode(errors="replace"))}
        for key in keys & self._wanted.keys():
            if change.path == self._ledger:
                self._since |= {url: change.commit for url in self._wanted[key] if change.added and _key(url) == key}
            elif change.added:
                self._return(key, change)
            else:
                self._taken.setdefault(key, change)

    def _return(self, key: str, change: _Change) -> None:
        """A redirect of the address itself that has changed is another one; all else is where it was."""
        taken = self._taken.get(key)
        own = taken is not None and any(_key(url) == key for url in self._wanted[key])
        if taken and own and self._sitemap not in {taken.path, change.path} and taken.text != change.text:
            self._changed.add(key)
        else:
            self._taken.pop(key, None)
            self._changed.discard(key)

    def _end_commit(self) -> None:
        for key, change in self._taken.items():
            commit, _, day = change.commit.partition(" ")
            for url in self._wanted[key]:
                what = "it" if _key(url) == key else key or "/"
                did = f"changed {what} in" if key in self._changed else f"took {what} out of"
                self._broken.setdefault(url, f"commit {commit} of {day} {did} {change.path}")
        self._taken, self._changed = {}, set()

    def complete(self, row: Removed) -> Removed:
        self._end_commit()
        since = self._since.get(row.url, "").partition(" ")[2]
        return replace(row, since=since, broken_by=self._broken.get(row.url, ""))


def _key(text: str) -> str:
    """The path of a URL, or a path, without its final slash."""
    try:
        path = path_query(text) if "://" in text else text
    except BadUrl:
        path = text
    return path.rstrip("/")


# --- what a ledger is made of: the addresses of the sitemap, of its history, and of files that a person names ---

_MOST = 200_000_000  # bytes of a file
_LOGGED = lazy_re(rb'"(?:GET|HEAD) (\S+) HTTP/[\d.]+" [23]\d\d ')
_COLUMNS = frozenset({"url", "page", "address", "loc", "link", "top pages", "landing page", "page path"})


def read_addresses(name: str) -> Iterator[str]:
    """URLs and root-relative paths of a list, a CSV with such a column, an access log or a sitemap.

    Of a log, requests that were answered. Raises UsageError.
    """
    try:
        content = read_whole(Path(name), _MOST)
    except OSError as error:
        raise UsageError(f"cannot read {name}: {error.strerror}", hint="name a file in --from") from None
    if is_sitemap(content) and content.lstrip().startswith((b"<", b"\x1f\x8b", b"\xef\xbb\xbf<")):
        documents = documents_of(user_named(name))
        yield from (entry.loc for document in documents for entry in read_entries(document))
    elif logged := _LOGGED.findall(content):
        yield from (one.decode(errors="replace") for one in logged)
    else:
        yield from _read_table(content.decode("utf-8-sig", errors="replace"))


def _read_table(text: str) -> Iterator[str]:
    """The column with a usual name, else the first cell of each row that is an address."""
    rows = csv.reader(StringIO(text), delimiter="\t" if "\t" in text.partition("\n")[0] else ",")
    column: int | None = None
    for number, row in enumerate(rows):
        if number == 0 and (found := [place for place, cell in enumerate(row) if cell.strip().casefold() in _COLUMNS]):
            column = found[0]
            continue
        cells = row[column : column + 1] if column is not None else row
        yield from [cell.strip().split()[0] for cell in cells if _is_address(cell.strip())][:1]


def _is_address(text: str) -> bool:
    return is_url(text) or (text.startswith("/") and not text.startswith("//"))


def with_candidates(  # noqa: PLR0913, PLR0917 - what is compared, and for which site
    config: Config, context: Context, base: Baseline, committed: Documents, site_url: str, named: Sequence[str]
) -> Baseline:
    """The baseline with a ledger of every address that may have been published; a new line has no number.

    `named`: by files. Raises BaselineError.
    """
    select, ledger = config.select, base.ledger
    files, query = SkipFilter(SKIP_CLASSES, select.types), select.query.allow
    workspace, rows = Path(context.workspace), committed.rows
    listed = (entry.loc for document in chain(committed, base.documents) for entry in read_entries(document))
    git = repository(workspace, rows[0].path if rows else "")
    whole = git.top() is not None and git.commit("HEAD") is not None and not git.shallow()
    old = sitemap_urls(git, [path_inside(git.top(), workspace, row.path) for row in rows]) if whole else ()
    made = {
        url: LedgerLine(url[len(origin(site_url)) :])
        for texts, allowed in ((chain(listed, old), None), (named, query or ()))
        for text in texts
        if (url := _candidate(text, site_url, config, allowed)) and not files.skip_class(url)
    }
    notes = (*base.notes, *(() if whole else (NO_HISTORY,)))
    ledger = replace(ledger, lines={**made, **ledger.lines})
    return replace(base, ledger=ledger, notes=notes)


def _candidate(text: str, site_url: str, config: Config, query: Sequence[str] | None) -> str:
    """The URL that it is below site-url, where the site lives or has lived; "" for another one."""
    if is_url(text) and not is_host_of(text, site_url, *config.policy.moved_from):
        return ""
    try:
        path, _, parameters = (path_query(text) if is_url(text) else text.partition("#")[0]).partition("?")
        kept = filter_query(parameters, query, config.select.drop_params)
        url = normalize(origin(site_url) + (f"{path}?{kept}" if kept else path))
    except BadUrl:
        return ""
    return url if url.startswith(site_url) else ""
