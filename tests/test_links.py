"""Every link of every document leads somewhere: a file, a heading of it, or a well-formed address."""

import re
import unicodedata
from functools import cache
from pathlib import PurePosixPath
from posixpath import normpath
from urllib.parse import urlsplit

import pytest

from documents import DOCUMENTS, ROOT, prose

LINK = re.compile(r"(?<!!)\[(?:[^\[\]]|\[[^\[\]]*\])*\]\(([^)\s]+)\)")


def links(document: str) -> list[str]:
    return LINK.findall(re.sub(r"`[^`\n]*`", "x", prose(document)))


@cache
def anchors(document: str) -> frozenset[str]:
    """As GitHub and the site make them of headings."""
    found: dict[str, int] = {}
    names = set()
    for heading in re.findall(r"(?m)^#{1,6} +(.+?) *$", prose(document)):
        name = slug(heading)
        number = found.get(name, 0)
        found[name] = number + 1
        names.add(f"{name}-{number}" if number else name)
    return frozenset(names)


def slug(heading: str) -> str:
    words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
    kept = "".join(one for one in words if one in " -_" or unicodedata.category(one)[0] in "LN")
    return kept.replace(" ", "-")


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_lead_somewhere(document: str) -> None:
    for link in links(document):
        if "://" in link:
            parts = urlsplit(link)
            assert (parts.scheme, bool(parts.hostname), parts.username) == ("https", True, None), link
            continue
        path, _, anchor = link.partition("#")
        target = normpath((PurePosixPath(document).parent / path).as_posix()) if path else document
        assert (ROOT / target).exists(), f"{document} links to {link}"
        if anchor:
            assert anchor in anchors(target), f"{document} links to {link}; there are {sorted(anchors(target))}"


def test_links_are_found() -> None:
    assert all(links(document) for document in ("README.md", "CONTRIBUTING.md", "docs/workflows.md"))
    assert slug("`url: auto`, and what it needs") == "url-auto-and-what-it-needs"
    assert "classes-of-removed-pages" in anchors("docs/how-it-works.md")
