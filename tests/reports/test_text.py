"""The report for a terminal and a log."""

import pytest
from msgspec.structs import replace

from fakes import at, caused, make_diff, run_info
from hostile import HOSTILE, everything
from outcomes import REASONS, finding, removed, skipped
from sitemap_action.model.outcome import (
    Added,
    Cause,
    CauseKind,
    Changed,
    Diff,
    Outcome,
    Result,
)
from sitemap_action.reports.text import render

SAFE = Outcome(Result.IN_SYNC, 0, run_info(), make_diff(listed=2, baseline=2, committed=2, union=2), ())
GONE = removed("/gone", "gone", "answers 404", line=6)


@pytest.mark.attack("injection")
@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_on_its_line_and_is_no_workflow_command(text: str) -> None:
    rendered = render(everything(text))
    rendered.encode()
    assert "##[" not in rendered.replace("##[\\", "")
    assert not any(line.lstrip().startswith("::") for line in rendered.splitlines())
    assert all(line.isprintable() for line in rendered.splitlines())
    assert len(rendered.splitlines()) == len(render(everything("x")).splitlines())


def test_long_lists_are_cut_and_the_rest_is_counted() -> None:
    many = tuple(Added(at(f"/{number}")) for number in range(25))
    rendered = render(replace(SAFE, diff=Diff(added=many, missing=tuple(row.url for row in many))))
    assert "Missing from sitemap.xml (25)" in rendered
    assert "… and 5 more: --report json=FILE has all of them" in rendered


def test_many_notes_are_cut_and_of_a_site_in_sync_they_are_one() -> None:
    told = replace(SAFE, run=run_info(notes=tuple(f"note {number}" for number in range(12))))
    rendered = render(replace(told, result=Result.DRIFT, exit_code=1))
    assert rendered.count("\n  note ") == 11
    assert "and 2 more notes" in rendered
    rendered = render(replace(told, findings=(finding("info", "i"),)))  # U-28
    assert rendered.count("\n  note ") == 1
    assert "note 0; note 1; note 2; and 9 more notes; 1 hint in every other report (" in rendered


HEADLINES = [
    # id, outcome, first line, last line or ""
    ("in sync", SAFE, "in-sync: the sitemap matches the site (exit 0)", ""),
    (
        "V-18 warnings and an unanswered page beside it",
        replace(
            SAFE,
            diff=replace(SAFE.diff, undetermined=(skipped("/slow", "undetermined", "timed out"),)),
            findings=(finding("warning", "w"),) * 3,
        ),
        "in-sync: the sitemap matches the site; 1 page gave no usable answer; 3 warnings (exit 0)",
        "",
    ),
    (
        "V-18 incomplete",
        replace(SAFE, run=run_info(incomplete=("stopped after 5 pages (crawl.max-pages)",))),
        "in-sync: the sitemap matches the site; the run is incomplete (exit 0)",
        "",
    ),
    (
        "differs, but nothing fails",
        replace(SAFE, diff=replace(SAFE.diff, missing=(at("/a"),), added=(Added(at("/a")),))),
        "in-sync: no difference fails the check (exit 0)",
        "",
    ),
    (
        "stale",
        replace(
            SAFE, result=Result.DRIFT, exit_code=1, diff=replace(SAFE.diff, missing=(at("/a"),)), causes=caused("x")
        ),
        "drift: the sitemap and the site differ (exit 1)",
        "→ Run `sitemap-action write` and commit sitemap.xml.",
    ),
    (
        "lost",
        replace(SAFE, result=Result.DRIFT, exit_code=1, diff=replace(SAFE.diff, extra=(GONE,)), causes=caused("x")),
        "drift: the sitemap and the site differ (exit 1)",
        "→ Restore the removed pages, or run `sitemap-action write` and commit sitemap.xml.",
    ),
    (
        "repaired",
        replace(SAFE, result=Result.DRIFT, changed=True, writing=True, causes=caused("x")),
        "drift: the sitemap differed from the site and was repaired (exit 0)",
        "",
    ),
    (
        "first write",
        replace(SAFE, result=Result.DRIFT, changed=True, writing=True, run=run_info(first_run=True)),
        "drift: the sitemap was written (exit 0)",
        "",
    ),
    (
        "repaired, but fails",
        replace(SAFE, result=Result.DRIFT, exit_code=1, changed=True, writing=True, causes=caused("x")),
        "drift: the sitemap was repaired, but the check fails (exit 1)",
        "",
    ),
    (
        "blocked write",
        replace(
            SAFE,
            result=Result.DRIFT,
            exit_code=1,
            writing=True,
            blocked=Cause(CauseKind.INVALID, "a guard tripped"),
            causes=caused("x"),
        ),
        "drift: the sitemap and the site differ (exit 1)",
        "→ Nothing was written: a guard tripped.",
    ),
    (
        "a write would be blocked",
        replace(
            SAFE,
            result=Result.DRIFT,
            exit_code=1,
            blocked=Cause(CauseKind.INVALID, "a guard tripped"),
            causes=caused("x"),
        ),
        "drift: the sitemap and the site differ (exit 1)",
        "→ `sitemap-action write` would refuse: a guard tripped.",
    ),
    (
        "inconclusive",
        replace(SAFE, result=Result.INCONCLUSIVE, exit_code=3, causes=caused("x")),
        "inconclusive: not enough was read for a verdict (exit 3)",
        "→ There is no verdict and nothing was written: see why the run is incomplete, and run again.",
    ),
    (
        "invalid",
        replace(SAFE, result=Result.INVALID, exit_code=1, causes=caused("x")),
        "invalid: the sitemap is invalid (exit 1)",
        "",
    ),
]


