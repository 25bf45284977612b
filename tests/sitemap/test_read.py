"""Damaged, odd and hostile documents: what is tolerated, what is reported, and what ends the reading."""

import gzip
import random
import zlib

import pytest

from examples import share
from servers import bomb
from sitemap_action.model.sitemap import ChildSitemap, DocumentKind, DocumentStart, Entry, Fault, SitemapEvent
from sitemap_action.sitemap import body, feed
from sitemap_action.sitemap.protocol import MAX_INFLATED
from sitemap_documents import read_events as events

NS = "http://www.sitemaps.org/schemas/sitemap/0.9"
HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
A, B, C = "https://x.com/a", "https://x.com/b", "https://x.com/c"


def urlset(*bodies: str, ns: str = NS, head: str = HEAD) -> str:
    return f'{head}<urlset xmlns="{ns}">{"".join(f"<url>{body}</url>" for body in bodies)}</urlset>'


def loc(url: str) -> str:
    return f"<loc>{url}</loc>"


def index(*urls: str) -> str:
    children = "".join(f"<sitemap>{loc(url)}</sitemap>" for url in urls)
    return f'{HEAD}<sitemapindex xmlns="{NS}">{children}</sitemapindex>'


def locs(found: list[SitemapEvent]) -> list[str]:
    return [event.loc for event in found if isinstance(event, Entry | ChildSitemap)]


def codes(found: list[SitemapEvent]) -> list[str]:
    return [event.code for event in found if isinstance(event, Fault)]


PLAIN = urlset(loc(A), loc(B))
ZIPPED = gzip.compress(PLAIN.encode(), mtime=0)
IMAGE = 'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"'

