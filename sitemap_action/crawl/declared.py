"""URLs that the sitemaps of the site itself list: further start URLs of a crawl, and no evidence that a page exists."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from sitemap_action.config.crawling import SitemapsConfig
from sitemap_action.fetch.base import Answer, Failure, Fetcher, Request, Skip
from sitemap_action.inventory.loading_state import LoadingState
from sitemap_action.inventory.store import Inventory
from sitemap_action.loader.broken import broken
from sitemap_action.loader.discover import Declared
from sitemap_action.loader.load import load
from sitemap_action.loader.result import LoadOptions
from sitemap_action.model.observer import NOBODY, Event, Observer, What
from sitemap_action.model.sitemap import Broken
from sitemap_action.web.places import Places
from sitemap_action.web.urls import origin


@dataclass(frozen=True, slots=True)
class StartUrls:
    """What the sitemaps of a site list, and what is wrong with them."""

    urls: Iterator[tuple[str, str]]  # (below site-url, where it is listed)
    notes: tuple[str, ...]
    broken: tuple[Broken, ...]


async def declared_urls(  # noqa: PLR0913 - what to read, with what, into what
    fetcher: Fetcher,
    inventory: Inventory,
    declared: Declared,
    options: SitemapsConfig,
    places: Places,
    *,
    now: datetime,
    observer: Observer = NOBODY,
) -> StartUrls:
    """Sitemaps of production are requested where the site is served."""
    state = LoadingState(inventory.database)
    result = await load(
        _ServedFetcher(fetcher, places.wider()),
        declared.seeds,
        state,
        now,
        LoadOptions(options.max_documents, options.max_depth, options.max_inflated, site=places.served),
        usual=declared.usual,
        observe=lambda received: observer.event(Event(What.SITEMAP, received.url)),
    )
    notes = tuple(f"{why}; its URLs are no starting points" for why in result.incomplete)
    return StartUrls(_start_urls(state, places), (*declared.notes, *notes), broken(state, declared))


def _start_urls(state: LoadingState, places: Places) -> Iterator[tuple[str, str]]:
    """Marks the URLs as used in the transaction that stores them: a kill leaves both or neither."""
    for _, url in state.urls():
        if (on_site := places.to_site(url)).startswith(places.site):
            yield on_site, "the site's sitemap"
    state.arrived()


class _ServedFetcher:
    """Requests the sitemaps of the site, and those that they list, where the site is served (ENV-02)."""

    def __init__(self, fetcher: Fetcher, places: Places) -> None:
        self._fetcher = fetcher
        self._places = places

    async def fetch(self, request: Request) -> Answer:
        url = self._places.to_served(request.url)
        site = origin(self._places.site)
        if origin(url) == site != origin(self._places.served):
            return Skip(
                request.url, f"{site} is not looked at, and nothing tells where else it is", failure=Failure.REFUSED
            )
        answer = await self._fetcher.fetch(replace(request, url=url))
        return answer._replace(url=request.url)
