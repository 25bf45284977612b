"""The DevTools protocol over a pipe: commands, their answers and events, as JSON that ends with a NUL byte."""

import asyncio
import os
from collections.abc import Callable
from typing import Any, TypeAlias

import msgspec

_LARGEST = 128 << 20  # bytes of one message: a document of the largest size, escaped

OnEvent: TypeAlias = Callable[[str, dict[str, Any]], None]


class BrowserGoneError(Exception):
    """The browser has ended, or says something that is no message."""


class CommandError(Exception):
    """The browser refuses a command."""


class _Message(msgspec.Struct):
    id: int = 0
    method: str = ""
    params: dict[str, Any] = {}
    result: dict[str, Any] = {}
    error: dict[str, Any] | None = None
    sessionId: str = ""  # noqa: N815 - the protocol's name


class PageCrashedError(Exception):
    """The process of the page has ended."""


class BrowserConnection(asyncio.Protocol):
    """Both ends of the pipe. Events of a session go to the callback that `listen` names."""

    def __init__(self) -> None:
        self.gone: asyncio.Future[None] = asyncio.get_running_loop().create_future()  # done when the browser has ended
        self.foreign = False  # what it says is no message of this protocol
        self._decoder = msgspec.json.Decoder(_Message)
        self._encoder = msgspec.json.Encoder()
        self._buffer = bytearray()
        self._last = 0
        self._waiting: dict[int, tuple[str, asyncio.Future[dict[str, Any]]]] = {}  # with the session
        self._listeners: dict[str, OnEvent] = {}
        self._out: asyncio.WriteTransport | None = None
        self._in: asyncio.ReadTransport | None = None

    async def open(self, read_from: int, write_to: int) -> None:
        loop = asyncio.get_running_loop()
        self._in, _ = await loop.connect_read_pipe(lambda: self, os.fdopen(read_from, "rb", 0))
        self._out, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, os.fdopen(write_to, "wb", 0))

    def close(self) -> None:
        for transport in (self._in, self._out):
            if transport is not None:
                transport.close()
        self.connection_lost(None)

    def listen(self, session: str, on_event: OnEvent | None) -> None:
        if on_event is None:
            self._listeners.pop(session, None)
        else:
            self._listeners[session] = on_event

    async def send(self, method: str, parameters: dict[str, Any] | None = None, session: str = "") -> dict[str, Any]:
        """The result. Raises CommandError, PageCrashedError, BrowserGoneError."""
        number = self.post(method, parameters, session)
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[number] = session, future
        try:
            return await future
        finally:
            self._waiting.pop(number, None)

    def end_waiting(self, session: str) -> None:
        """No answer comes from a page whose process has ended."""
        for other, future in self._waiting.values():
            if other == session and not future.done():
                future.set_exception(PageCrashedError())

    def post(self, method: str, parameters: dict[str, Any] | None = None, session: str = "") -> int:
        """Send a command without waiting for the answer; returns its number. Raises BrowserGoneError."""
        if self.gone.done() or self._out is None:
            raise BrowserGoneError
        self._last += 1
        message = {"id": self._last, "method": method, "params": parameters or {}}
        if session:
            message["sessionId"] = session
        self._out.write(self._encoder.encode(message) + b"\0")
        return self._last

    def data_received(self, data: bytes) -> None:
        begin = len(self._buffer)
        self._buffer += data
        start = 0
        while (end := self._buffer.find(b"\0", max(begin, start))) >= 0:
            self._receive(bytes(self._buffer[start:end]))
            start = end + 1
        del self._buffer[:start]
        if len(self._buffer) > _LARGEST:
            self.close()

    def connection_lost(self, _error: Exception | None) -> None:
        if not self.gone.done():
            self.gone.set_result(None)
        for _, future in self._waiting.values():
            if not future.done():
                future.set_exception(BrowserGoneError())
        for listener in [*self._listeners.values()]:  # a page that waits for an event would wait for ever
            listener("Inspector.detached", {})

    def _receive(self, data: bytes) -> None:
        try:
            message = self._decoder.decode(data)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            self.foreign = True
            self.close()
            return
        if message.method:
            if (listener := self._listeners.get(message.sessionId)) is not None:
                listener(message.method, message.params)
        elif (waiting := self._waiting.get(message.id)) is not None and not waiting[1].done():
            if message.error is None:
                waiting[1].set_result(message.result)
            else:
                waiting[1].set_exception(CommandError(str(message.error.get("message", ""))[:200]))
