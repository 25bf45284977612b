"""Anomalies of a URL's text, and keys that URLs of one page share (URL-24…26, URL-29, URL-34)."""

import re
import unicodedata

from sitemap_action.web.urls import normalize

_SESSION = re.compile(r"[?&;](?:sid|session_?id|phpsessid|jsessionid|aspsessionid[a-z]*)=", re.IGNORECASE)
_NON_ASCII = re.compile(r"(?:%[89A-F][0-9A-F])+")
_ESCAPES = re.compile(r"(?:%[89A-Fa-f][0-9A-Fa-f])+")


def anomalies(url: str) -> tuple[str, ...]:
    """The codes that apply, in order: `session-id` (URL-24), `double-slash` (URL-26), `trailing-dot-host` (URL-34).

    No anomaly changes which page a URL identifies. Raises BadUrl.
    """
    url = normalize(url)
    root = url.index("/", 8)
    host = url[:root].split("://", 1)[1].partition(":")[0]
    found = {
        "session-id": _SESSION.search(url, root),
        "double-slash": "//" in url[root:].partition("?")[0],
        "trailing-dot-host": host.endswith("."),
    }
    return tuple(code for code, applies in found.items() if applies)


def case_key(url: str) -> str:
    """Equal for URLs that differ only in the case of letters in path or query (URL-25). Raises BadUrl."""
    return _decoded(url).lower()


def composition_key(url: str) -> str:
    """Equal for URLs that differ only in Unicode composition, `é` as one or two characters (URL-29). Raises BadUrl."""
    return unicodedata.normalize("NFC", _decoded(url))


def _decoded(url: str) -> str:
    """Decodes non-ASCII escapes only, because `%2F` is not `/` (URL-27)."""
    return _NON_ASCII.sub(_characters, normalize(url))


def _characters(match: re.Match[str]) -> str:
    try:
        return bytes.fromhex(match[0].replace("%", "")).decode()
    except UnicodeDecodeError:
        return match[0]


def escapes_utf_8(url: str) -> bool:
    """Whether the escapes of non-ASCII bytes are those of UTF-8 (SM-26)."""
    try:
        for match in _ESCAPES.finditer(url):
            bytes.fromhex(match[0].replace("%", "")).decode()
    except UnicodeDecodeError:
        return False
    return True
