"""The fast path for whole files returns exactly the entries of the reader, or leaves the file to it."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemap_action.model.sitemap import Entry, Fault
from sitemap_action.sitemap.fast.rows import rows
from sitemap_action.sitemap.read import read

NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
SIMPLE = "<url><loc>https://x.com/a</loc></url>\n"
FULL = (
    "<url>\n  <loc>https://x.com/?a=1&amp;b=&quot;&apos;</loc>\n  <lastmod>2024-01-01T00:00:00+02:00</lastmod>\n"
    "  <changefreq>daily</changefreq>\n  <priority>0.5</priority>\n</url>\n"
)
FAST = [
    # id, document that must take the fast path
    ("simple", f"{DECLARATION}<urlset {NS}>\n{SIMPLE}{SIMPLE}</urlset>\n"),
    ("with fields", f"{DECLARATION}<urlset {NS}>\n{FULL}{SIMPLE}</urlset>\n"),
    ("on one line", f"<urlset {NS}>{SIMPLE.strip() * 3}</urlset>"),
    ("with Windows line ends", f"{DECLARATION}<urlset {NS}>\n{FULL}</urlset>\n".replace("\n", "\r\n")),
    ("with a comment before the entries", f"<urlset {NS}>\n<!-- by hand -->\n{SIMPLE}</urlset>"),
    ("with other namespaces", f'<urlset {NS} xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">{SIMPLE}</urlset>'),
    ("with a style sheet", f'{DECLARATION}<?xml-stylesheet href="a.xsl"?><urlset {NS}>{SIMPLE}</urlset>'),
    ("with white space in front", f"\n\n{DECLARATION}<urlset {NS}>{SIMPLE}</urlset>"),
    ("with a prefix that it never declares", f"<urlset {NS} x:y=''>{SIMPLE}</urlset>"),
    ("without a namespace", f"<urlset>{SIMPLE}</urlset>"),
    ("what is no URL", f"<urlset {NS}><url><loc>a</loc></url></urlset>"),
]  # fmt: skip
OTHER = [
    # id, document that must be left to the reader
    ("no entry", f"<urlset {NS}></urlset>"),
    ("nothing", ""),
    ("an entry with an extension", f'<urlset {NS}>{SIMPLE}<url><loc>a</loc><x:y xmlns:x="urn:x"/></url></urlset>'),
    ("a comment between entries", f"<urlset {NS}>{SIMPLE}<!-- {SIMPLE} -->{SIMPLE}</urlset>"),
    ("a comment round the first entry", f"<urlset {NS}><!-- {SIMPLE} -->{SIMPLE}</urlset>"),
    ("CDATA", f"<urlset {NS}><url><loc><![CDATA[https://x.com/]]></loc></url></urlset>"),
    ("text between entries", f"<urlset {NS}>{SIMPLE}stray{SIMPLE}</urlset>"),
    ("an attribute", f'<urlset {NS}><url id="1"><loc>a</loc></url></urlset>'),
    ("white space round a URL", f"<urlset {NS}><url><loc> a </loc></url></urlset>"),
    ("a letter that is not ASCII", f"<urlset {NS}><url><loc>https://x.com/ü</loc></url></urlset>"),
    ("a backslash", f"<urlset {NS}><url><loc>https://x.com/\\a</loc></url></urlset>"),
    ("a lone CR", f"<urlset {NS}>{SIMPLE}\r{SIMPLE}</urlset>"),
    ("fields in another order", f"<urlset {NS}><url><lastmod>2024</lastmod><loc>a</loc></url></urlset>"),
    ("two of one field", f"<urlset {NS}><url><loc>a</loc><loc>b</loc></url></urlset>"),
    ("an empty field", f"<urlset {NS}><url><loc>a</loc><lastmod></lastmod></url></urlset>"),
    ("a number for a letter", f"<urlset {NS}><url><loc>&#97;</loc></url></urlset>"),
    ("an unknown entity", f"<urlset {NS}><url><loc>&nbsp;</loc></url></urlset>"),
    ("a bare ampersand", f"<urlset {NS}><url><loc>?a&b</loc></url></urlset>"),
    ("cut short", f"<urlset {NS}>{SIMPLE}"),
    ("something after the end", f"<urlset {NS}>{SIMPLE}</urlset><!-- end -->"),
    ("another root", f"<sitemapindex {NS}>{SIMPLE}</sitemapindex>"),
    ("a prefix", f'<s:urlset xmlns:s="urn:x" {NS}>{SIMPLE}</s:urlset>'),
    ("a root that is closed early", f"<urlset {NS}></urlset>{SIMPLE}</urlset>"),
    ("below another element", f"<urlset {NS}><x>{SIMPLE}</x></urlset>"),
    ("a document type", f"<!DOCTYPE urlset><urlset {NS}>{SIMPLE}</urlset>"),
    ("another encoding", f'<?xml version="1.0" encoding="ISO-8859-1"?><urlset {NS}>{SIMPLE}</urlset>'),
    ("text", "https://x.com/a\nhttps://x.com/<url>\n"),
]  # fmt: skip


def agrees(data: bytes) -> bool:
    """Whether the file took the fast path; then every entry equals that of the reader."""
    found = rows(data)
    if found is None:
        return False
    events = list(read(data))
    assert not any(isinstance(event, Fault) and event.fatal for event in events)
    fields = [tuple(part.decode() for part in row) for row in found.fields] or [("", "", "")] * len(found.locs)
    entries = [
        Entry(loc.decode(), *row, line=line) for loc, row, line in zip(found.locs, fields, found.lines, strict=True)
    ]
    assert entries == [event for event in events if isinstance(event, Entry)]
    return True


@pytest.mark.parametrize("text", [pytest.param(row[1], id=row[0]) for row in FAST])
def test_fast_path(text: str) -> None:
    assert agrees(text.encode())
    assert agrees(gzip.compress(text.encode()))
    assert agrees(b"\xef\xbb\xbf" + text.lstrip().encode())


@pytest.mark.parametrize("text", [pytest.param(row[1], id=row[0]) for row in OTHER])
def test_left_to_the_reader(text: str) -> None:
    assert not agrees(text.encode())


def test_damaged_compression_is_left_to_the_reader() -> None:
    assert not agrees(gzip.compress(FAST[0][1].encode())[:-9])


PARTS = [*(text for _, text in FAST[:4]), *(text for _, text in OTHER), SIMPLE, FULL, "<url>", "</url>", "<loc>a</loc>", "<!--", "-->", "\n"]  # fmt: skip


@given(st.lists(st.sampled_from(PARTS), max_size=4).map("".join))
def test_any_mixture(text: str) -> None:
    agrees(text.encode())
    agrees(f"<urlset {NS}>{text}</urlset>".encode())
