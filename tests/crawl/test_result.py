"""How a crawl ended, in the words of the report, and what of it a later run may use again."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from crawls import HOME, Route, Table, at, crawl, document, empty, gate
from sitemap_action.config.crawling import CrawlConfig, OnLimit
from sitemap_action.crawl.levels import CrawlLimits
from sitemap_action.crawl.result import StopReason, crawl_result, earlier_result, refused_result
from sitemap_action.inventory.frontier import Frontier
from sitemap_action.inventory.store import Inventory
from sitemap_action.model.page import Directive, Facts, Page, PageKind
from sitemap_action.model.source import SourceResult

CHAIN: dict[str, Route] = {"/": document("/a", "/b"), "/a": document("/c"), "/b": document(), "/c": document()}
NO_LIMITS = CrawlLimits(99, 99, 2)
BEGUN = SourceResult("url", HOME, notes=("begun",))


@pytest.fixture
def inventory(tmp_path: Path) -> Inventory:
    return empty(tmp_path)


def ended(
    inventory: Inventory, end: StopReason | None = None, *, limits: CrawlLimits = NO_LIMITS, options: CrawlConfig | None = None, named: Sequence[str] = (), turns: int | None = None
) -> SourceResult:  # fmt: skip
    done = crawl(Table(CHAIN), inventory, limits=limits, named=named, turns=turns)
    return crawl_result(inventory, done.frontier, options or CrawlConfig(), end or StopReason(full=done.full), BEGUN)


ACCEPT = CrawlConfig(max_pages=2, max_depth=1, on_limit=OnLimit.ACCEPT)
LEFT = "; 2 URLs were found and not looked at"
ENDS = [
    # id, end, limits, options, incomplete, notes beside those of the beginning
    ("everything was seen", None, CrawlLimits(99, 99, 2), CrawlConfig(), (), ()),
    ("a limit that is just met", None, CrawlLimits(4, 2, 2), CrawlConfig(max_pages=4), (), ()),
    ("NET-09 max-pages", None, CrawlLimits(2, 99, 2), CrawlConfig(max_pages=2), (f"stopped after 2 pages (crawl.max-pages){LEFT}",), ()),
    ("NET-09 max-depth", None, CrawlLimits(99, 1, 2), CrawlConfig(max_depth=1), ("stopped after 1 click (crawl.max-depth); 1 URL was found and not looked at",), ()),
    ("max-depth 0", None, CrawlLimits(99, 0, 2), CrawlConfig(max_depth=0), (f"stopped after 0 clicks (crawl.max-depth){LEFT}",), ()),
    ("on-limit: accept", None, CrawlLimits(2, 99, 2), ACCEPT, (), (f"stopped after 2 pages (crawl.max-pages){LEFT}",)),
    ("on-limit: accept, clicks", None, CrawlLimits(99, 0, 2), ACCEPT, (), (f"stopped after 1 click (crawl.max-depth){LEFT}",)),
    ("the deadline is never accepted", StopReason(late=True), CrawlLimits(2, 99, 2), ACCEPT, (f"stopped after 900 seconds (crawl.deadline){LEFT}",), ()),
    ("Ctrl-C", StopReason(signal=2), CrawlLimits(2, 99, 2), CrawlConfig(), (f"stopped by Ctrl-C{LEFT}",), ()),
    ("SIGTERM", StopReason(signal=15), CrawlLimits(2, 99, 2), CrawlConfig(), (f"stopped by SIGTERM{LEFT}",), ()),
    ("HTML-40 refused", StopReason(blocked="3 pages answered 403"), CrawlLimits(2, 99, 2), CrawlConfig(), (f"3 pages answered 403: something keeps this run out, and its answers say nothing about the pages{LEFT}",), ()),
]  # fmt: skip


@pytest.mark.parametrize(
    ("end", "limits", "options", "incomplete", "notes"), [pytest.param(*row[1:], id=row[0]) for row in ENDS]
)
def test_ends(
    inventory: Inventory,
    end: StopReason | None,
    limits: CrawlLimits,
    options: CrawlConfig,
    incomplete: tuple[str, ...],
    notes: tuple[str, ...],
) -> None:
    found = ended(inventory, end, limits=limits, options=options)
    assert found.incomplete == incomplete
    assert found.notes == ("begun", *notes)
    assert found.interrupted == (128 + end.signal if end and end.signal else 0)
    cut_short = end is not None and end.cut_short
    assert bool(inventory.fact("finished")) is not cut_short
    assert (earlier_result(inventory) is None) == cut_short
    assert not found.no_pages


def test_named_pages_without_an_answer_have_the_reason(inventory: Inventory) -> None:
    """NET-07: undetermined, and never gone."""
    found = ended(inventory, StopReason(late=True), named=["/c", "/old"], turns=0)
    assert found.no_pages
    why = "stopped after 900 seconds (crawl.deadline); 1 URL was found and not looked at"
    for path in ("/c", "/old"):
        page = inventory.page(at(path))
        assert page is not None
        assert (page.kind, page.reason) == (PageKind.UNDETERMINED, why)


def test_a_look_that_could_not_begin(inventory: Inventory) -> None:
    """ENV-05: every page that needs an answer has this one, and nothing is finished."""
    frontier = Frontier(inventory)
    frontier.name([at("/a")])
    found = refused_result(frontier, inventory, HOME, "it answers 401", "send a header")
    assert found == SourceResult("url", HOME, ("it answers 401; send a header",), no_pages=True)
    page = inventory.page(at("/a"))
    assert page is not None
    assert (page.kind, page.reason) == (PageKind.UNDETERMINED, "it answers 401")
    assert earlier_result(inventory) is None
    assert frontier.unanswered() == [at("/a")]  # the next run asks


def test_no_page_at_all(inventory: Inventory) -> None:
    done = crawl(Table({"/": 404}), inventory)
    assert crawl_result(inventory, done.frontier, CrawlConfig(), StopReason(), BEGUN).no_pages
    assert earlier_result(inventory) is None


def test_what_was_left_aside_is_said(inventory: Inventory) -> None:
    """Nothing is dropped without being counted."""
    routes: dict[str, Route] = {"/": document("/b.png", "/a.png", "/tag/1")}
    done = crawl(Table(routes), inventory, at_gate=gate(skip=["media"], exclude=["/tag/*"]))
    assert crawl_result(inventory, done.frontier, CrawlConfig(), StopReason(), BEGUN).notes[1:] == (
        f"not asked for: 2 URLs such as {at('/a.png')} (crawl.skip has media)",
        f"not asked for: 1 URL such as {at('/tag/1')} (select.exclude has /tag/*)",
    )


def test_a_finished_look_is_told_again_in_the_same_words(inventory: Inventory) -> None:
    """Its robots.txt is bytes of any kind, its probes are pages."""
    probe = Page(
        at("/x"), PageKind.PAGE, 200, facts=Facts(fingerprint="f", directives=(Directive("", "noindex", "", "header"),))
    )
    begun = SourceResult("url", HOME, notes=("a", "ü"), robots=b"User-agent: *\n# \xff\x00", probes=(probe,))
    done = crawl(Table(CHAIN), inventory, limits=CrawlLimits(1, 99, 2))
    first = crawl_result(inventory, done.frontier, CrawlConfig(max_pages=1), StopReason(full=True), begun)
    assert first.incomplete
    assert earlier_result(inventory) == first


def test_without_robots_txt(inventory: Inventory) -> None:
    first = ended(inventory)
    assert earlier_result(inventory) == first
    assert first.robots is None
