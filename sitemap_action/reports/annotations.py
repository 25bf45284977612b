"""The report as annotations on a pull request: workflow commands of GitHub, worst first, as many as it shows."""

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct

from sitemap_action.model.finding import Finding, Severity
from sitemap_action.model.outcome import Outcome, Removed
from sitemap_action.model.site import Reason
from sitemap_action.reports.advice import ADVICE
from sitemap_action.reports.comparison_rows import grouped_urls
from sitemap_action.reports.headline import causes, headline
from sitemap_action.runner.commands import command, printable_message
from sitemap_action.web.printable import printable

_SHOWN = 10  # of one level and one step; the runner drops the rest without notice
_EXAMPLES = 5  # URLs of one annotation
_FLIPS = "DIFF-11"
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
        yield from (_Annotation(guard.key, (guard.message,), file) for guard in outcome.other_guards)
    if severity is Severity.WARNING:
        yield from (
            _Annotation("Policy that this change sets", (f"{row.key}: {row.base} → {row.head}",), outcome.run.config)
            for row in outcome.run.policy
        )
    if severity is not Severity.INFO:
        yield from _pages(outcome, failing=severity is Severity.ERROR)
    yield from _findings(outcome, severity)


def _pages(outcome: Outcome, *, failing: bool) -> Iterator[_Annotation]:
    """What question 1 and 2 are answered with: addresses that change together, lost pages, missing pages."""
    run, diff, file = outcome.run, outcome.diff, _file(outcome)
    stale = outcome.stale_fails
    old, new = grouped_urls(diff.stale_flips)
    if stale is failing:
        for flip in diff.stale_flips:
            title = f"Under another URL than in {run.sitemap}"
            yield _Annotation(title, (", ".join(flip.change), flip.describe(diff.committed)), file)
    yield from _lost(outcome, old | grouped_urls(diff.flips)[0], failing=failing)
    missing = [url for url in diff.missing if url not in new]
    if stale and failing and missing and not run.absent:
        yield _Annotation(_counted("Missing from the sitemap", len(missing)), _examples(missing), file)


def _lost(outcome: Outcome, grouped: set[str], *, failing: bool) -> Iterator[_Annotation]:
    """Each URL once, those of a class and a reason together: on the line of the first that is still listed.

    A row that cannot fail this run is a warning.
    """
    seen = {row.url for row in outcome.diff.extra} | grouped
    listed = [
        row
        for row in outcome.diff.extra
        if row.url not in grouped and row.lost and outcome.listed_fails(row) is failing
    ]
    others = (row for row in outcome.diff.removed if row.url not in seen and row.lost)
    removed = [row for row in others if outcome.removed_fails(row) is failing]
    for word, rows in (("Listed", listed), ("Removed", removed)):
        for group in _alike(rows):
            first = group[0]
            shared = first.detail if len(group) > 1 and first.detail == group[-1].detail else ""
            lines = _examples([row.url if shared or not row.detail else f"{row.url}: {row.detail}" for row in group])
            yield _Annotation(
                _counted(f"{word}: {first.reason}", len(group)),
                (shared, *lines, ADVICE[first.reason]),
                (word == "Listed" and first.path) or _file(outcome),
                first.line if word == "Listed" else 0,
            )


def _alike(rows: Sequence[Removed]) -> Iterator[list[Removed]]:
    """Of a class those that share a reason, and together those that share it with no other."""
    counts = Counter((row.reason, row.detail) for row in rows)
    groups: dict[tuple[Reason, str], list[Removed]] = {}
    for row in rows:
        key = (row.reason, row.detail)
        groups.setdefault(key if counts[key] > 1 else (row.reason, ""), []).append(row)
    yield from groups.values()


def _findings(outcome: Outcome, severity: Severity) -> Iterator[_Annotation]:
    """Those of a rule with the same words together; a change of addresses that question 1 shows is not said again."""
    elsewhere = {_POLICY, *([_FLIPS] if outcome.diff.stale_flips and outcome.run.same_baseline else [])}
    groups: dict[tuple[str, str, str], list[Finding]] = {}
    for found in outcome.findings:
        if found.severity is severity and found.rule.id not in elsewhere:
            groups.setdefault((found.rule.id, found.counted, found.path), []).append(found)
    for rows in groups.values():
        first = rows[0]
        subjects = [row.subject or row.place for row in rows]
        lines = (first.sentence,) if len(rows) == 1 else (first.counted, *_examples(subjects))
        path, line = (first.path, first.line) if first.path else (_file(outcome), 0)
        yield _Annotation(_counted(first.rule.id, len(rows), "times"), (*lines, first.rule.tip), path, line)


def _examples(subjects: Sequence[str]) -> tuple[str, ...]:
    """The first few, and the number of the rest."""
    more = (f"and {len(subjects) - _EXAMPLES:,} more",) if len(subjects) > _EXAMPLES else ()
    return (*subjects[:_EXAMPLES], *more)


def _counted(title: str, count: int, unit: str = "pages") -> str:
    return title if count == 1 else f"{title} ({count:,} {unit})"


def _file(outcome: Outcome) -> str:
    """Of what is in no file: the sitemap, else the config."""
    return outcome.run.config if outcome.run.absent else outcome.run.sitemap


def _showable(path: str) -> str:
    """The file of an annotation; "" where its name cannot be shown."""
    return path if printable(path) == path else ""
