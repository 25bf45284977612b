"""Pages over HTTP by httpx: the engine where libcurl is missing.

httpcore, the transport below httpx, connects and speaks HTTP/1.1: one pool of connections for each scheme and proxy,
whose network judges every address (`gated_network`). Neither httpx's client nor its transport is used: the client adds
cookies, redirects and the environment, and the transport accepts no network backend.
"""

import asyncio
import socket
import ssl
import time
from collections.abc import Mapping
from urllib.parse import urlsplit

import httpcore
import httpx

from sitemap_action.fetch.address_gate import AddressGate
from sitemap_action.fetch.base import Answer, Failure, Headers, Request, Response, Skip
from sitemap_action.fetch.content_coding import ACCEPTED, BrokenCodingError, Decoder, coding
from sitemap_action.fetch.gated_network import GatedNetwork, Lookup, RefusedError, lookup
from sitemap_action.fetch.http_options import (
    CONNECT_TIMEOUT,
    IDLE_TIMEOUT,
    MAX_HEADERS,
    HttpOptions,
    caps,
    request_headers,
)
from sitemap_action.fetch.proxies import Proxies
from sitemap_action.fetch.response_head import decode_field, is_unwanted, redirect_target
from sitemap_action.fetch.tls import TrustStore, trust_store
from sitemap_action.web.printable import printable

_LONG_HEADERS = f"the headers are longer than {MAX_HEADERS >> 10} KiB"


class HttpxFetcher:
    """A connection carries one request at a time; cancelling that closes it."""

    def __init__(
        self,
        options: HttpOptions,
        gate: AddressGate,
        environment: Mapping[str, str],
        network: httpcore.AsyncNetworkBackend | None = None,
        look_up: Lookup = lookup,
    ) -> None:
        self._options = options
        self._gate = gate
        self._proxies = Proxies(environment)
        self._context = _ssl_context(options.tls_verify, trust_store(environment))
        self._network, self._look_up = network or httpcore.AnyIOBackend(), look_up
        self._pools: dict[tuple[str, str], httpcore.AsyncConnectionPool] = {}  # by scheme and proxy
        self._caps = caps(options)
        connect = min(CONNECT_TIMEOUT, options.timeout)
        self._timeouts = {"timeout": {"connect": connect, "read": IDLE_TIMEOUT, "write": IDLE_TIMEOUT}}

    async def fetch(self, request: Request) -> Answer:
        try:
            async with asyncio.timeout(self._options.timeout):
                return await self._fetch(request)
        except _BadAnswerError as error:
            return Skip(request.url, error.reason, failure=error.failure)
        except RefusedError as error:
            return Skip(request.url, str(error), failure=Failure.REFUSED)
        except _ERRORS as error:
            failure, reason = _describe(error)
            return Skip(request.url, reason, failure=failure)

    async def close(self) -> None:
        for pool in self._pools.values():
            await pool.aclose()

    async def _fetch(self, request: Request) -> Response:
        parts = urlsplit(request.url)
        # Given in parts, because httpcore would drop `;parameters` and an empty query.
        path = request.url[request.url.index("/", 8) :]
        url = httpcore.URL(scheme=parts.scheme, host=parts.hostname or "", port=parts.port, target=path)
        pool = self._pool(parts.scheme, self._proxies.for_url(request.url))
        start = time.monotonic()
        headers = self._request_headers(request, parts.netloc)
        async with pool.stream("GET", url, headers=headers, extensions=self._timeouts) as received:
            seconds = time.monotonic() - start
            fields = _response_headers(received)
            body_skipped = is_unwanted(request, fields, self._options.wanted)
            body = b"" if body_skipped else await self._body(request, received, fields)
        return Response(
            url=request.url,
            status=received.status,
            headers=fields,
            body=body,
            target=redirect_target(request.url, received.status, fields),
            body_skipped=body_skipped,
            seconds=seconds,
        )

    def _request_headers(self, request: Request, host: str) -> list[tuple[bytes, bytes]]:
        headers = (
            ("Host", host),
            ("User-Agent", self._options.user_agent),
            ("Accept-Encoding", ACCEPTED),
            *request_headers(request, self._options.accept_language),
        )
        return [(name.encode(), value.encode()) for name, value in headers]

    async def _body(self, request: Request, received: httpcore.Response, headers: Headers) -> bytes:
        cap = self._caps[request.kind]
        decoder: Decoder | None = None
        body, size = bytearray(), 0
        async for piece in received.aiter_stream():
            if not size and (name := coding(headers)):
                decoder = Decoder(name)
            size += len(piece)
            if size > cap.wire:  # what is coded may inflate to nothing at all (NET-11)
                raise _too_large(cap.wire)
            body += piece if decoder is None else decoder.decode(piece, cap.inflated + 1 - len(body))
            if len(body) > cap.inflated:
                if cap.truncate:
                    return bytes(body[: cap.inflated])
                raise _too_large(cap.inflated)
        if decoder is not None:
            decoder.finish()
        return bytes(body)

    def _pool(self, scheme: str, proxy: str) -> httpcore.AsyncConnectionPool:
        """The connections of a scheme through a proxy, "" for none; the throttle limits how many are open."""
        if (scheme, proxy) not in self._pools:
            gated = GatedNetwork(self._gate, scheme, self._network, self._look_up)
            self._pools[scheme, proxy] = httpcore.AsyncConnectionPool(
                ssl_context=self._context,
                proxy=_proxy(proxy) if proxy else None,
                max_connections=None,
                max_keepalive_connections=self._options.concurrency,
                network_backend=self._network if proxy else gated,  # a proxy resolves the names itself
            )
        return self._pools[scheme, proxy]


