"""Links to follow, and the caches of resolved hrefs (HTML-60…65)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from html_pages import read
from sitemap_action.html.links import Resolver, count_hash_routes, follow_links, is_qualified
from sitemap_action.web import urls

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
    resolved = ["https://x.com/a", "https://x.com/b", "https://x.com/a", ""]
    hrefs, qualified = ["/a", "/b", "a", "mailto:x"], frozenset({"/a", "/b", "mailto:x"})
    links, nofollow = follow_links(hrefs, qualified, resolved, page_nofollow=False)
    assert links == ("https://x.com/a", "https://x.com/b")
    assert nofollow == {"https://x.com/b"}


def test_HTML_65_nofollow_of_the_page_applies_to_all() -> None:
    links, nofollow = follow_links(["/a", "#"], frozenset(), ["https://x.com/a", ""], page_nofollow=True)
    assert links == ("https://x.com/a",)
    assert nofollow == {"https://x.com/a"}


def test_HTML_64_hash_routes_are_counted() -> None:
    hrefs = ["#/", "#/products", "/app#/x", "#!/y", "#!", "#top", "/a#b", "#", "#/"]
    assert count_hash_routes(hrefs) == 4


def test_HTML_64_a_hash_and_a_path_after_it_are_no_route() -> None:
    assert count_hash_routes(["#", "/a", "!b"]) == 0


HREFS = [
    "/a",
    "b",
    "../c",
    "?q=1",
    "#f",
    "",
    "https://y.com/z",
    "//y.com/w",
    "mailto:a@b.c",
    "\\x",
    " /s ",
    "http:rel",
    " ?q=2",
    *("/a/b.html", "/a-b_c~/1..x/", "/", "/a//b", "/./a", "/a/../b", "/.a", "/%7ea", "/é", "/a b", "/" + "a" * 600),
]
SITES = ["https://x.com", "http://x.com:8080", "http://127.0.0.1", "https://u:p@x.com", f"https://{'x' * 8100}.com"]


@given(
    st.lists(
        st.tuples(
            st.sampled_from([f"{site}/{path}" for site in SITES for path in ["", "d/e", "d/f?a/b"]]),
            st.lists(
                st.sampled_from(HREFS) | st.from_regex(r"[/a-z0-9._~%2e-]{0,9}", fullmatch=True).map("/{}".format)
            ),
        )
    )
)
def test_cached_links_equal_resolved_ones(pages: list[tuple[str, list[str]]]) -> None:
    resolver, read = Resolver(limit=3), []
    for base, hrefs in pages:
        links = resolver.for_page(base, "https://x.com/page")
        read.append((links, base, hrefs))
        assert links.resolve(hrefs) == [urls.resolve(base, href) or "" for href in hrefs]
    for links, base, hrefs in read:  # pages that are read at the same time, of any site
        assert links.resolve(hrefs[::-1]) == [urls.resolve(base, href) or "" for href in hrefs[::-1]]


def test_pages_of_one_batch_are_independent() -> None:
    resolver = Resolver()
    pages = [resolver.for_page(f"https://{name}.com/d/", "https://x.com/") for name in ("x", "y", "x")]
    for href in ("/a", "b", "/a", "b", "../c"):
        found = [links.resolve([href]) for links in pages]
        assert found == [[urls.resolve(f"https://{name}.com/d/", href)] for name in ("x", "y", "x")]


def test_HTML_63_a_fragment_of_the_page_is_no_link() -> None:
    page = "https://x.com/d/e"
    assert Resolver().for_page(page, page).resolve(["#top"]) == [""]
    assert Resolver().for_page("https://x.com/", page).resolve(["#top"]) == [
        "https://x.com/"
    ]  # with the <base> of another page


def test_an_href_is_resolved_once_for_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    resolved: list[str] = []

    def resolve(_base: str, href: str) -> str:
        resolved.append(href)
        return f"https://x.com/{href}"

    monkeypatch.setattr(urls, "resolve", resolve)
    links = Resolver().for_page("https://x.com/d/e", "https://x.com/d/e")
    hrefs = ["?facet", "a", "?facet", "b" * 600, "?facet", "b" * 600]
    assert links.resolve(hrefs) == links.resolve(hrefs) == [f"https://x.com/{href}" for href in hrefs]
    assert resolved == ["?facet", "a", "b" * 600]


def test_the_caches_are_bounded() -> None:
    resolver = Resolver(limit=100)
    for number in range(500):
        base = f"https://x.com/{number}/"
        links = resolver.for_page(base, base)
        hrefs = [f"/{number}-{n}" for n in range(10)] + [f"{n}" for n in range(10)] + ["a" * 10_000]
        assert [href for href, url in zip(hrefs, links.resolve(hrefs), strict=True) if not url] == hrefs[-1:]
        assert len(resolver._urls) <= 100
        assert sum(map(len, resolver._directories.values())) <= 100


ANCHORS = [
    *("<a href=/1>", "<a href=/1 rel=nofollow>", "<a href>", "<a>", "<a href='' rel>", "<a href=/2 rel=ugc href=/1>"),
    *(
        "<area href=/3>",
        "<svg>",
        "<a xlink:href=/4>",
        "</svg>",
        "<template>",
        "</template>",
        "<A HREF=/&amp;5>",
        "</a>",
    ),
    *("<noscript>", "</noscript>", "<table>", "<select>", "<a href='/6 7' rel='ugc,nofollow'>", "x", "<math>"),
]


@given(st.lists(st.sampled_from(ANCHORS)))
def test_the_fast_path_equals_reading_anchors_one_by_one(parts: list[str]) -> None:
    """An <area> asks for the slow path."""
    fast, slow = read("".join(parts)), read("<area>" + "".join(parts))
    assert (set(fast.links), fast.nofollow) == (set(slow.links), slow.nofollow)
