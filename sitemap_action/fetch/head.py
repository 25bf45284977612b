"""The head of an answer: fields from raw lines, where it redirects to, and whether its body is wanted."""

import re
from collections.abc import Sequence

from sitemap_action.fetch.base import Request, Want
from sitemap_action.web.headers import media_type
from sitemap_action.web.urls import resolve

Headers = tuple[tuple[str, str], ...]

REDIRECTS = frozenset({301, 302, 303, 307, 308})
_FOLD = re.compile(r"\r?\n[ \t]+")  # RFC 9112 §5.2
_ACCEPT = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"


def sent(request: Request, accept_language: str) -> Headers:
    """What a request says beside its address and its User-Agent."""
    return (
        ("Accept", _ACCEPT if request.want in {Want.PAGE, Want.PROBE} else "*/*"),
        *((("Accept-Language", accept_language),) if accept_language else ()),
        *((("If-None-Match", request.etag),) if request.etag else ()),
        *((("If-Modified-Since", request.modified),) if request.modified else ()),
        *request.headers,
    )


def fields(lines: Sequence[bytes]) -> Headers:
    """The fields of the last head among raw lines: those before are interim answers, a trailer comes after it."""
    if b"\n" in lines:  # as some servers end a line
        lines = [b"\r\n" if line == b"\n" else line for line in lines]
    start, end = 0, _blank(lines, 0)
    while lines[end + 1 : end + 2] and lines[end + 1].startswith(b"HTTP/"):
        start, end = end + 1, _blank(lines, end + 1)
    head = _text(lines[start + 1 : end])
    if "\n " in head or "\n\t" in head:
        head = _FOLD.sub(" ", head)
    parts = [line.partition(":") for line in head.split("\n")[:-1]]
    return tuple([(name.strip().lower(), value.strip(" \t\r")) for name, _, value in parts])


def _blank(lines: Sequence[bytes], start: int) -> int:
    try:
        return lines.index(b"\r\n", start)
    except ValueError:
        return len(lines)


def _text(lines: Sequence[bytes]) -> str:
    try:
        return b"".join(lines).decode()
    except UnicodeDecodeError:
        return "".join(map(text, lines))


def text(value: bytes) -> str:
    """A raw field as text: UTF-8 where it is that, as browsers read a Location, else byte for byte."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


def target(url: str, status: int, headers: Headers) -> str:
    """Where a redirect leads, in normal form; "" where it leads nowhere that can be followed."""
    if status not in REDIRECTS:
        return ""
    location = next((value for name, value in headers if name == "location"), "")
    return resolve(url, location) or ""


def compressed(headers: Headers) -> bool:
    return "content-encoding" in [name for name, _ in headers]


def unwanted(request: Request, headers: Headers, wanted: frozenset[str]) -> bool:
    """Whether a page's body can stay on the wire, because its type is not one that is read (HTML-48)."""
    if not wanted or request.want is not Want.PAGE:
        return False
    media, _ = media_type(headers)
    return bool(media) and media not in wanted
