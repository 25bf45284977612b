"""Canonicals that count, and the canonical URLs of a page (HTML-22, HTML-25, HTML-27)."""

from html import escape

import pytest

from html_pages import canonical_urls, read

BASE = "https://x.com/docs/page"

ROWS = [
    ("HTML-23 absolute", "https://x.com/a", [], "https://x.com/a", ""),
    ("HTML-23 relative", "a", [], "https://x.com/docs/a", ""),
    ("HTML-24 the normal form", "HTTPS://X.com:443/%7ea", [], "https://x.com/~a", ""),
    ("HTML-32 another host", "https://other.com/a", [], "https://other.com/a", ""),
    ("HTML-22 media", "/a", ["media"], "https://x.com/a", "has media"),
    ("HTML-22 hreflang", "/a", ["hreflang"], "https://x.com/a", "has hreflang"),
    ("HTML-22 lang", "/a", ["lang"], "https://x.com/a", "has lang"),
    ("HTML-22 type", "/a", ["type"], "https://x.com/a", "has type"),
    ("HTML-27 a fragment alone", "#main", [], "https://x.com/docs/page", "has a fragment"),
    ("HTML-27 a fragment behind a URL", "https://x.com/a#b", [], "https://x.com/a", "has a fragment"),
    ("HTML-27 empty", "", [], "", "empty href"),
    ("HTML-27 white space", " \n", [], "", "empty href"),
    ("HTML-27 a file", "file:///usr/share/doc/x.html", [], "", "file: URL"),
    ("HTML-27 a script", " JavaScript:void(0)", [], "", "javascript: URL"),
    ("HTML-27 mail", "mailto:a@x.com", [], "", "mailto: URL"),
    ("HTML-27 no host", "https://", [], "", "not a valid URL"),
    ("HTML-27 a password", "https://u:p@x.com/", [], "", "not a valid URL"),
    ("HTML-27 a malformed escape", "/100%", [], "", "not a valid URL"),
]


@pytest.mark.parametrize(
    ("href", "attributes", "url", "ignored"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS]
)
def test_classify(href: str, attributes: list[str], url: str, ignored: str) -> None:
    more = " ".join(f"{name}=x" for name in attributes)
    document = read(f'<link rel=canonical {more} href="{escape(href)}">', url=BASE)
    assert document.facts.head.canonicals == ((href, url, "link", ignored, attributes != []),)


def test_HTML_21_the_position_is_the_first_reason() -> None:
    (found,) = read("<img src=a><link rel=canonical media=x href=#x>", url=BASE).facts.head.canonicals
    assert found.ignored == "after <img>"


A, B, FILE = (
    "<link rel=canonical href=https://x.com/a>",
    "<link rel=canonical href=/b>",
    "<link rel=canonical href=file:/a>",
)
VERDICTS = [
    ("HTML-25 none", "<title>x</title>", (), ()),
    ("HTML-25 one", A, (), ("https://x.com/a",)),
    ("HTML-25 the same twice", A, (("link", "</a>; rel=canonical"),), ("https://x.com/a",)),
    ("HTML-25 two targets", A + B, (), ("https://x.com/a", "https://x.com/b")),
    ("HTML-27 what is ignored does not count", FILE + B, (), ("https://x.com/b",)),
    ("HTML-27 ignored alone is none", FILE, (), ()),
]


@pytest.mark.parametrize(
    ("markup", "headers", "expected"), [row[1:] for row in VERDICTS], ids=[row[0] for row in VERDICTS]
)
def test_targets(markup: str, headers: tuple[tuple[str, str], ...], expected: tuple[str, ...]) -> None:
    assert canonical_urls(read(markup, *headers).facts) == expected
