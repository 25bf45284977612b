"""The httpx engine over a fake transport: names, addresses, errors."""

import asyncio
import socket

import httpx
import pytest

from sitemap_action.fetch.base import Answer, Failure, Request, Response, Skip
from sitemap_action.fetch.dns import Lookup
from sitemap_action.fetch.httpx_engine import PlainFetcher
from sitemap_action.fetch.options import HttpOptions
from sitemap_action.fetch.resolver import AddressGate

URL = "https://x.example/a?b"
PUBLIC = "93.184.215.14"


def leads_to(*addresses: str) -> Lookup:
    async def lookup(_host: str, _port: int) -> list[str]:
        return list(addresses)

    return lookup


def ask(transport: httpx.AsyncBaseTransport, lookup: Lookup) -> Answer:
    fetcher = PlainFetcher(HttpOptions(""), AddressGate(""), {}, transport, lookup)
    return asyncio.run(fetcher.fetch(Request(URL)))


def test_NET_13_the_address_that_was_judged_is_the_one_that_is_asked() -> None:
    asked: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return httpx.Response(200, content=b"x")

    found = ask(httpx.MockTransport(answer), leads_to("10.0.0.1", PUBLIC))
    assert isinstance(found, Response)
    assert (found.url, found.body) == (URL, b"x")
    [request] = asked
    assert (request.url.host, request.headers["host"]) == (PUBLIC, "x.example")
    assert request.extensions["sni_hostname"] == "x.example"


def test_NET_13_no_address_is_left() -> None:
    found = ask(httpx.MockTransport(lambda _: httpx.Response(200)), leads_to("10.0.0.1", "::1"))
    assert isinstance(found, Skip)
    assert found.failure is Failure.REFUSED
    assert found.reason.startswith("x.example leads to 10.0.0.1, a private address")


def test_the_next_address_is_tried() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.host == PUBLIC:
            raise httpx.ConnectError("unreachable")
        return httpx.Response(200)

    assert isinstance(ask(httpx.MockTransport(answer), leads_to(PUBLIC, "8.8.8.8")), Response)


@pytest.mark.parametrize(
    ("error", "failure", "reason"),
    [
        (httpx.ConnectTimeout("t"), Failure.TIMEOUT, "no whole answer in time: t"),
        (httpx.ReadTimeout(""), Failure.TIMEOUT, "no whole answer in time"),
        (httpx.ConnectError("refused"), Failure.CONNECT, "no connection: refused"),
        (httpx.ConnectError("[SSL: CERTIFICATE_VERIFY_FAILED] x"), Failure.TLS, "the certificate is not trusted: [SSL: CERTIFICATE_VERIFY_FAILED] x"),
        (httpx.ConnectError("[SSL: WRONG_VERSION_NUMBER]"), Failure.TLS, "no TLS connection: [SSL: WRONG_VERSION_NUMBER]"),
        (httpx.RemoteProtocolError("a\nb"), Failure.BROKEN, "the connection broke: a\\x0ab"),
        (httpx.ProxyError("407"), Failure.CONNECT, "no connection through the proxy: 407"),
    ],
)  # fmt: skip
def test_errors(error: Exception, failure: Failure, reason: str) -> None:
    def answer(_request: httpx.Request) -> httpx.Response:
        raise error

    found = ask(httpx.MockTransport(answer), leads_to(PUBLIC))
    assert found == Skip(URL, reason, failure=failure)


def test_a_name_without_an_address() -> None:
    async def lookup(_host: str, _port: int) -> list[str]:
        raise socket.gaierror(-2, "Name or service not known")

    found = ask(httpx.MockTransport(lambda _: httpx.Response(200)), lookup)
    assert isinstance(found, Skip)
    assert found.failure is Failure.DNS
