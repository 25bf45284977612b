"""Sitemaps of the web for read, validate and diff: a fetcher by the options of a command, and documents as served."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from sitemap_action.cli.options import default_config
from sitemap_action.config.schema import Config
from sitemap_action.console.streams import Console
from sitemap_action.errors import UsageError
from sitemap_action.fetch.base import Fetcher
from sitemap_action.fetch.options import http_options
from sitemap_action.fetch.policies import open_web
from sitemap_action.look.documents import DocumentList, Documents
from sitemap_action.look.web_sitemaps import cross_submitted, load_url
from sitemap_action.model.context import Access, split_list
from sitemap_action.store.loading_state import LoadingState, SitemapState
from sitemap_action.store.state import open_state
from sitemap_action.walk.sitemap_loading import Loaded, LoadOptions
from sitemap_action.web.urls import BadUrl, normalize


def is_url(source: str) -> bool:
    return source.lower().startswith(("http://", "https://"))


def load_options(config: Config) -> LoadOptions:
    limits = config.sitemaps
    return LoadOptions(limits.max_documents, limits.max_depth, limits.max_inflated)


@asynccontextmanager
async def web(source: str, settings: Config, options: dict[str, Any]) -> AsyncIterator[Fetcher]:
    """A fetcher for everything that the source links to."""
    try:
        url = normalize(source)
    except BadUrl as error:
        hint = "give a URL such as https://www.example.com/"
        raise UsageError(f"{source} cannot be read: {error}", hint=hint) from None
    allowed = split_list(options["allow_private_hosts"])
    log = Console(os.environ).request_log(verbose=options["verbose"] or options["debug"])
    access = Access(tls_verify=options["tls_verify"], allow_private_hosts=allowed, log=log)
    async with open_web(http_options(settings, access, url, preview=False)) as found:
        yield found.fetcher


def fetch_sitemap(
    url: str, options: dict[str, Any], folder: Path, *, cross: bool
) -> tuple[Documents, Loaded, frozenset[str]]:
    """A sitemap, or all that a site declares, as it was received, and whether that was all of it.

    `cross`: the robots.txt of other hosts whose URLs are listed is requested; the origins whose robots.txt lets this
    sitemap list their URLs come last (SM-30).
    """
    with open_state(None) as state:
        return asyncio.run(_fetch(url, options, DocumentList(folder), state, cross=cross))


async def _fetch(
    url: str, options: dict[str, Any], documents: DocumentList, state: LoadingState, *, cross: bool
) -> tuple[Documents, Loaded, frozenset[str]]:
    settings = default_config(options)
    limits = replace(load_options(settings), entries=cross)  # only to find the other hosts are entries stored
    async with web(url, settings, options) as fetcher:
        paths, now = settings.sitemaps.paths, datetime.now(UTC)
        loaded = await load_url(fetcher, url, state, now, limits, paths=paths, observe=documents.add)
        others: frozenset[str] = frozenset()
        if cross:
            roots = {row.address for row in state.statuses(SitemapState.READ, SitemapState.FAILED) if row.address}
            others = await cross_submitted(fetcher, (key for _, key in state.urls()), roots)
    return documents.documents(loaded), loaded, others
