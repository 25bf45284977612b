"""URLs: section 5 of the rule sheet row by row, WHATWG joins, and the fast paths against the parser."""

import re
import time
from collections.abc import Callable
from urllib.parse import unquote_to_bytes

import ada_url
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import share
from sitemap_action.web import urls
from sitemap_action.web.urls import (
    BadUrl,
    anomalies,
    are_normalized,
    case_key,
    composition_key,
    is_normal_path,
    join,
    normalize,
    origin,
    path_query,
    resolve,
    same_site,
)

NORMAL = [
    # id, as written, normal form
    ("URL-01 scheme and host in lower case", "HTTPS://X.com/A", "https://x.com/A"),
    ("URL-01 the path keeps its case", "https://x.com/ABC/d", "https://x.com/ABC/d"),
    ("URL-01 http stays http", "HTTP://X.COM/", "http://x.com/"),
    ("URL-02 hex in upper case", "https://x.com/%e3%83%84", "https://x.com/%E3%83%84"),
    ("URL-02 in the query too", "https://x.com/?q=%c3%bc", "https://x.com/?q=%C3%BC"),
    ("URL-03 unreserved decoded", "https://x.com/%7Ea", "https://x.com/~a"),
    ("URL-03 letters, digits, - . _", "https://x.com/%41%7a%30%2D%2E%5F", "https://x.com/Az0-._"),
    ("URL-03 in the query too", "https://x.com/?%61=%7e", "https://x.com/?a=~"),
    ("URL-03 %2F is no slash", "https://x.com/a%2fb", "https://x.com/a%2Fb"),
    ("URL-03 %25 stays, so that nothing is decoded twice", "https://x.com/%2541", "https://x.com/%2541"),
    ("URL-03 an escape of an escape", "https://x.com/%25%34%31", "https://x.com/%2541"),
    ("URL-04 dot segments", "https://x.com/a/./b/../c", "https://x.com/a/c"),
    ("URL-04 as escapes", "https://x.com/a/./b/%2e%2e/c", "https://x.com/a/c"),
    ("URL-04 half escaped, either case", "https://x.com/a/b/.%2E/%2e/c", "https://x.com/a/c"),
    ("URL-04 never above the root", "https://x.com/../../a", "https://x.com/a"),
    ("URL-04 at the end", "https://x.com/a/b/..", "https://x.com/a/"),
    ("URL-04 three dots are a name", "https://x.com/a/.../b", "https://x.com/a/.../b"),
    ("URL-04 a dot file is a name", "https://x.com/.well-known/x", "https://x.com/.well-known/x"),
    ("URL-04 dots in a query are no segments", "https://x.com/a?b=/../c", "https://x.com/a?b=/../c"),
    ("URL-05 default port", "https://x.com:443/", "https://x.com/"),
    ("URL-05 default port of http", "http://x.com:80/", "http://x.com/"),
    ("URL-05 empty port", "https://x.com:/a", "https://x.com/a"),
    ("URL-05 another port stays", "https://x.com:8443/", "https://x.com:8443/"),
    ("URL-05 the other scheme's port stays", "http://x.com:443/", "http://x.com:443/"),
    ("URL-05 leading zeros", "https://x.com:00443/", "https://x.com/"),
    ("URL-06 empty path", "https://x.com", "https://x.com/"),
    ("URL-06 empty path before a query", "https://x.com?a", "https://x.com/?a"),
    ("URL-06 empty path before a fragment", "https://x.com#a", "https://x.com/"),
    ("URL-07 fragment dropped", "https://x.com/p#x", "https://x.com/p"),
    ("URL-07 empty fragment dropped", "https://x.com/p#", "https://x.com/p"),
    ("URL-07 a malformed escape in it does not matter", "https://x.com/p#100%", "https://x.com/p"),
    ("URL-08 non-ASCII and space", "https://x.com/ü b", "https://x.com/%C3%BC%20b"),
    ("URL-08 escapes are not escaped again", "https://x.com/%C3%BC", "https://x.com/%C3%BC"),
    ("URL-08 not Latin-1, unchanged", "https://x.com/%fc", "https://x.com/%FC"),
    ("URL-08 path", 'https://x.com/"<>`{}^|', "https://x.com/%22%3C%3E%60%7B%7D%5E%7C"),
    ("URL-08 query", 'https://x.com/?"<>`{}^|\\', "https://x.com/?%22%3C%3E%60%7B%7D%5E%7C%5C"),
    ("URL-08 the apostrophe in a query, as WHATWG", "https://x.com/?q='", "https://x.com/?q=%27"),
    ("URL-08 the apostrophe in a path stays", "https://x.com/it's", "https://x.com/it's"),
    ("R-02 URL-08 brackets are for hosts alone", "https://x.com/a[1]?b[]=2", "https://x.com/a%5B1%5D?b%5B%5D=2"),
    ("R-02 IPv6, and brackets behind it", "https://[::1]/a[1]?b[]=2", "https://[::1]/a%5B1%5D?b%5B%5D=2"),
    ("URL-08 beyond the basic plane", "https://x.com/😀", "https://x.com/%F0%9F%98%80"),
    ("URL-09 UTS-46 non-transitional", "https://straße.de/", "https://xn--strae-oqa.de/"),
    ("URL-09 A-label", "https://exämple.com/", "https://xn--exmple-cua.com/"),
    ("URL-09 upper case A-label", "https://XN--EXMPLE-CUA.com/", "https://xn--exmple-cua.com/"),
    ("URL-09 an ASCII host is not decoded, WHATWG since June 2026", "https://XN--a.com/", "https://xn--a.com/"),
    ("URL-09 ideographic full stop", "https://日本。jp/", "https://xn--wgv71a.jp/"),
    ("URL-09 fullwidth letters", "https://ｘ.com/", "https://x.com/"),
    ("URL-09 escapes in a host", "https://ex%61mple.com/", "https://example.com/"),
    ("URL-09 underscore and hyphen", "https://-a_b.x.com/", "https://-a_b.x.com/"),
    ("URL-20 @ in a path is no user name", "https://x.com/@user?a@b", "https://x.com/@user?a@b"),
    ("URL-21 trailing slash unchanged", "https://x.com/a/", "https://x.com/a/"),
    ("URL-21 no trailing slash added", "https://x.com/a", "https://x.com/a"),
    ("URL-22 index.html unchanged", "https://x.com/a/index.html", "https://x.com/a/index.html"),
    ("URL-22 default.aspx unchanged", "https://x.com/default.aspx", "https://x.com/default.aspx"),
    ("URL-23 query order unchanged", "https://x.com/?b=1&a=2", "https://x.com/?b=1&a=2"),
    ("URL-23 duplicate keys, empty values, ;", "https://x.com/?a&a=&a=1;b", "https://x.com/?a&a=&a=1;b"),
    ("URL-23 a lone ? unchanged", "https://x.com/a?", "https://x.com/a?"),
    ("URL-23 a second ? unchanged", "https://x.com/a??b", "https://x.com/a??b"),
    (
        "URL-24 tracking parameters unchanged",
        "https://x.com/?utm_source=a&gclid=b",
        "https://x.com/?utm_source=a&gclid=b",
    ),
    ("URL-25 path case significant", "https://x.com/Apple", "https://x.com/Apple"),
    ("URL-26 double slash unchanged", "https://x.com/a//b", "https://x.com/a//b"),
    ("URL-26 double slash at the root unchanged", "https://x.com//a", "https://x.com//a"),
    ("URL-27 + unchanged", "https://x.com/?q=a+b", "https://x.com/?q=a+b"),
    ("URL-27 %20 unchanged", "https://x.com/?q=a%20b", "https://x.com/?q=a%20b"),
    ("URL-27 %26 unchanged", "https://x.com/?q=a%26b", "https://x.com/?q=a%26b"),
    ("URL-27 %3d unchanged", "https://x.com/?q%3db", "https://x.com/?q%3Db"),
    ("URL-27 %2B %3A %40 unchanged", "https://x.com/%2b%3a%40", "https://x.com/%2B%3A%40"),
    ("URL-29 NFC unchanged", "https://x.com/\u00e9", "https://x.com/%C3%A9"),
    ("URL-29 NFD unchanged", "https://x.com/e\u0301", "https://x.com/e%CC%81"),
    ("URL-30 the escape of %", "https://x.com/100%25", "https://x.com/100%25"),
    ("URL-31 IPv6 lower case, compressed", "https://[2001:DB8:0:0::1]/", "https://[2001:db8::1]/"),
    ("URL-31 IPv6 with IPv4 tail", "https://[::ffff:1.2.3.4]/", "https://[::ffff:102:304]/"),
    ("URL-31 hexadecimal IPv4", "http://0x7f.1/", "http://127.0.0.1/"),
    ("URL-31 short IPv4", "http://127.1/", "http://127.0.0.1/"),
    ("URL-31 IPv4 as one number", "http://2130706433/", "http://127.0.0.1/"),
    ("URL-31 octal IPv4", "http://0177.0.0.1/", "http://127.0.0.1/"),
    ("URL-31 a host with a port like number", "http://127.0.0.1:8000/a", "http://127.0.0.1:8000/a"),
    ("URL-32 the longest", "https://x.com/" + "a" * 8178, "https://x.com/" + "a" * 8178),
    ("URL-34 trailing dot unchanged", "https://x.com./", "https://x.com./"),
    ("SM-33 white space around", "\n  https://x.com/a\t", "https://x.com/a"),
    ("HTML-62 backslash is a slash", "https://x.com\\a\\b", "https://x.com/a/b"),
    ("HTML-62 a host that backslash ends", "https://x.com\\@evil.com/", "https://x.com/@evil.com/"),
]


