"""Two sitemaps as sets."""

from operator import attrgetter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemap_action.compare.entry_records import entry, key_of, record
from sitemap_action.compare.sets import Difference, Gone, Side, differences
from sitemap_action.model.outcome import Added, Changed
from sitemap_action.model.sitemap import Entry


def side(*entries: Entry) -> Side:
    return Side([record(entry.loc, entry) for entry in entries], [entry.line for entry in entries])


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


ROWS += [
    ("SM-31 of two with one identity the first counts", (A, B, NEWER), (A, B), []),
    ("SM-31 on the new side too", (A, B), (A, B, NEWER), []),
    ("SM-31 and not the second", (NEWER, B), (B,), [Changed(B.loc, (("lastmod", "2026-01-01", ""),))]),
    ("SM-31 the same two in another order", (B, NEWER), (NEWER, B), [Changed(B.loc, (("lastmod", "", "2026-01-01"),))]),
    ("SM-31 the line of the first", (B, NEWER), (), [Gone(B.loc, 3)]),
    ("SM-50 a hint that is left out is no change", (B._replace(priority="0.5"),), (B,), []),
    ("extensions in another order", (B._replace(extensions=("<a:b/>", "<a:c/>")),), (B._replace(extensions=("<a:c/>", "<a:b/>")),), []),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "rows"), [pytest.param(*row[1:], id=row[0]) for row in ROWS])
def test_differences(old: tuple[Entry, ...], new: tuple[Entry, ...], rows: list[Difference]) -> None:
    assert sorted(differences(side(*old), side(*new)), key=attrgetter("url")) == rows


TEXTS = st.text(st.sampled_from("a\\\t\n\rtn é\x00"), max_size=5)


@given(st.tuples(TEXTS.filter(bool), TEXTS, TEXTS, TEXTS), st.lists(TEXTS.filter(bool), max_size=2))
def test_a_record_is_one_line_that_says_everything(fields: tuple[str, str, str, str], extensions: list[str]) -> None:
    given_ = Entry(*fields[:4], extensions=tuple(extensions))
    line = record(given_.loc, given_)
    assert b"\n" not in line
    assert entry(line) == given_
    assert entry(key_of(line)).loc == given_.loc
