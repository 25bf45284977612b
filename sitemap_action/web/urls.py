"""URLs: normal form, resolution of links, origin and site (spec section 5.1); which ones no sitemap lists."""

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from typing import Literal
from urllib.parse import unquote, urlsplit

import ada_url

from sitemap_action.model.lazy_re import lazy_re

MAX_LENGTH = 8192
"""Characters; a longer URL is rejected everywhere (URL-32)."""

# Fast path: URLs that the parser would not change; property tests compare both. Excluded, because the parser may change
# them: escapes of unreserved characters or in lower case (URL-02, URL-03), `'` in a query (URL-08), hosts other than
# ASCII names (URL-09, URL-31), ports that may be the default. `/.` is tested separately (URL-04).
_ESCAPE = r"%(?:[0189A-F][0-9A-F]|2[0-9A-CF]|3[A-F]|40|5[B-E]|60|7[B-DF])"
_NAME = rf"[\w.~!$&'()*+,;=@-]*+(?:{_ESCAPE}[\w.~!$&'()*+,;=@-]*+)*+"  # a first segment has no colon
_PATH = rf"[\w.~!$&'()*+,;=@:/-]*+(?:{_ESCAPE}[\w.~!$&'()*+,;=@:/-]*+)*+"
_QUERY = rf"(?:\?[\w.~!$&()*+,;=@:/?-]*+(?:{_ESCAPE}[\w.~!$&()*+,;=@:/?-]*+)*+)?"
_AUTHORITY = r"https?://(?![^/:]{254})(?:(?!xn--)[a-z0-9-]{1,63}+\.)*+[a-z]{1,63}+(?::[1-9][0-9]{3})?"
_NORMAL = lazy_re(rf"{_AUTHORITY}/{_PATH}{_QUERY}", re.ASCII)
_SAFE = b"-.~!$&()*+,;=@:/_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz\n"
_NORMAL_LINES = lazy_re(rf"(?:{_AUTHORITY}/{_PATH}{_QUERY}\n)*+".encode())
_NORMAL_PATH = lazy_re(r"(?:/[\w~-][\w.~-]*+)++/?", re.ASCII)
_USER_AND_HOST = lazy_re(r"[a-zA-Z][a-zA-Z0-9+.-]*:/*([^/?#\\]*)")
_LINK = lazy_re(
    rf"(?:({_AUTHORITY}/{_PATH}{_QUERY})|(/(?!/){_PATH}{_QUERY})"
    rf"|((?:\.\.?/)*+)((?![.?/]){_NAME}(?:/{_PATH})?{_QUERY}))(?:\#[!-~]*+)?",
    re.ASCII,
)

_ABSOLUTE = lazy_re(r"https?://[^/\\?#]", re.IGNORECASE | re.ASCII)
# What DNS limits (RFC 1035 §2.3.4), before a parser maps it to ASCII, which takes quadratic time. A `.` may end it.
_MAX_HOST, _MAX_LABEL = 253, 63
_HOST = lazy_re(r"[\x00-\x20]*+(?:https?:[/\\]*+|[/\\]{2,}+)([^/\\?#]++)", re.IGNORECASE)
_DOTS = lazy_re("[.\u3002\uff0e\uff61]")
_REMOVED = str.maketrans("", "", "\t\n\r")  # by every parser of URLs, wherever they stand
_CONTROL = lazy_re(r"[\x00-\x1f\x7f]")
_C0_OR_SPACE = "".join(map(chr, range(0x21)))
_BAD_ESCAPE = lazy_re(r"%(?![0-9A-Fa-f]{2})")
_REWRITE = lazy_re(r"%[0-9A-Fa-f]{2}|[^\w.~!$&'()*+,;=:@/?%-]", re.ASCII)
_BAD_ESCAPE_REASON = "a % is not followed by two hexadecimal digits; a literal % is written %25"
_CONTROL_REASON = "it holds a raw control character"
_LONG_HOST_REASON = "its host is longer than DNS allows: 253 characters, 63 between two dots"
_SURROGATE_REASON = "it holds half a surrogate pair, which is no character"
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


class BadUrl(ValueError):  # noqa: N818  describes the URL, not a failure of the program
    """A text that identifies no page. `str()` is the reason as text, without the URL; `code` names the reason."""

    code: str = ""

    def __init__(self, reason: str, code: str = "") -> None:
        super().__init__(reason)
        self.code = code


def normalize(url: str) -> str:
    """The safe normal form of an absolute http(s) URL, the same for equivalent URLs (URL-01…10).

    Raises BadUrl with one of the codes `not-absolute`, `control-character`, `userinfo`, `malformed-escape`, `zone-id`,
    `bad-host`, `not-unicode`, `too-long`. A malformed escape has no normal form: `%%37E` would become `%7E` and
    that `~` (URL-10, URL-30).
    """
    if len(url) <= MAX_LENGTH and _NORMAL.fullmatch(url) and "/." not in url:
        return url
    return _normal(url)


