"""Which HTML parser: time per page, differences from the reference on malformed documents, growth on hostile ones.

Run: python benchmarks/html_parsers.py

Why turbohtml. Correctness does not separate it from lexbor (selectolax): on malformed documents both build the tree
that html5lib, the reference, builds, with few exceptions. In 30,000 random documents lexbor lost `<table><image>`, and
turbohtml 1.15 took `<isindex>` for a block and ended the head at a second `<head>`, which `html/tree.py` removes. lxml
differs in many, and its tree silently drops what is nested deeper than 256 elements. Time does separate them:
turbohtml parses in about half of lexbor's time. Growth decides: everything from a site is hostile, and lexbor needs
time in the square of the depth of nesting, of the attributes of one tag and of the options of a list, so that one
megabyte of `<div>` takes minutes and ten take hours; turbohtml takes a third of a second. That lexbor frees the GIL
while it parses buys nothing here: a crawl reads one page at a time, and several processes read a large build.

Measured growth includes the machine: one megabyte fits the processor's caches, ten do not. Ever new attributes of one
tag would take fifteen times as long, so a tag is truncated after a megabyte of them.
"""

import copy
import importlib.util
import json
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from urllib.parse import urljoin

import turbohtml

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from sitemap_action.html import extract
from sitemap_action.html.document import HtmlDocument, RawDocument
from sitemap_action.html.links import Resolver
from sitemap_action.html.tree import HtmlTree

Item = tuple[str, str, bool]  # tag, attribute values, whether in the head
Reader = Callable[[str], list[Item]]

PAGES, LINKS, ROUNDS = 60, 50, 9
BEFORE = 600  # pages of the site that are read before timing, as in the middle of a crawl
BATCHED = "… in batches, as crawled"
READ, PEER = "html.extract.read, every fact", "lexbor: tags and attributes"
AT_MOST = 2.25
GROWTH = 12
TAGS = {"a": ("href",), "area": ("href",), "base": ("href",), "img": ("src",), "link": ("rel", "href")}
TAGS["meta"] = ("name", "http-equiv", "content")
MALFORMED = Path(__file__).resolve().parent.parent / "tests/html/malformed.json"
OUT_OF_DATE = {"template", "select"}  # html5lib 1.1 follows an older standard there
"""Rows that are printed and not counted."""

TEXT = "a quick brown fox jumps over the lazy dog while many people watch and consider what speed is worth in pages"
WORDS = TEXT.split()


def page(number: int) -> str:
    """About 30 KB with 50 links: a menu, a footer, and parts that link to pages of the section, four to any page."""
    rng = random.Random(number)
    words = lambda count: " ".join(rng.choice(WORDS) for _ in range(count))  # noqa: E731
    url = f"https://www.example.com/section{number % 20}/page{number}.html"
    parts = [
        f"<!doctype html><html lang=en><head><meta charset=utf-8><title>Page {number}</title>",
        f'<meta name="description" content="{words(15)}"><meta name="robots" content="index,follow">',
        f'<link rel="canonical" href="{url}"><link rel="stylesheet" href="/assets/app.3f2a9c1b.css">',
        f'<link rel="alternate" hreflang="de" href="https://www.example.com/de/page{number}.html">',
        f'<meta property="og:image" content="/img/{number}.jpg"><script src="/assets/app.91ab2c3d.js"></script>',
        f'<script type="application/ld+json">{{"@type": "Article", "headline": "{words(5)}",',
        '"dateModified": "2026-10-01"}</script></head><body><header><a href=/>Home</a></header><nav><ul>',
        *(f'<li><a class="item" href="/section{index}/">Section {index}</a></li>' for index in range(14)),
        f"</ul></nav><main><article><h1>{words(4)}</h1>",
    ]
    for index in range(30):
        target = (
            f"page{rng.randrange(40)}.html" if index % 8 else f"../section{rng.randrange(20)}/page{index}{number}.html"
        )
        parts.append(
            f'<section class="part"><h2 id="part-{index}">{words(4)}</h2><p class="text">{words(71)} '
            f'<a class="link" href="{target}">{words(3)}</a> <em>{words(3)}</em> {words(71)}</p></section>'
        )
    parts.append("</article></main><footer>")
    parts += [f"<a href=/legal{index}>Legal {index}</a>" for index in range(5)]
    return "".join([*parts, "<p>&copy; 2026 Example</p></footer></body></html>"])