@pytest.mark.parametrize(("written", "expected"), [row[1:] for row in NORMAL], ids=[row[0] for row in NORMAL])
def test_normal(written: str, expected: str) -> None:
    assert normalize(written) == expected
    assert normalize(expected) == expected  # URL-10
    assert urls.normal_form(written) == expected


BAD = [
    # id, as written, code
    ("SM-21 path only", "/a", "not-absolute"),
    ("SM-21 no scheme", "//x.com/a", "not-absolute"),
    ("SM-21 host only", "www.x.com/a", "not-absolute"),
    ("SM-21 another scheme", "ftp://x.com/a", "not-absolute"),
    ("SM-21 script", "javascript:alert(1)", "not-absolute"),
    ("SM-21 empty", "", "not-absolute"),
    ("SM-21 no host", "https://", "not-absolute"),
    ("SM-21 no host, a path", "https:///a", "not-absolute"),
    ("SM-21 no host, a query", "https://?a", "not-absolute"),
    ("SM-21 no slashes", "https:x.com", "not-absolute"),
    ("SM-21 one slash", "https:/x.com", "not-absolute"),
    ("SM-21 backslashes for slashes", "https:\\\\x.com", "not-absolute"),
    ("URL-20 user and password", "https://u:s3cret@x.com/", "userinfo"),
    ("URL-20 user", "https://u@x.com/", "userinfo"),
    ("URL-20 an empty user name is one", "https://@x.com/", "userinfo"),
    ("URL-20 password", "https://:s3cret@x.com/", "userinfo"),
    ("URL-20 @ in the password", "https://u:s3cret@z@x.com/", "userinfo"),
    ("URL-30 lone %", "https://x.com/100%", "malformed-escape"),
    ("URL-30 not hexadecimal", "https://x.com/%G1", "malformed-escape"),
    ("URL-30 one digit", "https://x.com/%4", "malformed-escape"),
    ("URL-30 in the query", "https://x.com/?a=%zz", "malformed-escape"),
    ("URL-30 no second decoding", "https://x.com/%%37E", "malformed-escape"),
    ("URL-30 no digits of another script", "https://x.com/%4\u0661", "malformed-escape"),
    ("URL-30 NUL", "https://x.com/a\0b", "control-character"),
    ("URL-30 tab", "https://x.com/a\tb", "control-character"),
    ("URL-30 line feed", "https://x.com/a\nb", "control-character"),
    ("URL-30 vertical tab at the end", "https://x.com/\v", "control-character"),
    ("URL-30 DEL", "https://x.com/\x7f", "control-character"),
    ("URL-31 zone id", "https://[fe80::1%25en0]/", "zone-id"),
    ("URL-31 zone id, bare", "https://[fe80::1%en0]:80/", "zone-id"),
    ("URL-31 broken IPv6", "https://[::1/", "bad-host"),
    ("URL-31 IPv4 out of range", "https://256.0.0.1/", "bad-host"),
    ("URL-31 IPv4 of five parts", "https://1.2.3.4.5/", "bad-host"),
    ("URL-05 port out of range", "https://x.com:65536/", "bad-host"),
    ("URL-05 port of letters", "https://x.com:https/", "bad-host"),
    ("URL-09 space in the host", "https://x y.com/", "bad-host"),
    ("URL-09 forbidden in a host", "https://x<y.com/", "bad-host"),
    ("URL-09 slash hidden in the host", "https://x%2fy.com/", "bad-host"),
    ("URL-09 a right-to-left override", "https://x\u202ey.com/", "bad-host"),
    ("URL-09 an A-label with a non-ASCII letter", "https://xn--ü.com/", "bad-host"),
    ("URL-09 only a soft hyphen", "https://\u00ad/", "bad-host"),
    ("S-16 a label of 64 letters", f"https://{'a' * 64}.com/", "bad-host"),
    ("S-16 a host of 255 letters", f"https://{'a.' * 126}com/", "bad-host"),
    ("S-16 more letters than DNS has, before they are mapped", f"https://{chr(0x6F22) * 64}.com/", "bad-host"),
    ("S-16 short until they are mapped", f"https://{chr(0x6F22) * 60}.com/", "bad-host"),
    ("S-16 escaped", f"https://{'%E6%BC%A2' * 64}.com/", "bad-host"),
    ("URL-32 one too long", "https://x.com/" + "a" * 8179, "too-long"),
    ("URL-32 too long once encoded", "https://x.com/" + "ü" * 2000, "too-long"),
    ("URL-32 a fragment counts", "https://x.com/#" + "a" * 8192, "too-long"),
    ("no Unicode text", "https://x.com/\ud800", "not-unicode"),
]


