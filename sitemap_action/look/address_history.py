"""What git tells of addresses: which the sitemap ever had, since when the ledger has one, and what broke it.

One walk along the first parents, which is what a branch has published; of a file all changed lines are read, so that a
merge counts as what it brought.
"""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from html import unescape
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from msgspec.structs import replace

from sitemap_action.errors import BaselineError
from sitemap_action.hosts.all import CONTROL_FILES
from sitemap_action.look.places import path_inside, repository
from sitemap_action.model.outcome import Outcome, Removed
from sitemap_action.repo.git import Git
from sitemap_action.web.urls import BadUrl, path_query

_WALK = ("log", "--first-parent", "-m", "--no-color", "--no-ext-diff", "--no-textconv", "--no-notes", "--no-decorate")
_NAMES = (*_WALK, "-z", "--name-status", "--diff-filter=AR", "-M", "--format=", "HEAD", "--")
_PATCH = ("-p", "-U0", "--no-renames", "--no-prefix", "--no-show-signature", "--format=%x01%h %cs")
_LINES = (*_WALK, *_PATCH, "HEAD", "--")
_SITEMAP = re.compile(r"(?:.*/)?[^/]*sitemap[^/]*\.(?:xml|txt)")
_LOC = re.compile(rb"<(?:(?!image:)[\w-]+:)?loc>\s*+(?:<!\[CDATA\[)?+\s*+(https?://[^\s<\]]+)")
_ALONE = re.compile(rb"\s*(https?://[^\s<>\"']+)\s*")
_TOKEN = re.compile(r"[^\s\"'<>,()\[\]{}]+")
_FOLDERS = ("", "public", "static", "docs")  # whose files generators copy into the build
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
    if not ledger.dead:
        return outcome
    try:
        git = repository(workspace, ledger.path)
        top = git.top()
        if top is None or git.shallow():
            return outcome
        folders = (*_FOLDERS, build, str(PurePosixPath(build).parent))
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
