"""The facts of one document, rule by rule (spec section 4)."""

import pickle
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from html_pages import Facts, is_noindex, read, read_with
from sitemap_action.html import extract
from sitemap_action.html.document import OptionalFacts, RawDocument

URL = "https://x.com/dir/page"


def facts(markup: str, *headers: tuple[str, str]) -> Facts:
    return read(markup, *headers).facts


NOINDEX = [
    # markup, noindex for Google and Bing
    ("HTML-01 all robots", "<meta name=robots content=noindex>", True),
    ("HTML-01 Google", "<meta name=googlebot content=noindex>", True),
    ("HTML-01 another robot", "<meta name=otherbot content=noindex>", False),
    ("HTML-01 a description that speaks of it", "<meta name=description content='about noindex, none'>", False),
    ("HTML-02 single quotes, capitals, order", "<META CONTENT='NoIndex' NAME=ROBOTS>", True),
    ("HTML-02 double quotes", '<meta name="robots" content="noindex">', True),
    ("HTML-02 none", '<meta name="robots" content="none">', True),
    ("HTML-02 spaces round the name", '<meta name=" robots " content="noindex">', True),
    ("HTML-02 as property", "<meta property=robots content=noindex>", False),
    ("HTML-02 over several lines", "<meta\nname\n=\nrobots\ncontent\n=\n'nofollow,\nnoindex'>", True),
    ("HTML-02 entities", "<meta name=robots content=&#110;oindex>", True),
    ("HTML-03 the last of several tags", "<meta name=robots content=nofollow><meta name=robots content=noindex>", True),
    ("HTML-04 all cancels nothing", "<meta name=robots content=noindex><meta name=googlebot content=all>", True),
    ("HTML-05 nosnippet", "<meta name=robots content='nosnippet, noarchive'>", False),
    ("HTML-06 a passed date", "<meta name=robots content='unavailable_after: Saturday, 25-Jun-10 15:00:00 PST'>", True),
    ("HTML-06 a date to come", "<meta name=robots content='unavailable_after: 2099-01-01'>", False),
    ("HTML-07 indexifembedded", "<meta name=robots content='noindex, indexifembedded'>", True),
    ("HTML-08 in the body", "<body><p>x<meta name=robots content=noindex>", True),
    ("HTML-08 after the end of the body", "</body></html><meta name=robots content=noindex>", True),
    ("HTML-08 in SVG, which it ends", "<svg><meta name=robots content=noindex></svg>", True),
    ("HTML-09 in a template", "<template><meta name=robots content=noindex></template>", False),
    ("HTML-09 in a template in a template", "<template><template></template><meta name=robots content=noindex></template>", False),
    ("HTML-09 in a comment", "<!-- <meta name=robots content=noindex> -->", False),
    ("HTML-09 behind a comment that ends at once", "<!--><meta name=robots content=noindex>", True),
    ("HTML-09 in a script", "<script>'<meta name=robots content=noindex>'</script>", False),
    ("HTML-09 in a title", "<title><meta name=robots content=noindex></title>", False),
    ("HTML-09 in a text area", "<textarea><meta name=robots content=noindex></textarea>", False),
    ("HTML-09 in an attribute", "<p title='<meta name=robots content=noindex>'>", False),
    ("HTML-09 in a noscript of the head", "<head><noscript><meta name=robots content=noindex></noscript></head>", True),
    ("HTML-09 in a noscript of the body", "<body><noscript><meta name=robots content=noindex></noscript>", False),
    ("HTML-09 in a comment in a noscript", "<head><noscript><!-- <meta name=robots content=noindex> --></noscript>", False),
    ("peers: a class that contains amp", "<html class=example><p>x", False),
    ("peers: minified", "<!doctype html><title>x</title><meta name=robots content=noindex><p>x", True),
    ("without a closing bracket", "<meta name=robots content=noindex", False),
    ("without content", "<meta name=robots>", False),
]  # fmt: skip


