"""Section 4 of the rule sheet, example by example, through `extract.read`: facts, and decisions from them."""

from collections.abc import Callable

import pytest

from html_pages import HtmlDocument, canonical_urls, is_noindex
from html_pages import read as read_page

URL = "https://www.x.com/dir/page"
TEXT = "<p>" + "These are some words of the page itself. " * 12


def read(text: str | bytes, *headers: tuple[str, str], url: str = URL) -> HtmlDocument:
    return read_page(text, *headers, url=url)


def page(head: str = "", body: str = "") -> str:
    return f"<!doctype html><html><head><title>T</title>{head}</head><body>{body}{TEXT}</body></html>"


@pytest.mark.parametrize(
    ("rule", "text", "headers", "expected"),
    [
        ("HTML-01 the engine's own name", page("<meta name=googlebot content=noindex>"), (), True),
        ("HTML-01 another engine's name", page('<meta name="otherbot" content="noindex">'), (), False),
        ("HTML-02 case, order, single quotes", page("<META CONTENT='NoIndex' NAME=ROBOTS>"), (), True),
        ("HTML-02 no quotes", page("<meta name=robots content=noindex>"), (), True),
        ("HTML-03 a list with spaces", page('<meta name="robots" content=" nofollow , noindex ">'), (), True),
        (
            "HTML-03 several tags add up",
            page('<meta name=robots content=noindex><meta name=robots content="nofollow">'),
            (),
            True,
        ),
        (
            "HTML-04 general and specific add up",
            page("<meta name=robots content=nofollow><meta name=googlebot content=noindex>"),
            (),
            True,
        ),
        (
            "HTML-04 index cancels nothing",
            page('<meta name=robots content="noindex"><meta name=robots content="index, all">'),
            (),
            True,
        ),
        ("HTML-05 none is both", page("<meta name=robots content=none>"), (), True),
        ("HTML-05 nosnippet stays listed", page('<meta name=robots content="nosnippet, max-snippet:20">'), (), False),
        ("HTML-05 ignored rules", page('<meta name=robots content="noarchive, nocache">'), (), False),
        (
            "HTML-06 past, with a comma in the date",
            page('<meta name=robots content="unavailable_after: Saturday, 25-Jun-10 15:00:00 PST">'),
            (),
            True,
        ),
        ("HTML-06 to come", page('<meta name=robots content="unavailable_after: 2099-01-01">'), (), False),
        ("HTML-06 unreadable", page('<meta name=robots content="unavailable_after: soon">'), (), False),
        (
            "HTML-07 indexifembedded changes nothing",
            page('<meta name=robots content="noindex, indexifembedded">'),
            (),
            True,
        ),
        ("HTML-08 in the body", page(body="<meta name=robots content=noindex>"), (), True),
        ("HTML-09 in a comment", page("<!-- <meta name=robots content=noindex> -->"), (), False),
        ("HTML-09 in a script", page("<script>var x = '<meta name=robots content=noindex>'</script>"), (), False),
        ("HTML-09 in a template", page("<template><meta name=robots content=noindex></template>"), (), False),
        ("HTML-09 in noscript of the head", page("<noscript><meta name=robots content=noindex></noscript>"), (), True),
        (
            "HTML-09 in noscript of the body",
            page(body="<noscript><meta name=robots content=noindex></noscript>"),
            (),
            False,
        ),
        (
            "HTML-02 a description that speaks of noindex",
            page('<meta name="description" content="how to use noindex">'),
            (),
            False,
        ),
        ("HTML-11 header", page(), (("x-robots-tag", "NoIndex"),), True),
        ("HTML-11 several headers", page(), (("x-robots-tag", "nofollow"), ("x-robots-tag", "noindex")), True),
        (
            "HTML-11 for another agent",
            page(),
            (("x-robots-tag", "googlebot: nofollow"), ("x-robots-tag", "otherbot: noindex, nofollow")),
            False,
        ),
        ("HTML-11 any file type", "%PDF-1.7", (("content-type", "application/pdf"), ("x-robots-tag", "noindex")), True),
        ("HTML-12 a rule name is no agent", page(), (("x-robots-tag", "max-snippet:20"),), False),
        ("HTML-12 the prefix covers its line", page(), (("x-robots-tag", "otherbot: nofollow, noindex"),), False),
        (
            "HTML-13 header and meta add up",
            page('<meta name=robots content="index">'),
            (("x-robots-tag", "noindex"),),
            True,
        ),
    ],
)
def test_robots_directives(rule: str, text: str, headers: tuple[tuple[str, str], ...], expected: bool) -> None:
    assert is_noindex(read(text, *headers).facts) is expected, rule


