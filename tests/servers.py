"""A site on loopback that answers as a table says, well or badly, and remembers what it was asked.

    with serve({"/": "<h1>Home</h1>", "/old": redirect("/"), "/busy": [busy(7), "fine now"]}) as site:
        ... site.url, site.asked, site.paths ...

A route is text or bytes (an HTML page, 200), a status, a `Reply`, a fault from this module, a list of those (each
request takes the next, the last one stays), or a function of the `Asked` that gives one. `"*"` is the route of every
path that has none; without it that is 404. The server runs in a thread of its own, so tests may be sync or async.
"""

import asyncio
import gzip
import socket
import ssl
import struct
import threading
import zlib
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TypeAlias

HTML = "text/html; charset=utf-8"


@dataclass(frozen=True)
class Asked:
    """One request as it came."""

    method: str
    path: str  # with its query
    headers: tuple[tuple[str, str], ...]  # names in lower case
    connection: int  # requests of one number came over one connection

    def header(self, name: str) -> str:
        return ", ".join(value for key, value in self.headers if key == name)


@dataclass(frozen=True)
class Reply:
    """A well-formed answer, after `delay` seconds."""

    body: str | bytes = b""
    status: int = 200
    headers: Mapping[str, str] | tuple[tuple[str, str], ...] = ()
    type: str = HTML
    delay: float = 0.0


Fault: TypeAlias = Callable[[asyncio.StreamWriter], Awaitable[None]]  # writes what it likes; then the connection ends
One: TypeAlias = "str | bytes | int | Reply | Fault"
Route: TypeAlias = "One | list[One] | Answering"


@dataclass(frozen=True)
class Answering:
    """A route that looks at the request first."""

    answer: Callable[[Asked], One]


@dataclass
class Site:
    """A running server; routes may be changed while it runs."""

    url: str  # with a slash at the end
    routes: dict[str, Route]
    authority: bytes = b""  # PEM of the certificate to trust
    asked: list[Asked] = field(default_factory=list)
    turns: dict[str, int] = field(default_factory=dict)
    running: int = 0
    most: int = 0  # answers in progress at the same time, at most

    @property
    def origin(self) -> str:
        return self.url[:-1]

    @property
    def paths(self) -> list[str]:
        return [asked.path for asked in self.asked]

    def answer(self, asked: Asked) -> One:
        path = asked.path if asked.path in self.routes else asked.path.partition("?")[0]
        route = self.routes.get(path, self.routes.get("*", 404))
        turn = self.turns.get(path, 0)
        self.turns[path] = turn + 1
        if isinstance(route, list):
            return route[min(turn, len(route) - 1)]
        return route.answer(asked) if isinstance(route, Answering) else route


# Well-formed answers


def redirect(to: str, status: int = 301) -> Reply:
    return Reply(status=status, headers={"Location": to})


def busy(seconds: float | str, status: int = 429) -> Reply:
    return Reply(b"", status, {"Retry-After": str(seconds)})


def typed(media: str, body: str | bytes = b"x") -> Reply:
    return Reply(body, type=media)


def late(seconds: float, body: str | bytes = b"late") -> Reply:
    return Reply(body, delay=seconds)


def cookie(body: str | bytes = b"") -> Reply:
    return Reply(body, headers=(("Set-Cookie", "a=1; Path=/"), ("Set-Cookie", "b=2; Path=/")))


def zipped(body: bytes, coding: str = "gzip") -> Reply:
    packed = gzip.compress(body, mtime=0) if coding == "gzip" else zlib.compress(body)
    return Reply(packed, headers={"Content-Encoding": coding})


def bomb(mebibytes: int) -> Reply:
    """A thousandth of that on the wire."""
    packer, zeros, check = zlib.compressobj(9, zlib.DEFLATED, -15), bytes(1024 * 1024), 0
    for _ in range(mebibytes):
        check = zlib.crc32(zeros, check)
    block = packer.compress(zeros) + packer.flush(zlib.Z_FULL_FLUSH)
    body = b"\x1f\x8b\x08".ljust(10, b"\0") + block * mebibytes + packer.flush()
    return Reply(body + struct.pack("<II", check, mebibytes << 20), headers={"Content-Encoding": "gzip"})


# Faults


