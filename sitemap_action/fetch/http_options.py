"""What config and inputs say about requests, for one crawl."""

import ipaddress
from urllib.parse import urlsplit

from sitemap_action.config.schema import Config
from sitemap_action.fetch.options import AGENT, HttpOptions
from sitemap_action.model.access import Access
from sitemap_action.web import urls
from sitemap_action.web.media import HTML_TYPES

_PREVIEW_RATE = 50.0  # requests a second (NET-04)
_PRODUCTION_RATE = 10.0


def http_options(config: Config, access: Access, start: str, *, preview: bool) -> HttpOptions:
    """`start`: the address that a person typed, "" when nobody did; its origin may be private and gets secrets."""
    crawl, http = config.crawl, config.http
    return HttpOptions(
        seed=urls.origin(start) if start else "",
        user_agent=http.user_agent or AGENT,
        accept_language=http.accept_language,
        concurrency=crawl.concurrency,
        rate=crawl.requests_per_second or _rate(start, preview=preview),
        timeout=crawl.timeout,
        max_body=crawl.max_body,
        max_sitemap=config.sitemaps.max_bytes,
        max_inflated=config.sitemaps.max_inflated,
        retries=http.retries,
        backoff=http.backoff,
        retry_after_max=crawl.retry_after_max,
        tls_verify=access.tls_verify,
        allow_private_hosts=access.allow_private_hosts,
        headers=access.headers,
        wanted=HTML_TYPES,
        engine=http.engine,
    )


def is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _rate(start: str, *, preview: bool) -> float | None:
    if is_loopback(start):
        return None
    return _PREVIEW_RATE if preview else _PRODUCTION_RATE