LINK = '<link rel="canonical" href="https://www.x.com/a">'


@pytest.mark.parametrize(
    ("rule", "text", "headers", "targets", "ignored"),
    [
        ("HTML-20 in the head", page(LINK), (), ("https://www.x.com/a",), ""),
        (
            "HTML-20 rel is a list of tokens",
            page('<link rel="Alternate CANONICAL" href=https://www.x.com/a>'),
            (),
            ("https://www.x.com/a",),
            "",
        ),
        ("HTML-20 header", page(), (("link", '<https://www.x.com/a>; rel="canonical"'),), ("https://www.x.com/a",), ""),
        ("HTML-20 in the body", page(body=LINK), (), (), "in <body>"),
        ("HTML-21 before an image", page(LINK + "<img src=t.gif>"), (), ("https://www.x.com/a",), ""),
        ("HTML-21 after an image", page("<img src=t.gif>" + LINK), (), (), "after <img>"),
        ("HTML-21 after an iframe", page("<iframe></iframe>" + LINK), (), (), "after <iframe>"),
        (
            "HTML-21 after an element that is allowed in the head",
            page("<style></style><script></script><meta name=x><base href=/>" + LINK),
            (),
            ("https://www.x.com/a",),
            "",
        ),
        (
            "HTML-22 with media",
            page('<link rel=canonical media=print href="https://www.x.com/a">'),
            (),
            (),
            "has media",
        ),
        (
            "HTML-22 with hreflang",
            page('<link rel=canonical hreflang=de href="https://www.x.com/a">'),
            (),
            (),
            "has hreflang",
        ),
        ("HTML-23 relative", page('<link rel=canonical href="../a">'), (), ("https://www.x.com/a",), ""),
        (
            "HTML-23 against the base",
            page('<base href="https://staging.x.com/"><link rel=canonical href="/a">'),
            (),
            ("https://staging.x.com/a",),
            "",
        ),
        (
            "HTML-25 two that differ",
            page(LINK + LINK.replace("/a", "/b")),
            (),
            ("https://www.x.com/a", "https://www.x.com/b"),
            "",
        ),
        ("HTML-25 twice the same", page(LINK + LINK), (), ("https://www.x.com/a",), ""),
        (
            "HTML-25 link and header differ",
            page(LINK),
            (("link", "</b>; rel=canonical"),),
            ("https://www.x.com/b", "https://www.x.com/a"),
            "",
        ),
        ("HTML-27 fragment", page('<link rel=canonical href="#main">'), (), (), "has a fragment"),
        ("HTML-27 empty", page('<link rel=canonical href="">'), (), (), "empty href"),
        ("HTML-27 not http", page('<link rel=canonical href="file:///usr/share/doc/x.html">'), (), (), "file: URL"),
        (
            "HTML-33 commas inside the brackets",
            page(),
            (("link", "</a,b>; rel=next, </c>; rel=canonical"),),
            ("https://www.x.com/c",),
            "",
        ),
        ("HTML-33 rel is a list", page(), (("link", '</a>; rel="alternate canonical"'),), ("https://www.x.com/a",), ""),
        ("HTML-33 anchor of another page", page(), (("link", '</a>; rel=canonical; anchor="/other"'),), (), "*"),
        ("HTML-09 in a comment", page(f"<!-- {LINK} -->"), (), (), "*"),
    ],
)
def test_canonical(
    rule: str, text: str, headers: tuple[tuple[str, str], ...], targets: tuple[str, ...], ignored: str
) -> None:
    facts = read(text, *headers).facts
    found = facts.head.canonicals
    assert canonical_urls(facts) == targets, rule
    if ignored != "*":
        assert [one.ignored for one in found if one.ignored] == ([ignored] if ignored else []), rule