# id, bytes, name, kind, URLs, codes; every fatal code stands last
DOCUMENTS: tuple[tuple[str, bytes | str, str, str, list[str], list[str]], ...] = (
    ("plain", PLAIN, "sitemap.xml", "urlset", [A, B], []),
    ("index", index(A, B), "", "sitemapindex", [A, B], []),
    ("no declaration", urlset(loc(A), head=""), "", "urlset", [A], []),
    ("comments and processing instructions", urlset(f"<!-- x -->{loc(A)}<?p?>"), "", "urlset", [A], []),
    ("CDATA is equivalent (SM-24)", urlset("<loc><![CDATA[https://x.com/?a=1&b=2]]></loc>"), "", "urlset", ["https://x.com/?a=1&b=2"], []),
    ("entities are decoded once (SM-24)", urlset(loc("https://x.com/?a=1&amp;amp;b='2'")), "", "urlset", ["https://x.com/?a=1&amp;b='2'"], []),
    ("text in pieces is joined", urlset("<loc>https://x.com<!-- x -->/<![CDATA[a]]></loc>"), "", "urlset", [A], []),
    # before the document
    ("BOM (SM-03)", b"\xef\xbb\xbf" + PLAIN.encode(), "", "urlset", [A, B], ["bom"]),
    ("white space before the declaration (SM-04)", "\n \n" + PLAIN, "", "urlset", [A, B], ["leading-whitespace"]),
    ("BOM, then white space", b"\xef\xbb\xbf\n" + PLAIN.encode(), "", "urlset", [A, B], ["bom", "leading-whitespace"]),
    ("white space and no declaration is XML", "\n" + urlset(loc(A), head=""), "", "urlset", [A], []),
    ("UTF-16 (SM-02)", PLAIN.replace("UTF-8", "UTF-16").encode("utf-16"), "", "urlset", [A, B], ["encoding"]),
    ("UTF-16 without BOM", PLAIN.replace("UTF-8", "UTF-16").encode("utf-16-be"), "", "urlset", [A, B], ["encoding"]),
    ("UTF-32", PLAIN.replace("UTF-8", "UTF-32").encode("utf-32"), "", "urlset", [A, B], ["encoding"]),
    ("Latin-1 (SM-02)", urlset(loc("https://x.com/ü")).replace("UTF-8", "ISO-8859-1").encode("latin-1"), "", "urlset", ["https://x.com/ü"], ["encoding"]),
    ("Shift JIS, which expat alone cannot read", urlset(loc("https://x.com/テ")).replace("UTF-8", "Shift_JIS").encode("shift_jis"), "", "urlset", ["https://x.com/テ"], ["encoding"]),
    ("US-ASCII, pure (SM-02)", PLAIN.replace("UTF-8", "us-ascii"), "", "urlset", [A, B], ["encoding-ascii"]),
    ("US-ASCII, not pure", urlset(loc("https://x.com/ü")).replace("UTF-8", "us-ascii"), "", "urlset", ["https://x.com/ü"], ["encoding"]),
    ("an encoding that nobody knows", PLAIN.replace("UTF-8", "x-nope"), "", "urlset", [A, B], ["encoding"]),
    ("a codec that is no charset", PLAIN.replace("UTF-8", "rot13"), "", "urlset", [A, B], ["encoding"]),
    ("lower case utf-8 (SM-02)", PLAIN.replace("UTF-8", "utf-8"), "", "urlset", [A, B], []),
    # namespaces
    ("https namespace (SM-05)", urlset(loc(A), ns=NS.replace("http:", "https:")), "", "urlset", [A], ["namespace"]),
    ("namespace with a slash", urlset(loc(A), ns=NS + "/"), "", "urlset", [A], ["namespace"]),
    ("0.84", urlset(loc(A), ns="http://www.google.com/schemas/sitemap/0.84"), "", "urlset", [A], ["namespace"]),
    ("any namespace at all", urlset(loc(A), ns="urn:x"), "", "urlset", [A], ["namespace"]),
    ("no namespace", f"<urlset><url>{loc(A)}</url></urlset>", "", "urlset", [A], ["namespace"]),
    ("prefixed, which is right", f'<s:urlset xmlns:s="{NS}"><s:url><s:loc>{A}</s:loc></s:url></s:urlset>', "", "urlset", [A], []),
    ("root bare, children not", f'<urlset><url xmlns="{NS}">{loc(A)}</url><url>{loc(B)}</url></urlset>', "", "urlset", [A, B], ["namespace"] * 3),
    ("image:loc is no page", urlset(loc(A) + f"<image:image {IMAGE}><image:loc>{B}</image:loc></image:image>"), "", "urlset", [A], []),
    ("image without prefix (SM-15)", urlset(loc(A) + f"<image>{loc(B)}</image>"), "", "urlset", [A], ["unknown-element"]),
    ("prefix never declared (EXT-01)", urlset(loc(A), loc(B) + "<image:image/>", loc(A)), "", "urlset", [A, B, A], ["unbound-prefix"]),
    ("two prefixes never declared", urlset(loc(A) + "<image:image/>", loc(B) + '<x:y z:a=""/>'), "", "urlset", [A, B], ["unbound-prefix"]),
    ("a prefix of the root's attribute", urlset(loc(A)).replace("<urlset ", '<urlset x:a="" '), "", "urlset", [A], ["unbound-prefix", "attribute"]),
    ("one that is declared elsewhere", urlset(loc(A) + f"<image:image {IMAGE}/>", loc(B) + "<image:image/>"), "", "urlset", [A, B], ["unbound-prefix"]),
    ("prefix bound wrongly (EXT-01)", urlset(loc(A) + f"<image:image {IMAGE.replace('http:', 'https:')}/>"), "", "urlset", [A], ["extension-namespace"]),
    ("another spelling of a namespace (EXT-01)", urlset(loc(A) + f"<i:image {IMAGE.replace('http:', 'https:').replace('image=', 'i=', 1)}/>"), "", "urlset", [A], ["extension-namespace"]),
    ("unknown element of an extension (SM-12)", urlset(loc(A) + f"<image:imag {IMAGE}/>"), "", "urlset", [A], ["extension-element"]),
    ("an extension of one's own is welcome", urlset(loc(A) + '<x:y xmlns:x="urn:x">z</x:y>'), "", "urlset", [A], []),
    ("an extension before the first url", urlset(loc(A)).replace("<url>", '<x:y xmlns:x="urn:x"><x:z>text</x:z> more</x:y><url>'), "", "urlset", [A], []),
    # structure
    ("order (SM-14)", urlset(f"<priority>0.5</priority><lastmod>2024-01-01</lastmod>{loc(A)}"), "", "urlset", [A], ["order", "order"]),
    ("two lastmod (SM-14)", urlset(f"{loc(A)}<lastmod>2024-01-01</lastmod><lastmod>2025-01-01</lastmod>"), "", "urlset", [A], ["duplicate-child"]),
    ("two loc (SM-20)", urlset(loc(A) + loc(B)), "", "urlset", [A], ["duplicate-loc"]),
    ("no loc (SM-20)", urlset("<lastmod>2024-01-01</lastmod>", loc(B)), "", "urlset", [B], ["missing-loc"]),
    ("empty loc (SM-20)", urlset("<loc/>", "<loc> </loc>", loc(B)), "", "urlset", [B], ["missing-loc", "padded-loc", "missing-loc"]),
    ("empty lastmod", urlset(f"{loc(A)}<lastmod/>"), "", "urlset", [A], ["empty-lastmod"]),
    ("padded loc (SM-33)", urlset(loc(f"\n  {A}\n")), "", "urlset", [A], ["padded-loc"]),
    ("padded changefreq (SM-48)", urlset(f"{loc(A)}<changefreq> daily </changefreq>"), "", "urlset", [A], ["changefreq"]),
    ("empty priority (SM-49)", urlset(f"{loc(A)}<priority/>"), "", "urlset", [A], ["priority"]),
    ("unknown element (SM-15)", urlset(f"{loc(A)}<title>x<b>y</b></title>"), "", "urlset", [A], ["unknown-element"]),
    ("element within loc", urlset(f"<loc>{A}<b>x</b></loc>"), "", "urlset", [A], ["unknown-element"]),
    ("attribute (SM-15)", urlset(loc(A)).replace("<url>", '<url id="1">'), "", "urlset", [A], ["attribute"]),
    ("attribute of the root", urlset(loc(A)).replace("<urlset", '<urlset version="1"'), "", "urlset", [A], ["attribute"]),
    ("stray text (SM-15)", urlset(f"x{loc(A)}y"), "", "urlset", [A], ["stray-text"]),
    ("stray text between entries", urlset(loc(A), loc(B)).replace("</url>", "</url>x", 1), "", "urlset", [A, B], ["stray-text"]),
    ("sitemap in a urlset (SM-17)", urlset(loc(A)).replace("</urlset>", f"<sitemap>{loc(B)}</sitemap></urlset>"), "", "urlset", [A, B], ["mixed"]),
    ("url in an index (SM-17)", index(A).replace("</sitemapindex>", f"<url>{loc(B)}</url></sitemapindex>"), "", "sitemapindex", [A, B], ["mixed"]),
    ("schemaLocation, right (SM-16)", urlset(loc(A)).replace("<urlset", f'<urlset xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="{NS} {NS}/sitemap.xsd"'), "", "urlset", [A], []),
    ("schemaLocation, odd (SM-16)", urlset(loc(A)).replace("<urlset", f'<urlset xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="{NS}"'), "", "urlset", [A], ["schema-location"]),
    # damage: the good entries, then one fatal fault
    ("nothing (SM-01)", b"", "", "unknown", [], ["empty-document"]),
    ("white space alone", b" \n\t ", "", "unknown", [], ["empty-document"]),
    ("cut off", PLAIN[:-40], "", "urlset", [A], ["malformed"]),
    ("raw < (SM-01)", urlset(loc(A), loc("https://x.com/?a<1"), loc(C)), "", "urlset", [A], ["malformed"]),
    ("raw ampersand (SM-01)", urlset(loc(A), loc("https://x.com/?a=1&b=2"), loc(C)), "", "urlset", [A], ["malformed"]),
    ("HTML entity (SM-01)", urlset(loc(A), loc("https://x.com/&nbsp;")), "", "urlset", [A], ["malformed"]),
    ("control character (SM-01)", urlset(loc(A), loc("https://x.com/\x0b")), "", "urlset", [A], ["malformed"]),
    ("NUL", urlset(loc(A), loc("https://x.com/\0")), "", "urlset", [A], ["malformed"]),
    ("wrong end tag", urlset(loc(A), "<loc>https://x.com/b</log>"), "", "urlset", [A], ["malformed"]),
    ("two roots", PLAIN + urlset(loc(C), head=""), "", "urlset", [A, B], ["malformed"]),
    ("a byte that is not UTF-8 (SM-02)", urlset(loc(A), loc("https://x.com/ü")).encode("latin-1"), "", "urlset", [A], ["not-utf-8"]),
    ("UTF-16 cut within a character", PLAIN.encode("utf-16")[:-1], "", "urlset", [A, B], ["encoding", "not-utf-8"]),
    ("character beyond XML by reference", urlset(loc(A), loc("https://x.com/&#11;")), "", "urlset", [A], ["malformed"]),
    # hostile
    ("DOCTYPE (SM-13)", PLAIN.replace("<urlset", "<!DOCTYPE urlset><urlset", 1), "", "unknown", [], ["doctype"]),
    ("entity (SM-13)", PLAIN.replace("<urlset", '<!DOCTYPE urlset [<!ENTITY a "https://x.com/a">]><urlset', 1), "", "unknown", [], ["doctype"]),
    ("external DTD (SM-13)", PLAIN.replace("<urlset", '<!DOCTYPE urlset SYSTEM "file:///etc/passwd"><urlset', 1), "", "unknown", [], ["doctype"]),
    ("parameter entity (SM-13)", PLAIN.replace("<urlset", '<!DOCTYPE urlset [<!ENTITY % p SYSTEM "http://127.0.0.1/">%p;]><urlset', 1), "", "unknown", [], ["doctype"]),
    ("nested too deep", urlset(loc(A), loc(B) + '<x:y xmlns:x="urn:x">' + "<x:y>" * 5000), "", "urlset", [A], ["too-much"]),
    ("unknown elements nested too deep", urlset(loc(A), loc(B) + "<y>" * 5000), "", "urlset", [A], ["unknown-element", "too-much"]),
    ("loc of 200,000 characters", urlset(loc("https://x.com/" + "a" * 200_000), loc(B)), "", "urlset", [B], ["text-too-long", "missing-loc"]),
    # not a sitemap
    ("HTML page (SM-05)", "<!doctype html><title>404</title>", "sitemap.xml", "unknown", [], ["unknown-root"]),
    ("XHTML page", '<?xml version="1.0"?><!DOCTYPE html><html/>', "", "unknown", [], ["unknown-root"]),
    ("HTML without doctype", "<html><body/></html>", "", "unknown", [], ["unknown-root"]),
    ("another XML", "<opml version='2.0'/>", "", "unknown", [], ["unknown-root"]),
    ("RSS 1.0", '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/>', "", "unknown", [], ["unknown-root"]),
    ("prose", "Not found\n", "", "unknown", [], ["text-line", "unknown-root"]),
    ("JSON", '{"a": 1}', "", "unknown", [], ["text-line", "unknown-root"]),
    # compression
    ("gzip (SM-10)", ZIPPED, "sitemap.xml.gz", "urlset", [A, B], []),
    ("gzip under another name", ZIPPED, "sitemap.xml", "urlset", [A, B], []),
    ("several members", gzip.compress(PLAIN[:60].encode()) + gzip.compress(PLAIN[60:].encode()), "", "urlset", [A, B], []),
    ("padding after the last member", ZIPPED + bytes(512), "", "urlset", [A, B], []),
    ("garbage after the last member", ZIPPED + b"garbage", "", "urlset", [A, B], ["gzip-trailing"]),
    ("compressed twice", gzip.compress(ZIPPED), "", "urlset", [A, B], ["gzip-nested"]),
    ("compressed three times", gzip.compress(gzip.compress(ZIPPED)), "", "unknown", [], ["compression"]),
    ("truncated gzip (SM-10)", ZIPPED[:-9], "", "urlset", [A, B], ["gzip-damaged"]),
    ("bad checksum", ZIPPED[:-8] + bytes(8), "", "urlset", [A, B], ["gzip-damaged"]),
    ("gzip header alone", b"\x1f\x8b", "", "unknown", [], ["gzip-damaged"]),
    ("zip (SM-10)", b"PK\x03\x04" + bytes(40), "", "unknown", [], ["compression"]),
    ("plain under .gz (SM-10)", PLAIN, "sitemap.xml.gz", "urlset", [A, B], ["gzip-name"]),
    # text
    ("text (SM-65)", f"{A}\n{B}\n", "urls.txt", "text", [A, B], []),
    ("text, blank lines and BOM (SM-66)", f"\ufeff{A}\n\n\n{B}", "urls.txt", "text", [A, B], ["bom"]),
    ("text, CRLF and CR", f"{A}\r\n{B}\r{C}", "urls.txt", "text", [A, B, C], []),
    ("text with other lines (SM-65)", f"# mine\nurls\n{A}\n/b\n{B} x\n{C}\n", "urls.txt", "text", [A, C], ["text-line"] * 4),
    ("text under another name (SM-65)", f"{A}\n", "urls.xml", "text", [A], ["text-name"]),
    ("text, compressed", gzip.compress(f"{A}\n".encode()), "urls.txt.gz", "text", [A], []),
    ("text, UTF-16", f"{A}\n".encode("utf-16"), "urls.txt", "text", [A], ["encoding"]),
    ("text, one line not UTF-8", f"{A}\nhttps://x.com/ü\n{B}".encode("latin-1"), "urls.txt", "text", [A, B], ["encoding"]),
    ("text, no line end for long", f"{A}\nhttps://x.com/{'a' * 300_000}\n{B}", "urls.txt", "text", [A, B], ["text-line"]),
    ("XML under .txt is XML", PLAIN, "sitemap.txt", "urlset", [A, B], []),
    # feeds
    ("RSS (SM-67)", f'<rss version="2.0"><channel><link>{C}</link><item><link>{A}</link></item><item><link> {B} </link></item></channel></rss>', "", "rss", [A, B], []),
    ("RSS, item without link", f'<rss version="2.0"><channel><item><title>x</title></item><item><link>{B}</link></item></channel></rss>', "", "rss", [B], ["feed-link"]),
    ("RSS, bad date", f'<rss version="2.0"><channel><item><link>{A}</link><pubDate>10.5.2005</pubDate></item></channel></rss>', "", "rss", [A], ["feed-date"]),
    ("RSS 0.91", f'<rss version="0.91"><channel><item><link>{A}</link></item></channel></rss>', "", "rss", [A], ["feed-version"]),
    ("Atom", f'<feed xmlns="http://www.w3.org/2005/Atom"><link href="{C}"/><entry><link rel="edit" href="{C}"/><link href="{A}"/><link rel="alternate" href="{B}"/></entry></feed>', "", "atom", [A], []),
    ("Atom 0.3", f'<feed xmlns="http://purl.org/atom/ns#"><entry><link rel="alternate" href="{A}"/></entry></feed>', "", "atom", [A], ["feed-version"]),
)  # fmt: skip


