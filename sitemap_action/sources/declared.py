"""What a site's own sitemaps list, as further URLs to start from; they are no truth about the site, only a way in."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from sitemap_action.config.crawling import Sitemaps
from sitemap_action.crawl.discover import Declared
from sitemap_action.fetch.base import Answer, Failure, Fetcher, Request, Skip
from sitemap_action.inventory.loading import LoadingState
from sitemap_action.inventory.store import Inventory
from sitemap_action.model.observer import NOBODY, Event, Observer, What
from sitemap_action.sources.loaded import LoadOptions
from sitemap_action.sources.loader import load
from sitemap_action.web.places import Places
from sitemap_action.web.urls import origin


async def declared_urls(  # noqa: PLR0913 - what to read, with what, into what
    fetcher: Fetcher,
    inventory: Inventory,
    declared: Declared,
    options: Sitemaps,
    places: Places,
    *,
    now: datetime,
    observer: Observer = NOBODY,
) -> tuple[Iterator[tuple[str, str]], tuple[str, ...]]:
    """(URL below site-url, what names it), and notes. Sitemaps of production are read where the site is served."""
    state = LoadingState(inventory.database)
    result = await load(
        _Served(fetcher, places.wider()),
        declared.seeds,
        state,
        now,
        LoadOptions(options.max_documents, options.max_depth, options.max_inflated, site=places.served),
        usual=declared.usual,
        observe=lambda received: observer.event(Event(What.SITEMAP, received.url)),
    )
    listed = (places.to_site(url) for _, url, _ in state.entries())
    urls = ((url, "the site's sitemap") for url in listed if url.startswith(places.site))
    notes = tuple(f"{why}; its URLs are no starting points" for why in result.incomplete)
    return urls, (*declared.notes, *notes)


class _Served:
    """Asks for the sitemaps of the site, and for those that they list, where the site is served (ENV-02)."""

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
        return replace(await self._fetcher.fetch(replace(request, url=url)), url=request.url)
