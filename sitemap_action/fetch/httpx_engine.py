"""Pages over HTTP by httpx: the engine where libcurl is missing, and the one that takes a fake transport in tests."""

import asyncio
import socket
import ssl
import time
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import cast

import httpx

from sitemap_action.fetch.base import Answer, Failure, Request, Response, Skip
from sitemap_action.fetch.dns import Lookup, Names, RefusedError, lookup
from sitemap_action.fetch.inflate import CODINGS, Inflate
from sitemap_action.fetch.options import CONNECT, MAX_HEADERS, SILENCE, Cap, HttpOptions, caps
from sitemap_action.fetch.proxies import Proxies
from sitemap_action.fetch.resolver import AddressGate
from sitemap_action.fetch.response_head import Headers, sent, target, text, unwanted
from sitemap_action.fetch.tls import TrustStore, trust
from sitemap_action.web.printable import printable


@dataclass(slots=True)
class _Read:
    """What has come of one body."""

    body: bytearray = field(default_factory=bytearray)
    unread: bool = False
    large: str = ""


class PlainFetcher:
    """Asks httpx's transports, not its client: no cookie, no redirect and no environment is in the way there.

    A name is resolved once, each address is judged, and the request goes to that address with the name in its Host
    header and in TLS, so that nothing can change in between (NET-13).
    """

    def __init__(
        self,
        options: HttpOptions,
        gate: AddressGate,
        environment: Mapping[str, str],
        transport: httpx.AsyncBaseTransport | None = None,
        look_up: Lookup = lookup,
    ) -> None:
        self._options = options
        self._names = Names(gate, look_up)
        self._proxies = Proxies(environment)
        self._context = _context(options.tls_verify, trust(environment))
        self._fake = transport
        self._idle: dict[str, list[httpx.AsyncBaseTransport]] = {}
        self._caps = caps(options)

    async def fetch(self, request: Request) -> Answer:
        try:
            async with asyncio.timeout(self._options.timeout):
                return await self._ask(request)
        except TimeoutError:
            reason = f"no whole answer in time: {self._options.timeout:g} s have passed"
            return Skip(request.url, reason, failure=Failure.TIMEOUT)
        except RefusedError as refusal:
            return Skip(request.url, str(refusal), failure=Failure.REFUSED)
        except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError, ImportError, zlib.error) as error:
            failure, words = _sentence(error)
            return Skip(request.url, ": ".join(filter(None, (words, printable(str(error))))), failure=failure)

    async def close(self) -> None:
        for transport in chain.from_iterable(self._idle.values()):
            await transport.aclose()

    async def _ask(self, request: Request) -> Answer:
        proxy = self._proxies.of(request.url)
        transport = self._transport(proxy)
        try:
            start = time.monotonic()
            got = await self._sent(request, transport, proxied=bool(proxy))
            seconds = time.monotonic() - start
            try:
                return await self._answer(request, got, seconds)
            finally:
                await got.aclose()
        finally:
            self._idle.setdefault(proxy, []).append(transport)

    async def _answer(self, request: Request, got: httpx.Response, seconds: float) -> Answer:
        def skip(reason: str, failure: Failure) -> Skip:
            return Skip(request.url, reason, failure=failure)

        headers = tuple((text(name).lower(), text(value).strip()) for name, value in got.headers.raw)
        if sum(len(name) + len(value) for name, value in got.headers.raw) > MAX_HEADERS:
            return skip(f"the headers are longer than {MAX_HEADERS >> 10} KiB", Failure.TOO_LARGE)
        if len({value for name, value in headers if name == "location"}) > 1:
            return skip("the answer is broken HTTP: several Location headers", Failure.BROKEN)
        read = await self._read(request, got, headers, self._caps[request.want])
        if read.large:
            return skip(read.large, Failure.TOO_LARGE)
        leads = target(request.url, got.status_code, headers)
        return Response(
            request.url, got.status_code, headers, bytes(read.body), leads, unread=read.unread, seconds=seconds
        )

    async def _sent(self, request: Request, transport: httpx.AsyncBaseTransport, *, proxied: bool) -> httpx.Response:
        url = httpx.URL(request.url)
        headers = [
            ("Host", url.netloc.decode("ascii")),
            ("User-Agent", self._options.user_agent),
            ("Accept-Encoding", CODINGS),
            *sent(request, self._options.accept_language),
        ]
        extensions: dict[str, object] = {"timeout": self._timeouts()}
        if proxied:
            return await transport.handle_async_request(
                httpx.Request("GET", url, headers=headers, extensions=extensions)
            )
        extensions |= {"sni_hostname": url.host, "target": url.raw_path}
        port = url.port or (443 if url.scheme == "https" else 80)
        failed: httpx.ConnectError | None = None
        for address in await self._names.addresses(request.url, url.scheme, url.host, port):
            asked = httpx.Request("GET", url.copy_with(host=address), headers=headers, extensions=extensions)
            try:
                return await transport.handle_async_request(asked)
            except httpx.ConnectError as error:
                failed = failed or error
        raise failed or httpx.ConnectError("the name has no address")

    async def _read(self, request: Request, got: httpx.Response, headers: Headers, cap: Cap) -> _Read:
        read, wire = _Read(), 0
        if unwanted(request, headers, self._options.wanted):
            read.unread = True
            return read
        inflate = Inflate(next((value for name, value in headers if name == "content-encoding"), ""))
        async for data in cast("httpx.AsyncByteStream", got.stream):
            wire += len(data)
            if wire > cap.wire:
                read.large = f"the body is larger than {cap.wire:,} bytes"
                return read
            for piece in inflate.feed(data):
                read.body += piece
                if len(read.body) > cap.inflated:
                    if cap.cut:
                        del read.body[cap.inflated :]
                    else:
                        read.large = f"the body is larger than {cap.inflated:,} bytes"
                    return read
        inflate.end()
        return read

    def _transport(self, proxy: str) -> httpx.AsyncBaseTransport:
        """One of a connection each: a pool of many looks through all of them for each request."""
        if idle := self._idle.get(proxy):
            return idle.pop()
        limits = httpx.Limits(max_connections=1)
        return self._fake or httpx.AsyncHTTPTransport(
            verify=self._context, trust_env=False, limits=limits, proxy=proxy or None
        )

    def _timeouts(self) -> dict[str, float]:
        connect = min(CONNECT, self._options.timeout)
        return {"connect": connect, "pool": self._options.timeout, "read": SILENCE, "write": SILENCE}


def _context(verify: bool, trusted: TrustStore) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=trusted.file or None, capath=trusted.folder or None)
    if not verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


_WORDS: tuple[tuple[type[Exception] | tuple[type[Exception], ...], str, Failure, str], ...] = (
    (httpx.TimeoutException, "", Failure.TIMEOUT, "no whole answer in time"),
    (httpx.ProxyError, "", Failure.CONNECT, "no connection through the proxy"),
    (httpx.ConnectError, "CERTIFICATE_VERIFY_FAILED", Failure.TLS, "the certificate is not trusted"),
    (httpx.ConnectError, "SSL", Failure.TLS, "no TLS connection"),
    (httpx.ConnectError, "", Failure.CONNECT, "no connection"),
    ((socket.gaierror, UnicodeError, httpx.InvalidURL), "", Failure.DNS, "the host name cannot be resolved"),
    (zlib.error, "", Failure.BROKEN, "the compressed body is broken"),
    (Exception, "", Failure.BROKEN, "the connection broke"),
)


def _sentence(error: Exception) -> tuple[Failure, str]:
    """By class, and by what its text holds."""
    said = str(error)
    return next((failure, words) for kind, part, failure, words in _WORDS if isinstance(error, kind) and part in said)
