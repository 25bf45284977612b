"""The result of a crawl as text of the report, and what a later run reuses of it."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from crawls import HOME, FakeWeb, Route, at, crawl, document, make_filter, new_inventory
from sitemap_action.config.schema import Config, CrawlConfig, OnLimit
from sitemap_action.model.page import Directive, Facts, Head, Page, PageKind
from sitemap_action.model.source import SourceResult
from sitemap_action.store.frontier import Frontier
from sitemap_action.store.inventory import Inventory
from sitemap_action.walk.crawl import CrawlLimits
from sitemap_action.walk.result import StopReason, crawl_result, previous_result, refused_result

CHAIN: dict[str, Route] = {"/": document("/a", "/b"), "/a": document("/c"), "/b": document(), "/c": document()}
NO_LIMITS = CrawlLimits(99, 99, 2)
OPENED = SourceResult("url", HOME, notes=("opened",))


@pytest.fixture
def inventory(tmp_path: Path) -> Inventory:
    return new_inventory(tmp_path)


def crawled(
    inventory: Inventory, stop: StopReason | None = None, *, limits: CrawlLimits = NO_LIMITS, options: CrawlConfig | None = None, required: Sequence[str] = (), cancel_after: int | None = None
) -> SourceResult:  # fmt: skip
    done = crawl(FakeWeb(CHAIN), inventory, limits=limits, required=required, cancel_after=cancel_after)
    return crawl_result(
        inventory,
        done.frontier,
        Config(crawl=options or CrawlConfig()),
        stop or StopReason(limit_reached=done.limit_reached),
        OPENED,
    )


ACCEPT = CrawlConfig(max_pages=2, max_depth=1, on_limit=OnLimit.ACCEPT)
REST = "; 2 URLs were found and not fetched"
CHOICE = ", or set crawl.on-limit: accept where that is the whole scope"
ENDS = [
    # id, stop, limits, options, incomplete, notes of the crawl
    ("every URL was visited", None, CrawlLimits(99, 99, 2), CrawlConfig(), (), ()),
    ("as many pages as the limit allows", None, CrawlLimits(4, 2, 2), CrawlConfig(max_pages=4), (), ()),
    ("NET-09 max-pages", None, CrawlLimits(2, 99, 2), CrawlConfig(max_pages=2), (f"stopped after 2 pages (crawl.max-pages){REST}; raise crawl.max-pages{CHOICE}",), ()),
    ("NET-09 max-depth", None, CrawlLimits(99, 1, 2), CrawlConfig(max_depth=1), ("stopped after 1 click (crawl.max-depth); 1 URL was found and not fetched; raise crawl.max-depth" + CHOICE,), ()),
    ("max-depth 0", None, CrawlLimits(99, 0, 2), CrawlConfig(max_depth=0), (f"stopped after 0 clicks (crawl.max-depth){REST}; raise crawl.max-depth{CHOICE}",), ()),
    ("on-limit: accept", None, CrawlLimits(2, 99, 2), ACCEPT, (), (f"stopped after 2 pages (crawl.max-pages){REST}",)),
    ("on-limit: accept, clicks", None, CrawlLimits(99, 0, 2), ACCEPT, (), (f"stopped after 1 click (crawl.max-depth){REST}",)),
    ("the deadline is never accepted", StopReason(deadline_passed=True), CrawlLimits(2, 99, 2), ACCEPT, (f"stopped after 900 seconds (crawl.deadline){REST}; raise crawl.deadline",), ()),
    ("Ctrl-C", StopReason(signal=2), CrawlLimits(2, 99, 2), CrawlConfig(), (f"stopped by Ctrl-C{REST}",), ()),
    ("SIGTERM", StopReason(signal=15), CrawlLimits(2, 99, 2), CrawlConfig(), (f"stopped by SIGTERM{REST}",), ()),
    ("HTML-40 a firewall", StopReason(blocked="3 pages answered 403"), CrawlLimits(2, 99, 2), CrawlConfig(), (f"3 pages answered 403: this run is blocked, so the answers are no evidence about the pages{REST}",), ()),
]  # fmt: skip


@pytest.mark.parametrize(
    ("stop", "limits", "options", "incomplete", "notes"), [pytest.param(*row[1:], id=row[0]) for row in ENDS]
)
def test_stop_reasons(
    inventory: Inventory,
    stop: StopReason | None,
    limits: CrawlLimits,
    options: CrawlConfig,
    incomplete: tuple[str, ...],
    notes: tuple[str, ...],
) -> None:
    found = crawled(inventory, stop, limits=limits, options=options)
    assert found.incomplete == incomplete
    assert found.notes == ("opened", *notes)
    assert found.interrupted == (128 + stop.signal if stop and stop.signal else 0)
    cut_short = stop is not None and stop.cut_short
    assert bool(inventory.metadata("finished")) is not cut_short
    assert (previous_result(inventory) is None) == cut_short
    assert not found.no_pages


def test_required_pages_without_an_answer_have_the_reason(inventory: Inventory) -> None:
    """NET-07: undetermined, and never gone."""
    found = crawled(inventory, StopReason(deadline_passed=True), required=["/c", "/old"], cancel_after=0)
    assert found.no_pages
    why = "stopped after 900 seconds (crawl.deadline)"
    for path in ("/c", "/old"):
        page = inventory.page(at(path))
        assert page is not None
        assert (page.kind, page.reason) == (PageKind.UNDETERMINED, why)


def test_a_site_that_cannot_be_read(inventory: Inventory) -> None:
    """ENV-05: every required page has this answer, and the crawl is not finished."""
    frontier = Frontier(inventory)
    frontier.require([at("/a")])
    found = refused_result(frontier, inventory, HOME, "it answers 401", "send a header")
    assert found == SourceResult("url", HOME, ("it answers 401; send a header",), no_pages=True)
    page = inventory.page(at("/a"))
    assert page is not None
    assert (page.kind, page.reason) == (PageKind.UNDETERMINED, "it answers 401")
    assert previous_result(inventory) is None
    assert frontier.unanswered_urls() == [at("/a")]  # the next run fetches it


def test_no_page(inventory: Inventory) -> None:
    done = crawl(FakeWeb({"/": 404}), inventory)
    assert crawl_result(inventory, done.frontier, Config(), StopReason(), OPENED).no_pages
    assert previous_result(inventory) is None


def test_skipped_urls_are_noted(inventory: Inventory) -> None:
    """Every skipped URL is counted."""
    routes: dict[str, Route] = {"/": document("/b.png", "/a.png", "/tag/1")}
    done = crawl(FakeWeb(routes), inventory, url_filter=make_filter(skip=["media"], exclude=["/tag/*"]))
    assert crawl_result(inventory, done.frontier, Config(), StopReason(), OPENED).notes[1:] == (
        f"not fetched: 2 URLs such as {at('/a.png')} (crawl.skip has media)",
        f"not fetched: 1 URL such as {at('/tag/1')} (select.exclude has /tag/*)",
    )


def test_a_finished_result_is_stored_and_restored(inventory: Inventory) -> None:
    """Its robots.txt is any bytes, its probes are pages."""
    probe = Page(
        at("/x"),
        PageKind.PAGE,
        200,
        facts=Facts(fingerprint="f", head=Head(directives=(Directive("", "noindex", "", "header"),))),
    )
    opened = SourceResult("url", HOME, notes=("a", "ü"), robots=b"User-agent: *\n# \xff\x00", probes=(probe,))
    done = crawl(FakeWeb(CHAIN), inventory, limits=CrawlLimits(1, 99, 2))
    first = crawl_result(
        inventory, done.frontier, Config(crawl=CrawlConfig(max_pages=1)), StopReason(limit_reached=True), opened
    )
    assert first.incomplete
    assert previous_result(inventory) == first


def test_without_robots_txt(inventory: Inventory) -> None:
    first = crawled(inventory)
    assert previous_result(inventory) == first
    assert first.robots is None