@pytest.mark.parametrize(("written", "code"), [row[1:] for row in BAD], ids=[row[0] for row in BAD])
def test_bad_urls(written: str, code: str) -> None:
    with pytest.raises(BadUrl) as caught:
        normalize(written)
    assert caught.value.code == code
    assert "s3cret" not in str(caught.value)  # URL-20
    assert urls.normal_form(written) == ""


HREFS = [
    # id, base, href, page it leads to
    ("HTML-61 relative", "https://x.com/docs/p.html", "a", "https://x.com/docs/a"),
    ("HTML-61 a base that is a directory", "https://x.com/docs/", "a", "https://x.com/docs/a"),
    ("HTML-61 relative to a query", "https://x.com/docs/p?a/b", "c", "https://x.com/docs/c"),
    ("HTML-62 white space around", "https://x.com/d/", " /x\n", "https://x.com/x"),
    ("HTML-62 any C0 around", "https://x.com/d/", "\x01\x1f/x\x00", "https://x.com/x"),
    ("HTML-62 tab and line ends inside", "https://x.com/d/", "/a\tb\r\nc", "https://x.com/abc"),
    ("HTML-62 backslashes", "https://x.com/d/", "\\x\\y", "https://x.com/x/y"),
    ("HTML-62 two backslashes are an authority", "https://x.com/d/", "\\\\y.com\\z", "https://y.com/z"),
    ("HTML-62 backslash in a query stays one", "https://x.com/d/", "/a?b\\c", "https://x.com/a?b%5Cc"),
    ("HTML-62 space inside", "https://x.com/d/", "/a b", "https://x.com/a%20b"),
    ("S-16 a host that no machine has", "https://x.com/", f"//{chr(0x6F22) * 2600}/", None),
    ("S-16 behind backslashes and tabs", "https://x.com/", f"\\\t\\{chr(0x6F22) * 2600}/", None),
    ("S-16 a path may have a long name", "https://x.com/", "a" * 300, f"https://x.com/{'a' * 300}"),
    ("HTML-63 javascript", "https://x.com/", "javascript:alert(1)", None),
    ("HTML-63 javascript, hidden", "https://x.com/", "\x01Java\nScript:alert(1)", None),
    ("HTML-63 mailto", "https://x.com/", "mailto:a@x.com", None),
    ("HTML-63 tel", "https://x.com/", "TEL:+1", None),
    ("HTML-63 data", "https://x.com/", "data:text/html,<a href=/x>", None),
    ("HTML-63 blob", "https://x.com/", "blob:https://x.com/1", None),
    ("HTML-63 about", "https://x.com/", "about:blank", None),
    ("HTML-63 ftp", "https://x.com/", "ftp://x.com/a", None),
    ("HTML-63 file", "https://x.com/", "file:///etc/passwd", None),
    ("HTML-63 empty", "https://x.com/a", "", None),
    ("HTML-63 only white space", "https://x.com/a", " \t\n", None),
    ("HTML-63 a fragment is the same page", "https://x.com/a?b", "#top", "https://x.com/a?b"),
    ("HTML-63 an empty fragment too", "https://x.com/a?b", "#", "https://x.com/a?b"),
    ("HTML-63 a fragment with odd text", "https://x.com/a", "#% \x01", "https://x.com/a"),
    ("root", "https://x.com/a/b", "/", "https://x.com/"),
    ("fragment dropped", "https://x.com/a/b", "/c?d#e", "https://x.com/c?d"),
    ("same directory", "https://x.com/a/b", ".", "https://x.com/a/"),
    ("same directory, slash", "https://x.com/a/b", "./", "https://x.com/a/"),
    ("same directory, name", "https://x.com/a/b", "./c", "https://x.com/a/c"),
    ("parent", "https://x.com/a/b/c", "..", "https://x.com/a/"),
    ("parent, slash", "https://x.com/a/b/c", "../", "https://x.com/a/"),
    ("parent, name", "https://x.com/a/b/c", "../d?e#f", "https://x.com/a/d?e"),
    ("grandparent", "https://x.com/a/b/c", "../../d", "https://x.com/d"),
    ("above the root", "https://x.com/a/b/c", "../../../../d", "https://x.com/d"),
    ("many parents", "https://x.com/" + "a/" * 12 + "p", "../" * 10 + "d", "https://x.com/a/a/d"),
    ("parents and dots in turn", "https://x.com/a/b/c", ".././../d", "https://x.com/d"),
    ("parent of an empty segment", "https://x.com/a//b", "../c", "https://x.com/a/c"),
    ("an empty segment as directory", "https://x.com/a//b", "c", "https://x.com/a//c"),
    ("parent in the middle", "https://x.com/a/b", "c/../d", "https://x.com/a/d"),
    ("escaped parent", "https://x.com/a/b", "%2e%2E/c", "https://x.com/c"),
    ("two dots in a name", "https://x.com/a/b", "c..d", "https://x.com/a/c..d"),
    ("query only", "https://x.com/a/b?c", "?d", "https://x.com/a/b?d"),
    ("lone question mark", "https://x.com/a/b?c", "?", "https://x.com/a/b?"),
    ("protocol-relative", "https://x.com/a", "//y.com/b", "https://y.com/b"),
    ("protocol-relative without host", "https://x.com/a", "//", None),
    ("three slashes name a host", "https://x.com/a", "///y.com/b", "https://y.com/b"),
    ("same scheme, no slashes: relative", "https://x.com/a/b", "https:c", "https://x.com/a/c"),
    ("same scheme, one slash: root-relative", "https://x.com/a/b", "https:/c", "https://x.com/c"),
    ("other scheme, no slashes: a host", "https://x.com/a/b", "http:c", "http://c/"),
    ("other scheme", "https://x.com/a", "http://x.com/b", "http://x.com/b"),
    ("absolute", "https://x.com/a", "https://y.com/b?c#d", "https://y.com/b?c"),
    ("absolute, no path", "https://x.com/a", "https://y.com", "https://y.com/"),
    ("absolute, spelt otherwise", "https://x.com/a", "HTTPS://Y.com:443/%7eb", "https://y.com/~b"),
    ("absolute, double slash", "https://x.com/a", "https://x.com//b", "https://x.com//b"),
    ("colon in a later segment", "https://x.com/a/", "b/c:d", "https://x.com/a/b/c:d"),
    ("colon in the first segment is a scheme", "https://x.com/a/", "b:c", None),
    ("a digit starts no scheme", "https://x.com/a/", "12:30", "https://x.com/a/12:30"),
    ("colon in a query", "https://x.com/a/", "b?c:d", "https://x.com/a/b?c:d"),
    ("the base's dot segments", "https://x.com/a/../b/c", "d", "https://x.com/b/d"),
    ("a base spelt otherwise", "HTTPS://X.com:443/%7Ea/b", "c", "https://x.com/~a/c"),
    ("a base with a fragment", "https://x.com/a#b", "#c", "https://x.com/a"),
    ("no base", "", "/a", None),
    ("a base that is no URL", "/a/", "b", None),
    ("no base is needed for an absolute link", "https://x.com/", "https://y.com/", "https://y.com/"),
    ("URL-20 user and password", "https://x.com/", "https://u:p@x.com/", None),
    ("URL-20 a base with a password", "https://u:p@x.com/", "/a", None),
    ("URL-30 malformed escape", "https://x.com/", "/100%", None),
    ("URL-30 a malformed escape in the base does not matter", "https://x.com/%zz", "/a", "https://x.com/a"),
    ("URL-31 zone id", "https://x.com/", "//[fe80::1%25en0]/", None),
    ("URL-32 too long", "https://x.com/", "/" + "a" * 8192, None),
    ("URL-32 too long, relative", "https://x.com/" + "a" * 90 + "/", "b" * 8100, None),
    ("no Unicode text", "https://x.com/", "/\ud800", None),
]