@pytest.mark.parametrize(
    ("rule", "text", "headers", "refresh"),
    [
        (
            "HTML-41 meta refresh of 0 s",
            page('<meta http-equiv="refresh" content="0; url=/b">'),
            (),
            (0, "https://www.x.com/b"),
        ),
        (
            "HTML-41 delayed",
            page('<meta http-equiv=refresh content="5;url=/b">'),
            (),
            (5, "https://www.x.com/b"),
        ),
        (
            "HTML-42 quotes and case",
            page("<meta http-equiv=Refresh content=\"0; URL='/b'\">"),
            (),
            (0, "https://www.x.com/b"),
        ),
        ("HTML-42 comma", page('<meta http-equiv=refresh content="0,url=/b">'), (), (0, "https://www.x.com/b")),
        ("HTML-42 blank", page('<meta http-equiv=refresh content="0 url=/b">'), (), (0, "https://www.x.com/b")),
        (
            "HTML-42 without url=",
            page('<meta http-equiv=refresh content="0;/b">'),
            (),
            (0, "https://www.x.com/b"),
        ),
        (
            "HTML-42 blanks round =",
            page('<meta http-equiv=refresh content="0; url = /b">'),
            (),
            (0, "https://www.x.com/b"),
        ),
        ("HTML-42 header", page(), (("refresh", "0; url=/b"),), (0, "https://www.x.com/b")),
        ("HTML-42 a bare number reloads", page('<meta http-equiv=refresh content="5">'), (), None),
        ("HTML-42 itself reloads", page(f'<meta http-equiv=refresh content="5; url={URL}">'), (), None),
        ("HTML-42 unparseable", page('<meta http-equiv=refresh content="now; url=/b">'), (), None),
        (
            "HTML-42 only the first valid one",
            page(
                '<meta http-equiv=refresh content=x><meta http-equiv=refresh content="0;/b"><meta http-equiv=refresh content="0;/c">'
            ),
            (),
            (0, "https://www.x.com/b"),
        ),
    ],
)
def test_refresh(rule: str, text: str, headers: tuple[tuple[str, str], ...], refresh: tuple[int, str] | None) -> None:
    assert read(text, *headers).facts.refresh == refresh, rule


def links(text: str) -> list[str]:
    found = read(page(body=text))
    return [link for link in found.links if link not in found.nofollow]