@pytest.mark.parametrize(
    ("data", "name", "kind", "urls", "faults"), [row[1:] for row in DOCUMENTS], ids=[row[0] for row in DOCUMENTS]
)
def test_document(data: bytes | str, name: str, kind: str, urls: list[str], faults: list[str]) -> None:
    found = events(data if isinstance(data, bytes) else data.encode(), name)
    start = found[0]
    assert isinstance(start, DocumentStart)
    assert (start.kind, locs(found), codes(found)) == (kind, urls, faults)


@pytest.mark.parametrize("data", [row[1] for row in DOCUMENTS], ids=[row[0] for row in DOCUMENTS])
def test_one_start_and_at_most_one_fatal_fault_which_is_last(data: bytes | str) -> None:
    found = events(data if isinstance(data, bytes) else data.encode())
    assert [type(event) is DocumentStart for event in found] == [True] + [False] * (len(found) - 1)
    fatal = [event for event in found if isinstance(event, Fault) and event.fatal]
    assert fatal == [event for event in found[-1:] if isinstance(event, Fault) and event.fatal]


SHORT = [row for row in DOCUMENTS if len(row[1]) <= 10_000]  # longer text is cut where pieces end


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
@pytest.mark.parametrize("row", SHORT, ids=[row[0] for row in SHORT])
def test_pieces_of_any_size_give_the_same_events(
    row: tuple[str, bytes | str, str, str, list[str], list[str]], size: int
) -> None:
    data = row[1] if isinstance(row[1], bytes) else row[1].encode()

    pieces = [data[start : start + size] for start in range(0, len(data), size)]

    assert events(pieces, row[2]) == events(data, row[2])


