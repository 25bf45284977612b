"""The address gate: every kind of address, what allows one, and a public list when SITEMAP_ACTION_CONFORMANCE has it."""

import json
import os
from pathlib import Path

import pytest

from sitemap_action.web.address_gate import METADATA, AddressGate, address_kind

SEED = "http://preview.example:8080"


@pytest.mark.attack("addresses")
@pytest.mark.parametrize(
    ("address", "word"),
    [
        ("127.0.0.1", "loopback"),
        ("127.255.255.254", "loopback"),
        ("10.1.2.3", "private"),
        ("172.16.0.1", "private"),
        ("172.32.0.1", ""),  # just behind RFC 1918
        ("192.168.0.1", "private"),
        ("169.254.1.1", "link-local"),
        ("100.64.0.1", "carrier-internal"),
        ("100.128.0.1", ""),
        ("0.0.0.0", "unspecified"),
        ("0.1.2.3", "unspecified"),
        ("224.0.0.251", "multicast"),
        ("255.255.255.255", "reserved"),
        ("192.0.0.8", "reserved"),
        ("192.88.99.1", "reserved"),
        ("198.18.0.1", "benchmark"),
        ("203.0.113.9", "documentation"),
        ("8.8.8.8", ""),
        ("::1", "loopback"),
        ("::", "unspecified"),
        ("fe80::1", "link-local"),
        ("fe80::1%eth0", "link-local"),
        ("fd12::1", "private"),
        ("fec0::1", "private"),
        ("ff02::1", "multicast"),
        ("2001:db8::1", "documentation"),
        ("2001:0:7f00:1::", "reserved"),  # Teredo
        ("64:ff9b:1::1", "private"),
        ("2606:4700::1111", ""),
        ("::ffff:10.0.0.1", "private"),  # mapped
        ("::ffff:8.8.8.8", ""),
        ("::ffff:0:10.0.0.1", "private"),  # translated
        ("::10.0.0.1", "private"),  # compatible
        ("64:ff9b::a00:1", "private"),  # NAT64
        ("64:ff9b::808:808", ""),
        ("2002:a00:1::1", "private"),  # 6to4
        ("2002:808:808::1", ""),
        ("169.254.169.254", "metadata"),
        ("::ffff:169.254.169.254", "metadata"),
        ("64:ff9b::a9fe:a9fe", "metadata"),
        ("fd00:ec2::254", "metadata"),
        ("100.100.100.200", "metadata"),
        ("192.0.0.192", "metadata"),
        ("168.63.129.16", "metadata"),  # a public one
        ("no address", "unreadable"),
        ("", "unreadable"),
    ],
)
def test_kinds(address: str, word: str) -> None:
    assert address_kind(address) == word


@pytest.mark.attack("addresses")
@pytest.mark.parametrize(
    ("url", "address", "allowed", "passes"),
    [
        ("http://preview.example:8080/x", "10.0.0.1", (), True),  # the seed origin itself
        ("http://preview.example/x", "10.0.0.1", (), False),  # another port
        ("https://preview.example:8080/x", "10.0.0.1", (), False),  # another scheme
        ("http://preview.example:80800/x", "10.0.0.1", (), False),  # no origin at all
        ("http://www.preview.example:8080/x", "10.0.0.1", (), False),  # a subdomain is another host
        ("http://preview.example:8080/x", "169.254.169.254", (), False),  # not even the seed
        ("http://in.example/", "10.0.0.1", ("in.example",), True),
        ("http://in.example:81/", "10.0.0.1", ("IN.example.",), True),
        ("http://a.in.example/", "10.0.0.1", ("in.example",), False),  # a host, not a zone
        ("http://in.example/", "10.0.0.1", ("10.0.0.0/8",), True),
        ("http://in.example/", "11.0.0.1", ("10.0.0.0/8",), True),  # public anyway
        ("http://in.example/", "192.168.0.1", ("10.0.0.0/8",), False),
        ("http://in.example/", "10.0.0.1", ("10.0.0.1",), True),
        ("http://in.example/", "fd00::1", ("fd00::/8",), True),
        ("http://[fd00::1]/", "fd00::1", ("[fd00::1]",), True),
        ("http://in.example/", "169.254.169.254", ("in.example", "169.254.0.0/16", "0.0.0.0/0"), False),
        ("http://in.example/", "169.254.169.254", ("169.254.169.254",), True),
        ("http://in.example/", "fd00:ec2::254", ("fd00::/8",), False),
    ],
)
def test_NET_13_what_is_allowed(url: str, address: str, allowed: tuple[str, ...], passes: bool) -> None:
    refusal = AddressGate(SEED, allowed).refusal(url, address)
    assert (refusal == "") is passes
    assert passes or "allow-private-hosts" in refusal


@pytest.mark.attack("addresses")
def test_without_a_seed_no_private_address_is_allowed() -> None:
    assert AddressGate("").refusal("http://x.example/", "10.0.0.1")


@pytest.mark.attack("addresses")
@pytest.mark.parametrize("address", METADATA)
def test_metadata_is_refused_where_everything_is_allowed(address: object) -> None:
    assert AddressGate(SEED, ("0.0.0.0/0", "::/0", "preview.example")).refusal(f"{SEED}/", str(address))


@pytest.mark.parametrize(
    ("url", "address", "start"),
    [
        ("http://x.example/", "10.0.0.1", "x.example resolves to 10.0.0.1, a private address"),
        ("http://10.0.0.1/", "10.0.0.1", "10.0.0.1 is a private address"),
        ("http://[::1]:8080/", "::1", "[::1] is a loopback address"),
    ],
)
def test_a_refusal_is_a_sentence(url: str, address: str, start: str) -> None:
    assert AddressGate(SEED).refusal(url, address).startswith(start)


def test_a_name_is_not_judged_before_it_is_resolved() -> None:
    assert AddressGate(SEED).literal_refusal("http://localhost/") == ""
    assert AddressGate(SEED).literal_refusal("http://127.0.0.1/")
    assert AddressGate(SEED).literal_refusal("http://0x7f.1/")


if folder := os.environ.get("SITEMAP_ACTION_CONFORMANCE"):
    ROWS = json.loads(Path(folder, "addresses.json").read_text(encoding="utf-8"))

    def test_there_are_rows() -> None:
        assert len(ROWS) > 30

    @pytest.mark.parametrize("row", [row for row in ROWS if "address" in row], ids=lambda row: row["address"])
    def test_an_address_of_the_list(row: dict[str, str | bool]) -> None:
        assert bool(address_kind(str(row["address"]))) is row["refuse"], row["note"]

    @pytest.mark.parametrize(
        "row", [row for row in ROWS if "host" in row and row["host"] != "localhost"], ids=lambda row: row["host"]
    )
    def test_a_host_of_the_list_is_an_address_in_disguise(row: dict[str, str | bool]) -> None:
        assert bool(AddressGate(SEED).literal_refusal(f"http://{row['host']}/")) is row["refuse"], row["note"]
