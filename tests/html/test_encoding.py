"""Detection of a document's encoding, and decoding (HTML-50)."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemap_action.html.tree import declared_encoding, decode_html, encoding_of_label

RUSSIAN = "Привет"
META = "<meta charset=windows-1251>"

ROWS = [
    ("HTML-50 nothing declared, UTF-8", "é€".encode(), "", "é€"),
    ("HTML-50 nothing declared, no UTF-8", b"caf\xe9 \x80", "", "café €"),
    ("HTML-50 cut inside a character, still UTF-8", "é€".encode()[:-1], "", "é"),
    ("HTML-50 a byte order mark before all", codecs.BOM_UTF8 + "é".encode(), "windows-1251", "é"),
    ("HTML-50 UTF-16, big end first", codecs.BOM_UTF16_BE + "aé".encode("utf-16-be"), "utf-8", "aé"),
    ("HTML-50 UTF-16, little end first", codecs.BOM_UTF16_LE + "aé".encode("utf-16-le"), "", "aé"),
    ("HTML-50 starts like a byte order mark of UTF-8", b"\xef\xbbx", "", "ï»x"),
    ("HTML-50 starts like one of UTF-16", b"\xffx", "", "ÿx"),
    ("HTML-50 Content-Type", RUSSIAN.encode("koi8-r"), "KOI8-R", RUSSIAN),
    ("HTML-50 Content-Type before <meta>", (META + RUSSIAN).encode(), "utf-8", META + RUSSIAN),
    ("HTML-50 <meta>", (META + RUSSIAN).encode("windows-1251"), "", META + RUSSIAN),
    (
        "HTML-50 a label that no encoding has",
        (META + RUSSIAN).encode("windows-1251"),
        "none",
        META + RUSSIAN,
    ),
    ("HTML-50 Latin-1 is windows-1252", b"\x80", "ISO-8859-1", "€"),
    ("HTML-50 bytes that are not UTF-8", b"a\xffb", "utf-8", "a\ufffdb"),
    ("HTML-50 nothing at all", b"", "", ""),
]


@pytest.mark.parametrize(("body", "label", "text"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_decode(body: bytes, label: str, text: str) -> None:
    assert decode_html(body, label) == text


DECLARED = [
    ("plain", "<meta charset=koi8-r>", "koi8-r"),
    ("quotes, capitals, spaces", "<META\nCharset = ' KOI8-R ' >", "koi8-r"),
    ("after other tags", "<!doctype html><html lang='>'><head><title>x</title><meta charset=koi8-r>", "koi8-r"),
    ("http-equiv", '<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">', "koi8-r"),
    ("http-equiv behind content", "<meta content='charset=\"koi8-r\"' http-equiv=content-type>", "koi8-r"),
    ("content without http-equiv", '<meta content="text/html; charset=koi8-r">', ""),
    ("http-equiv of another kind", '<meta http-equiv=refresh content="text/html; charset=koi8-r">', ""),
    ("in a comment", "<!-- <meta charset=koi8-r> --><meta charset=windows-1251>", "windows-1251"),
    ("behind a short comment", "<!--><meta charset=koi8-r>", "koi8-r"),
    ("comment never closed", "<!-- <meta charset=koi8-r>", ""),
    ("in an attribute", "<a title='<meta charset=koi8-r>'><meta charset=windows-1251>", "windows-1251"),
    ("another element", "<metadata charset=koi8-r><meta charset=windows-1251>", "windows-1251"),
    ("UTF-16 can only be UTF-8", "<meta charset=utf-16>", "utf-8"),
    ("x-user-defined", "<meta charset=x-user-defined>", "windows-1252"),
    ("unknown label, then a known one", "<meta charset=nonsense><meta charset=koi8-r>", "koi8-r"),
    ("Python's own codecs are none", "<meta charset=hex><meta charset=rot13><meta charset=utf-7>", ""),
    ("at byte 2,000", " " * 2000 + "<meta charset=koi8-r>", ""),
    ("cut by the 1,024th byte", " " * 1010 + "<meta charset=koi8-r>", ""),
    ("XML declaration", '<?xml version="1.0" encoding="koi8-r"?><html>', "koi8-r"),
    ("<meta> before the XML declaration", '<?xml version="1.0" encoding="koi8-r"?><meta charset=utf-8>', "utf-8"),
    ("end tags and bogus comments", "</p><?x><!x></><meta charset=koi8-r>", "koi8-r"),
    ("slash behind the name", "<meta/charset=koi8-r>", "koi8-r"),
    ("the first of equal attributes", "<meta charset=koi8-r charset=utf-8>", "koi8-r"),
    ("nothing", "<p>charset", ""),
]


@pytest.mark.parametrize(
    ("text", "expected"), [row[1:] for row in DECLARED], ids=[f"HTML-50 {row[0]}" for row in DECLARED]
)
def test_declared_encoding(text: str, expected: str) -> None:
    assert declared_encoding(text.encode()) == expected


def test_every_label_of_the_standard_has_a_decoder() -> None:
    labels = pytest.importorskip("webencodings.labels", reason="the table of labels comes with html5lib").LABELS
    assert {label: encoding_of_label(label) for label in labels} == labels
    assert all(decode_html(b"<a>".ljust(4), label) for label in labels)


@pytest.mark.attack("bytes")
@given(
    st.binary(),
    st.sampled_from(["", "utf-8", "utf-16", "shift_jis", "iso-2022-jp", "big5", "gbk", "euc-kr", "replacement"]),
)
def test_never_raises(body: bytes, label: str) -> None:
    assert not any("\ud800" <= character <= "\udfff" for character in decode_html(body, label))


@pytest.mark.attack("bytes")
@given(
    st.lists(
        st.sampled_from(
            [b"<meta ", b"charset", b"=", b'"', b"'", b">", b"<!--", b"-->", b"/", b" koi8-r", b"<a", b"<?xml"]
        )
    )
)
def test_the_prescan_never_raises(parts: list[bytes]) -> None:
    assert declared_encoding(b"".join(parts)) in {"", "koi8-r"}
