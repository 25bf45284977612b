"""Every known URL is a row, or, of a large site, every one that differs and a part of the rest; counts are of all."""

from collections.abc import Iterable

import pytest

from fakes import HOME, FakeSite, at, foreign, gone, noindex, page, redirect, refresh, undetermined
from large_reports import large_report
from outcomes import compare_pages
from sitemap_action.model.outcome import Diff, PageTable
from sitemap_action.model.sitemap import Entry


def collected(
    pages: Iterable[object],
    committed: list[str | Entry],
    *,
    first_run: bool = False,
    clicks: bool = False,
    most: int = 100,
) -> tuple[PageTable, Diff]:
    site = FakeSite(pages, committed=committed)
    return compare_pages(site, clicks=clicks, first_run=first_run, most=most)


def test_a_row_has_what_is_known_about_its_page() -> None:
    pages = [page("/", title="Home"), page("/a/b", title="B" * 400, found_on=HOME), gone("/c"), redirect("/d", "/a/b"), undetermined("/e"), noindex("/f")]  # fmt: skip
    table, _ = collected(pages, ["/", "/c", "/e"])
    home, b, c, d, e, f = table.rows
    assert (home.title, home.reason, home.status, home.depth) == ("Home", "", 200, 0)
    assert (b.depth, b.found_on, len(b.title)) == (2, HOME, 300)
    assert (c.reason, c.detail, c.status) == ("gone", "answers 404", 404)
    assert (d.reason, d.target, d.status) == ("moved", at("/a/b"), 301)
    assert (e.reason, e.detail, e.unverified) == ("", "timed out", True)
    assert f.reason == "deindexed"
    assert table.total == 6
    assert table.statuses == ((0, 1), (200, 3), (301, 1), (404, 1))


def test_a_crawl_counts_clicks_and_a_build_folders() -> None:
    pages = [page("/"), page("/a/b/c", depth=1), page("/x", depth=1), gone("/y")._replace(found_on=HOME)]
    assert collected(pages, [], clicks=True)[0].depths == ((0, 1), (1, 2))
    assert collected(pages, [])[0].depths == ((0, 1), (1, 1), (3, 1))


def test_a_url_of_another_site_has_a_row_and_is_in_no_count() -> None:
    table, _ = collected(
        [page("/"), foreign("https://other.example/a/b", "/c"), gone("/c"), gone("/a/b")._replace(found_on=HOME)],
        ["https://other.example/a/b"],
    )
    assert [(row.url, row.depth) for row in table.rows if row.depth] == [
        ("https://other.example/a/b", 2),
        (at("/a/b"), 2),
    ]
    assert table.statuses == ((200, 1), (404, 1))
    assert table.total == 3


def test_sections_are_counted_to_the_second_level() -> None:
    names = ["/", "/a/", "/a/x", "/a/y/1", "/a/y/2", "/b/1", "/b/2", "/alone", "/lonely/page"]
    absent = [gone(path)._replace(found_on=HOME) for path in ("/b/3", "/lost", "/c/lost")]
    table, _ = collected([*map(page, names), *absent], [])
    assert table.sections == (
        ("", 3, 2),
        ("a", 4, 0),
        ("a/y", 2, 0),
        ("b", 2, 1),
    )


# pages, the trail of the first of them, how it ends
TRAILS = (
    ([redirect("/1", "/2"), page("/2")], ["/1", "/2"], ""),
    ([redirect("/1", "/2"), redirect("/2", "/3", 302), gone("/3")], ["/1", "/2", "/3"], ""),
    ([redirect("/1", "/2"), redirect("/2", "/1")], ["/1", "/2", "/1"], "redirects in a loop"),
    ([redirect("/1", "https://other.example/")], ["/1", "https://other.example/"], "was not fetched"),
    ([refresh("/1", "/2"), page("/2")], ["/1", "/2"], ""),
    (
        [redirect(f"/{n}", f"/{n + 1}") for n in range(1, 15)],
        [f"/{n}" for n in range(1, 13)],
        "redirects more than 10 times",
    ),
)


@pytest.mark.parametrize(("pages", "hops", "end"), TRAILS)
def test_a_trail_has_every_hop(pages: list[object], hops: list[str], end: str) -> None:
    trail, why = next(one for one in collected(pages, [])[0].trails if one[0][0][0] == at("/1"))
    assert [url for url, _ in trail] == [at(path) for path in hops]
    assert why == end


def test_a_page_that_reloads_itself_has_no_trail() -> None:
    assert collected([refresh("/1", "/1")], [])[0].trails == ()


def test_of_a_large_site_every_difference_is_kept_and_a_part_of_the_rest() -> None:
    most = 3_000
    whole, part = large_report(6_000).details.pages, large_report(6_000, most).details.pages
    assert whole is not None
    assert part is not None
    rows = {row.url for row in part.rows}
    diff = large_report(6_000).diff
    different = {*diff.missing, *(row.url for row in diff.extra)}
    assert rows >= different
    assert len(rows) <= most + 2
    assert part.every > 1
    assert part.total == 6_001
    assert (part.statuses, part.depths, part.sections) == (whole.statuses, whole.depths, whole.sections)
    plain = [row.url for row in whole.rows if row.url not in different]
    assert [url for url in plain if url in rows] == plain[:: part.every], "evenly, so that each section has its part"


def test_a_changed_entry_is_kept_wherever_it_is() -> None:
    pages = [page(f"/{number:03}") for number in range(300)]
    committed: list[str | Entry] = [f"/{number:03}" for number in range(300) if number != 77]
    committed.append(Entry(at("/077"), changefreq="sometimes"))
    table, diff = collected(pages, committed, most=10)
    assert [row.url for row in diff.changed] == [at("/077")]
    assert at("/077") in {row.url for row in table.rows}
    assert [row.url for row in table.rows] == sorted(row.url for row in table.rows)


def test_on_a_first_run_a_page_in_no_sitemap_is_no_difference() -> None:
    pages = [page(f"/{number:05}") for number in range(5_000)]
    assert len(collected(pages, [])[0].rows) == 5_000
    table, _ = collected(pages, [], first_run=True)
    assert 50 < len(table.rows) <= 100
    assert table.every == 64


def test_memory_does_not_grow_with_sections() -> None:
    table, _ = collected([page(f"/{number}/{half}") for number in range(3_000) for half in (1, 2)], [])
    assert len(table.sections) == 2_000
    assert sum(listed for _, listed, _ in table.sections) == 6_000
