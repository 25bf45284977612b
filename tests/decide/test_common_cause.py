"""Pages that leave the index together: one cause, or none."""

import pytest

from outcomes import removed
from sitemap_action.decide.causes import common_cause
from sitemap_action.model.outcome import Removed

SITE = "https://www.example.com"
PATHS = ("/", "/a/", "/b", "/c/d.html", "/e/f/")
BLOCKED = "robots.txt line 2 blocks Googlebot: Disallow: /"
META, HEADER = 'has <meta name="robots" content="noindex">', "has X-Robots-Tag: noindex"


def rows(by: str, *details: str) -> list[Removed]:
    texts = details * len(PATHS) if len(details) == 1 else details
    return [removed(path, "deindexed", text, by=by) for path, text in zip(PATHS, texts, strict=False)]


def canonicals(pattern: str, *pages: str) -> list[Removed]:
    """`{}` is the path."""
    return [
        removed(path, "deindexed", f"names {to} as its canonical", to, by="canonical")
        for path in pages or PATHS
        for to in [pattern.format(path)]
    ]


CAUSES = [
    # id, rows, sentence, part of where to look
    ("robots.txt", rows("robots", BLOCKED), "robots.txt line 2 blocks Googlebot from 5 listed pages: Disallow: /", "See line 2 of robots.txt"),
    ("a directive", rows("meta", META), '5 listed pages have <meta name="robots" content="noindex">', "template"),
    ("a header", rows("header", HEADER), "5 listed pages have X-Robots-Tag: noindex", "server or host"),
    ("one canonical", canonicals(f"{SITE}/hub"), f"5 listed pages name {SITE}/hub as their canonical", "template"),
    ("another host", canonicals("https://pr-7.example.net{}"), "the canonicals of 5 listed pages have another host: pr-7.example.net instead of www.example.com", "site's address"),
    ("another scheme", canonicals("http://www.example.com{}"), "the canonicals of 5 listed pages have another scheme: http instead of https", ""),
    ("a prefix", canonicals(f"{SITE}/en{{}}"), "the canonicals of 5 listed pages have another path: /en instead of /", ""),
    ("another prefix", canonicals(f"{SITE}/v2{{}}", "/a", "/b/", "/c", "/d", "/e/"), "the canonicals of 5 listed pages have another path: /v2 instead of /", ""),
    ("a query", canonicals(f"{SITE}{{}}?preview=1"), "the canonicals of 5 listed pages have another query: ?preview=1", ""),
    ("a final slash", canonicals(f"{SITE}{{}}/", "/a", "/b", "/c", "/d", "/e"), "the canonicals of 5 listed pages have a final slash", ""),
]  # fmt: skip


@pytest.mark.parametrize(("removed", "sentence", "place"), [pytest.param(*row[1:], id=row[0]) for row in CAUSES])
def test_V_25_the_cause_is_named(removed: list[Removed], sentence: str, place: str) -> None:
    found = common_cause(removed)
    assert found is not None
    assert found.sentence == sentence
    assert place in found.place


SEVERAL = [
    # id, rows
    ("few pages", rows("meta", META)[:4]),
    ("none", []),
    ("another class", rows("", "answers 404")),
    ("two lines of robots.txt", rows("robots", BLOCKED, BLOCKED, BLOCKED, BLOCKED, BLOCKED.replace("2", "3"))),
    ("two directives", rows("meta", META, META, META, META, META.replace("robots", "googlebot"))),
    ("a directive and a canonical", [*rows("meta", META)[1:], *canonicals(f"{SITE}/hub", "/")]),
    ("host and path", canonicals("https://shop.example.net/x{}")),
    ("two hosts", [*canonicals("https://a.example{}")[1:], *canonicals("https://b.example{}", "/")]),
    ("what is no URL", canonicals("https://[{}")),
    ("two canonicals on each page", rows("canonical", "names two canonicals: a and b")),
]  # fmt: skip


@pytest.mark.parametrize("removed", [pytest.param(row[1], id=row[0]) for row in SEVERAL])
def test_V_25_there_are_several_causes(removed: list[Removed]) -> None:
    assert common_cause(removed) is None
