"""Every tolerance is listed once, with its source; and every tolerated fault is in the list."""

from sitemap_action.checks.all import RULES, fault_cases
from sitemap_action.sitemap.faults import DESIGN, FATAL, TOLERANCES, TOLERATED

CODES = [one.code for one in TOLERANCES]


def test_the_list_is_complete() -> None:
    assert len(CODES) == len(set(CODES))
    assert set(TOLERATED) <= set(CODES)
    assert not set(FATAL) & set(CODES)


def test_a_tolerance_is_a_finding_of_the_strict_reading() -> None:
    """What is tolerated is a finding of a rule; `//host` is SM-21's relative URL."""
    known = set(fault_cases()) - {"loc-schemeless"}
    assert set(CODES) - known == {"loc-schemeless"}
    assert "loc-relative" in RULES["SM-21"].cases


def test_a_source_is_an_address_or_a_decision() -> None:
    assert all(one.source == DESIGN or "https://" in one.source or "Bing" in one.source for one in TOLERANCES)
