"""Options → a fetcher for the web: one engine inside a stack of policies.

A request passes them from the outside in; each is a Fetcher around the next:

    FollowRedirects   robots.txt and sitemaps only; each hop enters the guard again
      Guard           refuses URLs that may not be fetched; adds the secret headers for the seed origin
        Retry         fetches again after an answer that may pass; each attempt enters the throttle again
          Throttle    requests in flight and per second, by host, adapted to the host's answers
            log       one line for each request, where that is wanted
            engine    libcurl or httpx; judges every address before it connects to it
"""

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager

from msgspec import Struct

from sitemap_action.config.crawling import HttpEngine
from sitemap_action.errors import UsageError
from sitemap_action.fetch.address_gate import AddressGate
from sitemap_action.fetch.base import Answer, Engine, Fetcher
from sitemap_action.fetch.clock import Clock
from sitemap_action.fetch.follow_redirects import FollowRedirects
from sitemap_action.fetch.guard import Guard
from sitemap_action.fetch.http_options import HttpOptions
from sitemap_action.fetch.request_log import RequestLog
from sitemap_action.fetch.retry import Retry
from sitemap_action.fetch.throttle import Throttle
from sitemap_action.model.source import RenderUse


class Web(Struct, frozen=True):
    """The fetcher of a crawl, and the throttle inside it, which takes the site's Crawl-delay."""

    fetcher: Fetcher
    throttle: Throttle
    single: Fetcher  # the same, without following a redirect
    rendered: Callable[[], RenderUse | None] = lambda: None  # what a browser did so far
    served: Fetcher | None = None  # without a browser, which `seen` asks once a page is read
    seen: Callable[[Answer], Awaitable[Answer]] | None = None


@asynccontextmanager
async def open_web(options: HttpOptions, environment: Mapping[str, str] = os.environ) -> AsyncIterator[Web]:
    """Raises UsageError when the engine of `http.engine` is not installed."""
    gate = AddressGate(options.seed, options.allow_private_hosts, private_seed=options.private_seed)
    engine = _engine(options, gate, environment)
    clock = Clock()
    if options.log is not None:
        engine = RequestLog(engine, options.log, clock)
    rates = {options.seed: options.rate}
    throttle = Throttle(engine, options.concurrency, rates, options.retry_after_max, clock)
    retry = Retry(throttle, options.retries, options.backoff, options.retry_after_max, clock)
    guard = Guard(retry, gate, options.seed, options.headers, mask=options.mask, private_seed=options.private_seed)
    try:
        yield Web(FollowRedirects(guard), throttle, guard)
    finally:
        await engine.close()


def _engine(options: HttpOptions, gate: AddressGate, environment: Mapping[str, str]) -> Engine:
    """Each engine is imported only when it is used."""
    if options.engine is not HttpEngine.HTTPX:
        try:
            from sitemap_action.fetch.curl_engine import CurlFetcher  # noqa: PLC0415

            return CurlFetcher(options, gate, environment)
        except ImportError as error:
            if options.engine is HttpEngine.LIBCURL:
                hint = "install pycurl, or set http.engine: httpx"
                raise UsageError(f"libcurl cannot be used: {error}", hint=hint) from None
    from sitemap_action.fetch.httpx_engine import HttpxFetcher  # noqa: PLC0415

    return HttpxFetcher(options, gate, environment)
