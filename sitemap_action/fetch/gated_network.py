"""Connections of the httpx engine: a name is resolved, each address judged, and only then connected to (NET-13)."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterable

import httpcore

from sitemap_action.fetch.address_gate import AddressGate
from sitemap_action.web.urls import normalize

Lookup = Callable[[str, int], Awaitable[list[str]]]


class RefusedError(Exception):
    """Every address of a host was refused; the text is the gate's sentence."""


async def lookup(host: str, port: int) -> list[str]:
    """The addresses of a name, in the order in which they are to be tried."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


class GatedNetwork(httpcore.AsyncNetworkBackend):
    """Opens httpcore's connections for the URLs of one scheme.

    It connects to an address, never to a name, so that a second DNS answer changes nothing. TLS verifies the name all
    the same: httpcore takes that from the URL.
    """

    def __init__(
        self, gate: AddressGate, scheme: str, network: httpcore.AsyncNetworkBackend, look_up: Lookup = lookup
    ) -> None:
        self._gate, self._scheme = gate, scheme
        self._network, self._look_up = network, look_up

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's signature
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        failure: Exception = httpcore.ConnectError("the name has no address")
        for address in await self._allowed(host, port):
            try:
                return await self._network.connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure

    async def _allowed(self, host: str, port: int) -> list[str]:
        """The addresses that may be connected to. Raises RefusedError when all are refused."""
        url = normalize(f"{self._scheme}://{f'[{host}]' if ':' in host else host}:{port}/")
        refusals = {address: self._gate.refusal(url, address) for address in await self._look_up(host, port)}
        allowed = [address for address, refusal in refusals.items() if not refusal]
        if refusals and not allowed:
            raise RefusedError(next(iter(refusals.values())))
        return allowed
