"""What a log must never show: the secrets in the environment, also encoded."""

from base64 import b64encode
from collections.abc import Iterator, Mapping
from urllib.parse import quote

_MIN_ENCODED = 8  # characters: the encoded form of a shorter secret would mask half of the log


def masks(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Values of secret headers, and the token; each as it is, in base64, and percent-encoded."""
    found: list[str] = []
    for name, text in environment.items():
        match name.lower().replace("_", "-"):
            case "input-token":
                found += _encodings(text.strip())
            case "input-headers" | "sitemap-action-headers":
                found += (encoded for value in _values(text) for encoded in _encodings(value))
    return tuple(dict.fromkeys(found))


def _values(headers: str) -> Iterator[str]:
    """Of `Name: value` lines; of `Authorization: Basic …` also the credentials alone."""
    for line in headers.splitlines():
        name, colon, value = line.partition(":")
        text = value.strip() if colon else name.strip()
        yield text
        yield from text.split(" ")[1:]


def _encodings(secret: str) -> Iterator[str]:
    if secret:
        yield secret
    if len(secret) >= _MIN_ENCODED:
        yield b64encode(secret.encode(errors="replace")).decode()
        yield quote(secret, safe="", errors="replace")
