"""CSV of pages: a row for each URL, and no cell that a spreadsheet computes."""

import csv
import io

import pytest
from msgspec.structs import replace

from fakes import at
from hostile import HOSTILE, everything
from outcomes import OK, removed, skipped
from sitemap_action.model.outcome import Diff, Outcome, PageRow, PageTable, ReportDetails
from sitemap_action.reports.csv import render

FORMULAS = ("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "\uff1d1", " =1", "a;=1", 'a";=1', "a; @x", "'=1")


def rows(outcome: Outcome) -> list[dict[str, str]]:
    text = render(outcome)
    assert text.startswith("\ufeff"), "Excel on Windows reads no UTF-8 without it"
    return list(csv.DictReader(io.StringIO(text[1:])))


def with_pages(*pages: PageRow, total: int = 0, every: tuple[PageRow, ...] = ()) -> Outcome:
    return replace(OK, details=ReportDetails(pages=PageTable(pages, total or len(pages), all=every)))


def test_a_row_tells_the_verdict_and_the_reason() -> None:
    pages = (
        PageRow(at("/"), status=200, title="Home", found_on="index.html"),
        PageRow(at("/old/"), "moved", "redirects to /new/", 301, 1, target=at("/new/")),
        PageRow(at("/wall/"), unverified=True, depth=1),
    )
    diff = Diff(extra=(removed("/old/", "moved"),), removed=(removed("/old/", "moved"),))
    home, old, wall = rows(replace(with_pages(*pages), diff=diff))
    assert (home["verdict"], home["status"], home["title"], home["found_on"]) == ("listed", "200", "Home", "index.html")
    assert (old["verdict"], old["reason"], old["change"], old["target"]) == (
        "absent",
        "moved",
        "extra removed",
        at("/new/"),
    )
    assert (wall["verdict"], wall["status"]) == ("unverified", "")
    words = "missing extra added removed changed ledger accepted"
    assert {word for row in rows(everything("x")) for word in row["change"].split()} == {*words.split()}


def test_every_page_of_a_large_site_is_shown_where_it_was_kept() -> None:
    sampled, more = PageRow(at("/a")), PageRow(at("/b"))
    assert [row["url"] for row in rows(with_pages(sampled, total=2, every=(sampled, more)))] == [at("/a"), at("/b")]
    assert rows(with_pages(sampled, total=2))[-1]["url"] == "# 1 of 2 URLs are shown"


def test_without_a_table_the_comparison_is_shown() -> None:
    hidden = skipped("/x", "deindexed", "noindex", at("/"))
    (row,) = rows(replace(OK, diff=Diff(skipped=(hidden,))))
    assert (row["url"], row["reason"], row["found_on"]) == (at("/x"), "deindexed", at("/"))


@pytest.mark.attack("injection")
@pytest.mark.parametrize("text", [*FORMULAS, *HOSTILE])
def test_no_cell_is_computed_whichever_separator_the_reader_takes(text: str) -> None:
    source = render(with_pages(PageRow(text, text, text, title=text, found_on=text, target=text)))
    source.encode()
    for separator in ",;\t":
        for line in csv.reader(io.StringIO(source), delimiter=separator):
            for cell in line:
                assert not cell.strip(' "').startswith(("=", "+", "-", "@", "\t", "\r", "\uff1d")), cell


@pytest.mark.attack("injection")
@pytest.mark.parametrize("text", HOSTILE)
def test_every_row_has_every_column(text: str) -> None:
    found = list(csv.reader(io.StringIO(render(everything(text)))))
    assert {len(row) for row in found} == {12}
