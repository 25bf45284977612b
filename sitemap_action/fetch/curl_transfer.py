"""One easy handle of libcurl, used again and again, and what it has received of the present answer."""

import socket
from collections.abc import Sequence
from typing import Protocol

import pycurl

from sitemap_action.fetch.address_gate import AddressGate
from sitemap_action.fetch.base import Answer, Failure, Headers, Request, Response, Skip, Want
from sitemap_action.fetch.curl_errors import FILE_SIZE, sentence
from sitemap_action.fetch.options import CONNECT, MAX_HEADERS, SILENCE, Cap, HttpOptions
from sitemap_action.fetch.response_head import compressed, fields, sent, target, unwanted
from sitemap_action.fetch.tls import TrustStore
from sitemap_action.web.printable import printable


class SocketAddress(Protocol):
    """As pycurl hands it over."""

    family: int
    socktype: int
    protocol: int
    addr: Sequence[object]


class Transfer:
    """Callbacks only collect: a body is joined and a head taken apart when the answer is asked for."""

    def __init__(self, options: HttpOptions, gate: AddressGate, trusted: TrustStore) -> None:
        self._options, self._gate = options, gate
        self._lines: list[bytes] = []
        self._body: list[bytes] = []
        self._sockets: list[socket.socket] = []
        self._said: tuple[Want, str, str, Headers] | None = None  # what the present head was made from
        self._proxy: str | None = None
        self._most = -1
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
        self._size = 0
        self._headers: Headers | None = None
        self._unread = self._cut = self._large = False
        self._refusal = ""
        curl = self.curl
        curl.setopt(pycurl.URL, request.url)
        if (most := 0 if cap.cut else cap.inflated) != self._most:
            self._most = most
            curl.setopt(pycurl.MAXFILESIZE_LARGE, most)  # on the wire, and inflated
        if (said := (request.want, request.etag, request.modified, request.headers)) != self._said:
            self._said = said
            headers = sent(request, self._options.accept_language)
            curl.setopt(pycurl.HTTPHEADER, [f"{name}: {value}" if value else f"{name};" for name, value in headers])
        if (tls := request.url.startswith("https:")) is not self._tls:
            self._tls = tls  # TLS says at once whether one connection can hold all requests; plain HTTP never can
            curl.setopt(pycurl.PIPEWAIT, int(tls))
        if proxy != self._proxy:
            self._proxy = proxy
            curl.setopt(pycurl.PROXY, proxy)
        return curl

    def release(self) -> None:
        """Close what `_open` made: libcurl works on copies of these sockets."""
        while self._sockets:
            self._sockets.pop().close()

    def answer(self, code: int, text: str) -> Answer:
        """From libcurl's result code, 0 when all went well, and its own words for it."""
        request = self._request
        if code and self._refusal and not self._lines:
            return Skip(request.url, self._refusal, failure=Failure.REFUSED)
        if len(b"".join(self._lines)) > MAX_HEADERS:
            reason = f"the headers are longer than {MAX_HEADERS >> 10} KiB"
            return Skip(request.url, reason, failure=Failure.TOO_LARGE)
        headers = self._head()
        if code == FILE_SIZE and not self._size and unwanted(request, headers, self._options.wanted):
            self._unread = True  # libcurl saw its length before we saw its type
        if code and not (self._unread or self._cut):
            return self._failed(code, text)
        curl = self.curl
        status, seconds = curl.getinfo(pycurl.RESPONSE_CODE), curl.getinfo(pycurl.STARTTRANSFER_TIME)
        leads = target(request.url, status, headers)
        return Response(request.url, status, headers, b"".join(self._body), leads, unread=self._unread, seconds=seconds)

    def _failed(self, code: int, text: str) -> Skip:
        if self._large or code == FILE_SIZE:
            reason = f"the body is larger than {self._limit:,} bytes"
            return Skip(self._request.url, reason, failure=Failure.TOO_LARGE)
        failure, words = sentence(code, printable(text))
        return Skip(self._request.url, words, failure=failure)

    def _head(self) -> Headers:
        if self._headers is None:
            self._headers = fields(b"".join(self._lines))
        return self._headers

    def _write(self, piece: bytes) -> int | None:
        if not self._size:
            headers = self._head()
            if unwanted(self._request, headers, self._options.wanted):
                self._unread = True
                return -1
            cap = self._cap
            if cap.wire != cap.inflated and not (cap.cut or compressed(headers)):
                self._limit = cap.wire
        self._size += len(piece)
        self._body.append(piece)
        if self._size <= self._limit:
            return None
        if self._cap.cut:
            self._cut = True
            self._body[-1] = piece[: len(piece) - self._size + self._limit]
        else:
            self._large = True
        return -1

    def _open(self, _purpose: int, address: SocketAddress) -> socket.socket | int:
        """Called with each address that the host name resolved to, before it is connected to."""
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
        (pycurl.ACCEPT_ENCODING, ""),  # all that this libcurl inflates
        (pycurl.HTTP_VERSION, pycurl.CURL_HTTP_VERSION_2TLS),
        (pycurl.PATH_AS_IS, 1),  # the URL is in normal form
        (pycurl.FOLLOWLOCATION, 0),
        (pycurl.HEADEROPT, pycurl.HEADER_SEPARATE),  # what is said to a site is not said to a proxy
        (pycurl.NOPROXY, ""),  # decided before
        (pycurl.NOSIGNAL, 1),
        (pycurl.BUFFERSIZE, 128 * 1024),
        (pycurl.CONNECTTIMEOUT_MS, min(round(CONNECT * 1000), timeout)),
        (pycurl.TIMEOUT_MS, timeout),
        (pycurl.LOW_SPEED_LIMIT, 1),
        (pycurl.LOW_SPEED_TIME, SILENCE),
        (pycurl.SSL_VERIFYPEER, int(options.tls_verify)),
        (pycurl.SSL_VERIFYHOST, 2 if options.tls_verify else 0),
        *([(pycurl.CAINFO, trusted.file)] if trusted.file else []),
        *([(pycurl.CAPATH, trusted.folder)] if trusted.folder else []),
    ]
