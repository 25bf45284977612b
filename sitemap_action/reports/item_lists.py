"""The items in order: in sections for people, and as one list of problems for formats that other programs read."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.model.outcome import Outcome
from sitemap_action.reports.items import RANK, Item, ItemKind, items

MOST = 5_000
"""Rows of a file: GitHub shows as many results of a SARIF file, and GitLab reads as many without delay."""
MOST_BYTES = 9_000_000
"""Of a file: GitHub refuses more than 10 MB, and so does the XML parser that GitLab reads JUnit with."""


def problems(outcome: Outcome) -> list[Item]:
    """Errors first; each at a place in the repository, the sitemap or the config where it has none of its own."""
    elsewhere = default_place(outcome)
    found = (_add_place(one, elsewhere) for one in items(outcome) if one.severity in RANK)
    return sorted(found, key=lambda one: RANK[one.severity])


def _add_place(item: Item, elsewhere: str) -> Item:
    if not item.path or item.kind is ItemKind.REMOVED:  # whose line is that of another sitemap
        return replace(item, path=elsewhere, line=1)
    if in_repository(item.path):
        return replace(item, line=item.line or 1)
    if item.verb:
        return replace(item, path=elsewhere, line=item.line or 1)
    return replace(item, detail=f"{item.sentence} ({item.place})", url="", path=elsewhere, line=1)


def default_place(outcome: Outcome) -> str:
    """The file of what is in no file: the sitemap, else the config, else where the sitemap would be."""
    run = outcome.run
    candidates = (run.sitemap, run.identity.config) if not run.absent else (run.identity.config, run.sitemap)
    return next((path for path in candidates if in_repository(path)), "sitemap.xml")


def in_repository(path: str) -> bool:
    """Whether it is a path below the root, such as hosts resolve."""
    return bool(path.strip()) and not path.startswith(("/", "\\")) and "://" not in path and ".." not in path.split("/")


def identities(found: Sequence[Item]) -> list[str]:
    """One for each problem, no two alike."""
    seen: dict[str, int] = {}
    several = []
    for one in found:
        count = seen[one.fingerprint] = seen.get(one.fingerprint, 0) + 1
        several.append(one.fingerprint if count == 1 else f"{one.fingerprint[:24]}{count:08x}")
    return several


def fitting(rows: Iterable[str], most: int = MOST, room: int = MOST_BYTES) -> list[str]:
    """The first rows, up to a number of rows and of bytes."""
    found = []
    for row in islice(rows, most):
        room -= len(row.encode(errors="backslashreplace"))
        if room < 0:
            break
        found.append(row)
    return found


def left_out(count: int) -> str:
    """What a file says that ends before its last row."""
    return f"and {count:,} more, which are not in this file: the JSON report (--format json) has all of them"


_SHARED = 3  # rows that are a section of their own, when they have their reason in common with each other alone
_FOLDED = frozenset({ItemKind.NOTE, ItemKind.NOT_LISTED, ItemKind.ACCEPTED, ItemKind.NOT_CHECKED})
_BY_REASON = frozenset(
    {
        ItemKind.LISTED,
        ItemKind.REMOVED,
        ItemKind.LEDGER,
        ItemKind.UNDETERMINED,
        ItemKind.UNANSWERED,
        ItemKind.DEAD_LINK,
        ItemKind.NOT_LISTED,
    }
)
"""Kinds whose sections are split where rows share a reason."""


class Section(Struct, frozen=True):
    kind: ItemKind
    title: str
    rows: tuple[Item, ...]
    tip: str = ""
    shared: str = ""  # the detail of every row, which then has none: hostile text

    @property
    def open(self) -> bool:
        """Whether it may not be folded."""
        return self.kind not in _FOLDED


def sections(outcome: Outcome) -> tuple[Section, ...]:
    """Every item that people read, gravest kind first."""
    groups: dict[tuple[ItemKind, int, str], list[Item]] = {}
    for item in items(outcome):
        if item.group is not None:
            groups.setdefault((item.kind, item.group.order, item.group.title), []).append(item)
    found: list[Section] = []
    for (kind, _, title), rows in sorted(groups.items(), key=lambda one: one[0]):
        section = Section(kind, title, tuple(rows), rows[0].group.tip if rows[0].group is not None else "")
        found += _split_by_reason(section) if kind in _BY_REASON else [section]
    return tuple(found)


def _split_by_reason(section: Section) -> list[Section]:
    """A detail that rows share is stated once, with the section; the tip of all stands with the last part (U-07)."""
    counts = Counter((row.detail, row.tip) for row in section.rows if row.detail)
    least = 2 if len(counts) == 1 and counts.total() == len(section.rows) else _SHARED
    shared = [key for key, count in counts.most_common() if count >= least]
    parts = []
    for key in shared:
        rows = tuple(replace(row, detail="", tip="") for row in section.rows if (row.detail, row.tip) == key)
        parts.append(replace(section, rows=rows, shared=key[0], tip=key[1]))
    if rest := tuple(row for row in section.rows if (row.detail, row.tip) not in set(shared)):
        parts.append(replace(section, rows=rest, tip=""))
    if parts and section.tip:
        parts[-1] = replace(parts[-1], tip=" ".join(filter(None, (parts[-1].tip, section.tip))))
    return parts
