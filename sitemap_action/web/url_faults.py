"""What is wrong with a URL: no sitemap can list it (URL-27, URL-28), or its text is unusual (URL-24…26, URL-29)."""

import re
import unicodedata
from collections.abc import Callable

from sitemap_action.web.urls import MAX_LENGTH, BadUrl, join, normalize

MAX_LISTED = 2048
"""Characters from which on no sitemap takes a URL (SM-22)."""

_USER = "***@"  # in the place of user name and password, which no log or report may have
_RULES = {"userinfo": "URL-20", "malformed-escape": "URL-30"}


def unlistable_link(base: str, href: str) -> str:
    """The address that such a link names, without its password; "" for a link that is none or may be listed."""
    url = join(base, href)
    if url is None or not url.startswith(("https://", "http://")):
        return ""
    url = without_password(url.partition("#")[0])[: MAX_LENGTH + 1]
    return url if why_unlistable(url) else ""


def without_password(url: str) -> str:
    scheme, separator, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{separator}{_USER}{host.rpartition('@')[2]}{slash}{path}" if "@" in host else url


def why_unlistable(url: str) -> str:
    """The reason as text; "" for a URL that a sitemap may list."""
    if len(url) > MAX_LENGTH:
        return f"the URL has more than {MAX_LENGTH:,} characters (URL-32)"
    if "%" in url or "@" in url:
        try:
            normalize(url)
        except BadUrl as bad:
            rule = _RULES.get(bad.code)
            return f"{bad} ({rule})" if rule else str(bad)
    if len(url) >= MAX_LISTED:
        return f"the URL has {len(url):,} characters, and a sitemap takes fewer than {MAX_LISTED:,} (URL-32)"
    return ""


def mapped(url: str, to_site: Callable[[str], str]) -> str:
    """The URL as `to_site` maps it, whether or not it has a password."""
    on_site = to_site(url.replace(_USER, "", 1))
    return on_site.replace("://", f"://{_USER}", 1) if f"://{_USER}" in url else on_site


def is_below(url: str, directory: str) -> bool:
    """Whether the URL without its password is below a directory."""
    return url.replace(_USER, "", 1).startswith(directory)


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
