"""Parsing of a refresh as in the HTML standard (HTML-42)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemap_action.html.head import first_refresh, parse_refresh
from sitemap_action.model.page import Refresh

PARSED = [
    # text, seconds and URL
    ("0;url=/b", (0, "/b")),
    ("0; URL='/b'", (0, "/b")),
    ("0,url=/b", (0, "/b")),
    ("0 url=/b", (0, "/b")),
    ("0;/b", (0, "/b")),
    ("0; /b", (0, "/b")),
    ('0;"/b"', (0, "/b")),
    ('0;url="/b" trailing', (0, "/b")),
    ("0;url='/b", (0, "/b")),
    (" 5 ; url = /b", (5, "/b")),
    ("\t10\n;\furl\r=\n/b", (10, "/b")),
    ("0.9;url=/b", (0, "/b")),
    (".5;url=/b", (0, "/b")),
    ("1.2.3;url=/b", (1, "/b")),
    ("0;url/b", (0, "url/b")),
    ("0;urls=/b", (0, "urls=/b")),
    ("0;u", (0, "u")),
    ("0;url=url=/b", (0, "url=/b")),
    ("0;url=", (0, "")),
    ("0;url=/b;c,d", (0, "/b;c,d")),
    ("0;,url=/b", (0, ",url=/b")),
    ("0;url=/b ", (0, "/b ")),
    ("5", (5, "")),
    ("5;", (5, "")),
    ("5 ", (5, "")),
    ("9" * 5000 + ";url=/b", (999_999_999, "/b")),
    # what is no refresh
    ("", None),
    ("url=/b", None),
    ("a;url=/b", None),
    ("-1;url=/b", None),
    ("5a;url=/b", None),
    ("/b", None),
]


@pytest.mark.parametrize(("text", "expected"), PARSED)
def test_parse(text: str, expected: tuple[int, str] | None) -> None:
    assert parse_refresh(text) == expected


PAGE = "https://x.com/dir/page"

FIRST = [
    ("HTML-42 relative", [("0;url=b", PAGE)], Refresh(0, "https://x.com/dir/b")),
    ("HTML-42 delayed", [("5;url=/b", PAGE)], Refresh(5, "https://x.com/b")),
    ("HTML-42 the base of the document", [("0;url=b", "https://x.com/base/")], Refresh(0, "https://x.com/base/b")),
    ("HTML-42 a bare number reloads", [("5", PAGE)], None),
    ("HTML-42 its own target reloads", [("0;url=page", PAGE)], None),
    ("HTML-42 a fragment reloads", [("0;url=#top", PAGE)], None),
    ("HTML-42 an empty target reloads", [("0;url=", PAGE)], None),
    (
        "HTML-42 the first valid one counts",
        [("x", PAGE), ("0;url=/a", PAGE), ("0;url=/b", PAGE)],
        Refresh(0, "https://x.com/a"),
    ),
    ("HTML-42 a reload is valid", [("5", PAGE), ("0;url=/b", PAGE)], None),
    ("HTML-42 a script is not", [("0;url=javascript:a()", PAGE), ("1;url=/b", PAGE)], Refresh(1, "https://x.com/b")),
    ("HTML-42 none", [], None),
]


@pytest.mark.parametrize(("texts", "expected"), [row[1:] for row in FIRST], ids=[row[0] for row in FIRST])
def test_first(texts: list[tuple[str, str]], expected: Refresh | None) -> None:
    assert first_refresh(texts, PAGE) == expected


@given(st.text(alphabet="019.;, url='\"/\t") | st.text())
def test_never_raises(text: str) -> None:
    parsed = parse_refresh(text)
    assert parsed is None or parsed[0] >= 0