def item(tag: str, value: Callable[[str], str | None], *, head: bool) -> Item:
    return tag, " ".join(value(name) or "" for name in TAGS[tag]), head


def with_turbohtml(text: str) -> list[Item]:
    tree = HtmlTree(text)
    inside = set() if tree.head is None else set(tree.head.children)
    found = tree._document.select(", ".join(TAGS))  # noqa: SLF001 - the tree as the product builds it
    return [item(element.tag, element.attr, head=element in inside) for element in found]


def with_lexbor(text: str) -> list[Item]:
    from selectolax.lexbor import LexborHTMLParser

    found = LexborHTMLParser(text, scripting=True).css(", ".join(TAGS))
    return [item(node.tag, node.attributes.get, head=node.parent.tag == "head") for node in found]


def with_lxml(text: str) -> list[Item]:
    from lxml import etree

    root = etree.fromstring(text.encode() or b" ", etree.HTMLParser(encoding="utf-8"))
    found = [] if root is None else root.iter(*TAGS)
    return [
        item(node.tag, node.get, head=node.getparent() is not None and node.getparent().tag == "head") for node in found
    ]


class Target:
    """Receives the events of lxml's target parser; a head ends where a body starts."""

    def __init__(self) -> None:
        self.items: list[Item] = []
        self.head = True

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.head = self.head and tag != "body"
        if tag in TAGS:
            self.items.append(item(tag, attributes.get, head=self.head))

    def close(self) -> list[Item]:
        return self.items


def with_lxml_target(text: str) -> list[Item]:
    from lxml import etree

    return etree.fromstring(text.encode() or b" ", etree.HTMLParser(target=Target(), encoding="utf-8"))


def with_html5lib(text: str) -> list[Item]:
    import html5lib

    tree = html5lib.HTMLParser(namespaceHTMLElements=False).parse(text, scripting=True)
    return list(reference_items(tree))


def reference_items(root: object) -> Iterable[Item]:
    waiting = [(root, False)]
    while waiting:
        node, head = waiting.pop()
        if isinstance(node.tag, str):
            tag = node.tag.rpartition("}")[2]
            if tag in TAGS:
                yield item(tag, node.get, head=head)
            waiting += [(child, tag == "head") for child in reversed(node)]


READERS: dict[str, Reader] = {
    "turbohtml": with_turbohtml,
    "lexbor": with_lexbor,
    "lxml": with_lxml,
    "lxml target": with_lxml_target,
    "html5lib": with_html5lib,
}
MODULES = {"lexbor": "selectolax", "lxml target": "lxml"}


def available() -> dict[str, Reader]:
    for name in READERS:
        if importlib.util.find_spec(MODULES.get(name, name)) is None:
            print(f"{name} is not installed: skipped")
    return {name: reader for name, reader in READERS.items() if importlib.util.find_spec(MODULES.get(name, name))}


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def url(number: int) -> str:
    return f"https://www.example.com/section{number % 20}/page{number}.html"


@cache
def resolver_of_before() -> Resolver:
    """The caches of a crawl before the pages that are timed."""
    resolver = Resolver()
    for number in range(PAGES, PAGES + BEFORE):
        extract.read(page(number).encode(), (), url(number), resolver=resolver)
    return resolver


