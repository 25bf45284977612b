"""The items in sections, for people: gravest kind first, and a reason that many rows share is said once."""

from collections import Counter

from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.model.outcome import Outcome
from sitemap_action.reports.items import Item, ItemKind, items

_SHARED = 3  # rows that are a section of their own, when they have their reason in common with each other alone
_FOLDED = frozenset({ItemKind.NOTE, ItemKind.NOT_LISTED, ItemKind.NOT_CHECKED})
_BY_REASON = frozenset(
    {
        ItemKind.LISTED,
        ItemKind.REMOVED,
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
