"""Which URLs may be fetched, and which receive the secret headers."""

import asyncio

import pytest

from sitemap_action.fetch.base import Answer, Failure, Request, Response, Skip
from sitemap_action.fetch.policies import Guard
from sitemap_action.model.mask import Mask
from sitemap_action.web.address_gate import AddressGate

SEED = "https://x.example"
SECRETS = (("X-Bypass", "s3cret"), ("Authorization", "Bearer t0ken"), ("X-Empty", ""))


class Inner:
    """Records its requests."""

    def __init__(self, answer: Answer | None = None) -> None:
        self.answer = answer
        self.requests: list[Request] = []

    async def fetch(self, request: Request) -> Answer:
        self.requests.append(request)
        return self.answer or Response(request.url, 200)


def through(inner: Inner, url: str) -> Answer:
    guard = Guard(inner, AddressGate(SEED), SEED, SECRETS, mask=Mask(value for _, value in SECRETS))
    return asyncio.run(guard.fetch(Request(url)))


@pytest.mark.attack("addresses")
@pytest.mark.parametrize(
    ("url", "part"),
    [
        ("ftp://x.example/", "not an absolute http or https URL"),
        ("file:///etc/passwd", "not an absolute http or https URL"),
        ("javascript:alert(1)", "not an absolute http or https URL"),
        ("/path", "not an absolute http or https URL"),
        ("https://user:word@y.example/", "user name or password"),
        ("https://x.example/a b", "not in normal form"),
        ("https://x.example/a\r\nX-Injected: 1", "not in normal form"),
        ("https://x.example/\0", "not in normal form"),
        ("https://x.example/ä", "not in normal form"),
        ("http://y.example:25/", "port 25"),  # Fetch standard, bad port
        ("http://y.example:6379/", "port 6379"),
        ("http://127.0.0.1/", "loopback"),
        ("http://0177.0.0.1/", "loopback"),  # octal
        ("http://[::ffff:7f00:1]/", "loopback"),
        ("http://169.254.169.254/latest/meta-data/", "metadata"),
    ],
)
def test_NET_13_refused_before_anything_is_sent(url: str, part: str) -> None:
    inner = Inner()
    answer = through(inner, url)
    assert isinstance(answer, Skip)
    assert answer.failure is Failure.REFUSED
    assert part in answer.reason
    assert "word@" not in answer.reason
    assert inner.requests == []


@pytest.mark.attack("secrets")
@pytest.mark.parametrize(
    ("url", "secret"),
    [
        ("https://x.example/", True),
        ("https://x.example/a?b", True),
        ("http://x.example/", False),  # another scheme: in the clear
        ("https://x.example:8443/", False),  # another port
        ("https://www.x.example/", False),  # another host
        ("https://x.example.evil.example/", False),
        ("https://y.example/?https://x.example/", False),
    ],
)
def test_NET_12_secrets_go_to_the_seed_origin_alone(url: str, secret: bool) -> None:
    inner = Inner()
    through(inner, url)
    assert inner.requests[0].headers == (SECRETS if secret else ())
    assert "s3cret" not in repr(inner.requests[0])


@pytest.mark.attack("secrets")
def test_NET_12_a_value_in_a_reason_is_masked() -> None:
    inner = Inner(Skip(SEED, "cannot send s3cret or Bearer t0ken", failure=Failure.BROKEN))
    answer = through(inner, f"{SEED}/")
    assert isinstance(answer, Skip)
    assert answer.reason == "cannot send *** or ***"
