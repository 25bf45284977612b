"""Entries that are laid out alike, taken apart in columns, are exactly what the reader finds, or left to others."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemap_action.model.sitemap import Entry, Fault
from sitemap_action.sitemap.fast.columns import columns
from sitemap_action.sitemap.read import read
from sitemap_action.web.urls import normal

NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
PLAIN = "<url><loc>https://x.com/a</loc></url>\n"
OTHER = PLAIN.replace("/a<", "/b?c=1&amp;d=%C3%BC<")
DATED = "<url><loc>https://x.com/a</loc><lastmod>2024-01-01</lastmod></url>\n"
FULL = (
    "<url>\n  <loc>https://x.com/{}</loc>\n  <lastmod>2024-01-01T00:00:00+02:00</lastmod>\n"
    "  <changefreq>daily</changefreq>\n  <priority>0.5</priority>\n</url>\n"
)
MANY = "".join(FULL.format(n) for n in range(2_000))  # more than one stretch
FILLING = -(-131_072 // len(PLAIN))  # as many fill one stretch
TWO = PLAIN.replace("/a", "/a\nhttps://x.com/b")
TAKEN = [
    # id, document that must be taken apart
    ("one entry", f"{DECLARATION}<urlset {NS}>\n{PLAIN}</urlset>\n"),
    ("several", f"{DECLARATION}<urlset {NS}>\n{PLAIN}{OTHER}{PLAIN}</urlset>\n"),
    ("with all fields", f"{DECLARATION}<urlset {NS}>\n{FULL.format('a')}{FULL.format('b')}</urlset>\n"),
    ("with one field", f"{DECLARATION}<urlset {NS}>\n{DATED}{DATED}</urlset>\n"),
    ("more than one stretch", f"{DECLARATION}<urlset {NS}>\n{MANY}</urlset>"),
    ("stretches of two kinds", f"{DECLARATION}<urlset {NS}>\n{PLAIN * FILLING}{DATED * 2}</urlset>"),
    ("on one line", f"<urlset {NS}>{PLAIN.strip() * 3}</urlset>"),
    ("indented, so that the last entry ends otherwise", f"<urlset {NS}>\n  {PLAIN}  {PLAIN}</urlset>"),
    ("with Windows line ends", f"{DECLARATION}<urlset {NS}>\n{MANY}</urlset>\n".replace("\n", "\r\n")),
    ("with a comment before the entries", f"<urlset {NS}>\n<!-- by hand -->\n{PLAIN}</urlset>"),
]  # fmt: skip
LEFT = [
    # id, document that must be left to others
    ("no entry", f"<urlset {NS}></urlset>"),
    ("nothing", ""),
    ("entries of two kinds", f"<urlset {NS}>{PLAIN}{DATED}</urlset>"),
    ("as many pieces, in another order", f"<urlset {NS}>{PLAIN}<url></url><loc>https://x.com/b</loc>\n</urlset>"),
    ("what is no URL", f"<urlset {NS}><url><loc>a</loc></url></urlset>"),
    ("a URL that is not in normal form", f"<urlset {NS}>{PLAIN}{PLAIN.replace('/a', '/%61')}</urlset>"),
    ("an empty URL", f"<urlset {NS}>{PLAIN}<url><loc></loc></url>\n</urlset>"),
    ("a URL that is too long", f"<urlset {NS}>{PLAIN}{PLAIN.replace('/a', '/a' * 5_000)}</urlset>"),
    ("two URLs in one loc", f"<urlset {NS}>{PLAIN}{TWO}</urlset>"),
    ("an empty field", f"<urlset {NS}>{DATED}{DATED.replace('2024-01-01', '')}</urlset>"),
    ("a field with a space", f"<urlset {NS}>{DATED}{DATED.replace('-01-01', ' 01')}</urlset>"),
    ("a field with an entity", f"<urlset {NS}>{DATED}{DATED.replace('-01-01', '&amp;')}</urlset>"),
    ("two of one field", f"<urlset {NS}><url><loc>a</loc><loc>b</loc></url></urlset>"),
    ("an attribute", f'<urlset {NS}>{PLAIN}{PLAIN.replace("<url>", "<url id=1>")}</urlset>'),
    ("an attribute of a URL", f'<urlset {NS}>{PLAIN}{PLAIN.replace("<loc>", "<loc id=1>")}</urlset>'),
    ("a bracket within a URL", f"<urlset {NS}>{PLAIN}{PLAIN.replace('/a', '/>a')}</urlset>"),
    ("a comment between entries", f"<urlset {NS}>{PLAIN}<!-- {PLAIN} -->{PLAIN}</urlset>"),
    ("a comment round the first entry", f"<urlset {NS}><!-- {PLAIN} -->{PLAIN}</urlset>"),
    ("CDATA", f"<urlset {NS}><url><loc><![CDATA[https://x.com/]]></loc></url></urlset>"),
    ("text between entries", f"<urlset {NS}>{PLAIN}stray{PLAIN}</urlset>"),
    ("text after the last entry", f"<urlset {NS}>{PLAIN}{PLAIN}stray</urlset>"),
    ("a letter that is not ASCII", f"<urlset {NS}>{PLAIN}{PLAIN.replace('/a', '/ü')}</urlset>"),
    ("a lone CR", f"<urlset {NS}>{PLAIN}\r{PLAIN}</urlset>"),
    ("a lone CR before the entries", f"<urlset {NS}>\r{PLAIN}</urlset>"),
    ("a number for a letter", f"<urlset {NS}>{PLAIN}{PLAIN.replace('/a', '/&#97;')}</urlset>"),
    ("a bare ampersand", f"<urlset {NS}>{PLAIN}{PLAIN.replace('/a', '/?a&b')}</urlset>"),
    ("cut short", f"<urlset {NS}>{PLAIN}"),
    ("cut within an entry", f"<urlset {NS}>{PLAIN}{PLAIN[:-8]}</urlset>"),
    ("something after the end", f"<urlset {NS}>{PLAIN}</urlset><!-- end -->"),
    ("two ends", f"<urlset {NS}>{PLAIN}</urlset></urlset>"),
    ("another root", f"<sitemapindex {NS}>{PLAIN}</sitemapindex>"),
    ("below another element", f"<urlset {NS}><x>{PLAIN}</x></urlset>"),
    ("a document type", f"<!DOCTYPE urlset><urlset {NS}>{PLAIN}</urlset>"),
    ("another encoding", f'<?xml version="1.0" encoding="ISO-8859-1"?><urlset {NS}>{PLAIN}</urlset>'),
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
        lines = [one.line + n * one.step for n in range(one.count)]
        entries += [
            Entry(loc, *row, line=line) for loc, *row, line in zip(one.locs.split("\n"), *fields, lines, strict=True)
        ]
    assert entries == [event for event in events if isinstance(event, Entry)]
    assert all(normal(entry.loc) == entry.loc for entry in entries)
    return True


@pytest.mark.parametrize("text", [pytest.param(row[1], id=row[0]) for row in TAKEN])
def test_taken_apart(text: str) -> None:
    assert agrees(text.encode())
    assert agrees(b"\xef\xbb\xbf" + text.encode())


@pytest.mark.parametrize("text", [pytest.param(row[1], id=row[0]) for row in LEFT])
def test_left_to_others(text: str) -> None:
    assert not agrees(text.encode())


PARTS = [PLAIN, OTHER, DATED, FULL.format("c"), PLAIN.strip(), "<url>", "</url>", "<loc>https://x.com/d</loc>", "<lastmod>1</lastmod>", "<!--", "-->", "\n", " ", "&amp;", "</urlset>"]  # fmt: skip


@given(st.lists(st.sampled_from(PARTS), max_size=6).map("".join))
def test_any_mixture(text: str) -> None:
    agrees(f"<urlset {NS}>{text}</urlset>".encode())
    agrees(f"<urlset {NS}>{PLAIN}{text}{PLAIN}</urlset>".encode())


@given(st.integers(0, 200), st.sampled_from(PARTS))
def test_any_insertion(at: int, part: str) -> None:
    text = f"<urlset {NS}>{DATED}{DATED}</urlset>"
    agrees((text[:at] + part + text[at:]).encode())
