"""Annotations: worst first, each where it belongs, and no more than GitHub shows."""

from functools import partial

from msgspec.structs import replace

import outcomes
from fakes import at, make_diff, run_info
from hostile import RULE
from outcomes import GONE, OK, finding, removed, run_identity
from runner_model import Command, commands
from sitemap_action.model.outcome import (
    Cause,
    CauseKind,
    Diff,
    Flip,
    Outcome,
    PolicyChange,
)
from sitemap_action.reports.annotations import render

MOVED = removed("/old/", "moved", "redirects to /new/", line=9)
DRIFT = replace(outcomes.DRIFT, diff=Diff(extra=(GONE, MOVED), removed=(GONE, MOVED)))


def found(outcome: Outcome, level: str = "error") -> list[Command]:
    return [one for one in commands(render(outcome)) if one.name == level]


located = partial(finding, path="sitemap.xml", line=3)


def test_an_outcome_without_findings_has_no_annotation() -> None:
    assert render(OK) == ""


def test_the_verdict_comes_first_and_a_lost_page_stands_on_its_line() -> None:
    verdict, gone = found(DRIFT)
    assert verdict.properties["title"] == "Sitemap: the sitemap and the site differ"
    assert verdict.data == "1 page is lost"
    assert gone.properties == {"title": "Listed: gone", "file": DRIFT.run.sitemap, "line": "7"}
    assert gone.data.startswith(f"{at('/gone/')}: no file for this URL (404)\n")


def test_a_page_that_is_removed_with_its_entry_has_no_line_here() -> None:
    """The line is that of the target branch's file."""
    (_, gone) = found(replace(DRIFT, diff=Diff(removed=(GONE,))))
    assert gone.properties == {"title": "Removed: gone", "file": "sitemap.xml"}


def test_a_loss_that_fails_nothing_is_a_warning() -> None:
    outcome = replace(DRIFT, exit_code=0)
    assert found(outcome) == []
    assert len(found(outcome, "warning")) == 1


def test_V_24_a_loss_of_a_class_that_fail_on_does_not_name_is_a_warning() -> None:
    """Another row fails the check: the lost page is no cause of that."""
    only_added = replace(DRIFT, fail_on=frozenset({"added"}))
    assert [one.properties["title"] for one in found(only_added)] == ["Sitemap: the sitemap and the site differ"]
    assert [one.properties["title"] for one in found(only_added, "warning")] == ["Listed: gone"]
    by_class = replace(only_added, fail_on=frozenset({"gone"}))
    assert [one.properties["title"] for one in found(by_class)][1:] == ["Listed: gone"]
    moved = replace(by_class, diff=Diff(removed=(removed("/old/", "moved"),)), fail_on=frozenset({"moved"}))
    assert len(found(moved)) == 2, "a class that fails on purpose, lost or not, is an error"
    in_grace = replace(DRIFT, diff=Diff(removed=(replace(GONE, grace="2026-12-01"),)))
    assert [one.properties["title"] for one in found(in_grace, "warning")] == ["Removed: gone"]


def test_guards_and_findings_by_severity() -> None:
    rows = (located("warning", "w"), located("error", "e"), located("info", "i"))
    outcome = replace(DRIFT, guards=(Cause(CauseKind.GUARD, "too many", "policy.max-removed"),), findings=rows)
    assert [one.data.partition("\n")[0] for one in found(outcome)[1:]] == [
        "too many",
        f"{at('/gone/')}: no file for this URL (404)",
        "e",
    ]
    assert [one.data for one in found(outcome, "warning")] == ["w\nCorrect it."]
    assert [one.properties["line"] for one in found(outcome, "notice")] == ["3"]


def test_a_guard_that_is_the_cause_takes_one_slot() -> None:
    """U-09."""
    guard = Cause(CauseKind.GUARD, "1 page is lost", "policy.max-removed")
    outcome = replace(DRIFT, guards=(guard,), causes=(guard,))
    assert [one.properties["title"] for one in found(outcome)] == [
        "Sitemap: the sitemap and the site differ",
        "Listed: gone",
    ]