@pytest.mark.parametrize(
    ("rule", "body", "expected"),
    [
        (
            "HTML-60 a and area",
            '<a href="./x" onclick="go()"></a><map><area href=/y></map>',
            ["https://www.x.com/dir/x", "https://www.x.com/y"],
        ),
        (
            "HTML-60 what only a script can follow",
            "<a onclick=\"goto('/x')\"></a><span href=/y></span><button href=/z></button><a routerLink=/w></a>",
            [],
        ),
        (
            "HTML-62 white space round and inside",
            '<a href=" /x\n"></a><a href="/y\t\nz"></a>',
            ["https://www.x.com/x", "https://www.x.com/yz"],
        ),
        ("HTML-62 backslashes", r'<a href="\x\y"></a>', ["https://www.x.com/x/y"]),
        (
            "HTML-62 entities once",
            '<a href="/q?a=1&amp;b=2"></a><a href="/r?x=&amp;amp;"></a>',
            ["https://www.x.com/q?a=1&b=2", "https://www.x.com/r?x=&amp;"],
        ),
        (
            "HTML-63 other schemes",
            "".join(
                f'<a href="{x}"></a>'
                for x in (
                    "javascript:x()",
                    "mailto:a@b.c",
                    "tel:1",
                    "data:,x",
                    "blob:x",
                    "about:blank",
                    "ftp://x/",
                    "file:///x",
                    "",
                )
            ),
            [],
        ),
        ("HTML-63 the page itself", '<a href="#top"></a>', []),
        ("HTML-64 hash routes", '<a href="#/products"></a><a href="#!about"></a>', []),
        (
            "HTML-65 nofollow, by blank or comma",
            '<a rel="ugc,nofollow" href=/a></a><a rel="noopener sponsored" href=/b></a><a rel=noopener href=/c></a>',
            ["https://www.x.com/c"],
        ),
        ("HTML-65 found otherwise too", "<a rel=nofollow href=/a></a><a href=/a></a>", ["https://www.x.com/a"]),
        (
            "HTML-67 no page links",
            '<iframe src=/a></iframe><form action=/b></form><img src=/c srcset="/d 2x"><link rel=stylesheet href=/e>',
            [],
        ),
        ("a protocol-relative link", '<a href="//www.x.com/p"></a>', ["https://www.x.com/p"]),
        ("a non-ASCII link", '<a href="/ünï"></a>', ["https://www.x.com/%C3%BCn%C3%AF"]),
        (
            "HTML-09 in a comment, script, template",
            "<!-- <a href=/a> --><script>'<a href=/b>'</script><template><a href=/c></a></template>",
            [],
        ),
    ],
)
def test_links(rule: str, body: str, expected: list[str]) -> None:
    assert links(body) == expected, rule


def test_HTML_61_the_first_base_counts() -> None:
    document = read(page('<base href="/docs/"><base href="/other/">', '<a href="a"></a>'))
    assert list(document.links) == ["https://www.x.com/docs/a"]


@pytest.mark.parametrize("base", ["data:text/html,x", "javascript:x"])
def test_HTML_61_an_invalid_base(base: str) -> None:
    assert list(read(page(f'<base href="{base}">', "<a href=a></a>")).links) == ["https://www.x.com/dir/a"]


def test_HTML_65_nofollow_of_the_whole_page() -> None:
    document = read(page("<meta name=robots content=nofollow>", "<a href=/a></a>"))
    assert set(document.links) == document.nofollow != set()


def test_HTML_66_related_urls_are_no_links() -> None:
    text = page(
        "<link rel=next href=/2><link rel=alternate hreflang=de href=/de/><link rel=canonical href=/c><link rel=stylesheet href=/s>"
    )
    document = read(text, ("link", "</h>; rel=prev"))
    assert document.links == ()
    assert {"https://www.x.com/2", "https://www.x.com/de/", "https://www.x.com/c", "https://www.x.com/h"} <= set(
        document.related
    )
    assert "https://www.x.com/s" not in document.related


def test_HTML_67_images() -> None:
    text = page(
        '<meta property="og:image" content="/og.jpg">',
        '<img src=/p.jpg><img srcset="/s-400.jpg 400w, /s-800.jpg 800w">',
    )
    assert set(read(text).facts.media.images) == {
        f"https://www.x.com/{name}" for name in ("og.jpg", "p.jpg", "s-400.jpg")
    }