@pytest.mark.parametrize(("markup", "noindex"), [row[1:] for row in NOINDEX], ids=[row[0] for row in NOINDEX])
def test_noindex(markup: str, noindex: bool) -> None:
    assert is_noindex(facts(markup)) is noindex


def test_HTML_13_header_and_meta_add_up() -> None:
    found = facts("<meta name=robots content=index>", ("x-robots-tag", "nofollow"), ("x-robots-tag", "noindex"))
    assert [(one.rule, one.source) for one in found.head.directives] == [
        ("nofollow", "header"),
        ("noindex", "header"),
        ("index", "meta"),
    ]
    assert is_noindex(found)


def test_HTML_11_headers_of_a_file_of_any_type() -> None:
    headers = [("content-type", "application/pdf"), ("x-robots-tag", "noindex"), ("link", "</a.pdf>; rel=canonical")]
    found = extract.read(b"%PDF <meta name=robots content=none>", headers, URL)
    assert [one.rule for one in found.facts.head.directives] == ["noindex"]
    assert [one.url for one in found.facts.head.canonicals] == ["https://x.com/a.pdf"]
    assert (found.media_type, found.links, found.related) == ("application/pdf", (), ("https://x.com/a.pdf",))
    assert (found.facts.size, found.facts.fingerprint, found.facts.shell) == (36, "", None)


