"""The difference of two sitemaps as sets of records."""

from operator import attrgetter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemap_action.compare.entry_diff import Difference, RemovedEntry, SitemapRecords, diff_records
from sitemap_action.compare.entry_records import decode_entry, encode_entry, key_of_record
from sitemap_action.model.outcome import Added, Changed
from sitemap_action.model.sitemap import Entry


def records(*entries: Entry) -> SitemapRecords:
    return SitemapRecords(
        [encode_entry(decode_entry.loc, decode_entry) for decode_entry in entries],
        [decode_entry.line for decode_entry in entries],
    )


A, B, C = (Entry(f"https://x.example/{name}", line=line) for name, line in (("a", 2), ("b", 3), ("c", 4)))
NEWER = Entry(B.loc, "2026-01-01")
ROWS = [
    ("both empty", (), (), []),
    ("old empty", (), (A, B), [Added(A.loc), Added(B.loc)]),
    ("new empty", (A, B), (), [RemovedEntry(A.loc, 2), RemovedEntry(B.loc, 3)]),
    ("equal", (A, B, C), (A, B, C), []),
    ("first gone", (A, B), (B,), [RemovedEntry(A.loc, 2)]),
    ("last new", (A,), (A, B), [Added(B.loc)]),
    ("one replaced by another", (A, B), (A, C), [RemovedEntry(B.loc, 3), Added(C.loc)]),
    ("nothing shared", (A, C), (B,), [RemovedEntry(A.loc, 2), Added(B.loc), RemovedEntry(C.loc, 4)]),
    ("changed", (A, B), (A, NEWER), [Changed(B.loc, (("lastmod", "", "2026-01-01"),))]),
]


ROWS += [
    ("SM-31 of two with one key the first counts", (A, B, NEWER), (A, B), []),
    ("SM-31 in the new sitemap too", (A, B), (A, B, NEWER), []),
    ("SM-31 and not the second", (NEWER, B), (B,), [Changed(B.loc, (("lastmod", "2026-01-01", ""),))]),
    ("SM-31 the same two in another order", (B, NEWER), (NEWER, B), [Changed(B.loc, (("lastmod", "", "2026-01-01"),))]),
    ("SM-31 the line of the first", (B, NEWER), (), [RemovedEntry(B.loc, 3)]),
    ("SM-50 a priority that is left out is no change", (B._replace(priority="0.5"),), (B,), []),
    ("extensions in another order", (B._replace(extensions=("<a:b/>", "<a:c/>")),), (B._replace(extensions=("<a:c/>", "<a:b/>")),), []),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "rows"), [pytest.param(*row[1:], id=row[0]) for row in ROWS])
def test_differences(old: tuple[Entry, ...], new: tuple[Entry, ...], rows: list[Difference]) -> None:
    assert sorted(diff_records(records(*old), records(*new)), key=attrgetter("url")) == rows


TEXTS = st.text(st.sampled_from("a\\\t\n\rtn é\x00"), max_size=5)


@given(st.tuples(TEXTS.filter(bool), TEXTS, TEXTS, TEXTS), st.lists(TEXTS.filter(bool), max_size=2))
def test_a_record_is_one_line_with_all_fields(fields: tuple[str, str, str, str], extensions: list[str]) -> None:
    given_ = Entry(*fields[:4], extensions=tuple(extensions))
    line = encode_entry(given_.loc, given_)
    assert b"\n" not in line
    assert decode_entry(line) == given_
    assert decode_entry(key_of_record(line)).loc == given_.loc