def jobs(readers: dict[str, Reader], pages: list[str]) -> dict[str, tuple[Callable[[], object], int]]:
    """The function to time, and the number of pages that it reads."""
    bodies = [text.encode() for text in pages]
    fields = [("content-type", "text/html; charset=utf-8")]
    shared, other = copy.deepcopy(resolver_of_before()), copy.deepcopy(resolver_of_before())

    def read(resolver: Resolver | None) -> None:
        for number, body in enumerate(bodies):
            extract.read(body, fields, url(number), resolver=resolver)

    def read_batches(resolver: Resolver) -> None:
        answers = [RawDocument(body, fields, url(number)) for number, body in enumerate(bodies)]
        for _ in extract.read_all(answers, resolver=resolver):
            pass

    found: dict[str, tuple[Callable[[], object], int]] = {
        READ: (lambda: read(shared), len(pages)),
        BATCHED: (lambda: read_batches(other), len(pages)),
        "… when every link is new": (lambda: read(None), len(pages)),
    }
    for name, reader in readers.items():
        sample = pages[:2] if name == "html5lib" else pages
        found[f"{name}: tags and attributes"] = (
            lambda reader=reader, sample=sample: [*map(reader, sample)],
            len(sample),
        )
    found["turbohtml: parse only"] = (lambda: [turbohtml.parse(text, positions=False) for text in pages], len(pages))
    if "lexbor" in readers:
        from selectolax.lexbor import LexborHTMLParser

        found["lexbor: parse only"] = (lambda: [LexborHTMLParser(text) for text in pages], len(pages))
    if "lxml" in readers:
        from lxml import etree

        parser = etree.HTMLParser(encoding="utf-8")
        found["lxml: parse only"] = (lambda: [etree.fromstring(body, parser) for body in bodies], len(pages))
    hrefs = [(url(number), href) for number, text in enumerate(pages) for href in HtmlTree(text).hrefs()]
    found["urllib: urljoin of the links"] = (lambda: [urljoin(base, href) for base, href in hrefs], len(pages))
    return found


def time_table(readers: dict[str, Reader]) -> None:
    pages = [page(number) for number in range(PAGES)]
    size = sum(map(len, pages)) / PAGES / 1000
    taken: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        for name, (work, count) in jobs(readers, pages).items():
            if "html5lib" not in name or len(taken.get(name, ())) < 2:
                taken.setdefault(name, []).append(seconds(work) / count * 1000)
    print(f"\nTime per page of {size:.1f} KB with {LINKS} links; {ROUNDS} interleaved rounds\n")
    print(f"{'':32}{'median ms':>10}{'best ms':>10}{'read / this':>14}")
    ours = statistics.median(taken[READ])
    for name, values in taken.items():
        median = statistics.median(values)
        print(f"{name:32}{median:10.3f}{min(values):10.3f}{ours / median:14.2f}")
    if PEER in taken:
        met = word(ours <= AT_MOST * statistics.median(taken[PEER]))
        print(f"\nAt most {AT_MOST} times the tags and attributes alone, as lexbor reads them: {met}")


def word(met: bool) -> str:
    return "met" if met else "not met"


def difference_table(readers: dict[str, Reader]) -> None:
    if "html5lib" not in readers:
        print("\nhtml5lib is not installed: no reference to compare with")
        return
    cases = json.loads(MALFORMED.read_text(encoding="utf-8"))
    cases["deep nesting"] = "<div>" * 3000 + "<a href=/deep>x</a>"
    cases["deep nesting of formatting"] = "<b><i>" * 400 + "<a href=/deep>x</a>"
    sys.setrecursionlimit(20_000)
    expected = {name: attempt(readers["html5lib"], text) for name, text in cases.items()}
    print(f"\nDifferences from html5lib in {len(cases) - len(OUT_OF_DATE)} malformed documents")
    for name, reader in readers.items():
        if name != "html5lib":
            other = [case for case, text in cases.items() if attempt(reader, text) != expected[case]]
            counted = [case for case in other if case not in OUT_OF_DATE]
            print(f"\n{name}: {len(counted)}")
            for case in other:
                print(f"    {case}" + (" (not counted: the reference is out of date)" if case in OUT_OF_DATE else ""))