class _BadAnswerError(Exception):
    """An answer that arrived and cannot be used."""

    def __init__(self, reason: str, failure: Failure = Failure.BROKEN) -> None:
        super().__init__(reason)
        self.reason, self.failure = reason, failure


def _too_large(cap: int) -> _BadAnswerError:
    return _BadAnswerError(f"the body is larger than {cap:,} bytes", Failure.TOO_LARGE)


def _response_headers(received: httpcore.Response) -> Headers:
    if sum(len(name) + len(value) for name, value in received.headers) > MAX_HEADERS:
        raise _BadAnswerError(_LONG_HEADERS, Failure.TOO_LARGE)
    headers = tuple((decode_field(name).lower(), decode_field(value).strip()) for name, value in received.headers)
    if len({value for name, value in headers if name == "location"}) > 1:
        raise _BadAnswerError("the answer is broken HTTP: Multiple Location headers")
    return headers


def _proxy(address: str) -> httpcore.Proxy:
    """User name and password, where the address has them, become a header."""
    proxy = httpx.Proxy(address)
    return httpcore.Proxy(str(proxy.url), auth=proxy.raw_auth)


def _ssl_context(verify: bool, trusted: TrustStore) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=trusted.file or None, capath=trusted.folder or None)
    if not verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


_ERRORS = (
    httpcore.NetworkError,
    httpcore.TimeoutException,
    httpcore.ProtocolError,
    httpcore.ProxyError,
    BrokenCodingError,
    httpx.InvalidURL,  # of a proxy
    OSError,
    ValueError,
    ImportError,  # what a SOCKS proxy needs
)

_NO_ANSWER = "the connection was closed without an answer"
_NO_WHOLE_BODY = "the connection was closed before the body was complete"
# The sentences of `curl_errors`: exception, a part of its text, failure, sentence, whether the text follows it.
_SENTENCES: tuple[tuple[type[Exception] | tuple[type[Exception], ...], str, Failure, str, bool], ...] = (
    (httpcore.ConnectTimeout, "", Failure.TIMEOUT, "no connection in time", False),
    ((httpcore.TimeoutException, TimeoutError), "", Failure.TIMEOUT, "no complete answer in time", False),
    (httpcore.ProxyError, "", Failure.CONNECT, "no connection through the proxy", True),
    (httpcore.ConnectError, "CERTIFICATE_VERIFY_FAILED", Failure.TLS, "the certificate is not trusted", True),
    (httpcore.ConnectError, "SSL", Failure.TLS, "no TLS connection", True),
    (httpcore.ConnectError, "", Failure.CONNECT, "no connection", False),
    ((socket.gaierror, UnicodeError), "", Failure.DNS, "the host name cannot be resolved", False),
    (BrokenCodingError, "", Failure.BROKEN, "the compressed body is broken", False),
    (httpcore.RemoteProtocolError, "without sending a response", Failure.BROKEN, _NO_ANSWER, False),
    (httpcore.RemoteProtocolError, "without sending complete", Failure.BROKEN, _NO_WHOLE_BODY, False),
    (httpcore.RemoteProtocolError, "illegal request line", Failure.BROKEN, "the answer is not HTTP/1 or later", False),
    (httpcore.RemoteProtocolError, "Receive buffer too long", Failure.TOO_LARGE, _LONG_HEADERS, False),
    (Exception, "", Failure.BROKEN, "the connection broke", True),
)  # fmt: skip


def _describe(error: Exception) -> tuple[Failure, str]:
    detail = printable(str(error))
    _, _, failure, sentence, detailed = next(
        row for row in _SENTENCES if isinstance(error, row[0]) and row[1] in detail
    )
    return failure, f"{sentence}: {detail}" if detailed and detail else sentence
