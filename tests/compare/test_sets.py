"""Two sitemaps as sets."""

from collections.abc import Iterable

import pytest

from sitemap_action.compare.sets import Difference, Gone, differences
from sitemap_action.model.outcome import Added, Changed
from sitemap_action.model.sitemap import Entry


def side(*entries: Entry) -> Iterable[tuple[str, Entry]]:
    return [(entry.loc, entry) for entry in entries]


A, B, C = (Entry(f"https://x.example/{name}", line=line) for name, line in (("a", 2), ("b", 3), ("c", 4)))
NEWER = Entry(B.loc, "2026-01-01")
ROWS = [
    ("both empty", (), (), []),
    ("old empty", (), (A, B), [Added(A.loc), Added(B.loc)]),
    ("new empty", (A, B), (), [Gone(A.loc, 2), Gone(B.loc, 3)]),
    ("equal", (A, B, C), (A, B, C), []),
    ("first gone", (A, B), (B,), [Gone(A.loc, 2)]),
    ("last new", (A,), (A, B), [Added(B.loc)]),
    ("one for another", (A, B), (A, C), [Gone(B.loc, 3), Added(C.loc)]),
    ("nothing shared, in turns", (A, C), (B,), [Gone(A.loc, 2), Added(B.loc), Gone(C.loc, 4)]),
    ("changed", (A, B), (A, NEWER), [Changed(B.loc, (("lastmod", "", "2026-01-01"),))]),
]


@pytest.mark.parametrize(("old", "new", "rows"), [pytest.param(*row[1:], id=row[0]) for row in ROWS])
def test_differences(old: tuple[Entry, ...], new: tuple[Entry, ...], rows: list[Difference]) -> None:
    assert list(differences(side(*old), side(*new))) == rows
