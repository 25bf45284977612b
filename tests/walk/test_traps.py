"""Where a crawl stops following a pattern without end, and which URLs are no traps (URL-33)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemap_action.walk.frontier import MAX_VARIANTS, Traps

X = "https://x.com"
PATHS = [
    # id, URL, why it is not followed
    ("URL-33 a plain page", f"{X}/2026/10/a", ""),
    ("URL-33 /category/community/category/stuff/category", f"{X}/category/community/category/stuff/category", "paths with /category/ 3 times"),
    ("a segment twice", f"{X}/a/b/a", ""),
    ("empty segments do not count", f"{X}/////a", ""),
    ("a prefix is another segment", f"{X}/a/ab/abc", ""),
    ("the host does not count", "https://a/a/a", ""),
    ("the query does not count", f"{X}/?p=/a/a/a", ""),
    ("20 segments", X + "".join(f"/{n}" for n in range(20)), ""),
    ("URL-33 21 segments", X + "".join(f"/{n}" for n in range(21)), "paths of more than 20 segments"),
    ("the start page", f"{X}/", ""),
]  # fmt: skip


@pytest.mark.parametrize(("url", "why"), [pytest.param(*row[1:], id=row[0]) for row in PATHS])
def test_paths(url: str, why: str) -> None:
    assert Traps().find(url) == why


def years(template: str) -> list[str]:
    return [template.format(1000 + number) for number in range(250)]


SEQUENCES = [
    # id, URLs in order, how many are followed, pattern in the reason
    ("URL-33 variants of one path", [f"{X}/a?b={n}" for n in range(250)], 200, f"{X}/a?…"),
    ("other paths are no variants", [f"{X}/{n}?b=1" for n in range(250)], 250, ""),
    ("pages with numbers are no calendar", [f"{X}/page/{n}" for n in range(250)], 250, ""),
    ("a calendar of months", years(X + "/cal/{}-05"), 200, f"{X}/cal/<date>"),
    ("of months without a zero", years(X + "/cal/{}-5"), 200, f"{X}/cal/<date>"),
    ("of days", years(X + "/cal/{}-05-31"), 200, f"{X}/cal/<date>"),
    ("with slashes", years(X + "/cal/{}/05/"), 200, f"{X}/cal/<date>"),
    ("in the query", years(X + "/cal?month={}-5"), 200, f"{X}/cal?…"),
    ("posts under a date are no calendar", years(X + "/blog/{}/05/a-post"), 250, ""),
    ("a longer number is no year", [f"{X}/p/1{n:04}-05" for n in range(250)], 250, ""),
    ("month 13 is no date", [f"{X}/p/{n:04}-13" for n in range(250)], 250, ""),
]  # fmt: skip


@pytest.mark.parametrize(("urls", "followed", "pattern"), [pytest.param(*row[1:], id=row[0]) for row in SEQUENCES])
def test_sequences(urls: list[str], followed: int, pattern: str) -> None:
    traps = Traps()
    whys = [traps.find(url) for url in urls]
    assert whys.count("") == followed
    assert set(whys[followed:]) == ({f"{pattern}, more than {MAX_VARIANTS} of them"} if pattern else set())


def test_a_blocked_url_does_not_count() -> None:
    """A pattern at its limit does not use up the others."""
    traps = Traps()
    for number in range(MAX_VARIANTS + 50):
        traps.find(f"{X}/a?month=2026-01&v={number}")
    assert traps.find(f"{X}/b?month=2026-01") == ""
    assert traps.find(f"{X}/a") == ""


@given(st.text("/?=-0123456789ab%~.", max_size=60), st.integers(0, 3))
def test_the_same_url_is_never_a_trap_at_first(tail: str, times: int) -> None:
    traps = Traps()
    reasons = {traps.find(f"{X}/{tail}") for _ in range(times)}
    assert len(reasons) <= 1  # repeated calls below the limit have one result
