"""The result of a run, its causes, and the exit code (DIFF-44)."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta

from msgspec import Struct, field
from msgspec.structs import replace

from sitemap_action.config.schema import Limit
from sitemap_action.decide.causes import (
    MIN_SHARE,
    drift_causes,
    failing_site,
    ledger_sentence,
    lost_beside_match,
    site_move,
    witness_sentence,
)
from sitemap_action.model.finding import Finding, NotChecked, Severity
from sitemap_action.model.outcome import (
    Accepted,
    Cause,
    CauseKind,
    Diff,
    Outcome,
    Removed,
    Result,
    RunInfo,
    UrlCounts,
)
from sitemap_action.model.sitemap import SitemapFile
from sitemap_action.model.wording import option, plural

_MIN_ALLOWED, _MAX_ALLOWED = 1, 50  # URLs that crawl.allow-undetermined may result in (NET-10)
_DISCOVERY_ROWS = frozenset({"stale", "added"})  # of fail-on, that a page which was not fetched could change
_LEDGER = frozenset({"LED-01", "LED-03"})  # rules whose errors fail a check, whatever fail-on says
_WITNESS = frozenset({"WIT-01", "WIT-02"})  # rules whose errors fail a check, whatever fail-on says
_ABSENCE_GUARDS = frozenset(
    {"policy.min-urls", MIN_SHARE, "policy.required"}
)  # that a page which was not fetched could lift


class Evidence(Struct, frozen=True):
    """Everything that a result is decided from."""

    run: RunInfo
    diff: Diff
    guards: tuple[Cause, ...]
    committed: tuple[Finding, ...]  # of `file` and `set` rules, on the checked-out file
    generated: tuple[Finding, ...]  # the same, on the file that would be written
    site: tuple[Finding, ...]
    not_checked: tuple[NotChecked, ...]
    files: tuple[SitemapFile, ...]  # as they would be written
    debt: tuple[Finding, ...] = ()  # of `file` and `set` rules that the baseline has too, where these are ignored
    lacking: tuple[str, ...] = ()  # files beside the sitemap that are missing or not up to date


def judge(evidence: Evidence, fail_on: frozenset[str], allow_undetermined: Limit, *, writing: bool) -> Outcome:
    """The outcome. In a writing mode the committed file is about to be replaced, so that errors in it fail nothing."""
    evidence = _believe_the_site(evidence)
    evidence = replace(evidence, diff=_with_findings(evidence, writing=writing))
    diff = evidence.diff
    blocked = _find_block(evidence)
    outdated = bool(diff.stale or diff.rewritten or _error_count(evidence.committed) or (writing and evidence.lacking))
    repaired = writing and outdated and not blocked
    result, causes = _result(evidence, fail_on, allow_undetermined, writing=writing)
    if writing and outdated and result is Result.IN_SYNC:
        result, causes = _write_result(evidence, blocked)
    main_cause = _main_cause(evidence, result, causes, repaired=repaired)
    if main_cause:
        causes = [main_cause, *(cause for cause in causes if cause != main_cause)]
    return Outcome(
        result=result,
        exit_code=evidence.run.source.interrupted or _exit_code(result, causes, repaired=repaired),
        run=evidence.run,
        diff=diff,
        causes=tuple(causes),
        guards=evidence.guards,
        findings=_findings(evidence, fail_on, blocked, writing=writing),
        not_checked=evidence.not_checked,
        files=evidence.files,
        changed=repaired,
        writing=writing,
        blocked=blocked if outdated or evidence.run.lacks(CauseKind.OTHER_BASE) else None,
        fail_on=fail_on,
        main_cause=main_cause,
    )


def _with_findings(evidence: Evidence, *, writing: bool) -> Diff:
    """The difference with the findings that the list of accepted rows has, beside its rows."""
    found = (*_file_findings(evidence, writing=writing), *evidence.site)
    rows = [Accepted(one.acknowledged, one) for one in found if one.acknowledged is not None]
    if not rows:
        return evidence.diff
    known = evidence.diff.acknowledged
    by_name = sorted((*known.rows, *rows), key=lambda one: (one.line.name, one.line.subject))
    return replace(evidence.diff, acknowledged=replace(known, rows=tuple(by_name)))


def _believe_the_site(evidence: Evidence) -> Evidence:
    """Where the site states another base than site-url, every other row would be about a site that is none (URL-35)."""
    found = [one for one in evidence.site if one.rule.id == "URL-35" and one.severity is Severity.ERROR]
    if not found:
        return evidence
    run, counts = evidence.run, evidence.diff.counts
    cause = Cause(CauseKind.OTHER_BASE, run.stated.sentence(run.site_url))
    return Evidence(
        run=replace(run, incomplete=(cause, *run.incomplete)),
        diff=Diff(listed=evidence.diff.listed, counts=UrlCounts(counts.baseline, counts.committed, counts.union)),
        guards=(),
        committed=(),
        generated=(),
        site=tuple(found),
        not_checked=(),
        files=(),
    )


def _result(
    evidence: Evidence, fail_on: frozenset[str], allow_undetermined: Limit, *, writing: bool
) -> tuple[Result, list[Cause]]:
    """The first that holds: invalid, drift, inconclusive, in-sync."""
    if other := evidence.run.lacks(CauseKind.OTHER_BASE):
        return Result.INCONCLUSIVE, [other]
    of_files = _file_findings(evidence, writing=writing)
    if "invalid" in fail_on and _error_count(of_files):
        return Result.INVALID, [Cause(CauseKind.INVALID, _name_errors(of_files, "in the sitemap"))]
    unproven = _unproven(evidence)
    causes = [guard for guard in evidence.guards if guard not in unproven]
    on_site = _name_errors(evidence.site, "on the site")
    causes += drift_causes(evidence.diff, evidence.run, on_site, fail_on)
    if of_ledger := _error_count(tuple(one for one in evidence.site if one.rule.id in _LEDGER)):
        causes.append(Cause(CauseKind.LEDGER, ledger_sentence(evidence.diff.ledger, of_ledger)))
    if harm := tuple(one for one in evidence.site if one.rule.id in _WITNESS and _error_count((one,))):
        causes.append(Cause(CauseKind.WITNESS, witness_sentence(harm)))
    if causes:
        return Result.DRIFT, causes
    matters = writing or not fail_on.isdisjoint(_DISCOVERY_ROWS)
    doubts = _inconclusive_causes(evidence, allow_undetermined, discovery_matters=matters)
    return (Result.INCONCLUSIVE, doubts) if doubts else (Result.IN_SYNC, [])


def _main_cause(evidence: Evidence, result: Result, causes: Sequence[Cause], *, repaired: bool) -> Cause | None:
    """What makes the site and its sitemap differ, where that is one thing (DIFF-07)."""
    diff = evidence.diff
    if result is Result.INCONCLUSIVE:
        unclear = (CauseKind.OTHER_BASE, CauseKind.SAME_ANSWER, CauseKind.UNKNOWN_HOST)
        return next(filter(None, map(evidence.run.lacks, unclear)), None)
    if not repaired and result is not Result.IN_SYNC and (move := site_move(diff)):
        return Cause(CauseKind.MOVED_SITE, move)
    if result is not Result.DRIFT:
        return None
    if evidence.run.start_blocked:
        return Cause(CauseKind.START_BLOCKED, evidence.run.start_blocked)
    if small_share := next((guard for guard in evidence.guards if guard.key == MIN_SHARE), None):
        return small_share
    alone = causes[0] if len(causes) == 1 and causes[0].kind in {CauseKind.LEDGER, CauseKind.WITNESS} else None
    return alone or _lacking_sitemap(evidence) or _loss_cause(diff, evidence.run, causes)


def _lacking_sitemap(evidence: Evidence) -> Cause | None:
    """A site that has no sitemap at all (I-05)."""
    run, diff = evidence.run, evidence.diff
    if not run.absent or run.judged != "served" or diff.removed:
        return None
    return next(iter(drift_causes(diff, run, "", frozenset({"stale"}))), None)


def _loss_cause(diff: Diff, run: RunInfo, causes: Sequence[Cause]) -> Cause | None:
    """What all lost pages share; else that pages are lost, and the sitemap is true all the same."""
    shared = diff.common_cause if len(diff.failing) == len(diff.lost_pages) else None
    if shared:
        return shared
    is_lost = any(cause.kind is CauseKind.LOST for cause in causes)
    return Cause(CauseKind.LOST, lost_beside_match(diff, run)) if is_lost and not diff.stale else None


def _inconclusive_causes(evidence: Evidence, allow_undetermined: Limit, *, discovery_matters: bool) -> list[Cause]:
    run, diff, counts = evidence.run, evidence.diff, evidence.diff.counts
    doubts = _unproven(evidence)
    matters = run.no_pages or discovery_matters
    doubts += [one for one in run.incomplete if matters or one.kind is CauseKind.UNREAD_BASELINE]
    allowed = _allowed_undetermined(allow_undetermined, counts.union)
    if counts.kept:
        verb = "is" if counts.kept == 1 else "are"
        gone = f"{plural(counts.kept, 'page')} of the baseline {verb} not in {run.sitemap} and gave no usable answer"
        doubts.append(
            Cause(
                CauseKind.UNDETERMINED,
                f"{gone}: no answer proves that {'it is' if counts.kept == 1 else 'they are'} gone",
            )
        )
    told = run.no_pages or run.lacks(CauseKind.SAME_ANSWER) or run.lacks(CauseKind.UNKNOWN_HOST)
    explained = told or failing_site(diff)
    if counts.unverified - counts.kept > allowed and not explained:
        limit = f"{f'at most {allowed}' if allowed else 'none'} may (crawl.allow-undetermined)"
        doubts.append(
            Cause(CauseKind.UNDETERMINED, f"{plural(counts.unverified, 'listed URL')} gave no usable answer; {limit}")
        )
    return doubts


def _allowed_undetermined(limit: Limit, named: int) -> int:
    """How many URLs may be without an answer: at least one, for any host fails now and then; but 0 and 0% hold."""
    if 0 in (limit.count, limit.percent):
        return 0
    amounts = [] if limit.count is None else [limit.count]
    if limit.percent is not None:
        amounts.append(named * round(limit.percent * 100) // 10_000)
    return max(_MIN_ALLOWED, min([*amounts, _MAX_ALLOWED]))


def _name_errors(findings: tuple[Finding, ...], where: str) -> str:
    """How many errors there are, with the first of them and its place; "" for none."""
    first = next((one for one in findings if one.severity is Severity.ERROR), None)
    if first is None:
        return ""
    many = " ".join(filter(None, (plural(_error_count(findings), "error"), where)))
    place = f" ({first.place})" if first.place else ""
    return f"{many}: {first.rule.id}, {first.explanation}{place}"


def _find_block(evidence: Evidence) -> Cause | None:
    """Why nothing may be written, in any mode; None when it may."""
    if any(one.severity is Severity.ERROR for one in evidence.generated):  # also where it is known
        return Cause(CauseKind.INVALID, "the generated sitemap is invalid")
    if evidence.guards:
        first = evidence.guards[0]
        return Cause(CauseKind.GUARD, f"a guard of the policy tripped: {first.sentence}")
    return _incompleteness(evidence)


def _unproven(evidence: Evidence) -> list[Cause]:
    """Guards that tripped because pages were not found, in a run that did not fetch everything.

    Where robots.txt blocks the whole site for search engines, its pages need not be fetched to know it.
    """
    if evidence.run.start_blocked:
        return []
    return [guard for guard in evidence.guards if guard.key in _ABSENCE_GUARDS] if _incompleteness(evidence) else []


def _incompleteness(evidence: Evidence) -> Cause | None:
    """DIFF-20: why this run is incomplete; None when it is complete."""
    why = ""
    if evidence.run.incomplete:
        why = evidence.run.incomplete[0].sentence
    elif evidence.diff.undetermined:
        why = f"{plural(len(evidence.diff.undetermined), 'page')} gave no usable answer"
    return Cause(CauseKind.INCOMPLETE, f"the run is incomplete: {why}") if why else None


def _write_result(evidence: Evidence, blocked: Cause | None) -> tuple[Result, list[Cause]]:
    """What a writing mode repaired, or why it did not; an incomplete run is no drift (DIFF-20)."""
    run, diff = evidence.run, evidence.diff
    if blocked:
        result = Result.INCONCLUSIVE if blocked.kind is CauseKind.INCOMPLETE else Result.DRIFT
        return result, [Cause(CauseKind.NOT_WRITTEN, f"{run.sitemap} was not changed: {blocked.sentence}")]
    if run.absent:
        return Result.DRIFT, [Cause(CauseKind.STALE, f"{run.sitemap} is new and lists {plural(diff.listed, 'page')}")]
    repaired = drift_causes(diff, run, "", frozenset({"stale"}))
    if errors := _error_count(evidence.committed):
        repaired.append(Cause(CauseKind.STALE, f"{plural(errors, 'error')} in {run.sitemap}"))
    if evidence.lacking and not repaired:
        others = f" and {plural(len(evidence.lacking) - 1, 'other file')}" if len(evidence.lacking) > 1 else ""
        repaired.append(Cause(CauseKind.STALE, f"{evidence.lacking[0]}{others} was missing or not up to date"))
    return Result.DRIFT, repaired or [Cause(CauseKind.STALE, f"{run.sitemap} differed from the generated file")]


def _exit_code(result: Result, causes: list[Cause], *, repaired: bool) -> int:
    """Drift that was repaired exits 0: only what writing cannot repair fails."""
    match result:
        case Result.IN_SYNC:
            return 0
        case Result.INCONCLUSIVE:
            return 3
        case Result.DRIFT if repaired and all(cause.kind is CauseKind.STALE for cause in causes):
            return 0
        case Result.INVALID | Result.DRIFT:
            return 1


def _findings(
    evidence: Evidence, fail_on: frozenset[str], blocked: Cause | None, *, writing: bool
) -> tuple[Finding, ...]:
    """What cannot fail this run is at most a warning, in every output."""
    files, site = _file_findings(evidence, writing=writing), evidence.site
    repairs = not (writing and blocked and blocked.kind is CauseKind.INVALID)
    if "invalid" not in fail_on and repairs:
        files = tuple(map(_as_warning, files))
    if "errors" not in fail_on and not evidence.run.lacks(CauseKind.OTHER_BASE):
        site = tuple(one if one.rule.id in _LEDGER | _WITNESS else _as_warning(one) for one in site)
    order = list(Severity)
    findings = (one for one in (*files, *site) if one.acknowledged is None)
    return tuple(sorted(findings, key=lambda finding: (order.index(finding.severity), finding.rule.id)))


def _as_warning(found: Finding) -> Finding:
    return replace(found, severity=Severity.WARNING) if found.severity is Severity.ERROR else found


def _file_findings(evidence: Evidence, *, writing: bool) -> tuple[Finding, ...]:
    """Findings on the generated file in a writing mode, else on both files; those of the baseline are left out."""
    findings = evidence.generated if writing else _committed_and_generated(evidence)
    debt = {_key(finding): finding.count for finding in evidence.debt}
    return tuple(finding for finding in findings if finding.count > debt.get(_key(finding), 0))


def _committed_and_generated(evidence: Evidence) -> tuple[Finding, ...]:
    """Findings on the committed file, and errors that only the generated one has."""
    keys = {_key(finding) for finding in evidence.committed}
    new = (one for one in evidence.generated if one.severity is Severity.ERROR and _key(one) not in keys)
    return (*evidence.committed, *new)


def _key(finding: Finding) -> tuple[str, str, str, str]:
    """Equal for the same finding in two files, whatever its line."""
    return finding.rule.id, finding.message, finding.url, finding.accepted


def _error_count(findings: tuple[Finding, ...]) -> int:
    """The number of errors but for those that the list of accepted rows has."""
    return sum(one.count for one in findings if one.severity is Severity.ERROR and one.acknowledged is None)


class Grace(Struct, frozen=True):
    """`days`: class or rule → how many; `before`: the `first_seen` of earlier runs, None without a state."""

    days: Mapping[str, int]
    before: Mapping[str, date] | None
    today: date
    first_seen: dict[str, date] = field(default_factory=dict)  # key of a removal or error of this run → its first day

    def apply(self, diff: Diff) -> Diff:
        return replace(
            diff,
            extra=tuple(map(self._apply_to_row, diff.extra)),
            removed=tuple(map(self._apply_to_row, diff.removed)),
        )

    def findings(self, findings: Iterable[Finding]) -> tuple[Finding, ...]:
        return tuple(map(self._apply_to_finding, findings))

    def not_checked(self) -> tuple[NotChecked, ...]:
        if not self.days or self.before is not None:
            return ()
        hint = (
            f"give {option('state', 'FILE')} and keep that file between runs: it records since when a page is missing"
        )
        return (NotChecked("policy.grace", "a state", hint),)

    def _apply_to_row(self, row: Removed) -> Removed:
        last = self._last_day(row.reason.value, row.url)
        return row if last is None else replace(row, grace=last.isoformat())

    def _apply_to_finding(self, finding: Finding) -> Finding:
        subject = finding.url or finding.path or finding.message
        if finding.severity is not Severity.ERROR or self._last_day(finding.rule.id, subject) is None:
            return finding
        return replace(finding, severity=Severity.WARNING)

    def _last_day(self, name: str, subject: str) -> date | None:
        """The last day of grace; None when there is none, or it is over."""
        if name not in self.days or self.before is None:
            return None
        key = f"{name} {subject}"
        first = self.first_seen.setdefault(key, min(self.before.get(key, self.today), self.today))
        last = first + timedelta(days=self.days[name] - 1)
        return last if self.today <= last else None
