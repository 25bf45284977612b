"""Both comparisons over one site: in which list of the diff each URL is."""

from collections.abc import Iterable
from typing import Any, TypeAlias

import pytest

import outcomes
from fakes import HOME, FakeSite, at, foreign, gone, noindex, page, redirect, undetermined
from outcomes import entry
from sitemap_action.decide.compare import join_urls
from sitemap_action.model.outcome import Diff

Rows: TypeAlias = Iterable[Any]  # paths and entries


def compare(pages: Iterable[object], committed: Rows = (), baseline: Rows | None = None, **output: object) -> Diff:
    """`baseline` None: the committed file is the baseline."""
    site = FakeSite(pages, committed=committed, baseline=baseline or ())
    return outcomes.compare(site, same=baseline is None, expected=("/sold",), **output)


def lists(diff: Diff) -> dict[str, list[str]]:
    """Each list that is not empty, as paths; a removal with its class."""
    rows = {
        "missing": list(diff.missing),
        "extra": [f"{row.url} {row.reason}" for row in diff.extra],
        "added": [row.url for row in diff.added],
        "removed": [f"{row.url} {row.reason}" for row in diff.removed],
        "changed": [row.url for row in diff.changed],
        "skipped": [f"{row.url} {row.reason}" for row in diff.skipped],
        "undetermined": [row.url for row in diff.undetermined],
        "unanswered": [row.url for row in diff.unanswered],
    }
    return {name: [url.replace(HOME, "/") for url in urls] for name, urls in rows.items() if urls}


