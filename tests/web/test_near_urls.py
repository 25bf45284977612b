"""URLs that a mistyped one may have meant."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemap_action.web.spellings import NearUrls, edit_distance

HOST = "https://www.example.com"


@pytest.mark.parametrize(
    ("asked", "known", "near"),
    [
        ("/about", ["/about/", "/a/"], ["/about/"]),  # final slash
        ("/About/", ["/about/"], ["/about/"]),  # letter case
        ("/about.html", ["/about"], ["/about"]),  # .html
        ("/about/index.html", ["/about/"], ["/about/"]),
        ("/abuot/", ["/about/", "/contact/"], ["/about/"]),  # two letters
        ("/aboutxyz/", ["/about/"], []),  # three
        ("/about/", ["/about/"], []),  # itself
        ("/a?page=2", ["/a?page=1", "/a"], ["/a?page=1"]),
        ("/b1", ["/b2", "/b3", "/b4", "/b5"], ["/b2", "/b3", "/b4"]),  # three of many, in order
        ("/cat", ["/cats", "/CAT", "/cots"], ["/CAT", "/cats", "/cots"]),  # another spelling before another word
    ],
)
def test_near(asked: str, known: list[str], near: list[str]) -> None:
    for order in (known, known[::-1]):
        found = NearUrls(HOST + asked)
        for path in order:
            found.add(HOST + path)
        assert found.best() == tuple(HOST + path for path in near)


def test_scheme_and_www_are_spellings() -> None:
    found = NearUrls("http://example.com/a")
    found.add("https://www.example.com/a/")
    assert found.best() == ("https://www.example.com/a/",)


@given(words := st.text("ab", max_size=6), words, st.integers(0, 3))
def test_edit_distance(one: str, other: str, most: int) -> None:
    assert edit_distance(one, other, most) == min(_all_edits(one, other), most + 1)


def _all_edits(one: str, other: str) -> int:
    """The definition."""
    if not one or not other:
        return len(one) + len(other)
    replaced = _all_edits(one[1:], other[1:]) + (one[0] != other[0])
    return min(_all_edits(one[1:], other) + 1, _all_edits(one, other[1:]) + 1, replaced)


def test_a_near_one_is_found_after_many_others() -> None:
    found = NearUrls(f"{HOST}/{'x' * 50}")
    for number in range(3_000):
        found.add(f"{HOST}/{'y' * 44}{number:06}")
    assert found.best() == ()
    found.add(f"{HOST}/{'x' * 49}")
    assert found.best() == (f"{HOST}/{'x' * 49}",)
