"""The address gate: which addresses an engine may connect to, judged on the address itself, after DNS (NET-13)."""

import ipaddress
from collections.abc import Iterable
from functools import cache, lru_cache

from sitemap_action.model.wording import option
from sitemap_action.web.urls import BadUrl, origin

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_Network = ipaddress.IPv4Network | ipaddress.IPv6Network

# Metadata services of clouds, which give out the credentials of the machine.
METADATA = {
    "169.254.169.254": "most clouds",
    "169.254.170.2": "Amazon ECS",
    "169.254.170.23": "Amazon EKS",
    "fd00:ec2::254": "Amazon",
    "fd00:ec2::23": "Amazon EKS",
    "fd20:ce::254": "Google",
    "100.100.100.200": "Alibaba",
    "192.0.0.192": "Oracle",
    "168.63.129.16": "Azure",
}

# Listed, because the properties of `ipaddress` differ between versions of Python.
_REFUSED = {
    "0.0.0.0/8": "unspecified",
    "10.0.0.0/8": "private",
    "100.64.0.0/10": "carrier-internal",
    "127.0.0.0/8": "loopback",
    "169.254.0.0/16": "link-local",
    "172.16.0.0/12": "private",
    "192.0.0.0/24": "reserved",
    "192.0.2.0/24": "documentation",
    "192.88.99.0/24": "reserved",
    "192.168.0.0/16": "private",
    "198.18.0.0/15": "benchmark",
    "198.51.100.0/24": "documentation",
    "203.0.113.0/24": "documentation",
    "224.0.0.0/4": "multicast",
    "240.0.0.0/4": "reserved",
    "::/128": "unspecified",
    "::1/128": "loopback",
    "64:ff9b:1::/48": "private",
    "100::/64": "reserved",
    "2001::/23": "reserved",  # Teredo, ORCHID, benchmark, AMT
    "2001:db8::/32": "documentation",
    "3fff::/20": "documentation",
    "5f00::/16": "reserved",
    "fc00::/7": "private",
    "fe80::/10": "link-local",
    "fec0::/10": "private",
    "ff00::/8": "multicast",
}
# Networks whose addresses carry an IPv4 address: (network, bits to the right of it).
_EMBEDDING = (
    (ipaddress.IPv6Network("::/96"), 0),  # IPv4-compatible
    (ipaddress.IPv6Network("::ffff:0:0/96"), 0),  # IPv4-mapped
    (ipaddress.IPv6Network("::ffff:0:0:0/96"), 0),  # IPv4-translated
    (ipaddress.IPv6Network("64:ff9b::/96"), 0),  # NAT64
    (ipaddress.IPv6Network("2002::/16"), 80),  # 6to4
)


@lru_cache(maxsize=1024)
def address_kind(address: str) -> str:
    """The kind of an address that is not public, as one word for messages; "" for a public one."""
    ip = _parse_address(address)
    if ip is None:
        return "unreadable"
    if str(ip) in METADATA:
        return "metadata"
    for network, word in _refused_networks():
        if ip in network:
            return word
    for outer, shift in _EMBEDDING:
        if ip in outer:
            return address_kind(str(ipaddress.IPv4Address(int(ip) >> shift & 0xFFFFFFFF)))
    return ""


@cache
def _refused_networks() -> list[tuple[_Network, str]]:
    return [(ipaddress.ip_network(text), word) for text, word in _REFUSED.items()]


def _parse_address(text: str) -> _Address | None:
    try:
        return ipaddress.ip_address(text.partition("%")[0].strip("[]"))
    except ValueError:
        return None


class AddressGate:
    """Judges whether a request for a URL may connect to an address.

    The `seed` origin, where a person names it (`private_seed`), may have any address but a metadata address; all other
    hosts need a public one, or an entry in `allowed`: host names, addresses, networks (NET-13).
    """

    def __init__(self, seed: str, allowed: Iterable[str] = (), *, private_seed: bool = True) -> None:
        self._seed, self._private_seed = seed, private_seed
        self._hosts = {name.lower().rstrip(".") for name in allowed}
        self._networks = [network for name in allowed if (network := _parse_network(name)) is not None]

    def refusal(self, url: str, address: str) -> str:
        """The reason as a sentence; "" where the address may be connected to."""
        word = address_kind(address)
        if not word or self._allows(url, address, word):
            return ""
        host = _host(url)
        subject = f"{host} is" if host.strip("[]") == address else f"{host} resolves to {address},"
        allowed = option("allow-private-hosts")
        if word == "metadata":
            return f"{subject} a cloud's metadata address; it is fetched only if {allowed} names the address"
        remedy = f"if that is intended, name the host with {allowed}"
        if self._is_seed(url):
            remedy += f", or give the address with {option('url')}"
        return f"{subject} a {word} address; {remedy}"

    def literal_refusal(self, url: str) -> str:
        """The refusal of a URL whose host is an address; "" for a name, which is judged once it is resolved."""
        host = _host(url).strip("[]")
        return self.refusal(url, host) if _parse_address(host) is not None else ""

    def _allows(self, url: str, address: str, word: str) -> bool:
        ip = _parse_address(address)
        networks = [network for network in self._networks if ip in network]
        named = any(network.num_addresses == 1 for network in networks)
        if named or word == "metadata":
            return named
        return (self._private_seed and self._is_seed(url)) or _host(url) in self._hosts or bool(networks)

    def _is_seed(self, url: str) -> bool:
        return bool(self._seed) and url.startswith(self._seed + "/")


def _parse_network(text: str) -> _Network | None:
    try:
        return ipaddress.ip_network(text.strip("[]"), strict=False)
    except ValueError:
        return None


def _host(url: str) -> str:
    try:
        authority = origin(url).partition("://")[2]
    except BadUrl:
        return ""
    return authority if authority.endswith("]") else authority.rpartition(":")[0] or authority
