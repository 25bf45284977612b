"""The refresh of a document or its header, when it redirects to another page (HTML-42)."""

import re
from collections.abc import Iterable

from sitemap_action.model.page import Refresh
from sitemap_action.web import urls

_MAX_DIGITS = 9  # of the seconds; more is never

_SPACE = "\t\n\f\r "
_TIME = re.compile(r"([0-9]++)?+([.0-9]*+)")
_URL = re.compile(r"""(?:url[\t\n\f\r ]*+=[\t\n\f\r ]*+)?+(?:"([^"]*+)|'([^']*+)|(.*+))""", re.IGNORECASE | re.DOTALL)


def first_refresh(texts: Iterable[tuple[str, str]], page: str) -> Refresh | None:
    """The first valid one of (text, base URL); None when it reloads the page, or none is valid."""
    for text, base in texts:
        parsed = parse_refresh(text)
        if parsed is None:
            continue
        seconds, href = parsed
        if not href:
            return None
        url = urls.resolve(base, href)
        if url is not None:
            return None if url == page else Refresh(seconds, url)
    return None


def parse_refresh(text: str) -> tuple[int, str] | None:
    """Seconds and URL as written, "" without one; None when invalid (WHATWG HTML, declarative refresh steps)."""
    text = text.lstrip(_SPACE)
    time = _TIME.match(text)
    if time is None or not time[0]:
        return None
    seconds, rest = int((time[1] or "0")[:_MAX_DIGITS]), text[time.end() :]
    if not rest:
        return seconds, ""
    if rest[0] not in ";," + _SPACE:
        return None
    rest = rest.lstrip(_SPACE)
    if rest.startswith((";", ",")):
        rest = rest[1:].lstrip(_SPACE)
    url = _URL.match(rest)
    return seconds, "" if url is None else url[url.lastindex or 3]
