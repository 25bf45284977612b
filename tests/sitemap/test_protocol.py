"""The URL that a <loc> names, in normal form and as it is spelled."""

import pytest

from sitemap_action.sitemap.protocol import normalize_loc, original_spelling, site_host
from sitemap_action.web.urls import BadUrl

BASE = "http://www.example.com/sitemap.xml"

# as listed, identity, what was put right, as written
URLS = (
    ("https://x.com/a", "https://x.com/a", "", "https://x.com/a"),
    ("HTTPS://X.com/a?b='c'", "https://x.com/a?b=%27c%27", "", "HTTPS://X.com/a?b='c'"),
    (
        "https://x.com/a?b=1&amp;c=2",
        "https://x.com/a?b=1&amp;c=2",
        "",
        "https://x.com/a?b=1&amp;c=2",
    ),  # decoded once, not twice
    ("//x.com/a", "http://x.com/a", "loc-schemeless", "http://x.com/a"),
    ("https://x.com/a#top", "https://x.com/a", "loc-fragment", "https://x.com/a"),
    ("https://x.com/#/route", "https://x.com/", "loc-fragment", "https://x.com/"),
    ("https://x.com/ü b", "https://x.com/%C3%BC%20b", "", "https://x.com/%C3%BC%20b"),
    ("https://exämple.com/", "https://xn--exmple-cua.com/", "", "https://xn--exmple-cua.com/"),
)


@pytest.mark.parametrize(("loc", "key", "corrected", "text"), URLS)
def test_a_page(loc: str, key: str, corrected: str, text: str) -> None:
    assert normalize_loc(loc, BASE) == (key, corrected)
    assert original_spelling(loc, key) == text


@pytest.mark.parametrize(
    ("loc", "code"),
    [
        ("ftp://x.com/", "not-absolute"),
        ("javascript:alert(1)", "not-absolute"),
        ("file:///etc/passwd", "not-absolute"),
        ("/a", "not-absolute"),
        ("www.x.com/a", "not-absolute"),
        ("", "not-absolute"),
        ("https://user:secret@x.com/", "userinfo"),
        ("//user@x.com/", "userinfo"),
        ("https://x.com/%zz", "malformed-escape"),
        ("https://x.com/a\nb", "control-character"),
        ("https://x.com:99999/", "bad-host"),
        ("https://x.com/" + "a" * 9000, "too-long"),
    ],
)
def test_no_page(loc: str, code: str) -> None:
    with pytest.raises(BadUrl) as bad:
        normalize_loc(loc, BASE)
    assert bad.value.code == code


def test_without_a_base_nothing_gets_a_scheme() -> None:
    with pytest.raises(BadUrl):
        normalize_loc("//x.com/a", "")


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://www.x.com/a", "x.com"),
        ("http://x.com/", "x.com"),
        ("https://x.com:8443/", "x.com:8443"),
        ("https://a.x.com/", "a.x.com"),
    ],
)
def test_a_site_is_a_host_under_any_scheme(url: str, name: str) -> None:
    assert site_host(url) == name
