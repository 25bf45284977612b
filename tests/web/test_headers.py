"""Response headers about a document (HTML-12, HTML-33, HTML-48)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemap_action.web import headers

LINKS = [
    ("HTML-33 plain", '</a>; rel="canonical"', [("/a", {"canonical"})]),
    ("HTML-33 a list of relations", '</a>; rel="alternate canonical"', [("/a", {"alternate", "canonical"})]),
    ("HTML-33 without quotes, in capitals", "</a>; REL=Canonical", [("/a", {"canonical"})]),
    ("HTML-33 a comma inside the target", '</a,b;c>; rel="canonical"', [("/a,b;c", {"canonical"})]),
    ("HTML-33 several links", "</a>; rel=next, </b>; rel=prev", [("/a", {"next"}), ("/b", {"prev"})]),
    ("HTML-33 a comma inside quotes", '</a>; title="x, </c>; y"; rel=next,</b>', [("/a", {"next"}), ("/b", set())]),
    ("HTML-33 an escaped quote", r'</a>; title="x\"; rel=no"; rel=next', [("/a", {"next"})]),
    ("HTML-33 only the first rel counts", "</a>; rel=next; rel=canonical", [("/a", {"next"})]),
    ("HTML-33 spaces everywhere", ' < /a > ; rel = "canonical" ', [("/a", {"canonical"})]),
    ("HTML-33 empty items", ",, </a>; rel=next ,, </b>", [("/a", {"next"}), ("/b", set())]),
    (
        "HTML-33 an unclosed quote runs to the end",
        '</a>; rel="canonical, </b>; rel=next',
        [("/a", {"canonical,", "</b>;", "rel=next"})],
    ),
    ("HTML-33 parameter without a value", "</a>; rel; crossorigin", [("/a", set())]),
    ("HTML-33 no target", "canonical", []),
    ("HTML-33 an unclosed target", "</a; rel=canonical", []),
    ("HTML-33 nothing", "", []),
]


@pytest.mark.parametrize(("value", "expected"), [row[1:] for row in LINKS], ids=[row[0] for row in LINKS])
def test_links(value: str, expected: list[tuple[str, set[str]]]) -> None:
    found = headers.header_links([("link", value)])
    assert [(href, set(parameters.get("rel", "").lower().split())) for href, parameters in found] == expected


def test_links_of_repeated_headers() -> None:
    found = headers.header_links([("link", "</a>; rel=next"), ("x", "y"), ("link", '</b>; HREFLANG="de"; hreflang=en')])
    assert found == [
        ("/a", {"rel": "next"}),
        ("/b", {"hreflang": "de"}),
    ]


TYPES = [
    ("HTML-48 plain", ["text/html"], ("text/html", "")),
    ("HTML-48 case and charset", ["Text/HTML; Charset=UTF-8"], ("text/html", "UTF-8")),
    ("HTML-50 a quoted charset", ['text/html;charset="windows-1251"'], ("text/html", "windows-1251")),
    ("HTML-50 another parameter first", ["text/html; a=b; charset=koi8-r; c=d"], ("text/html", "koi8-r")),
    ("HTML-48 the last of several", ["text/plain", "text/html"], ("text/html", "")),
    ("HTML-48 joined by a proxy", ["text/html, text/html; charset=utf-8"], ("text/html", "utf-8")),
    ("HTML-48 joined, the last that is a type", ["text/plain; a=b, text/html, x"], ("text/html", "")),
    ("HTML-48 a comma inside quotes", ['text/html; charset="a,b"'], ("text/html", "a,b")),
    ("HTML-48 not stated", [], ("", "")),
    ("HTML-48 empty", [""], ("", "")),
]


@pytest.mark.parametrize(("sent", "expected"), [row[1:] for row in TYPES], ids=[row[0] for row in TYPES])
def test_content_type(sent: list[str], expected: tuple[str, str]) -> None:
    assert headers.content_type([("content-type", value) for value in sent]) == expected


@pytest.mark.attack("bytes")
@given(st.text(alphabet='<>;,="\\ arel/\n') | st.text())
def test_never_raises(value: str) -> None:
    found = headers.header_links([("link", value)])
    assert all(name == name.lower() for _, parameters in found for name in parameters)
    headers.content_type([("content-type", value)])


@pytest.mark.attack("cost")
def test_a_hostile_header_takes_linear_time() -> None:
    assert len(list(headers.header_links([("link", '<a>;b="' * 100_000)]))) == 1
    assert len(list(headers.header_links([("link", "<a>" + ';b="\\' * 100_000)]))) == 1
