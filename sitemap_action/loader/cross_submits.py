"""Cross-submission: other hosts whose robots.txt names a sitemap that lists their URLs (SM-30)."""

from collections.abc import Collection, Iterable

from sitemap_action.fetch.base import Fetcher
from sitemap_action.loader.discover import discover
from sitemap_action.web.urls import origin

_HOSTS = 20
"""Requested at most; a sitemap that lists URLs of more is no cross-submission."""


async def cross_submitted(fetcher: Fetcher, keys: Iterable[str], sitemaps: Collection[str]) -> frozenset[str]:
    """Origins of `keys` beside the sitemaps' own whose robots.txt names one of the `sitemaps`."""
    own = {origin(url) for url in sitemaps}
    others = sorted({key[: key.index("/", 8)] for key in keys} - own)[:_HOSTS]
    return frozenset([other for other in others if await _names(fetcher, other, sitemaps)])


async def _names(fetcher: Fetcher, other: str, sitemaps: Collection[str]) -> bool:
    declared = await discover(fetcher, f"{other}/", paths=())
    return not set(declared.seeds).isdisjoint(sitemaps)
