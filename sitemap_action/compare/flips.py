"""Pages that are still there under another address: one group for all that change alike (DIFF-11)."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from sitemap_action.model.outcome import Flip, Removed
from sitemap_action.model.site import Reason

_AT_LEAST = 2  # pages that change alike; of one alone its own row says enough
_MOVED_AT_LEAST = 3  # pages that leave one folder for another
_MOVES = 20  # folders that are tried on pages which lead nowhere
_LEADING = frozenset({Reason.MOVED, Reason.MERGED})
_INDEX = re.compile(r"/(index\.(?:html?|php))$", re.IGNORECASE)
_EXTENSION = re.compile(r"\.(html?)$", re.IGNORECASE)

_Change: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Spelling:
    """A URL taken apart into what may be spelled otherwise; `key` is what is left."""

    key: str
    scheme: str
    host: str
    index: str  # as written: "index.html"
    extension: str  # as written: ".html"
    slash: bool
    path: str  # without index file, extension and final slash; and the query


@dataclass(slots=True)
class _Pairs:
    """Which new URL stands for which old one."""

    groups: dict[_Change, list[tuple[Removed, str]]] = field(default_factory=lambda: defaultdict(list))

    def leave_out(self, least: int) -> None:
        self.groups = {change: rows for change, rows in self.groups.items() if change and len(rows) >= least}

    def urls(self) -> tuple[set[str], set[str]]:
        """Old ones, new ones."""
        rows = [pair for pairs in self.groups.values() for pair in pairs]
        return {row.url for row, _ in rows}, {url for _, url in rows}

    def flips(self) -> tuple[Flip, ...]:
        found = (
            Flip(
                change,
                tuple((row.url, url) for row, url in pairs),
                sum(1 for row, url in pairs if row.reason in _LEADING and row.redirect_to == url),
                tuple(row for row, url in pairs if row.reason not in _LEADING or row.redirect_to != url),
            )
            for change, pairs in self.groups.items()
        )
        return tuple(sorted(found, key=lambda flip: (-len(flip.pages), flip.change)))


def flips(removed: Sequence[Removed], added: Iterable[str]) -> tuple[Flip, ...]:
    """Pair what vanishes with what appears in its place: by where it leads, else by its spelling, else by its folder.

    Each old URL stands in one group at most; time grows with the number of URLs alone.
    """
    new = list(added)
    if len(removed) < _AT_LEAST or not new:
        return ()
    spelled = _spelled(removed, new)
    old, taken = spelled.urls()
    moved = _moved([row for row in removed if row.url not in old], [url for url in new if url not in taken])
    return (*moved.flips(), *spelled.flips())


def _spelled(removed: Sequence[Removed], new: Sequence[str]) -> _Pairs:
    """Pairs that differ in nothing but spelling."""
    by_key: dict[str, list[str]] = defaultdict(list)
    for url in new:
        by_key[_spelling(url).key].append(url)
    pairs = _Pairs()
    for row in removed:
        spelling = _spelling(row.url)
        candidates = by_key.get(spelling.key, [])
        if row.redirect_to:
            candidates = [url for url in candidates if url == row.redirect_to]
        if candidates:
            pairs.groups[_change(spelling, _spelling(candidates[0]))].append((row, candidates[0]))
    pairs.leave_out(_AT_LEAST)
    return pairs


def _spelling(url: str) -> _Spelling:
    scheme, colon, after = url.partition("://")
    host, slash, path = after.partition("/") if colon else ("", "", url)
    path, question, query = (slash + path).partition("?")
    index = _INDEX.search(path)
    path = path[: index.start(1)] if index else path
    extension = _EXTENSION.search(path)
    path = path[: extension.start()] if extension else path
    bare = path.rstrip("/") + question + query
    return _Spelling(
        bare.lower(),
        scheme if colon else "",
        host,
        index[1] if index else "",
        extension[0] if extension else "",
        path.endswith("/") and index is None,
        bare,
    )


def _change(old: _Spelling, new: _Spelling) -> _Change:
    """In words, one for each thing that is spelled otherwise."""
    found = [
        f"{before} → {after}" for before, after in ((old.scheme, new.scheme), (old.host, new.host)) if before != after
    ]
    if old.index != new.index:
        found.append(_exchange(old.index, new.index))
    if old.extension != new.extension:
        found.append(_exchange(old.extension, new.extension))
    if old.slash != new.slash and not old.index and not new.index:
        found.append(f"final slash {'added' if new.slash else 'dropped'}")
    if old.path != new.path:
        found.append("letter case")
    return tuple(found)


def _exchange(old: str, new: str) -> str:
    if old and new:
        return f"{old} → {new}"
    return f"{old} dropped" if old else f"{new} added"


def _moved(removed: Sequence[Removed], new: Sequence[str]) -> _Pairs:
    """Pages that keep their name and change their folder, on this site or from another one."""
    known = set(new)
    votes: Counter[tuple[str, str]] = Counter()
    for old, url in _likely(removed, new, known):
        if folders := _folders(old, url):
            votes[folders] += 1
    tried = [folders for folders, count in votes.most_common(_MOVES) if count >= _MOVED_AT_LEAST]
    pairs = _Pairs()
    for row in removed:
        for old, to in tried:
            url = to + row.url[len(old) :]
            if row.url.startswith(old) and url in known and row.redirect_to in ("", url):
                pairs.groups[(f"{old} → {to}",)].append((row, url))
                known.discard(url)
                break
    pairs.leave_out(_MOVED_AT_LEAST)
    return pairs


def _likely(removed: Sequence[Removed], new: Sequence[str], known: set[str]) -> Iterable[tuple[str, str]]:
    """Where a page leads; of one that leads nowhere, the only new page of the same name."""
    by_name: Mapping[str, list[str]] = defaultdict(list)
    for url in new:
        by_name[_name(url)].append(url)
    for row in removed:
        if row.redirect_to in known:
            yield row.url, row.redirect_to
        elif not row.redirect_to and len(found := by_name.get(_name(row.url), [])) == 1:
            yield row.url, found[0]


def _name(url: str) -> str:
    return url.rstrip("/").rpartition("/")[2]


def _folders(old: str, new: str) -> tuple[str, str] | None:
    """The two folders that differ, whatever both URLs end in alike left out; None when they end in nothing alike."""
    before, after = old.split("/"), new.split("/")
    alike = 0
    while alike < min(len(before), len(after)) and before[-1 - alike] == after[-1 - alike]:
        alike += 1
    tail = sum(len(part) for part in before[len(before) - alike :]) + max(alike - 1, 0)
    return (old[: len(old) - tail], new[: len(new) - tail]) if tail else None
