"""The driver of a loading over a fetcher: a few requests ahead, answers received in the order of the queue."""

import asyncio
from collections import deque
from collections.abc import Sequence
from datetime import datetime

from sitemap_action.errors import first_leaf
from sitemap_action.fetch.base import Answer, Fetcher
from sitemap_action.loader.loading import Enough, Loading, Observe, ignore, never, request_for
from sitemap_action.loader.result import DEFAULTS, Loaded, LoadOptions
from sitemap_action.store.loading_state import LoadingState
from sitemap_action.store.sitemap_status import SitemapStatus

_AHEAD = 4
"""Requests under way; their answers are held in memory until their turn."""


async def load(  # noqa: PLR0913 - what to load, with what, into what
    fetcher: Fetcher,
    seeds: Sequence[str],
    state: LoadingState,
    now: datetime,
    options: LoadOptions = DEFAULTS,
    *,
    usual: Sequence[str] = (),
    observe: Observe = ignore,
    enough: Enough = never,
) -> Loaded:
    """Read the sitemaps at the seeds and all that they list.

    `usual`: addresses that are tried after the seeds, without any until one is a sitemap; it is no failure that none
    is. `observe` gets every document that is received, in order.
    """
    loading = Loading(seeds, state, now, options, usual=usual, observe=observe, enough=enough)
    try:
        await _drive(loading, fetcher)
    except ExceptionGroup as several:
        raise first_leaf(several) from several
    return loading.finish()


async def _drive(loading: Loading, fetcher: Fetcher) -> None:
    async with asyncio.TaskGroup() as group:
        under_way: deque[tuple[SitemapStatus, asyncio.Task[Answer]]] = deque()
        while True:
            for status in loading.next_requests(_AHEAD - len(under_way), idle=not under_way):
                under_way.append((status, group.create_task(fetcher.fetch(request_for(status)))))
            if not under_way:
                return
            status, task = under_way.popleft()
            loading.receive(status, await task)
