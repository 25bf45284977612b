"""The head of an answer: fields from raw lines, where it redirects to, and whether its body is wanted."""

import re

from sitemap_action.fetch.base import Headers, Request, Want
from sitemap_action.web.headers import content_type
from sitemap_action.web.urls import resolve

REDIRECTS = frozenset({301, 302, 303, 307, 308})
_FOLD = re.compile(r"\n[ \t]+")  # RFC 9112 §5.2
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


def fields(raw: bytes) -> Headers:
    """The fields of the last head that came: those before are interim answers, a trailer comes after it."""
    raw = raw.replace(b"\r\n", b"\n")  # some servers end a line with the latter alone
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
        found = "\n".join(map(text, head.split(b"\n")))
    return _FOLD.sub(" ", found) if "\n " in found or "\n\t" in found else found


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
    media, _ = content_type(headers)
    return bool(media) and media not in wanted
