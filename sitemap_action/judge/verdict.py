"""The result of a run, why it is that, and the exit code (DIFF-44)."""

from dataclasses import dataclass

from sitemap_action.config.kinds import Limit
from sitemap_action.judge.causes import Cause, drift, plural
from sitemap_action.model.finding import Finding, NotChecked, Severity
from sitemap_action.model.outcome import Diff, Guard, Look, Outcome, Result
from sitemap_action.model.sitemap import SitemapFile

_ALLOWED_AT_LEAST, _ALLOWED_AT_MOST = 1, 50  # URLs that crawl.allow-undetermined may come to (NET-10)
_ON_DISCOVERY = frozenset({"stale", "added"})  # rows that a page nobody saw could change


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything a result rests on."""

    look: Look
    diff: Diff
    guards: tuple[Guard, ...]
    committed: tuple[Finding, ...]  # of `file` and `set` rules, on the checked-out file
    generated: tuple[Finding, ...]  # the same, on the file that would be written
    site: tuple[Finding, ...]
    not_checked: tuple[NotChecked, ...]
    files: tuple[SitemapFile, ...]  # as they would be written


def judge(evidence: Evidence, fail_on: frozenset[str], allow_undetermined: Limit, *, writing: bool) -> Outcome:
    """In a writing mode the committed file is about to be replaced: its own errors are repaired, not failed."""
    diff = evidence.diff
    blocked = _blocked(evidence)
    wanted = bool(diff.stale or diff.rewritten or _errors(evidence.committed))
    repaired = writing and wanted and not blocked
    result, causes = _result(evidence, fail_on, allow_undetermined, writing=writing)
    if writing and wanted and result is Result.IN_SYNC:
        result, causes = Result.DRIFT, _to_write(evidence, blocked)
    return Outcome(
        result=result,
        exit_code=_exit_code(result, causes, repaired=repaired),
        look=evidence.look,
        diff=diff,
        causes=tuple(cause.sentence for cause in causes),
        guards=evidence.guards,
        findings=_findings(evidence, writing=writing),
        not_checked=evidence.not_checked,
        files=evidence.files,
        changed=repaired,
        writing=writing,
        blocked=blocked if wanted else "",
    )


def _result(
    evidence: Evidence, fail_on: frozenset[str], allow_undetermined: Limit, *, writing: bool
) -> tuple[Result, list[Cause]]:
    """The first that holds: invalid, drift, inconclusive, in-sync."""
    errors = _errors(evidence.generated) + (0 if writing else _errors(evidence.committed))
    if errors and "invalid" in fail_on:
        return Result.INVALID, [Cause("invalid", f"{plural(errors, 'error')} in the sitemap")]
    causes = [Cause("guard", guard.message) for guard in evidence.guards]
    causes += drift(evidence.diff, evidence.look, _errors(evidence.site), fail_on)
    if causes:
        return Result.DRIFT, causes
    matters = writing or not fail_on.isdisjoint(_ON_DISCOVERY)
    doubts = _doubts(evidence, allow_undetermined, discovery_matters=matters)
    return (Result.INCONCLUSIVE, doubts) if doubts else (Result.IN_SYNC, [])


def _doubts(evidence: Evidence, allow_undetermined: Limit, *, discovery_matters: bool) -> list[Cause]:
    look, diff = evidence.look, evidence.diff
    doubts = []
    if look.incomplete and (look.nothing_seen or discovery_matters):
        doubts += [Cause("incomplete", reason) for reason in look.incomplete]
    allowed = _allowed(allow_undetermined, diff.named)
    if diff.doubtful > allowed:
        sentence = f"{plural(diff.doubtful, 'listed URL')} gave no usable answer; crawl.allow-undetermined is {allowed}"
        doubts.append(Cause("undetermined", sentence))
    return doubts


def _allowed(limit: Limit, named: int) -> int:
    amounts = [] if limit.count is None else [limit.count]
    if limit.percent is not None:
        amounts.append(int(named * limit.percent / 100))
    return max(_ALLOWED_AT_LEAST, min([*amounts, _ALLOWED_AT_MOST]))


def _blocked(evidence: Evidence) -> str:
    """Why nothing may be written, whatever the mode; "" when it may."""
    if _errors(evidence.generated):
        return "the generated sitemap is invalid"
    if evidence.guards:
        return f"a guard of the policy tripped: {evidence.guards[0].message}"
    if evidence.look.incomplete:
        return f"not everything was seen: {evidence.look.incomplete[0]}"
    if evidence.diff.undetermined:
        count = len(evidence.diff.undetermined)
        return f"not everything was seen: {plural(count, 'page')} gave no usable answer"
    return ""


def _to_write(evidence: Evidence, blocked: str) -> list[Cause]:
    """What a writing mode repaired, or had to leave."""
    if blocked:
        return [Cause("blocked", f"{evidence.look.sitemap} was left as it is: {blocked}")]
    return drift(evidence.diff, evidence.look, 0, frozenset({"stale"})) or [
        Cause("stale", f"{evidence.look.sitemap} was not as it would be written")
    ]


def _exit_code(result: Result, causes: list[Cause], *, repaired: bool) -> int:
    """Drift that was repaired exits 0: only what writing cannot mend still fails."""
    match result:
        case Result.IN_SYNC:
            return 0
        case Result.INCONCLUSIVE:
            return 3
        case Result.DRIFT if repaired and all(cause.row == "stale" for cause in causes):
            return 0
        case Result.INVALID | Result.DRIFT:
            return 1


def _findings(evidence: Evidence, *, writing: bool) -> tuple[Finding, ...]:
    """Findings on the committed file stand for those that the generated one shares; a writing mode has its own."""
    files = evidence.generated if writing else (*evidence.committed, *_blocking(evidence.generated))
    order = list(Severity)
    return tuple(sorted((*files, *evidence.site), key=lambda found: (order.index(found.severity), found.rule.id)))


def _blocking(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    return tuple(finding for finding in findings if finding.severity is Severity.ERROR)


def _errors(findings: tuple[Finding, ...]) -> int:
    return sum(finding.count for finding in findings if finding.severity is Severity.ERROR)
