"""DIFF-43: removals and errors that are warnings for some days from the first on."""

from datetime import date, timedelta

import pytest
from msgspec.structs import replace

from fakes import at, make_diff, run_info
from sitemap_action.checks.all import SITE_RULES
from sitemap_action.decide.causes import drift_causes
from sitemap_action.decide.judge import Grace
from sitemap_action.model.finding import Finding, Severity
from sitemap_action.model.outcome import Diff, Removed
from sitemap_action.model.site import Reason

TODAY = date(2026, 11, 20)
GONE = Removed(at("/a"), Reason.GONE)
DIFF = make_diff(extra=(GONE,), removed=(GONE,), baseline=9, committed=9)
EVERYTHING = frozenset({"stale", "lost", "gone"})


def days_ago(days: int) -> date:
    return TODAY - timedelta(days=days)


ROWS = [
    # id, days of grace, first days of the state, last day of grace or ""
    ("no grace", {}, {}, ""),
    ("another class", {"deindexed": 14}, {}, ""),
    ("seen for the first time", {"gone": 14}, {}, "2026-12-03"),
    ("seen yesterday", {"gone": 14}, {f"gone {at('/a')}": days_ago(1)}, "2026-12-02"),
    ("the last day", {"gone": 14}, {f"gone {at('/a')}": days_ago(13)}, "2026-11-20"),
    ("over", {"gone": 14}, {f"gone {at('/a')}": days_ago(14)}, ""),
    ("one day is today", {"gone": 1}, {}, "2026-11-20"),
    ("another class in the state", {"gone": 14}, {f"deindexed {at('/a')}": days_ago(100)}, "2026-12-03"),
    ("no state", {"gone": 14}, None, ""),
]  # fmt: skip


@pytest.mark.parametrize(("days", "before", "last"), [pytest.param(*row[1:], id=row[0]) for row in ROWS])
def test_removed_rows(days: dict[str, int], before: dict[str, date] | None, last: str) -> None:
    grace = Grace(days, before, TODAY)
    diff = grace.apply(DIFF)
    assert [row.grace for row in (*diff.extra, *diff.removed)] == [last, last]
    assert bool(drift_causes(diff, run_info(), "", EVERYTHING)) is not bool(last)
    assert [row.rule for row in grace.not_checked()] == (["policy.grace"] if days and before is None else [])


def test_first_days_of_this_run_are_recorded() -> None:
    before = {f"gone {at('/a')}": days_ago(3), f"gone {at('/back')}": days_ago(9)}
    grace = Grace({"gone": 14}, before, TODAY)
    grace.apply(Diff(removed=(GONE, replace(GONE, url=at("/b")))))
    assert grace.first_seen == {f"gone {at('/a')}": days_ago(3), f"gone {at('/b')}": TODAY}


def test_a_page_that_is_in_grace_still_counts_for_guards() -> None:
    assert len(Grace({"gone": 14}, {}, TODAY).apply(DIFF).lost_pages) == 1


E, W = Severity.ERROR, Severity.WARNING
MASS = Finding(SITE_RULES["HTML-31"], E, "many pages", at("/"))
FINDINGS = [
    # id, finding, days, first days of the state, severity
    ("an error, seen for the first time", MASS, {"HTML-31": 7}, {}, W),
    ("over", MASS, {"HTML-31": 7}, {f"HTML-31 {at('/')}": days_ago(7)}, E),
    ("another rule", MASS, {"HTML-25": 7}, {}, E),
    ("a warning stays one", replace(MASS, severity=W), {"HTML-31": 7}, {}, W),
    ("a finding that many pages share goes by its words", replace(MASS, url=""), {"HTML-31": 7}, {"HTML-31 many pages": days_ago(7)}, E),
    ("no state", MASS, {"HTML-31": 7}, None, E),
]  # fmt: skip


@pytest.mark.parametrize(
    ("finding", "days", "before", "severity"), [pytest.param(*row[1:], id=row[0]) for row in FINDINGS]
)
def test_findings(finding: Finding, days: dict[str, int], before: dict[str, date] | None, severity: Severity) -> None:
    (found,) = Grace(days, before, TODAY).findings([finding])
    assert found.severity is severity
