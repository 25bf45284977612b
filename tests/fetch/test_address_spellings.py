"""Every spelling of a private address that a URL parser of some browser or library accepts, in the place of a host."""

import ipaddress
from collections.abc import Callable, Iterator

import pytest

from sitemap_action.web.address_gate import AddressGate
from sitemap_action.web.urls import BadUrl, normalize

ADDRESSES = (
    "127.0.0.1", "127.1.2.3", "10.0.0.1", "10.255.255.254", "172.16.0.1", "172.31.255.254", "192.168.0.1", "192.168.255.254", "169.254.1.1",
    "169.254.169.254", "100.64.0.1", "100.100.100.200", "0.0.0.0", "0.0.0.1", "192.0.0.192", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255",
)  # fmt: skip
Parts = tuple[int, int, int, int]


def _wide(text: str) -> str:
    return "".join(chr(ord(digit) + 0xFEE0) if digit.isdigit() else digit for digit in text)


def _groups(parts: Parts) -> str:
    a, b, c, d = parts
    return f"{a << 8 | b:x}:{c << 8 | d:x}"


def _number(parts: Parts) -> int:
    return int(ipaddress.IPv4Address(bytes(parts)))


SPELLINGS: dict[str, Callable[[Parts], str]] = {
    "dotted": lambda p: "{}.{}.{}.{}".format(*p),
    "a final dot": lambda p: "{}.{}.{}.{}.".format(*p),
    "hexadecimal": lambda p: "0x{:x}.0x{:x}.0x{:x}.0x{:x}".format(*p),
    "capital hexadecimal": lambda p: "0X{:X}.0X{:X}.0X{:X}.0X{:X}".format(*p),
    "octal": lambda p: "0{:o}.0{:o}.0{:o}.0{:o}".format(*p),
    "octal, padded": lambda p: "0000{:o}.0000{:o}.0000{:o}.0000{:o}".format(*p),
    "mixed": lambda p: "0x{:x}.{}.0{:o}.{}".format(*p),
    "three parts": lambda p: f"{p[0]}.{p[1]}.{p[2] << 8 | p[3]}",
    "two parts": lambda p: f"{p[0]}.{p[1] << 16 | p[2] << 8 | p[3]}",
    "one number": lambda p: str(_number(p)),
    "one hexadecimal number": lambda p: f"0x{_number(p):x}",
    "one octal number": lambda p: f"0{_number(p):o}",
    "wide digits": lambda p: _wide("{}.{}.{}.{}".format(*p)),
    "ideographic dots": lambda p: "{}。{}。{}。{}".format(*p),
    "percent-encoded": lambda p: "".join(f"%{byte:02x}" for byte in b"%d.%d.%d.%d" % p),
    "after a user": lambda p: "www.example.com@{}.{}.{}.{}".format(*p),
    "mapped": lambda p: "[::ffff:{}.{}.{}.{}]".format(*p),
    "mapped, in groups": lambda p: f"[::ffff:{_groups(p)}]",
    "mapped, in full": lambda p: f"[0:0:0:0:0:ffff:{_groups(p)}]",
    "compatible": lambda p: f"[::{_groups(p)}]",
    "translated": lambda p: f"[::ffff:0:{_groups(p)}]",
    "NAT64": lambda p: f"[64:ff9b::{_groups(p)}]",
    "6to4": lambda p: f"[2002:{_groups(p)}::1]",
}


def cases() -> Iterator[tuple[str, str]]:
    for address in ADDRESSES:
        parts: Parts = tuple(ipaddress.IPv4Address(address).packed)  # type: ignore[assignment]
        for name, spell in SPELLINGS.items():
            yield f"{name}: {address}", spell(parts)


@pytest.mark.attack("addresses")
@pytest.mark.parametrize("host", [pytest.param(host, id=name) for name, host in cases()])
def test_S_07_no_spelling_of_a_private_address_passes(host: str) -> None:
    try:
        url = normalize(f"http://{host}/")
    except BadUrl:
        return  # it is no URL here, so nothing is requested
    assert AddressGate("https://www.example.com").literal_refusal(url)


def test_there_are_as_many_as_were_tried() -> None:
    assert len(list(cases())) >= 364


@pytest.mark.parametrize(
    "host", ["8.8.8.8", "0x8.8.8.8", "134744072", "[::ffff:8.8.8.8]", "[64:ff9b::808:808]", "[2606:4700::1111]"]
)
def test_a_public_address_passes_in_every_spelling(host: str) -> None:
    assert not AddressGate("https://www.example.com").literal_refusal(normalize(f"http://{host}/"))
