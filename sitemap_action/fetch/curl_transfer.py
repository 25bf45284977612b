"""One easy handle of libcurl, reused for one request after another, and what it has received of the current answer."""

import socket
from collections.abc import Sequence
from typing import Protocol

import pycurl

from sitemap_action.fetch.address_gate import AddressGate
from sitemap_action.fetch.base import Answer, Failure, Headers, Request, RequestKind, Response, Skip
from sitemap_action.fetch.content_coding import ACCEPTED, BrokenCodingError, Decoder, coding
from sitemap_action.fetch.curl_errors import BAD_CODING, FILE_SIZE, describe
from sitemap_action.fetch.http_options import (
    CONNECT_TIMEOUT,
    IDLE_TIMEOUT,
    MAX_HEADERS,
    Cap,
    HttpOptions,
    request_headers,
)
from sitemap_action.fetch.response_head import is_unwanted, parse_head, redirect_target
from sitemap_action.fetch.tls import TrustStore
from sitemap_action.web.printable import printable


class SocketAddress(Protocol):
    """The argument of pycurl's callback."""

    family: int
    socktype: int
    protocol: int
    addr: Sequence[object]


class Transfer:
    """The callbacks only collect pieces; `answer` joins the body and parses the head."""

    def __init__(self, options: HttpOptions, gate: AddressGate, trusted: TrustStore) -> None:
        self._options, self._gate = options, gate
        self._lines: list[bytes] = []
        self._body: list[bytes] = []
        self._sockets: list[socket.socket] = []
        self._header_key: tuple[RequestKind, str, str, Headers] | None = None  # what the handle's headers depend on
        self._proxy: str | None = None
        self._max_size = -1
        self._tls = False
        self.curl = pycurl.Curl()
        for option, value in _settings(options, trusted):
            self.curl.setopt(option, value)
        self.curl.setopt(pycurl.HEADERFUNCTION, self._lines.append)  # libcurl takes 300 KiB at most
        self.curl.setopt(pycurl.WRITEFUNCTION, self._write)
        self.curl.setopt(pycurl.OPENSOCKETFUNCTION, self._open)

    def begin(self, request: Request, cap: Cap, proxy: str) -> pycurl.Curl:
        self._request, self._cap, self._limit = request, cap, cap.inflated
        self._lines.clear()
        self._body.clear()
        self._received = self._size = 0  # bytes on the wire, and of the body
        self._headers: Headers | None = None
        self._decoder: Decoder | None = None  # of a coded body
        self._body_skipped = self._truncated = self._too_large = self._broken = False
        self._refusal = ""
        curl = self.curl
        curl.setopt(pycurl.URL, request.url)
        if (max_size := 0 if cap.truncate else cap.wire) != self._max_size:
            self._max_size = max_size
            curl.setopt(pycurl.MAXFILESIZE_LARGE, max_size)  # on the wire
        if (key := (request.kind, request.etag, request.modified, request.headers)) != self._header_key:
            self._header_key = key
            headers = request_headers(request, self._options.accept_language)
            curl.setopt(pycurl.HTTPHEADER, [f"{name}: {value}" if value else f"{name};" for name, value in headers])
        if (tls := request.url.startswith("https:")) is not self._tls:
            self._tls = tls  # over TLS one connection may hold all requests (HTTP/2): worth waiting for
            curl.setopt(pycurl.PIPEWAIT, int(tls))
        if proxy != self._proxy:
            self._proxy = proxy
            curl.setopt(pycurl.PROXY, proxy)
        return curl

    def release(self) -> None:
        """Close the sockets of `_open`: libcurl works on copies of them."""
        while self._sockets:
            self._sockets.pop().close()

    def answer(self, code: int, message: str) -> Answer:
        """`code` is libcurl's result, 0 for success."""
        request = self._request
        if code and self._refusal and not self._lines:
            return Skip(request.url, self._refusal, failure=Failure.REFUSED)
        if len(b"".join(self._lines)) > MAX_HEADERS:
            reason = f"the headers are longer than {MAX_HEADERS >> 10} KiB"
            return Skip(request.url, reason, failure=Failure.TOO_LARGE)
        headers = self._head()
        if code == FILE_SIZE and not self._received and is_unwanted(request, headers, self._options.wanted):
            self._body_skipped = True  # libcurl refused its length before `_write` saw its type
        if code and not (self._body_skipped or self._truncated):
            return self._failed(code, message)
        if not code and self._decoder is not None:
            try:
                self._decoder.finish()
            except BrokenCodingError:
                return self._failed(BAD_CODING, "")
        curl = self.curl
        status, seconds = curl.getinfo(pycurl.RESPONSE_CODE), curl.getinfo(pycurl.STARTTRANSFER_TIME)
        return Response(
            url=request.url,
            status=status,
            headers=headers,
            body=b"".join(self._body),
            target=redirect_target(request.url, status, headers),
            body_skipped=self._body_skipped,
            seconds=seconds,
        )

    def _failed(self, code: int, message: str) -> Skip:
        if self._too_large or code == FILE_SIZE:
            limit = self._cap.wire if code == FILE_SIZE else self._limit
            reason = f"the body is larger than {limit:,} bytes"
            return Skip(self._request.url, reason, failure=Failure.TOO_LARGE)
        failure, reason = describe(BAD_CODING if self._broken else code, printable(message))
        return Skip(self._request.url, reason, failure=failure)

    def _head(self) -> Headers:
        if self._headers is None:
            self._headers = parse_head(b"".join(self._lines))
        return self._headers

    def _write(self, piece: bytes) -> int | None:
        if not self._received:
            headers = self._head()
            if is_unwanted(self._request, headers, self._options.wanted):
                self._body_skipped = True
                return -1
            try:
                self._decoder = Decoder(name) if (name := coding(headers)) else None
            except BrokenCodingError:
                self._broken = True
                return -1
            if not (self._cap.truncate or self._decoder):
                self._limit = self._cap.wire
        self._received += len(piece)
        if self._decoder is not None:
            if self._received > self._cap.wire:
                self._limit, self._too_large = self._cap.wire, True
                return -1
            try:
                piece = self._decoder.decode(piece, self._limit + 1 - self._size)
            except BrokenCodingError:
                self._broken = True
                return -1
        self._size += len(piece)
        self._body.append(piece)
        if self._size <= self._limit:
            return None
        if self._cap.truncate:
            self._truncated = True
            self._body[-1] = piece[: len(piece) - self._size + self._limit]
        else:
            self._too_large = True
        return -1

    def _open(self, _purpose: int, address: SocketAddress) -> socket.socket | int:
        """Libcurl calls this with each address of the host name, before it connects to it."""
        if not self._proxy and (refusal := self._gate.refusal(self._request.url, str(address.addr[0]))):
            self._refusal = refusal
            return pycurl.SOCKET_BAD
        try:
            opened = socket.socket(address.family, address.socktype, address.protocol)
        except OSError:  # such as IPv6 on a machine that has none: the next address is tried
            return pycurl.SOCKET_BAD
        self._sockets.append(opened)
        return opened


