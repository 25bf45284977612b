"""The picture of the site: each page counts once in its section, and what differs is what the comparison says."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec.structs import replace

from fakes import at, run_info
from html_reports import html_data
from large_reports import large_report
from outcomes import OK, removed, skipped
from sitemap_action.__main__ import run
from sitemap_action.model.outcome import Added, Diff, Flip, Outcome, PageRow, PageTable, ReportDetails
from sitemap_action.reports.picture import SectionRow, page_history, site_picture
from test_stated_base import NAMES, build

GONE = [removed(f"/blog/a/{number}/", "gone") for number in range(3)]
MOVED = (
    removed("/old/1/", "moved", redirect_to=at("/new/1/")),
    removed("/old/2/", "merged", redirect_to=at("/new/2/")),
)
FLIP = Flip(("/old/ → /new/",), ((at("/old/1/"), at("/new/1/")), (at("/old/2/"), at("/new/2/"))), 0)

OLD = (removed("/old/1/", "gone"), removed("/old/2/", "gone"))
LOST = Flip(FLIP.change, FLIP.pages, 0, OLD)


def outcome(diff: Diff, *sections: tuple[str, int, int]) -> Outcome:
    """`sections`: directory, listed pages, absent pages."""
    return replace(OK, run=run_info(same_baseline=False), diff=diff, details=ReportDetails(PageTable((PageRow(at("/")),), 1, sections=sections)))  # fmt: skip


def new(*paths: str) -> tuple[Added, ...]:
    return tuple(Added(at(path)) for path in paths)


# what differs; sections; path, level, kept, left, removed, unknown, arrived, added of each row
ROWS = {
    "nothing": (Diff(), [("", 1, 0), ("blog", 9, 0)], [("/", 0, 10, 0, 0, 0, 0, 0), ("/", 1, 1, 0, 0, 0, 0, 0), ("/blog/", 1, 9, 0, 0, 0, 0, 0)]),
    "one page is removed": (Diff(removed=(GONE[0],)), [("blog", 9, 1), ("blog/a", 4, 1), ("blog/b", 5, 0)], [("/", 0, 9, 0, 1, 0, 0, 0), ("/blog/", 1, 9, 0, 1, 0, 0, 0), ("/blog/a/", 2, 4, 0, 1, 0, 0, 0)]),
    "a page of no section": (Diff(added=new("/a")), [("", 2, 0)], [("/", 0, 1, 0, 0, 0, 0, 1), ("/", 1, 1, 0, 0, 0, 0, 1)]),
    "a folder redirects": (Diff(removed=MOVED, added=new("/new/1/", "/new/2/")), [("new", 2, 0), ("old", 0, 2)], [("/", 0, 0, 2, 0, 0, 2, 0), ("/new/", 1, 0, 0, 0, 0, 2, 0), ("/old/", 1, 0, 2, 0, 0, 0, 0)]),
    "a folder under another name": (Diff(flips=(FLIP,), added=new("/new/1/", "/new/2/")), [("new", 2, 0), ("old", 0, 2)], [("/", 0, 0, 2, 0, 0, 2, 0), ("/new/", 1, 0, 0, 0, 0, 2, 0), ("/old/", 1, 0, 2, 0, 0, 0, 0)]),
    "a folder under another name, and nothing under the old one": (Diff(flips=(LOST,), removed=OLD, added=new("/new/1/", "/new/2/")), [("new", 2, 0), ("old", 0, 2)], [("/", 0, 0, 0, 2, 0, 0, 2), ("/new/", 1, 0, 0, 0, 0, 0, 2), ("/old/", 1, 0, 0, 2, 0, 0, 0)]),
    "no answer": (Diff(undetermined=(skipped("/blog/x/", "undetermined"),)), [("blog", 3, 0)], [("/", 0, 2, 0, 0, 1, 0, 0), ("/blog/", 1, 2, 0, 0, 1, 0, 0)]),
    "no baseline": (Diff(extra=(GONE[0],), missing=(at("/blog/new/"),)), [("blog", 5, 1)], [("/", 0, 4, 0, 1, 0, 0, 1), ("/blog/", 1, 4, 0, 1, 0, 0, 1)]),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_each_page_counts_once(name: str) -> None:
    diff, sections, expected = ROWS[name]
    found = site_picture(outcome(diff, *sections))
    assert [(one.path, one.level, one.kept, one.left, one.removed, one.unknown, one.arrived, one.added) for one in found] == expected  # fmt: skip
    assert found[0].pages_before == sum(one.pages_before for one in found if one.level == 1)


def test_of_a_large_site_the_parts_that_differ_have_a_row() -> None:
    rows = site_picture(large_report(10_000))
    assert [row.path for row in rows if row.level == 2] == ["/docs/de/", "/docs/en/", "/shop/hats/", "/shop/shoes/"]
    assert (rows[0].pages_before, rows[0].pages_after) == (9_800, 9_501)
    many = site_picture(outcome(Diff(), *((f"s{number:02}", number, 0) for number in range(2, 40))))
    assert len(many) == 14
    assert (many[-1].path, many[-1].sections) == ("", 26)


def test_without_a_table_of_all_pages_there_is_none() -> None:
    assert site_picture(OK) == ()


def test_a_bar_shows_the_smallest_share() -> None:
    row = SectionRow("/", kept=9_999, removed=1, left=2)
    assert row.bar(10_002) == "■" * 24 + "~-"


def test_the_number_of_pages_of_earlier_days_is_known_from_the_state(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build(here / "dist", NAMES[:5])
    today = datetime.now(UTC).date().isoformat()
    given = [
        "write",
        "--path",
        "dist",
        "--site-url",
        "https://acme.io/",
        "--sitemap",
        "sitemap.xml",
        "--state",
        "state",
    ]
    reports = ["--report", "markdown=report.md", "--report", "html=report.html", "--set", "policy.ledger=urls.txt"]
    assert run([*given, *reports]) == 0
    first = (here / "report.md").read_text(encoding="utf-8")
    assert "from the state of earlier runs" not in first
    for stored, known in {
        f'["https://acme.io/",{{"2026-01-31":1200,"2026-02-28":7,"{today}":1}}]': "1,200 on 2026-01-31, 7 on 2026-02-28, 5 now",
        '["https://other.io/",{"2026-01-31":1200}]': "",
        '["https://acme.io/",{"2026-01-31":"<b>"}]': "",
    }.items():
        with closing(sqlite3.connect(here / "state")) as state, state:
            state.execute("UPDATE metadata SET value = ? WHERE name = 'page_counts'", (stored,))
        assert run([*given, *reports]) == 0
        markdown, data = (
            (here / "report.md").read_text(encoding="utf-8"),
            html_data((here / "report.html").read_text(encoding="utf-8")),
        )
        assert ("from the state of earlier runs: " in markdown) == bool(known)
        assert known in markdown.replace("`", "")
        assert "Addresses ever published, from `urls.txt`: 5." in markdown
        assert known in data["history"]["text"]
        assert [count for _, count in data["history"]["days"]] == ([1200, 7, 5] if known else [5])
    capsys.readouterr()


def test_of_many_days_a_few_are_told() -> None:
    days = tuple((f"2026-01-{day:02}", 100 + day) for day in range(1, 32))
    pages = PageTable((PageRow(at("/")),), 1, history=days)
    told = page_history(replace(OK, details=ReportDetails(pages)))
    assert told == "Pages to list, from the state of earlier runs: 101 on 2026-01-01, 107 on 2026-01-07, 113 on 2026-01-13, 119 on 2026-01-19, 125 on 2026-01-25, 131 now."  # fmt: skip
