"""A threaded HTTP server on loopback that hands each request to a function, and ends cleanly."""

import gzip
import json
import socket
import ssl
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl

JSON = "application/json; charset=utf-8"


@dataclass(frozen=True)
class Request:
    """One request as it came; the body is decoded."""

    method: str
    path: str  # as sent, without the query
    query_string: str
    headers: tuple[tuple[str, str], ...]  # names in lower case
    body: bytes = b""

    def header(self, name: str) -> str:
        return ", ".join(value for key, value in self.headers if key == name)

    @property
    def authorizations(self) -> list[str]:
        return [value for key, value in self.headers if key == "authorization"]

    @property
    def query(self) -> dict[str, str]:
        return dict(parse_qsl(self.query_string, keep_blank_values=True))

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Answer:
    """A response; a body that is no bytes is sent as JSON."""

    status: int = 200
    body: Any = b""
    headers: Mapping[str, str] = field(default_factory=dict)

    def sent(self) -> tuple[bytes, dict[str, str]]:
        if isinstance(self.body, bytes):
            return self.body, dict(self.headers)
        return json.dumps(self.body).encode(), {"Content-Type": JSON, **self.headers}


class DroppedError(Exception):
    """The connection ends without an answer."""


Respond = Callable[[Request], Answer]


@contextmanager
def listening(respond: Respond, tls: ssl.SSLContext | None = None) -> Iterator[str]:
    """The address of the running server, without a slash. An error of `respond` itself fails the test at the end."""
    server = _Server(respond)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"{'http' if tls is None else 'https'}://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.hang_up()
        server.server_close()
    assert not server.errors, "\n".join(server.errors)


class _Server(ThreadingHTTPServer):
    daemon_threads = False
    request_queue_size = 64

    def __init__(self, respond: Respond) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.respond = respond
        self.errors: list[str] = []
        self.open: set[socket.socket] = set()

    def hang_up(self) -> None:
        for connection in tuple(self.open):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is no error of the server; everything else is."""
        text = traceback.format_exc()
        if not any(name in text for name in ("BrokenPipeError", "ConnectionResetError", "Bad file descriptor")):
            self.errors.append(text)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def setup(self) -> None:
        super().setup()
        self.server.open.add(self.connection)

    def finish(self) -> None:
        self.server.open.discard(self.connection)
        with suppress(OSError):
            super().finish()

    def handle_any(self) -> None:
        path, _, query = self.path.partition("?")
        headers = tuple((name.lower(), value) for name, value in self.headers.items())
        request = Request(self.command, path, query, headers, self._body())
        try:
            answer = self.server.respond(request)
        except DroppedError:
            self.close_connection = True
            return
        self._send(answer)

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = do_HEAD = handle_any  # noqa: N815  (the names that it looks for)

    def _body(self) -> bytes:
        if self.headers.get("transfer-encoding", "").lower() == "chunked":
            body = b"".join(self._chunks())
        else:
            body = self._exactly(int(self.headers.get("content-length") or 0))
        return gzip.decompress(body) if self.headers.get("content-encoding") == "gzip" else body

    def _chunks(self) -> Iterator[bytes]:
        while size := int(self._line().split(b";")[0], 16):
            yield self._exactly(size)
            self._line()
        self._line()

    def _exactly(self, size: int) -> bytes:
        """What a client that was killed has not sent is no request."""
        if len(found := self.rfile.read(size)) < size:
            raise ConnectionResetError
        return found

    def _line(self) -> bytes:
        if not (found := self.rfile.readline()).endswith(b"\n"):
            raise ConnectionResetError
        return found

    def _send(self, answer: Answer) -> None:
        body, headers = answer.sent()
        self.send_response(answer.status)
        for name, value in headers.items():
            self.send_header(name, value)
        if answer.status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD" and answer.status != 204:
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  (the name in the standard library)
        pass