def test_fields_and_lines() -> None:
    data = f"""{HEAD}<urlset xmlns="{NS}">
<url>
  <loc>{A}</loc>
  <lastmod>2024-01-01</lastmod><changefreq>daily</changefreq><priority>0.5</priority>
</url>

<url><loc>{B}</loc></url>
<url><lastmod>x</lastmod></url>
</urlset>"""
    assert events(data.encode())[1:] == [
        Entry(A, "2024-01-01", "daily", "0.5", line=3),
        Entry(B, line=8),
        Fault("missing-loc", 9),
    ]


def test_lines_are_those_of_the_file_when_white_space_comes_first() -> None:
    found = events(f"\n\n{HEAD}<urlset xmlns='{NS}'>\n<url>{loc(A)}</url></urlset>".encode())
    assert [event.line for event in found if isinstance(event, Entry)] == [5]


def test_start_has_the_kind_of_the_document() -> None:
    data = urlset(loc(A)).replace("<urlset", f"<urlset {IMAGE}")
    start = events(gzip.compress(data.encode()))[0]
    assert isinstance(start, DocumentStart)
    assert (start.kind, start.encoding, start.compressed) == (DocumentKind.URLSET, "utf-8", True)
    assert set(start.namespaces) == {NS, "http://www.google.com/schemas/sitemap-image/1.1"}


