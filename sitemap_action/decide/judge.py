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
    return _Judgement(_believe_the_site(evidence), fail_on, allow_undetermined, writing=writing).outcome()


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


class _Judgement:
    """What follows from the evidence under one policy."""

    def __init__(
        self, evidence: Evidence, fail_on: frozenset[str], allow_undetermined: Limit, *, writing: bool
    ) -> None:
        self._evidence, self._run, self._site = evidence, evidence.run, evidence.site
        self._fail_on, self._allowed, self._writing = fail_on, allow_undetermined, writing
        self._files = self._file_findings()
        self._diff = self._with_accepted_findings()
        self._incomplete = self._incompleteness()
        self._blocked = self._find_block()

    def outcome(self) -> Outcome:
        evidence, run, diff, blocked = self._evidence, self._run, self._diff, self._blocked
        lacking = self._writing and evidence.lacking
        outdated = bool(diff.stale or diff.rewritten or _error_count(evidence.committed) or lacking)
        repaired = self._writing and outdated and not blocked
        result, causes = self._result()
        if self._writing and outdated and result is Result.IN_SYNC:
            result, causes = self._write_result()
        main_cause = self._main_cause(result, causes, repaired=repaired)
        if main_cause:
            causes = [main_cause, *(cause for cause in causes if cause != main_cause)]
        return Outcome(
            result=result,
            exit_code=run.source.interrupted or _exit_code(result, causes, repaired=repaired),
            run=run,
            diff=diff,
            causes=tuple(causes),
            guards=evidence.guards,
            findings=self._findings(),
            not_checked=evidence.not_checked,
            files=evidence.files,
            changed=repaired,
            writing=self._writing,
            blocked=blocked if outdated or run.lacks(CauseKind.OTHER_BASE) else None,
            fail_on=self._fail_on,
            main_cause=main_cause,
        )

    def _with_accepted_findings(self) -> Diff:
        """The difference with the findings that the list of accepted rows has, beside its rows."""
        diff, found = self._evidence.diff, (*self._files, *self._site)
        rows = [Accepted(one.acknowledged, one) for one in found if one.acknowledged is not None]
        if not rows:
            return diff
        by_name = sorted((*diff.acknowledged.rows, *rows), key=lambda one: (one.line.name, one.line.subject))
        return replace(diff, acknowledged=replace(diff.acknowledged, rows=tuple(by_name)))

    def _result(self) -> tuple[Result, list[Cause]]:
        """The first that holds: invalid, drift, inconclusive, in-sync."""
        if other := self._run.lacks(CauseKind.OTHER_BASE):
            return Result.INCONCLUSIVE, [other]
        if "invalid" in self._fail_on and _error_count(self._files):
            return Result.INVALID, [Cause(CauseKind.INVALID, _name_errors(self._files, "in the sitemap"))]
        unproven = self._unproven()
        causes = [guard for guard in self._evidence.guards if guard not in unproven]
        causes += drift_causes(self._diff, self._run, _name_errors(self._site, "on the site"), self._fail_on)
        if of_ledger := _error_count(tuple(one for one in self._site if one.rule.id in _LEDGER)):
            causes.append(Cause(CauseKind.LEDGER, ledger_sentence(self._diff.ledger, of_ledger)))
        if harm := tuple(one for one in self._site if one.rule.id in _WITNESS and _error_count((one,))):
            causes.append(Cause(CauseKind.WITNESS, witness_sentence(harm)))
        if causes:
            return Result.DRIFT, causes
        doubts = self._inconclusive_causes()
        return (Result.INCONCLUSIVE, doubts) if doubts else (Result.IN_SYNC, [])

    def _main_cause(self, result: Result, causes: Sequence[Cause], *, repaired: bool) -> Cause | None:
        """What makes the site and its sitemap differ, where that is one thing (DIFF-07)."""
        run, guards = self._run, self._evidence.guards
        if result is Result.INCONCLUSIVE:
            unclear = (CauseKind.OTHER_BASE, CauseKind.SAME_ANSWER, CauseKind.UNKNOWN_HOST)
            return next(filter(None, map(run.lacks, unclear)), None)
        if not repaired and result is not Result.IN_SYNC and (move := site_move(self._diff)):
            return Cause(CauseKind.MOVED_SITE, move)
        if result is not Result.DRIFT:
            return None
        if run.start_blocked:
            return Cause(CauseKind.START_BLOCKED, run.start_blocked)
        if small_share := next((guard for guard in guards if guard.key == MIN_SHARE), None):
            return small_share
        alone = causes[0] if len(causes) == 1 and causes[0].kind in {CauseKind.LEDGER, CauseKind.WITNESS} else None
        return alone or self._lacking_sitemap() or self._loss_cause(causes)

    def _stale_causes(self) -> list[Cause]:
        return drift_causes(self._diff, self._run, "", frozenset({"stale"}))

    def _lacking_sitemap(self) -> Cause | None:
        """A site that has no sitemap at all (I-05)."""
        if not self._run.absent or self._run.judged != "served" or self._diff.removed:
            return None
        return next(iter(self._stale_causes()), None)

    def _loss_cause(self, causes: Sequence[Cause]) -> Cause | None:
        """What all lost pages share; else that pages are lost, and the sitemap is true all the same."""
        diff = self._diff
        shared = diff.common_cause if len(diff.failing) == len(diff.lost_pages) else None
        if shared:
            return shared
        is_lost = any(cause.kind is CauseKind.LOST for cause in causes)
        return Cause(CauseKind.LOST, lost_beside_match(diff, self._run)) if is_lost and not diff.stale else None

    def _inconclusive_causes(self) -> list[Cause]:
        run, counts = self._run, self._diff.counts
        matters = run.no_pages or self._writing or not self._fail_on.isdisjoint(_DISCOVERY_ROWS)
        doubts = self._unproven()
        doubts += [one for one in run.incomplete if matters or one.kind is CauseKind.UNREAD_BASELINE]
        allowed = _allowed_undetermined(self._allowed, counts.union)
        if counts.kept:
            verb, pages = ("is", "it is") if counts.kept == 1 else ("are", "they are")
            gone = (
                f"{plural(counts.kept, 'page')} of the baseline {verb} not in {run.sitemap} and gave no usable answer"
            )
            doubts.append(Cause(CauseKind.UNDETERMINED, f"{gone}: no answer proves that {pages} gone"))
        told = run.no_pages or run.lacks(CauseKind.SAME_ANSWER) or run.lacks(CauseKind.UNKNOWN_HOST)
        if counts.unverified - counts.kept > allowed and not (told or failing_site(self._diff)):
            limit = f"{f'at most {allowed}' if allowed else 'none'} may (crawl.allow-undetermined)"
            unanswered = f"{plural(counts.unverified, 'listed URL')} gave no usable answer; {limit}"
            doubts.append(Cause(CauseKind.UNDETERMINED, unanswered))
        return doubts

    def _find_block(self) -> Cause | None:
        """Why nothing may be written, in any mode; None when it may."""
        if any(one.severity is Severity.ERROR for one in self._evidence.generated):  # also where it is known
            return Cause(CauseKind.INVALID, "the generated sitemap is invalid")
        if self._evidence.guards:
            first = self._evidence.guards[0]
            return Cause(CauseKind.GUARD, f"a guard of the policy tripped: {first.sentence}")
        return self._incomplete

    def _unproven(self) -> list[Cause]:
        """Guards that tripped because pages were not found, in a run that did not fetch everything.

        Where robots.txt blocks the whole site for search engines, its pages need not be fetched to know it.
        """
        if self._run.start_blocked or not self._incomplete:
            return []
        return [guard for guard in self._evidence.guards if guard.key in _ABSENCE_GUARDS]

    def _incompleteness(self) -> Cause | None:
        """DIFF-20: why this run is incomplete; None when it is complete."""
        why = ""
        if self._run.incomplete:
            why = self._run.incomplete[0].sentence
        elif self._diff.undetermined:
            why = f"{plural(len(self._diff.undetermined), 'page')} gave no usable answer"
        return Cause(CauseKind.INCOMPLETE, f"the run is incomplete: {why}") if why else None

    def _write_result(self) -> tuple[Result, list[Cause]]:
        """What a writing mode repaired, or why it did not; an incomplete run is no drift (DIFF-20)."""
        sitemap, blocked, lacking = self._run.sitemap, self._blocked, self._evidence.lacking
        if blocked:
            result = Result.INCONCLUSIVE if blocked.kind is CauseKind.INCOMPLETE else Result.DRIFT
            return result, [Cause(CauseKind.NOT_WRITTEN, f"{sitemap} was not changed: {blocked.sentence}")]
        if self._run.absent:
            new = f"{sitemap} is new and lists {plural(self._diff.listed, 'page')}"
            return Result.DRIFT, [Cause(CauseKind.STALE, new)]
        repaired = self._stale_causes()
        if errors := _error_count(self._evidence.committed):
            repaired.append(Cause(CauseKind.STALE, f"{plural(errors, 'error')} in {sitemap}"))
        if lacking and not repaired:
            others = f" and {plural(len(lacking) - 1, 'other file')}" if len(lacking) > 1 else ""
            repaired.append(Cause(CauseKind.STALE, f"{lacking[0]}{others} was missing or not up to date"))
        return Result.DRIFT, repaired or [Cause(CauseKind.STALE, f"{sitemap} differed from the generated file")]

    def _findings(self) -> tuple[Finding, ...]:
        """What cannot fail this run is at most a warning, in every output."""
        files, site = self._files, self._site
        invalid = self._writing and self._blocked is not None and self._blocked.kind is CauseKind.INVALID
        if "invalid" not in self._fail_on and not invalid:
            files = tuple(map(_as_warning, files))
        if "errors" not in self._fail_on and not self._run.lacks(CauseKind.OTHER_BASE):
            site = tuple(one if one.rule.id in _LEDGER | _WITNESS else _as_warning(one) for one in site)
        order = list(Severity)
        findings = (one for one in (*files, *site) if one.acknowledged is None)
        return tuple(sorted(findings, key=lambda finding: (order.index(finding.severity), finding.rule.id)))

    def _file_findings(self) -> tuple[Finding, ...]:
        """Findings on the generated file in a writing mode, else on both files; those of the baseline are left out."""
        evidence = self._evidence
        findings = evidence.generated
        if not self._writing:  # of the generated one errors that are new
            keys = {_key(finding) for finding in evidence.committed}
            new = (one for one in findings if one.severity is Severity.ERROR and _key(one) not in keys)
            findings = (*evidence.committed, *new)
        debt = {_key(finding): finding.count for finding in evidence.debt}
        return tuple(finding for finding in findings if finding.count > debt.get(_key(finding), 0))


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


def _as_warning(found: Finding) -> Finding:
    return replace(found, severity=Severity.WARNING) if found.severity is Severity.ERROR else found


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
