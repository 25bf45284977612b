"""Compressed bodies, inflated with a bound on every piece."""

import gzip
import zlib

import pytest

from sitemap_action.fetch.inflate import Inflate

TEXT = b"<h1>Hello</h1>" * 1000
PACKED = gzip.compress(TEXT, mtime=0)
RAW = zlib.compressobj(wbits=-15)
BARE = RAW.compress(TEXT) + RAW.flush()


def inflated(coding: str, data: bytes, step: int) -> bytes:
    inflate = Inflate(coding)
    pieces = [piece for at in range(0, len(data), step) for piece in inflate.feed(data[at : at + step])]
    inflate.end()
    return b"".join(pieces)


@pytest.mark.parametrize("step", [1, 7, 100_000])
@pytest.mark.parametrize(
    ("coding", "data", "text"),
    [
        ("", TEXT, TEXT),
        ("identity", TEXT, TEXT),
        ("gzip", PACKED, TEXT),
        (" GZIP ", PACKED, TEXT),
        ("x-gzip", PACKED, TEXT),
        ("gzip", PACKED + gzip.compress(b"more", mtime=0), TEXT + b"more"),  # RFC 1952 §2.2
        ("deflate", zlib.compress(TEXT), TEXT),
        ("deflate", BARE, TEXT),  # as some servers send it
        ("gzip", b"", b""),  # no body at all
    ],
    ids=["none", "identity", "gzip", "in capitals", "x-gzip", "two members", "deflate", "bare deflate", "no body"],
)
def test_codings(coding: str, data: bytes, text: bytes, step: int) -> None:
    assert inflated(coding, data, step) == text


@pytest.mark.parametrize(
    ("coding", "data"),
    [
        ("gzip", b"<h1>not gzip</h1>"),
        ("deflate", b"\xff\xff\xff\xff"),
        ("gzip", PACKED[:-12]),  # cut short
        ("br", b"x"),  # NET-15: not asked for
        ("gzip, gzip", b"x"),
    ],
    ids=["no gzip", "no deflate", "cut short", "another coding", "two codings"],
)
def test_broken(coding: str, data: bytes) -> None:
    with pytest.raises(zlib.error):
        inflated(coding, data, 100)


def test_NET_11_no_piece_is_large() -> None:
    bomb = gzip.compress(bytes(64 * 1024 * 1024))
    assert max(map(len, Inflate("gzip").feed(bomb))) == 64 * 1024
