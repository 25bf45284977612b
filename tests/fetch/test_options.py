"""Secret headers from their input, and proxies from the environment."""

import pytest

from sitemap_action.errors import UsageError
from sitemap_action.fetch.options import Headers, secret_headers
from sitemap_action.fetch.proxies import Proxies


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
    assert Proxies(environment).of(url) == proxy
