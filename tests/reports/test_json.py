"""The report for programs: whole, valid by its schema, and the same bytes every time."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from fakes import HOME, at
from hostile import HOSTILE, everything
from outcomes import OK, with_use
from sitemap_action.model.outcome import Outcome
from sitemap_action.reports.json import render

SCHEMA = json.loads((Path(__file__).parents[2] / "sitemap_action/reports/report.schema.json").read_text())


def valid(outcome: Outcome) -> dict[str, Any]:
    document = json.loads(render(outcome))
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    return dict(document)


def test_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_every_field_of_the_schema_is_there_and_no_other() -> None:
    outcome, optional = everything("x"), {"accepted", "ledger", "rendering", "state"}
    assert set(valid(OK)) == set(SCHEMA["required"]) == set(SCHEMA["properties"]) - optional
    whole = valid(with_use(outcome))
    assert set(whole) == set(SCHEMA["properties"])
    for name in ("rendering", "state"):
        assert set(whole[name]) == set(SCHEMA["properties"][name]["required"])


@pytest.mark.attack("injection")
@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_kept_as_it_is(text: str) -> None:
    document = valid(everything(text))
    assert document["notes"] == [text]
    assert document["causes"] == [text]
    assert document["undetermined"] == [{"url": text, "reason": text}]


@pytest.mark.attack("injection")
@pytest.mark.parametrize("text", HOSTILE)
def test_the_text_is_safe_to_print(text: str) -> None:
    rendered = render(everything(text))
    rendered.encode()
    assert "##[" not in rendered
    assert not any(line.lstrip().startswith("::") for line in rendered.splitlines())


def test_the_same_outcome_gives_the_same_bytes() -> None:
    assert render(everything("x")) == render(everything("x"))


def test_optional_fields_are_left_out_rather_than_empty() -> None:
    document = valid(everything("x"))
    assert document["removed"] == [
        {
            "url": "x",
            "class": "gone",
            "detail": "x",
            "redirect_to": "x",
            "line": 7,
            "acknowledged": "x",
            "links": {"found_on": "x", "pages": 3, "path": "x", "line": 7},
        },
        {"url": at("/bare"), "class": "moved", "detail": ""},
    ]
    assert document["site_url"] == HOME


def test_counts() -> None:
    found = valid(everything("x"))["counts"]
    assert found == {
        "urls": 9,
        "stale": 2,
        "added": 1,
        "removed": 2,
        "changed": 1,
        "skipped": 2,
        "undetermined": 1,
        "errors": 8,
        "warnings": 2,
    }
