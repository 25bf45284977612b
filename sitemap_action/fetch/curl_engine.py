"""Pages over HTTP by libcurl: one multi handle, driven by the event loop.

Theory of operation. A request takes an idle `Transfer` (an easy handle), joins the multi handle and awaits a future.
`_pump` is a callback of the event loop that runs while there are transfers: it lets libcurl work, resolves the futures
of up to eight finished transfers, and calls itself again: at once where there is work, else after a millisecond. No
thread, no task, no event for each socket.
Why libcurl: a page of 30 KB, 32 at a time from a server on loopback, costs about 75 µs of CPU time, half of it inside
libcurl. aiohttp costs twice as much, httpx over aiohttp eight times, httpx itself about fifty times
(`benchmarks/fetch.py`). libcurl also has HTTP/2, a cap on a body as received, and a callback that sees each address
before it is connected to.
"""

import asyncio
from collections.abc import Mapping

import pycurl

from sitemap_action.fetch.address_gate import AddressGate
from sitemap_action.fetch.base import Answer, Request
from sitemap_action.fetch.curl_transfer import Transfer
from sitemap_action.fetch.http_options import HttpOptions, caps
from sitemap_action.fetch.proxies import Proxies
from sitemap_action.fetch.tls import trust_store

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
        self._caps = caps(options)
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
