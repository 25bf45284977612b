"""When a deployed site is requested at all; its crawl over HTTP is tested in `tests/test_deployed.py`."""

from pathlib import Path

import pytest

from crawls import FakeWeb, at, crawl, document, new_inventory
from sitemap_action.config.schema import Config, CrawlConfig, HttpConfig, SourceConfig, Www
from sitemap_action.model.mask import Access
from sitemap_action.model.observer import NullObserver
from sitemap_action.model.source import SourceResult
from sitemap_action.store.inventory import Inventory
from sitemap_action.walk.crawl import CrawlLimits
from sitemap_action.walk.result import StopReason, crawl_result
from sitemap_action.walk.served_site import DeployedSource
from webs import HOME, NOW

CLOSED = "http://127.0.0.1:1/"  # no server listens there


def source(url: str = CLOSED, site_url: str = HOME, www: Www = Www.STRICT) -> DeployedSource:
    config = Config(source=SourceConfig(url=url), http=HttpConfig(retries=0), crawl=CrawlConfig(www=www))
    return DeployedSource(config=config, site_url=site_url, access=Access(), observer=NullObserver(), now=NOW)


@pytest.fixture
def inventory(tmp_path: Path) -> Inventory:
    """A crawl that finished at the page limit: /b was found and not fetched."""
    found = new_inventory(tmp_path, persistent=True)
    done = crawl(FakeWeb({"/": document("/a", "/b"), "/a": document()}), found, limits=CrawlLimits(2, 9, 2))
    assert crawl_result(
        found, done.frontier, Config(), StopReason(limit_reached=True), SourceResult("url", HOME)
    ).incomplete
    return found


@pytest.mark.parametrize("seed", ["/new", "/b"])
def test_a_finished_crawl_is_asked_again(inventory: Inventory, seed: str) -> None:
    """U-11; NET-07: a seed that was never requested needs an answer."""
    found = source().gather(inventory, [at(seed)])
    assert found.no_pages
    assert CLOSED in found.incomplete[0]  # it was requested
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
def test_preview(url: str, site_url: str, www: Www, preview: bool) -> None:
    assert source(url, site_url, www).preview is preview