HEADS = [
    # markup, canonicals as (URL, why it is ignored)
    ("HTML-20 in the head", "<head><link rel=canonical href=/a></head>", [("https://x.com/a", "")]),
    ("HTML-20 a list of relations", "<link rel='Alternate CANONICAL' href=/a>", [("https://x.com/a", "")]),
    ("HTML-20 no quotes, no head tag", "<title>x</title><link href=/a rel=canonical>", [("https://x.com/a", "")]),
    ("HTML-20 in the body", "<head></head><body><link rel=canonical href=/a>", [("https://x.com/a", "in <body>")]),
    ("HTML-20 deep in the body", "<body><div><p><link rel=canonical href=/a>", [("https://x.com/a", "in <body>")]),
    (
        "HTML-20 two in the body",
        "<body><link rel=canonical href=/a><p><link rel=canonical href=/b>",
        [("https://x.com/a", "in <body>"), ("https://x.com/b", "in <body>")],
    ),
    ("HTML-20 another relation", "<link rel=canonicals href=/a>", []),
    ("HTML-20 in a comment", "<!--<link rel=canonical href=/a>-->", []),
    ("HTML-20 in a template", "<template><link rel=canonical href=/a></template>", []),
    ("HTML-21 before an image", "<head><link rel=canonical href=/a><img src=p>", [("https://x.com/a", "")]),
    ("HTML-21 after an image", "<head><img src=p><link rel=canonical href=/a></head><body>", [("https://x.com/a", "after <img>")]),
    ("HTML-21 after an iframe", "<head><iframe></iframe><link rel=canonical href=/a>", [("https://x.com/a", "after <iframe>")]),
    ("HTML-21 after a paragraph", "<head><p>x<link rel=canonical href=/a></head>", [("https://x.com/a", "after <p>")]),
    ("HTML-21 after an unknown element", "<head><my-head></my-head><link rel=canonical href=/a>", [("https://x.com/a", "after <my-head>")]),
    ("HTML-21 after text", "<head>x<link rel=canonical href=/a></head>", [("https://x.com/a", "after text")]),
    ("HTML-21 after white space", "<head> \n <link rel=canonical href=/a></head>", [("https://x.com/a", "")]),
    ("HTML-21 after a no-break space", "<head>&nbsp;<link rel=canonical href=/a>", [("https://x.com/a", "after text")]),
    ("HTML-21 after an element that is allowed in the head",
     "<title>x</title><meta name=a><link rel=icon><script></script><style></style><base><noscript></noscript><template></template><link rel=canonical href=/a>",
     [("https://x.com/a", "")]),
    ("HTML-21 after bgsound, which the tree allows", "<head><bgsound><link rel=canonical href=/a>", [("https://x.com/a", "after <bgsound>")]),
    ("HTML-21 after noframes", "<head><noframes></noframes><meta name=x><link rel=canonical href=/a>", [("https://x.com/a", "after <noframes>")]),
    ("HTML-21 before bgsound", "<head><link rel=canonical href=/a><bgsound>", [("https://x.com/a", "")]),
    ("HTML-21 between head and body", "<head></head><link rel=canonical href=/a><body>", [("https://x.com/a", "")]),
    ("HTML-21 in a second head", "<head></head><head><link rel=canonical href=/a></head><body>", [("https://x.com/a", "")]),
    ("HTML-21 in a second head, after the body began", "<head></head>\n<body><head><link rel=canonical href=/a></head>", [("https://x.com/a", "in <body>")]),
    ("HTML-21 in a second head, capitals", "<HEAD></HEAD>\n<HEAD>\n<LINK REL=CANONICAL HREF=/a></HEAD>", [("https://x.com/a", "")]),
    ("HTML-21 after an image behind the head", "<head></head><img><link rel=canonical href=/a>", [("https://x.com/a", "after <img>")]),
    ("HTML-21 after a noscript with an image", "<head><noscript><img src=p></noscript><link rel=canonical href=/a>", [("https://x.com/a", "")]),
    ("HTML-21 in a noscript of the head", "<head><noscript><link rel=canonical href=/a></noscript>", [("https://x.com/a", "")]),
    ("HTML-21 after an image in a noscript", "<head><noscript><img><link rel=canonical href=/a></noscript>", [("https://x.com/a", "after <img>")]),
    ("HTML-21 in a noscript of the body", "<body><noscript><link rel=canonical href=/a></noscript>", []),
    ("HTML-21 body in a comment", "<head><!-- <body> --><img><link rel=canonical href=/a>", [("https://x.com/a", "in <body>")]),
    ("HTML-22 media", "<link rel=canonical media=print href=/a>", [("https://x.com/a", "has media")]),
    ("HTML-22 without a value", "<link rel=canonical hreflang href=/a>", [("https://x.com/a", "has hreflang")]),
    ("HTML-23 relative to the base", "<base href=/b/><link rel=canonical href=a>", [("https://x.com/b/a", "")]),
    ("HTML-23 a base of another host", "<base href=https://staging/><link rel=canonical href=/a>", [("https://staging/a", "")]),
    ("HTML-23 the page itself behind a base", "<base href=https://staging/><link rel=canonical href=https://x.com/dir/page>", [(URL, "")]),
    ("HTML-25 two", "<link rel=canonical href=/a><link rel=canonical href=/b>", [("https://x.com/a", ""), ("https://x.com/b", "")]),
    ("HTML-27 a file", "<link rel=canonical href=file:///usr/share/doc/x.html>", [("", "file: URL")]),
    ("HTML-27 no href", "<link rel=canonical>", [("", "empty href")]),
    ("duplicate attributes: the first counts", "<link rel=canonical href=/a href=/b rel=next>", [("https://x.com/a", "")]),
]  # fmt: skip


@pytest.mark.parametrize(("markup", "expected"), [row[1:] for row in HEADS], ids=[row[0] for row in HEADS])
def test_canonical(markup: str, expected: list[tuple[str, str]]) -> None:
    assert [(one.url, one.ignored) for one in facts(markup).head.canonicals] == expected


def test_HTML_20_header_and_link() -> None:
    found = facts("<base href=/base/><link rel=canonical href=a>", ("link", '<b>; rel="canonical"'))
    assert found.head.canonicals == (
        ("b", "https://x.com/dir/b", "header", "", False),  # a header knows no <base>
        ("a", "https://x.com/base/a", "link", "", False),
    )


