"""Hostile documents: no exception, linear time, bounded memory, and the tree is released."""

import gc
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import share
from html_pages import HtmlDocument
from sitemap_action.html import extract, tree

URL = "https://x.com/dir/page"
MEGABYTE = 1_000_000

PIECES = [
    *(
        b"<a href=",
        b"<a href='/x'>",
        b"<base href=/b/>",
        b"<link rel=canonical href=/c>",
        b"<meta name=robots content=none>",
    ),
    *(
        b"<html ",
        b"<head>",
        b"</head>",
        b"<body>",
        b"<title>",
        b"</title>",
        b"<noscript>",
        b"</noscript>",
        b"<template>",
    ),
    *(
        b"<script>",
        b"</script>",
        b"<script type=application/ld+json>",
        b'{"dateModified":',
        b"<!--",
        b"-->",
        b"<!-->",
        b"<![CDATA[",
    ),
    *(
        b"<table>",
        b"<tr><td>",
        b"</table>",
        b"<svg>",
        b"</svg>",
        b"<math>",
        b"<select>",
        b"<frameset>",
        b"<plaintext>",
        b"<main>",
    ),
    *(
        b"<article>",
        b"<nav>",
        b"<time datetime=2026>",
        b"<img srcset=",
        b"<div id=root>",
        b"<meta charset=utf-16>",
        b"<?xml ",
    ),
    *(
        b"'",
        b'"',
        b">",
        b"/",
        b"=",
        b"\x00",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        b"&#xD800;",
        b"\xe4\xb8\x96",
        b"\xc3",
        b"Last updated 2026",
    ),
]
HEADERS = [
    (),
    (
        ("content-type", "text/html; charset=shift_jis"),
        ("x-robots-tag", "unavailable_after: x, y: z"),
        ("refresh", "0;url="),
    ),
    (("content-type", "application/pdf"), ("link", "<a>; rel=canonical, <"), ("last-modified", "x")),
]


@pytest.mark.attack("bytes")
@given(st.lists(st.sampled_from(PIECES) | st.binary(max_size=8)), st.sampled_from(HEADERS))
@settings(max_examples=share(400))
def test_never_raises(parts: list[bytes], headers: tuple[tuple[str, str], ...]) -> None:
    document = extract.read(b"".join(parts), headers, URL)
    assert document.facts.size == sum(map(len, parts))
    assert len(set(document.links)) == len(document.links)


@pytest.mark.attack("bytes")
@given(st.binary(), st.text())
def test_never_raises_on_random_bytes_and_headers(body: bytes, value: str) -> None:
    names = ("content-type", "x-robots-tag", "link", "refresh", "last-modified")
    extract.read_headers([(name, value) for name in names], URL, size=len(body))
    assert extract.read(body, [(name, value) for name in names[1:]], URL).media_type == "text/html"


@pytest.mark.attack("bytes")
def test_never_raises_on_a_document_cut_anywhere() -> None:
    body = (
        "<!doctype html><html lang=de><head><meta charset=utf-8><title>Größe</title><base href='/b/'>"
        "<link rel='canonical' href=\"/ä\"><meta name=robots content='noindex'><noscript><img src=/p></noscript></head>"
        "<body><!-- x --><script>location='/y'</script><a href=\"/z?a=1&amp;b=ü\" rel='nofollow'>x</a><svg><a/></svg></body></html>"
    ).encode()
    for end in range(len(body)):
        assert extract.read(body[:end], (), URL).facts.size == end