A = [page("/a")]
ROWS = [
    # id, pages, committed, baseline (None: the committed file), lists
    ("in sync", A, ["/a"], None, {}),
    ("a new page", A, [], None, {"missing": ["/a"], "added": ["/a"]}),
    ("DIFF-22 added and already committed", A, ["/a"], [], {"added": ["/a"]}),
    ("DIFF-22 missing, as it was before", A, [], ["/a"], {"missing": ["/a"]}),
    ("DIFF-06 gone", [gone("/a")], ["/a"], None, {"extra": ["/a gone"], "removed": ["/a gone"]}),
    ("DIFF-22 a hand edit hides no removal", [gone("/a")], [], ["/a"], {"removed": ["/a gone"]}),
    ("DIFF-22 extra, but never in the baseline", [gone("/a")], ["/a"], [], {"extra": ["/a gone"], "skipped": ["/a gone"]}),
    ("never listed", [noindex("/a")], [], None, {"skipped": ["/a deindexed"]}),
    ("DIFF-20 no answer: kept", [undetermined("/a")], ["/a"], None, {"undetermined": ["/a"]}),
    ("V-05 no answer, in the baseline alone: kept", [undetermined("/a")], [], ["/a"], {"missing": ["/a"], "undetermined": ["/a"]}),
    ("DIFF-20 no answer, in the committed file alone", [undetermined("/a")], ["/a"], [], {"added": ["/a"], "undetermined": ["/a"]}),
    ("V-11 no answer, listed nowhere", [undetermined("/a")], [], None, {"unanswered": ["/a"]}),
    ("V-11 no answer of the start page", [undetermined("/")], [], None, {"undetermined": ["/"]}),
    ("DIFF-04 moved", [redirect("/a", "/b"), page("/b")], ["/a"], None, {"missing": ["/b"], "added": ["/b"], "extra": ["/a moved"], "removed": ["/a moved"]}),
    ("DIFF-11 another spelling of the site", [foreign("http://www.example.com/a", "/a"), *A], ["http://www.example.com/a"], None, {"missing": ["/a"], "added": ["/a"], "extra": ["http://www.example.com/a merged"], "removed": ["http://www.example.com/a merged"]}),
    ("DIFF-11 another site, and nothing in its place here: one row", [foreign("http://www.example.com/a", "/a"), gone("/a")], ["http://www.example.com/a"], None, {"extra": ["http://www.example.com/a gone"], "removed": ["http://www.example.com/a gone"]}),
    ("DIFF-13 changed", A, [entry("/a", "2026-02-02")], [entry("/a", "2026-01-01")], {"changed": ["/a"]}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("pages", "committed", "baseline", "found"), [pytest.param(*row[1:], id=row[0]) for row in ROWS]
)
def test_lists(pages: list[object], committed: Rows, baseline: Rows | None, found: dict[str, list[str]]) -> None:
    assert lists(compare(pages, committed, baseline)) == found


COUNTS = [
    # id, pages, committed, baseline, (listed, committed, baseline, named, doubtful)
    ("one sitemap for both comparisons", [page("/a"), page("/b"), gone("/c")], ["/a", "/c"], None, (2, 2, 2, 2, 0)),
    ("two, half shared", [page("/a"), page("/b"), page("/c")], ["/a", "/b"], ["/b", "/c"], (3, 2, 2, 3, 0)),
    ("NET-10 doubts on both sides count once each", [undetermined("/a"), undetermined("/b"), undetermined("/c")], ["/a", "/b"], ["/b", "/c"], (3, 2, 2, 3, 3)),
    ("NET-10 a page that no sitemap names is no doubt", [undetermined("/a")], [], None, (0, 0, 0, 0, 0)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("pages", "committed", "baseline", "counts"), [pytest.param(*row[1:], id=row[0]) for row in COUNTS]
)
def test_counts(pages: list[object], committed: Rows, baseline: Rows | None, counts: tuple[int, ...]) -> None:
    diff = compare(pages, committed, baseline)
    assert (
        diff.listed,
        diff.counts.committed,
        diff.counts.baseline,
        diff.counts.union,
        diff.counts.unverified,
    ) == counts


def test_a_removal_has_class_target_status_and_line() -> None:
    (row,) = compare([redirect("/a", "/b", 302), page("/b")], ["/b", "/a"]).removed
    assert (row.reason, row.redirect_to, row.status, row.line) == ("moved-temporary", at("/b"), 302, 6)


@pytest.mark.parametrize(
    ("removed", "lost"),
    [
        pytest.param(gone("/a"), True, id="DIFF-06 404"),
        pytest.param(gone("/a", 410), False, id="DIFF-06 410 is a statement of intent"),
        pytest.param(gone("/sold"), False, id="DIFF-42 announced"),
        pytest.param(noindex("/a"), True, id="DIFF-07 deindexed"),
        pytest.param(redirect("/a", "/home"), False, id="DIFF-04 moved"),
        pytest.param(undetermined("/a"), False, id="DIFF-20 undetermined"),
    ],
)
def test_lost(removed: Any, lost: bool) -> None:
    diff = compare([removed, page("/home")], [], [removed.url, "/home"])
    assert bool(diff.lost_pages) is lost


def test_unused_announcements() -> None:
    assert compare(A, ["/a"]).acknowledged.unused == ("/sold",)


@pytest.mark.parametrize(
    ("row", "output", "rewritten"),
    [
        pytest.param(entry("/a", "2020-01-01"), {}, False, id="carried over"),
        pytest.param(entry("/a", "2020-01-01", "daily", "1.0"), {}, False, id="SM-50 left out is no change"),
        pytest.param(entry("/a", "2020-01-01"), {"lastmod": ("omit",)}, True, id="dates to be omitted"),
    ],
)
def test_rewritten(row: object, output: dict[str, object], rewritten: bool) -> None:
    assert compare(A, [row], **output).rewritten is rewritten


JOINED = [
    # id, pages, committed, baseline, same, (path, in committed?, in baseline?) of each row
    ("empty", [], [], [], False, []),
    ("first run", ["/a", "/b"], [], [], True, [("/a", False, False), ("/b", False, False)]),
    ("both sitemaps empty, two questions", ["/a"], [], [], False, [("/a", False, False)]),
    ("no baseline", ["/a"], ["/a"], [], False, [("/a", True, False)]),
    ("no committed file", ["/a"], [], ["/a"], False, [("/a", False, True)]),
    ("one sitemap for both comparisons", ["/a", "/b"], ["/a"], [], True, [("/a", True, True), ("/b", False, False)]),
    ("one sitemap for both comparisons: the other is not read", ["/a"], [], ["/a"], True, [("/a", False, False)]),
    ("first, middle and last missing", ["/a", "/b", "/c", "/d"], ["/b"], ["/b", "/c"], False, [("/a", False, False), ("/b", True, True), ("/c", False, True), ("/d", False, False)]),
    ("an entry without a page", ["/b"], ["/a", "/b", "/c"], [], False, [("/b", True, False)]),
    ("byte order beyond ASCII", ["/z", "/é", "/漢", "/\U0001f600"], ["/é", "/\U0001f600"], [], False, [("/z", False, False), ("/é", True, False), ("/漢", False, False), ("/\U0001f600", True, False)]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("pages", "committed", "baseline", "same", "rows"), [pytest.param(*row[1:], id=row[0]) for row in JOINED]
)
def test_join_urls(
    pages: list[str], committed: list[str], baseline: list[str], same: bool, rows: list[tuple[str, bool, bool]]
) -> None:
    site = FakeSite(map(page, pages), committed=committed, baseline=baseline)
    found = [(row.page.url, row.committed is not None, row.baseline is not None) for row in join_urls(site, same=same)]
    assert found == [(at(path), here, there) for path, here, there in rows]


def test_V_22_each_question_counts_its_own_redirects_to_the_start_page() -> None:
    """A row that a hand edit adds to the committed file makes no other page of the baseline moved-home."""
    pages = [page("/"), *(redirect(f"/{name}", "/") for name in "abc")]
    found = compare(pages, committed=["/", "/a", "/b", "/c"], baseline=["/", "/a", "/b"])
    assert {row.reason for row in found.extra} == {"moved-home"}
    assert {row.reason for row in found.removed} == {"moved"}
