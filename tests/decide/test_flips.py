"""DIFF-11: removed and added URLs of the same pages are one group, with the share that redirects."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakes import HOME, at
from outcomes import removed
from sitemap_action.decide.changes import find_flips
from sitemap_action.model.outcome import Flip, Removed

NAMES = ("/a", "/b/c", "/d")


def moved(old: str, new: str) -> Removed:
    return removed(old, "moved", redirect_to=at(new))


def merged(old: str, new: str) -> Removed:
    """The same file under both URLs."""
    return removed(old, "merged", redirect_to=at(new))


def gone(old: str) -> Removed:
    return removed(old, "gone")


def summary(found: tuple[Flip, ...]) -> list[tuple[str, int, int]]:
    """(change, pages, percent) of each group."""
    return [(", ".join(flip.change), len(flip.pages), flip.percent) for flip in found]


def moved_pages(before: str, after: str) -> tuple[list[Removed], list[str]]:
    """Three pages that are removed under one pattern and added under another; `*` is the page."""
    old, new = ([at(pattern.replace("*", name)) for name in NAMES] for pattern in (before, after))
    return [moved(*pair) for pair in zip(old, new, strict=True)], new


# old pattern, new pattern, change
CHANGES = [
    ("*", "*/", "final slash added"),
    ("*/", "*", "final slash dropped"),
    ("*.html", "*", ".html dropped"),
    ("*", "*.html", ".html added"),
    ("*.htm", "*.html", ".htm → .html"),
    ("*.html", "*/", ".html dropped, final slash added"),
    ("*/index.html", "*/", "index.html dropped"),
    ("*/", "*/index.html", "index.html added"),
    ("*/index.php", "*/", "index.php dropped"),
    ("http://www.example.com*", "https://www.example.com*", "http → https"),
    ("https://example.com*", "https://www.example.com*", "example.com → www.example.com"),
    ("https://www.example.com*", "https://example.com*", "www.example.com → example.com"),
    ("https://old.example.net*", "https://www.example.com*", "old.example.net → www.example.com"),
    ("http://example.com*.html", "https://www.example.com*", "http → https, example.com → www.example.com, .html dropped"),
    ("/Docs*", "/docs*", "letter case"),
    ("*?lang=EN", "*?lang=en", "letter case"),
    ("/docs*", "/guide*", f"{HOME}docs/ → {HOME}guide/"),
    ("*", "/docs*", f"{HOME} → {HOME}docs/"),
    ("https://me.example.io/repo*", "https://www.example.com*", f"https://me.example.io/repo/ → {HOME}"),
    ("/v1*", "/v2*/", ""),  # two changes at once that are not recognised: separate rows
]  # fmt: skip


@pytest.mark.parametrize(
    ("before", "after", "change"), [pytest.param(*row, id=f"{row[0]} to {row[1]}") for row in CHANGES]
)
def test_each_change_is_one_group(before: str, after: str, change: str) -> None:
    removed, added = moved_pages(before, after)
    assert summary(find_flips(removed, added, HOME)) == ([(change, 3, 100)] if change else [])
    nowhere = [gone(row.url) for row in removed]
    assert summary(find_flips(nowhere, added, HOME)) == ([(change, 3, 0)] if change else [])


COVERAGE = [
    # id, removed, added, groups
    ("nothing removed", [], ["/a", "/b"], []),
    ("nothing appears", [gone("/a"), gone("/b")], [], []),
    ("one page alone is a row, no group", [moved("/a.html", "/a")], ["/a", "/b"], []),
    ("nothing in common", [gone("/a"), gone("/b")], ["/c", "/d"], []),
    ("half of them redirect", [moved("/a.html", "/a"), gone("/b.html")], ["/a", "/b"], [(".html dropped", 2, 50)]),
    ("rounded down", [moved(f"/{n}.html", f"/{n}") for n in range(199)] + [gone("/x.html")], [*(f"/{n}" for n in range(199)), "/x"], [(".html dropped", 200, 99)]),
    ("the same file under both is covered", [merged("/a/", "/a"), merged("/b/", "/b")], ["/a", "/b"], [("final slash dropped", 2, 100)]),
    ("a temporary redirect does not", [removed(f"{old}/", "moved-temporary", redirect_to=at(old)) for old in ("/a", "/b")], ["/a", "/b"], [("final slash dropped", 2, 0)]),
    ("DIFF-04 a redirect target counts before similar spelling", [moved("/a.html", "/z"), moved("/b.html", "/y")], ["/a", "/b", "/y", "/z"], []),
    ("a page that was listed all along is no new spelling", [moved("/a/", "/a"), moved("/b/", "/b")], ["/c"], []),
    ("two groups, the larger first", [gone("/a/"), gone("/b/"), gone("/c.html"), gone("/d.html"), gone("/e.html")], ["/a", "/b", "/c", "/d", "/e"], [(".html dropped", 3, 0), ("final slash dropped", 2, 0)]),
    ("of two new spellings the redirect target", [moved("/a", "/a/"), moved("/b", "/b/")], ["/a.html", "/a/", "/b.html", "/b/"], [("final slash added", 2, 100)]),
    ("two pages of a folder are no move", [gone("/x/a"), gone("/x/b")], ["/y/a", "/y/b"], []),
    ("a folder goes, half of it without redirects", [moved("/x/a", "/y/a"), moved("/x/b", "/y/b"), gone("/x/c"), gone("/x/d")], ["/y/a", "/y/b", "/y/c", "/y/d"], [(f"{HOME}x/ → {HOME}y/", 4, 50)]),
    ("names that are there twice prove no move", [gone(f"/x/{n}/page") for n in range(3)], [f"/y/{n}/page" for n in range(3)], []),
    ("what is no URL stays apart", [gone("not a url"), gone("nor this")], ["/a", "/b"], []),
]  # fmt: skip


@pytest.mark.parametrize(("removed", "added", "groups"), [pytest.param(*row[1:], id=row[0]) for row in COVERAGE])
def test_groups_and_coverage(removed: list[Removed], added: list[str], groups: list[tuple[str, int, int]]) -> None:
    assert summary(find_flips(removed, [at(path) for path in added], HOME)) == groups


def test_addresses_without_redirect_are_named() -> None:
    (flip,) = find_flips([moved("/a.html", "/a"), gone("/b.html")], [at("/a"), at("/b")], HOME)
    assert [row.url for row in flip.uncovered] == [at("/b.html")]
    assert flip.pages == ((at("/a.html"), at("/a")), (at("/b.html"), at("/b")))


PATHS = st.lists(
    st.sampled_from(["a", "B", ".html", "index.html", "/", "//", "?", "x=1", "é", "%", "docs"]), max_size=6
).map("".join)


@given(st.sets(PATHS), st.sets(PATHS))
def test_every_pair_is_of_both_sides_and_no_old_url_is_told_twice(old: set[str], new: set[str]) -> None:
    removed = [gone(f"/{path}") for path in sorted(old - new)]
    added = sorted(at(f"/{path}") for path in new - old)
    pairs = [pair for flip in find_flips(removed, added, HOME) for pair in flip.pages]
    assert len({before for before, _ in pairs}) == len(pairs)
    assert {before for before, _ in pairs} <= {row.url for row in removed}
    assert {after for _, after in pairs} <= set(added)
