"""S-08: a secret is removed from a text in whatever spelling it is there."""

import base64
import html
import json
import urllib.parse
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from sitemap_action.model.mask import MARK, NO_MASK, Mask

pytestmark = pytest.mark.attack("secrets")

ODD = 'k3y/with+odd&chars="x"~<é>1234567890'
PLAIN = "s3cr3t0t0k3n0of0the0preview"


def quoted(text: str) -> str:
    return urllib.parse.quote(text, safe="")


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


SPELLINGS: list[tuple[str, Callable[[str], str]]] = [
    ("as it is", str),
    ("in capitals", str.upper),
    ("percent-encoded", quoted),
    ("percent-encoded, but for a slash", urllib.parse.quote),
    ("percent-encoded in lower case", lambda text: quoted(text).lower()),
    ("percent-encoded twice", lambda text: quoted(quoted(text))),
    ("every byte percent-encoded", lambda text: "".join(f"%{byte:02x}" for byte in text.encode())),
    ("a form", urllib.parse.quote_plus),
    ("HTML", html.escape),
    ("HTML, in numbers", lambda text: "".join(c if c.isalnum() else f"&#{ord(c)};" for c in text)),
    ("HTML, in hexadecimal numbers", lambda text: "".join(c if c.isalnum() else f"&#x{ord(c):X};" for c in text)),
    ("JSON", lambda text: json.dumps(text)[1:-1]),
    ("JSON, not ASCII", lambda text: json.dumps(text, ensure_ascii=False)[1:-1]),
    ("Markdown", lambda text: "".join(c if c.isalnum() else f"\\{c}" for c in text)),
    ("base64", encoded),
    ("base64 for URLs", lambda text: base64.urlsafe_b64encode(text.encode()).decode()),
    ("hexadecimal", lambda text: text.encode().hex()),
    ("wrapped", lambda text: f"{text[:9]}\n    {text[9:]}"),
    ("wrapped as Windows does", lambda text: f"{text[:9]}\r\n{text[9:]}"),
    ("an annotation's data", lambda text: text.replace("%", "%25")),
]


@pytest.mark.parametrize("secret", [ODD, PLAIN])
@pytest.mark.parametrize("spell", [row[1] for row in SPELLINGS], ids=[row[0] for row in SPELLINGS])
def test_S_08_spellings(spell: Callable[[str], str], secret: str) -> None:
    text = spell(secret)
    assert Mask([secret])(f"before {text} after").rstrip("=") in {f"before {MARK} after", f"before {MARK}= after", f"before {MARK}== after"}  # fmt: skip
    assert Mask([secret]).hides(f"https://x.com/{text}")


@pytest.mark.parametrize("before", ["", "x", "xy", "xyz", "X-Bypass: "])
@pytest.mark.parametrize("after", ["", "x", "\r\nHost: x"])
def test_S_08_a_part_of_what_base64_encodes(before: str, after: str) -> None:
    masked = Mask([PLAIN])(encoded(before + PLAIN + after))
    assert MARK in masked
    assert len(masked) <= len(encoded(before + after)) + 12


CLIPPED = [
    (f"{PLAIN[:20]}…", f"{MARK}…"),
    (f"title {PLAIN[:8]}...", f"title {MARK}..."),
    (f"https://x.com/?a={PLAIN[:12]}", f"https://x.com/?a={MARK}"),
    (f"{PLAIN[:15]}\nnext", f"{MARK}\nnext"),
    (f"{PLAIN[:7]}…", f"{PLAIN[:7]}…"),  # too little to be of use
    (f"{PLAIN[:12]} goes on", f"{PLAIN[:12]} goes on"),  # another word
]


@pytest.mark.parametrize(("text", "masked"), CLIPPED)
def test_S_08_clipped(text: str, masked: str) -> None:
    assert Mask([PLAIN])(text) == masked


@pytest.mark.parametrize("short", ["", "a", "12345"])
def test_S_08_a_short_secret_is_not_searched_for(short: str) -> None:
    mask = Mask([short])
    assert not mask
    assert mask("a 12345") == "a 12345"


class _Record(Struct, frozen=True):
    text: str
    number: int
    rows: tuple["_Record", ...] = ()
    pairs: tuple[tuple[str, str], ...] = ()


def test_S_08_a_record() -> None:
    found = Mask([PLAIN]).value(_Record(PLAIN, 1, (_Record(f"a {PLAIN}", 2),), ((PLAIN, "b"),)))
    assert found == _Record(MARK, 1, (_Record(f"a {MARK}", 2),), ((MARK, "b"),))
    assert NO_MASK.value(found) is found


@given(secret=st.text(st.characters(codec="utf-8"), min_size=6, max_size=40), around=st.text())
def test_S_08_no_text_keeps_a_secret(secret: str, around: str) -> None:
    masked = Mask([secret])(f"{around}{secret}{around}")
    assert secret not in masked.replace(around, "") or secret in around or secret in MARK * 3
