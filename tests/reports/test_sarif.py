"""SARIF: valid by the published schema, no more than GitHub takes, and nothing of a site becomes a link."""

import json
import re
from typing import Any

import jsonschema
import pytest
from msgspec.structs import replace

from fakes import at, caused, run_info
from hostile import HOSTILE, RULE, everything
from outcomes import DRIFT, GONE, finding, removed, run_identity
from published_schemas import published_schema
from sitemap_action.model.outcome import Cause, CauseKind, Diff, Outcome
from sitemap_action.reports.sarif import render


def run_of(outcome: Outcome) -> dict[str, Any]:
    (run,) = json.loads(render(outcome))["runs"]
    return run


def results(outcome: Outcome) -> list[dict[str, Any]]:
    return run_of(outcome)["results"]


def place(result: dict[str, Any]) -> tuple[str, int]:
    (location,) = result["locations"]
    where = location["physicalLocation"]
    assert where["artifactLocation"]["uriBaseId"] == "%SRCROOT%"
    return where["artifactLocation"]["uri"], where["region"]["startLine"]


@pytest.mark.attack("injection")
@pytest.mark.parametrize("text", ["x", *HOSTILE])
def test_the_published_schema_accepts_it_and_no_text_is_a_link(text: str) -> None:
    schema = json.loads(published_schema("sarif.json"))
    log = json.loads(render(everything(text)))
    jsonschema.Draft202012Validator(schema).validate(log)
    for one in log["runs"][0]["results"]:
        assert not re.search(r"(?<!\\)(?:\\\\)*[\[\]]", one["message"]["text"])
        uri, _ = place(one)
        assert re.fullmatch(r"[\w./%~-]+", uri)


def test_the_verdict_is_the_first_result_and_a_lost_page_is_on_its_line() -> None:
    verdict, gone = results(DRIFT)
    assert (verdict["ruleId"], verdict["level"], place(verdict)) == ("drift", "error", ("sitemap.xml", 1))
    assert (gone["ruleId"], gone["level"], place(gone)) == ("listed-gone", "error", ("sitemap.xml", 7))
    assert run_of(DRIFT)["invocations"] == [{"executionSuccessful": True, "exitCode": 1}]


def test_a_removed_page_is_a_result_too() -> None:
    _, gone = results(replace(DRIFT, diff=Diff(removed=(GONE,))))
    assert (gone["ruleId"], place(gone)) == ("removed-gone", ("sitemap.xml", 1))


def test_a_guard_is_one_result() -> None:
    guard = Cause(CauseKind.GUARD, "1 page is lost", "policy.max-removed")
    guarded = replace(DRIFT, guards=(guard,), causes=(guard,))
    assert [one["ruleId"] for one in results(guarded)] == ["policy.max-removed", "listed-gone"]


def test_without_a_sitemap_the_place_is_the_config() -> None:
    absent = replace(
        DRIFT,
        run=run_info(absent=True, identity=run_identity(config=".github/sitemap.yml")),
        diff=Diff(missing=(at("/a"),)),
    )
    assert {place(one) for one in results(absent)} == {(".github/sitemap.yml", 1)}


@pytest.mark.parametrize("path", ["/etc/x.xml", "https://x.example/sitemap.xml", "../up.xml", ""])
def test_a_file_outside_of_the_repository_is_no_place(path: str) -> None:
    found = finding("error", "a date", path=path, line=3)
    assert place(results(replace(DRIFT, findings=(found,)))[-1]) == ("sitemap.xml", 1)


def test_a_rule_says_what_to_do_and_where_it_stands() -> None:
    rule = replace(RULE, source="sitemaps.org, https://www.sitemaps.org/protocol.html, lastmod")
    (found,) = (
        one
        for one in run_of(replace(DRIFT, findings=(finding("warning", "w", rule=rule),)))["tool"]["driver"]["rules"]
        if one["id"] == "SM-40"
    )
    assert found["helpUri"] == "https://www.sitemaps.org/protocol.html"
    assert found["defaultConfiguration"] == {"level": "error"}
    assert found["properties"]["tags"] == ["sitemap", "rule", "SM"]
    assert found["help"]["text"].endswith("Correct it.")


def test_a_result_keeps_its_fingerprint_where_lines_and_counts_move() -> None:
    moved = replace(DRIFT, causes=caused("2 pages are lost"), diff=Diff(extra=(replace(GONE, line=99),)))
    marks = [[one["partialFingerprints"] for one in results(outcome)] for outcome in (DRIFT, moved)]
    assert marks[0] == marks[1]


def test_results_that_look_alike_have_fingerprints_of_their_own() -> None:
    twice = replace(DRIFT, findings=(finding("error", "e"), finding("error", "e", line=9)))
    marks = [one["partialFingerprints"]["primaryLocationLineHash"] for one in results(twice)]
    assert len({*marks}) == len(marks) == 4


def test_at_most_what_github_shows_worst_first_and_the_rest_is_counted() -> None:
    many = tuple(finding("info", "i", at(f"/{number}/")) for number in range(5_000))
    outcome = replace(DRIFT, findings=(*many, finding("error", "e")))
    run = run_of(outcome)
    assert len(run["results"]) == 5_000
    assert [one["level"] for one in run["results"]][:4] == ["error", "error", "error", "note"]
    (notice,) = run["invocations"][0]["toolExecutionNotifications"]
    assert notice["message"]["text"].startswith("and 3 more, ")


def test_a_file_stays_below_ten_megabytes() -> None:
    long = tuple(removed(f"/{'é' * 2_000}{number}", "gone") for number in range(5_000))
    text = render(replace(DRIFT, diff=Diff(removed=long)))
    assert len(text.encode()) < 10_000_000
    assert "toolExecutionNotifications" in text


def test_it_says_of_which_commit_of_which_repository_it_is() -> None:
    known = run_identity("2026-01-31T12:30:59Z", "push", "c" * 40, "main", 0, "https://x.example/7", "https://x.example/site")  # fmt: skip
    run = run_of(replace(DRIFT, run=run_info(identity=known)))
    assert run["automationDetails"]["id"] == "sitemap-action/www.example.com/sitemap.xml/2026-01-31T12:30:59Z"
    assert run["automationDetails"]["description"] == {"text": "https://x.example/7"}
    assert run["versionControlProvenance"] == [{"repositoryUri": "https://x.example/site", "revisionId": "c" * 40, "branch": "main", "mappedTo": {"uriBaseId": "%SRCROOT%"}}]  # fmt: skip
    assert "versionControlProvenance" not in run_of(DRIFT), "an address is needed"
