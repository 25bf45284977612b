"""ENV-08: whether search engines can reach a host."""

import asyncio

import pytest

from sitemap_action.walk.start import is_public


@pytest.mark.parametrize(
    ("url", "public"),
    [
        ("https://93.184.215.14/", True),
        ("https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/a/", True),
        ("http://127.0.0.1:8000/", False),
        ("http://localhost/", False),
        ("http://[::1]:8000/", False),
        ("http://10.0.0.7/", False),
        ("http://[::ffff:192.168.1.1]/", False),
        ("http://169.254.169.254/", False),
        ("https://a..b/", False),
    ],
)
def test_ENV_08_public_host(url: str, public: bool) -> None:
    assert asyncio.run(is_public(url)) is public
