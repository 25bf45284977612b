"""Options → the web: one engine, with every policy round it."""

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

from sitemap_action.config.crawling import HttpEngine
from sitemap_action.errors import UsageError
from sitemap_action.fetch.address_gate import AddressGate
from sitemap_action.fetch.base import Engine, Fetcher
from sitemap_action.fetch.clock import Clock
from sitemap_action.fetch.follow_redirects import Follow
from sitemap_action.fetch.guard import Guard
from sitemap_action.fetch.options import HttpOptions
from sitemap_action.fetch.retry import Retry
from sitemap_action.fetch.throttle import Throttle


@dataclass(frozen=True, slots=True)
class Web:
    """What a crawl asks, and what says how fast that goes."""

    fetcher: Fetcher
    throttle: Throttle


@asynccontextmanager
async def open_web(options: HttpOptions, environment: Mapping[str, str] = os.environ) -> AsyncIterator[Web]:
    """Every request meets the guard, every retry the throttle, and every redirect that is followed both."""
    gate = AddressGate(options.seed, options.allow_private_hosts)
    engine = _engine(options, gate, environment)
    clock = Clock()
    longest = options.retry_after_max
    rates = {options.seed: options.rate}
    throttle = Throttle(engine, options.concurrency, rates, longest, clock)
    retry = Retry(throttle, options.retries, options.backoff, longest, clock)
    try:
        yield Web(Follow(Guard(retry, gate, options.seed, options.headers)), throttle)
    finally:
        await engine.close()


def _engine(options: HttpOptions, gate: AddressGate, environment: Mapping[str, str]) -> Engine:
    """The engine of `http.engine`; each is imported only when it is used."""
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
