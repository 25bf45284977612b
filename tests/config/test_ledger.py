"""The ledger: what may stand in it, what is a finding with its place, what a change does to it, and that merges fold."""

import os
import random
import subprocess
from datetime import date
from pathlib import Path

import pytest

from examples import share
from repositories import create
from sitemap_action.config.lists import ledger_changes, read_ledger, with_addresses
from sitemap_action.errors import ConfigError
from sitemap_action.model.finding import LedgerLine

SITE = "https://www.example.com/docs/"
DAY = date(2026, 11, 24)
GONE = b"/a gone 2026-11-24 over since May"

TOLERATED = [
    ("addresses", b"/a\n/b/\n", {"/a": 1, "/b/": 2}),
    ("no final line break", b"/a", {"/a": 1}),
    ("the start page", b"/\n", {"/": 1}),
    ("empty lines and comments", b"# ours\n\n/a\n  # old\n/b", {"/a": 3, "/b": 5}),
    ("CRLF", b"/a\r\n" + GONE.replace(b"/a", b"/b") + b"\r\n", {"/a": 1, "/b": 2}),
    ("a byte order mark", b"\xef\xbb\xbf/a", {"/a": 1}),
    ("a declaration", GONE, {"/a": 1}),
    ("more space than one", b" /a   gone  2026-11-24\tover since May ", {"/a": 1}),
    ("equal lines", b"/a\n/b\n/a\n", {"/a": 3, "/b": 2}),
    ("a declaration beats the bare line behind it", GONE + b"\n/a\n", {"/a": 1}),
    ("and before it", b"/a\n" + GONE, {"/a": 2}),
    ("equal declarations", GONE + b"\n" + GONE, {"/a": 1}),
    ("a query", b"/a?b=1&c=2", {"/a?b=1&c=2": 1}),
    ("spellings of one address", b"/%7Ea\n/~a gone 2026-11-24 x", {"/~a": 2}),
    ("letters of any language", "/ä\n/ü gone 2026-11-24 Sommer – vorbei".encode(), {"/%C3%A4": 1, "/%C3%BC": 2}),
    ("an address outside of the site", b"/blog/\n/docs/a\n", {"/blog/": 1, "/docs/a": 2}),
    ("nothing", b"", {}),
    ("no file", None, {}),
]  # fmt: skip


@pytest.mark.parametrize(("content", "lines"), [row[1:] for row in TOLERATED], ids=[row[0] for row in TOLERATED])
def test_what_may_stand_in_it(content: bytes | None, lines: dict[str, int]) -> None:
    found = read_ledger("urls.txt", content, SITE)
    assert {url: line.line for url, line in found.lines.items()} == {
        f"https://www.example.com{path}": number for path, number in lines.items()
    }
    assert found.faults == ()


