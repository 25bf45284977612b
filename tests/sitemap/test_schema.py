"""The schema gate: its schemas, their errors as fault codes, and how the published schemas compare."""

import gzip

import pytest

from sitemap_action.sitemap.schema import explain_faults, schema_faults

NS = "http://www.sitemaps.org/schemas/sitemap/0.9"
LOC = "<loc>https://x.com/a</loc>"
IMAGE = 'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"'
VIDEO = 'xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"'
NEWS = 'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"'
XHTML = 'xmlns:xhtml="http://www.w3.org/1999/xhtml"'


def url(body: str) -> str:
    return f'<urlset xmlns="{NS}"><url>{body}</url></urlset>'


def index(body: str) -> str:
    return f'<sitemapindex xmlns="{NS}"><sitemap>{body}</sitemap></sitemapindex>'


def long(length: int) -> str:
    return f"<loc>https://x.com/{'a' * (length - 14)}</loc>"


# document without extensions, codes of the gate
UNEXTENDED = (
    (url(LOC), []),
    (url(f"{LOC}<lastmod>2024-01-01</lastmod><changefreq>daily</changefreq><priority>0.5</priority>"), []),
    (url(f"<!-- x -->{LOC}<?p?>"), []),
    (url("<loc> https://x.com/a\n</loc>"), []),  # white space is collapsed
    (url("<loc><![CDATA[https://x.com/?a&b]]></loc>"), []),
    (f'<s:urlset xmlns:s="{NS}"><s:url><s:loc>https://x.com/a</s:loc></s:url></s:urlset>', []),
    (f'<urlset xmlns="{NS}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="{NS} x"><url>{LOC}</url></urlset>', []),
    (index(LOC), []),
    (index(f"{LOC}<lastmod>2024-01-01T00:00:00Z</lastmod>"), []),
    # what no schema can express (SM-21, SM-25)
    (url("<loc>/relative/path</loc>"), []),
    (url("<loc>ftp://x.com/a b/ü</loc>"), []),
    (url("<loc>javascript:alert(1)</loc>"), []),
    # root
    (f'<urlset xmlns="{NS}"/>', ["empty"]),
    (f'<sitemapindex xmlns="{NS}"/>', ["empty"]),
    ("<urlset><url/></urlset>", ["namespace"]),
    (url(LOC).replace("http:", "https:", 1), ["namespace"]),
    (url(LOC).replace("<urlset", '<urlset version="1"'), ["attribute"]),
    (url(LOC).replace("</urlset>", f"<sitemap>{LOC}</sitemap></urlset>"), ["mixed"]),
    (index(LOC).replace("</sitemapindex>", f"<url>{LOC}</url></sitemapindex>"), ["mixed"]),
    # structure: SM-14, SM-15, SM-20
    (url(""), ["missing-loc"]),
    (url(LOC + LOC), ["order"]),
    (url(f"<lastmod>2024-01-01</lastmod>{LOC}"), ["order"]),
    (url(f"{LOC}<priority>0.5</priority><lastmod>2024-01-01</lastmod>"), ["order"]),
    (url(f"{LOC}<lastmod>2024-01-01</lastmod><lastmod>2024-01-01</lastmod>"), ["order"]),
    (url(f"{LOC}<title/>"), ["unknown-element"]),
    (url("<loc><b>https://x.com/a</b></loc>"), ["unknown-element", "loc-short"]),
    (url(f"{LOC}text"), ["stray-text"]),
    (url(LOC).replace("<url>", '<url id="1">'), ["attribute"]),
    (url(LOC).replace("<loc>", '<loc lang="de">'), ["attribute"]),
    (index(f"{LOC}<changefreq>daily</changefreq>"), ["unknown-element"]),
    # length and escapes: SM-22, SM-25
    (url("<loc/>"), ["loc-short"]),
    (url("<loc>http://a.b/</loc>"), ["loc-short"]),
    (url("<loc>http://a.b/c</loc>"), []),
    (url(long(2048)), []),
    (url(long(2049)), ["loc-long"]),
    (url("<loc>https://x.com/%zz</loc>"), ["loc-escape"]),
    (index("<loc>http://a.b/</loc>"), ["loc-short"]),
    # lastmod (SM-40…42)
    (url(f"{LOC}<lastmod> 2024-01-01 </lastmod>"), []),
    (url(f"{LOC}<lastmod/>"), ["date"]),
    (url(f"{LOC}<lastmod>2024</lastmod>"), ["date-short"]),
    (url(f"{LOC}<lastmod> 2024-01-01T00:00Z </lastmod>"), ["date-short"]),
    (url(f"{LOC}<lastmod>2024-02-30</lastmod>"), ["date"]),
    (url(f"{LOC}<lastmod>2024-01-01T00:00:00</lastmod>"), []),  # the schema's own (SM-42)
    (url(f"{LOC}<lastmod>-12024-01-01+14:00</lastmod>"), []),
    (url(f"{LOC}<lastmod>2024-01-01T24:00:00Z</lastmod>"), []),
    (url(f"{LOC}<lastmod>2024-01-01T00:00:60Z</lastmod>"), ["date"]),
    (index(f"{LOC}<lastmod>yesterday</lastmod>"), ["date"]),
    # changefreq and priority: SM-48, SM-49
    (url(f"{LOC}<changefreq>Daily</changefreq>"), ["changefreq"]),
    (url(f"{LOC}<changefreq> daily </changefreq>"), ["changefreq"]),
    (url(f"{LOC}<changefreq/>"), ["changefreq"]),
    *((url(f"{LOC}<priority>{n}</priority>"), []) for n in ("0", "1", ".5", "+0.5", "1.00", " 0.5 ", "0.", "-0")),
    *((url(f"{LOC}<priority>{n}</priority>"), ["priority"]) for n in ("1.1", "-0.1", "0,5", "1e-1", "", "high")),
)  # fmt: skip