@pytest.mark.parametrize(("base", "href", "expected"), [row[1:] for row in HREFS], ids=[row[0] for row in HREFS])
def test_resolve(base: str, href: str, expected: str | None) -> None:
    assert resolve(base, href) == expected


JOINS = [
    # id, href, URL that a browser shows
    ("fragment unchanged", "/b#c", "https://x.com/b#c"),
    ("no decoding of unreserved", "/%7eb", "https://x.com/%7eb"),
    ("any scheme", "mailto:a@x.com", "mailto:a@x.com"),
    ("no host", "https://", None),
    ("no Unicode text", "\udfff", None),
]


@pytest.mark.parametrize(("href", "expected"), [row[1:] for row in JOINS], ids=[row[0] for row in JOINS])
def test_join(href: str, expected: str | None) -> None:
    assert join("https://x.com/a", href) == expected


PARTS = [
    # id, URL, origin, path and query
    ("RB-01 default port", "https://x.com:443/a?b#c", "https://x.com", "/a?b"),
    ("RB-01 another port", "http://X.com:8080", "http://x.com:8080", "/"),
    ("RB-01 A-label", "https://exämple.com?ü", "https://xn--exmple-cua.com", "/?%C3%BC"),
    ("one letter", "http://a/", "http://a", "/"),
    ("IPv6", "http://[::1]:81//", "http://[::1]:81", "//"),
]