FEED_DATES = (
    # RFC 822 in RSS becomes a W3C datetime; a date without zone is no instant
    ("rss", "Tue, 10 May 2005 17:33:30 +0800", "2005-05-10T17:33:30+08:00"),
    ("rss", "Tue, 10 May 2005 17:33:30 GMT", "2005-05-10T17:33:30+00:00"),
    ("rss", "Tue, 10 May 2005 17:33:30 -0000", ""),
    ("rss", "2005-05-10T17:33:30Z", ""),  # SM-67: W3C dates belong to Atom
    ("rss", "Tue, 99 May 2005 17:33:30 GMT", ""),
    ("atom", "2005-05-10T17:33:30Z", "2005-05-10T17:33:30Z"),
)


@pytest.mark.parametrize(("kind", "date", "lastmod"), FEED_DATES)
def test_SM_67_dates_of_feeds(kind: str, date: str, lastmod: str) -> None:
    rss = f'<rss version="2.0"><channel><item><pubDate>{date}</pubDate><link>{A}</link></item></channel></rss>'
    atom = (
        f'<feed xmlns="http://www.w3.org/2005/Atom"><entry><updated>{date}</updated><link href="{A}"/></entry></feed>'
    )
    found = events((rss if kind == "rss" else atom).encode())
    assert [event.lastmod for event in found if isinstance(event, Entry)] == [lastmod]