REFUSED = [
    ("a URL", b"https://www.example.com/a", "it is no root-relative address such as /old/: https://www.example.com/a"),
    ("a relative path", b"a/b", "it is no root-relative address such as /old/: a/b"),
    ("another host", b"//example.com/a", "it is no root-relative address"),
    ("a fragment", b"/a#b", "it is no root-relative address"),
    ("a broken escape", b"/a%zz", "it is no address: /a%zz"),
    ("a path with a space", b"/a b", "behind an address stands `gone DAY REASON`, or nothing"),
    ("another word", b"/a dead 2026-11-24 x", "behind an address stands `gone DAY REASON`, or nothing"),
    ("no day", b"/a gone yesterday x", "yesterday is no day such as 2026-11-24"),
    ("a day that there is not", b"/a gone 2026-02-30 x", "2026-02-30 is no day of the calendar"),
    ("no reason", b"/a gone 2026-11-24", "behind an address stands `gone DAY REASON`, or nothing"),
    ("another day", GONE + b"\n/a gone 2026-11-25 over since May", "/a is declared otherwise in line 1"),
    ("another reason, with the bare line between", GONE + b"\n/a\n/a gone 2026-11-24 x", "/a is declared otherwise in line 1"),
    ("a conflict", b"<<<<<<< HEAD", "a merge conflict is not resolved"),
    ("a character that nobody sees", "/a\u202e".encode(), "it has a character that nobody sees"),
    ("another encoding", b"/\xe4", "it is not UTF-8"),
    ("a very long line", b"/" + b"a" * 5_000_000, "it is no address"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "says"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_what_is_wrong_is_told_with_its_place(content: bytes, says: str) -> None:
    found = read_ledger("urls.txt", b"/first\n" + content + b"\n/last\n", SITE)
    ((line, text),) = found.faults
    assert text.replace("line 2", "line 1").startswith(says)
    assert line == 2 + content.count(b"\n")
    assert {"https://www.example.com/first", "https://www.example.com/last"} <= found.lines.keys()


def test_a_file_that_is_too_large_is_none() -> None:
    with pytest.raises(ConfigError, match="it holds more than 20,000,000 bytes"):
        read_ledger("urls.txt", b"/a\n" * 7_000_000, SITE)


CHANGED = [
    ("nothing", b"/a\n/b", b"/b\n/a", []),
    ("a new address", b"/a", b"/a\n/b", []),
    ("a new one that is gone", b"/a", b"/a\n/b gone 2026-11-24 x", []),
    ("a line less", b"/a\n/b", b"/b", [("/a", "not there")]),
    ("a declaration", b"/a", GONE, [("/a", "/a gone 2026-11-24 over since May")]),
    ("a declaration less", GONE, b"/a", []),
    ("another reason", GONE, b"/a gone 2026-11-24 x", []),
    ("a declared line less", GONE, b"", [(GONE.decode(), "not there")]),
    ("the file", b"/a\n/b", None, [("/a", "not there"), ("/b", "not there")]),
]  # fmt: skip


@pytest.mark.attack("policy")
@pytest.mark.parametrize(("theirs", "ours", "rows"), [row[1:] for row in CHANGED], ids=[row[0] for row in CHANGED])
def test_what_a_change_takes_away(theirs: bytes, ours: bytes | None, rows: list[tuple[str, str]]) -> None:
    found = ledger_changes(read_ledger("urls.txt", theirs, SITE), read_ledger("urls.txt", ours, SITE))
    assert [(row.key, row.base, row.head) for row in found] == [("urls.txt", *row) for row in rows]


def test_many_changes_are_counted() -> None:
    theirs = read_ledger("urls.txt", b"".join(b"/%d\n" % number for number in range(50)), SITE)
    found = ledger_changes(theirs, read_ledger("urls.txt", b"", SITE))
    assert (len(found), found[-1].base) == (21, "30 more addresses")


def test_new_lines_are_sorted_bytewise_and_the_others_stay() -> None:
    new = [LedgerLine("/b"), LedgerLine("/B"), LedgerLine("/a/b"), LedgerLine("/a", DAY, "over")]
    made = with_addresses(None, new).decode().splitlines()
    assert made[1:] == ["/B", "/a gone 2026-11-24 over", "/a/b", "/b"]
    old = b"# ours\r\n/c\r\n/a \r\n"
    assert with_addresses(old, new) == b"# ours\r\n/B\r\n/a gone 2026-11-24 over\r\n/a/b\r\n/b\r\n/c\r\n/a \r\n"


# --- merges ---

_PAIRS = int(os.environ.get("SITEMAP_ACTION_MERGES", "0")) or 10 * share(100)


def _grown(chance: random.Random, base: list[bytes]) -> list[bytes]:
    """The lines with some more, where they sort, as two people or two runs add them."""
    new = [b"/%s%s" % (chance.choice(b"abcdef".split(b"c")), b"%d" % chance.randrange(60)) for _ in range(chance.randrange(1, 9))]  # fmt: skip
    if base and chance.random() < 0.4:
        new.append(chance.choice(base).split(b" ")[0] + b" gone 2026-11-24 over")
        base = [line for line in base if line != new[-1].split(b" ")[0] or chance.random() < 0.5]
    return sorted({*base, *new})


def test_branches_that_each_add_lines_merge_to_their_union(tmp_path: Path) -> None:
    """By git itself, with `merge=union`: whatever it leaves twice or out of order folds."""
    chance, top = random.Random(39), create(tmp_path / "top")
    (top / ".git/info").mkdir(exist_ok=True)
    (top / ".git/info/attributes").write_text("urls.txt merge=union\n")
    stream, pairs = bytearray(), []
    for number in range(_PAIRS):
        base = sorted({b"/%d" % chance.randrange(90) for _ in range(chance.randrange(12))})
        sides = (base, _grown(chance, base), _grown(chance, base))
        for place, lines in enumerate(sides):
            text = b"".join(line + b"\n" for line in lines)
            mark = 3 * number + place + 1
            stream += b"commit refs/heads/b%d\nmark :%d\ncommitter A <a@example.com> 0 +0000\ndata 0\n" % (mark, mark)
            stream += b"from :%d\n" % (3 * number + 1) if place else b""
            stream += b"M 100644 inline urls.txt\ndata %d\n%s\n" % (len(text), text)
        pairs.append(sides)
    _git(top, "fast-import", "--quiet", given=bytes(stream))
    asked = "".join(f"b{3 * number + 2} b{3 * number + 3}\n" for number in range(_PAIRS))
    merged = _git(top, "merge-tree", "--write-tree", "-z", "--stdin", given=asked.encode()).split(b"\0")
    trees = [one.decode() for one in merged if len(one) == 40]
    assert len(trees) == _PAIRS
    names = "".join(f"{tree}:urls.txt\n" for tree in trees)
    printed = _git(top, "cat-file", "--batch", given=names.encode())
    for sides in pairs:
        header, _, printed = printed.partition(b"\n")
        size = int(header.split()[2])
        text, printed = printed[:size], printed[size + 1 :]
        found = read_ledger("urls.txt", text, SITE)
        union = read_ledger("urls.txt", b"\n".join([*sides[1], *sides[2]]), SITE)
        assert found.faults == ()
        assert {url: str(line) for url, line in found.lines.items()} == {
            url: str(line) for url, line in union.lines.items()
        }


def _git(top: Path, *arguments: str, given: bytes) -> bytes:
    command = ["git", "-C", str(top), *arguments]
    return subprocess.run(command, input=given, capture_output=True, check=True).stdout