# extensions, which the published schemas reject because none describes them
EXTENDED = (
    (url(f"{LOC}<image:image {IMAGE}><image:loc>https://x.com/p</image:loc></image:image>"), []),
    (url(f"{LOC}<image:image {IMAGE}><image:title>p</image:title><image:loc>https://x.com/p</image:loc></image:image>"), []),
    (url(f"{LOC}<image:image {IMAGE}/>"), ["image"]),
    (url(f"{LOC}<image:image {IMAGE}><image:src/></image:image>"), ["image"]),
    (url(f"{LOC}<video:video {VIDEO}><video:title>v</video:title><video:tag>a</video:tag><video:tag>b</video:tag></video:video>"), []),
    (url(f'{LOC}<video:video {VIDEO}><video:restriction relationship="allow">DE</video:restriction></video:video>'), []),
    (url(f"{LOC}<video:video {VIDEO}><video:colour/></video:video>"), ["video"]),
    (url(f"{LOC}<news:news {NEWS}><news:title>n</news:title></news:news>"), ["news"]),
    (url(f"{LOC}<news:news {NEWS}><news:publication><news:name>n</news:name><news:language>en</news:language></news:publication>"
         "<news:publication_date>2024</news:publication_date><news:title>n</news:title></news:news>"), []),
    (url(f'{LOC}<xhtml:link {XHTML} rel="alternate" hreflang="de" href="https://x.com/de"/>'), []),
    (url(f'{LOC}<xhtml:link {XHTML} rel="alternate" media="print" href="https://x.com/de"> </xhtml:link>'), []),
    (url(f"{LOC}<xhtml:link {XHTML}><xhtml:b/></xhtml:link>"), ["hreflang"]),
    (url(f'{LOC}<x:y xmlns:x="urn:x"><x:z/>text</x:y>'), []),  # anyone may extend
)  # fmt: skip