@pytest.mark.parametrize(("url", "start", "rest"), [row[1:] for row in PARTS], ids=[row[0] for row in PARTS])
def test_parts(url: str, start: str, rest: str) -> None:
    assert origin(url) == start
    assert path_query(url) == rest


SITES = [
    # id, URL, site, same when strict, same when www and apex are one
    ("URL-28 same", "https://x.com/a", "https://X.com:443", True, True),
    ("URL-28 http is another site", "http://x.com/", "https://x.com/", False, False),
    ("URL-28 www is another host, or by policy not", "https://www.x.com/", "https://x.com/", False, True),
    ("URL-28 either way round", "https://x.com/", "https://www.x.com/", False, True),
    ("URL-28 a port is another site", "https://x.com:8443/", "https://x.com/", False, False),
    ("URL-28 a sub-domain is another host", "https://shop.x.com/", "https://x.com/", False, False),
    ("URL-28 wwwx.com is no www host", "https://wwwx.com/", "https://x.com/", False, False),
    ("URL-34 trailing dot is another host", "https://x.com./", "https://x.com/", False, False),
]


@pytest.mark.parametrize(("url", "site", "strict", "same"), [row[1:] for row in SITES], ids=[row[0] for row in SITES])
def test_same_site(url: str, site: str, strict: bool, same: bool) -> None:
    assert same_site(url, site) is strict
    assert same_site(url, site, "same") is same


