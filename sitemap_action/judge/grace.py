"""Trouble that is a warning for some days after it was first seen (`policy.grace`, DIFF-43)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, timedelta

from sitemap_action.model.finding import Finding, NotChecked, Severity
from sitemap_action.model.outcome import Diff, Removed


@dataclass(frozen=True, slots=True)
class Grace:
    """`days`: class or rule → how many; `before`: what a state remembers, None without one."""

    days: Mapping[str, int]
    before: Mapping[str, date] | None
    today: date
    met: dict[str, date] = field(default_factory=dict)  # to be remembered: what was met in this run → its first day

    def rows(self, diff: Diff) -> Diff:
        return replace(
            diff,
            extra=tuple(map(self._removal, diff.extra)),
            removed=tuple(map(self._removal, diff.removed)),
        )

    def findings(self, findings: Iterable[Finding]) -> tuple[Finding, ...]:
        return tuple(map(self._finding, findings))

    def not_checked(self) -> tuple[NotChecked, ...]:
        if not self.days or self.before is not None:
            return ()
        hint = "name a file with --state and keep it from run to run: it says since when a page is missed"
        return (NotChecked("policy.grace", "a state", hint),)

    def _removal(self, row: Removed) -> Removed:
        last = self._last(row.reason.value, row.url)
        return row if last is None else replace(row, grace=last.isoformat())

    def _finding(self, found: Finding) -> Finding:
        what = found.url or found.path or found.message
        if found.severity is not Severity.ERROR or self._last(found.rule.id, what) is None:
            return found
        return replace(found, severity=Severity.WARNING)

    def _last(self, name: str, what: str) -> date | None:
        """The last day of grace; None when there is none, or it is over."""
        if name not in self.days or self.before is None:
            return None
        key = f"{name} {what}"
        first = self.met.setdefault(key, self.before.get(key, self.today))
        last = first + timedelta(days=self.days[name] - 1)
        return last if self.today <= last else None