@pytest.mark.parametrize(("document", "codes"), UNEXTENDED + EXTENDED)
def test_SM_12_codes_of_the_gate(document: str, codes: list[str]) -> None:
    assert [fault.code for fault in schema_faults(document.encode())] == codes
    assert [fault.code for fault in schema_faults(gzip.compress(document.encode()))] == codes


NOT_VALIDATED = (
    (b"", "malformed"),
    (b"<urlset", "malformed"),
    (url(LOC).encode()[:-9], "malformed"),
    (b"\n<?xml version='1.0'?>" + url(LOC).encode(), "malformed"),
    (b"<!DOCTYPE urlset>" + url(LOC).encode(), "doctype"),
    (b'<!DOCTYPE urlset SYSTEM "http://127.0.0.1:9/x.dtd">' + url(LOC).encode(), "doctype"),
    # an entity reference is an internal error to the validator: it must not reach it
    (b'<!DOCTYPE urlset [<!ENTITY a "https://x.com/a">]>' + url("<loc>&a;</loc>").encode(), "doctype"),
    (b"\x1f\x8b\x08", "gzip-damaged"),
    (b"PK\x03\x04", "compression"),
)


@pytest.mark.parametrize(("document", "code"), NOT_VALIDATED)
def test_SM_13_documents_that_are_not_validated(document: bytes, code: str) -> None:
    found = schema_faults(document)
    assert [(fault.code, fault.fatal) for fault in found] == [(code, True)]


def test_nothing_is_fetched_for_a_schema_location() -> None:
    hint = f'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="{NS} http://127.0.0.1:9/x.xsd"'
    document = url(LOC).replace("<urlset", f"<urlset {hint}").encode()
    assert schema_faults(document) == []


def test_lines_are_those_of_the_document() -> None:
    document = f'<urlset xmlns="{NS}">\n\n<url>{LOC}\n<priority>2</priority>\n</url>\n<url>\n<lastmod>2024</lastmod></url>\n</urlset>'
    assert [(fault.code, fault.line) for fault in schema_faults(document.encode())] == [("priority", 4), ("order", 7)]


def test_errors_are_counted_up_to_a_limit() -> None:
    assert len(schema_faults(url(LOC).replace("</urlset>", "<url/>" * 100_000 + "</urlset>").encode())) == 200


@pytest.mark.attack("cost")
def test_a_huge_text_and_a_deep_tree_do_not_stop_the_gate() -> None:
    assert schema_faults(url(f"{LOC}<x:y xmlns:x='urn:x'>{'a' * 12_000_000}</x:y>").encode()) == []
    assert schema_faults(url(f"{LOC}<x:y xmlns:x='urn:x'>{'<x:z>' * 500}{'</x:z>' * 500}</x:y>").encode()) == []


EXPLAINED = (
    # document, the detail of its fault
    (url(f"{LOC}\n<priority>high</priority>"), "/urlset/url/priority: invalid value 'high' for xs:decimal"),
    (url("\n<loc>http://a.b/</loc>"), "/urlset/url/loc: value length cannot be lesser than 12"),
    # xmlschema lets any `%` pass: the words of libxml2 stay
    (url("<loc>https://x.com/%zz</loc>"), "Element 'loc': 'https://x.com/%zz' is not a valid value of the atomic type 'location'."),
)  # fmt: skip


@pytest.mark.parametrize(("document", "detail"), EXPLAINED)
def test_SM_12_a_fault_of_a_small_document_has_its_path_and_cause(document: str, detail: str) -> None:
    faults = schema_faults(document.encode())
    assert [fault.detail for fault in explain_faults(document.encode(), faults)] == [detail]


def test_SM_12_a_large_document_keeps_the_words_of_the_gate() -> None:
    document = url(f"{LOC}\n<priority>high</priority>").replace("</urlset>", " " * 70_000 + "</urlset>").encode()
    assert explain_faults(document, schema_faults(document)) == schema_faults(document) != []