ATOMS = [
    *"/./?#:@%\\&=;+,!$'()*[]{}|^`\"<>~-_ \t\n\r\0\x1f\x7faZ09é日ß😀",
    *(
        "..",
        "../",
        "./",
        "//",
        "/.",
        "%2e",
        "%2E%2e",
        "%7e",
        "%41",
        "%2F",
        "%2f",
        "%C3%BC",
        "%e3",
        "%25",
        "%zz",
        "%%37E",
    ),
    *(
        "http:",
        "https:",
        "https://",
        "http://",
        "HTTPS://",
        "javascript:",
        "x.com",
        "X.com",
        "www.x.com",
        "xn--",
        "localhost",
    ),
    *(
        "127.1",
        "0x7f.1",
        "[::1]",
        "a.b1",
        "u:p@",
        ":80",
        ":443",
        ":8000",
        ":8443",
        ":0",
        "index.html",
        "a/b",
        "\u00ad",
        "。",
    ),
]
texts = st.one_of(st.lists(st.sampled_from(ATOMS), max_size=12).map("".join), st.text(max_size=30))
clean = st.lists(
    st.sampled_from([*"/a:.?=&#b-'@~[];", "../", "./", "%C3%BC", "%20", "page", "https://x.com", "http://y.org/"]),
    max_size=8,
)
links = st.one_of(texts, clean.map("".join))
absolute = st.builds(
    "{}{}{}".format, st.sampled_from(["https://", "http://", "HTTP://"]), st.sampled_from(ATOMS), texts
)
bases = st.one_of(
    st.sampled_from(
        ["https://x.com/", "https://x.com/a/b.html", "http://127.0.0.1:8000/a//b/c?d/e", "https://x.com/a/%zz", "x"]
    ),
    absolute,
)
examples = settings(max_examples=share(300), deadline=None)


