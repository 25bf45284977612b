"""Pages over HTTP by libcurl: one multi handle, driven by the event loop.

Theory of operation. A request takes an idle `Transfer` (an easy handle), joins the multi handle and awaits a future.
`_pump` is a callback of the event loop that runs while there are transfers: it lets libcurl work, resolves the futures
of up to eight finished transfers, and calls itself again: at once where there is work, else after a millisecond. No
thread, no task, no event for each socket. The callbacks of a `Transfer` collect pieces; `answer` joins the body and
parses the head. A failure is a number of libcurl's, from which `describe` makes a kind and a sentence for reports.
Why libcurl: a page of 30 KB, 32 at a time from a server on loopback, costs about 75 µs of CPU time, half of it inside
libcurl. aiohttp costs twice as much, httpx over aiohttp eight times, httpx itself about fifty times
(`benchmarks/fetch.py`). libcurl also has HTTP/2, a cap on a body as received, and a callback that sees each address
before it is connected to.

Content codings are decoded here, piece by piece; one that does not reach its end is a fault (NET-15). libcurl does not
report a compressed body that ends early inside a correct Content-Length: the rest of the page would be missing without
notice. Brotli is not requested: the standard library cannot decode it, and libcurl does not say where it ends.
"""

import asyncio
import socket
import zlib
from collections.abc import Mapping, Sequence
from typing import Protocol
from urllib.parse import urlsplit

import pycurl

from sitemap_action.fetch.base import (
    CONNECT_TIMEOUT,
    IDLE_TIMEOUT,
    MAX_HEADERS,
    REDIRECTS,
    Answer,
    Failure,
    Headers,
    HttpOptions,
    Proxies,
    Request,
    RequestKind,
    Response,
    Skip,
    body_caps,
    request_headers,
    trust_store,
)
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.web.address_gate import AddressGate
from sitemap_action.web.headers import content_type
from sitemap_action.web.printable import printable
from sitemap_action.web.urls import resolve

ACCEPTED = "gzip, deflate"

_NAMES = {"": "", "identity": "", "gzip": "gzip", "x-gzip": "gzip", "deflate": "deflate"}
_GZIP_WINDOW, _ZLIB_WINDOW, _RAW_WINDOW = 31, 15, -15


class BrokenCodingError(Exception):
    """The body is not in the coding that its header names, or ends before it."""


def find_coding(headers: tuple[tuple[str, str], ...]) -> str:
    """The coding of a body, "" for none; raises BrokenCodingError for one that was not requested, or several."""
    names = ", ".join(value for name, value in headers if name == "content-encoding")
    if (found := _NAMES.get(names.strip().lower())) is None:
        raise BrokenCodingError
    return found


class Decoder:
    """Decodes one body; what follows the end of its coding, and is no further member of it, is a fault too."""

    def __init__(self, coding: str) -> None:
        self._engine = zlib.decompressobj(_GZIP_WINDOW) if coding == "gzip" else None
        self._has_members = coding == "gzip"  # several, one behind the other (RFC 1952 §2.2)
        self._start = b""  # of deflate, while it is not known whether it has a header

    def decode(self, data: bytes, most: int) -> bytes:
        """Return at most `most` bytes: with as many, the body is too large, and the decoder is of no further use."""
        if self._engine is None:
            data = self._start + data
            if len(data) == 1:
                self._start = data
                return b""
            self._engine = _deflate(data)
        found = self._decompress(data, most)
        while self._engine.eof and (rest := self._engine.unused_data) and len(found) < most:
            if not self._has_members:
                raise BrokenCodingError
            self._engine = zlib.decompressobj(_GZIP_WINDOW)
            found += self._decompress(rest, most - len(found))
        return found

    def _decompress(self, data: bytes, most: int) -> bytes:
        assert self._engine is not None  # noqa: S101 - the only caller has made it
        try:
            return self._engine.decompress(data, most)
        except zlib.error:
            raise BrokenCodingError from None

    def finish(self) -> None:
        """End the body: raises BrokenCodingError where the coding has not reached its own."""
        if self._engine is None or not self._engine.eof:
            raise BrokenCodingError


def _deflate(start: bytes) -> "zlib._Decompress":
    """Some servers send deflate without the header of zlib (RFC 9110 §8.4.1.2)."""
    has_header = start[0] & 15 == zlib.DEFLATED and int.from_bytes(start[:2]) % 31 == 0
    return zlib.decompressobj(_ZLIB_WINDOW if has_header else _RAW_WINDOW)


