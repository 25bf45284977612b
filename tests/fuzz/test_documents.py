"""What a site serves, fuzzed: no bytes raise, and what is read has the form that is promised.

`SITEMAP_ACTION_FUZZ` is the number of examples of each reader; `make fuzz` sets a large one.
"""

import gzip
import zlib
from contextlib import suppress
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mutations import documents, fuzz, texts
from sitemap_action.checks.all import check_set
from sitemap_action.checks.base import FileOptions
from sitemap_action.fetch.base import Response
from sitemap_action.fetch.curl import parse_head, redirect_target
from sitemap_action.fetch.policies import retry_after
from sitemap_action.html import directives, extract
from sitemap_action.model.sitemap import DocumentStart, Entry, Fault, SitemapDocument
from sitemap_action.robots.groups import Profile
from sitemap_action.robots.groups import parse as parse_robots
from sitemap_action.sitemap.decode import inflate
from sitemap_action.sitemap.faults import FATAL, StopReading
from sitemap_action.sitemap.read import read
from sitemap_action.sitemap.schema import schema_faults
from sitemap_action.web.headers import content_type, header_links
from sitemap_action.web.urls import MAX_LENGTH

pytestmark = pytest.mark.filterwarnings("ignore:Generating overly large repr")
URL = "https://www.example.com/"
NOW = datetime(2026, 1, 1, tzinfo=UTC)
INFLATED = 200_000

NAMESPACES = (
    b'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" '
    b'xmlns:video="http://www.google.com/schemas/sitemap-video/1.1" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9" '
    b'xmlns:xhtml="http://www.w3.org/1999/xhtml"'
)
ENTRY = b"<url><loc>https://www.example.com/a?b=1&amp;c=2</loc><lastmod>2026-01-01T00:00:00Z</lastmod><changefreq>daily</changefreq><priority>0.5</priority></url>\n"
RICH = (
    b'<url><loc>https://www.example.com/b</loc><xhtml:link rel="alternate" hreflang="de" href="https://www.example.com/de"/>'
    b"<image:image><image:loc>https://www.example.com/i.png</image:loc></image:image><video:video><video:thumbnail_loc>"
    b"https://x.com/t</video:thumbnail_loc><video:title>T</video:title><video:description>D</video:description></video:video>"
    b"<news:news><news:publication><news:name>N</news:name><news:language>en</news:language></news:publication>"
    b"<news:publication_date>2026-01-01</news:publication_date><news:title>T</news:title></news:news></url>"
)
XML = (
    b'<?xml version="1.0" encoding="UTF-8"?>\n<urlset ' + NAMESPACES + b">\n" + ENTRY * 3 + b"</urlset>",
    b"<urlset " + NAMESPACES + b">" + ENTRY + RICH + ENTRY + b"</urlset>",
    b"<sitemapindex " + NAMESPACES + b"><sitemap><loc>https://www.example.com/1.xml</loc></sitemap></sitemapindex>",
    b'<?xml version="1.0" encoding="UTF-16"?><urlset/>',
    b'<?xml version="1.0" encoding="ISO-8859-1"?><!DOCTYPE urlset [<!ENTITY a "b">]><urlset><url><loc>&a;</loc></url></urlset>',
)
FEEDS = (
    b'<rss version="2.0"><channel><item><link>https://www.example.com/a</link><pubDate>Thu, 01 Jan 2026 00:00:00 GMT</pubDate></item></channel></rss>',
    b'<feed xmlns="http://www.w3.org/2005/Atom"><entry><link rel="alternate" href="/a"/><updated>2026-01-01T00:00:00Z</updated></entry></feed>',
)
TEXTS = (b"https://www.example.com/\nhttps://www.example.com/a\n", b"\xef\xbb\xbfhttps://www.example.com/\r\n\r\n")
TAGS = (
    b"<url>", b"</url>", b"<loc>", b"</loc>", b"<lastmod>", b"</lastmod>", b"<priority>", b"<sitemap>", b"<![CDATA[", b"]]>", b"<!--", b"-->",
    b"<?x ?>", b"&amp;", b"&#10;", b"&#0;", b"&lol;", b"<!DOCTYPE x [", b"<!ENTITY x SYSTEM 'file:///etc/passwd'>", b'xmlns:a="b"', b"</urlset>",
    b"<urlset>", b"https://www.example.com/", b"javascript:", b"\xc3\x28", b'encoding="utf-7"', b"<rss>", b"<link/>", b"<image:image>",
)  # fmt: skip


