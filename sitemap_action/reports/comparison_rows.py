"""The rows of the comparison, in sections: what is lost first, and a reason that many rows share once."""

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.decide.causes import common_cause
from sitemap_action.model.outcome import CauseKind, Changed, Flip, Outcome, Removed, Skipped
from sitemap_action.model.site import INTENDED, DeindexedBy, Reason
from sitemap_action.reports.advice import ADVICE, NET_02, NOT_REDIRECTED, OLD_SITE_NOT_READ, REDIRECTED, THIS_RUN_ALONE

_SHARED = 3  # rows that are a section of their own, when they have their reason in common with each other alone


class Row(Struct, frozen=True):
    """One line of a section."""

    mark: str  # "+" added, "-" removed, "~" changes, "?" unknown, " " otherwise
    subject: str  # a URL or a rule; hostile text, to be escaped by the format
    detail: str = ""  # hostile text too: why it is here
    place: str = ""  # file:line
    tip: str = ""  # what to do about this row alone
    more: str = ""  # hostile text too: what is known of this row besides

    @property
    def said(self) -> str:
        """Why it is here, with what is known besides."""
        return "; ".join(filter(None, (self.detail, self.more)))


class Section(Struct, frozen=True):
    title: str
    rows: tuple[Row, ...]
    tip: str = ""
    open: bool = True  # False: may be folded
    shared: str = ""  # the detail of every row, which then has none: hostile text


def by_reason(section: Section) -> list[Section]:
    """A detail that rows share is stated once, with the section; the tip of all stands with the last part (U-07)."""
    counts = Counter((row.detail, row.tip) for row in section.rows if row.detail)
    least = 2 if len(counts) == 1 and counts.total() == len(section.rows) else _SHARED
    shared = [key for key, count in counts.most_common() if count >= least]
    parts = [_part(section, key) for key in shared]
    if rest := tuple(row for row in section.rows if (row.detail, row.tip) not in set(shared)):
        parts.append(replace(section, rows=rest, tip=""))
    if parts and section.tip:
        parts[-1] = replace(parts[-1], tip=" ".join(filter(None, (parts[-1].tip, section.tip))))
    return parts


def _part(section: Section, key: tuple[str, str]) -> Section:
    rows = tuple(replace(row, detail="", tip="") for row in section.rows if (row.detail, row.tip) == key)
    return replace(section, rows=rows, shared=key[0], tip=key[1])


def field_changes(row: Changed) -> str:
    return "; ".join(f"{name}: {old or 'none'} → {new or 'none'}" for name, old, new in row.fields)


def stale_sections(outcome: Outcome) -> list[Section]:
    """Question 1, what vanishes first; where the committed file is the baseline, the answer to question 2 as well."""
    run, diff = outcome.run, outcome.diff
    old, new = grouped_urls(diff.stale_flips)
    found = {row.url: f"found in {row.found_on}" for row in diff.added if row.found_on} if run.same_baseline else {}
    kept = {row.url for row in diff.undetermined} if diff.kept else frozenset()  # have a row of their own
    shown = (url for url in diff.missing if url not in new and url not in kept)
    missing = tuple(Row("+", url, found.get(url, "")) for url in shown)
    extra = [row for row in diff.extra if row.url not in old]
    return [
        _flips(f"Under another URL than in {run.sitemap}", diff.stale_flips, outcome, diff.committed),
        *_removal_sections(f"Listed in {run.sitemap}, but", extra, run.sitemap, outcome),
        Section(f"Pages for {run.sitemap}" if run.absent else f"Missing from {run.sitemap}", missing),
    ]


def change_sections(outcome: Outcome) -> list[Section]:
    """Question 2: what this change does to the site."""
    run, diff = outcome.run, outcome.diff
    old, new = grouped_urls(diff.flips)
    changed = tuple(Row("~", row.url, field_changes(row)) for row in diff.changed)
    added = tuple(
        Row("+", row.url, f"found in {row.found_on}" if row.found_on else "")
        for row in diff.added
        if row.url not in new
    )
    removed = [row for row in diff.removed if row.url not in old]
    return [
        _flips("Under another URL with this change", diff.flips, outcome, diff.baseline),
        *_removal_sections("Removed with this change:", removed, run.baseline_name or run.baseline, outcome),
        Section("Added with this change", added),
        Section("Changed", changed),
    ]


def grouped_urls(flips: Sequence[Flip]) -> tuple[set[str], set[str]]:
    """Old and new URLs that are part of a group and get no row of their own."""
    pages = [pair for flip in flips for pair in flip.pages]
    return {old for old, _ in pages}, {new for _, new in pages}


def _flips(title: str, flips: Sequence[Flip], outcome: Outcome, listed: int) -> Section:
    """DIFF-11: pages that all change in one way are one row."""
    rows = tuple(Row("~", ", ".join(flip.change), flip.describe(listed)) for flip in flips)
    led = all(flip.percent == 100 for flip in flips)
    tip = REDIRECTED if led else "" if outcome.names_other_host else NOT_REDIRECTED
    return Section(title, rows, tip + (OLD_SITE_NOT_READ if any(flip.moves_site for flip in flips) else ""))


def _removal_sections(title: str, removed: Sequence[Removed], sitemap: str, outcome: Outcome) -> list[Section]:
    """One section per class of removal, in the order of the classes."""
    found = []
    for reason in sorted(Reason, key=INTENDED.__contains__):  # what is lost first
        rows = [row for row in removed if row.reason is reason]
        tip = (
            "Announced."
            if rows and all(row.acknowledged for row in rows)
            else ADVICE[reason] + _common_cause(rows, outcome)
        )
        found += by_reason(Section(f"{title} {reason}", tuple(_removal(row, sitemap) for row in rows), tip))
    return found


def _common_cause(rows: Sequence[Removed], outcome: Outcome) -> str:
    """Many pages that leave the index for one reason point at one place, not at a page (DIFF-07)."""
    found = common_cause(rows)
    if found is None:
        return ""
    said = outcome.main_cause.kind if outcome.main_cause else None
    shared = outcome.diff.common_cause if said is CauseKind.COMMON else None
    by_robots = said is CauseKind.START_BLOCKED or (shared is not None and shared.by is DeindexedBy.ROBOTS)
    known = found == shared or (found.by is DeindexedBy.ROBOTS and by_robots)
    return f" {found.place}." if known else f" One cause: {found.sentence}. {found.place}."


def _removal(row: Removed, sitemap: str) -> Row:
    detail = f"{row.detail} (expected: {row.acknowledged})" if row.acknowledged else row.detail
    detail += f" (a warning until {row.grace}: policy.grace)" if row.grace else ""
    place = f"{row.path or sitemap}:{row.line}" if row.line else ""
    return Row("-", row.url, detail, place, more=f"still {row.links}" if row.links else "")


def skipped(row: Skipped) -> Row:
    mark = "?" if row.reason is Reason.UNDETERMINED else " "
    reason = "" if row.reason is Reason.UNDETERMINED and row.detail else row.reason.value
    detail = ": ".join(filter(None, (reason, row.detail)))
    return Row(mark, row.url, detail, tip=_access_tip(row))


def dead_link(row: Skipped) -> Row:
    return Row("!", row.url, row.detail, row.links.place if row.links else "", more=str(row.links or ""))


def unanswered(row: Skipped) -> Row:
    found = f"found in {row.found_on}" if row.found_on else ""
    return Row("?", row.url, row.detail, tip=_access_tip(row), more=found)


def _access_tip(row: Skipped) -> str:
    return NET_02 if row.reason is Reason.UNDETERMINED and THIS_RUN_ALONE in row.detail else ""