_NO_DETAIL = ""  # libcurl's message counts milliseconds and bytes there, which differ from run to run
_DETAIL = ": {}"

# By number, which is part of libcurl's stable interface; pycurl has no name for some.
_SENTENCES = {
    1: (Failure.BROKEN, "the answer is not HTTP/1 or later", _NO_DETAIL),  # CURLE_UNSUPPORTED_PROTOCOL
    3: (Failure.REFUSED, "the URL cannot be requested", _DETAIL),  # CURLE_URL_MALFORMAT
    5: (Failure.DNS, "the proxy's name cannot be resolved", _NO_DETAIL),  # CURLE_COULDNT_RESOLVE_PROXY
    6: (Failure.DNS, "the host name cannot be resolved", _NO_DETAIL),  # CURLE_COULDNT_RESOLVE_HOST
    7: (Failure.CONNECT, "no connection", _NO_DETAIL),  # CURLE_COULDNT_CONNECT
    8: (Failure.BROKEN, "the answer is broken HTTP", _DETAIL),  # CURLE_WEIRD_SERVER_REPLY
    16: (Failure.BROKEN, "the answer is broken HTTP/2", _DETAIL),  # CURLE_HTTP2
    18: (Failure.BROKEN, "the connection was closed before the body was complete", _NO_DETAIL),  # CURLE_PARTIAL_FILE
    28: (Failure.TIMEOUT, "no complete answer in time", _NO_DETAIL),  # CURLE_OPERATION_TIMEDOUT
    35: (Failure.NO_TLS, "no TLS connection", _DETAIL),  # CURLE_SSL_CONNECT_ERROR
    52: (Failure.BROKEN, "the connection was closed without an answer", _NO_DETAIL),  # CURLE_GOT_NOTHING
    58: (Failure.TLS, "no TLS connection", _DETAIL),  # CURLE_SSL_CERTPROBLEM
    59: (Failure.TLS, "no TLS connection", _DETAIL),  # CURLE_SSL_CIPHER
    60: (Failure.TLS, "the certificate is not trusted", _DETAIL),  # CURLE_PEER_FAILED_VERIFICATION
    61: (Failure.BROKEN, "the compressed body is broken", _NO_DETAIL),  # CURLE_BAD_CONTENT_ENCODING
    77: (Failure.TLS, "the bundle of trusted certificates cannot be read", _DETAIL),  # CURLE_SSL_CACERT_BADFILE
    97: (Failure.CONNECT, "no connection through the proxy", _DETAIL),  # CURLE_PROXY
}
_OTHER = (Failure.BROKEN, "the connection broke", _DETAIL)  # CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_HTTP2_STREAM, …
_PHASES = {"Resolving": "the host name was not resolved in time", "Connection": "no connection in time"}
NO_ADDRESS = 6  # CURLE_COULDNT_RESOLVE_HOST
_NO_NAME = frozenset(
    getattr(socket, name) for name in ("EAI_NONAME", "EAI_NODATA", "EAI_ADDRFAMILY") if hasattr(socket, name)
)
FILE_SIZE = 63  # CURLE_FILESIZE_EXCEEDED
BAD_CODING = 61  # CURLE_BAD_CONTENT_ENCODING


async def has_no_name(host: str) -> bool:
    """Whether a host name does not exist (NXDOMAIN): libcurl tells that from no other failure of the resolver."""
    try:
        await asyncio.get_running_loop().getaddrinfo(host, None)
    except socket.gaierror as error:
        return error.errno in _NO_NAME
    except UnicodeError:  # no name that DNS can have
        pass
    return False


def describe(code: int, detail: str) -> tuple[Failure, str]:
    """Libcurl's message follows the sentence as its detail; it holds no header that was sent."""
    failure, sentence, template = _SENTENCES.get(code, _OTHER)
    if failure is Failure.TIMEOUT:
        return failure, _PHASES.get(detail.partition(" ")[0], sentence)
    return failure, sentence + (template.format(detail) if detail else "")


_FOLD = lazy_re(r"\n[ \t]+")  # RFC 9112 §5.2


