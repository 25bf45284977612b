"""Every rule of the rule sheet is a finding, a row of the report, a behaviour, or named here as missing (R-20)."""

import pytest

from sitemap_action.checks.severity import _BY_RULE, consequence
from sitemap_action.cli.options import RULES
from sitemap_action.model.site import Reason

# Rules of the sheet with a severity.
FINDINGS = """
    ENV: 01 05 06 07 08
    SM: 01 02 03 04 05 06 07 09 11 12 13 14 15 16 17 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 40 41 42 44 45 46 48 49
    SM: 50 51 60 61 62 63 64 65 67 68 69
    EXT: 01
    IMG: 01 02 03 04
    VID: 01 02 03 04 05 06 07 08
    NEWS: 01 02 03 04 05
    HL: 01 02 03 04 05 06 07 08 09
    RB: 17 18 25 26 27 30 31 32 33 34 35 36
    HTML: 10 21 24 25 26 27 28 29 30 31 32 40 41 44 45 46 47 49 64 68 69 70 71 72
    URL: 20 29 30 33 35
    HOST: 03 09 10
    RT: 01 02 03 04
    DIFF: 04 05 06 07 08 09 10 14 30 31 32 33
    IN: 02 03
    VER: 01 02
    AGT: 01 02
    WIT: 01 02 03
"""
# Rules of the sheet about what this tool does: tests hold them. Of some, a case is a finding too.
BEHAVIOURS = """
    ENV: 02 03 04
    SM: 08 10 43 47 66 70
    RB: 01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 19 20 21 22 23 24 28 29
    HTML: 01 02 03 04 05 06 07 08 09 11 12 13 14 20 22 23 33 42 43 48 50 60 61 62 63 65 66 67
    URL: 01 02 03 04 05 06 07 08 09 10 21 22 23 24 25 26 27 28 31 32 34
    HOST: 01 02 04 05 06 07 08 11 12 13
    NET: 01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16
    DIFF: 01 02 03 11 12 13 20 21 22 34 40 41 42 43 44 45 46
    IN: 01 04 05 06 07
"""
# No finding in `check`: the class of the row that says it.
ROWS = {
    "DIFF-04": Reason.MOVED,
    "DIFF-05": Reason.MOVED_TEMPORARY,
    "DIFF-06": Reason.GONE,
    "DIFF-07": Reason.DEINDEXED,
    "DIFF-08": Reason.DROPPED,
    "HTML-10": Reason.DEINDEXED,
    "HTML-24": Reason.DEINDEXED,
    "HTML-32": Reason.DEINDEXED,
    "HTML-41": Reason.MOVED,
    "RB-30": Reason.DEINDEXED,
    "URL-20": Reason.EXCLUDED,
    "URL-30": Reason.EXCLUDED,
}
# No finding and no class: what says it instead.
OTHERWISE = {
    "ENV-01": "a URL that is not below site-url is a row",
    "ENV-05": "the run is inconclusive and names the wall",
    "HTML-69": "the list of missing URLs",
    "URL-33": "the run says which pattern it no longer follows",
    "IN-02": "the input index-now-key is a usage error",
    "IN-03": "the submission is refused and says why",
}
# Not built yet. A rule that is built leaves this table, or the test fails.
MISSING: dict[str, str] = {}
# Rules that the sheet does not have: HTML-73, the ledger's and the policy's own.
OWN = frozenset(("LED-01", "LED-02", "LED-03", "LED-04", "HTML-73", "POL-01", "POL-02", "POL-03", "POL-04"))


def ids(table: str) -> frozenset[str]:
    rows = (line.split(":") for line in table.strip().splitlines())
    return frozenset(f"{family.strip()}-{number}" for family, numbers in rows for number in numbers.split())


def test_R_20_the_rules_are_those_of_the_sheet() -> None:
    behaviours = ids(BEHAVIOURS)
    assert ids(FINDINGS) - RULES.keys() == {*ROWS, *OTHERWISE, *MISSING}
    assert RULES.keys() - ids(FINDINGS) - behaviours == OWN, "a rule that the sheet does not have stands in OWN"


def test_R_20_each_rule_is_of_one_kind() -> None:
    kinds = [ids(FINDINGS), ids(BEHAVIOURS), OWN]
    assert sum(map(len, kinds)) == len(frozenset.union(*kinds))
    assert len({*ROWS, *OTHERWISE, *MISSING}) == len(ROWS) + len(OTHERWISE) + len(MISSING)


@pytest.mark.parametrize("rule", [*ROWS, *OTHERWISE, *MISSING])
def test_R_20_no_table_names_a_rule_that_is_a_finding(rule: str) -> None:
    assert rule not in RULES


def test_R_20_coverage(capsys: pytest.CaptureFixture[str]) -> None:
    """Printed, and at least what it was."""
    sheet = ids(FINDINGS)
    built = len(sheet) - len(MISSING)
    with capsys.disabled():
        print(f"\nrules of the sheet that are findings or rows: {built} of {len(sheet)}")  # noqa: T201 - the number is asked for
    assert built >= 135


@pytest.mark.parametrize("name", RULES)
def test_a_rule_says_all_that_its_page_has(name: str) -> None:
    """`sitemap-action rules ID`: what must hold, both examples, what to do, why, and who says so."""
    rule = RULES[name]
    assert rule.summary.endswith(".")
    assert all((rule.tip, rule.source, rule.passes, rule.fails, rule.cases)), "see rule() in checks/base.py"
    assert consequence(name), "add it to checks/severity.py"


def test_consequences_are_of_rules_that_are_in_the_sheet() -> None:
    assert set(_BY_RULE) <= ids(FINDINGS) | ids(BEHAVIOURS) | OWN