def hollow() -> Fault:
    """gzip without end, of blocks that hold nothing: much on the wire, and never a byte more of the page."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    begun = packer.compress(b"<h1>Begun</h1>") + packer.flush(zlib.Z_SYNC_FLUSH)
    return endless(head("Content-Encoding: gzip", "Connection: close") + begun, b"\x00\x00\x00\xff\xff" * 10_000)


def raw(data: bytes) -> Fault:
    """These bytes, and the connection ends."""

    async def play(writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        await writer.drain()

    return play


def head(*lines: str, status: str = "200 OK") -> bytes:
    return "\r\n".join((f"HTTP/1.1 {status}", f"Content-Type: {HTML}", *lines, "", "")).encode("latin-1")


def reset(before: bytes = b"") -> Fault:
    """TCP RST, after these bytes."""

    async def play(writer: asyncio.StreamWriter) -> None:
        writer.write(before)
        await writer.drain()
        await asyncio.sleep(0.02)
        connection: socket.socket = writer.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()

    return play


def hang(before: bytes = b"") -> Fault:
    """These bytes, then nothing for ever."""

    async def play(writer: asyncio.StreamWriter) -> None:
        writer.write(before)
        await writer.drain()
        await asyncio.Event().wait()

    return play


def endless(before: bytes = b"", piece: bytes = b"x" * 65536, pause: float = 0.0) -> Fault:
    """A body (or head) without end, as fast as it is read, or a piece every `pause` seconds."""

    async def play(writer: asyncio.StreamWriter) -> None:
        writer.write(before or head("Connection: close"))
        while True:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(pause)

    return play


def slow(pause: float) -> Fault:
    """A body that comes byte by byte."""
    return endless(head("Connection: close"), b"x", pause)


def cut(promised: int = 1000, sent: bytes = b"only this") -> Fault:
    return raw(head(f"Content-Length: {promised}") + sent)


def bad_chunks() -> Fault:
    return raw(head("Transfer-Encoding: chunked") + b"5\r\nfirst\r\nnot-hex\r\nrest\r\n0\r\n\r\n")


def cut_chunks() -> Fault:
    return raw(head("Transfer-Encoding: chunked") + b"5\r\nfirst\r\n")


def bad_gzip() -> Reply:
    return Reply(b"<h1>No gzip at all</h1>", headers={"Content-Encoding": "gzip"})


def http09() -> Fault:
    return raw(b"<h1>No head at all</h1>")


def flood(count: int, name: str = "X-Flood") -> Fault:
    """So many header lines of 1 KiB."""
    return raw(head(*(f"{name}-{number}: {'y' * 1000}" for number in range(count)), "Content-Length: 0"))


def closed() -> Fault:
    return raw(b"")


# The server


@contextmanager
def serve(routes: Mapping[str, Route], *, tls: str = "", host: str = "127.0.0.1") -> Iterator[Site]:
    """`tls`: "" none, "good" (trust `site.authority`), "expired", "other-host"; a good one that nobody was told to
    trust stands for a self-signed one."""
    authority, context = certificate(tls, host) if tls else (b"", None)
    loop = asyncio.new_event_loop()
    site = Site("", dict(routes), authority)
    ready = threading.Event()
    thread = threading.Thread(target=loop.run_until_complete, args=[_run(site, host, context, ready)], daemon=True)
    thread.start()
    assert ready.wait(10), "the server did not start"
    try:
        yield site
    finally:
        loop.call_soon_threadsafe(_stop, loop)
        thread.join(10)
        assert not thread.is_alive(), "the server did not stop"
        loop.close()


def certificate(kind: str, host: str) -> tuple[bytes, ssl.SSLContext]:
    """A certificate for the host and the authority that signed it."""
    import trustme

    authority = trustme.CA()
    names = ["elsewhere.example"] if kind == "other-host" else [host, "localhost"]
    past = datetime.now(UTC) - timedelta(days=1)
    signed = authority.issue_cert(*names, not_after=past if kind == "expired" else None)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    signed.configure_cert(context)
    return authority.cert_pem.bytes(), context


async def _run(site: Site, host: str, context: ssl.SSLContext | None, ready: threading.Event) -> None:
    connections = 0

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError, ssl.SSLError):
            await _talk(site, reader, writer, connections)
        writer.close()

    asyncio.get_running_loop().set_exception_handler(lambda _loop, _context: None)  # a client that hangs up
    server = await asyncio.start_server(connected, host, 0, ssl=context)
    port = server.sockets[0].getsockname()[1]
    shown = f"[{host}]" if ":" in host else host
    site.url = f"{'https' if context else 'http'}://{shown}:{port}/"
    ready.set()
    with suppress(asyncio.CancelledError):
        await asyncio.Event().wait()
    server.close()


def _stop(loop: asyncio.AbstractEventLoop) -> None:
    for task in asyncio.all_tasks(loop):
        task.cancel()


async def _talk(site: Site, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, connection: int) -> None:
    while (asked := await _request(reader, connection)) is not None:
        site.asked.append(asked)
        site.running += 1
        site.most = max(site.most, site.running)
        try:
            answer = site.answer(asked)
            if not isinstance(answer, str | bytes | int | Reply):
                await answer(writer)
                return
            await _reply(writer, _whole(answer))
        finally:
            site.running -= 1


async def _request(reader: asyncio.StreamReader, connection: int) -> Asked | None:
    first = await reader.readexactly(1)
    if first == b"\x16":  # TLS where plain text is due
        return None
    lines = (first + await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, path, _ = lines[0].split(" ", 2)
    pairs = (line.partition(":") for line in lines[1:] if line)
    return Asked(method, path, tuple((name.lower(), value.strip()) for name, _, value in pairs), connection)


def _whole(answer: str | bytes | int | Reply) -> Reply:
    match answer:
        case Reply():
            return answer
        case int(status):
            return Reply(f"<h1>{status}</h1>", status)
        case _:
            return Reply(answer)


async def _reply(writer: asyncio.StreamWriter, reply: Reply) -> None:
    body = reply.body.encode() if isinstance(reply.body, str) else reply.body
    pairs = reply.headers.items() if isinstance(reply.headers, Mapping) else reply.headers
    lines = [f"HTTP/1.1 {reply.status} Reason", f"Content-Length: {len(body)}"]
    lines += [f"Content-Type: {reply.type}"] if reply.type else []
    lines += [f"{name}: {value}" for name, value in pairs]
    await asyncio.sleep(reply.delay)
    writer.write("\r\n".join((*lines, "", "")).encode() + body)
    await writer.drain()