def test_extensions_are_kept_as_canonical_text() -> None:
    data = f"""<urlset xmlns="{NS}" xmlns:img="http://www.google.com/schemas/sitemap-image/1.1"
        xmlns:h="http://www.w3.org/1999/xhtml" xmlns:x="urn:x" xmlns:image="urn:taken">
    <url><loc>{A}</loc>
      <h:link href=" https://x.com/de?a=1&amp;b " hreflang="de" rel="alternate"></h:link>
      <h:link rel="alternate" href="https://x.com/fr"/>
      <img:image>
        <img:loc> https://x.com/p.jpg </img:loc><img:title>A &amp; "B" &lt; ü</img:title>
      </img:image>
      <x:y b="2" a="1'"><x:z/>text<image:w>tail</image:w></x:y>
    </url></urlset>"""
    entry = next(event for event in events(data.encode()) if isinstance(event, Entry))
    assert entry.alternates == (("de", "https://x.com/de?a=1&b"),)
    assert entry.images == ("https://x.com/p.jpg",)
    xhtml = 'xmlns:xhtml="http://www.w3.org/1999/xhtml"'
    title = "<image:title>A &amp; &quot;B&quot; &lt; ü</image:title>"
    assert entry.extensions == (
        f'<xhtml:link {xhtml} href=" https://x.com/de?a=1&amp;b " hreflang="de" rel="alternate"/>',
        f'<xhtml:link {xhtml} href="https://x.com/fr" rel="alternate"/>',
        f"<image:image {IMAGE}><image:loc>https://x.com/p.jpg</image:loc>{title}</image:image>",
        '<x:y xmlns:ns1="urn:taken" xmlns:x="urn:x" a="1&apos;" b="2"><x:z/>text<ns1:w>tail</ns1:w></x:y>',
    )


