"""Changes that a fingerprint shows, and volatile ones that it does not (DIFF-31, DIFF-32); words of main text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemap_action.html import extract
from sitemap_action.html import fingerprint as fingerprint_module
from sitemap_action.html.fingerprint import LinkHashes, count_words, join_lines, stable_links, stable_text

LONG = "<p>The committed sitemap is compared with the site, and every page that appears or vanishes is named.</p>"


def fingerprint(markup: str, url: str = "https://x.com/a/") -> str:
    return extract.read(markup.encode(), [("content-type", "text/html; charset=utf-8")], url).facts.fingerprint


SAME = [
    ("nonces", "<script nonce=a1>x()</script>", "<script nonce=b2>x()</script>"),
    ("scripts", "<script>one()</script>", "<script>two()</script>"),
    ("styles", "<style>a{}</style>", "<style>b{}</style>"),
    ("names of assets", "<link rel=stylesheet href=/app.3f2a9c1b.css>", "<link rel=stylesheet href=/app.91ab2c3d.css>"),
    ("hash in a linked asset", "<a href=/guide.3f2a9c1b77.pdf>x</a>", "<a href=/guide.91ab2c3d77.pdf>x</a>"),
    ("cache buster of a linked asset", "<a href=/guide.pdf?v=41>x</a>", "<a href=/guide.pdf?v=42>x</a>"),
    ("token in a link", "<a href='/out?csrf_token=aaa&id=1'>x</a>", "<a href='/out?csrf_token=bbb&id=1'>x</a>"),
    ("session in a link", "<a href='/out;jsessionid=AAA'>x</a>", "<a href='/out;jsessionid=BBB'>x</a>"),
    ("hidden token of a form", "<input type=hidden name=csrf value=a>", "<input type=hidden name=csrf value=b>"),
    ("classes and ids", "<p class=a id=b>x</p>", "<p class=c id=d>x</p>"),
    ("markup round the text", "<p><b>x</b> y</p>", "<div>x <i>y</i></div>"),
    ("white space", "<p>one two</p>", "<p>\n  one\n  two\n</p>"),
    ("comments", "<p>x</p><!-- build 1 -->", "<p>x</p><!-- build 2 -->"),
    ("navigation", "<nav><a href=/1>one</a></nav>", "<nav><a href=/2>two</a></nav>"),
    ("header, footer and aside of the page", "<header>a</header><aside>b</aside>", "<footer>c</footer>"),
    ("navigation by its role", "<div role=navigation>one</div>", "<div role=navigation>two</div>"),
    ("everything outside <main>", "<main>x</main><div>one</div>", "<main>x</main><div>two</div>"),
    ("everything outside role=main", "<div role=main>x</div><div>one</div>", "<div role=main>x</div><div>two</div>"),
    ("everything outside the one article", "<article>x</article><p>one", "<article>x</article><p>two"),
    ("title and description", "<title>a</title><meta name=description content=a>", "<title>b</title>"),
    ("copyright year", "<p>© 2025 Acme</p>", "<p>© 2026 Acme</p>"),
    ("copyright years", "<p>Copyright (c) 2019–2025, Acme</p>", "<p>Copyright (c) 2019–2026, Acme</p>"),
    ("copyright year before the sign", "<p>2025 © Acme</p>", "<p>2026 © Acme</p>"),
    ("English", "<p>Last updated: May 3, 2025 at 10:32 UTC</p>", "<p>Last updated: June 14, 2026 at 09:01 UTC</p>"),
    (
        "in elements of their own",
        "<p>Last modified <time>2025-05-03</time></p>",
        "<p>Last modified <time>2026-06-04</time></p>",
    ),
    ("ISO date and time", "<p>Updated on 2025-05-03T10:00:00Z</p>", "<p>Updated on 2026-06-14T11:22:33Z</p>"),
    ("German", "<p>Zuletzt geändert: 3. Mai 2025, 12:30 Uhr</p>", "<p>Zuletzt geändert: 14. Juni 2026, 09:05 Uhr</p>"),
    ("French", "<p>Mis à jour le 3 mai 2025</p>", "<p>Mis à jour le 14 juin 2026</p>"),
    ("Spanish", "<p>Última actualización: 3 de mayo de 2025</p>", "<p>Última actualización: 4 de junio de 2026</p>"),
    ("Japanese", "<p>最終更新日:2025年5月3日</p>", "<p>最終更新日:2026年6月14日</p>"),
    ("Russian", "<p>Последнее обновление: 3 мая 2025</p>", "<p>Последнее обновление: 14 мая 2026</p>"),
    ("age", "<p>posted 3 hours ago</p>", "<p>posted 2 days ago</p>"),
    ("German age", "<p>vor 3 Stunden</p>", "<p>vor 2 Tagen</p>"),
    ("build", "<p>Build: 3f2a9c1b</p>", "<p>Build: 91ab2c3d</p>"),
    ("rendering time", "<p>Generated in 0.032 s</p>", "<p>Generated in 1.4 ms</p>"),
    (
        "date of the structured data",
        '<script type=application/ld+json>{"headline":"a","dateModified":"2025-05-03"}</script>',
        '<script type=application/ld+json>{ "headline": "a", "dateModified": "2026-06-14" }</script>',
    ),
    ("order of links", "<p><a href=/1>x</a> <a href=/2>x</a>", "<p><a href=/2>x</a> <a href=/1>x</a>"),
    ("spelling of a link", "<a href=/a/b>x</a>", "<a href=https://x.com/a/%62>x</a>"),
]

DIFFERENT = [
    ("a word", "<p>one</p>", "<p>two</p>"),
    ("a number", "<p>costs 10</p>", "<p>costs 12</p>"),
    ("a date that is content", "<p>The fair opens on 12 March 2026</p>", "<p>The fair opens on 19 March 2026</p>"),
    ("a year that is content", "<p>founded in 1998</p>", "<p>founded in 1999</p>"),
    ("a version", "<p>Updated to 3.12</p>", "<p>Updated to 3.13</p>"),
    ("what follows a date", "<p>Last updated 3 May 2026. One item</p>", "<p>Last updated 3 May 2026. Two items</p>"),
    ("a link's target", "<a href=/1>x</a>", "<a href=/2>x</a>"),
    ("a link's query", "<a href=/a?id=1>x</a>", "<a href=/a?id=2>x</a>"),
    ("a dated page", "<a href=/report-20260101.html>x</a>", "<a href=/report-20260201.html>x</a>"),
    ("a mail address", "<a href=mailto:a@x.com>x</a>", "<a href=mailto:b@x.com>x</a>"),
    ("text in main", "<main>one</main>", "<main>two</main>"),
    ("an aside in main", "<main>x<aside>one</aside></main>", "<main>x<aside>two</aside></main>"),
    ("a header in an article", "<article><header>one</header></article>", "<article><header>two</header></article>"),
    ("one of several articles", "<article>a</article><article>b</article>", "<article>a</article><article>c</article>"),
    ("the body where main is empty", "<main></main><p>one</p>", "<main></main><p>two</p>"),
    (
        "structured data",
        '<script type=application/ld+json>{"price":"10"}</script>',
        '<script type=application/ld+json>{"price":"12"}</script>',
    ),
]


@pytest.mark.parametrize(("one", "other"), [row[1:] for row in SAME], ids=[f"DIFF-31 {row[0]}" for row in SAME])
def test_same(one: str, other: str) -> None:
    assert one != other
    assert fingerprint(one + LONG) == fingerprint(other + LONG)


@pytest.mark.parametrize(
    ("one", "other"), [row[1:] for row in DIFFERENT], ids=[f"DIFF-32 {row[0]}" for row in DIFFERENT]
)
def test_different(one: str, other: str) -> None:
    assert fingerprint(one + LONG) != fingerprint(other + LONG)


def test_ENV_01_a_preview_has_the_fingerprint_of_production() -> None:
    markup = "<a href=/b>x</a><a href=https://other.com/>y</a>" + LONG
    assert fingerprint(markup, "https://www.x.com/a/") == fingerprint(markup, "https://pr-7--x.example.net/a/")


def test_a_fingerprint_is_the_same_in_every_run() -> None:
    """It is stored beside the sitemap from run to run; another hash would report every page as changed."""
    assert fingerprint("<p>one <a href=/two>two</a>") == "70f18647b02b6f40"


WORDS = [
    ("no text", "", 0),
    ("one", "word", 1),
    ("English", "one two  three\nfour", 4),
    ("punctuation", "it's, e.g. well-known — yes", 5),
    ("Chinese, two letters a word", "网站地图", 2),
    ("Japanese among English", "Hello 世界 again", 3),
    ("Korean has spaces", "안녕 세계", 2),
    ("accents", "déjà vu à l'été", 4),
]


@pytest.mark.parametrize(("text", "expected"), [row[1:] for row in WORDS], ids=[row[0] for row in WORDS])
def test_words(text: str, expected: int) -> None:
    assert count_words(text.encode()) == expected


LAYOUT = [
    ("one line", "one two", "one two"),
    ("line breaks", "one\ntwo\r\nthree\rfour", "one two three four"),
    ("indentation", "one\n    two  \n\n\tthree\n", "one two three"),
    ("no line break", "one  two", "one  two"),
    ("nothing but breaks", "\n \n", ""),
]


@pytest.mark.parametrize(("text", "expected"), [row[1:] for row in LAYOUT], ids=[f"DIFF-31 {row[0]}" for row in LAYOUT])
def test_unwrapped(text: str, expected: str) -> None:
    assert join_lines(text.encode()) == expected.encode()


def test_the_total_of_link_hashes_does_not_depend_on_the_cache() -> None:
    """The cache is bounded, and its content changes no result."""
    addresses = {"https://x.com/a.css?v=1", "https://x.com/b", "https://other.com/b", "mailto:a\nb@x.com", "/b"}
    expected = LinkHashes("https://x.com").total(addresses)
    hashes = LinkHashes("https://x.com")
    for number in range(9):
        hashes.total({f"https://x.com/{number}/{n}" for n in range(10_000)} | {"https://x.com/b"})
    assert hashes.total({"x" * 10_000, "https://x.com/c"}) == hashes.total({"x" * 10_000, "https://x.com/c"})
    assert len(hashes._cache) <= 50_001
    assert max(map(len, hashes._cache)) <= 512
    assert hashes.total(addresses) == expected
    assert hashes.total({"https://x.com/b"}) == LinkHashes("https://y.com").total({"https://y.com/b"})
    assert hashes.total(set()) == 0


def test_words_of_adjacent_elements_are_separate() -> None:
    facts = extract.read(
        b"<h1>one</h1><p>two<br>three</p><ul><li>four<li>five</ul><nav>six</nav>", (), "https://x.com/"
    ).facts
    assert facts.words == 5


PIECES = st.sampled_from(
    [
        "word ",
        "  ",
        "\n",
        "é–世 ",
        "© ",
        "2026",
        "copyright ",
        "last updated ",
        "3 May 2026",
        "build ",
        "ab12cd34 ",
        "5 days ago ",
        "x" * 300,
    ]
)


@given(st.lists(PIECES | st.text(), max_size=40).map("".join))
def test_only_text_near_digits_can_be_volatile(text: str) -> None:
    """The search near digits finds what a search of the whole text finds."""
    raw = text.encode(errors="replace")
    assert stable_text(raw) == fingerprint_module._IN_TEXT.sub(b"", raw)
    assert join_lines(stable_text(raw)).split() == stable_text(raw).split()


@given(st.binary())
def test_never_raises(data: bytes) -> None:
    assert len(stable_text(data)) <= len(data)
    assert len(stable_links(data)) <= len(data)
