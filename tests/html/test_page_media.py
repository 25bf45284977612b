"""Videos and articles that pages state, and what a hostile page states instead."""

import json

import pytest

from html_pages import read, read_with
from sitemap_action.model.page import PageArticle, PageMedia, PageVideo

URL = "https://x.com/dir/a"
LD = "<script type=application/ld+json>%s</script>"
VIDEO = {"@type": "VideoObject", "name": "n", "description": "d", "thumbnailUrl": "t.jpg", "contentUrl": "/v.mp4"}
FOUND = PageVideo("https://x.com/dir/t.jpg", "n", "d", "https://x.com/v.mp4")


def media(markup: str) -> PageMedia:
    return read(markup, ("content-type", "text/html; charset=utf-8"), url=URL).facts.media


def video(**changed: object) -> str:
    return LD % json.dumps(VIDEO | changed)


VIDEOS: list[tuple[str, str, list[PageVideo]]] = [
    ("JSON-LD", video(), [FOUND]),
    ("several types", video(**{"@type": ["Thing", "https://schema.org/VideoObject"]}), [FOUND]),
    ("of an article", LD % json.dumps({"@type": "Article", "video": [VIDEO]}), [FOUND]),
    ("each once", video() + video(), [FOUND]),
    ("pages that are listed", LD % json.dumps({"@type": "ItemList", "itemListElement": [VIDEO]}), []),
    ("another type", video(**{"@type": "VideoObjectSnapshot"}), []),
    ("a duration", video(duration="PT2M3.5S"), [FOUND._replace(duration="123")]),
    ("no duration", video(duration="two minutes"), [FOUND]),
    ("a thumbnail of its own", video(thumbnailUrl="", thumbnail={"url": "/o.jpg"}), [FOUND._replace(thumbnail="https://x.com/o.jpg")]),
    ("no address", video(contentUrl="javascript:alert(1)", embedUrl="data:,x"), [FOUND._replace(content="")]),
    ("a long text", video(name="n" * 2_000), [FOUND._replace(title="n" * 1_000)]),
    ("characters that no file holds", video(name="a\ud800\u0000b\n c\uffff"), [FOUND._replace(title="a b c")]),
    ("Open Graph player", "<meta property=og:video content=/p><meta property=og:video:type content=text/html>", [PageVideo(player="https://x.com/p")]),
    ("Open Graph Flash", "<meta property=og:video content=/p><meta property=og:video:type content=application/x-shockwave-flash>", []),
    ("nothing", "<p>VideoObject</p>", []),
    ("no JSON", LD % '{"@type": "VideoObject"', []),
    ("nested beyond reason", LD % ('{"@type":"VideoObject","video":' + "[" * 100_000), []),
    ("too large", LD % json.dumps([VIDEO, " " * (1 << 20)]), []),
    ("odd values", video(name=[1], description={"a": []}, thumbnailUrl=[[]], contentUrl=7, thumbnail="x", duration=None), [PageVideo()]),
]  # fmt: skip


@pytest.mark.parametrize(("markup", "expected"), [row[1:] for row in VIDEOS], ids=[row[0] for row in VIDEOS])
def test_videos(markup: str, expected: list[PageVideo]) -> None:
    found = media(markup)
    assert list(found.videos) == expected
    str(found).encode()  # no lone surrogate is left


TWINS = [
    ('<link rel="alternate" type="text/markdown" href="/a.md">', "", ["https://x.com/a.md"]),
    ("", '<b.md>; rel="alternate"; type="text/markdown"', ["https://x.com/dir/b.md"]),
    ('<link rel="alternate" type="application/rss+xml" href="/a.xml">', "</c>; rel=canonical", []),
]


def test_AGT_02_a_twin_is_named_by_the_document_or_a_header() -> None:
    for markup, header, expected in TWINS:
        headers = [("content-type", "text/html"), *([("link", header)] if header else [])]
        assert list(read(markup, *headers, url=URL).facts.head.markdown) == expected, (markup, header)


def test_at_most_100_videos_of_10_000_values() -> None:
    many = [VIDEO | {"name": str(number)} for number in range(200)]
    assert len(media(LD % json.dumps(many)).videos) == 100
    assert len(media(LD % json.dumps([*[1] * 20_000, *many])).videos) == 0


ARTICLES: list[tuple[str, str, list[PageArticle]]] = [
    ("Open Graph", "<title>T</title><meta property=article:published_time content=2026-11-20>", [PageArticle("2026-11-20", "T")]),
    ("its title", "<title>T</title><meta property=article:published_time content=2026-11-20><meta property=og:title content='A b'>", [PageArticle("2026-11-20", "A b")]),
    ("JSON-LD", "<title>T</title>" + LD % '{"@type":"NewsArticle","datePublished":"2026-11-20","headline":"H"}', [PageArticle("2026-11-20", "H")]),
    ("no article", LD % '{"@type":"WebPage","datePublished":"2026-11-20","headline":"H"}', []),
    ("without a date", "<title>T</title>" + LD % '{"@type":"NewsArticle","headline":"H"}', []),
    ("a lone surrogate", LD % '{"@type":"Article","datePublished":"2026\\ud800","dateModified":"\\ud800"}', [PageArticle("2026", "")]),
]  # fmt: skip


@pytest.mark.parametrize(("markup", "expected"), [row[1:] for row in ARTICLES], ids=[row[0] for row in ARTICLES])
def test_articles(markup: str, expected: list[PageArticle]) -> None:
    found = media(markup)
    assert list(found.articles) == expected
    str(found).encode()


def test_nothing_is_read_unless_it_is_requested() -> None:
    found = read_with(video().encode())
    assert (found.facts.media.videos, found.facts.media.articles) == ((), ())
