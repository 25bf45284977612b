"""The table of formats: each has a row, and a name that has none is refused."""

import json

import pytest
from msgspec.structs import replace

from hostile import everything
from sitemap_action.model.outcome import Result
from sitemap_action.model.wording import plural
from sitemap_action.reports.all import FORMATS, REPORT_FORMATS, render, report_format, standing


def test_every_format_renders_a_report_of_its_own() -> None:
    reports = {name: render(name, everything("x")) for name in FORMATS}
    assert FORMATS == (
        "text",
        "json",
        "markdown",
        "annotations",
        "sarif",
        "junit",
        "gitlab",
        "csv",
        "patch",
        "badge",
        "html",
    )
    assert len({*reports.values()}) == len(reports)
    assert all(reports.values())


def test_a_badge_is_green_red_or_grey() -> None:
    """By shields' endpoint schema: other keys than these have defaults, and unknown ones are an error there."""
    colors = {Result.IN_SYNC: "green", Result.DRIFT: "red", Result.INVALID: "red", Result.INCONCLUSIVE: "grey"}
    assert {*colors} == {*Result}
    outcome = everything("x")
    for result, color in colors.items():
        badge = json.loads(render("badge", replace(outcome, result=result)))
        counted = plural(outcome.diff.listed, "page") if result is Result.IN_SYNC else result.value
        assert badge == {"schemaVersion": 1, "label": "sitemap", "message": counted, "color": color}


@pytest.mark.parametrize("name", ["", "TEXT", "codequality", "__init__"])
def test_an_unknown_format_is_no_text(name: str) -> None:
    with pytest.raises(ValueError, match="is not a report format: use one of text, json"):
        render(name, everything("x"))


def test_a_file_name_belongs_to_one_format() -> None:
    assert len({row.file for row in REPORT_FORMATS}) == len(REPORT_FORMATS)
    assert report_format("json").file == "report.json"


def test_what_is_kept_up_to_date_does_not_change_with_the_run() -> None:
    assert "2026-01-31 12:30 UTC" in render("markdown", everything("x"))
    assert "12:30 UTC" not in standing(everything("x"))
