"""Every rule over a site: rows that must pass and rows that must be reported; a rule without either fails here."""

from collections.abc import Callable
from typing import Any

import pytest

from checks.site_rows import (
    ANOTHER_HEAD,
    GOOD_ROBOTS,
    MARCH,
    ROBOTS,
    SAME,
    STAMPED,
    TABLES,
    W,
    check,
    dated,
    found,
    known,
    removed_during_grace,
    run_pass,
    states,
)
from fakes import at, canonical, gone, noindex, page, redirect, undetermined
from sitemap_action.checks.all import SITE_RULES

RUNS = [
    pytest.param(run, row, id=f"{row[0]} {row[1]} {number}")
    for number, (run, row) in enumerate((run, row) for table, run in TABLES for row in table)
]
ROWS = [row for table, _ in TABLES for row in table]


@pytest.mark.parametrize(("run", "row"), RUNS)
def test_row(run: Callable[[Any], list[Any]], row: Any) -> None:
    findings = [one for one in run(row) if one.rule.id == row[0]]
    assert [one.severity for one in findings] == ([] if row[-2] is None else [row[-2]])
    assert all(row[-1] in one.message for one in findings)
    assert all(one.path == "robots.txt" for one in findings if row in ROBOTS)


def test_POL_02_is_a_warning_during_grace() -> None:
    assert [one.severity for one in removed_during_grace("/a")] == [W]


NOT_CHECKED = [
    # id, robots.txt, whether the committed sitemap is an index, broken sitemaps, rules that are not checked
    ("both", GOOD_ROBOTS, True, None, ["RB-31", "RB-32", "SM-11", "SM-63"]),
    ("one file that robots.txt does not name", "User-agent: *\n", False, None, []),
    ("fetched", GOOD_ROBOTS, True, (), []),
]


@pytest.mark.parametrize(
    ("robots", "index", "broken", "rules"), [pytest.param(*row[1:], id=row[0]) for row in NOT_CHECKED]
)
def test_rules_over_broken_sitemaps_are_not_checked_unless_fetched(
    robots: str, index: bool, broken: tuple[object, ...] | None, rules: list[str]
) -> None:
    findings, not_checked = run_pass(robots=robots, index=index, broken=broken)
    assert findings == []
    assert [rule for rule in not_checked if rule != "RB-35"] == rules


def test_DIFF_33_an_own_date_of_most_pages_is_that_of_a_build() -> None:
    own = [states("2026-09-30", path="/b"), states("2026-09-29", path="/c")]
    entries = tuple(dated(MARCH, f"/{path}") for path in "012bc")
    findings = [one for one in check([*STAMPED, *own], listed=entries) if one.rule.id == "DIFF-33"]
    assert [one.url for one in findings] == [at("/b"), at("/c")]


def test_DIFF_33_pages_that_share_it_are_one_finding() -> None:
    pages = [states(f"2026-09-{number + 10}", path=f"/{number}") for number in range(6)]
    (one,) = (
        row for row in check(pages, listed=tuple(dated(MARCH, f"/{n}") for n in range(6))) if row.rule.id == "DIFF-33"
    )
    assert (one.count, one.examples) == (6, tuple(at(f"/{number}") for number in range(5)))


def test_HTML_70_a_group_names_the_commonest_causes() -> None:
    """Whichever came first, and however many others there are."""
    causes = ["e"] * 2 + [f"{number:03}" for number in range(200)] + ["b"] * 9 + ["a"] * 3
    (one,) = (
        row
        for row in check([page(f"/{number}", shell=cause) for number, cause in enumerate(causes)])
        if row.rule.id == "HTML-70"
    )
    assert (one.count, len(one.examples), one.causes) == (214, 5, (("b", 9), ("a", 3), ("e", 2)))


@pytest.mark.parametrize(("lastmod", "rules"), [("", []), (MARCH, ["DIFF-31", "DIFF-32"])])
def test_without_a_state_content_is_not_compared(lastmod: str, rules: list[str]) -> None:
    assert run_pass(known(SAME, lastmod)) == ([], rules)


def test_HTML_29_the_noindex_of_a_preview_host_is_not_of_the_page() -> None:
    both = page(
        "/a", directives=noindex("/a").facts.head.directives, canonicals=canonical("/a", "/b").facts.head.canonicals
    )
    directives = frozenset(both.facts.head.directives)
    assert found(check([both, page("/b")], host_directives=directives), "HTML-29") == []


@pytest.mark.parametrize("rule", SITE_RULES)
def test_every_rule_has_rows(rule: str) -> None:
    severities = {row[-2] for row in ROWS if row[0] == rule}
    assert None in severities, "no row that passes in a table of site_rows.py"
    assert severities - {None} == {case.severity for case in SITE_RULES[rule].cases.values()}, (
        "no row for each severity in a table of site_rows.py"
    )


def test_every_row_has_a_rule() -> None:
    assert {row[0] for row in ROWS} == set(SITE_RULES), "add rows to a table of site_rows.py"


@pytest.mark.parametrize("name", SITE_RULES)
def test_a_rule_is_complete(name: str) -> None:
    rule = SITE_RULES[name]
    assert rule.needs in {"site", "baseline", "live", "state"}
    assert all((rule.summary.endswith("."), rule.source, rule.passes, rule.fails))
    assert rule.severity in {case.severity for case in rule.cases.values()}


def test_without_robots_txt_it_has_no_findings() -> None:
    assert check([page("/a")]) == []


def test_pages_without_document_have_no_findings() -> None:
    pages = [
        undetermined("/a"),
        gone("/b"),
        redirect("/c", "/a"),
        page("/404.html", shell="x")._replace(unlisted="error page of the host"),
    ]
    assert check(pages, GOOD_ROBOTS, listed=("/a", "/c")) == []


def test_a_finding_that_five_pages_share_is_one() -> None:
    findings = check([page(f"/{number}", inlinks=0) for number in range(7)])
    (orphans,) = [finding for finding in findings if finding.rule.id == "HTML-68"]
    assert (orphans.count, orphans.examples) == (7, tuple(at(f"/{number}") for number in range(5)))


def test_HTML_72_each_difference_of_a_head_is_a_finding() -> None:
    assert len(found(check([ANOTHER_HEAD]), "HTML-72")) == 4
