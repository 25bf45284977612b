"""Pages over HTTP by libcurl: one multi handle, driven from the event loop that waits for it.

Why this engine: a page of 30 KB, 32 at a time from a server on loopback, costs about 75 µs of CPU time, of which half
is libcurl's own work. aiohttp takes more than twice as much, httpx over aiohttp eight times, and httpx, which looks
through all its connections for each request, about fifty times; httpx's own model of a request alone costs more than
everything here. libcurl also brings HTTP/2, brotli, caps on what comes and on what that inflates to, and a callback
that sees each address before it is connected to. `benchmarks/fetch.py` measures all of them side by side.
"""

import asyncio
from collections.abc import Mapping

import pycurl

from sitemap_action.fetch.address_gate import AddressGate
from sitemap_action.fetch.base import Answer, Request
from sitemap_action.fetch.curl_transfer import Transfer
from sitemap_action.fetch.options import HttpOptions, caps
from sitemap_action.fetch.proxies import Proxies
from sitemap_action.fetch.tls import trust

_LONGEST_BLOCK = 0.001  # seconds for which a wait for sockets may hold the loop
_AT_ONCE = 8  # answers that are read before new requests leave, so that servers work meanwhile

_End = tuple[int, str]  # libcurl's result code, 0 when all went well, and its own words for it


class CurlFetcher:
    """Asks libcurl. Transfers are driven by `_pump`, which runs while there is one and not otherwise.

    libcurl's `perform` costs half of what its socket callbacks cost when driven from asyncio (an event per socket),
    and runs on every platform's loop. The price is a wait of a millisecond at most, during which a busy network
    wakes it at once; a quiet one is left alone for as long.
    """

    def __init__(self, options: HttpOptions, gate: AddressGate, environment: Mapping[str, str]) -> None:
        self._options = options
        self._gate = gate
        self._proxies = Proxies(environment)
        self._trusted = trust(environment)
        self._caps = caps(options)
        self._multi = pycurl.CurlMulti()
        self._multi.setopt(pycurl.M_PIPELINING, pycurl.PIPE_MULTIPLEX)
        self._idle: list[Transfer] = []
        self._running: dict[pycurl.Curl, asyncio.Future[_End]] = {}
        self._pumping = False

    async def fetch(self, request: Request) -> Answer:
        transfer = self._idle.pop() if self._idle else Transfer(self._options, self._gate, self._trusted)
        loop = asyncio.get_running_loop()
        curl = transfer.begin(request, self._caps[request.want], self._proxies.of(request.url))
        self._multi.add_handle(curl)
        future = self._running[curl] = loop.create_future()
        if not self._pumping:
            self._pumping = True
            loop.call_soon(self._pump, loop)
        try:
            code, text = await future
            return transfer.answer(code, text)
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
        if self._end() or self._multi.select(_LONGEST_BLOCK) > 0:
            loop.call_soon(self._pump, loop)
        else:
            loop.call_later(_LONGEST_BLOCK, self._pump, loop)

    def _end(self) -> bool:
        """Hand over some of the transfers that have ended; whether there was one."""
        _, fine, failed = self._multi.info_read(_AT_ONCE)
        for curl in fine:
            self._hand_over(curl, (0, ""))
        for curl, code, text in failed:
            self._hand_over(curl, (code, text))
        return bool(fine or failed)

    def _hand_over(self, curl: pycurl.Curl, end: _End) -> None:
        future = self._running.pop(curl)
        self._multi.remove_handle(curl)
        if not future.done():  # not cancelled in this very moment
            future.set_result(end)
