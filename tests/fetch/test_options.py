"""Config and inputs become options of requests (NET-01, NET-04, NET-12); proxies come from the environment."""

import pytest
from msgspec.structs import replace

from sitemap_action.config.schema import Config, CrawlConfig, HttpConfig, SitemapsConfig
from sitemap_action.errors import UsageError
from sitemap_action.fetch.base import AGENT, Headers, Proxies
from sitemap_action.model.mask import Access
from sitemap_action.runner.job_log import secret_headers
from sitemap_action.walk.start import http_options
from sitemap_action.web.spellings import is_loopback

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
    config = Config(http=HttpConfig(requests_per_second=given))
    assert http_options(config, Access(), start, preview=preview).rate == rate


@pytest.mark.parametrize("url", ["http://127.9.9.9/", "http://a.localhost/", "http://[::1]/"])
def test_loopback(url: str) -> None:
    assert is_loopback(url)


@pytest.mark.parametrize("url", ["http://10.0.0.1/", "http://localhost.example/", "http://0.0.0.0/", "http://[::2]/"])
def test_no_loopback(url: str) -> None:
    assert not is_loopback(url)


def test_every_option_reaches_the_fetcher() -> None:
    config = Config(
        crawl=CrawlConfig(max_body=5),
        http=HttpConfig(
            concurrency=3, retry_after_max=6, timeout=4, retries=7, backoff=8, user_agent="me/1", accept_language="de"
        ),
        sitemaps=SitemapsConfig(max_bytes=9, max_inflated=10),
    )
    access = Access((("x-secret", "s"),), tls_verify=False, allow_private_hosts=("10.0.0.0/8",))
    found = http_options(config, access, "https://x.com/docs/?a=1", preview=False)
    assert (found.seed, found.user_agent, found.accept_language) == ("https://x.com", "me/1", "de")
    assert (found.concurrency, found.timeout, found.max_body, found.retry_after_max) == (3, 4, 5, 6)
    assert (found.retries, found.backoff, found.max_sitemap, found.max_inflated) == (7, 8, 9, 10)
    assert (found.access, found.wanted) == (access, {"text/html", "application/xhtml+xml"})


def test_NET_01_our_own_name_unless_another_is_given() -> None:
    assert http_options(Config(), Access(), "https://x.com/", preview=False).user_agent == AGENT
    assert "sitemap-action" in AGENT


@pytest.mark.attack("secrets")
def test_secrets_are_in_no_text() -> None:
    access = Access((("authorization", "Bearer s3cret"),))
    shown = f"{access!r} {replace(http_options(Config(), access, 'https://x.com/', preview=False), rate=1)!r}"
    assert "s3cret" not in shown


@pytest.mark.parametrize(
    ("lines", "headers"),
    [
        ("", ()),
        ("X-Bypass: s3cret", (("X-Bypass", "s3cret"),)),
        ("  A:1  \r\n\r\nB:  b: c \n", (("A", "1"), ("B", "b: c"))),
        ("X-Empty:", (("X-Empty", ""),)),
        ("Authorization: Basic a2Q6dw==", (("Authorization", "Basic a2Q6dw=="),)),
    ],
)
def test_secret_headers(lines: str, headers: Headers) -> None:
    assert secret_headers(lines) == headers


@pytest.mark.attack("secrets")
@pytest.mark.parametrize("lines", ["s3cret", "A: 1\ns3cret", "na me: s3cret", ": s3cret", "A: s3\0cret", "Ä: s3cret"])
def test_a_wrong_line_is_named_and_not_shown(lines: str) -> None:
    with pytest.raises(UsageError, match=f"headers, line {len(lines.splitlines())}") as caught:
        secret_headers(lines)
    assert "s3" not in str(caught.value)


@pytest.mark.parametrize(
    ("environment", "url", "proxy"),
    [
        ({}, "http://x.example/", ""),
        ({"http_proxy": "http://p:1"}, "http://x.example/", "http://p:1"),
        ({"http_proxy": "http://p:1"}, "https://x.example/", ""),
        ({"HTTPS_PROXY": "http://p:1"}, "https://x.example/", "http://p:1"),
        ({"HTTPS_PROXY": "http://p:1", "https_proxy": "http://q:1"}, "https://x.example/", "http://q:1"),
        ({"ALL_PROXY": "http://p:1"}, "https://x.example/", "http://p:1"),
        ({"ALL_PROXY": "http://p:1", "NO_PROXY": "x.example"}, "https://x.example/", ""),
        ({"ALL_PROXY": "http://p:1", "NO_PROXY": "example"}, "https://x.example/", ""),  # a suffix of labels
        ({"ALL_PROXY": "http://p:1", "NO_PROXY": "ample"}, "https://x.example/", "http://p:1"),  # not of letters
        ({"ALL_PROXY": "http://p:1", "NO_PROXY": ".example, y"}, "https://x.example/", ""),
        ({"ALL_PROXY": "http://p:1", "NO_PROXY": "*.EXAMPLE"}, "https://x.example/", ""),
        ({"ALL_PROXY": "http://p:1", "NO_PROXY": "x.example:81"}, "http://x.example:81/", ""),
        ({"ALL_PROXY": "http://p:1", "NO_PROXY": "x.example:81"}, "http://x.example/", "http://p:1"),
        ({"ALL_PROXY": "http://p:1", "NO_PROXY": "a, *"}, "http://x.example/", ""),
        ({"ALL_PROXY": "http://p:1", "NO_PROXY": " , "}, "http://x.example/", "http://p:1"),
    ],
)
def test_proxies(environment: dict[str, str], url: str, proxy: str) -> None:
    assert Proxies(environment).for_url(url) == proxy
