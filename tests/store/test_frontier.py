"""The tables of a crawl: queued URLs and their order, referrers, and what is counted at the end."""

from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawls import HOME, at, new_inventory
from examples import share
from sitemap_action.model.page import Page, PageKind
from sitemap_action.store.codec import Visit
from sitemap_action.store.frontier import Frontier, QueuedUrl, VisitBatch
from sitemap_action.store.inventory import Inventory, temporary


@pytest.fixture
def inventory(tmp_path: Path) -> Inventory:
    return new_inventory(tmp_path, persistent=True)


@pytest.fixture
def frontier(inventory: Inventory) -> Frontier:
    found = Frontier(inventory)
    found.add_starts([(HOME, "")])
    return found


def queued(frontier: Frontier, depth: int) -> dict[str, QueuedUrl]:
    return {row.url.removeprefix(HOME[:-1]): row for row in frontier.level(depth)}


def visit(
    row: QueuedUrl, *links: str, targets: Iterable[str] = (), kind: PageKind = PageKind.PAGE, etag: str = ""
) -> Visit:
    urls = tuple(map(at, targets))
    page = Page(row.url, kind, target=urls[0] if kind is PageKind.REDIRECT else "")
    return Visit(row.id, page, links=tuple(map(at, links)), targets=urls, etag=etag)


def store(frontier: Frontier, depth: int, **links: Iterable[str]) -> None:
    """Store pages of a level by name, with their links; `_` is the start page."""
    rows = queued(frontier, depth)
    found = [visit(rows["/" + name.strip("_")], *to) for name, to in links.items()]
    frontier.store(VisitBatch(found), depth)


def test_a_level_is_in_order_of_its_urls(frontier: Frontier) -> None:
    store(frontier, 0, _=["/b", "/a", "/B", "/%C3%BC", "/a?b", "/a/b"])
    assert list(queued(frontier, 1)) == ["/%C3%BC", "/B", "/a", "/a/b", "/a?b", "/b"]  # NET-16: by bytes


REFERRERS = [
    # id, batches of a level in order of arrival, referrer of /x
    ("one", [["a"], ["b"]], "/a"),
    ("the same in reverse", [["b"], ["a"]], "/a"),
    ("in one batch", [["b", "a"]], "/a"),
]


@pytest.mark.parametrize(("batches", "referrer"), [pytest.param(*row[1:], id=row[0]) for row in REFERRERS])
def test_NET_16_the_referrer_does_not_depend_on_the_order(
    frontier: Frontier, batches: list[list[str]], referrer: str
) -> None:
    store(frontier, 0, _=["/a", "/b"])
    for names in batches:
        store(frontier, 1, **{name: ["/x"] for name in names})
    assert queued(frontier, 2)["/x"].referrer == at(referrer)


URLS = st.lists(st.sampled_from(["/p", "/q", "/r", "/s"]), unique=True)


@given(st.dictionaries(st.sampled_from("abcd"), st.tuples(URLS, URLS)))
@settings(deadline=None, max_examples=share(50))
def test_a_batch_counts_like_its_pages_one_by_one(pages: dict[str, tuple[list[str], list[str]]]) -> None:
    with temporary() as inventory:
        frontier = Frontier(inventory)
        frontier.add_starts([(at(f"/{name}"), "") for name in pages])
        rows = queued(frontier, 0)
        visits = [visit(rows[f"/{name}"], *links, targets=targets) for name, (links, targets) in pages.items()]
        frontier.store(VisitBatch(visits), 0)
        stored = inventory.database.execute("SELECT url, inlinks, referrer FROM url WHERE depth = 1 ORDER BY url")
        assert stored.fetchall() == [
            (at(url), sum(url in links for links, _ in pages.values()), min(map(at, by)))
            for url in ("/p", "/q", "/r", "/s")
            if (by := [f"/{name}" for name, (links, targets) in pages.items() if url in links or url in targets])
        ]


def test_the_referrer_is_the_nearest_even_when_it_is_not_the_first_by_name(frontier: Frontier) -> None:
    store(frontier, 0, _=["/z", "/x"])
    store(frontier, 1, z=["/x", "/a"])
    assert queued(frontier, 1)["/x"].referrer == HOME