def outcome(call: Callable[[], object]) -> object:
    """The result of a call, or the code of its BadUrl; any other exception propagates."""
    try:
        return call()
    except BadUrl as error:
        return error


@examples
@given(st.one_of(absolute, texts))
def test_URL_10_normal_is_idempotent_and_raises_nothing_else(url: str) -> None:
    once = outcome(lambda: normalize(url))
    if isinstance(once, str):
        assert normalize(once) == once == urls._normal(once)
        assert once.isascii()
        assert len(once) <= urls.MAX_LENGTH
    else:
        assert isinstance(once, BadUrl)
        assert once.code


@examples
@given(absolute)
def test_URL_10_normal_keeps_the_host_and_the_bytes_of_path_and_query(url: str) -> None:
    form = outcome(lambda: normalize(url))
    if isinstance(form, BadUrl):
        return
    mine, theirs = ada_url.URL(str(form)), ada_url.URL(url.strip(" \t\r\n"))
    assert (mine.origin, mine.username, mine.password) == (theirs.origin, "", "")
    assert unquote_to_bytes(mine.pathname) == unquote_to_bytes(theirs.pathname)
    assert unquote_to_bytes(mine.search) == unquote_to_bytes(theirs.search)
    written = theirs.href.partition("#")[0]
    for reserved in "%2[Ff]", "%25", "%26", "%3[Dd]", "%2[Bb]", "/", r"\?", "&", "=", r"\+":  # URL-27
        assert len(re.findall(reserved, mine.href)) == len(re.findall(reserved, written))