CANONICAL_HEADERS = [
    ("HTML-33 plain", "</a>; rel=canonical", [("https://x.com/a", "")]),
    ("HTML-33 a list of relations", '</a>; rel="alternate canonical"', [("https://x.com/a", "")]),
    ("HTML-33 a comma in the target", "</a,b>; rel=canonical", [("https://x.com/a,b", "")]),
    ("HTML-33 an anchor elsewhere", '</a>; rel=canonical; anchor="/b"', []),
    ("HTML-33 an anchor in the page", '</a>; rel=canonical; anchor="#b"', []),
    ("HTML-33 an anchor that is the page", '</a>; rel=canonical; anchor="page"', [("https://x.com/a", "")]),
    ("HTML-22 of a language", "</a>; rel=canonical; hreflang=de", [("https://x.com/a", "has hreflang")]),
    ("HTML-27 a fragment", "</a#b>; rel=canonical", [("https://x.com/a", "has a fragment")]),
    ("another relation", "</a>; rel=preload", []),
]


@pytest.mark.parametrize(
    ("value", "expected"), [row[1:] for row in CANONICAL_HEADERS], ids=[row[0] for row in CANONICAL_HEADERS]
)
def test_canonical_header(value: str, expected: list[tuple[str, str]]) -> None:
    assert [(one.url, one.ignored) for one in facts("", ("link", value)).head.canonicals] == expected


REFRESHES = [
    ("HTML-42 at once", "<meta http-equiv=refresh content='0; URL=\"/b\"'>", (0, "https://x.com/b")),
    ("HTML-42 later, in the body", "<body><p><meta http-equiv=Refresh content='5;url=b'>", (5, "https://x.com/dir/b")),
    ("HTML-42 relative to the base", "<base href=/b/><meta http-equiv=refresh content='0;url=c'>", (0, "https://x.com/b/c")),
    ("HTML-42 a bare number", "<meta http-equiv=refresh content=5>", None),
    ("HTML-42 itself", "<meta http-equiv=refresh content='0;url=page#top'>", None),
    ("HTML-42 the first valid one", "<meta http-equiv=refresh content=x><meta http-equiv=refresh content='0;/a'><meta http-equiv=refresh content='0;/b'>", (0, "https://x.com/a")),
    ("HTML-42 in a comment", "<!-- <meta http-equiv=refresh content='0;/b'> -->", None),
    ("HTML-09 for those without scripts", "<head><noscript><meta http-equiv=refresh content='0;/b'></noscript>", None),
]  # fmt: skip


@pytest.mark.parametrize(("markup", "expected"), [row[1:] for row in REFRESHES], ids=[row[0] for row in REFRESHES])
def test_refresh(markup: str, expected: tuple[int, str] | None) -> None:
    assert facts(markup).refresh == expected


def test_HTML_42_the_header_comes_first() -> None:
    assert facts("<meta http-equiv=refresh content='0;/b'>", ("refresh", "1;url=/h")).refresh == (1, "https://x.com/h")
    assert extract.read_headers([("refresh", "0;/h")], URL).facts.refresh == (0, "https://x.com/h")