def test_links_are_counted_and_other_targets_are_not(frontier: Frontier, inventory: Inventory) -> None:  # HTML-66
    store(frontier, 0, _=["/a", "/b"])
    rows = queued(frontier, 1)
    frontier.store(VisitBatch([visit(rows["/a"], "/b", "/c"), visit(rows["/b"], "/a", targets=["/d", "/a"])]), 1)
    frontier.store(VisitBatch([visit(row) for row in frontier.level(2)]), 2)
    assert {page.url[len(HOME) :]: page.inlinks for page in inventory.pages()} == {
        "": 0,
        "a": 2,
        "b": 2,
        "c": 1,
        "d": 0,
    }


def test_documents_are_counted(frontier: Frontier) -> None:
    store(frontier, 0, _=["/a", "/b", "/c"])
    rows = queued(frontier, 1)
    kinds = {"/a": PageKind.FILE, "/b": PageKind.REDIRECT, "/c": PageKind.PAGE}
    frontier.store(VisitBatch([visit(rows[path], targets=["/x"], kind=kind) for path, kind in kinds.items()]), 1)
    assert frontier.document_count() == 3


def test_a_batch_is_stored_whole_or_not_at_all(frontier: Frontier, inventory: Inventory) -> None:
    store(frontier, 0, _=["/a", "/b"])
    rows = queued(frontier, 1)
    bad = Visit("no id", Page(at("/b"), PageKind.PAGE))  # type: ignore[arg-type]
    with pytest.raises(Exception, match=r"mismatch|no id"):
        frontier.store(VisitBatch([visit(rows["/a"], "/c"), bad]), 1)
    inventory.database.execute("ROLLBACK")  # as after a kill
    assert list(queued(frontier, 1)) == ["/a", "/b"]
    assert queued(frontier, 2) == {}


def test_next_level_skips_levels_that_are_done(frontier: Frontier) -> None:
    store(frontier, 0, _=["/a", "/b"])
    store(frontier, 1, a=["/c"])
    store(frontier, 2, c=["/d"])
    assert [frontier.next_level(least) for least in range(5)] == [1, 1, 3, 3, None]
    assert [frontier.queued_count(depth) for depth in range(4)] == [0, 1, 0, 1]


def test_required_urls_without_links_are_a_last_level(frontier: Frontier) -> None:
    frontier.require([at("/orphan"), at("/a")])
    store(frontier, 0, _=["/a"])
    assert frontier.next_level(1) == 1
    assert list(queued(frontier, 1)) == ["/a"]
    store(frontier, 1, a=[])
    assert frontier.next_level(2) == 2
    assert list(queued(frontier, 2)) == ["/orphan"]
    assert frontier.next_level(0) == 2  # stored, for a resumed run
    assert [row.required for row in frontier.level(2)] == [True]
    store(frontier, 2, orphan=["/new"])
    assert (frontier.next_level(3), frontier.next_level(4)) == (3, None)


def test_counts_of_unvisited_urls(frontier: Frontier) -> None:
    frontier.require([at("/orphan"), at("/a")])
    store(frontier, 0, _=["/a", "/b"])
    assert frontier.unvisited_count() == 2
    assert frontier.unanswered_urls() == [at("/a"), at("/orphan")]
    assert frontier.has_page()


def test_no_page(frontier: Frontier) -> None:
    row = queued(frontier, 0)["/"]
    frontier.store(VisitBatch([visit(row, kind=PageKind.GONE)]), 0)
    assert not frontier.has_page()


def test_skipped_urls_are_counted_with_an_example(frontier: Frontier) -> None:
    store(frontier, 0, _=["/a", "/b", "/c"])
    for urls in (["/c", "/b"], ["/a"]):
        batch = VisitBatch()
        for url in urls:
            batch.skip("why", at(url))
            batch.blocked.append(queued(frontier, 1)[url].id)
        frontier.store(batch, 1)
    assert frontier.skip_counts() == [("why", 3, at("/a"))]
    assert frontier.unvisited_count() == 0