def test_pages_that_share_class_and_reason_are_one_annotation_with_examples() -> None:
    rows = tuple(replace(GONE, url=at(f"/{number}/"), line=number) for number in range(3, 11))
    _, gone = found(replace(DRIFT, diff=Diff(extra=(*rows, MOVED))))
    assert gone.properties == {"title": "Listed: gone (8 pages)", "file": "sitemap.xml", "line": "3"}
    reason, *examples, more, _tip = gone.data.splitlines()
    assert reason == "no file for this URL (404)"
    assert examples == [at(f"/{number}/") for number in range(3, 8)]
    assert more == "and 3 more"


def test_pages_of_a_class_with_a_reason_of_their_own_are_one_annotation_too() -> None:
    rows = tuple(removed(f"/{number}/", "moved-temporary", f"redirects to /{number}") for number in range(3))
    _, moved = found(replace(DRIFT, diff=Diff(extra=rows)))
    assert moved.properties["title"] == "Listed: moved-temporary (3 pages)"
    assert moved.data.splitlines()[:3] == [f"{row.url}: {row.detail}" for row in rows]


def test_addresses_that_change_together_are_one_annotation() -> None:
    flip = Flip((".html dropped",), ((at("/gone/"), at("/gone")),), 0, (GONE,))
    diff = make_diff(
        missing=(at("/gone"),), extra=(GONE,), removed=(GONE,), stale_flips=(flip,), flips=(flip,), committed=1
    )
    rows = (finding("warning", "pages change their URLs together", rule=replace(RULE, id="DIFF-11")),)
    outcome = replace(DRIFT, diff=diff, findings=rows)
    assert [one.properties["title"] for one in found(outcome)] == [
        "Sitemap: the sitemap and the site differ",
        "Under another URL than in sitemap.xml",
    ]
    assert found(outcome, "warning") == []


def test_pages_that_the_sitemap_lacks_are_one_annotation() -> None:
    _, missing = found(replace(DRIFT, diff=Diff(missing=(at("/a/"), at("/b/")))))
    assert missing.properties == {"title": "Missing from the sitemap (2 pages)", "file": "sitemap.xml"}
    assert missing.data.splitlines() == [at("/a/"), at("/b/")]


def test_without_a_sitemap_the_place_is_the_config() -> None:
    run = run_info(absent=True, identity=run_identity(config=".github/sitemap.yml"))
    rows = (finding("error", "e"), finding("error", "f", path="site/a.html"))
    places = [one.properties["file"] for one in found(replace(DRIFT, run=run, diff=Diff(), findings=rows))]
    assert places == [".github/sitemap.yml", ".github/sitemap.yml", "site/a.html"]


def test_findings_with_the_same_words_are_one_annotation() -> None:
    rows = tuple(finding("warning", "w", at(f"/{number}/"), "sitemap.xml", number) for number in (3, 6))
    (one,) = found(replace(OK, findings=rows), "warning")
    assert one.properties == {"title": "SM-40 (2 times)", "file": "sitemap.xml", "line": "3"}
    assert one.data.splitlines() == ["w", at("/3/"), at("/6/"), "Correct it."]


def test_ten_of_a_level_and_the_tenth_counts_the_rest() -> None:
    ten = replace(OK, findings=tuple(located("warning", f"w{number}") for number in range(10)))
    assert len(found(ten, "warning")) == 10
    eleven = replace(ten, findings=(*ten.findings, located("warning", "last")))
    *_, rest = found(eleven, "warning")
    assert len(found(eleven, "warning")) == 10
    assert rest.data.startswith("and 2 more: ")


def test_changed_policy_is_a_warning() -> None:
    policy = (PolicyChange("policy.fail-on", "[stale]", "none"),)
    run = replace(OK.run, policy=policy, identity=run_identity(config=".github/sitemap.yml"))
    (one,) = found(replace(OK, run=run), "warning")
    assert one.properties["file"] == ".github/sitemap.yml"
    assert [one.data for one in found(replace(OK, run=run), "warning")] == ["policy.fail-on: [stale] → none"]


def test_a_message_is_cut_before_the_runner_cuts_it() -> None:
    (one,) = found(replace(OK, findings=(located("error", "x" * 9_000),)))
    assert len(one.data) == 4_001


def test_a_file_that_cannot_be_shown_is_left_out() -> None:
    row = replace(located("error", "e"), path="a\u202eb.xml")
    (one,) = found(replace(OK, findings=(row,)))
    assert "file" not in one.properties
