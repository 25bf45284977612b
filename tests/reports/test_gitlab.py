"""GitLab Code Quality, held to the constraints of its documentation, for GitLab publishes no schema in a package.

https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
"""

import json
import re
from typing import Any

import pytest
from msgspec.structs import replace

from fakes import at
from hostile import HOSTILE, everything
from outcomes import DRIFT, OK, finding
from sitemap_action.model.outcome import Outcome
from sitemap_action.reports.ci_results import render_gitlab as render


def issues(outcome: Outcome) -> list[dict[str, Any]]:
    return json.loads(render(outcome))


@pytest.mark.attack("injection")
@pytest.mark.parametrize("text", ["x", *HOSTILE])
def test_it_is_as_documented(text: str) -> None:
    """One array, no byte order mark; five properties; a severity of the list; a relative path without `./`."""
    source = render(everything(text))
    assert source.startswith("[")
    found = json.loads(source.encode())
    for one in found:
        assert set(one) == {"description", "check_name", "fingerprint", "severity", "location"}
        assert one["severity"] in {"info", "minor", "major", "critical", "blocker"}
        assert one["description"].strip()
        assert one["check_name"]
        assert re.fullmatch(r"[0-9a-f]{32}", one["fingerprint"])
        assert set(one["location"]) == {"path", "lines"}
        assert one["location"]["path"].strip()
        assert not one["location"]["path"].startswith(("/", "./"))
        assert isinstance(one["location"]["lines"]["begin"], int)
        assert one["location"]["lines"]["begin"] > 0
    assert len({one["fingerprint"] for one in found}) == len(found), "GitLab shows one of each fingerprint"


def test_nothing_wrong_is_an_empty_array() -> None:
    assert issues(OK) == []


def test_a_lost_page_is_on_its_line() -> None:
    _, gone = issues(DRIFT)
    assert (gone["check_name"], gone["severity"]) == ("listed-gone", "major")
    assert gone["location"] == {"path": "sitemap.xml", "lines": {"begin": 7}}


def test_cut_rows_are_counted_worst_first() -> None:
    many = tuple(finding("info", "i", at(f"/{number}/")) for number in range(5_000))
    found = issues(replace(OK, findings=(*many, finding("error", "e"))))
    assert len(found) == 5_001
    assert found[0]["description"] == "e"
    assert found[-1]["description"].startswith("and 1 more, ")
