"""What is wrong, one row each, for formats that other programs read: worst first, with a rule and a place."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import islice

from msgspec import Struct

from sitemap_action.checks.consequences import consequence
from sitemap_action.checks.severity import family
from sitemap_action.model.finding import Finding, Severity
from sitemap_action.model.outcome import Outcome, Removed
from sitemap_action.model.site import Reason
from sitemap_action.reports.advice import ADVICE, NOT_REDIRECTED
from sitemap_action.reports.comparison_rows import grouped_urls
from sitemap_action.reports.headline import HEADLINES

MOST = 5_000
"""Rows of a file: GitHub shows as many results of a SARIF file, and GitLab reads as many without delay."""
MOST_BYTES = 9_000_000
"""Of a file: GitHub refuses more than 10 MB, and so does the XML parser that GitLab reads JUnit with."""
_RANK = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2}
_ADDRESS = re.compile(r"https?://[^\s,;]+")


class ProblemKind(Struct, frozen=True):
    """What a problem is an instance of: a rule, a class of removal, a guard."""

    id: str
    summary: str
    severity: Severity  # of its most severe case
    why: str = ""
    tip: str = ""
    address: str = ""  # of the source that says so
    tags: tuple[str, ...] = ()


_FLIP = ProblemKind(
    "other-url", "The sitemap lists pages under their URL.", Severity.ERROR, tip=NOT_REDIRECTED, tags=("comparison",)
)


class ProblemRow(Struct, frozen=True):
    """`message` may be hostile text: to be escaped by the format."""

    kind: ProblemKind
    severity: Severity
    message: str
    path: str  # of a file of the repository: the sitemap, or the config, where it is in no other
    line: int = 1
    subject: str = ""  # URL; what makes it the same problem in the next run

    @property
    def identity(self) -> str:
        """Neither the line nor a count, which another change moves."""
        text = json.dumps((self.kind.id, self.path, self.subject))
        return sha256(text.encode()).hexdigest()[:32]


def problems(outcome: Outcome) -> list[ProblemRow]:
    """Errors first; of one severity the verdict, guards, what is lost, what is missing, and findings."""
    found = (
        *_verdict(outcome),
        *_removals(outcome),
        *_missing(outcome),
        *_unanswered(outcome),
        *(_finding(outcome, one) for one in outcome.findings if one.severity in _RANK),
    )
    return sorted(found, key=lambda one: _RANK[one.severity])


def identities(found: Sequence[ProblemRow]) -> list[str]:
    """One for each problem, no two alike."""
    seen: dict[str, int] = {}
    several = []
    for one in found:
        count = seen[one.identity] = seen.get(one.identity, 0) + 1
        several.append(one.identity if count == 1 else f"{one.identity[:24]}{count:08x}")
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


def encodable(text: str) -> str:
    """JSON that any encoder accepts, without a workflow command."""
    return text.encode(errors="backslashreplace").decode().replace("##[", r"#\u0023[")


def left_out(count: int) -> str:
    """Of the rows of a file that ends before the last."""
    return f"and {count:,} more, which are not in this file: the JSON report (--format json) has all of them"


def default_place(outcome: Outcome) -> str:
    """The file of what is in no file: the sitemap, else the config, else where the sitemap would be."""
    run = outcome.run
    candidates = (run.sitemap, run.config) if not run.absent else (run.config, run.sitemap)
    return next((path for path in candidates if in_repository(path)), "sitemap.xml")


def in_repository(path: str) -> bool:
    """Whether it is a path below the root, such as hosts resolve."""
    return bool(path.strip()) and not path.startswith(("/", "\\")) and "://" not in path and ".." not in path.split("/")


def _verdict(outcome: Outcome) -> Iterator[ProblemRow]:
    """Why the check fails, a row for each cause; a guard that is the cause goes by its own name."""
    place = default_place(outcome)
    verdict = ProblemKind(
        outcome.result.value, f"Result: {HEADLINES[outcome.result]}", Severity.ERROR, tags=("verdict",)
    )
    if outcome.exit_code:
        for cause in outcome.causes:
            kind = verdict if cause.guard is None else _guard(cause.guard.key)
            yield ProblemRow(kind, Severity.ERROR, cause.sentence, place)
        if not outcome.causes:
            yield ProblemRow(verdict, Severity.ERROR, HEADLINES[outcome.result], place)
    severity = Severity.ERROR if outcome.exit_code else Severity.WARNING
    for guard in outcome.other_guards if outcome.exit_code else outcome.guards:
        yield ProblemRow(_guard(guard.key), severity, guard.message, place)
    unread = ProblemKind("incomplete", "Every page that is required is read.", Severity.WARNING, tags=("verdict",))
    for reason in outcome.other_gaps:
        yield ProblemRow(unread, Severity.WARNING, reason, place, subject=reason)


def _guard(key: str) -> ProblemKind:
    tip = "If this is intended, change the policy in the same pull request; nothing is written until then."
    return ProblemKind(key, f"The limit {key} of the policy holds.", Severity.ERROR, tip=tip, tags=("guard",))


def _removals(outcome: Outcome) -> Iterator[ProblemRow]:
    """Each URL once: on its line of the sitemap, where it is still listed there."""
    run, diff, place = outcome.run, outcome.diff, default_place(outcome)
    path = run.sitemap if in_repository(run.sitemap) else place
    old, _ = grouped_urls(diff.stale_flips)
    for flip in diff.stale_flips:
        severity = Severity.ERROR if outcome.stale_fails else Severity.WARNING
        yield ProblemRow(_FLIP, severity, f"{', '.join(flip.change)}: {flip.describe(diff.committed)}", place)
    for row in (row for row in diff.extra if row.url not in old):
        failing = outcome.listed_fails(row)
        document = row.path if in_repository(row.path) else path
        yield _removal("listed", f"is listed in {run.sitemap}, but", row, document, row.line, failing=failing)
    seen = {row.url for row in diff.extra} | grouped_urls(diff.flips)[0]  # DIFF-11 is a finding
    for row in diff.removed:
        if row.url not in seen:
            failing = outcome.removed_fails(row)
            yield _removal("removed", "is not listed any more:", row, place, 1, failing=failing)


def _removal(word: str, verb: str, row: Removed, path: str, line: int, *, failing: bool) -> ProblemRow:  # noqa: PLR0913
    severity = Severity.ERROR if failing else Severity.WARNING if row.lost else Severity.INFO
    pages = "listed page" if word == "listed" else "page that was listed"
    kind = ProblemKind(
        f"{word}-{row.reason}",
        f"No {pages} is {row.reason}.",
        Severity.ERROR,
        tip=ADVICE[row.reason],
        tags=("comparison",),
    )
    detail = f"{row.reason}: {row.detail}" if row.detail else row.reason.value
    expected = f" (expected: {row.acknowledged})" if row.acknowledged else ""
    return ProblemRow(kind, severity, f"{row.url} {verb} {detail}{expected}", path, line or 1, row.url)


def _missing(outcome: Outcome) -> Iterator[ProblemRow]:
    """Pages that the sitemap lacks; where there is none, that alone."""
    run, urls, place = outcome.run, outcome.diff.missing, default_place(outcome)
    severity = Severity.ERROR if outcome.stale_fails else Severity.INFO if outcome.changed else Severity.WARNING
    tip = "Write the sitemap anew, or correct what writes it."
    kind = ProblemKind("missing-page", "The sitemap lists every page.", Severity.ERROR, tip=tip, tags=("comparison",))
    if run.absent and urls:
        yield ProblemRow(kind, severity, f"{run.sitemap} does not exist: {len(urls):,} pages belong in it", place)
        return
    _, new = grouped_urls(outcome.diff.stale_flips)
    for url in (url for url in urls if url not in new):
        yield ProblemRow(kind, severity, f"{url} is missing from {run.sitemap}", place, subject=url)


def _unanswered(outcome: Outcome) -> Iterator[ProblemRow]:
    kind = ProblemKind(
        "no-answer",
        "Every listed page gives a usable answer.",
        Severity.WARNING,
        tip=ADVICE[Reason.UNDETERMINED],
        tags=("comparison",),
    )
    place = default_place(outcome)
    for row in outcome.diff.undetermined:
        detail = f": {row.detail}" if row.detail else ""
        yield ProblemRow(kind, Severity.WARNING, f"{row.url} gave no usable answer{detail}", place, subject=row.url)


def _finding(outcome: Outcome, found: Finding) -> ProblemRow:
    rule = found.rule
    address = _ADDRESS.search(rule.source)
    kind = ProblemKind(
        rule.id,
        rule.summary,
        rule.severity,
        why=consequence(rule.id),
        tip=rule.tip,
        address=address[0] if address else "",
        tags=("rule", family(rule.id)),
    )
    inside = in_repository(found.path)
    elsewhere = f" ({found.place})" if found.path and not inside else ""
    return ProblemRow(
        kind=kind,
        severity=found.severity,
        message=f"{found.sentence}{elsewhere}",
        path=found.path if inside else default_place(outcome),
        line=(found.line or 1) if inside else 1,
        subject=f"{found.message} {found.url}",
    )