HOSTILE: list[tuple[str, bytes, Callable[[HtmlDocument], object], object]] = [
    ("10 MB of <div>", b"<div>" * (2 * MEGABYTE), lambda found: found.links, ()),
    ("a link behind 200,000 <div>", b"<div>" * 200_000 + b"<a href=/a>x", lambda found: len(found.links), 1),
    ("1 MB in one attribute", b"<a href='/" + b"a" * MEGABYTE + b"'>x</a><a href=/b>", lambda found: list(found.links), ["https://x.com/b"]),
    ("1 MB of attributes", b"<a " + b"".join(b"a%d " % number for number in range(120_000)) + b"href=/a>", lambda found: len(found.links), 1),
    ("1 MB of one rel", b"<a href=/a rel='" + b"nofollow " * 110_000 + b"'>", lambda found: len(found.nofollow), 1),
    ("a list of 1 MB of directives", b"<meta name=robots content='" + b"x," * 500_000 + b"'>", lambda found: len(found.facts.head.directives), 100),
    ("300,000 canonicals", b"<link rel=canonical href=/a>" * 300_000, lambda found: len(found.facts.head.canonicals), 5000),
    ("attributes behind the first MiB of a tag", b"<a href=/a " + b"".join(b"a%d " % number for number in range(200_000)) + b"rel=nofollow><a href=/b>", lambda found: (found.links, found.nofollow), (("https://x.com/a", "https://x.com/b"), frozenset())),
    ("a quoted MiB is not cut", b"<a href=/a title='" + b"x y " * 400_000 + b"' rel=nofollow><a href=/b>", lambda found: (found.links, found.nofollow), (("https://x.com/a", "https://x.com/b"), frozenset({"https://x.com/a"}))),
    ("a comparison in a script with 2 MiB of data", b"<script>if(a<b){s='it\\'s'} D={'x':'" + b"data " * 400_000 + b"'}</script><a href=/a title=\"it's\">x</a><a href='/b'>y</a>", lambda found: found.links, ("https://x.com/a", "https://x.com/b")),
    ("2 MiB in one address", b"<a href='/" + b"a" * 2 * MEGABYTE + b"'>x</a><a href=/b>", lambda found: list(found.links), ["https://x.com/b"]),
    ("unclosed elements", b"<ul><li><p><b>" * 70_000 + b"<a href=/a>", lambda found: len(found.links), 1),
    ("unclosed formatting with attributes, then blocks", b"<p>" + b"".join(b"<b a%d>" % number for number in range(50_000)) + b"x</p><p>" * 60_000 + b"<a href=/a>", lambda found: len(found.links), 1),
    ("ever new attributes of <html> and <body>", b"".join(b"<html a%d><body b%d>" % (number, number) for number in range(50_000)) + b"<a href=/a>", lambda found: len(found.links), 1),
    ("end tags of nothing", b"<div>" * 50_000 + b"</span></p></b>" * 50_000 + b"<a href=/a>", lambda found: len(found.links), 1),
    ("options", b"<select>" + b"<option>" * 120_000 + b"</select><a href=/a>", lambda found: len(found.links), 1),
    ("templates in templates", b"<template>" * 100_000 + b"<a href=/a>", lambda found: found.links, ()),
    ("noscript in noscript", b"<noscript><a href=/a>" * 50_000, lambda found: len(found.links), 1),
    ("headers in headers", b"<header><nav>" * 80_000 + b"x", lambda found: found.facts.words, 0),
    ("a comment that never ends", b"<!--" + b"<a href=/a>" * 100_000, lambda found: found.links, ()),
    ("brackets", b"<" * MEGABYTE, lambda found: found.links, ()),
    ("entities", b"&CounterClockwiseContourIntegra" * 30_000, lambda found: found.links, ()),
    ("structured data nested beyond reason", b'<script type=application/ld+json>{"dateModified":' + b"[" * MEGABYTE, lambda found: found.facts.dates, ()),
    ("white space", b"<p>" + b" \n" * 500_000, lambda found: found.facts.words, 0),
    ("dates", b"Last updated 2026-01-01 " * 40_000, lambda found: found.facts.words, 129),
]  # fmt: skip


@pytest.mark.attack("cost")
@pytest.mark.parametrize(("body", "fact", "expected"), [row[1:] for row in HOSTILE], ids=[row[0] for row in HOSTILE])
def test_hostile(body: bytes, fact: Callable[[HtmlDocument], object], expected: object) -> None:
    """Quadratic time would not end here."""
    assert fact(extract.read(body, (), URL)) == expected


def test_renaming_costly_tags_changes_no_fact(monkeypatch: pytest.MonkeyPatch) -> None:
    part = "<p class=x>a <b title='<'>b</b> <CODE\nclass=y>c</CODE><i>d</i> <a href=/%d><em>e</em></a></p>\n"
    text = "<!doctype html><html lang=en><head><title>x</title></head><body class=z>" + "".join(
        part % number for number in range(2000)
    )
    renamed = tree._rename_costly(text)
    assert renamed.count("<x-") == renamed.count("</x-") == 8000
    assert (renamed.count("<html lang"), renamed.count("<body class")) == (1, 1)
    found = extract.read(text.encode(), (), URL)
    assert (len(found.links), found.facts.words) == (2000, 512)
    monkeypatch.setattr(tree, "_MIN_COSTLY_TAGS", 10**9)
    assert extract.read(text.encode(), (), URL) == found


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc")
def test_the_tree_is_released() -> None:
    """The tree of one of these pages takes some 3 MB; forty of them would exceed the limit."""
    body = b"<title>x</title><link rel=canonical href=/c>" + b"<p class=a><a href=/a rel=nofollow>x</a> y</p>" * 6000
    documents = [extract.read(body, (), URL) for _ in range(5)]
    gc.collect()
    before = resident()
    documents += [extract.read(body, (), URL) for _ in range(40)]
    gc.collect()
    assert len({document.facts.fingerprint for document in documents}) == 1
    assert resident() - before < 40 * MEGABYTE
