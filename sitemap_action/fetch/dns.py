"""Names and the addresses that may be connected to for them, looked up once and judged before use (NET-13)."""

import asyncio
import socket
from collections.abc import Awaitable, Callable

from sitemap_action.fetch.resolver import AddressGate

Lookup = Callable[[str, int], Awaitable[list[str]]]


class RefusedError(Exception):
    """The gate's sentence."""


async def lookup(host: str, port: int) -> list[str]:
    """The addresses of a name, in the order in which they are to be tried."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


class Names:
    def __init__(self, gate: AddressGate, look_up: Lookup) -> None:
        self._gate, self._look_up = gate, look_up
        self._known: dict[tuple[str, str, int], list[str]] = {}

    async def addresses(self, url: str, scheme: str, host: str, port: int) -> list[str]:
        """Those that may be connected to for the URL; raises RefusedError when all are refused."""
        key = scheme, host, port
        if key not in self._known:
            found = await self._look_up(host, port)
            refusals = {address: self._gate.refusal(url, address) for address in found}
            allowed = [address for address, refusal in refusals.items() if not refusal]
            if refusals and not allowed:
                raise RefusedError(next(iter(refusals.values())))
            self._known[key] = allowed
        return self._known[key]
