"""The report as annotations on a pull request: workflow commands of GitHub, worst first, as many as it shows."""

from collections.abc import Iterator

from msgspec import Struct

from sitemap_action.model.finding import Finding, Severity
from sitemap_action.model.outcome import Outcome, Removed
from sitemap_action.reports.base import ADVICE
from sitemap_action.reports.findings import record
from sitemap_action.reports.headline import causes, headline
from sitemap_action.runner.commands import command, printable_message
from sitemap_action.web.printable import printable

_SHOWN = 10  # of one level and one step; the runner drops the rest without notice
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
            printable_message(*one.lines),
            title=printable(one.title),
            file=_showable(one.file),
            line=line,
        )
    if len(found) > len(shown):
        rest = f"and {len(found) - len(shown):,} more: see the job summary, or the JSON report"
        yield command(_LEVELS[severity], rest, title="sitemap-action")


def _all(outcome: Outcome, severity: Severity) -> Iterator[_Annotation]:
    """The verdict, guards, lost pages, findings: causes of the result come first."""
    if severity is Severity.ERROR and outcome.exit_code:
        lines = causes(outcome) or (headline(outcome),)
        yield _Annotation(f"Sitemap: {headline(outcome)}", lines, _file(outcome))
        yield from (_Annotation(guard.key, (guard.message,), _file(outcome)) for guard in outcome.guards)
    if severity is Severity.WARNING:
        yield from (
            _Annotation("Policy that this change sets", (f"{row.key}: {row.base} → {row.head}",))
            for row in outcome.run.policy
        )
    yield from (_finding(row) for row in outcome.findings if row.severity is severity and row.rule.id != _POLICY)
    if severity is not Severity.INFO:
        yield from _lost(outcome, failing=severity is Severity.ERROR)


def _lost(outcome: Outcome, *, failing: bool) -> Iterator[_Annotation]:
    """Each URL once: on its line of the checked-out file where it is still listed there.

    A row that cannot fail this run is a warning.
    """
    stale = bool(outcome.exit_code) and "stale" in outcome.fail_on
    seen = {row.url for row in outcome.diff.extra}
    for row in outcome.diff.extra:
        if row.lost and ((stale and not row.grace) or outcome.fails(row)) is failing:
            yield _removed(row, outcome.run.sitemap, row.line)
    for row in outcome.diff.removed:
        if row.lost and row.url not in seen and outcome.fails(row) is failing:
            yield _removed(row)


def _removed(row: Removed, file: str = "", line: int = 0) -> _Annotation:
    text = f"{row.url}: {row.detail}" if row.detail else row.url
    return _Annotation(f"{'Listed' if file else 'Removed'}: {row.reason}", (text, ADVICE[row.reason]), file, line)


def _finding(finding: Finding) -> _Annotation:
    row = record(finding)
    return _Annotation(row.rule, tuple(filter(None, (row.sentence, row.tip))), row.path, row.line)


def _file(outcome: Outcome) -> str:
    return "" if outcome.run.absent else outcome.run.sitemap


def _showable(path: str) -> str:
    """The file of an annotation; "" where its name cannot be shown."""
    return path if printable(path) == path else ""
