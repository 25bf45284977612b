"""The report as annotations on a pull request: workflow commands of GitHub, worst first, as many as it shows."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from sitemap_action.model.finding import Severity
from sitemap_action.model.outcome import Outcome, Removed
from sitemap_action.model.site import Reason
from sitemap_action.reports.advice import ADVICE
from sitemap_action.reports.findings import FindingRecord, record
from sitemap_action.reports.headline import causes, headline
from sitemap_action.runner.commands import command, printable_message
from sitemap_action.web.printable import printable

_SHOWN = 10  # of one level and one step; the runner drops the rest without notice
_EXAMPLES = 5  # URLs of one annotation
_POLICY = "POL-01"  # has an annotation for each key, with its values
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


class _Annotation(Struct, frozen=True):
    title: str
    lines: tuple[str, ...]
    file: str = ""
    line: int = 0


def render(outcome: Outcome) -> str:
    """One command a line; "" where there is nothing to report."""
    return "".join(f"{line}\n" for severity in _LEVELS for line in _level(outcome, severity))


def _level(outcome: Outcome, severity: Severity) -> Iterator[str]:
    found = list(_all(outcome, severity))
    shown = found if len(found) <= _SHOWN else found[: _SHOWN - 1]
    for one in shown:
        line = str(one.line) if one.line else ""
        yield command(
            _LEVELS[severity],
            printable_message(*filter(None, one.lines)),
            title=printable(one.title),
            file=_showable(one.file),
            line=line,
        )
    if len(found) > len(shown):
        rest = f"and {len(found) - len(shown):,} more: see the job summary, or the JSON report"
        yield command(_LEVELS[severity], rest, title="sitemap-action")


def _all(outcome: Outcome, severity: Severity) -> Iterator[_Annotation]:
    """The verdict with its causes, guards that are none of them, pages, findings."""
    file = _file(outcome)
    if severity is Severity.ERROR and outcome.exit_code:
        yield _Annotation(f"Sitemap: {headline(outcome)}", causes(outcome) or (headline(outcome),), file)
        guards = (guard for guard in outcome.guards if guard.message not in outcome.causes)
        yield from (_Annotation(guard.key, (guard.message,), file) for guard in guards)
    if severity is Severity.WARNING:
        yield from (
            _Annotation("Policy that this change sets", (f"{row.key}: {row.base} → {row.head}",), outcome.run.config)
            for row in outcome.run.policy
        )
    if severity is not Severity.INFO:
        yield from _lost(outcome, failing=severity is Severity.ERROR)
    yield from _findings(outcome, severity)


def _lost(outcome: Outcome, *, failing: bool) -> Iterator[_Annotation]:
    """Each URL once, those of a class and a reason together: on the line of the first that is still listed.

    A row that cannot fail this run is a warning.
    """
    stale = bool(outcome.exit_code) and "stale" in outcome.fail_on
    seen = {row.url for row in outcome.diff.extra}
    groups: dict[tuple[bool, Reason, str], list[Removed]] = {}
    for row in outcome.diff.extra:
        if row.lost and ((stale and not row.grace) or outcome.fails(row)) is failing:
            groups.setdefault((True, row.reason, row.detail), []).append(row)
    for row in outcome.diff.removed:
        if row.lost and row.url not in seen and outcome.fails(row) is failing:
            groups.setdefault((False, row.reason, row.detail), []).append(row)
    for (listed, reason, detail), rows in groups.items():
        title = f"{'Listed' if listed else 'Removed'}: {reason}"
        lines = _examples([row.url for row in rows], detail)
        line = rows[0].line if listed else 0
        yield _Annotation(_counted(title, len(rows)), (*lines, ADVICE[reason]), _file(outcome), line)
    missing = outcome.diff.missing
    if stale and failing and missing and not outcome.run.absent:
        yield _Annotation(_counted("Missing from the sitemap", len(missing)), _examples(missing, ""), _file(outcome))


def _findings(outcome: Outcome, severity: Severity) -> Iterator[_Annotation]:
    """Those of a rule with the same words together."""
    groups: dict[tuple[str, str, str], list[FindingRecord]] = {}
    for found in outcome.findings:
        if found.severity is severity and found.rule.id != _POLICY:
            row = record(found)
            groups.setdefault((row.rule, row.counted, row.path), []).append(row)
    for rows in groups.values():
        first = rows[0]
        lines = (
            (first.sentence,)
            if len(rows) == 1
            else _examples([row.subject or row.place for row in rows], first.counted)
        )
        path, line = (first.path, first.line) if first.path else (_file(outcome), 0)
        yield _Annotation(_counted(first.rule, len(rows)), (*lines, first.tip), path, line)


def _examples(subjects: Sequence[str], reason: str) -> tuple[str, ...]:
    """What they share, and the first few of them."""
    if len(subjects) == 1:
        return (f"{subjects[0]}: {reason}" if reason else subjects[0],)
    more = (f"and {len(subjects) - _EXAMPLES:,} more",) if len(subjects) > _EXAMPLES else ()
    return tuple(filter(None, (reason, *subjects[:_EXAMPLES], *more)))


def _counted(title: str, count: int) -> str:
    return title if count == 1 else f"{title} ({count:,} times)"


def _file(outcome: Outcome) -> str:
    """Of what is in no file: the sitemap, else the config."""
    return outcome.run.config if outcome.run.absent else outcome.run.sitemap


def _showable(path: str) -> str:
    """The file of an annotation; "" where its name cannot be shown."""
    return path if printable(path) == path else ""