@examples
@given(bases, links)
def test_the_fast_path_of_resolve_equals_the_parser(base: str, href: str) -> None:
    full = urls._resolve(base, href)
    assert resolve(base, href) == full
    joined = join(base, href) if href.strip(urls._C0_OR_SPACE) else None
    page = outcome(lambda: normalize(joined)) if joined is not None else None
    assert full == (None if isinstance(page, BadUrl) else page)


@examples
@given(bases, st.one_of(absolute, clean.map("https://x.com/{}".format)))
def test_a_url_in_normal_form_resolves_to_itself_from_every_base(base: str, url: str) -> None:
    page = outcome(lambda: normalize(url))
    if isinstance(page, str) and join(base, "/") is not None:
        assert resolve(base, page) == urls._resolve(base, page) == page


@examples
@given(st.sampled_from(["https://x.com", "http://127.0.0.1:8000"]), st.from_regex(r"[/a0._~%-]{0,9}", fullmatch=True))
def test_a_normal_path_is_unchanged(site: str, path: str) -> None:
    if is_normal_path(f"/{path}"):
        assert urls._resolve(f"{site}/a/b?c", f"/{path}") == f"{site}/{path}"


@pytest.mark.parametrize("href", ["/a", "/a/", "/a.b/c-d_e~f.html", "/a../b..c"])
def test_is_normal_path(href: str) -> None:
    assert is_normal_path(href)


@examples
@given(st.one_of(absolute, texts, clean.map("".join)))
def test_the_fast_path_of_normal_equals_the_parser(url: str) -> None:
    short, full = outcome(lambda: normalize(url)), outcome(lambda: urls._normal(url))
    assert repr(short) == repr(full)


@examples
@given(bases, links)
def test_join_equals_the_library(base: str, href: str) -> None:
    try:
        expected = ada_url.join_url(base, href)
    except ValueError:
        expected = None
    assert join(base, href) == expected


@pytest.mark.attack("bytes")
@examples
@given(absolute, bases)
def test_nothing_but_BadUrl_is_raised(url: str, source: str) -> None:
    parts = outcome(lambda: (origin(url), path_query(url), anomalies(url), case_key(url), composition_key(url)))
    if isinstance(parts, tuple):
        assert parts[0] + parts[1] == normalize(url)
    assert isinstance(outcome(lambda: same_site(url, source, "same")), bool | BadUrl)


PIECES = ["https://x.com", "http://x.com", "https://X.com", "https://u@x.com", "/", "/a", "/.", "..", "?b=1", "#c", "%2d", "%2D", "%41", "é", "'", "\n", " "]  # fmt: skip


@given(st.lists(st.lists(st.sampled_from(PIECES), min_size=1, max_size=4).map("".join), min_size=1, max_size=4))
def test_are_normal_only_where_each_is(texts: list[str]) -> None:
    lines = "".join(f"{text}\n" for text in texts)
    if are_normalized(lines.encode()):
        assert all(normalize(line) == line for line in lines.splitlines())


@pytest.mark.parametrize(
    "lines",
    [
        "https://x.com/\n",
        "https://x.com/a\nhttps://x.com/b/c.html\n",
        "https://x.com/a?b=1\nhttps://y.com/%20\n",
    ],
)
def test_are_normal(lines: str) -> None:
    assert are_normalized(lines.encode())


@pytest.mark.attack("cost")
@pytest.mark.parametrize(
    "href", [f"https://{chr(0x6F22) * 2600}/", f"//{'%E6%BC%A2' * 800}/x", f"https:\\\\{'a' * 8000}/"]
)
def test_S_16_long_hosts_cost_nothing(href: str) -> None:
    start = time.process_time()
    for _ in range(100):
        assert urls.resolve("https://x.com/", href) is None
        assert urls.normal_form(href) == ""
    assert time.process_time() - start < 0.5, "seconds of CPU time; it were 8 for a MB of them"


@pytest.mark.parametrize("host", [f"{'a' * 63}.com", f"{'a.' * 125}com", "x.com.", "漢字.com", "[::1]", "1.2.3.4:8080"])
def test_S_16_what_dns_allows_is_a_host(host: str) -> None:
    assert urls.normal_form(f"https://{host}/")
