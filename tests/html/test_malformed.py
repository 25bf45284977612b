"""Malformed documents: the tree equals that of html5lib, the reference tree builder."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sitemap_action.html.tree import HtmlTree

html5lib = pytest.importorskip("html5lib", reason="the reference tree builder is not installed")

CASES: dict[str, str] = json.loads((Path(__file__).parent / "malformed.json").read_text(encoding="utf-8"))
TAGS = {"a": ("href", "rel"), "area": ("href",), "base": ("href",), "img": ("src",), "link": ("rel", "href")}
TAGS["meta"] = ("name", "http-equiv", "content")

OTHERWISE = {
    # html5lib 1.1 follows an older standard; these follow the living one
    "template": [("a", "/2 ", False)],
    "select": [("a", "/1 ", False), ("a", "/2 ", False)],
    # turbohtml makes the same link once more behind <isindex>, which it takes for a block
    "unknown elements": [("a", "/2 ", False), ("a", "/2 ", False), ("a", "/2 ", False), ("a", "/4 ", False)],
}


def ours(text: str) -> list[tuple[str, str, bool]]:
    tree = HtmlTree(text)
    inside = set() if tree.head is None else set(tree.head.children)
    return [
        (element.tag, " ".join(element.attr(name) or "" for name in TAGS[element.tag]), element in inside)
        for element in tree._document.select(", ".join(TAGS))
    ]


def reference(text: str) -> Iterator[tuple[str, str, bool]]:
    waiting: list[tuple[Any, bool]] = [
        (html5lib.HTMLParser(namespaceHTMLElements=False).parse(text, scripting=True), False)
    ]
    while waiting:
        node, head = waiting.pop()
        if isinstance(node.tag, str):
            tag = node.tag.rpartition("}")[2]
            if tag in TAGS:
                yield tag, " ".join(node.get(name) or "" for name in TAGS[tag]), head
            waiting += [(child, tag == "head") for child in reversed(node)]


@pytest.mark.parametrize("name", CASES)
def test_as_the_reference(name: str) -> None:
    expected = OTHERWISE.get(name) or list(reference(CASES[name]))
    assert ours(CASES[name]) == expected


def test_every_exception_is_one() -> None:
    for name, found in OTHERWISE.items():
        assert found != list(reference(CASES[name]))


def test_deep_nesting_loses_nothing() -> None:
    for text in ("<div>" * 3000 + "<a href=/deep>x</a>", "<b><i>" * 400 + "<a href=/deep>x</a>"):
        assert ours(text) == [("a", "/deep ", False)]
