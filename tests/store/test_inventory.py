"""The inventory: rows are returned as stored, in byte order, counted and replaced."""

from pathlib import Path

import pytest

from sitemap_action.model.page import (
    Alternate,
    Canonical,
    Directive,
    Facts,
    Head,
    Page,
    PageDate,
    PageKind,
    PageMedia,
    Refresh,
    Rendering,
    Shell,
    ShellKind,
    Soft404,
)
from sitemap_action.model.site import Role
from sitemap_action.model.sitemap import Entry
from sitemap_action.store.codec import decode_entry, decode_page, encode
from sitemap_action.store.inventory import Inventory, create_inventory, temporary

FULL = Page(
    "https://x.com/ü",
    PageKind.PAGE,
    status=200,
    media_type="text/html",
    path="ü.html",
    depth=3,
    inlinks=7,
    found_on="https://x.com/",
    facts=Facts(
        head=Head(
            title="A “title”",
            directives=(Directive("", "noindex", "", "meta"),),
            canonicals=(Canonical("/a", "https://x.com/a", "link", ""), Canonical("b", "", "header", "in body")),
            alternates=(Alternate("de", "https://x.com/de/"),),
        ),
        base="https://x.com/",
        size=12,
        refresh=Refresh(0, "https://x.com/b"),
        media=PageMedia(("https://x.com/p.png",)),
        dates=(PageDate("time", "2026-01-01"),),
        fingerprint="ab12",
        soft404=(Soft404.TITLE,),
        rendering=Rendering(Head("App"), Head("A “title”"), Shell(ShellKind.STRUCTURE, "<div id=root>"), "key"),
    ),
)


@pytest.mark.parametrize("page", [FULL, Page("https://x.com/", PageKind.GONE, status=404), Page("x", PageKind.FOREIGN)])
def test_a_page_survives_the_round_trip(page: Page) -> None:
    assert decode_page(encode(page), page.inlinks) == page


def test_an_entry_survives_the_round_trip() -> None:
    entry = Entry(
        loc="https://x.com/",
        lastmod="2026-01-01",
        changefreq="daily",
        priority="0.5",
        alternates=(Alternate("de", "https://x.com/de"),),
        images=("i",),
        extensions=("<a/>",),
        line=9,
    )
    assert decode_entry(encode(entry)) == entry


@pytest.fixture
def inventory(tmp_path: Path) -> Inventory:
    return create_inventory(tmp_path / "inventory.sqlite")


def test_pages_are_in_byte_order_and_the_newest_record_counts(inventory: Inventory) -> None:
    inventory.add_pages(Page(f"https://x.com/{name}", PageKind.GONE) for name in ("b", "ü", "a", "Z"))
    inventory.add_pages([Page("https://x.com/a", PageKind.PAGE, status=200)])
    found = list(inventory.pages())
    assert [page.url[14:] for page in found] == ["Z", "a", "b", "ü"]
    assert inventory.page("https://x.com/a") == Page("https://x.com/a", PageKind.PAGE, status=200)
    assert inventory.page("https://x.com/missing") is None


def test_links_are_counted_and_make_urls_known_without_an_answer(inventory: Inventory) -> None:
    inventory.add_pages([Page("https://x.com/a", PageKind.PAGE)])
    inventory.add_links([("https://x.com/a", 2), ("https://x.com/b", 1)])
    inventory.add_links([("https://x.com/a", 3)])
    assert [page.inlinks for page in inventory.pages()] == [5]
    assert inventory.urls_without_page() == [("https://x.com/b", 1)]


def test_SM_31_of_two_entries_with_one_identity_the_first_counts(inventory: Inventory) -> None:
    inventory.add_entries(Role.COMMITTED, [("b", Entry("b")), ("a", Entry("a", "2026")), ("a", Entry("a", "1999"))])
    inventory.add_entries(Role.BASELINE, [("c", Entry("c"))])
    assert [(key, entry.lastmod) for key, entry in inventory.entries(Role.COMMITTED)] == [("a", "2026"), ("b", "")]
    assert [key for key, _ in inventory.entries(Role.BASELINE)] == ["c"]


# identity, entry: a normal URL, another spelling, other fields, all fields
ENTRIES = (
    ("https://x.com/", Entry("https://x.com/", line=2)),
    ("https://x.com/%C3%BC", Entry("https://x.com/ü", "2026-01-01", line=3)),
    ("https://x.com/p", Entry("https://x.com/p", priority="0.5")),
    (
        "https://x.com/q",
        Entry(
            loc="https://x.com/q",
            lastmod="2026",
            changefreq="daily",
            priority="0.5",
            alternates=(Alternate("de", "https://x.com/de"),),
            images=("i",),
            extensions=("<a/>",),
            line=9,
        ),
    ),
)


@pytest.mark.parametrize(("key", "entry"), ENTRIES)
def test_an_entry_is_returned_as_stored(inventory: Inventory, key: str, entry: Entry) -> None:
    inventory.add_entries(Role.BASELINE, [(key, entry)])
    assert list(inventory.entries(Role.BASELINE)) == [(key, entry)]
    assert list(inventory.entries(Role.COMMITTED)) == []


def test_SM_31_the_first_counts_across_batches_in_byte_order(inventory: Inventory) -> None:
    rows = [(f"{number % 700:03}", Entry("u", line=number)) for number in range(1400)]
    inventory.add_entries(Role.COMMITTED, reversed(rows[:700]))
    inventory.add_entries(Role.COMMITTED, rows[700:])
    assert list(inventory.entries(Role.COMMITTED)) == rows[:700]


def test_records_of_worker_processes_are_pages(inventory: Inventory) -> None:
    inventory.add_records([(FULL.url, encode(FULL)), ("https://x.com/", encode(Page("https://x.com/", PageKind.FILE)))])
    inventory.add_links([(FULL.url, 7)])
    assert list(inventory.pages()) == [Page("https://x.com/", PageKind.FILE), FULL]
    assert inventory.page(FULL.url) == FULL


def test_a_nested_transaction_joins_the_outer_one(inventory: Inventory) -> None:
    with inventory.transaction():
        inventory.add_pages([Page("https://x.com/a", PageKind.PAGE)])
        assert inventory.database.in_transaction
        inventory.database.execute("ROLLBACK")
        inventory.database.execute("BEGIN")
    assert list(inventory.pages()) == []


def test_more_rows_than_a_batch(inventory: Inventory) -> None:
    inventory.add_pages(Page(f"https://x.com/{number:05}", PageKind.PAGE) for number in range(1201))
    assert sum(1 for _ in inventory.pages()) == 1201


def test_a_temporary_inventory_is_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with temporary() as inventory:
        inventory.add_pages([Page("https://x.com/", PageKind.PAGE)])
        assert list(tmp_path.iterdir())
    assert not list(tmp_path.iterdir())
