"""The head of an answer, parsed from raw lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemap_action.fetch.curl import parse_head


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ([], ()),
        ([b"HTTP/1.1 200 OK\r\n", b"A: 1\r\n", b"\r\n"], (("a", "1"),)),
        ([b"HTTP/1.1 200 OK\n", b"A:1\n", b"\n"], (("a", "1"),)),  # bare line feeds
        ([b"HTTP/2 200 \r\n", b"a: 1\r\n", b"A: 2\r\n", b"\r\n"], (("a", "1"), ("a", "2"))),  # HTML-12
        ([b"HTTP/1.1 200 OK\r\n", b"A:\r\n", b": x\r\n", b"no colon\r\n", b"\r\n"], (("a", ""), ("", "x"), ("no colon", ""))),
        ([b"HTTP/1.1 200 OK\r\n", b"A: b: c\r\n", b"\r\n"], (("a", "b: c"),)),
        ([b"HTTP/1.1 200 OK\r\n", "A: Käse\r\n".encode(), b"B: K\xe4se\r\n", b"\r\n"], (("a", "Käse"), ("b", "Käse"))),
        ([b"HTTP/1.1 103 Early\r\n", b"A: 1\r\n", b"\r\n", b"HTTP/1.1 200 OK\r\n", b"B: 2\r\n", b"\r\n"], (("b", "2"),)),
        ([b"HTTP/1.1 200 OK\r\n", b"A: 1\r\n", b"\r\n", b"T: trailer\r\n", b"\r\n"], (("a", "1"),)),
        ([b"HTTP/1.1 200 Connection established\r\n", b"\r\n", b"HTTP/1.1 404 No\r\n", b"A: 1\r\n", b"\r\n"], (("a", "1"),)),
        ([b"HTTP/1.1 200 OK\r\n", b"HTTP/x: 1\r\n", b"\r\n"], (("http/x", "1"),)),  # a field of that name
        ([b"HTTP/1.1 200 OK\r\n", b"A: 1\r\n", b" folded\r\n", b"\r\n"], (("a", "1 folded"),)),  # RFC 9112 §5.2
        ([b"HTTP/1.1 200 OK\r\n", b"\r\n"], ()),
        ([b"HTTP/1.1 200 OK\r\n", b"A: 1\r\n"], (("a", "1"),)),  # cut short
    ],
)  # fmt: skip
def test_heads(lines: list[bytes], found: tuple[tuple[str, str], ...]) -> None:
    assert parse_head(b"".join(lines)) == found


@given(st.lists(st.sampled_from([b"\n", b"\r\n", b"HTTP/1.1 200", b"A: b"]) | st.binary(max_size=40)))
def test_any_bytes_can_be_parsed(lines: list[bytes]) -> None:
    assert all(name == name.lower() for name, _ in parse_head(b"".join(lines)))