LINKS = [
    ("HTML-60 a and area", "<a href=/a>x</a><map><area href=/b></map><a href=/c>", ["/a", "/b", "/c"]),
    ("HTML-60 only href", "<a onclick=\"goto('/x')\">x</a><span href=/y>y</span><a routerLink=/z><button formaction=/w>", []),
    ("HTML-60 href beside onclick", "<a href=./x onclick='no()'>x</a>", ["/dir/x"]),
    ("HTML-60 in SVG", "<svg><a href=/a></a></svg>", ["/a"]),
    ("HTML-60 in a table, where no link is allowed", "<table><a href=/a>x</a><tr><td><a href=/b>y</a></table>", ["/a", "/b"]),
    ("HTML-60 in a noscript of the body", "<body><noscript><a href=/a>x</a></noscript><a href=/b>", ["/b", "/a"]),
    ("HTML-60 not in template, comment, script, title, textarea, iframe",
     "<title><a href=/1></title><template><a href=/2></template><!--<a href=/3>--><script>'<a href=/4>'</script><textarea><a href=/5></textarea><iframe><a href=/6></iframe>", []),
    ("HTML-61 the first base", "<base href=/docs/><base href=/other/><a href=a>", ["/docs/a"]),
    ("HTML-61 a base without href", "<base target=_blank><base href=/docs/><a href=a>", ["/docs/a"]),
    ("HTML-61 a base in the body, after the link", "<a href=a>x</a><p><base href=/docs/>", ["/docs/a"]),
    ("HTML-61 a base that can be none", "<base href=data:x><base href=/docs/><a href=a>", ["/dir/a"]),
    ("HTML-61 a script as base", "<base href=javascript:x><a href=a>", ["/dir/a"]),
    ("HTML-61 an empty base", "<base href><a href=a>", ["/dir/a"]),
    ("HTML-62 white space round and inside", "<a href=' /x\n'>a</a><a href='/y\t/\nz'>b</a>", ["/x", "/y/z"]),
    ("HTML-62 backslashes", "<a href='\\x\\y'>a</a>", ["/x/y"]),
    ("HTML-62 entities once", "<a href='/?a=1&amp;b=2&amp;amp;c'>", ["/?a=1&b=2&amp;c"]),
    ("HTML-62 non-ASCII", "<a href='/ünï?ö'>", ["/%C3%BCn%C3%AF?%C3%B6"]),
    ("HTML-63 other schemes",
     "<a href=javascript:x()><a href=mailto:a@x.com><a href=tel:1><a href=data:,x><a href=blob:x><a href=about:blank><a href=ftp://x.com/><a href=file:///x>", []),
    ("HTML-63 empty", "<a href><a href=''><a href=' '>", []),
    ("HTML-63 a place on this page", "<a href=#top><a href=#>", []),
    ("HTML-63 a place on the base", "<base href=/b/><a href=#top>", ["/b/"]),
    ("each URL once, in order", "<a href=/b><a href=/a><a href=/b#x><a href=../b><a href=//x.com/a>", ["/b", "/a"]),
    ("HTML-67 frames, forms, images are no links", "<iframe src=/1></iframe><form action=/2></form><img src=/3 srcset='/4 2x'><link rel=stylesheet href=/5>", []),
    ("after a link that is never closed", "<a href=/a><div><a href=/b><p><a href=/c>", ["/a", "/b", "/c"]),
]  # fmt: skip


@pytest.mark.parametrize(("markup", "expected"), [row[1:] for row in LINKS], ids=[row[0] for row in LINKS])
def test_links(markup: str, expected: list[str]) -> None:
    assert read(markup).links == tuple(f"https://x.com{path}" for path in expected)


def test_links_to_other_sites_are_included() -> None:
    assert read("<a href=//y.com/a>x</a><a href=http://x.com/b>y</a>").links == (
        "https://y.com/a",
        "http://x.com/b",
    )


def test_HTML_65_nofollow_of_a_link() -> None:
    found = read(
        "<a href=/a rel='ugc,nofollow'>x</a><a href=/b rel=sponsored>y</a><a href=/b>z</a><area href=/c rel=nofollow><a href=/c#d rel=ugc>"
    )
    assert found.links == ("https://x.com/a", "https://x.com/b", "https://x.com/c")
    assert found.nofollow == {"https://x.com/a", "https://x.com/c"}


@pytest.mark.parametrize(
    ("agents", "nofollow"), [(("googlebot", "bingbot"), True), (("Googlebot",), True), (("bingbot",), False)]
)
def test_HTML_65_nofollow_of_the_page(agents: Sequence[str], nofollow: bool) -> None:
    markup = b"<meta name=googlebot content=nofollow><a href=/a>x</a>"
    found = extract.read(markup, (), URL, agents=agents)
    assert found.links == ("https://x.com/a",)
    assert found.nofollow == ({"https://x.com/a"} if nofollow else set())


