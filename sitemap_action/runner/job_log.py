"""The log of a job: workflow commands, which a GitHub runner acts on, and the secrets that no output may show."""

import re
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import quote, unquote

from sitemap_action.errors import UsageError
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.mask import MIN_LENGTH
from sitemap_action.web.printable import IGNORED, printable

MAX_MESSAGE = 4000  # characters of a message; the runner cuts at 4,096


def command(name: str, message: str = "", **properties: str) -> str:
    """One line. `message` is escaped for the runner only: text of a site needs `printable_message` before."""
    pairs = ((key, _escape_data(value)) for key, value in properties.items() if value)
    joined = ",".join(f"{key}={value.replace(':', '%3A').replace(',', '%2C')}" for key, value in pairs)
    return f"::{name}{f' {joined}' if joined else ''}::{_escape_data(message)}"


def printable_message(*lines: str) -> str:
    """A message of several lines for `command`: each printable, the whole shorter than the runner's limit."""
    message = "\n".join(printable(line) for text in lines for line in text.splitlines())
    return message if len(message) <= MAX_MESSAGE else f"{message[:MAX_MESSAGE]}…"


# `##[name]` anywhere, and `::name::` where a line begins, after blanks; both in linear time (S-15).
_MARKER = lazy_re(rf"(#[{IGNORED}]*#[{IGNORED}]*)\[(?!\\)")
_COMMAND = lazy_re(rf"([\n\r](?:[^\S\n\r]|[{IGNORED}])*+):(?=[{IGNORED}]*:)")


def escape_commands(text: str) -> str:
    """The text of a report without commands. JSON keeps its meaning: there, the marker is inside a string."""
    return _COMMAND.sub(r"\1\\:", _MARKER.sub(r"\1\\u005b", f"\n{text}"))[1:]


def _escape_data(text: str) -> str:
    """The runner decodes these three, `%25` last (actions/toolkit, command.ts)."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


_MIN_ENCODED = 8  # characters: the encoded form of a shorter secret would mask half of the log
_MIN_PART = 8  # characters of a part of a value, such as one cookie of several
_HEADERS = frozenset({"input-headers", "sitemap-action-headers"})
_TOKENS = frozenset({"input-token", "input-branch-token", "github-token"})  # of the action, and of the commands
_WORD = lazy_re(r"[a-z]{1,15}|[A-Z]{1,15}|[A-Z][a-z]{1,14}")
_HOST = lazy_re(r"//(?:[^/?#\s@]*@)?([^/?#\s@]+)")
_USERINFO = lazy_re(r"//([^/?#\s@]+)@")
_PARTS = lazy_re(r"[\s;,]+")
_HEADER = lazy_re(r"([!#$%&'*+.^_`|~\w-]+):[ \t]*+([^\x00-\x08\n-\x1f\x7f]*)", re.ASCII)
# Headers that services and browsers know, and whose values are words of a page or of an answer.
_PUBLIC = lazy_re(
    r"accept(?:-.*)?|content-.*|cache-control|pragma|referer|origin|dnt|host|range|if-.*|connection|user-agent|via|te"
    r"|upgrade.*|sec-.*|x-forwarded-.*|x-vercel-set-bypass-cookie",
    re.IGNORECASE,
)


def masks(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The texts that the runner masks in its log: each secret as it is, in base64, and percent-encoded."""
    headers = (text for name, text in environment.items() if name.lower().replace("_", "-") in _HEADERS)
    values = (value for text in headers for value in header_secrets(_headers(text)) if value)  # short ones, too
    return tuple(dict.fromkeys(form for secret in (*secrets(environment), *values) for form in _encodings(secret)))


def secrets(environment: Mapping[str, str], arguments: Iterable[str] = ()) -> tuple[str, ...]:
    """The token, the values of secret headers with their parts, and credentials in URLs.

    Not a short text, a word, or a part of a host that is named: removed from every text, it would take the site's own
    addresses out of a report, and protect nothing.
    """
    tokens: list[str] = []
    found: list[str] = []
    hosts: list[str] = []
    for name, text in environment.items():
        key = name.lower().replace("_", "-")
        if key in _TOKENS:
            tokens.append(text.strip())
        elif key in _HEADERS:
            found += header_secrets(_headers(text))
        elif key.startswith(("input-", "sitemap-action-")) or key.endswith("-proxy"):
            found += _credentials(text)
            hosts += _HOST.findall(text)
    for text in arguments:
        found += _credentials(text)
        hosts += _HOST.findall(text)
    named = " ".join(hosts).lower()
    kept = (text for text in dict.fromkeys(found) if _is_secret(text) and text.lower() not in named)
    return tuple(filter(None, dict.fromkeys((*tokens, *kept))))


def secret_headers(lines: str) -> tuple[tuple[str, str], ...]:
    """The `headers` input: one `Name: value` a line. Raises UsageError, which never contains a value."""
    found = []
    for number, line in enumerate(lines.splitlines(), 1):
        if not line.strip():
            continue
        if (match := _HEADER.fullmatch(line.strip())) is None:
            raise UsageError(f"headers, line {number}: not `Name: value`", hint="write one header per line")
        found.append((match[1], match[2]))
    return tuple(found)


def header_secrets(headers: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Secrets in `Name: value` pairs: the values; of `Bearer …` also the token alone, of `Basic …` what it encodes."""
    for name, value in headers:
        if _PUBLIC.fullmatch(name):
            continue
        yield value
        scheme, _, credentials = value.partition(" ")
        yield credentials.strip()
        if scheme.lower() == "basic":
            yield from _user_and_password(_decode_base64(credentials))
        for part in _PARTS.split(value):
            yield from (text.strip('"') for text in (part, part.partition("=")[2]) if len(text) >= _MIN_PART)


def not_masked(headers: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Names of headers whose value is not removed from texts."""
    return tuple(name for name, value in headers if value and not _is_secret(value) and not _PUBLIC.fullmatch(name))


def _is_secret(text: str) -> bool:
    return len(text) >= MIN_LENGTH and _WORD.fullmatch(text) is None


def _headers(lines: str) -> Iterator[tuple[str, str]]:
    for line in lines.splitlines():
        name, colon, value = line.partition(":")
        yield (name.strip(), value.strip()) if colon else ("", name.strip())


def _credentials(text: str) -> Iterator[str]:
    """User and password in `https://user:password@host/`, as written and decoded."""
    for found in _USERINFO.findall(text):
        yield from _user_and_password(found)
        yield from _user_and_password(unquote(found))


def _user_and_password(text: str) -> Iterator[str]:
    _, colon, password = text.partition(":")
    if password or not colon:
        yield text
    yield password


def _decode_base64(text: str) -> str:
    try:
        return b64decode(text, validate=True).decode()
    except ValueError:
        return ""


def _encodings(secret: str) -> Iterator[str]:
    yield secret
    if len(secret) >= _MIN_ENCODED:
        yield b64encode(secret.encode(errors="replace")).decode()
        yield quote(secret, safe="", errors="replace")
