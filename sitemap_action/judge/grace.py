"""Removals and errors that are warnings for some days after they were first seen (`policy.grace`, DIFF-43)."""

from collections.abc import Iterable, Mapping
from datetime import date, timedelta

from msgspec import Struct, field
from msgspec.structs import replace

from sitemap_action.model.finding import Finding, NotChecked, Severity
from sitemap_action.model.outcome import Diff, Removed
from sitemap_action.model.wording import option


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
