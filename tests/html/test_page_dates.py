"""Dates that a page states about itself (DIFF-33)."""

import pytest

from sitemap_action.html import extract


def dates(markup: str, *headers: tuple[str, str]) -> list[tuple[str, str]]:
    return [(date.source, date.value) for date in extract.read(markup.encode(), headers, "https://x.com/").facts.dates]


LD = "<script type='application/ld+json'>%s</script>"

ROWS = [
    ("metadata", "<meta property=article:modified_time content=2026-10-01>", [("article:modified_time", "2026-10-01")]),
    ("metadata by name, in capitals", "<META NAME=Article:Modified_Time CONTENT=' 2026-10-01 '>", [("article:modified_time", "2026-10-01")]),
    ("date of publication is another", "<meta property=article:published_time content=2026-10-01>", []),
    ("JSON-LD", LD % '{"@type":"Article","dateModified":"2026-10-01"}', [("dateModified", "2026-10-01")]),
    ("JSON-LD in a list", LD % '[{"@type":"X"},{"dateModified":"2026-10-01"}]', [("dateModified", "2026-10-01")]),
    ("JSON-LD in a graph", LD % '{"@graph":[{"dateModified":"2026-10-01"}]}', [("dateModified", "2026-10-01")]),
    ("JSON-LD of the main entity", LD % '{"mainEntity":{"dateModified":"2026-10-01"}}', [("dateModified", "2026-10-01")]),
    ("JSON-LD of pages that are listed", LD % '{"itemListElement":[{"dateModified":"2026-10-01"}]}', []),
    ("JSON-LD of a comment", LD % '{"comment":{"dateModified":"2026-10-01"}}', []),
    ("JSON-LD that is no JSON", LD % '{"dateModified":"2026-10-01"', []),
    ("JSON-LD with a number", LD % '{"dateModified":20261001}', []),
    ("JSON-LD nested beyond reason", LD % ('{"dateModified":' + "[" * 100_000), []),
    ("JSON-LD with a type of capitals", "<script type='Application/LD+JSON; charset=utf-8'>{\"dateModified\":\"1\"}</script>", [("dateModified", "1")]),
    ("another script", '<script>{"dateModified":"2026-10-01"}</script>', []),
    ("time", "<time datetime=2026-10-01>last week</time>", [("time", "2026-10-01")]),
    ("time without an attribute", "<time> 2026-10-01\n</time>", [("time", "2026-10-01")]),
    ("time by microdata", "<time itemprop=dateModified datetime=2026-10-01>", [("dateModified", "2026-10-01")]),
    ("meta by microdata", "<meta itemprop=dateModified content=2026-10-01>", [("dateModified", "2026-10-01")]),
    ("each once", "<time>2026</time><time>2026</time>", [("time", "2026")]),
    ("nothing", "<p>2026-10-01", []),
]  # fmt: skip


@pytest.mark.parametrize(("markup", "expected"), [row[1:] for row in ROWS], ids=[f"DIFF-33 {row[0]}" for row in ROWS])
def test_dates(markup: str, expected: list[tuple[str, str]]) -> None:
    assert dates(markup) == expected


def test_order_of_trust() -> None:
    markup = "<time>4</time><meta property=article:modified_time content=1>" + LD % '{"dateModified":"2"}'
    found = dates(markup, ("last-modified", "Thu, 01 Oct 2026 10:00:00 GMT"))
    assert [source for source, _ in found] == ["article:modified_time", "dateModified", "time", "last-modified"]


def test_dates_are_limited() -> None:
    found = dates("".join(f"<time>{number}</time>" for number in range(1000)) + f"<time>{'9' * 1000}</time>")
    assert len(found) == 32
    assert dates(f"<time>{'9' * 1000}</time>") == [("time", "9" * 100)]
