"""The report for a terminal and a log: plain lines, at most a screenful a section."""

from collections.abc import Sequence
from itertools import groupby

from sitemap_action.model.outcome import Outcome, Result
from sitemap_action.model.wording import json_report, plural
from sitemap_action.reports.advice import advice, causes, facts, headline, notes
from sitemap_action.reports.item_lists import Section, sections
from sitemap_action.reports.items import Item, ItemKind
from sitemap_action.web.printable import printable

_LONGEST = 500  # characters of a subject or detail; the JSON report has them all
_MOST = 20  # rows of one section; the JSON report has all of them


def render(outcome: Outcome) -> str:
    lines = [f"{outcome.result.value}: {printable(headline(outcome))} (exit {outcome.exit_code})", ""]
    lines += [f"  {name:<10} {printable(value)}" for name, value in facts(outcome)]
    shown = [one for one in sections(outcome) if one.kind is not ItemKind.NOT_CHECKED]  # in every other report
    hints = [one for one in shown if one.kind is ItemKind.NOTE] if outcome.result is Result.IN_SYNC else []
    lines += [f"  {'note':<10} {printable(note)}" for note in _with_hints(notes(outcome), hints)]
    if explained := causes(outcome):
        sign = "✗" if outcome.exit_code or outcome.in_issue else "✓"
        lines += ["", *(f"{sign} {printable(cause)}" for cause in explained)]
    for section in (one for one in shown if one not in hints):
        lines += ["", *_section(section)]
    if todo := advice(outcome):
        lines += ["", f"→ {printable(todo)}"]
    return "\n".join(lines) + "\n"


def _with_hints(told: tuple[str, ...], hints: Sequence[Section]) -> tuple[str, ...]:
    """The notes, with the names of rules that have a hint about a site in sync: one note in all (U-28)."""
    rows = [row for section in hints for row in section.rows]
    if not rows:
        return told
    names = ", ".join(sorted({row.name for row in rows}))
    return ("; ".join((*told, f"{plural(len(rows), 'hint')} in every other report ({names})")),)


def _section(section: Section) -> list[str]:
    shared = f": {_clip(section.shared)}" if section.shared else ""
    lines = [f"{printable(section.title)} ({len(section.rows):,}){shared}"]
    shown = section.rows[: _MOST if section.kind is not ItemKind.ACCEPTED else 0]  # a log has no fold
    for tip, rows in groupby(shown, key=lambda row: row.tip):
        lines += [*map(_row, rows), *([f"    ↳ {tip}"] if tip else [])]
    if len(section.rows) > len(shown) > 0:
        lines.append(f"  … and {len(section.rows) - _MOST:,} more: {json_report()} has all of them")
    if section.tip:
        lines.append(f"  ↳ {section.tip}")
    return lines


def _row(row: Item) -> str:
    place = f"  [{printable(row.place)}]" if row.place else ""
    detail = f"  {_clip(row.explanation)}" if row.explanation else ""
    return f"  {row.mark} {_clip(row.subject)}{detail}{place}"


def _clip(text: str) -> str:
    return printable(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…")
