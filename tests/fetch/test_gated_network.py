"""Connections of the httpx engine: the address that was judged is the one that is connected to (NET-13)."""

import asyncio
import socket
from collections.abc import Iterable

import httpcore
import pytest

from sitemap_action.fetch.address_gate import AddressGate
from sitemap_action.fetch.gated_network import GatedNetwork, Lookup, RefusedError, lookup

PUBLIC, OTHER = "93.184.215.14", "8.8.8.8"


class Network(httpcore.AsyncMockBackend):
    """Connects to all addresses but some, and records them."""

    def __init__(self, *closed: str) -> None:
        super().__init__([])
        self.closed = closed
        self.connected: list[str] = []

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's signature
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        self.connected.append(host)
        if host in self.closed:
            raise httpcore.ConnectError("refused")
        return await super().connect_tcp(host, port, timeout, local_address, socket_options)


def resolves_to(*addresses: str) -> Lookup:
    async def look_up(_host: str, _port: int) -> list[str]:
        return list(addresses)

    return look_up


def connect(network: Network, look_up: Lookup, host: str = "x.example", seed: str = "", scheme: str = "https") -> None:
    gated = GatedNetwork(AddressGate(seed), scheme, network, look_up)
    asyncio.run(gated.connect_tcp(host, 443, 10))


@pytest.mark.attack("addresses")
def test_only_an_address_that_was_judged_is_connected_to() -> None:
    network = Network()
    connect(network, resolves_to("10.0.0.1", PUBLIC))
    assert network.connected == [PUBLIC]


@pytest.mark.attack("addresses")
def test_a_name_is_judged_anew_for_each_connection() -> None:
    """DNS rebinding: the second answer for the same name is a private address."""
    answers = [[PUBLIC], ["127.0.0.1"]]

    async def look_up(_host: str, _port: int) -> list[str]:
        return answers.pop(0)

    network = Network()
    connect(network, look_up)
    with pytest.raises(RefusedError, match=r"x\.example resolves to 127\.0\.0\.1, a loopback address"):
        connect(network, look_up)
    assert network.connected == [PUBLIC]


@pytest.mark.attack("addresses")
def test_nothing_is_connected_to_when_every_address_is_refused() -> None:
    network = Network()
    with pytest.raises(RefusedError, match=r"x\.example resolves to 10\.0\.0\.1, a private address"):
        connect(network, resolves_to("10.0.0.1", "::1"))
    assert network.connected == []


@pytest.mark.attack("addresses")
@pytest.mark.parametrize(
    ("host", "seed", "scheme", "address", "allowed"),
    [
        ("x.example", "https://x.example", "https", "10.0.0.1", True),  # the default port
        ("x.example", "https://x.example", "http", "10.0.0.1", False),  # another scheme
        ("x.example", "http://x.example:443", "http", "10.0.0.1", True),
        ("fd12::1", "https://[fd12::1]", "https", "fd12::1", True),  # httpcore names it without brackets
        ("fd12::1", "", "https", "fd12::1", False),
    ],
)
def test_the_seed_origin_may_be_private(host: str, seed: str, scheme: str, address: str, allowed: bool) -> None:
    network = Network()
    if allowed:
        connect(network, resolves_to(address), host, seed, scheme)
    else:
        with pytest.raises(RefusedError):
            connect(network, resolves_to(address), host, seed, scheme)
    assert network.connected == [address] * allowed


def test_the_next_address_is_tried() -> None:
    network = Network(PUBLIC)
    connect(network, resolves_to(PUBLIC, OTHER))
    assert network.connected == [PUBLIC, OTHER]


@pytest.mark.attack("addresses")
@pytest.mark.parametrize("addresses", [(), (PUBLIC,), (PUBLIC, OTHER)])
def test_no_address_is_left(addresses: tuple[str, ...]) -> None:
    network = Network(PUBLIC, OTHER)
    with pytest.raises(httpcore.ConnectError):
        connect(network, resolves_to(*addresses))
    assert network.connected == list(addresses)


def test_the_addresses_of_a_name() -> None:
    assert "127.0.0.1" in asyncio.run(lookup("localhost", 80))
    with pytest.raises((socket.gaierror, UnicodeError)):
        asyncio.run(lookup("a" * 64, 80))