def parse_head(raw: bytes) -> Headers:
    """The headers of the last head: heads before it are interim answers, a trailer follows it."""
    raw = raw.replace(b"\r\n", b"\n")  # some servers end a line with LF alone
    start, end = 0, _find_blank_line(raw, 0)
    while raw.startswith(b"HTTP/", end + 2):
        start, end = end + 2, _find_blank_line(raw, end + 2)
    _, _, head = raw[start:end].partition(b"\n")
    found = []
    for line in filter(None, _unfold(head).split("\n")):
        name, _, value = line.partition(":")
        found.append((name.strip().lower(), value.strip(" \t\r")))
    return tuple(found)


def _find_blank_line(raw: bytes, start: int) -> int:
    at = raw.find(b"\n\n", start)
    return at if at >= 0 else len(raw)


def _unfold(head: bytes) -> str:
    try:
        found = head.decode()
    except UnicodeDecodeError:
        found = "\n".join(map(decode_field, head.split(b"\n")))
    return _FOLD.sub(" ", found) if "\n " in found or "\n\t" in found else found


def decode_field(value: bytes) -> str:
    """UTF-8 where it is that, as browsers read a Location, else ISO 8859-1."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


def redirect_target(url: str, status: int, headers: Headers) -> str:
    """The target of a redirect, in normal form; "" where there is none that can be followed."""
    if status not in REDIRECTS:
        return ""
    location = next((value for name, value in headers if name == "location"), "")
    return resolve(url, location) or ""


def is_unwanted(request: Request, headers: Headers, wanted: frozenset[str]) -> bool:
    """Whether a page's body need not be read, because of its media type (HTML-48)."""
    if not wanted or request.kind is not RequestKind.PAGE:
        return False
    media, _ = content_type(headers)
    return bool(media) and media not in wanted


class SocketAddress(Protocol):
    """The argument of pycurl's callback."""

    family: int
    socktype: int
    protocol: int
    addr: Sequence[object]


class Transfer:
    """An easy handle, reused for one request after another, and what it has received of the current answer."""

    def __init__(self, options: HttpOptions, gate: AddressGate, trusted: tuple[str, str]) -> None:
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

    def begin(self, request: Request, cap: tuple[int, int], proxy: str) -> pycurl.Curl:
        self._request, (self._wire, self._limit) = request, cap
        self._truncates = request.kind is RequestKind.ROBOTS
        self._lines.clear()
        self._body.clear()
        self._received = self._size = 0  # bytes on the wire, and of the body
        self._headers: Headers | None = None
        self._decoder: Decoder | None = None  # of a coded body
        self._body_skipped = self._truncated = self._too_large = self._broken = False
        self._refusal = ""
        curl = self.curl
        curl.setopt(pycurl.URL, request.url)
        if (max_size := 0 if self._truncates else self._wire) != self._max_size:
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
        headers = self._parse_headers()
        if code == FILE_SIZE and not self._received and is_unwanted(request, headers, self._options.wanted):
            self._body_skipped = True  # libcurl refused its length before `_write` saw its type
        if code and not (self._body_skipped or self._truncated):
            return self._skip(code, message)
        if not code and self._decoder is not None:
            try:
                self._decoder.finish()
            except BrokenCodingError:
                return self._skip(BAD_CODING, "")
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

    def _skip(self, code: int, message: str) -> Skip:
        if self._too_large or code == FILE_SIZE:
            limit = self._wire if code == FILE_SIZE else self._limit
            reason = f"the body is larger than {limit:,} bytes"
            return Skip(self._request.url, reason, failure=Failure.TOO_LARGE)
        failure, reason = describe(BAD_CODING if self._broken else code, printable(message))
        return Skip(self._request.url, reason, failure=failure)

    def _parse_headers(self) -> Headers:
        if self._headers is None:
            self._headers = parse_head(b"".join(self._lines))
        return self._headers

    def _write(self, piece: bytes) -> int | None:
        if not self._received:
            headers = self._parse_headers()
            if is_unwanted(self._request, headers, self._options.wanted):
                self._body_skipped = True
                return -1
            try:
                self._decoder = Decoder(name) if (name := find_coding(headers)) else None
            except BrokenCodingError:
                self._broken = True
                return -1
            if not (self._truncates or self._decoder):
                self._limit = self._wire
        self._received += len(piece)
        if self._decoder is not None:
            if self._received > self._wire:
                self._limit, self._too_large = self._wire, True
                return -1
            try:
                piece = self._decoder.decode(piece, self._limit + 1 - self._size)
            except BrokenCodingError:
                self._broken = True
                return -1
        self._size += len(piece)
        self._body.append(piece)
        if self._size <= self._limit:
            return self._end_stream() if self._request.kind is RequestKind.RESOURCE else None
        if self._truncates:
            self._truncated = True
            self._body[-1] = piece[: len(piece) - self._size + self._limit]
        else:
            self._too_large = True
        return -1

    def _end_stream(self) -> int | None:
        """Ends a stream of events, which may have no end itself, after the first one (G-01)."""
        media, _ = content_type(self._parse_headers())
        self._truncated = media == "text/event-stream" and b"\n\n" in b"".join(self._body).replace(b"\r", b"")
        return -1 if self._truncated else None

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


