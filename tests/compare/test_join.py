"""Pages, committed file and baseline side by side."""

import pytest

from fakes import FakeSite, at, page
from sitemap_action.compare.join import known

ROWS = [
    # id, pages, committed, baseline, same, (path, in committed?, in baseline?) of each row
    ("nothing at all", [], [], [], False, []),
    ("first run", ["/a", "/b"], [], [], True, [("/a", False, False), ("/b", False, False)]),
    ("both sitemaps empty, two questions", ["/a"], [], [], False, [("/a", False, False)]),
    ("no baseline", ["/a"], ["/a"], [], False, [("/a", True, False)]),
    ("no committed file", ["/a"], [], ["/a"], False, [("/a", False, True)]),
    ("one right-hand side", ["/a", "/b"], ["/a"], [], True, [("/a", True, True), ("/b", False, False)]),
    ("one right-hand side: the other is not read", ["/a"], [], ["/a"], True, [("/a", False, False)]),
    ("first, middle and last missing", ["/a", "/b", "/c", "/d"], ["/b"], ["/b", "/c"], False, [("/a", False, False), ("/b", True, True), ("/c", False, True), ("/d", False, False)]),
    ("an entry without a page of its own", ["/b"], ["/a", "/b", "/c"], [], False, [("/b", True, False)]),
    ("byte order beyond ASCII", ["/z", "/é", "/漢", "/\U0001f600"], ["/é", "/\U0001f600"], [], False, [("/z", False, False), ("/é", True, False), ("/漢", False, False), ("/\U0001f600", True, False)]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("pages", "committed", "baseline", "same", "rows"), [pytest.param(*row[1:], id=row[0]) for row in ROWS]
)
def test_known(
    pages: list[str], committed: list[str], baseline: list[str], same: bool, rows: list[tuple[str, bool, bool]]
) -> None:
    site = FakeSite(map(page, pages), committed=committed, baseline=baseline)
    found = [(row.page.url, row.committed is not None, row.baseline is not None) for row in known(site, same=same)]
    assert found == [(at(path), here, there) for path, here, there in rows]
