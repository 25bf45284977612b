"""Text as XML: the five characters that the protocol escapes, and those that XML 1.0 forbids (SM-24)."""

import re

_FIVE = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;"}
_SPECIAL = re.compile("[&<>\"'\r]")
_WHITE = re.compile("[\t\n]")
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_REFERENCE = re.compile(r"&(amp|lt|gt|quot|apos|#[0-9]{1,7});")
_NAMED = {name[1:-1]: char for char, name in _FIVE.items()}


def text(value: str) -> str:
    """Escaped for use between tags; characters that XML 1.0 §2.2 forbids are dropped."""
    if value.isascii() and value.isprintable() and not _SPECIAL.search(value):
        return value
    return _SPECIAL.sub(_reference, _ILLEGAL.sub("", value))


def attribute(value: str) -> str:
    """Escaped for use between double quotes, tabs and line ends too: a parser replaces them by spaces."""
    escaped = text(value)
    return _WHITE.sub(_reference, escaped) if "\n" in escaped or "\t" in escaped else escaped


def unescape(value: str) -> str:
    """The text that `text` or `attribute` escaped."""
    return _REFERENCE.sub(_character, value) if "&" in value else value


def _reference(match: re.Match[str]) -> str:
    return _FIVE.get(match[0]) or f"&#{ord(match[0])};"


def _character(match: re.Match[str]) -> str:
    return _NAMED.get(match[1]) or chr(int(match[1][1:]))