def assert_events(data: bytes, name: str = "") -> list[object]:
    events = list(read(data, name=name, inflated=INFLATED))
    assert isinstance(events[0], DocumentStart)
    assert sum(isinstance(event, DocumentStart) for event in events) == 1
    fatal = [event for event in events if isinstance(event, Fault) and event.code in FATAL]
    assert fatal in ([], events[-1:])
    lines = data.count(b"\n") + data.count(b"\r") + 2
    for event in events:
        if isinstance(event, Entry):
            assert 0 < event.line <= lines or data.startswith(b"\x1f\x8b")
    return list(events)


@pytest.mark.attack("bytes")
@given(documents(XML, TAGS), st.integers(1, 400))
@fuzz()
def test_an_xml_sitemap(data: bytes, size: int) -> None:
    events = assert_events(data, "sitemap.xml")
    assert (
        list(read([data[at : at + size] for at in range(0, len(data), size)], name="sitemap.xml", inflated=INFLATED))
        == events
    )


@pytest.mark.attack("bytes")
@given(documents(XML, TAGS))
@fuzz(2)
def test_an_xml_sitemap_and_every_rule(data: bytes) -> None:
    document = SitemapDocument("sitemap.xml", data, f"{URL}sitemap.xml")
    for finding in check_set([document], FileOptions(NOW)).findings:
        assert finding.rule.id
    for fault in schema_faults(data):
        assert fault.line >= 0


@pytest.mark.attack("bytes")
@given(documents(FEEDS, TAGS))
@fuzz()
def test_a_feed(data: bytes) -> None:
    assert_events(data)


@pytest.mark.attack("bytes")
@given(documents(TEXTS, TAGS))
@fuzz()
def test_a_text_sitemap(data: bytes) -> None:
    assert_events(data, "sitemap.txt")


@pytest.mark.attack("bytes")
@given(documents([gzip.compress(XML[0]), gzip.compress(gzip.compress(XML[1])), gzip.compress(XML[2]) * 3], [gzip.compress(b""), b"\x1f\x8b", b"\x1f\x8b\x08", zlib.compress(XML[0])]))  # fmt: skip
@fuzz()
def test_gzip(data: bytes) -> None:
    assert_events(data, "sitemap.xml.gz")
    size = 0
    with suppress(StopReading):
        for piece in inflate(data, lambda _: None, limit=50_000)[0]:
            size += len(piece)
    assert size <= 50_000


PAGES = (
    (
        b"<!doctype html><html lang=de><head><meta charset=utf-8><title>T</title><base href='/b/'><link rel=canonical href=/a>"
        b"<meta name=robots content='noindex, max-snippet:3, unavailable_after: 1 Jan 2026'><link rel=alternate hreflang=fr href=/fr>"
        b'<script type=\'application/ld+json\'>{"dateModified":"2026-01-01"}</script></head><body><h1>H</h1>'
        b"<a href='/z?a=1&amp;b=\xc3\xbc' rel=nofollow>x</a><img srcset='/i 1x, /j 2x'><noscript><a href=/n>n</a></noscript></body></html>"
    ),
    b"<meta http-equiv=refresh content='0; url=/x'><meta http-equiv=content-type content='text/html; charset=shift_jis'><p>\x83\x5c",
    b"<template><svg><math><table><select><frameset><plaintext>",
)
HTML = (
    b"<div>", b"</div>", b"<a href=", b"'", b'"', b">", b"<b>", b"<i>", b"<p>", b"<table>", b"<template>", b"</template>", b"<svg>", b"<math>",
    b"<title>", b"<script>", b"</script>", b"<style>", b"<!--", b"<![CDATA[", b"&#x110000;", b"&#55296;", b"<base href=//[>", b"<meta charset=",
    b"utf-16", b"x-user-defined", b"hreflang=x-default", b"srcset=,,,", b"<select>", b"<option>", b"<noscript>", b"<frameset>", b"<plaintext>",
)  # fmt: skip
NAMES = ("content-type", "x-robots-tag", "link", "refresh", "last-modified")