@pytest.mark.parametrize(("outcome", "first", "last"), [pytest.param(*row[1:], id=row[0]) for row in HEADLINES])
def test_first_and_last_line(outcome: Outcome, first: str, last: str) -> None:
    lines = render(outcome).splitlines()
    assert lines[0] == first
    assert [line for line in lines if line.startswith("→")] == ([last] if last else [])


def test_with_one_right_hand_side_each_page_is_listed_once() -> None:
    diff = make_diff(extra=(GONE,), removed=(GONE,), committed=1, baseline=1, union=1)
    rendered = render(replace(SAFE, diff=diff))
    assert rendered.count(GONE.url) == 1
    assert "Listed in sitemap.xml, but gone (1)" in rendered
    assert f"  - {GONE.url}  answers 404  [sitemap.xml:6]" in rendered


def test_with_two_right_hand_sides_both_questions_are_answered() -> None:
    diff = make_diff(
        missing=(at("/new"),),
        added=(Added(at("/new"), "index.html"),),
        removed=(GONE,),
        changed=(Changed(at("/a"), (("lastmod", "2026-01-01", ""),)),),
        baseline=2,
    )
    rendered = render(replace(SAFE, run=run_info(same_baseline=False, baseline="git:main"), diff=diff))
    for line in (
        "  baseline   git:main (2 URLs)",
        "Missing from sitemap.xml (1)",
        "Added with this change (1)",
        f"  + {at('/new')}  found in index.html",
        "Removed with this change: gone (1)",
        f"  - {GONE.url}  answers 404  [git:main:6]",
        f"  ~ {at('/a')}  lastmod: 2026-01-01 → none",
    ):
        assert line in rendered.splitlines()


def test_sections_are_in_order_of_severity() -> None:
    titles = [
        line.rpartition(" (")[0]
        for line in render(replace(everything("x"), causes=())).splitlines()[1:]
        if line and line[0].isupper()
    ]
    assert titles == [
        "Guards",
        "Incomplete",
        "Under another URL than in x",
        "Listed in x, but gone (before this change)",
        "Missing from x",
        "Under another URL with this change",
        "Removed with this change: moved",
        "In x, but gone",
        "Added with this change",
        "Changed",
        "No usable answer",
        "Errors",
        "Warnings",
        "Links to nothing",
        "Found, not listed",
        "Accepted in x",
    ]


def test_every_class_of_removal_has_advice() -> None:
    for reason in REASONS:
        diff = Diff(extra=(replace(GONE, reason=reason),))
        rendered = render(replace(SAFE, diff=diff))
        assert f"Listed in sitemap.xml, but {reason} (1)" in rendered
        assert "\n  ↳ " in rendered


def test_an_announced_removal_is_marked() -> None:
    row = replace(GONE, acknowledged="sold")
    rendered = render(replace(SAFE, diff=Diff(extra=(row,))))
    assert "answers 404 (expected: sold)" in rendered
    assert "↳ Announced." in rendered


def test_a_guard_names_its_key() -> None:
    rendered = render(replace(SAFE, guards=(Cause(CauseKind.GUARD, "0 URLs would be listed", "policy.min-urls"),)))
    assert "  ! policy.min-urls  0 URLs would be listed" in rendered.splitlines()