def test_extensions_of_one_entry_do_not_leak_into_the_next() -> None:
    image = f"<image:image {IMAGE}><image:loc>{C}</image:loc></image:image>"
    found = events(urlset(image, loc(A), loc(B) + image).encode())
    assert [(event.loc, len(event.extensions)) for event in found if isinstance(event, Entry)] == [(A, 0), (B, 1)]


LONG = f'<x:y xmlns:x="u">{"a" * 100}</x:y>'
LIMITS = (
    # document, limits, URLs before the limit, codes
    (urlset(loc(A) + LONG, loc(B)).encode(), {"MAX_TEXT": 50}, [A, B], ["text-too-long"]),
    (urlset(loc(A), loc(B), loc(C)).encode(), {"MAX_ENTRIES": 2}, [A, B], ["too-much"]),
    (f"{A}\n{B}\n{C}\n".encode(), {"MAX_ENTRIES": 2}, [A, B], ["too-much"]),
    (gzip.compress(urlset(*[loc(A)] * 10_000).encode()), {"inflated": 200}, [A, A], ["inflated"]),
    (
        urlset(loc(A), loc("https://x.com/" + "a" * 100)).encode(),
        {"MAX_TEXT": 50},
        [A],
        ["text-too-long", "missing-loc"],
    ),
    (
        f'<rss version="2.0"><item><link>{A}</link></item><item><link>{B}</link></item></rss>'.encode(),
        {"MAX_ENTRIES": 1},
        [A],
        ["too-much"],
    ),
    (b"x\n" * 2000, {"MAX_INVALID": 10}, [], ["text-line"] * 10 + ["unknown-root"]),
)


@pytest.mark.attack("cost")
@pytest.mark.parametrize(("data", "limits", "urls", "faults"), LIMITS)
def test_limits(
    monkeypatch: pytest.MonkeyPatch, data: bytes, limits: dict[str, int], urls: list[str], faults: list[str]
) -> None:
    for name, value in limits.items():
        for module in (body, feed):
            monkeypatch.setattr(module, name, value, raising=False)
    found = events(data, inflated=limits.get("inflated", MAX_INFLATED))
    assert (locs(found), codes(found)) == (urls, faults)


def test_SM_07_size_is_counted_without_compression() -> None:
    head, foot = f'<urlset xmlns="{NS}"><url>{loc(A)}</url>', "</urlset>"
    comments, rest = divmod(52_428_800 - len(head) - len(foot), 1_000)
    at_limit = (head + f"<!--{' ' * 993}-->" * comments + " " * rest + foot).encode()
    beyond = at_limit.replace(b"<url>", b"<url> ")
    assert codes(events(at_limit)) == []
    assert codes(events(beyond)) == ["too-large"]
    assert codes(events(gzip.compress(beyond, compresslevel=1))) == ["too-large"]


