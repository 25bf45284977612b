"""The site in one picture, before and after: a bar for each section of what stays, moves, vanishes and appears in it.

A section is a directory of the first level, or one of the second where something in it differs and there is room. The
HTML report draws the rows in colours and patterns, and Markdown as a table of signs.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.decide.page_table import section_paths
from sitemap_action.model.outcome import Outcome
from sitemap_action.model.site import Reason

_ROWS, _SECTIONS = 18, 12  # rows of a picture, and sections of the first level among them
_PARTS = 8  # a part with fewer of the differences of its section says less than the section
_POINTS = 6  # days of the history that are told
_CELLS = 24  # of a bar in Markdown
_MOVES = frozenset({Reason.MOVED, Reason.MERGED})
_KINDS = ("left", "removed", "unknown", "arrived", "added")


class SectionRow(Struct, frozen=True):
    """One section, in numbers of pages."""

    path: str  # as "/blog/"; "/" for pages of no section; "" for all sections that have no row
    level: int = 0
    kept: int = 0
    left: int = 0  # listed under another address now
    removed: int = 0
    unknown: int = 0  # without an answer
    arrived: int = 0  # listed under another address before
    added: int = 0
    sections: int = 1

    @property
    def pages_before(self) -> int:
        return self.kept + self.left + self.removed + self.unknown

    @property
    def pages_after(self) -> int:
        return self.kept + self.unknown + self.arrived + self.added

    @property
    def differences(self) -> int:
        return self.left + self.removed + self.unknown + self.arrived + self.added

    def bar(self, most: int) -> str:
        """A sign for each share of pages, as every list of the report has it; `most`: pages that fill the bar."""
        signs = zip("■~-?~+", (self.kept, *(getattr(self, kind) for kind in _KINDS)), strict=True)
        return "".join(sign * (max(1, round(_CELLS * count / most)) if count else 0) for sign, count in signs)


def site_picture(outcome: Outcome) -> tuple[SectionRow, ...]:
    """The whole site first, then its sections; nothing where the run has no table of all pages."""
    if outcome.details.pages is None or not outcome.details.pages.sections:
        return ()
    known = {path for path, _, _ in outcome.details.pages.sections}
    counts = _count_differences(outcome, known)
    listed = {path: count for path, count, _ in outcome.details.pages.sections}
    rows = {path: _row(path, listed.get(path, 0), counts[path]) for path in (*listed, *(counts.keys() - listed))}
    top = sorted((row for path, row in rows.items() if "/" not in path), key=_weight)
    shown, others = top[:_SECTIONS], top[_SECTIONS:]
    found = [replace(_sum_up(top), path="/", sections=len(top))]
    inner = _find_inner(rows)[: _ROWS - len(shown)]
    for row in sorted(shown, key=lambda one: one.path):
        found.append(replace(row, path=f"/{row.path}/" if row.path else "/", level=1))
        parts = sorted((one for one in inner if one.path.startswith(f"{row.path}/")), key=lambda one: one.path)
        found += [replace(one, path=f"/{one.path}/", level=2) for one in parts]
    if others:
        found.append(replace(_sum_up(others), path="", level=1, sections=len(others)))
    return tuple(row for row in found if row.pages_before or row.pages_after)


def page_history(outcome: Outcome) -> str:
    """The number of pages over time, as text: what the state knows of earlier days, and the ledger of addresses."""
    days = outcome.details.pages.history if outcome.details.pages is not None else ()
    step = max(1, -(-(len(days) - 1) // (_POINTS - 1)))
    shown = days[-1::-step][::-1]  # the last day is this run's
    counts = ", ".join(f"{count:,} on {day}" for day, count in shown[:-1])
    known = f"Pages to list, from the state of earlier runs: {counts}, {days[-1][1]:,} now." if counts else ""
    ledger = outcome.diff.ledger
    ever = f"Addresses ever published, from {ledger.path}: {ledger.lines:,}." if ledger.lines else ""
    return " ".join(filter(None, (known, ever)))


def _find_inner(rows: Mapping[str, SectionRow]) -> list[SectionRow]:
    """Sections of the second level that have a good part of what differs in theirs, the most important first."""
    siblings = Counter(path.partition("/")[0] for path in rows if "/" in path)
    found = []
    for row in sorted((row for path, row in rows.items() if "/" in path and row.differences), key=_weight):
        top = row.path.partition("/")[0]
        if siblings[top] > 1 and row.differences * _PARTS >= rows[top].differences:
            found.append(row)
    return found


def _weight(row: SectionRow) -> tuple[int, int, str]:
    return -row.differences, -row.pages_before, row.path


def _count_differences(outcome: Outcome, known: set[str]) -> Mapping[str, Counter[str]]:
    """Section → kind → pages. Where no baseline says what changed, the judged sitemap is what was before."""
    diff, site = outcome.diff, outcome.run.site_url
    removed = diff.removed or diff.extra
    flips = diff.flips or diff.stale_flips
    gone = {row.url for flip in flips for row in flip.uncovered}  # the old address of a page, where nothing is now
    pairs = [(old, new) for flip in flips for old, new in flip.pages if old not in gone]
    moved = {row.url: row.redirect_to for row in removed if row.reason in _MOVES} | dict(pairs)
    added = [row.url for row in diff.added] or list(diff.missing)
    targets = {*moved.values()}
    kinds: dict[str, str] = {row.url: "removed" for row in removed}
    kinds |= dict.fromkeys(moved, "left")
    kinds |= {url: "arrived" if url in targets else "added" for url in added}
    kinds |= {row.url: "unknown" for row in diff.undetermined}
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for url, kind in kinds.items():
        for path in _sections_of(url, site, known):
            counts[path][kind] += 1
    return counts


def _sections_of(url: str, site: str, known: set[str]) -> Iterator[str]:
    """The sections that count a page, as the table of pages counts it."""
    first, *second = section_paths(url, site)
    yield first if first in known else ""
    yield from (path for path in second if first in known and path in known)


def _row(path: str, listed: int, counts: Counter[str]) -> SectionRow:
    stays = listed - counts["arrived"] - counts["added"] - counts["unknown"]
    return SectionRow(path, kept=max(0, stays), **{kind: counts[kind] for kind in _KINDS})


def _sum_up(rows: list[SectionRow]) -> SectionRow:
    sums = {kind: sum(getattr(row, kind) for row in rows) for kind in ("kept", *_KINDS)}
    return SectionRow("", **sums)
