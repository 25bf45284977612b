"""The line of a document on which its robots directive or its canonical is written."""

import re
from collections.abc import Callable

_TAG = re.compile(rb"<(meta|link)\b([^<>]{0,2000})>", re.IGNORECASE)
_MAX_READ = 2**19  # bytes
_ATTRIBUTE = re.compile(
    rb"""\b(name|content|rel)\s{0,9}=\s{0,9}(?:"([^"]{0,300})"|'([^']{0,300})'|([^\s"'>]{1,300}))""", re.IGNORECASE
)


def noindex_line(body: bytes) -> int:
    """Of the first meta whose content has noindex, none or unavailable_after; 0 for none."""

    def keeps_out(tag: bytes, attributes: dict[bytes, bytes]) -> bool:
        content = attributes.get(b"content", b"")
        return tag == b"meta" and any(word in content for word in (b"noindex", b"none", b"unavailable_after"))

    return _line(body, keeps_out)


def canonical_line(body: bytes) -> int:
    """Of the first link with rel=canonical; 0 for none."""
    return _line(body, lambda tag, attributes: tag == b"link" and b"canonical" in attributes.get(b"rel", b"").split())


def _line(body: bytes, wanted: Callable[[bytes, dict[bytes, bytes]], bool]) -> int:
    text = _without_comments(body[:_MAX_READ])
    for found in _TAG.finditer(text):
        attributes = {
            name.lower(): (quoted or single or bare).lower()
            for name, quoted, single, bare in _ATTRIBUTE.findall(found[2])
        }
        if wanted(found[1].lower(), attributes):
            return text.count(b"\n", 0, found.start()) + 1
    return 0


def _without_comments(body: bytes) -> bytes:
    """With the same lines."""
    parts, start = [], 0
    while (opened := body.find(b"<!--", start)) >= 0 and (closed := body.find(b"-->", opened)) >= 0:
        parts += [body[start:opened], b"\n" * body.count(b"\n", opened, closed)]
        start = closed + 3
    return b"".join([*parts, body[start:]])