def _settings(options: HttpOptions, trusted: TrustStore) -> list[tuple[int, int | str]]:
    timeout = round(options.timeout * 1000)
    return [
        (pycurl.PROTOCOLS, pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS),
        (pycurl.USERAGENT, options.user_agent),
        (pycurl.ACCEPT_ENCODING, ACCEPTED),
        (pycurl.HTTP_CONTENT_DECODING, 0),  # by `content_coding`, which finds out whether a body is complete
        (pycurl.HTTP_VERSION, pycurl.CURL_HTTP_VERSION_2TLS),
        (pycurl.PATH_AS_IS, 1),  # the URL is in normal form
        (pycurl.FOLLOWLOCATION, 0),
        (pycurl.HEADEROPT, pycurl.HEADER_SEPARATE),  # headers for a site are not sent to a proxy
        (pycurl.NOPROXY, ""),  # `Proxies` has decided
        (pycurl.NOSIGNAL, 1),
        (pycurl.BUFFERSIZE, 128 * 1024),
        (pycurl.CONNECTTIMEOUT_MS, min(round(CONNECT_TIMEOUT * 1000), timeout)),
        (pycurl.TIMEOUT_MS, timeout),
        (pycurl.LOW_SPEED_LIMIT, 1),
        (pycurl.LOW_SPEED_TIME, IDLE_TIMEOUT),
        (pycurl.SSL_VERIFYPEER, int(options.tls_verify)),
        (pycurl.SSL_VERIFYHOST, 2 if options.tls_verify else 0),
        *([(pycurl.CAINFO, trusted.file)] if trusted.file else []),
        *([(pycurl.CAPATH, trusted.folder)] if trusted.folder else []),
    ]