def _settings(options: HttpOptions, trusted: tuple[str, str]) -> list[tuple[int, int | str]]:
    bundle, folder = trusted
    timeout = round(options.timeout * 1000)
    return [
        (pycurl.PROTOCOLS, pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS),
        (pycurl.USERAGENT, options.user_agent),
        (pycurl.ACCEPT_ENCODING, ACCEPTED),
        (pycurl.HTTP_CONTENT_DECODING, 0),  # by `Decoder`, which finds out whether a body is complete
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
        (pycurl.SSL_VERIFYPEER, int(options.access.tls_verify)),
        (pycurl.SSL_VERIFYHOST, 2 if options.access.tls_verify else 0),
        *([(pycurl.CAINFO, bundle)] if bundle else []),
        *([(pycurl.CAPATH, folder)] if folder else []),
    ]


_MAX_WAIT = 0.001  # seconds for which a wait for sockets may block the event loop
_BATCH = 8  # answers that are read before new requests are sent, so that servers work meanwhile

_Result = tuple[int, str]  # libcurl's result code, 0 for success, and its error message


class CurlFetcher:
    """libcurl's `perform` costs half of what its socket callbacks cost in asyncio, and runs on every platform's loop.

    The price is a wait of at most a millisecond, which ends at once when a socket is ready.
    """

    def __init__(self, options: HttpOptions, gate: AddressGate, environment: Mapping[str, str]) -> None:
        self._options = options
        self._gate = gate
        self._proxies = Proxies(environment)
        self._trusted = trust_store(environment)
        self._caps = body_caps(options)
        self._multi = pycurl.CurlMulti()
        self._multi.setopt(pycurl.M_PIPELINING, pycurl.PIPE_MULTIPLEX)
        self._idle: list[Transfer] = []
        self._running: dict[pycurl.Curl, asyncio.Future[_Result]] = {}
        self._pumping = False

    async def fetch(self, request: Request) -> Answer:
        transfer = self._idle.pop() if self._idle else Transfer(self._options, self._gate, self._trusted)
        loop = asyncio.get_running_loop()
        curl = transfer.begin(request, self._caps[request.kind], self._proxies.for_url(request.url))
        self._multi.add_handle(curl)
        future = self._running[curl] = loop.create_future()
        if not self._pumping:
            self._pumping = True
            loop.call_soon(self._pump, loop)
        try:
            code, message = await future
            if code == NO_ADDRESS and await has_no_name(urlsplit(request.url).hostname or ""):
                return Skip(request.url, "the host name does not exist", failure=Failure.NO_NAME)
            return transfer.answer(code, message)
        finally:
            if self._running.pop(curl, None) is not None:  # cancelled: closed with its connection
                self._multi.remove_handle(curl)
            transfer.release()
            self._idle.append(transfer)

    async def close(self) -> None:
        for curl, future in self._running.items():
            self._multi.remove_handle(curl)
            future.cancel()
        self._running.clear()
        for transfer in self._idle:
            transfer.curl.close()
        self._multi.close()

    def _pump(self, loop: asyncio.AbstractEventLoop) -> None:
        if not self._running:
            self._pumping = False
            return
        self._multi.perform()
        if self._finish_some() or self._multi.select(_MAX_WAIT) > 0:
            loop.call_soon(self._pump, loop)
        else:
            loop.call_later(_MAX_WAIT, self._pump, loop)

    def _finish_some(self) -> bool:
        """Resolve the futures of a batch of finished transfers; False where there was none."""
        _, succeeded, failed = self._multi.info_read(_BATCH)
        for curl in succeeded:
            self._finish(curl, (0, ""))
        for curl, code, message in failed:
            self._finish(curl, (code, message))
        return bool(succeeded or failed)

    def _finish(self, curl: pycurl.Curl, result: _Result) -> None:
        future = self._running.pop(curl)
        self._multi.remove_handle(curl)
        if not future.done():  # not cancelled in the same turn of the loop
            future.set_result(result)
