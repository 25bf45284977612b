"""The httpx engine over a fake network: errors as sentences, truncated gzip, proxies."""

import asyncio
import gzip
import socket
from collections.abc import Iterable

import httpcore
import pytest

from servers import Answering, serve
from sitemap_action.fetch.address_gate import AddressGate
from sitemap_action.fetch.base import Answer, Failure, Request, Response, Skip
from sitemap_action.fetch.http_options import HttpOptions
from sitemap_action.fetch.httpx_engine import HttpxFetcher

URL = "https://x.example/a?b"


class Network(httpcore.AsyncMockBackend):
    """Each connection fails with one error, or answers with these bytes."""

    def __init__(self, error: Exception | None = None, *pieces: bytes) -> None:
        super().__init__(list(pieces))
        self.error = error

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's signature
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        if self.error is not None:
            raise self.error
        return await super().connect_tcp(host, port, timeout, local_address, socket_options)


async def public(_host: str, _port: int) -> list[str]:
    return ["93.184.215.14"]


def fetch(network: httpcore.AsyncNetworkBackend | None, url: str = URL, proxy: str = "") -> Answer:
    async def once() -> Answer:
        environment = {"ALL_PROXY": proxy} if proxy else {}
        fetcher = HttpxFetcher(HttpOptions(""), AddressGate(""), environment, network, public)
        try:
            return await fetcher.fetch(Request(url))
        finally:
            await fetcher.close()

    return asyncio.run(once())


@pytest.mark.parametrize(
    ("error", "failure", "reason"),
    [
        (httpcore.ConnectTimeout("t"), Failure.TIMEOUT, "no connection in time"),
        (httpcore.ReadTimeout(""), Failure.TIMEOUT, "no complete answer in time"),
        (httpcore.ConnectError("refused"), Failure.CONNECT, "no connection"),
        (httpcore.ConnectError("[SSL: CERTIFICATE_VERIFY_FAILED] x"), Failure.TLS, "the certificate is not trusted: [SSL: CERTIFICATE_VERIFY_FAILED] x"),
        (httpcore.ConnectError("[SSL: WRONG_VERSION_NUMBER]"), Failure.TLS, "no TLS connection: [SSL: WRONG_VERSION_NUMBER]"),
        (httpcore.RemoteProtocolError("a\nb"), Failure.BROKEN, "the connection broke: a\\x0ab"),
        (httpcore.ProxyError("407"), Failure.CONNECT, "no connection through the proxy: 407"),
        (socket.gaierror(-2, "Name or service not known"), Failure.DNS, "the host name cannot be resolved"),
        (OSError("too many open files"), Failure.BROKEN, "the connection broke: too many open files"),
    ],
)  # fmt: skip
def test_an_error_is_a_sentence(error: Exception, failure: Failure, reason: str) -> None:
    assert fetch(Network(error)) == Skip(URL, reason, failure=failure)


@pytest.mark.parametrize("missing", [1, 4, 8, 12, 50])
def test_gzip_that_ends_too_early_is_broken(missing: int) -> None:
    """httpx takes it for a whole one, and a page that lacks its end would lose links."""
    packed = gzip.compress(b"".join(b"%d," % number for number in range(999)))[:-missing]
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(packed)
    assert fetch(Network(None, head, packed)) == Skip(URL, "the compressed body is broken", failure=Failure.BROKEN)


@pytest.mark.parametrize("proxy", ["nonsense", "socks5://127.0.0.1:9"])
def test_a_proxy_that_cannot_be_used(proxy: str) -> None:
    answer = fetch(None, proxy=proxy)
    assert isinstance(answer, Skip)
    assert answer.failure in {Failure.BROKEN, Failure.CONNECT}


def test_a_proxy_gets_its_user_name_and_password() -> None:
    with serve({"*": Answering(lambda asked: asked.header("proxy-authorization"))}) as proxy:
        answer = fetch(None, "http://x.example/", proxy.origin.replace("//", "//user:word@"))
    assert isinstance(answer, Response)
    assert answer.body == b"Basic dXNlcjp3b3Jk"
