"""What a log must never show: secrets that the environment holds, and the forms that they take on the way."""

from base64 import b64encode
from collections.abc import Iterator, Mapping
from urllib.parse import quote

_ENCODED = 8  # characters: a shorter secret would mask half of the log in its other forms


def masks(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Values of secret headers, and the token; each as it is, in base64, and as a part of a URL."""
    found: list[str] = []
    for name, text in environment.items():
        match name.lower().replace("_", "-"):
            case "input-token":
                found += _forms(text.strip())
            case "input-headers" | "sitemap-action-headers":
                found += (form for value in _values(text) for form in _forms(value))
    return tuple(dict.fromkeys(found))


def _values(headers: str) -> Iterator[str]:
    """Of `Name: value`, one a line; of `Authorization: Basic …` the second word too."""
    for line in headers.splitlines():
        name, colon, value = line.partition(":")
        text = value.strip() if colon else name.strip()
        yield text
        yield from text.split(" ")[1:]


def _forms(secret: str) -> Iterator[str]:
    if secret:
        yield secret
    if len(secret) >= _ENCODED:
        yield b64encode(secret.encode(errors="replace")).decode()
        yield quote(secret, safe="", errors="replace")