@pytest.mark.parametrize(
    ("rule", "body", "content_type", "title"),
    [
        (
            "HTML-50 byte order mark first",
            b"\xef\xbb\xbf<meta charset=windows-1251><title>\xc3\xbc</title>",
            "text/html; charset=latin1",
            "ü",
        ),
        (
            "HTML-50 then Content-Type",
            "<meta charset=utf-8><title>ü</title>".encode("latin-1"),
            "text/html; charset=ISO-8859-1",
            "ü",
        ),
        (
            "HTML-50 then <meta>",
            "<meta charset='windows-1251'><title>Привет</title>".encode("cp1251"),
            "text/html",
            "Привет",
        ),
        (
            "HTML-50 http-equiv and content",
            "<meta content='text/html; charset=windows-1251' http-equiv=Content-Type><title>Привет</title>".encode(
                "cp1251"
            ),
            "text/html",
            "Привет",
        ),
        (
            "HTML-50 a UTF-16 label in <meta> means UTF-8",
            "<meta charset=utf-16><title>ü</title>".encode(),
            "text/html",
            "ü",
        ),
        (
            "HTML-50 not behind 1,024 bytes",
            b" " * 2000 + "<meta charset=windows-1251><title>ü</title>".encode(),
            "text/html",
            "ü",
        ),
        ("HTML-50 not in a comment", "<!-- <meta charset=windows-1251> --><title>ü</title>".encode(), "text/html", "ü"),
        ("HTML-50 UTF-8 without a word", "<title>ü</title>".encode(), "text/html", "ü"),
        ("HTML-50 else windows-1252", b"<title>\xfc\x80</title>", "text/html", "ü€"),
    ],
)
def test_HTML_50_charset(rule: str, body: bytes, content_type: str, title: str) -> None:
    assert read(body, ("content-type", content_type)).facts.head.title == title, rule


@pytest.mark.parametrize(
    ("content_type", "parsed"),
    [
        ("text/html", True),
        ("application/xhtml+xml", True),
        ("", True),
        ("text/css", False),
        ("application/pdf", False),
        ("image/png", False),
    ],
)
def test_HTML_48_the_type_decides(content_type: str, parsed: bool) -> None:
    headers = [("content-type", content_type)] if content_type else []
    assert bool(read(page(body="<a href=/a></a>"), *headers).links) is parsed


@pytest.mark.parametrize(
    ("rule", "text", "count"),
    [
        ("HTML-45 a page like any other", page(), 0),
        ("HTML-45 thin but real: one sign", "<title>Hours</title><p>Open all day.", 1),
        ("HTML-45 a heading, and few words", "<title>Page not found</title><h1>404</h1><p>Sorry.", 2),
        ("HTML-45 a heading in another language", "<title>Seite nicht gefunden</title><p>Leider nein.", 2),
        ("HTML-45 a heading in French", "<title>Page introuvable</title><p>Désolé.", 2),
    ],
)
def test_HTML_45_soft_404(rule: str, text: str, count: int) -> None:
    assert len(read(text).facts.soft404) == count, rule


def test_HTML_45_a_canonical_to_the_home_page() -> None:
    text = f"<title>Not found</title><link rel=canonical href=/>{TEXT}"
    assert len(read(text).facts.soft404) == 2


@pytest.mark.parametrize(
    ("rule", "text", "is_shell"),
    [
        ("HTML-70 nearly nothing", '<div id="app"></div><script src=/x.js></script>', True),
        (
            "HTML-70 a root and few children",
            f'<head><title>App</title>{"<meta name=x>" * 30}</head><body><div id="root"></div><script src=/x.js></script></body>',
            True,
        ),
        (
            "HTML-70 loading",
            f'<head>{"<meta name=x>" * 30}</head><body><div class="spinner">Loading...</div><script src=/a.js></script></body>',
            True,
        ),
        (
            "HTML-70 server-rendered: words in the root",
            f'<body><div id="__next">{TEXT}</div>{"<script src=/x.js></script>" * 12}</body>',
            False,
        ),
        (
            "HTML-70 server-rendered: links in the root",
            f'<body><div id="root">{"<a href=/a>A</a>" * 20}</div>{"<script src=/x.js></script>" * 12}</body>',
            False,
        ),
        ("HTML-70 an ordinary page", page(), False),
    ],
)
def test_HTML_70_client_rendered(rule: str, text: str, is_shell: bool) -> None:
    assert bool(read(text).facts.shell) is is_shell, rule


