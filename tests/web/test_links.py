"""Links to follow, and the memory of what raw hrefs mean (HTML-60…65)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemap_action.model.page import Link
from sitemap_action.web import urls
from sitemap_action.web.links import Resolver, follow, is_qualified

RELS = [
    ("HTML-65 nofollow", "nofollow", True),
    ("HTML-65 ugc", "ugc", True),
    ("HTML-65 sponsored", "sponsored", True),
    ("HTML-65 case", "NoFollow", True),
    ("HTML-65 by a space", "noopener nofollow", True),
    ("HTML-65 by a comma", "ugc,nofollow", True),
    ("HTML-65 by both", "external , sponsored", True),
    ("HTML-65 another word", "nofollowing", False),
    ("HTML-65 other relations", "noopener noreferrer", False),
    ("HTML-65 empty", "", False),
]


@pytest.mark.parametrize(("rel", "expected"), [row[1:] for row in RELS], ids=[row[0] for row in RELS])
def test_is_qualified(rel: str, expected: bool) -> None:
    assert is_qualified(rel) is expected


def test_HTML_65_a_URL_linked_both_ways_is_followed() -> None:
    resolved = {
        "/a": Link("https://x.com/a"),
        "a": Link("https://x.com/a"),
        "/b": Link("https://x.com/b"),
        "mailto:x": None,
    }
    found = follow({"/a": False, "/b": False, "a": True, "mailto:x": True}, resolved, page_nofollow=False)
    assert found.links == (Link("https://x.com/a"), Link("https://x.com/b", nofollow=True))
    assert found.nofollow == 1


def test_HTML_65_nofollow_of_the_page_holds_for_all() -> None:
    found = follow({"/a": True}, {"/a": Link("https://x.com/a")}, page_nofollow=True)
    assert found.links == (Link("https://x.com/a", nofollow=True),)
    assert found.nofollow == 0  # no link says so itself


def test_HTML_64_hash_routes_are_counted() -> None:
    anchors = dict.fromkeys(["#/", "#/products", "/app#/x", "#!/y", "#!", "#top", "/a#b", "#"], True)
    assert follow(anchors, {}, page_nofollow=False).hash_routes == 4


HREFS = ["/a", "b", "../c", "?q=1", "#f", "", "https://y.com/z", "//y.com/w", "mailto:a@b.c", "\\x", " /s ", "http:rel"]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["https://x.com/", "https://x.com/d/e", "http://x.com/d/f?a/b", "https://z.com/d/"]),
            st.lists(st.sampled_from(HREFS)),
        )
    )
)
def test_what_is_remembered_is_what_would_be_resolved(pages: list[tuple[str, list[str]]]) -> None:
    resolver = Resolver(limit=3)
    for base, hrefs in pages:
        found = resolver.resolve(base, hrefs)
        assert {href: link and link.url for href, link in found.items()} == {
            href: urls.resolve(base, href) for href in hrefs
        }


def test_the_memory_is_bounded() -> None:
    resolver = Resolver(limit=100)
    for number in range(500):
        base = f"https://x.com/{number}/"
        resolver.resolve(base, [f"/{number}-{n}" for n in range(10)] + [f"{n}" for n in range(10)] + ["a" * 10_000])
    assert len(resolver._known) <= 120
    assert sum(map(len, resolver._near.values())) <= 640
