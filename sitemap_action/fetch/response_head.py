"""The head of an answer: headers from raw lines, the redirect target, and whether the body is wanted."""

import re

from sitemap_action.fetch.base import Headers, Request, RequestKind
from sitemap_action.web.headers import content_type
from sitemap_action.web.urls import resolve

REDIRECTS = frozenset({301, 302, 303, 307, 308})
_FOLD = re.compile(r"\n[ \t]+")  # RFC 9112 §5.2


def parse_head(raw: bytes) -> Headers:
    """The headers of the last head: heads before it are interim answers, a trailer follows it."""
    raw = raw.replace(b"\r\n", b"\n")  # some servers end a line with LF alone
    start, end = 0, _blank(raw, 0)
    while raw.startswith(b"HTTP/", end + 2):
        start, end = end + 2, _blank(raw, end + 2)
    _, _, head = raw[start:end].partition(b"\n")
    found = []
    for line in filter(None, _unfolded(head).split("\n")):
        name, _, value = line.partition(":")
        found.append((name.strip().lower(), value.strip(" \t\r")))
    return tuple(found)


def _blank(raw: bytes, start: int) -> int:
    at = raw.find(b"\n\n", start)
    return at if at >= 0 else len(raw)


def _unfolded(head: bytes) -> str:
    try:
        found = head.decode()
    except UnicodeDecodeError:
        found = "\n".join(map(decode_field, head.split(b"\n")))
    return _FOLD.sub(" ", found) if "\n " in found or "\n\t" in found else found


def decode_field(value: bytes) -> str:
    """UTF-8 where it is that, as browsers read a Location, else ISO 8859-1."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


def redirect_target(url: str, status: int, headers: Headers) -> str:
    """The target of a redirect, in normal form; "" where there is none that can be followed."""
    if status not in REDIRECTS:
        return ""
    location = next((value for name, value in headers if name == "location"), "")
    return resolve(url, location) or ""


def is_unwanted(request: Request, headers: Headers, wanted: frozenset[str]) -> bool:
    """Whether a page's body need not be read, because of its media type (HTML-48)."""
    if not wanted or request.kind is not RequestKind.PAGE:
        return False
    media, _ = content_type(headers)
    return bool(media) and media not in wanted