def test_HTML_47_a_redirect_in_a_script_is_a_hint() -> None:
    assert read("<script>window.location.href = '/b';</script>").facts.script_redirect == "/b"
    assert read(page(body="<script>function f() { location = '/b' }</script>")).facts.script_redirect == ""


def test_HTML_49_the_size_is_a_fact() -> None:
    assert read(page(body="x" * 3_000_000)).facts.size > 2 * 1024 * 1024


def test_HTML_64_routes_of_another_site_are_not_counted() -> None:
    text = page(
        body='<a href="https://groups.example.org/#!forum"></a><a href="//y.org/#/a"></a><a href="https://www.x.com/#/own"></a>'
    )
    assert read(text).facts.links.hash_routes == 1


def test_HTML_64_hash_routes_are_counted() -> None:
    assert (
        read(page(body='<a href="#/products"></a><a href="#!about"></a><a href="#top"></a>')).facts.links.hash_routes
        == 2
    )


@pytest.mark.parametrize(
    ("text", "source", "value"),
    [
        (
            '<meta property="article:modified_time" content="2026-09-30T10:00:00Z">',
            "article:modified_time",
            "2026-09-30T10:00:00Z",
        ),
        (
            '<script type="application/ld+json">{"@type":"Article","dateModified":"2026-09-30"}</script>',
            "dateModified",
            "2026-09-30",
        ),
        ('<time datetime="2026-09-30">', "time", "2026-09-30"),
    ],
)
def test_DIFF_33_dates_that_a_page_states(text: str, source: str, value: str) -> None:
    assert (source, value) in {(date.source, date.value) for date in read(page(text)).facts.dates}


def fingerprint(text: str) -> str:
    return read(text).facts.fingerprint


@pytest.mark.parametrize(
    ("rule", "one", "other", "same"),
    [
        (
            "a nonce",
            page(body="<main><script nonce=a1b2>x</script>"),
            page(body="<main><script nonce=c3d4>x</script>"),
            True,
        ),
        (
            "a hashed asset",
            page("<link rel=stylesheet href=/app.0a1b2c3d.css>"),
            page("<link rel=stylesheet href=/app.9f8e7d6c.css>"),
            True,
        ),
        (
            "the year of the copyright",
            page(body="<footer>© 2025 X</footer>"),
            page(body="<footer>© 2026 X</footer>"),
            True,
        ),
        ("the menu", page(body="<nav><a href=/a>A</a></nav>"), page(body="<nav><a href=/b>B</a></nav>"), True),
        ("the text", page(body="<main><p>old words</p></main>"), page(body="<main><p>new words</p></main>"), False),
        (
            "a link in the text",
            page(body="<main><p><a href=/a>see</a></p></main>"),
            page(body="<main><p><a href=/b>see</a></p></main>"),
            False,
        ),
    ],
)
def test_DIFF_31_fingerprint(rule: str, one: str, other: str, same: bool) -> None:
    assert (fingerprint(one) == fingerprint(other)) is same, rule


HOSTILE: list[tuple[str, Callable[[], bytes]]] = [
    ("10 MB of <div>", lambda: b"<div>" * 2_000_000),
    ("an attribute of 1 MB", lambda: b'<a href="/' + b"x" * 1_000_000 + b'">'),
    ("deep nesting", lambda: b"<div>" * 3000 + b'<a href="/deep">' + b"</div>" * 3000),
    ("100,000 attributes", lambda: b"<p " + b" ".join(b"a%d=1" % number for number in range(100_000)) + b">"),
    ("unclosed formatting", lambda: b"<b><i><u>" * 20_000 + b"<p>" * 20_000),
]


@pytest.mark.attack("cost")
@pytest.mark.parametrize(("name", "make"), HOSTILE, ids=[name for name, _ in HOSTILE])
def test_hostile_documents(name: str, make: Callable[[], bytes]) -> None:
    document = read(make(), ("content-type", "text/html"))
    assert document.media_type == "text/html"
    if name == "deep nesting":
        assert list(document.links) == ["https://www.x.com/deep"]
