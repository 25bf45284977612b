"""When a deployed site has to be asked at all; what it looks like over HTTP is in `tests/test_deployed.py`."""

from pathlib import Path

import pytest

from crawls import Table, at, crawl, document, empty
from sitemap_action.config.crawling import CrawlConfig, HttpConfig, Www
from sitemap_action.config.schema import Config, SourceConfig
from sitemap_action.crawl.levels import CrawlLimits
from sitemap_action.crawl.result import StopReason, crawl_result
from sitemap_action.crawl.source import DeployedSource
from sitemap_action.inventory.store import Inventory
from sitemap_action.model.access import Access
from sitemap_action.model.observer import NullObserver
from sitemap_action.model.source import SourceResult
from webs import HOME, NOW

CLOSED = "http://127.0.0.1:1/"  # nobody listens there


def source(url: str = CLOSED, site_url: str = HOME, www: Www = Www.STRICT) -> DeployedSource:
    config = Config(source=SourceConfig(url=url), http=HttpConfig(retries=0), crawl=CrawlConfig(www=www))
    return DeployedSource(config, site_url, Access(), NullObserver(), NOW)


@pytest.fixture
def inventory(tmp_path: Path) -> Inventory:
    """A look that came to its end at the page limit: /b was found, and nobody has looked at it."""
    found = empty(tmp_path, lasting=True)
    done = crawl(Table({"/": document("/a", "/b"), "/a": document()}), found, limits=CrawlLimits(2, 9, 2))
    assert crawl_result(
        found, done.frontier, CrawlConfig(), StopReason(full=True), SourceResult("url", HOME)
    ).incomplete
    return found


@pytest.mark.parametrize("seeds", [[], ["/a"], ["/", "/a"]])
def test_a_look_that_came_to_its_end_is_the_answer(inventory: Inventory, seeds: list[str]) -> None:
    found = source().gather(inventory, map(at, seeds))
    assert "and not looked at" in found.incomplete[0]
    assert not found.no_pages


@pytest.mark.parametrize("seed", ["/new", "/b"])
def test_a_page_that_a_sitemap_names_now_has_to_have_an_answer(inventory: Inventory, seed: str) -> None:
    """NET-07: known or not, it was never asked for."""
    found = source().gather(inventory, [at(seed)])
    assert found.no_pages
    assert CLOSED in found.incomplete[0]  # it was asked, and nobody is there
    page = inventory.page(at(seed))
    assert page is not None
    assert page.kind == "undetermined"


PREVIEWS = [
    # id, source.url, site-url, crawl.www, preview
    ("production", HOME, HOME, Www.STRICT, False),
    ("a page of production", at("/a/b"), HOME, Www.STRICT, False),
    ("NET-04 another host", "https://pr.net/", HOME, Www.STRICT, True),
    ("another port", "https://www.example.com:8443/", HOME, Www.STRICT, True),
    ("www. is another host", "https://example.com/", HOME, Www.STRICT, True),
    ("crawl.www: same", "https://example.com/", HOME, Www.SAME, False),
]


@pytest.mark.parametrize(("url", "site_url", "www", "preview"), [pytest.param(*row[1:], id=row[0]) for row in PREVIEWS])
def test_what_a_preview_is(url: str, site_url: str, www: Www, preview: bool) -> None:
    assert source(url, site_url, www).preview is preview
