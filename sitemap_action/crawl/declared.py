"""What a site's own sitemaps list, as further URLs to start from; they are no truth about the site, only a way in."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from sitemap_action.config.crawling import SitemapsConfig
from sitemap_action.fetch.base import Answer, Failure, Fetcher, Request, Skip
from sitemap_action.inventory.loading import LoadingState
from sitemap_action.inventory.store import Inventory
from sitemap_action.loader.broken import broken
from sitemap_action.loader.discover import Declared
from sitemap_action.loader.load import load
from sitemap_action.loader.result import LoadOptions
from sitemap_action.model.observer import NULL_OBSERVER, Event, EventKind, Observer
from sitemap_action.model.sitemap import BrokenSitemap
from sitemap_action.web.site_mapping import SiteMapping
from sitemap_action.web.urls import origin


@dataclass(frozen=True, slots=True)
class Starts:
    """What the sitemaps of a site bring."""

    urls: Iterator[tuple[str, str]]  # (below site-url, what names it)
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
) -> Starts:
    """Sitemaps of production are read where the site is served."""
    state = LoadingState(inventory.database)
    result = await load(
        _Served(fetcher, mapping.whole_origin()),
        declared.seeds,
        state,
        now,
        LoadOptions(options.max_documents, options.max_depth, options.max_inflated, site=mapping.served),
        usual=declared.usual,
        observe=lambda received: observer.event(Event(EventKind.SITEMAP, received.url)),
    )
    notes = tuple(f"{why}; its URLs are no starting points" for why in result.incomplete)
    return Starts(_listed(state, mapping), (*declared.notes, *notes), broken(state, declared))


def _listed(state: LoadingState, mapping: SiteMapping) -> Iterator[tuple[str, str]]:
    """That the URLs have arrived is part of the transaction that stores them: a kill leaves both or neither."""
    for _, url in state.urls():
        if (found := mapping.to_site(url)).startswith(mapping.site):
            yield found, "the site's sitemap"
    state.arrived()


class _Served:
    """Asks for the sitemaps of the site, and for those that they list, where the site is served (ENV-02)."""

    def __init__(self, fetcher: Fetcher, mapping: SiteMapping) -> None:
        self._fetcher = fetcher
        self._mapping = mapping

    async def fetch(self, request: Request) -> Answer:
        url = self._mapping.to_served(request.url)
        site = origin(self._mapping.site)
        if origin(url) == site != origin(self._mapping.served):
            return Skip(
                request.url, f"{site} is not looked at, and nothing tells where else it is", failure=Failure.REFUSED
            )
        answer = await self._fetcher.fetch(replace(request, url=url))
        return answer._replace(url=request.url)
