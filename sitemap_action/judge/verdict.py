"""The result of a run, why it is that, and the exit code (DIFF-44)."""

from dataclasses import dataclass

from sitemap_action.judge.causes import Cause, drift, plural
from sitemap_action.model.finding import Finding, NotChecked, Severity
from sitemap_action.model.limit import Limit
from sitemap_action.model.outcome import Diff, Outcome, Result, RunInfo, TrippedGuard
from sitemap_action.model.sitemap import SitemapFile

_ALLOWED_AT_LEAST, _ALLOWED_AT_MOST = 1, 50  # URLs that crawl.allow-undetermined may come to (NET-10)
_ON_DISCOVERY = frozenset({"stale", "added"})  # rows that a page nobody saw could change
_BY_ABSENCE = frozenset({"policy.min-urls", "policy.required"})  # guards that a page nobody saw could lift


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything a result rests on."""

    run: RunInfo
    diff: Diff
    guards: tuple[TrippedGuard, ...]
    committed: tuple[Finding, ...]  # of `file` and `set` rules, on the checked-out file
    generated: tuple[Finding, ...]  # the same, on the file that would be written
    site: tuple[Finding, ...]
    not_checked: tuple[NotChecked, ...]
    files: tuple[SitemapFile, ...]  # as they would be written
    debt: tuple[Finding, ...] = ()  # of `file` and `set` rules that the baseline has too, where these are ignored


def judge(evidence: Evidence, fail_on: frozenset[str], allow_undetermined: Limit, *, writing: bool) -> Outcome:
    """In a writing mode the committed file is about to be replaced: its own errors are repaired, not failed."""
    diff = evidence.diff
    blocked = _blocked(evidence)
    wanted = bool(diff.stale or diff.rewritten or _errors(evidence.committed))
    repaired = writing and wanted and not blocked
    result, causes = _result(evidence, fail_on, allow_undetermined, writing=writing)
    if writing and wanted and result is Result.IN_SYNC:
        result, causes = _to_write(evidence, blocked)
    return Outcome(
        result=result,
        exit_code=evidence.run.interrupted or _exit_code(result, causes, repaired=repaired),
        run=evidence.run,
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
    errors = _errors(_on_files(evidence, writing=writing))
    if errors and "invalid" in fail_on:
        return Result.INVALID, [Cause("invalid", f"{plural(errors, 'error')} in the sitemap")]
    causes = [Cause("guard", guard.message) for guard in evidence.guards if guard not in _unproven(evidence)]
    causes += drift(evidence.diff, evidence.run, _errors(evidence.site), fail_on)
    if causes:
        return Result.DRIFT, causes
    matters = writing or not fail_on.isdisjoint(_ON_DISCOVERY)
    doubts = _doubts(evidence, allow_undetermined, discovery_matters=matters)
    return (Result.INCONCLUSIVE, doubts) if doubts else (Result.IN_SYNC, [])


def _doubts(evidence: Evidence, allow_undetermined: Limit, *, discovery_matters: bool) -> list[Cause]:
    run, diff = evidence.run, evidence.diff
    doubts = [Cause("guard", guard.message) for guard in _unproven(evidence)]
    if run.incomplete and (run.no_pages or discovery_matters):
        doubts += [Cause("incomplete", reason) for reason in run.incomplete]
    allowed = _allowed(allow_undetermined, diff.union)
    if diff.unverified > allowed:
        limit = f"at most {allowed} may (crawl.allow-undetermined)"
        doubts.append(Cause("undetermined", f"{plural(diff.unverified, 'listed URL')} gave no usable answer; {limit}"))
    return doubts


def _allowed(limit: Limit, named: int) -> int:
    amounts = [] if limit.count is None else [limit.count]
    if limit.percent is not None:
        amounts.append(named * round(limit.percent * 100) // 10_000)
    return max(_ALLOWED_AT_LEAST, min([*amounts, _ALLOWED_AT_MOST]))


def _blocked(evidence: Evidence) -> str:
    """Why nothing may be written, whatever the mode; "" when it may."""
    if _errors(evidence.generated):
        return "the generated sitemap is invalid"
    if evidence.guards:
        return f"a guard of the policy tripped: {evidence.guards[0].message}"
    return _unseen(evidence)


def _unproven(evidence: Evidence) -> list[TrippedGuard]:
    """Guards that say only that something was not seen, in a run that did not see everything."""
    return [guard for guard in evidence.guards if guard.key in _BY_ABSENCE] if _unseen(evidence) else []


def _unseen(evidence: Evidence) -> str:
    """DIFF-20: what makes this run incomplete; "" when it is whole."""
    if evidence.run.incomplete:
        return f"not everything was seen: {evidence.run.incomplete[0]}"
    if evidence.diff.undetermined:
        count = len(evidence.diff.undetermined)
        return f"not everything was seen: {plural(count, 'page')} gave no usable answer"
    return ""


def _to_write(evidence: Evidence, blocked: str) -> tuple[Result, list[Cause]]:
    """What a writing mode repaired, or had to leave; what was not seen is no drift (DIFF-20)."""
    run, diff = evidence.run, evidence.diff
    if blocked:
        result = Result.INCONCLUSIVE if blocked == _unseen(evidence) else Result.DRIFT
        return result, [Cause("blocked", f"{run.sitemap} was left as it is: {blocked}")]
    if run.first_run:
        return Result.DRIFT, [Cause("stale", f"{run.sitemap} is new and lists {plural(diff.listed, 'page')}")]
    repaired = drift(diff, run, 0, frozenset({"stale"}))
    if errors := _errors(evidence.committed):
        repaired.append(Cause("stale", f"{plural(errors, 'error')} in {run.sitemap}"))
    return Result.DRIFT, repaired or [Cause("stale", f"{run.sitemap} was not as it would be written")]


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
    files = _on_files(evidence, writing=writing)
    order = list(Severity)
    return tuple(sorted((*files, *evidence.site), key=lambda found: (order.index(found.severity), found.rule.id)))


def _on_files(evidence: Evidence, *, writing: bool) -> tuple[Finding, ...]:
    """Findings on the committed file stand for those that the generated one shares; a writing mode has its own."""
    found = evidence.generated if writing else _on_both(evidence)
    known = {_same(finding): finding.count for finding in evidence.debt}
    return tuple(finding for finding in found if finding.count > known.get(_same(finding), 0))


def _on_both(evidence: Evidence) -> tuple[Finding, ...]:
    told = {_same(finding) for finding in evidence.committed}
    new = (one for one in evidence.generated if one.severity is Severity.ERROR and _same(one) not in told)
    return (*evidence.committed, *new)


def _same(finding: Finding) -> tuple[str, str, str]:
    """What two files share, wherever it stands in them."""
    return finding.rule.id, finding.message, finding.url


def _errors(findings: tuple[Finding, ...]) -> int:
    return sum(finding.count for finding in findings if finding.severity is Severity.ERROR)
