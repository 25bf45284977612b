"""Namespace prefixes that a document uses and never declares: found, then declared on its root (EXT-01, R-25).

An XML parser ends at the first of them, so such a document is read again, with the declarations that it lacks.
"""

import re
from collections.abc import Iterator

from sitemap_action.sitemap.protocol import PREFIXES

MARK = "undeclared:"
"""Begins the namespace of a prefix that no extension usually has."""

_USUAL = {prefix: uri for uri, prefix in PREFIXES.items()}
_NAMED = rb"([A-Za-z_][A-Za-z0-9_.-]{0,60}):[A-Za-z_][^\s<>\"'=/:]{0,60}"
_USED = re.compile(rb"</?" + _NAMED + rb"(?=[\s/>])|\s" + _NAMED + rb"\s{0,20}=")
_DECLARED = re.compile(rb"\sxmlns:([^\s=<>]{1,60})\s{0,20}=")
_NAME = re.compile(rb"<[^\s/>]+(?=[\s/>])")
_OVERLAP = 200  # bytes: a name may be cut between two chunks
_MAX_PREFIXES = 100
_MAX_TAG = 8_388_608


class UndeclaredPrefixes:
    """The prefixes of one document; a word of a text may look like one, and declaring it does no harm.

    `names`: those that are declared nowhere, to report. `added`: namespaces that the root did not declare itself.
    """

    def __init__(self, chunks: Iterator[bytes], root: int) -> None:
        """`root`: where the root's tag begins in the decoded document."""
        self.added: set[str] = set()
        self._root = root
        used: set[bytes] = set()
        known: set[bytes] = set()
        rest = b""
        for chunk in chunks:
            piece = rest + chunk
            used.update(element or attribute for element, attribute in _USED.findall(piece))
            known.update(_DECLARED.findall(piece))
            rest = piece[-_OVERLAP:]
            if len(used) > _MAX_PREFIXES:
                break
        self._used = sorted(one for one in used if not one.lower().startswith(b"xml"))[:_MAX_PREFIXES]
        lacking = [one for one in self._used if one not in known] or self._used
        self.names = ", ".join(one.decode() for one in lacking[:5])

    def declare(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        """The document with the declarations that its root lacks; no line end is added."""
        head = b""
        for chunk in chunks:
            head += chunk
            end = head.find(b">", self._root)
            if end >= 0 or len(head) > self._root + _MAX_TAG:
                break
        name = _NAME.match(head, self._root)
        if name is not None:
            own = set(_DECLARED.findall(head[name.end() : head.find(b">", name.end()) + 1]))
            lacking = {
                one: _USUAL.get(one, f"{MARK}{one}")
                for used in self._used
                if used not in own and (one := used.decode())
            }
            self.added.update(lacking.values())
            text = "".join(f' xmlns:{one}="{uri}"' for one, uri in lacking.items())
            head = head[: name.end()] + text.encode() + head[name.end() :]
        yield head
        yield from chunks
