"""What fuzzing and the growth table found, each as a case of its own."""

import gzip
from datetime import UTC, datetime
from xml.parsers import expat

import pytest

from sitemap_action.fetch.base import Response
from sitemap_action.fetch.policies import retry_after
from sitemap_action.model.sitemap import Fault
from sitemap_action.sitemap.read import read
from sitemap_action.sitemap.schema import schema_faults

NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
NOW = datetime(2026, 1, 1, tzinfo=UTC)


class Scanned:
    """In the place of an expat parser before 2.6: counts the bytes that it scans, unfinished tokens again each time."""

    def __init__(self, parser: expat.XMLParserType, total: list[int]) -> None:
        object.__setattr__(self, "parser", parser)
        object.__setattr__(self, "total", total)
        object.__setattr__(self, "given", 0)

    def __getattr__(self, name: str) -> object:
        return getattr(self.parser, name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self.parser, name, value)

    def Parse(self, data: bytes, final: bool) -> int:
        unfinished = self.given - max(self.parser.CurrentByteIndex, 0)
        self.total[0] += unfinished + len(data)
        object.__setattr__(self, "given", self.given + len(data))
        return self.parser.Parse(data, final)


TOKENS = {
    "a comment": lambda n: f"<urlset {NS}><!--{'x' * n}--></urlset>",
    "a comment before the root": lambda n: f"<!--{'x' * n}--><urlset {NS}></urlset>",
    "an instruction": lambda n: f"<urlset {NS}><?x {'x' * n}?></urlset>",
    "an attribute": lambda n: f"<urlset {NS} a='{'x' * n}'></urlset>",
    "references in an attribute": lambda n: f"<urlset {NS} a='{'&amp;' * (n // 5)}'></urlset>",
    "an attribute of an entry": lambda n: f"<urlset {NS}><url a='{'x' * n}'></url></urlset>",
    "a name": lambda n: f"<urlset {NS}><{'x' * n}/></urlset>",
    "a namespace": lambda n: f"<urlset {NS} xmlns:a='{'x' * n}'></urlset>",
    "spaces in a tag": lambda n: f"<urlset {NS}{' ' * n}></urlset>",
    "an end tag": lambda n: f"<urlset {NS}></urlset{' ' * n}>",
    "a DOCTYPE": lambda n: f"<!DOCTYPE {'x' * n}><urlset {NS}></urlset>",
    "a declaration": lambda n: f"<?xml version='1.0'{' ' * n}?><urlset {NS}/>",
}


@pytest.mark.attack("cost")
@pytest.mark.parametrize("name", TOKENS)
def test_S_09_a_token_of_many_pieces_is_scanned_a_few_times(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The schema gate scanned 48 MB of comment 740 times."""
    make = expat.ParserCreate
    for size in (300_000, 3_000_000):
        total = [0]
        monkeypatch.setattr(expat, "ParserCreate", lambda *args: Scanned(make(*args), total))  # noqa: B023
        data = TOKENS[name](size).encode()
        schema_faults(data)
        for _ in read(data):
            pass
        assert total[0] <= 8 * len(data)


def test_a_token_of_more_than_eight_megabytes_is_too_much() -> None:
    data = f"<urlset {NS}><!--{'x' * 30_000_000}--></urlset>".encode()
    assert schema_faults(data) == [Fault("too-much", 1, "a tag or comment of more than 8,388,608 bytes", fatal=True)]


@pytest.mark.attack("bytes")
@pytest.mark.parametrize(
    "encoding", ["TF-16", "x", "utf-7", "idna", "base64", "shift_jis", "euc-jp", "hex", "utf-32", "undefined"]
)
@pytest.mark.parametrize("padding", [0, 70_000])
def test_an_encoding_that_expat_does_not_know_is_no_bug_of_the_program(encoding: str, padding: int) -> None:
    data = f'<?xml version="1.0" encoding="{encoding}"?><urlset {NS}><!x {" " * padding}</urlset>'.encode()
    schema_faults(data)
    assert list(read(data))


@pytest.mark.attack("bytes")
@pytest.mark.parametrize("value", ["Thu,9999999999999999999901 Jan 2026 00:00:00 GMT", "Thu, 01 Jan 99999999999999 00:00:00 GMT", "Thu, 01 Jan 2026 00:00:00 +99999999999999", "Thu, 01 Jan 2026 99:00:00 GMT", "Thu, 01 Jan 0 00:00:00", "1 2 3 4 5 6", ",", "Jan", "9" * 5_000, "-1"])  # fmt: skip
def test_a_retry_after_of_any_form(value: str) -> None:
    found = retry_after(Response(url="https://www.example.com/", status=503, headers=(("retry-after", value),)), NOW)
    assert found is None or found >= 0


PIECES = {
    "a line beyond the limit": b"https://www.example.com/" * 4_000 + b"\nhttps://www.example.com/\n",
    "spaces beyond the limit": b"https://www.example.com/\n" + b" " * 70_000 + b"\nhttps://www.example.com/a\n",
    "a last line beyond the limit": b"https://www.example.com/\n" + b"\xff" * 70_000,
    "many blanks before the declaration": b"\r" * 70_000 + f"<?xml version='1.0'?><urlset {NS}/>".encode(),
    "blanks before a page": b" \n" * 40_000 + b"<!doctype html><title>x</title>",
    "U+FEFF in a tag": f"<urlset {NS}".encode() + b"\r" * 3_000 + b"\xef\xbb\xbf a=''/>",
    "a cut character in a tag": f"<urlset {NS} ".encode() + b"\xe2\x82/>",
    "an overlong form in a tag": f"<urlset {NS} ".encode() + b"\xc0\xaf/>",
    "a surrogate in a text": f"<urlset {NS}><url><loc>".encode() + b"\xed\xa0\x80</loc></url></urlset>",
    "damaged gzip": gzip.compress(f"<urlset {NS}></urlset>".encode() * 20)[:-9] + b"\xff" * 9,
}


@pytest.mark.attack("bytes")
@pytest.mark.parametrize("name", PIECES)
@pytest.mark.parametrize("size", [1, 2, 3, 7, 68, 1_000, 65_536])
def test_a_document_is_read_alike_in_pieces_of_any_size(name: str, size: int) -> None:
    data = PIECES[name]
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    assert list(read(pieces)) == list(read(data))
