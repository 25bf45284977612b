"""The content of every report, in one wording: facts, notes, and sections of rows."""

from collections.abc import Iterable, Sequence

from sitemap_action.model.finding import Finding, NotChecked, Severity
from sitemap_action.model.outcome import Outcome, PolicyChange
from sitemap_action.model.site import Reason
from sitemap_action.reports.advice import ADVICE, UNANSWERED
from sitemap_action.reports.comparison_rows import (
    Row,
    Section,
    by_reason,
    change_sections,
    dead_link,
    skipped,
    stale_sections,
    unanswered,
)

_NOTES = 10  # shown to a person
_DEAD_LINK = "HTML-73"
TITLES = {Severity.ERROR: "Errors", Severity.WARNING: "Warnings", Severity.INFO: "Notes"}  # of findings
_GROUPED = frozenset({"DIFF-11", "HTML-40", _DEAD_LINK})  # findings that are shown among the rows they are about
_POLICY_TIP = "Everything below is judged by the new values: review them as part of the change."


def facts(outcome: Outcome) -> tuple[tuple[str, str], ...]:
    """(name, value) pairs: the site, its sitemap, and what they are compared with."""
    run, diff = outcome.run, outcome.diff
    committed = "does not exist yet" if run.first_run else "does not exist" if run.absent else _urls(diff.committed)
    rows = [
        ("site", run.site_url),
        ("source", f"{run.kind} {run.location}, {'no page' if run.no_pages else pages(diff.listed)} to list"),
        (run.judged, f"{run.sitemap} ({committed})"),
    ]
    if run.pull_request:
        rows.append(("change", run.pull_request))
    if run.question_one_alone:
        rows.append(("baseline", run.baseline))
    elif not run.same_baseline:
        rows.append(("baseline", f"{run.baseline} ({_urls(diff.baseline)})"))
    elif run.baseline != f"the committed {run.sitemap}":
        rows.append(("baseline", f"{run.baseline}: the {run.judged} file has the same content"))
    return tuple(rows)


def pages(count: int) -> str:
    return f"{count:,} page{'' if count == 1 else 's'}"


def _urls(count: int) -> str:
    return f"{count:,} URL{'' if count == 1 else 's'}"


def notes(outcome: Outcome) -> tuple[str, ...]:
    """The first ones and the number of the rest; the JSON report has them all."""
    found = outcome.run.notes
    more = (f"and {len(found) - _NOTES:,} more notes",) if len(found) > _NOTES else ()
    return (*found[:_NOTES], *more)


def sections(outcome: Outcome) -> tuple[Section, ...]:
    """Every row of the outcome, gravest first; empty sections are left out."""
    run, diff = outcome.run, outcome.diff
    *problems, remarks = _finding_sections(outcome.findings)
    checked = next((one.rule.tip for one in outcome.findings if one.rule.id == _DEAD_LINK), "")
    dead = [row for row in diff.skipped if row.links and checked]
    others = [row for row in diff.skipped if not (row.links and checked)]
    found = [
        Section("Policy that this change sets", tuple(map(_policy, run.policy)), _POLICY_TIP),
        Section(
            "Guards",
            tuple(Row("!", guard.key, guard.message) for guard in outcome.other_guards),
        ),
        Section("Incomplete", tuple(Row("?", reason) for reason in outcome.other_gaps)),
        *stale_sections(outcome),
        *([] if run.same_baseline else change_sections(outcome)),
        *by_reason(Section("No usable answer", tuple(map(skipped, diff.undetermined)), ADVICE[Reason.UNDETERMINED])),
        *by_reason(Section("Without an answer, in no sitemap", tuple(map(unanswered, diff.unanswered)), UNANSWERED)),
        *problems,
        *by_reason(Section("Links to nothing", tuple(map(dead_link, dead)), checked)),
        remarks,
        *by_reason(Section("Found, not listed", tuple(map(skipped, others)), open=False)),
        Section(
            "Not checked",
            tuple(Row(" ", rules, text) for rules, text in group_unchecked(outcome.not_checked)),
            open=False,
        ),
    ]
    return tuple(section for section in found if section.rows)


def _policy(change: PolicyChange) -> Row:
    return Row("~", f"{change.key}: {change.base} → {change.head}")


def _finding_sections(findings: Sequence[Finding]) -> list[Section]:
    return [
        Section(
            title,
            tuple(_finding(one) for one in findings if one.severity is severity and one.rule.id not in _GROUPED),
            open=severity is not Severity.INFO,
        )
        for severity, title in TITLES.items()
    ]


def _finding(found: Finding) -> Row:
    return Row(mark="!", subject=found.rule.id, detail=found.sentence, place=found.place, tip=found.rule.tip)


def group_unchecked(rows: Iterable[NotChecked]) -> list[tuple[str, str]]:
    """(rules, what they need and how to give it): rules that need the same are one row."""
    found: dict[str, list[str]] = {}
    for row in rows:
        found.setdefault(f"needs {row.needs}: {row.hint}", []).append(row.rule)
    return [(", ".join(rules), text) for text, rules in found.items()]