ATTRIBUTES = " ".join(f'a{n}=""' for n in range(50_000))
PREFIXED = "".join(f'<a{n}:a xmlns:a{n}="urn:{n}"/>' for n in range(20_000))
LARGE = f"<x:z>{'1' * 60_000}</x:z>" * 200
BOMB = bytes(bomb(300).body)
HOSTILE = (
    # 5 MB of references in one loc: text that is joined by += takes half a minute
    ("references", f'<urlset xmlns="{NS}"><url><loc>https://x.com/{"&amp;" * 1_000_000}</loc></url></urlset>'.encode()),
    # one tag, cut into 300 pieces: a parser that starts anew with each piece takes a minute
    ("attribute", f'<urlset xmlns="{NS}"><url a="{"a" * 20_000_000}"/></urlset>'.encode()),
    ("comment", f'<urlset xmlns="{NS}"><!--{"a" * 20_000_000}--></urlset>'.encode()),
    ("attributes", f'<urlset xmlns="{NS}"><url {ATTRIBUTES}/></urlset>'.encode()),
    ("members", zlib.compress(b"", wbits=31) * 50_000),
    ("bomb", BOMB),
    ("nested bomb", gzip.compress(BOMB)),
    ("depth", b"<urlset>" + b"<a>" * 1_000_000),
    ("namespaces", f'<urlset xmlns="{NS}">{PREFIXED}</urlset>'.encode()),
    ("namespaces of one entry", f'<urlset xmlns="{NS}"><url><loc>{A}</loc>{PREFIXED}</url></urlset>'.encode()),
    ("long comment", f'<urlset xmlns="{NS}"><!--{" " * 20_000_000}--><url><loc>{A}</loc></url></urlset>'.encode()),
    ("long extension", f'<urlset xmlns="{NS}"><url><loc>{A}</loc><x:y xmlns:x="u">{"<x:z>1234567</x:z>" * 40_000}</x:y><x:y xmlns:x="u">{"<x:z/>" * 20_000}'.encode()),
    ("large extension", f'<urlset xmlns="{NS}"><url><loc>{A}</loc><x:y xmlns:x="u">{LARGE}'.encode()),
    ("deep feed", f'<rss version="2.0"><channel><item><link>{A}</link>{"<a>" * 1000}'.encode()),
)  # fmt: skip


@pytest.mark.attack("cost")
@pytest.mark.parametrize("data", [row[1] for row in HOSTILE], ids=[row[0] for row in HOSTILE])
def test_hostile_documents_end(data: bytes) -> None:
    found = events(data)
    assert (len(found) < 200, locs(found)) == (True, [])


@pytest.mark.attack("bytes")
def test_any_bytes_at_all_are_read_without_raising() -> None:
    seed = random.Random(7)
    documents = [row[1] if isinstance(row[1], bytes) else row[1].encode() for row in DOCUMENTS]
    for _ in range(share(3000)):
        data = bytearray(seed.choice(documents)[:2000])
        for _ in range(seed.randint(1, 6)):
            at = seed.randrange(len(data) + 1)
            data[at : at + seed.randint(0, 3)] = seed.randbytes(seed.randint(0, 3))
        assert isinstance(events(bytes(data))[0], DocumentStart)


BARE = (("a&b=1", "&amp;"), ("a & b", "&amp;"), ("a&#;", "&amp;"), ("a<1", "&lt;"))


@pytest.mark.parametrize(("text", "written"), BARE)
def test_a_character_that_has_to_be_escaped_is_named(text: str, written: str) -> None:
    faults = [one for one in events(urlset(loc(f"https://x.com/{text}")).encode()) if isinstance(one, Fault)]
    assert f"a bare {text[1:].lstrip()[0]}, which is written {written}" in [one.detail for one in faults]
