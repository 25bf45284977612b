"""Sitemaps of the web for `validate` and `diff`: every document as it was served, kept in a folder."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.cli.network import config, load_options, web
from sitemap_action.loader.collect import Collector
from sitemap_action.loader.cross_submits import cross_submitted
from sitemap_action.loader.documents import Documents
from sitemap_action.loader.named import LoadRequest, load_url
from sitemap_action.loader.result import Loaded, Unavailable
from sitemap_action.store.loading_state import LoadingState, open_state
from sitemap_action.store.sitemap_status import SitemapState


class FetchedSitemap(Struct, frozen=True):
    """A sitemap, or all that a site declares, as it was received."""

    documents: Documents
    loaded: Loaded
    missing: tuple[Unavailable, ...]  # documents that were not received
    others: frozenset[str]  # origins whose robots.txt lets this sitemap list their URLs (SM-30)


def fetch_sitemap(url: str, options: dict[str, Any], folder: Path, *, cross: bool) -> FetchedSitemap:
    """`cross`: the robots.txt of other hosts whose URLs are listed is requested."""
    with open_state(None) as state:
        return asyncio.run(_fetched(url, options, Collector.into(folder), state, cross=cross))


async def _fetched(
    url: str, options: dict[str, Any], collector: Collector, state: LoadingState, *, cross: bool
) -> FetchedSitemap:
    settings = config(options)
    limits = replace(load_options(settings), entries=cross)  # only to find the other hosts are entries stored
    async with web(url, settings, options) as fetcher:
        request = LoadRequest(url, datetime.now(UTC), limits, settings.sitemaps.paths, observe=collector.received)
        loaded = await load_url(fetcher, request, state)
        others: frozenset[str] = frozenset()
        if cross:
            roots = {row.address for row in state.statuses(SitemapState.READ, SitemapState.FAILED) if row.address}
            others = await cross_submitted(fetcher, (key for _, key in state.urls()), roots)
    return FetchedSitemap(collector.documents(), loaded, collector.missing(loaded), others)