@pytest.mark.attack("bytes")
@given(documents(PAGES, HTML), st.booleans())
@fuzz()
def test_a_page(body: bytes, typed: bool) -> None:
    headers = (("content-type", "text/html; charset=utf-8"),) if typed else ()
    document = extract.read(body, headers, URL)
    assert document.facts.size == len(body)
    for link in (*document.links, *document.related, *document.facts.head.canonicals):
        assert isinstance(link, str) or link
    assert all(link.startswith(("http://", "https://")) and len(link) <= MAX_LENGTH for link in document.links)
    assert len(set(document.links)) == len(document.links)
    assert document.nofollow <= set(document.links)
    directives.find_noindex(document.facts.head.directives, now=NOW)


VALUES = (
    "text/html; charset=utf-8",
    "noindex, nofollow",
    "googlebot: noindex",
    "unavailable_after: 25 Jun 2026 15:00:00 PST",
    '<https://www.example.com/a>; rel="canonical", </b>; rel=alternate; hreflang=de',
    "0; url=/x",
    "Thu, 01 Jan 2026 00:00:00 GMT",
    "120",
)
PARTS = (
    "<",
    ">",
    ";",
    ",",
    '"',
    "\\",
    "=",
    "rel=",
    "canonical",
    "charset",
    ":",
    "99999999999999999999",
    "-1",
    "Jan",
    "+2500",
    "googlebot",
    "'",
)


@pytest.mark.attack("bytes")
@given(st.lists(st.tuples(st.sampled_from([*NAMES, "location", "retry-after"]), texts(VALUES, PARTS)), max_size=4))
@fuzz()
def test_response_headers(headers: list[tuple[str, str]]) -> None:
    found = extract.read_headers(headers, URL, size=3)
    directives.find_noindex(found.facts.head.directives, now=NOW)
    directives.unparsable_dates(found.facts.head.directives)
    assert all(isinstance(part, str) for part in content_type(headers))
    header_links(headers)
    target = redirect_target(URL, 301, tuple(headers))
    assert target == "" or target.startswith(("http://", "https://"))
    pause = retry_after(Response(url=URL, status=503, headers=tuple(headers), body=b""), NOW)
    assert pause is None or pause >= 0


HEADS = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX: a\r\n b\r\n\r\n",
    b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/2 301\nLocation: /\xe4\n\n",
)


@pytest.mark.attack("bytes")
@given(documents(HEADS, [b"HTTP/1.1 200", b"\r\n\r\n", b": ", b":", b"\n ", b"Location: ", b"A"]))
@fuzz()
def test_the_head_of_an_answer(raw: bytes) -> None:
    for name, value in parse_head(raw):
        assert name == name.strip().lower()
        assert "\n" not in name + value


RULES = (
    b"User-agent: *\nDisallow: /a*b$\nAllow: /\nCrawl-delay: 3\nSitemap: https://www.example.com/sitemap.xml\n",
    b"\xef\xbb\xbfuser-agent:Googlebot # x\r\nuser agent: b\rdisallow:/\xc3\xa4%2f\n\nNoindex: /\n",
)
LINES = (b"User-agent:", b"Disallow:", b"Allow:", b"Sitemap:", b"Crawl-delay:", b"*", b"$", b"#", b"/", b"%2", b"%2F", b"Googlebot", b"<html>", b"1e309", b"nan")  # fmt: skip


@pytest.mark.attack("bytes")
@given(documents(RULES, LINES), st.sampled_from(list(Profile)), texts([f"{URL}a/b?c"], ["*", "$", "%", "//", "a"]))
@fuzz()
def test_robots_txt(body: bytes, profile: Profile, url: str) -> None:
    rules = parse_robots(body, profile)
    for agent in ("Googlebot", "*", "", *rules.agents[:3]):
        verdict = rules.verdict(agent, url)
        assert verdict.line <= body.count(b"\n") + body.count(b"\r") + 1
        delay = rules.crawl_delay(agent)
        assert delay is None or delay >= 0
        rules.find_shadowed(agent)