def normal_form(text: str) -> str:
    """The normal form of a URL; "" for a text that has none: `normal_form(text) or text` identifies both."""
    try:
        return normalize(text)
    except BadUrl:
        return ""


def are_normalized(lines: bytes) -> bool:
    """Whether all URLs, one a line and none too long, are in normal form; False proves nothing."""
    if b"/." in lines:
        return False
    first = lines[: lines.find(b"/", 8) + 1]
    if lines.translate(None, _SAFE) == b"" and (b"\n" + lines).count(b"\n" + first) == lines.count(b"\n"):
        return _NORMAL_LINES.fullmatch(first + b"\n") is not None  # one origin, nothing to rewrite
    return _NORMAL_LINES.fullmatch(lines) is not None


def join(base: str, href: str) -> str | None:
    """The URL of a link's raw text as in a browser, with its fragment; None when it has none (HTML-61, HTML-62)."""
    try:
        return ada_url.join_url(base, href) if _fits_dns(href) else None
    except ValueError:
        return None


def resolve(base: str, href: str) -> str | None:
    """The page that a link's raw text refers to, in normal form; None when the link cannot be followed.

    That is an empty text, a scheme other than http and https (HTML-63), or a URL without a normal form.
    """
    if (link := _LINK.fullmatch(href)) is None or not href or (parts := _base_parts(base)) is None:
        return _resolve(base, href)
    base_origin, directory = parts
    group = link.lastindex or 0
    tail = link[group]
    if "/." in tail:
        return _resolve(base, href)
    if group == 1:
        url = tail
    elif group == 2:
        url = base_origin + tail
    elif prefix := link[3]:
        url = _climb(directory, len(base_origin), prefix.count("../")) + tail
    elif tail:
        url = directory + tail
    else:
        return _resolve(base, href)
    return url if len(url) <= MAX_LENGTH else None


def is_normal_path(href: str) -> bool:
    """Whether a link is an absolute path that resolving does not change, on every site; False proves nothing."""
    return _NORMAL_PATH.fullmatch(href) is not None


def directory_of(url: str) -> str:
    """The URL up to the last slash of its path."""
    return url.partition("?")[0].rpartition("/")[0] + "/"


def origin(url: str) -> str:
    """`https://host[:port]` of a URL, normalised. Raises BadUrl."""
    url = normalize(url)
    return url[: url.index("/", 8)]


def path_query(url: str) -> str:
    """Path and query of a URL, normalised, as patterns are compared with. Raises BadUrl."""
    url = normalize(url)
    return url[url.index("/", 8) :]


def encode(text: str) -> str:
    """A piece of a path or query in normal form. Raises BadUrl for text that no normal form contains."""
    if _BAD_ESCAPE.search(text):
        raise BadUrl(_BAD_ESCAPE_REASON, "malformed-escape")
    if _CONTROL.search(text):
        raise BadUrl(_CONTROL_REASON, "control-character")
    try:
        return _REWRITE.sub(_rewrite, text)
    except UnicodeEncodeError:
        raise BadUrl(_SURROGATE_REASON, "not-unicode") from None


def same_site(url: str, site: str, www: Literal["strict", "same"] = "strict") -> bool:
    """Whether scheme, host and port are equal (URL-28); with `same`, www.x.com equals x.com. Raises BadUrl."""
    first, second = origin(url), origin(site)
    if www == "same":
        first, second = first.replace("://www.", "://", 1), second.replace("://www.", "://", 1)
    return first == second


def is_url(text: str) -> bool:
    """Whether a text that names a place is a URL, and not a path."""
    return text.lower().startswith(("http://", "https://"))


def is_host_of(url: str, *sites: str) -> bool:
    """Whether a URL names the host of one of these, with or without www., whatever its scheme and port.

    A text that is no URL names no host.
    """
    own = {_bare_host(site) for site in sites}
    return _bare_host(url) in own - {""}


