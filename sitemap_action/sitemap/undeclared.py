"""Namespace prefixes that a document uses and never declares: found, then declared on its root (EXT-01, R-25).

An XML parser ends at the first of them, so the document is read again, with the declarations that it lacks.
"""

import re
from collections.abc import Iterator

from msgspec import Struct

from sitemap_action.sitemap.namespaces import PREFIXES

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


class Undeclared(Struct):
    """What is to be declared, and where the root's tag begins in the decoded document."""

    used: frozenset[bytes]  # prefixes of elements and attributes
    names: str  # those of them that are declared nowhere, to report
    root: int
    added: set[str]  # namespaces that the root did not declare itself


def namespace_of(prefix: str) -> str:
    """The usual one of the prefix, else one that names it."""
    return _USUAL.get(prefix, f"{MARK}{prefix}")


def find_undeclared(chunks: Iterator[bytes], root: int) -> Undeclared:
    """The prefixes that a document uses; a word of a text may look like one, and declaring it does no harm."""
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
    found = sorted(one for one in used if not one.lower().startswith(b"xml"))[:_MAX_PREFIXES]
    lacking = [one for one in found if one not in known] or found
    return Undeclared(frozenset(found), ", ".join(one.decode() for one in lacking[:5]), root, set())


def declared(chunks: Iterator[bytes], undeclared: Undeclared) -> Iterator[bytes]:
    """The document with the declarations on the root that its tag lacks; no line end is added."""
    head = b""
    for chunk in chunks:
        head += chunk
        end = head.find(b">", undeclared.root)
        if end >= 0 or len(head) > undeclared.root + _MAX_TAG:
            break
    name = _NAME.match(head, undeclared.root)
    if name is not None:
        own = set(_DECLARED.findall(head[name.end() : head.find(b">", name.end()) + 1]))
        lacking = [prefix.decode() for prefix in sorted(undeclared.used - own)]
        undeclared.added.update(map(namespace_of, lacking))
        text = "".join(f' xmlns:{one}="{namespace_of(one)}"' for one in lacking)
        head = head[: name.end()] + text.encode() + head[name.end() :]
    yield head
    yield from chunks