def test_HTML_64_hash_routes() -> None:
    assert facts("<a href=#/products>x</a><a href='/#!/about'>y</a><a href=#top>z</a>").links.hash_routes == 2


RELATED = [
    ("HTML-66 next, prev", "<link rel=next href=/2><link rel=prev href=/0><link rel=previous href=/00>", ["/2", "/0", "/00"]),
    ("HTML-66 canonical", "<link rel=canonical href=/c>", ["/c"]),
    ("V-36 a canonical that does not count", "<link rel=canonical href=/c#x><link rel=canonical media=print href=/d><p><link rel=canonical href=/e>", []),
    ("HTML-66 language versions", "<link rel=alternate hreflang=de href=/de><link rel=alternate type=application/rss+xml href=/f>", ["/de"]),
    ("HTML-66 in the body", "<body><p><link rel=next href=/2>", ["/2"]),
    ("HTML-66 each once", "<link rel='next canonical' href=/2><link rel=next href=2>", ["/2", "/dir/2"]),
    ("HTML-66 nothing else", "<link rel=stylesheet href=/a.css><link rel=icon href=/i><link rel=next href=mailto:x>", []),
]  # fmt: skip


@pytest.mark.parametrize(("markup", "expected"), [row[1:] for row in RELATED], ids=[row[0] for row in RELATED])
def test_related(markup: str, expected: list[str]) -> None:
    found = read(markup)
    assert found.related == tuple(f"https://x.com{path}" for path in expected)
    assert found.links == ()


def test_HTML_66_related_urls_of_a_Link_header() -> None:
    value = '</2>; rel=next, <de>; rel=alternate; hreflang=de, </p.css>; rel=preload, </c>; rel="canonical"'
    assert read("", ("link", value)).related == ("https://x.com/2", "https://x.com/dir/de", "https://x.com/c")


ALTERNATES = [
    ("HL-01 as written", "<link rel=alternate hreflang=de-AT href=/at>", [("de-AT", "/at")]),
    ("HL-01 x-default", "<link rel='Alternate' hreflang=x-default href=/>", [("x-default", "/")]),
    ("HTML-21 after an image", "<head><link rel=alternate hreflang=a href=/a><img><link rel=alternate hreflang=b href=/b>", [("a", "/a")]),
    ("no language", "<link rel=alternate href=/a><link rel=alternate hreflang='' href=/b>", []),
    ("no page", "<link rel=alternate hreflang=de href=mailto:x>", []),
]  # fmt: skip


@pytest.mark.parametrize(("markup", "expected"), [row[1:] for row in ALTERNATES], ids=[row[0] for row in ALTERNATES])
def test_alternates(markup: str, expected: list[tuple[str, str]]) -> None:
    assert facts(markup).head.alternates == tuple((language, f"https://x.com{path}") for language, path in expected)


IMAGES = [
    ("HTML-67 src", "<img src=p.jpg>", ["/dir/p.jpg"]),
    ("HTML-67 the first candidate", "<img srcset='/p-400.jpg 400w, /p-800.jpg 800w'>", ["/p-400.jpg"]),
    ("HTML-67 both", "<img src=/p.jpg srcset='/p-2x.jpg 2x'>", ["/p.jpg", "/p-2x.jpg"]),
    ("HTML-67 og:image", "<meta property=og:image content=/o.jpg>", ["/o.jpg"]),
    ("HTML-67 in a noscript beside a placeholder", "<img src=data:,x><noscript><img src=/p.jpg></noscript>", ["/p.jpg"]),
    ("HTML-67 commas of a candidate", "<img srcset=' , /a,b.jpg, /c.jpg 2x'>", ["/a,b.jpg"]),
    ("HTML-67 each once", "<img src=/p.jpg><img src=/p.jpg#x><img src=../p.jpg>", ["/p.jpg"]),
    ("HTML-67 of one pixel", "<img src=/1 width=1><img src=/2 height=' 0 '><img src=/3 width=1px><img src=/p.jpg width=100%>", ["/p.jpg"]),
    ("HTML-67 of the furniture", "<header><a><img src=/1></a></header><nav><img src=/2></nav><aside><img src=/3></aside><footer><img src=/4></footer><img src=/p.jpg>", ["/p.jpg"]),
    ("HTML-67 of an article", "<main><header><img src=/a.jpg></header></main><article><footer><img src=/b.jpg></footer><nav><img src=/1></nav></article>", ["/a.jpg", "/b.jpg"]),
    ("HTML-67 of a section of the furniture", "<header><section><img src=/1></section></header><nav><article><img src=/2></article></nav>", []),
    ("HTML-67 nothing", "<img><img src><img srcset=' , '><img alt=x>", []),
]  # fmt: skip


