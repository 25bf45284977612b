"""The fast path emits exactly the events of the parser."""

import random
from collections.abc import Iterator

import pytest

from examples import share
from sitemap_action.model.sitemap import Entry, SitemapEvent
from sitemap_action.sitemap import body as fast_entries
from sitemap_action.sitemap.body import match_entries
from sitemap_action.sitemap.read import read

NS = "http://www.sitemaps.org/schemas/sitemap/0.9"
ROOTS = (
    (f'<urlset xmlns="{NS}">', "</urlset>"),
    ("<urlset>", "</urlset>"),
    (f'<s:urlset xmlns:s="{NS}">', "</s:urlset>"),  # the entries without prefix are in no namespace
    (f'<s:urlset xmlns:s="{NS}" xmlns="{NS}">', "</s:urlset>"),
    (f'<s:urlset xmlns:s="{NS}" xmlns="urn:x">', "</s:urlset>"),
    (f'<sitemapindex xmlns="{NS}">', "</sitemapindex>"),
    ('<rss version="2.0"><channel>', "</channel></rss>"),
)
SIMPLE = "<url><loc>https://x.com/{}</loc></url>\n"
FULL = (
    "<url>\n  <loc>https://x.com/?a={}&amp;b=&quot;&apos;</loc>\n  <lastmod>2024-01-01T00:00:00+02:00</lastmod>\n"
    "  <changefreq>daily</changefreq>\n  <priority>0.5</priority>\n</url>\n"
)
PARTS = (
    *[SIMPLE] * 40,
    *[FULL] * 20,
    "\r\n".join(FULL.split("\n")),
    SIMPLE.replace("\n", "\r"),  # a lone CR is a line end
    "\n\n\t ",
    f"<!-- {SIMPLE} -->",
    f"<!-- {SIMPLE * 30} -->",
    f"<url><!-- {SIMPLE} --></url>",
    f"<url><loc><![CDATA[https://x.com/{SIMPLE}]]></loc></url>",
    f"<![CDATA[ {SIMPLE * 3} ]]>",
    f"<?pi {SIMPLE} ?>",
    f"<x>{SIMPLE}</x>",  # unknown below the root
    f'<x:y xmlns:x="urn:x">{SIMPLE}</x:y>',
    f"<url><loc>https://x.com/{{}}</loc>{SIMPLE}</url>",  # nested
    f"<url><loc>https://x.com/{{}}</loc><x:y xmlns:x='urn:x'>{SIMPLE}</x:y></url>",
    '<url id="1"><loc>https://x.com/{}</loc></url>',
    '<url xmlns="urn:x"><loc>https://x.com/{}</loc></url>',
    "<url><loc>https://x.com/ü{}</loc></url>",
    "<url><loc> https://x.com/{} </loc></url>",
    "<url><loc>https://x.com/{}</loc><lastmod/></url>",
    "<url><lastmod>2024</lastmod><loc>https://x.com/{}</loc></url>",
    "<url><loc>https://x.com/{}</loc><loc>https://x.com/{}</loc></url>",
    "<url><loc>https://x.com/&#97;{}</loc></url>",
    "<url><loc></loc></url>",
    "<url/>",
    "<sitemap><loc>https://x.com/{}</loc></sitemap>",
    "stray",
    "<loc>https://x.com/{}</loc>",
    "<item><link>https://x.com/{}</link></item>",
)
BROKEN = (
    "<url><loc>https://x.com/?a&b</loc></url>",
    "</urlset>",
    "<url>",
    "\x0b",
    "\udcff",
    "<!--",
    "<![CDATA[",
    "<loc>",
)


def parser_only(monkeypatch: pytest.MonkeyPatch, data: bytes) -> list[SitemapEvent]:
    with monkeypatch.context() as patch:
        patch.setattr(fast_entries, "match_entries", lambda *_: 0)
        return list(read(data))


def pieces(data: bytes, size: int) -> Iterator[bytes]:
    return (data[start : start + size] for start in range(0, len(data), size))


def documents(count: int) -> Iterator[tuple[bytes, int]]:
    seed = random.Random(11)
    for _ in range(count):
        head, foot = seed.choice(ROOTS[:1] * 5 + ROOTS)
        parts = [seed.choice(PARTS).replace("{}", str(n)) for n in range(seed.randint(1, 40))]
        if seed.random() < 0.3:
            parts.insert(seed.randrange(len(parts) + 1), seed.choice(BROKEN))
        # The reader peeks at the first 1,024 bytes at once; the rest comes in pieces.
        text = f"<?xml version='1.0'?>\n<!--{' ' * 1000}-->{head}{''.join(parts)}{foot}"
        yield text.encode(errors="surrogateescape"), seed.choice((1, 7, 40, 100, 300, 2000))


def test_fast_path_and_parser_agree_on_any_document(monkeypatch: pytest.MonkeyPatch) -> None:
    used = 0
    original = fast_entries.match_entries

    def counted(*args: object) -> int:
        nonlocal used
        matched = original(*args)  # type: ignore[arg-type]
        used += matched > 0
        return matched

    monkeypatch.setattr(fast_entries, "MAX_ENTRIES", 25)
    count = share(1500)
    for data, size in documents(count):
        expected = parser_only(monkeypatch, data)
        monkeypatch.setattr(fast_entries, "match_entries", counted)
        assert list(read(pieces(data, size))) == expected, (data, size)
    assert used > count * 2 // 3, "the fast path was hardly used"


def test_a_large_simple_file_takes_the_fast_path() -> None:
    body = "".join(FULL.replace("{}", str(n)) for n in range(2000))
    data = f'<urlset xmlns="{NS}">\n{body}</urlset>'.encode()
    found = [event for event in read(data) if isinstance(event, Entry)]
    assert [entry.line for entry in found] == [2 + 6 * n for n in range(2000)]
    assert found[-1] == Entry("https://x.com/?a=1999&b=\"'", "2024-01-01T00:00:00+02:00", "daily", "0.5", line=11_996)


RUNS = (
    # piece, entries, bytes left
    (SIMPLE * 3, 3, 1),
    (SIMPLE + "<url>" + SIMPLE, 1, len(SIMPLE) + 6),
    ("", 0, 0),
    ("</urlset>", 0, 9),
    ("<url><loc>" + "a" * 5000 + "</loc></url>", 0, 5022),  # no URL is that long
    ("<url><loc>" + "a&amp;" * 102 + "</loc></url>", 0, 634),
)


@pytest.mark.parametrize(("piece", "entries", "left"), RUNS)
def test_a_run_ends_at_the_first_entry_that_is_not_simple(piece: str, entries: int, left: int) -> None:
    events: list[SitemapEvent] = []
    matched = match_entries(piece.encode(), 1, events, 100)
    assert (len(events), len(piece) - matched) == (entries, left)


def test_a_run_ends_at_a_limit() -> None:
    events: list[SitemapEvent] = []
    assert match_entries(SIMPLE.encode() * 5, 1, events, 2) == 2 * len(SIMPLE) - 1
    assert [event.line for event in events if isinstance(event, Entry)] == [1, 2]
