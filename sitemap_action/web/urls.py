"""URLs: normal form, resolution of links, origin and site (spec section 5.1)."""

import re
from functools import lru_cache
from typing import Literal, NamedTuple

import ada_url

MAX_LENGTH = 8192
"""Characters; a longer URL is rejected everywhere (URL-32)."""

# Fast path: URLs that the parser would not change; property tests compare both. Excluded, because the parser may change
# them: escapes of unreserved characters or in lower case (URL-02, URL-03), `'` in a query (URL-08), hosts other than
# ASCII names (URL-09, URL-31), ports that may be the default. `/.` is tested separately (URL-04).
_ESCAPE = r"%(?:[0189A-F][0-9A-F]|2[0-9A-CF]|3[A-F]|40|5[B-E]|60|7[B-DF])"
_NAME = rf"[\w.~!$&'()*+,;=@-]*+(?:{_ESCAPE}[\w.~!$&'()*+,;=@-]*+)*+"  # a first segment has no colon
_PATH = rf"[\w.~!$&'()*+,;=@:/-]*+(?:{_ESCAPE}[\w.~!$&'()*+,;=@:/-]*+)*+"
_QUERY = rf"(?:\?[\w.~!$&()*+,;=@:/?-]*+(?:{_ESCAPE}[\w.~!$&()*+,;=@:/?-]*+)*+)?"
_AUTHORITY = r"https?://(?:(?!xn--)[a-z0-9-]++\.)*+[a-z]++(?::[1-9][0-9]{3})?"
_NORMAL = re.compile(rf"{_AUTHORITY}/{_PATH}{_QUERY}", re.ASCII)
_SAFE = b"-.~!$&()*+,;=@:/_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz\n"
_NORMAL_LINES = re.compile(rf"(?:{_AUTHORITY}/{_PATH}{_QUERY}\n)*+".encode())
_NORMAL_PATH = re.compile(r"(?:/[\w~-][\w.~-]*+)++/?", re.ASCII)
_LINK = re.compile(
    rf"(?:({_AUTHORITY}/{_PATH}{_QUERY})|(/(?!/){_PATH}{_QUERY})"
    rf"|((?:\.\.?/)*+)((?![.?/]){_NAME}(?:/{_PATH})?{_QUERY}))(?:\#[!-~]*+)?",
    re.ASCII,
)

_ABSOLUTE = re.compile(r"https?://[^/\\?#]", re.IGNORECASE | re.ASCII)
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_C0_OR_SPACE = "".join(map(chr, range(0x21)))
_BAD_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_REWRITE = re.compile(r"%[0-9A-Fa-f]{2}|[^\w.~!$&'()*+,;=:@/?%-]", re.ASCII)
_BAD_ESCAPE_REASON = "a % is not followed by two hexadecimal digits; a literal % is written %25"
_CONTROL_REASON = "it holds a raw control character"
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
        return ada_url.join_url(base, href)
    except ValueError:
        return None


def resolve(base: str, href: str) -> str | None:
    """The page that a link's raw text refers to, in normal form; None when the link cannot be followed.

    That is an empty text, a scheme other than http and https (HTML-63), or a URL without a normal form.
    """
    if (link := _LINK.fullmatch(href)) is None or not href or (parts := _base_parts(base)) is None:
        return _resolve(base, href)
    group = link.lastindex or 0
    tail = link[group]
    if "/." in tail:
        return _resolve(base, href)
    if group == 1:
        url = tail
    elif group == 2:
        url = parts.origin + tail
    elif prefix := link[3]:
        url = parts.above(prefix.count("../")) + tail
    elif tail:
        url = parts.directory + tail
    else:
        return _resolve(base, href)
    return url if len(url) <= MAX_LENGTH else None


def is_normal_path(href: str) -> bool:
    """Whether a link is an absolute path that resolving does not change, on every site; False proves nothing."""
    return _NORMAL_PATH.fullmatch(href) is not None


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


def rebase(url: str, source_base: str, target_base: str) -> str | None:
    """Maps a URL below one base to the same path below another; None when it is not below it (ENV-02). Raises BadUrl.

    A base is a directory, with or without its final slash: `/docs/x` is below it, `/docs` and `/docs-old/` are not.
    """
    url, source, target = normalize(url), _directory(source_base), _directory(target_base)
    return normalize(target + url[len(source) :]) if url.startswith(source) else None


def _normal(url: str) -> str:
    url = url.strip(" \t\r\n")  # SM-33: reported elsewhere, not part of the URL
    _reject_text(url)
    try:
        # Parses and serialises in one call: a URL joined with an empty text is that URL without its fragment (URL-07).
        return _finish(ada_url.join_url(url, ""))
    except BadUrl:
        raise
    except ValueError:
        raise _unparsed(url) from None


def _finish(url: str) -> str:
    """The normal form of a WHATWG serialisation without fragment."""
    if "@" in url[: url.index("/", 8)]:
        raise BadUrl("the URL has a user name or password", "userinfo")
    if _BAD_ESCAPE.search(url):
        raise BadUrl(_BAD_ESCAPE_REASON, "malformed-escape")
    host = url.index("]", 8) + 1 if "://[" in url[:9] else 0  # brackets are for IPv6 addresses alone
    url = url[:host] + _REWRITE.sub(_rewrite, url[host:])
    if len(url) > MAX_LENGTH:
        raise BadUrl(f"the URL is longer than {MAX_LENGTH} characters", "too-long")
    return url


def _reject_text(url: str) -> None:
    if len(url) > MAX_LENGTH:
        raise BadUrl(f"the URL is longer than {MAX_LENGTH} characters", "too-long")
    if _CONTROL.search(url):
        raise BadUrl(_CONTROL_REASON, "control-character")
    if not _ABSOLUTE.match(url):
        raise BadUrl("not an absolute http or https URL with a host", "not-absolute")


def _unparsed(url: str) -> BadUrl:
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


class _Base(NamedTuple):
    """A base URL in normal form, in parts that relative links are appended to."""

    origin: str
    directory: str

    def above(self, levels: int) -> str:
        """The directory so many levels up, never above the root (URL-04)."""
        directory, root = self.directory, len(self.origin)
        for _ in range(levels):
            if len(directory) == root + 1:
                break
            directory = directory[: directory.rindex("/", root, -1) + 1]
        return directory


@lru_cache(maxsize=64)
def _base_parts(base: str) -> _Base | None:
    """None for a base whose directory is not in normal form: no fast path."""
    query = base.find("?")
    directory = base[: base.rfind("/", 0, query if query >= 0 else len(base)) + 1]
    if _NORMAL.fullmatch(directory) is None or "/." in directory:
        return None
    return _Base(directory[: directory.index("/", 8)], directory)


@lru_cache(maxsize=64)
def _directory(base: str) -> str:
    url = normalize(base)
    return url if url.endswith("/") else url + "/"