@pytest.mark.parametrize(("markup", "expected"), [row[1:] for row in IMAGES], ids=[row[0] for row in IMAGES])
def test_images(markup: str, expected: list[str]) -> None:
    found = read(markup)
    assert found.facts.media.images == tuple(f"https://x.com{path}" for path in expected)
    assert found.links == ()


TITLES = [
    ("plain", "<title> One\n two </title>", "One two"),
    ("entities", "<title>A &amp; B</title>", "A & B"),
    ("the first of two", "<title>a</title><title>b</title>", "a"),
    ("in the body", "<p>x<title>a</title>", "a"),
    ("not that of a drawing", "<svg><title>drawing</title></svg>", ""),
    ("not that of a drawing before it", "<svg><title>drawing</title></svg><title>page</title>", "page"),
    ("none", "<p>x", ""),
]


@pytest.mark.parametrize(("markup", "expected"), [row[1:] for row in TITLES], ids=[row[0] for row in TITLES])
def test_title(markup: str, expected: str) -> None:
    assert facts(markup).head.title == expected


SCRIPTS = [
    ("HTML-47 location", "<script>location='/b'</script>", "/b"),
    ("HTML-47 location.href", '<script>window.location.href = "https://x.com/b";</script>', "https://x.com/b"),
    ("HTML-47 replace", "<script>if(1){document.location.replace('/b')}</script>", "/b"),
    ("HTML-47 assign", "<script>location . assign ( '/b' )</script>", "/b"),
    ("HTML-47 compared, not assigned", "<script>if(location=='/b'){}; location.hash='#x'</script>", ""),
    ("HTML-47 a page with text", "<script>location='/b'</script><p>" + "word " * 30, ""),
    ("HTML-47 data", "<script type=application/json>location='/b'</script>", ""),
]


@pytest.mark.parametrize(("markup", "expected"), [row[1:] for row in SCRIPTS], ids=[row[0] for row in SCRIPTS])
def test_script_redirect(markup: str, expected: str) -> None:
    assert facts(markup).script_redirect == expected


TYPES = [
    ("HTML-48 HTML", "text/html; charset=utf-8", "text/html", True),
    ("HTML-48 XHTML", "application/xhtml+xml", "application/xhtml+xml", True),
    ("HTML-48 capitals", "TEXT/HTML", "text/html", True),
    ("HTML-48 not stated", "", "text/html", True),
    ("HTML-48 text", "text/plain", "text/plain", False),
    ("HTML-48 style", "text/css", "text/css", False),
    ("HTML-48 XML", "application/xml", "application/xml", False),
]


@pytest.mark.parametrize(("sent", "media_type", "parsed"), [row[1:] for row in TYPES], ids=[row[0] for row in TYPES])
def test_media_type(sent: str, media_type: str, parsed: bool) -> None:
    found = read("<title>x</title>", ("content-type", sent))
    assert (found.media_type, found.facts.head.title) == (media_type, "x" if parsed else "")


