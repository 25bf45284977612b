"""The secrets of a run, and the one function that removes them from every text that leaves the process (NET-12)."""

import re
import zlib
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from functools import cached_property
from typing import Any, TypeVar
from urllib.parse import unquote

from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.model.finding import Rule
from sitemap_action.model.lazy_re import lazy_re

MARK = "***"
SECRET_URL = "the URL contains a secret of this run"  # noqa: S105 - a reason
MIN_LENGTH = 6
"""Characters of a secret; a shorter one occurs in any text, and removing it would make a report unreadable."""
_MIN_ENCODED = 8  # characters of a secret that is searched for in other encodings, and of a clipped one
_GZIP = 31  # zlib's name for the format
_WRAP = r"(?:\r?\n[ \t]{0,40})?"  # a line break inside of a word
_RUN = lazy_re(r"[a-z0-9]+")
_T = TypeVar("_T")


class _Form(Struct, frozen=True, dict=True):
    """One spelling of a secret: as it is, in base64, in hexadecimal."""

    text: str
    clips: bool = False  # whether a part at its beginning is removed, too, where a text was clipped

    @cached_property
    def needle(self) -> str:
        """A part that no escaping changes; without it a text needs no closer look."""
        return max(_RUN.findall(self.text.lower()), key=len, default="")

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(_WRAP.join(map(_spellings, self.text)), re.IGNORECASE)


class Mask:
    """Callable: the text with `***` in place of every secret, however it is escaped there."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        known = sorted({secret for secret in secrets if len(secret) >= MIN_LENGTH}, key=lambda text: (-len(text), text))
        self._forms = tuple(form for secret in known for form in _forms(secret))

    def __bool__(self) -> bool:
        return bool(self._forms)

    def __call__(self, text: str) -> str:
        if not self._forms:
            return text
        searched = _search_text(text)
        for form in self._forms:
            if form.needle in searched:
                text = form.pattern.sub(MARK, text)
            if form.clips and form.text[:_MIN_ENCODED].lower() in searched:
                text = _without_clipped(text, form.text)
        return text

    def data(self, data: bytes) -> bytes:
        """Masks bytes of an encoding that has ASCII."""
        if not self._forms or not any(form.needle.encode() in data.lower() for form in self._forms):
            return data
        return self(data.decode("latin-1")).encode("latin-1", errors="replace")

    def hides(self, text: str) -> bool:
        """Whether the text contains a secret, or did before it was masked."""
        return bool(self._forms) and (MARK in text or self(text) != text)

    def hides_in(self, content: bytes) -> bool:
        """Whether a file of ours, compressed or not, contains a secret."""
        if not self._forms:
            return False
        data = zlib.decompress(content, _GZIP) if content.startswith(b"\x1f\x8b") else content
        return self.data(data) != data

    def value(self, value: _T) -> _T:
        """A record with every text in it masked."""
        return self._value(value) if self._forms else value

    def _value(self, value: Any) -> Any:
        match value:
            case Enum() | Rule():
                return value
            case str():
                return self(value)
            case tuple():
                items = [self._value(item) for item in value]
                return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
            case Struct():
                return replace(value, **{name: self._value(getattr(value, name)) for name in value.__struct_fields__})
        return value


NO_MASK = Mask()


def _search_text(text: str) -> str:
    """Lower case, without line breaks and percent-encoding."""
    found = unquote(text, errors="replace") if "%" in text else text
    if "\n" in found:
        found = "".join(found.split()) + found
    return found.lower()


def _forms(secret: str) -> Iterator[_Form]:
    yield _Form(secret, clips=len(secret) > _MIN_ENCODED)
    if len(secret) < _MIN_ENCODED:
        return
    data = secret.encode(errors="replace")
    encoded = list(dict.fromkeys((*_base64(data), data.hex())))
    encoded += [form.replace("+", "-").replace("/", "_") for form in encoded if not form.isalnum()]
    yield from (_Form(form) for form in encoded if len(form) >= _MIN_ENCODED)


def _base64(data: bytes) -> Iterator[str]:
    """What base64 of a longer text has of it, at each of the three places where it may begin."""
    yield b64encode(data).decode().rstrip("=")
    for before in range(3):
        encoded = b64encode(bytes(before) + data).decode().rstrip("=")
        end = len(encoded) - 1 if (before + len(data)) % 3 else len(encoded)
        yield encoded[(before * 8 + 5) // 6 : end]


def _spellings(character: str) -> str:
    """A pattern for one character as it is, percent-encoded, and as HTML, JSON and Markdown escape it."""
    number = ord(character)
    percent = "".join(f"%(?:25)*{byte:02x}" for byte in character.encode(errors="replace"))
    found = [re.escape(character), percent, f"&#0*{number};", f"&#x0*{number:x};", rf"\\u{number:04x}"]
    if not character.isalnum():
        found.append(rf"\\{re.escape(character)}")
    found += {"&": ["&amp;"], "<": ["&lt;"], ">": ["&gt;"], '"': ["&quot;"], "'": ["&apos;"], " ": [r"\+"]}.get(
        character, []
    )
    return f"(?:{'|'.join(found)})"


def _without_clipped(text: str, secret: str) -> str:
    """The text without a beginning of the secret that an ellipsis or the end of the text follows."""
    head = re.compile(re.escape(secret[:_MIN_ENCODED]), re.IGNORECASE)
    parts: list[str] = []
    end = 0
    for found in head.finditer(text):
        stop, length = found.end(), _MIN_ENCODED
        while length < len(secret) and text[stop : stop + 1].lower() == secret[length].lower():
            stop, length = stop + 1, length + 1
        if stop == len(text) or text.startswith(("…", "...", "\n"), stop):
            parts += [text[end : found.start()], MARK]
            end = stop
    return "".join((*parts, text[end:])) if parts else text


class SecretStruct(Struct, frozen=True):
    """A record whose repr shows no value, so that no log, traceback or failed assertion has its secrets."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}(…)"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return []


class Access(SecretStruct, frozen=True):
    """Secrets, and switches that permit something."""

    # Sent to the start page's origin alone (NET-12).
    headers: tuple[tuple[str, str], ...] = ()
    mask: Mask = NO_MASK  # removes every secret of the run from a text
    tls_verify: bool = True
    allow_private_hosts: tuple[str, ...] = ()  # hosts, addresses or CIDR ranges (NET-13)
    # The one origin beside these that may have a private address; None: that of the start page, whatever names it.
    private_origin: str | None = None
    hosts: tuple[str, ...] = ()  # globs over a discovered deployment address; empty: any host
    log: Callable[[str], None] | None = None  # gets a line for each request; None: they are not shown
    offline: bool = False  # no connection at all: a build and local files alone
    confined: bool = False  # another process writes, and makes edits of redirects again
