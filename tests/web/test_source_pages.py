"""Which page a source makes, by globs whose wildcards carry over."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemap_action.web.patterns import BadSourceMap, SourcePages, SourceRule, _compile_source, page_key

ROWS: list[tuple[str, str, str, str]] = [
    # source glob, page glob, path, key of its page
    ("content/**.md", "/blog/**", "content/a.md", "/blog/a"),
    ("content/**.md", "/blog/**", "content/a/b/c.md", "/blog/a/b/c"),
    ("content/**.md", "/blog/**", "content/index.md", "/blog"),
    ("content/**.md", "/blog/**", "content/a/index.md", "/blog/a"),
    ("content/**.md", "/blog/**", "other/a.md", ""),
    ("content/**.md", "/blog/**", "content/a.mdx", ""),
    ("content/**.md", "/**/", "content/a.md", "/a"),
    ("content/**.md", "/**.html", "content/a.md", "/a"),
    ("content/**.md", "/**/index.html", "content/a.md", "/a"),
    ("docs/**/README.md", "/**/", "docs/README.md", "/"),
    ("docs/**/README.md", "/**/", "docs/a/b/README.md", "/a/b"),
    ("docs/**/README.md", "/x/**/y", "docs/a/README.md", "/x/a/y"),
    ("docs/**/README.md", "/x/**/y", "docs/README.md", "/x/y"),
    ("**/page.md", "/**", "a/b/page.md", "/a/b"),
    ("_posts/*-*-*-*.md", "/*/*/*/*", "_posts/2026-05-03-a-long-title.md", "/2026/05/03/a-long-title"),
    ("_posts/*-*-*-*.md", "/*/*/*/*", "_posts/x/2026-05-03-a.md", ""),
    ("a/*/b/*.md", "/*/*", "a/one/b/two.md", "/one/two"),
    ("src/{pages,posts}/**.{md,mdx}", "/**", "src/posts/a.mdx", "/a"),
    ("data/*.json", "/table", "data/x.json", "/table"),
    ("docs/**.md", "/**", "docs/über uns.md", "/%C3%BCber%20uns"),
    ("docs/**.md", "/**", "docs/100%.md", ""),
    ("docs/**.md", "/**", "docs/a\udc80.md", ""),
    ("docs/**.md", "/**", "docs/a\nb.md", ""),
    ("a.b/*.md", "/*", "aXb/c.md", ""),
    ("docs/a,b/*.md", "/*", "docs/a,b/c.md", "/c"),
]


@pytest.mark.parametrize(("source", "page", "path", "key"), ROWS)
def test_wildcards_carry_over(source: str, page: str, path: str, key: str) -> None:
    assert SourcePages([SourceRule(source, page)]).page(path) == key


@given(
    st.lists(st.sampled_from(["a", "b/", "*", "**", "***/", "**/", "{a,b/}", "{a,}", ".", "/", ","]), max_size=6),
    st.text("ab/.,", max_size=8),
)
def test_what_a_match_must_hold_excludes_no_match(pieces: list[str], path: str) -> None:
    """Each rule is only tried where its literal text occurs."""
    rule = SourceRule("".join(pieces), "/found")
    try:
        pages = SourcePages([rule])
    except BadSourceMap:
        return
    assert (pages.page(path) == "/found") == bool(_compile_source(rule).fullmatch(path))


def test_the_first_rule_counts() -> None:
    rules = [SourceRule("docs/blog/**.md", "/news/**"), SourceRule("docs/**.md", "/**")]
    assert [SourcePages(rules).page(path) for path in ("docs/blog/a.md", "docs/b.md")] == ["/news/a", "/b"]


@pytest.mark.parametrize(
    ("path", "key"),
    [("/", "/"), ("/index.html", "/"), ("/a", "/a"), ("/a/", "/a"), ("/a.html", "/a"), ("/a/index.html", "/a"), ("/a/index", "/a"), ("/a.htm", "/a"), ("/a.pdf", "/a.pdf"), ("/indexes", "/indexes")],
)  # fmt: skip
def test_spellings_of_a_page_have_one_key(path: str, key: str) -> None:
    assert page_key(path) == key


@pytest.mark.parametrize(
    ("source", "page", "why"),
    [
        ("/docs/*.md", "/*", "no path from the top"),
        ("../docs/*.md", "/*", "no path from the top"),
        ("docs\\*.md", "/*", "no path from the top"),
        ("docs/*.md", "*", "does not begin with /"),
        ("docs/*.md", "/*?a", "more than a path"),
        ("docs/*.md", "/*/*", "more wildcards"),
        ("docs/{a.md", "/a", "braces"),
        ("docs/a}.md", "/a", "braces"),
        ("docs/{a,{b,c}}.md", "/a", "braces"),
    ],
)
def test_what_cannot_be_used(source: str, page: str, why: str) -> None:
    with pytest.raises(BadSourceMap, match=why):
        SourcePages([SourceRule(source, page)])


def test_many_wildcards_take_linear_time() -> None:
    pages = SourcePages([SourceRule("*a" * 30 + "b", "/x")])
    assert pages.page("a" * 4000) == ""
