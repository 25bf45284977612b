"""The sitemap that a live site serves, and its robots.txt: one session, one throttle, behind the address gate."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.config.schema import AUTO, Config
from sitemap_action.fetch.base import Fetcher, Request, RequestKind, Response
from sitemap_action.loader.documents import Documents
from sitemap_action.model.access import Access
from sitemap_action.store.inventory import Inventory
from sitemap_action.web.urls import origin

_TIMEOUT = 10.0  # seconds: a baseline that is the default must not hold a run up


class ServedSitemap(Struct, frozen=True):
    """What the site serves; no documents when the address answers 404 or 410."""

    documents: Documents
    robots: bytes | None = None  # b"" when the site has none, None when that is not known


FetchSitemap: TypeAlias = Callable[[str, Path], ServedSitemap]
"""(URL, folder for its documents). Raises UnreachableError; BaselineError for an index that cannot be read whole."""


def production(config: Config, access: Access, inventory: Inventory) -> FetchSitemap:
    """Only the origin of source.url may be a private address, and it alone gets secrets.

    What a state in the inventory has is asked for with its validators.
    """

    def fetch(url: str, folder: Path) -> ServedSitemap:
        import asyncio  # noqa: PLC0415 - few runs fetch a baseline, and the others start sooner

        return asyncio.run(_fetch(url, folder, config, access, inventory))

    return fetch


async def _fetch(url: str, folder: Path, config: Config, access: Access, inventory: Inventory) -> ServedSitemap:
    from sitemap_action.baseline.asked_again import asking_again  # noqa: PLC0415 - as above
    from sitemap_action.fetch.options import http_options  # noqa: PLC0415
    from sitemap_action.fetch.policies import open_web  # noqa: PLC0415 - as above

    given = "" if config.source.url == AUTO else config.source.url
    options = replace(http_options(config, access, given, preview=False), timeout=_TIMEOUT, retries=1)
    async with open_web(options) as opened:
        fetcher = asking_again(opened.fetcher, inventory)
        return await served_sitemap(fetcher, url, folder, robots=config.crawl.robots != "ignore")


async def served_sitemap(fetcher: Fetcher, url: str, folder: Path, *, robots: bool) -> ServedSitemap:
    """`robots`: the robots.txt of its origin is fetched too (RB-35)."""
    from sitemap_action.loader.collect_served import GONE, collect_served  # noqa: PLC0415 - as above

    documents = await collect_served(fetcher, url, folder)
    if not documents or not robots:
        return ServedSitemap(documents)
    answer = await fetcher.fetch(Request(f"{origin(url)}/robots.txt", RequestKind.ROBOTS))
    if not isinstance(answer, Response):
        return ServedSitemap(documents)
    return ServedSitemap(documents, answer.body if answer.status == 200 else b"" if answer.status in GONE else None)
