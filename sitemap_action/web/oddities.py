"""What is odd about the text of one URL, and the keys that show two URLs to be twins (URL-24…26, URL-29, URL-34)."""

import re
import unicodedata

from sitemap_action.web.urls import normal

_SESSION = re.compile(r"[?&;](?:sid|session_?id|phpsessid|jsessionid|aspsessionid[a-z]*)=", re.IGNORECASE)
_NON_ASCII = re.compile(r"(?:%[89A-F][0-9A-F])+")


def oddities(url: str) -> tuple[str, ...]:
    """The codes that hold, in this order: `session-id` (URL-24), `double-slash` (URL-26), `trailing-dot-host` (URL-34).

    None of them changes which page a URL identifies. Raises BadUrl.
    """
    url = normal(url)
    root = url.index("/", 8)
    host = url[:root].split("://", 1)[1].partition(":")[0]
    holds = {
        "session-id": _SESSION.search(url, root),
        "double-slash": "//" in url[root:].partition("?")[0],
        "trailing-dot-host": host.endswith("."),
    }
    return tuple(code for code, found in holds.items() if found)


def case_key(url: str) -> str:
    """Equal for two URLs that differ only by the case of letters in path or query (URL-25). Raises BadUrl."""
    return _decoded(url).lower()


def form_key(url: str) -> str:
    """Equal for two URLs that differ only by composition, `é` as one character or as two (URL-29). Raises BadUrl."""
    return unicodedata.normalize("NFC", _decoded(url))


def _decoded(url: str) -> str:
    """Non-ASCII escapes as characters; the others stay, because `%2F` is not `/` (URL-27)."""
    return _NON_ASCII.sub(_characters, normal(url))


def _characters(match: re.Match[str]) -> str:
    try:
        return bytes.fromhex(match[0].replace("%", "")).decode()
    except UnicodeDecodeError:
        return match[0]