def test_visited_is_in_the_order_of_the_requests(frontier: Frontier) -> None:
    store(frontier, 0, _=["/b", "/a"])
    store(frontier, 1, b=["/0"])
    store(frontier, 1, a=[])
    store(frontier, 2, **{"0": []})
    assert [row.url for row, _ in frontier.visited_pages()] == [HOME, at("/a"), at("/b"), at("/0")]


# A link to a redirect is a link to where it ends (HTML-68)


def edges(frontier: Frontier, depth: int, **targets: str) -> None:
    rows = queued(frontier, depth)
    frontier.store(
        VisitBatch([visit(rows[f"/{name}"], targets=[to], kind=PageKind.REDIRECT) for name, to in targets.items()]),
        depth,
    )


def inlinks(inventory: Inventory, path: str) -> int:
    page = inventory.page(at(path))
    assert page is not None
    return page.inlinks


def test_links_to_a_redirect_count_along_the_chain(frontier: Frontier, inventory: Inventory) -> None:
    store(frontier, 0, _=["/a", "/p"])
    store(frontier, 1, p=["/a", "/c"])
    edges(frontier, 1, a="/b")
    edges(frontier, 2, b="/c")
    store(frontier, 2, c=[])
    frontier.finish()
    assert [inlinks(inventory, path) for path in ("/a", "/b", "/c")] == [2, 2, 3]


def test_finishing_twice_counts_once(frontier: Frontier, inventory: Inventory) -> None:
    """A finished crawl is resumed when a new baseline requires more URLs, and finishes again."""
    store(frontier, 0, _=["/a"])
    edges(frontier, 1, a="/b")
    store(frontier, 2, b=[])
    for _ in range(3):
        frontier.finish()
    assert inlinks(inventory, "/b") == 1


def test_urls_at_a_depth_done_or_not(frontier: Frontier) -> None:
    frontier.require([at("/b")])
    store(frontier, 0, _=["/a", "/b"])
    store(frontier, 1, a=["/c"])
    assert sorted(frontier.urls_at(1, required_only=False)) == [at("/a"), at("/b")]
    assert list(frontier.urls_at(1, required_only=True)) == [at("/b")]
    assert list(frontier.urls_at(3, required_only=False)) == []
    assert frontier.deepest() == 2


def test_no_url_is_known_before_the_start(inventory: Inventory) -> None:
    assert Frontier(inventory).deepest() == -1


def test_a_loop_of_redirects_ends(frontier: Frontier, inventory: Inventory) -> None:  # HTML-43
    store(frontier, 0, _=["/a", "/s"])
    edges(frontier, 1, a="/b", s="/s")
    edges(frontier, 2, b="/a")
    frontier.finish()
    assert inventory.metadata("finished") == "1"
    assert [inlinks(inventory, path) for path in ("/a", "/b", "/s")] == [1, 1, 1]  # pages that link here, not turns


def test_an_orphan_with_redirects_only_stays_one(frontier: Frontier, inventory: Inventory) -> None:
    frontier.require([at("/old")])
    store(frontier, 0, _=[])
    assert frontier.next_level(1) == 1
    edges(frontier, 1, old="/new")
    store(frontier, 2, new=[])
    frontier.finish()
    assert inlinks(inventory, "/new") == 0


# Metadata


def test_metadata_are_texts_by_name(inventory: Inventory) -> None:
    assert inventory.metadata("key") == ""
    inventory.set_metadata("key", "a")
    inventory.set_metadata("key", "b")
    assert inventory.metadata("key") == "b"


def test_a_temporary_inventory_stores_no_validators(tmp_path: Path) -> None:
    inventory = new_inventory(tmp_path, "temporary")
    frontier = Frontier(inventory)
    frontier.add_starts([(HOME, "")])
    frontier.store(VisitBatch([visit(queued(frontier, 0)["/"], etag='"1"')]), 0)
    assert inventory.database.execute("SELECT count(*) FROM visit").fetchone() == (0,)
    assert frontier.previous_visit(HOME) is None
