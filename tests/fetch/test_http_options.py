"""What config and inputs say about requests (NET-01, NET-04, NET-12)."""

from dataclasses import replace

import pytest

from sitemap_action.config.crawling import CrawlConfig, HttpConfig, SitemapsConfig
from sitemap_action.config.schema import Config
from sitemap_action.fetch.http_options import http_options, is_loopback
from sitemap_action.fetch.options import AGENT
from sitemap_action.model.access import Access

RATES = [
    # id, start page, preview, crawl.requests-per-second, requests a second
    ("NET-04 production", "https://x.com/", False, None, 10),
    ("NET-04 a preview", "https://pr.net/", True, None, 50),
    ("NET-04 loopback", "http://127.0.0.1:8000/", True, None, None),
    ("NET-04 loopback by name", "http://localhost/", True, None, None),
    ("NET-04 loopback, IPv6", "http://[::1]:8000/", True, None, None),
    ("crawl.requests-per-second", "https://x.com/", False, 2.5, 2.5),
    ("the user's choice on loopback", "http://localhost/", True, 2.5, 2.5),
]


@pytest.mark.parametrize(("start", "preview", "given", "rate"), [pytest.param(*row[1:], id=row[0]) for row in RATES])
def test_rates(start: str, preview: bool, given: float | None, rate: float | None) -> None:
    config = Config(crawl=CrawlConfig(requests_per_second=given))
    assert http_options(config, Access(), start, preview=preview).rate == rate


@pytest.mark.parametrize("url", ["http://127.9.9.9/", "http://a.localhost/", "http://[::1]/"])
def test_loopback(url: str) -> None:
    assert is_loopback(url)


@pytest.mark.parametrize("url", ["http://10.0.0.1/", "http://localhost.example/", "http://0.0.0.0/", "http://[::2]/"])
def test_no_loopback(url: str) -> None:
    assert not is_loopback(url)


def test_every_option_reaches_the_fetcher() -> None:
    config = Config(
        crawl=CrawlConfig(concurrency=3, timeout=4, max_body=5, retry_after_max=6),
        http=HttpConfig(retries=7, backoff=8, user_agent="me/1", accept_language="de"),
        sitemaps=SitemapsConfig(max_bytes=9, max_inflated=10),
    )
    access = Access((("x-secret", "s"),), tls_verify=False, allow_private_hosts=("10.0.0.0/8",))
    found = http_options(config, access, "https://x.com/docs/?a=1", preview=False)
    assert (found.seed, found.user_agent, found.accept_language) == ("https://x.com", "me/1", "de")
    assert (found.concurrency, found.timeout, found.max_body, found.retry_after_max) == (3, 4, 5, 6)
    assert (found.retries, found.backoff, found.max_sitemap, found.max_inflated) == (7, 8, 9, 10)
    assert (found.tls_verify, found.allow_private_hosts) == (False, ("10.0.0.0/8",))
    assert (found.headers, found.wanted) == ((("x-secret", "s"),), {"text/html", "application/xhtml+xml"})


def test_NET_01_our_own_name_unless_another_is_given() -> None:
    assert http_options(Config(), Access(), "https://x.com/", preview=False).user_agent == AGENT
    assert "sitemap-action" in AGENT


def test_secrets_are_in_no_text() -> None:
    access = Access((("authorization", "Bearer s3cret"),))
    shown = f"{access!r} {replace(http_options(Config(), access, 'https://x.com/', preview=False), rate=1)!r}"
    assert "s3cret" not in shown
