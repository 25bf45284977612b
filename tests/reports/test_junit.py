"""JUnit XML: valid by the published schema, a failure only for what fails the check, and XML on any text."""

import pytest
from lxml import etree
from msgspec.structs import replace

from fakes import at
from hostile import HOSTILE, everything
from outcomes import DRIFT, OK, finding
from published_schemas import published_schema
from sitemap_action.model.outcome import Outcome
from sitemap_action.reports.ci_results import render_junit as render


def parsed(outcome: Outcome) -> etree._Element:
    return etree.fromstring(render(outcome).encode())


def named(outcome: Outcome, state: str) -> list[str]:
    return [one.getparent().get("name") for one in parsed(outcome).iter(state)]


@pytest.mark.attack("injection")
@pytest.mark.parametrize("text", ["x", "\x00\x0b\ufffe\ud800", "]]><x/>", *HOSTILE])
def test_the_published_schema_accepts_it(text: str) -> None:
    schema = etree.XMLSchema(etree.fromstring(published_schema("junit.xsd")))
    schema.assertValid(parsed(everything(text)))


def test_a_site_that_passes_is_a_test_that_passes() -> None:
    (case,) = parsed(OK).iter("testcase")
    assert len(case) == 0
    assert case.get("name") == "the sitemap and the site pass the check"


def test_the_verdict_its_causes_and_lost_pages_are_failures() -> None:
    verdict, cause, gone = named(DRIFT, "failure")
    assert verdict == "the sitemap and the site pass the check"
    assert cause == "1 page is lost"
    assert gone == f"{at('/gone/')} is listed in sitemap.xml, but gone: no file for this URL (404)"


def test_nothing_fails_in_a_run_that_passes() -> None:
    found = (finding("error", "e"), finding("warning", "w"))
    outcome = replace(OK, findings=found, not_checked=everything("x").not_checked)
    assert named(outcome, "failure") == []
    assert named(outcome, "skipped") == ["e", "w", "SM-30"]


def test_counts_are_those_of_the_tests() -> None:
    root = parsed(everything("x"))
    for suite in (root, *root.iter("testsuite")):
        assert int(suite.get("tests")) == len(list(suite.iter("testcase")))
        assert int(suite.get("failures")) == len(list(suite.iter("failure")))


def test_cut_rows_are_counted() -> None:
    many = tuple(finding("info", "i", at(f"/{number}/")) for number in range(5_003))
    (rest,) = (name for name in named(replace(OK, findings=many), "skipped") if name.startswith("and "))
    assert rest.startswith("and 3 more, ")