def attempt(reader: Reader, text: str) -> list[Item] | str:
    try:
        return reader(text)
    except Exception as error:  # noqa: BLE001 - whatever a parser raises is its answer
        return f"{type(error).__name__}: {error}"


def repeated(piece: bytes) -> Callable[[int], bytes]:
    return lambda size: piece * (size // len(piece))


def numbered(piece: str, after: bytes = b"") -> Callable[[int], bytes]:
    """Half of the size in pieces that differ, half in what comes after."""

    def build(size: int) -> bytes:
        share = size // 2 if after else size
        first = "".join(piece % number for number in range(share // len(piece % 100_000))).encode()
        return first + after * ((size - share) // len(after) if after else 0)

    return build


HOSTILE: dict[str, Callable[[int], bytes]] = {
    "<div>": repeated(b"<div>"),
    "<a href=x>": repeated(b"<a href=x>"),
    "<ul><li>": repeated(b"<ul><li>"),
    "<header>": repeated(b"<header>"),
    "<meta name=robots content=none>": repeated(b"<meta name=robots content=none>"),
    "<link rel=canonical href=/a>": repeated(b"<link rel=canonical href=/a>"),
    "<noscript><a href=/x>": repeated(b"<noscript><a href=/x>"),
    "<template>": repeated(b"<template>"),
    "<div></span>": repeated(b"<div></span>"),
    "one tag, many attributes": lambda size: b"<a " + numbered("a%d ")(size) + b"href=/x>y",
    "one long attribute": lambda size: b"<a href='/" + b"a" * size + b"'>x",
    "unclosed formatting, then blocks": lambda size: b"<p>" + numbered("<b a%d>", b"x</p><p>")(size),
    "<html a0><html a1>": numbered("<html a%d>"),
    "words": repeated(b"word "),
    "Last updated 2026": repeated(b"<p>Last updated 2026"),
}


def user_seconds(work: Callable[[], object]) -> float:
    """Without the system's share, which is what fresh memory costs."""
    try:
        import resource
    except ImportError:  # Windows
        return seconds(work)
    start = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    work()
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime - start


def growth_table() -> None:
    print(f"\nTen times the bytes: user seconds of html.extract.read, at most {GROWTH} times as long\n")
    print(f"{'':36}{'1 MB':>8}{'10 MB':>8}{'ratio':>8}")
    for name, build in HOSTILE.items():
        small, large = build(10**6), build(10**7)
        one = min(user_seconds(lambda small=small: [read_one(small) for _ in range(5)]) for _ in "123") / 5
        ten = min(user_seconds(lambda large=large: read_one(large)) for _ in "123")
        print(f"{name:36}{one:8.3f}{ten:8.3f}{ten / one:8.1f}  {word(ten <= GROWTH * one)}")


def read_one(body: bytes) -> HtmlDocument:
    return extract.read(body, (), "https://x.com/")


def growth_of_lexbor() -> None:
    from selectolax.lexbor import LexborHTMLParser

    print("\nFour times the bytes: seconds to parse 25 KB and 100 KB\n")
    print(f"{'':36}{'lexbor':>16}{'ratio':>8}{'turbohtml':>16}{'ratio':>8}")
    for name in ("<div>", "<ul><li>", "one tag, many attributes", "<div></span>"):
        row = f"{name:36}"
        for parse in (LexborHTMLParser, HtmlTree):
            small, large = (best_parse(parse, HOSTILE[name](size).decode()) for size in (25_000, 100_000))
            row += f"{small:8.4f}{large:8.4f}{large / small:8.1f}"
        print(row)


def best_parse(parse: Callable[[str], object], text: str) -> float:
    return min(seconds(lambda: parse(text)) for _ in range(3))


def main() -> None:
    readers = available()
    time_table(readers)
    difference_table(readers)
    growth_table()
    if "lexbor" in readers:
        growth_of_lexbor()


if __name__ == "__main__":
    main()