def test_HTML_50_the_encoding_of_the_header() -> None:
    body = "<title>Карта сайта</title><a href='/карта'>x</a>".encode("windows-1251")
    found = extract.read(body, [("content-type", "text/html; charset=windows-1251")], URL)
    assert found.facts.head.title == "Карта сайта"
    assert found.links == ("https://x.com/%D0%BA%D0%B0%D1%80%D1%82%D0%B0",)


def test_HTML_49_the_size_is_that_of_the_bytes() -> None:
    assert facts("é" * 100).size == 200


def test_base_is_a_fact() -> None:
    assert facts("").base == URL
    assert facts("<base href='/b/?q#f'>").base == "https://x.com/b/?q"
    assert facts("<base href=mailto:a@x.com>").base == "mailto:a@x.com"


def test_what_pages_share_changes_nothing() -> None:
    markup = b"<a href=/a>x</a><a href=b>y</a><a href=?q>z</a><img src=i.png><link rel=next href=2>"
    urls = ("https://x.com/dir/page", "https://x.com/dir/other", "https://x.com/up", "https://y.com/dir/page")
    together = extract.read_all([RawDocument(markup, (), url) for url in urls])
    assert list(together) == [extract.read(markup, (), url) for url in urls]


HTML, PDF = (("content-type", "text/html"),), (("content-type", "application/pdf"),)


@pytest.mark.parametrize("count", [0, 1, 4, 5, 9])
@pytest.mark.parametrize("size", [0, 300_000, 600_000, 2_000_000])
def test_batches_do_not_change_results(count: int, size: int) -> None:
    bases = (b"<base href=https://y.com/b/>", b"", b"<base href=../c/>")
    answers = [
        RawDocument(
            bases[at % 3] + b"<title>%d</title><a href=/%d>x</a><img src=i>" % (at, at % 4) + b" " * size * (at % 2),
            (HTML, PDF)[at % 5 == 1],
            f"https://x.com/{at}/",
        )
        for at in range(count)
    ]
    assert list(extract.read_all(answers)) == [extract.read(*answer[:3]) for answer in answers]


WORD = st.sampled_from(
    ["word ", "世界", "é ", "\n", "<p>", "<br>", "x" * 300, "y " * 300, "<script>z</script>", "<nav>n</nav>"]
)
AROUND = st.sampled_from(
    ["{}", "<main>{}</main>", "<main> </main>{}", "<article>{}</article>", "<body role=main>{}", ""]
)


@given(AROUND, st.lists(WORD, max_size=12).map("".join))
def test_optional_facts_are_empty_unless_requested(around: str, text: str) -> None:
    body = ("<time>2026</time><img src=i><a href=/a>x</a>" + around.format(text)).encode()
    whole = extract.read(body, HTML, URL)
    found = read_with(body)
    may_be_error = whole.facts.words < 50  # HTML-71
    fingerprint = whole.facts.fingerprint if may_be_error else ""
    assert found == replace(
        whole, facts=whole.facts._replace(fingerprint=fingerprint, media=((), (), ()), dates=(), digest="")
    )
    assert whole.facts.media.images
    assert whole.facts.dates
    for name in (name for name in OptionalFacts._fields if hasattr(whole.facts, name)):
        found = read_with(body, name)
        assert getattr(found.facts, name) == getattr(whole.facts, name)
    found = read_with(body, "images")
    assert found.facts.media.images == whole.facts.media.images


def test_batches_are_small() -> None:
    large, half = 2 << 20, 400_000
    sizes = [1, 1, 1, 1, 1, large, 1, large, large, half, half, half]
    together = extract.batches([RawDocument(b" " * size, (), URL) for size in sizes])
    found = [[len(raw.body) for raw in batch] for batch in together]
    assert found == [[1] * 4, [1], [large], [1], [large], [large], [half] * 2, [half]]


def test_the_result_is_plain_values() -> None:
    document = read(
        "<a href=/a rel=nofollow>x</a><link rel=canonical href=/c><time>2026</time>", ("x-robots-tag", "none")
    )
    assert pickle.loads(pickle.dumps(document)) == document
    assert all(type(link) is str for link in document.links)
