"""A refresh that a document or its header asks for, when it leads to another page (HTML-42)."""

import re
from collections.abc import Iterable

from sitemap_action.model.page import Refresh
from sitemap_action.web import urls

_LONGEST = 9  # digits that are read; more seconds than these can say is never

_SPACE = "\t\n\f\r "
_TIME = re.compile(r"([0-9]++)?+([.0-9]*+)")
_URL = re.compile(r"""(?:url[\t\n\f\r ]*+=[\t\n\f\r ]*+)?+(?:"([^"]*+)|'([^']*+)|(.*+))""", re.IGNORECASE | re.DOTALL)


def first(texts: Iterable[tuple[str, str]], page: str) -> Refresh | None:
    """What the first valid one of (text, base URL) asks for; None when it reloads the page, or none is valid."""
    for text, base in texts:
        parsed = parse(text)
        if parsed is None:
            continue
        seconds, href = parsed
        if not href:
            return None
        url = urls.resolve(base, href)
        if url is not None:
            return None if url == page else Refresh(seconds, url)
    return None


def parse(text: str) -> tuple[int, str] | None:
    """Seconds and URL as written, "" for none; None when it is no refresh (WHATWG HTML, declarative refresh steps)."""
    text = text.lstrip(_SPACE)
    time = _TIME.match(text)
    if time is None or not time[0]:
        return None
    seconds, rest = int((time[1] or "0")[:_LONGEST]), text[time.end() :]
    if not rest:
        return seconds, ""
    if rest[0] not in ";," + _SPACE:
        return None
    rest = rest.lstrip(_SPACE)
    if rest.startswith((";", ",")):
        rest = rest[1:].lstrip(_SPACE)
    url = _URL.match(rest)
    return seconds, "" if url is None else url[url.lastindex or 3]
