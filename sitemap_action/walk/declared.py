"""URLs that the sitemaps of the site itself list: further start URLs of a crawl, and no evidence that a page exists."""

from collections.abc import Iterator
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.config.schema import SitemapsConfig
from sitemap_action.fetch.base import Answer, Failure, Fetcher, Request, Skip
from sitemap_action.loader.broken import broken
from sitemap_action.loader.discover import Declared
from sitemap_action.loader.load import load
from sitemap_action.loader.result import LoadOptions
from sitemap_action.model.observer import NULL_OBSERVER, Event, EventKind, Observer
from sitemap_action.model.sitemap import BrokenSitemap
from sitemap_action.store.inventory import Inventory
from sitemap_action.store.loading_state import LoadingState
from sitemap_action.web.site_mapping import SiteMapping
from sitemap_action.web.urls import origin


class StartUrls(Struct, frozen=True):
    """What the sitemaps of a site list, and what is wrong with them."""

    urls: Iterator[tuple[str, str]]  # (below site-url, where it is listed)
    notes: tuple[str, ...]
    broken: tuple[BrokenSitemap, ...]


async def declared_urls(  # noqa: PLR0913 - what to read, with what, into what
    fetcher: Fetcher,
    inventory: Inventory,
    declared: Declared,
    options: SitemapsConfig,
    mapping: SiteMapping,
    *,
    now: datetime,
    observer: Observer = NULL_OBSERVER,
) -> StartUrls:
    """Sitemaps of production are requested where the site is served."""
    state = LoadingState(inventory.database)
    result = await load(
        _ServedFetcher(fetcher, mapping.whole_origin()),
        declared.seeds,
        state,
        now,
        LoadOptions(options.max_documents, options.max_depth, options.max_inflated, site=mapping.served),
        usual=declared.usual,
        observe=lambda received: observer.event(Event(EventKind.SITEMAP, received.url)),
    )
    notes = tuple(f"{why}; its URLs are not used as start URLs" for why in result.incomplete)
    return StartUrls(_start_urls(state, mapping), (*declared.notes, *notes), broken(state, declared))


def _start_urls(state: LoadingState, mapping: SiteMapping) -> Iterator[tuple[str, str]]:
    """Marks the URLs as used in the transaction that stores them: a kill leaves both or neither."""
    for _, url in state.urls():
        if (on_site := mapping.to_site(url)).startswith(mapping.site):
            yield on_site, "the site's sitemap"
    state.mark_complete()


class _ServedFetcher:
    """Requests the sitemaps of the site, and those that they list, where the site is served (ENV-02)."""

    def __init__(self, fetcher: Fetcher, mapping: SiteMapping) -> None:
        self._fetcher = fetcher
        self._mapping = mapping

    async def fetch(self, request: Request) -> Answer:
        url = self._mapping.to_served(request.url)
        site = origin(self._mapping.site)
        if origin(url) == site != origin(self._mapping.served):
            return Skip(
                request.url,
                f"{site} is not fetched, and no other place that serves it is known",
                failure=Failure.REFUSED,
            )
        answer = await self._fetcher.fetch(replace(request, url=url))
        return answer._replace(url=request.url)