def _bare_host(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


def _normal(url: str) -> str:
    url = url.strip(" \t\r\n")  # SM-33: reported elsewhere, not part of the URL
    _reject_text(url)
    if (found := _USER_AND_HOST.match(url)) and "@" in found[1]:  # the parser removes an empty name
        raise BadUrl("the URL has a user name or password", "userinfo")
    try:
        # Parses and serialises in one call: a URL joined with an empty text is that URL without its fragment (URL-07).
        return _finish(ada_url.join_url(url, ""))
    except BadUrl:
        raise
    except ValueError:
        raise _refusal(url) from None


def _finish(url: str) -> str:
    """The normal form of a WHATWG serialisation without fragment."""
    if "@" in url[: url.index("/", 8)]:
        raise BadUrl("the URL has a user name or password", "userinfo")
    if not _fits_dns(url):
        raise BadUrl(_LONG_HOST_REASON, "bad-host")
    if _BAD_ESCAPE.search(url):
        raise BadUrl(_BAD_ESCAPE_REASON, "malformed-escape")
    host = url.index("]", 8) + 1 if "://[" in url[:9] else 0  # brackets are for IPv6 addresses alone
    url = url[:host] + _REWRITE.sub(_rewrite, url[host:])
    if len(url) > MAX_LENGTH:
        raise BadUrl(f"the URL is longer than {MAX_LENGTH} characters", "too-long")
    return url


def _fits_dns(text: str) -> bool:
    """Whether the host that a URL or link names, if it does, is as short as that of any machine (S-16)."""
    found = _HOST.match(text if text.isprintable() else text.translate(_REMOVED))
    if found is None or len(found[1]) <= _MAX_LABEL:
        return True
    host = found[1].rpartition("@")[2]
    if "%" in host:
        host = unquote(host[: 12 * _MAX_HOST], errors="replace")
    labels = _DOTS.split(host.partition(":")[0] if not host.startswith("[") else "")
    return sum(map(len, labels)) + len(labels) <= _MAX_HOST + 2 and max(map(len, labels)) <= _MAX_LABEL


def _reject_text(url: str) -> None:
    if len(url) > MAX_LENGTH:
        raise BadUrl(f"the URL is longer than {MAX_LENGTH} characters", "too-long")
    if _CONTROL.search(url):
        raise BadUrl(_CONTROL_REASON, "control-character")
    if not _ABSOLUTE.match(url):
        raise BadUrl("not an absolute http or https URL with a host", "not-absolute")
    if not _fits_dns(url):
        raise BadUrl(_LONG_HOST_REASON, "bad-host")


def _refusal(url: str) -> BadUrl:
    host = url.split("/", 3)[2].rpartition("@")[2]
    if host.startswith("[") and "%" in host:
        return BadUrl("an IPv6 zone id has no meaning outside its own machine", "zone-id")
    if any("\ud800" <= char <= "\udfff" for char in url):
        return BadUrl(_SURROGATE_REASON, "not-unicode")
    return BadUrl("the host or port of the URL is not valid", "bad-host")


def _rewrite(match: re.Match[str]) -> str:
    """Decodes unreserved, upper-cases other hex (URL-02, URL-03); encodes what only RFC 3986 forbids (URL-08)."""
    text = match[0]
    if len(text) == 1:
        return "".join(f"%{byte:02X}" for byte in text.encode())
    char = chr(int(text[1:], 16))
    return char if char in _UNRESERVED else text.upper()


def _resolve(base: str, href: str) -> str | None:
    if not href.strip(_C0_OR_SPACE):
        return None
    url = join(base, href)
    if url is None or not url.startswith(("https://", "http://")):
        return None
    try:
        return _finish(url.partition("#")[0])
    except BadUrl:
        return None


def _climb(directory: str, root: int, levels: int) -> str:
    """The directory so many levels up, never above the root, whose slash is at `root` (URL-04)."""
    for _ in range(levels):
        if len(directory) == root + 1:
            break
        directory = directory[: directory.rindex("/", root, -1) + 1]
    return directory


@lru_cache(maxsize=64)
def _base_parts(base: str) -> tuple[str, str] | None:
    """Origin and directory of a base URL, for the fast path; None where the directory is not in normal form."""
    query = base.find("?")
    directory = base[: base.rfind("/", 0, query if query >= 0 else len(base)) + 1]
    if _NORMAL.fullmatch(directory) is None or "/." in directory:
        return None
    return directory[: directory.index("/", 8)], directory


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


def map_unlistable(url: str, to_site: Callable[[str], str]) -> str:
    """The URL as `to_site` maps it, whether or not it has a password."""
    on_site = to_site(url.replace(_USER, "", 1))
    return on_site.replace("://", f"://{_USER}", 1) if f"://{_USER}" in url else on_site


def is_below(url: str, directory: str) -> bool:
    """Whether the URL without its password is below a directory."""
    return url.replace(_USER, "", 1).startswith(directory)


_SESSION = lazy_re(r"[?&;](?:sid|session_?id|phpsessid|jsessionid|aspsessionid[a-z]*)=", re.IGNORECASE)
_NON_ASCII = lazy_re(r"(?:%[89A-F][0-9A-F])+")
_ESCAPES = lazy_re(r"(?:%[89A-Fa-f][0-9A-Fa-f])+")


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
    return _decode_non_ascii(url).lower()


def composition_key(url: str) -> str:
    """Equal for URLs that differ only in Unicode composition, `é` as one or two characters (URL-29). Raises BadUrl."""
    return unicodedata.normalize("NFC", _decode_non_ascii(url))


def _decode_non_ascii(url: str) -> str:
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
