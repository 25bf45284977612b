"""Columns of entries with one layout are exactly the entries of the reader, or the file is left to other readers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemap_action.model.sitemap import Entry, Fault
from sitemap_action.sitemap.read import columns, read
from sitemap_action.web.urls import normalize

NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
SIMPLE = "<url><loc>https://x.com/a</loc></url>\n"
OTHER = SIMPLE.replace("/a<", "/b?c=1&amp;d=%C3%BC<")
DATED = "<url><loc>https://x.com/a</loc><lastmod>2024-01-01</lastmod></url>\n"
FULL = (
    "<url>\n  <loc>https://x.com/{}</loc>\n  <lastmod>2024-01-01T00:00:00+02:00</lastmod>\n"
    "  <changefreq>daily</changefreq>\n  <priority>0.5</priority>\n</url>\n"
)
MANY = "".join(FULL.format(n) for n in range(2_000))  # more than one block
FILLING = -(-131_072 // len(SIMPLE))  # as many fill one block
TWO = SIMPLE.replace("/a", "/a\nhttps://x.com/b")
FAST = [
    # id, document that must take the fast path
    ("one entry", f"{DECLARATION}<urlset {NS}>\n{SIMPLE}</urlset>\n"),
    ("several", f"{DECLARATION}<urlset {NS}>\n{SIMPLE}{OTHER}{SIMPLE}</urlset>\n"),
    ("with all fields", f"{DECLARATION}<urlset {NS}>\n{FULL.format('a')}{FULL.format('b')}</urlset>\n"),
    ("with one field", f"{DECLARATION}<urlset {NS}>\n{DATED}{DATED}</urlset>\n"),
    ("more than one block", f"{DECLARATION}<urlset {NS}>\n{MANY}</urlset>"),
    ("blocks of two layouts", f"{DECLARATION}<urlset {NS}>\n{SIMPLE * FILLING}{DATED * 2}</urlset>"),
    ("on one line", f"<urlset {NS}>{SIMPLE.strip() * 3}</urlset>"),
    ("indented, so that the last entry ends otherwise", f"<urlset {NS}>\n  {SIMPLE}  {SIMPLE}</urlset>"),
    ("with Windows line ends", f"{DECLARATION}<urlset {NS}>\n{MANY}</urlset>\n".replace("\n", "\r\n")),
    ("with a comment before the entries", f"<urlset {NS}>\n<!-- by hand -->\n{SIMPLE}</urlset>"),
]  # fmt: skip
UNSUITABLE = [
    # id, document that must be left to other readers
    ("no entry", f"<urlset {NS}></urlset>"),
    ("nothing", ""),
    ("entries of two layouts", f"<urlset {NS}>{SIMPLE}{DATED}</urlset>"),
    ("as many pieces, in another order", f"<urlset {NS}>{SIMPLE}<url></url><loc>https://x.com/b</loc>\n</urlset>"),
    ("what is no URL", f"<urlset {NS}><url><loc>a</loc></url></urlset>"),
    ("a URL that is not in normal form", f"<urlset {NS}>{SIMPLE}{SIMPLE.replace('/a', '/%61')}</urlset>"),
    ("an empty URL", f"<urlset {NS}>{SIMPLE}<url><loc></loc></url>\n</urlset>"),
    ("a URL that is too long", f"<urlset {NS}>{SIMPLE}{SIMPLE.replace('/a', '/a' * 5_000)}</urlset>"),
    ("two URLs in one loc", f"<urlset {NS}>{SIMPLE}{TWO}</urlset>"),
    ("an empty field", f"<urlset {NS}>{DATED}{DATED.replace('2024-01-01', '')}</urlset>"),
    ("a field with a space", f"<urlset {NS}>{DATED}{DATED.replace('-01-01', ' 01')}</urlset>"),
    ("a field with an entity", f"<urlset {NS}>{DATED}{DATED.replace('-01-01', '&amp;')}</urlset>"),
    ("two of one field", f"<urlset {NS}><url><loc>a</loc><loc>b</loc></url></urlset>"),
    ("an attribute", f'<urlset {NS}>{SIMPLE}{SIMPLE.replace("<url>", "<url id=1>")}</urlset>'),
    ("an attribute of a URL", f'<urlset {NS}>{SIMPLE}{SIMPLE.replace("<loc>", "<loc id=1>")}</urlset>'),
    ("a bracket within a URL", f"<urlset {NS}>{SIMPLE}{SIMPLE.replace('/a', '/>a')}</urlset>"),
    ("a comment between entries", f"<urlset {NS}>{SIMPLE}<!-- {SIMPLE} -->{SIMPLE}</urlset>"),
    ("a comment round the first entry", f"<urlset {NS}><!-- {SIMPLE} -->{SIMPLE}</urlset>"),
    ("CDATA", f"<urlset {NS}><url><loc><![CDATA[https://x.com/]]></loc></url></urlset>"),
    ("text between entries", f"<urlset {NS}>{SIMPLE}stray{SIMPLE}</urlset>"),
    ("text after the last entry", f"<urlset {NS}>{SIMPLE}{SIMPLE}stray</urlset>"),
    ("a letter that is not ASCII", f"<urlset {NS}>{SIMPLE}{SIMPLE.replace('/a', '/ü')}</urlset>"),
    ("a lone CR", f"<urlset {NS}>{SIMPLE}\r{SIMPLE}</urlset>"),
    ("a lone CR before the entries", f"<urlset {NS}>\r{SIMPLE}</urlset>"),
    ("a number for a letter", f"<urlset {NS}>{SIMPLE}{SIMPLE.replace('/a', '/&#97;')}</urlset>"),
    ("a bare ampersand", f"<urlset {NS}>{SIMPLE}{SIMPLE.replace('/a', '/?a&b')}</urlset>"),
    ("cut short", f"<urlset {NS}>{SIMPLE}"),
    ("cut within an entry", f"<urlset {NS}>{SIMPLE}{SIMPLE[:-8]}</urlset>"),
    ("something after the end", f"<urlset {NS}>{SIMPLE}</urlset><!-- end -->"),
    ("two ends", f"<urlset {NS}>{SIMPLE}</urlset></urlset>"),
    ("another root", f"<sitemapindex {NS}>{SIMPLE}</sitemapindex>"),
    ("below another element", f"<urlset {NS}><x>{SIMPLE}</x></urlset>"),
    ("a document type", f"<!DOCTYPE urlset><urlset {NS}>{SIMPLE}</urlset>"),
    ("another encoding", f'<?xml version="1.0" encoding="ISO-8859-1"?><urlset {NS}>{SIMPLE}</urlset>'),
]  # fmt: skip


def agrees(data: bytes) -> bool:
    """Whether the file was taken apart; then every entry is what the reader finds, and in normal form."""
    found = columns(data)
    if found is None:
        return False
    events = list(read(data))
    assert not any(isinstance(event, Fault) and event.fatal for event in events)
    entries = []
    for one in found:
        fields = [column.split("\n") if column else [""] * one.count for column in one.fields]
        first, step = map(int, one.lines.split("+"))
        lines = [first + n * step for n in range(one.count)]
        entries += [
            Entry(loc, *row, line=line) for loc, *row, line in zip(one.keys.split("\n"), *fields, lines, strict=True)
        ]
    assert entries == [event for event in events if isinstance(event, Entry)]
    assert all(normalize(entry.loc) == entry.loc for entry in entries)
    return True


@pytest.mark.parametrize("text", [pytest.param(row[1], id=row[0]) for row in FAST])
def test_taken_apart(text: str) -> None:
    assert agrees(text.encode())
    assert agrees(b"\xef\xbb\xbf" + text.encode())


@pytest.mark.parametrize("text", [pytest.param(row[1], id=row[0]) for row in UNSUITABLE])
def test_left_to_others(text: str) -> None:
    assert not agrees(text.encode())


PARTS = [SIMPLE, OTHER, DATED, FULL.format("c"), SIMPLE.strip(), "<url>", "</url>", "<loc>https://x.com/d</loc>", "<lastmod>1</lastmod>", "<!--", "-->", "\n", " ", "&amp;", "</urlset>"]  # fmt: skip


@given(st.lists(st.sampled_from(PARTS), max_size=6).map("".join))
def test_any_mixture(text: str) -> None:
    agrees(f"<urlset {NS}>{text}</urlset>".encode())
    agrees(f"<urlset {NS}>{SIMPLE}{text}{SIMPLE}</urlset>".encode())


@given(st.integers(0, 200), st.sampled_from(PARTS))
def test_any_insertion(at: int, part: str) -> None:
    text = f"<urlset {NS}>{DATED}{DATED}</urlset>"
    agrees((text[:at] + part + text[at:]).encode())
