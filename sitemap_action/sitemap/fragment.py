"""Extension elements as canonical text: one form for each element, complete with its namespaces, and back.

The form: usual prefixes, declared on the outermost tag and sorted; attributes sorted; all five special characters
escaped everywhere; white space round text and between elements left out; `<x/>` for an empty element. So `>` ends a tag
wherever it stands, a declaration can be found as plain text, and equal elements are equal strings.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sitemap_action.model.page import Alternate
from sitemap_action.sitemap import escape
from sitemap_action.sitemap.faults import stop
from sitemap_action.sitemap.names import IMAGE, PREFIXES, XHTML

_WHITE = " \t\r\n"
_MAX_ELEMENTS = 50_000
_MAX_DEPTH = 32
_MAX_ATTRIBUTES = 100
_MAX_NAMESPACES = 1_000  # without a prefix to take
_MAX_SIZE = 8_388_608
_LINK = f"{XHTML} link"
_IMAGE_LOC = f"{IMAGE} loc"


class Prefixes:
    """Namespace → prefix within one document: the usual one, else the document's own, else ns1, ns2 …"""

    def __init__(self) -> None:
        self.known = dict(PREFIXES)
        self.declared: dict[str, str] = {}
        self._taken = set(PREFIXES.values())
        self._number = 0

    def of(self, namespace: str) -> str:
        prefix = self.known.get(namespace)
        if prefix is None:
            prefix = self.declared.get(namespace, "")
            while not prefix or prefix in self._taken or not prefix.isascii():
                self._number += 1
                prefix = f"ns{self._number}"
            if self._number > _MAX_NAMESPACES:
                stop("too-much", detail=f"more than {_MAX_NAMESPACES:,} namespaces")
            self.known[namespace] = prefix
            self._taken.add(prefix)
        return prefix


class Fragments:
    """The extension elements of one entry, gathered from expat's callbacks."""

    def __init__(self, prefixes: Prefixes) -> None:
        self._prefixes = prefixes
        self._names: dict[str, tuple[str, str]] = {}
        self.clear()

    def clear(self) -> None:
        self.fragments: list[str] = []
        self.alternates: list[Alternate] = []
        self.images: list[str] = []
        self._elements = self._size = 0
        self._begin()

    def take(self) -> tuple[tuple[Alternate, ...], tuple[str, ...], tuple[str, ...]]:
        found = tuple(self.alternates), tuple(self.images), tuple(self.fragments)
        self.clear()
        return found

    def _begin(self) -> None:
        self._pieces: list[str] = []
        self._stack: list[str] = []
        self._uses: set[str] = set()
        self._open = False  # the last piece is a start tag without its ">"

    def start(self, name: str, attributes: list[str], text: str, line: int) -> None:
        """`text`: what stood since the last tag."""
        self._elements += 1
        if self._elements > _MAX_ELEMENTS or len(self._stack) >= _MAX_DEPTH or len(attributes) > 2 * _MAX_ATTRIBUTES:
            stop("too-much", line, "elements, depth or attributes of one entry")
        if not self._stack and name == _LINK:
            self._alternate(attributes)
        if self._open:
            self._pieces.append(">")
        if text.strip(_WHITE) and self._stack:
            self._text(text, line)
        qualified, declaration = self._names.get(name) or self._qualify(name)
        if declaration:
            self._uses.add(declaration)
        self._pieces.append(f"<{qualified}" if declaration else f'<{qualified} xmlns=""')
        if attributes:
            self._attributes(attributes, line)
        self._stack.append(qualified)
        self._open = True

    def end(self, name: str, text: str, line: int) -> bool:
        """True when the outermost element ended."""
        qualified = self._stack.pop()
        if self._open:
            text = text.strip(_WHITE)
            if name == _IMAGE_LOC and len(self._stack) == 1 and text:
                self.images.append(text)
        if text and (self._open or text.strip(_WHITE)):
            if self._open:
                self._pieces.append(">")
            self._text(text, line)
            self._open = False
        self._pieces.append("/>" if self._open else f"</{qualified}>")
        self._open = False
        if self._stack:
            return False
        self._pieces[0] += "".join(sorted(self._uses))
        self.fragments.append("".join(self._pieces))
        self._begin()
        return True

    def _text(self, text: str, line: int) -> None:
        self._count(len(text), line)
        self._pieces.append(escape.text(text))

    def _count(self, size: int, line: int) -> None:
        self._size += size
        if self._size > _MAX_SIZE:
            stop("too-much", line, f"more than {_MAX_SIZE:,} characters of extensions in one entry")

    def _attributes(self, attributes: list[str], line: int) -> None:
        pairs = []
        self._count(sum(map(len, attributes)), line)
        for at in range(0, len(attributes), 2):
            qualified, declaration = self._names.get(attributes[at]) or self._qualify(attributes[at])
            if declaration:
                self._uses.add(declaration)
            pairs.append(f' {qualified}="{escape.attribute(attributes[at + 1])}"')
        pairs.sort()
        self._pieces += pairs

    def _qualify(self, name: str) -> tuple[str, str]:
        """The prefixed name, and the declaration that its prefix needs."""
        namespace, _, local = name.rpartition(" ")
        if not namespace:
            found = (local, "")
        else:
            prefix = self._prefixes.of(namespace)
            declaration = "" if prefix == "xml" else f' xmlns:{prefix}="{escape.attribute(namespace)}"'
            found = (f"{prefix}:{local}", declaration)
        if len(self._names) < 10_000:
            self._names[name] = found
        return found

    def _alternate(self, attributes: list[str]) -> None:
        values = dict(zip(attributes[::2], attributes[1::2], strict=True))
        href, hreflang = values.get("href", "").strip(_WHITE), values.get("hreflang", "").strip(_WHITE)
        if href and hreflang and "alternate" in values.get("rel", "").lower().split():
            self.alternates.append(Alternate(hreflang, href))


@dataclass(frozen=True, slots=True)
class Node:
    """One element of a canonical fragment."""

    name: str  # with its prefix: "image:loc"
    attributes: tuple[tuple[str, str], ...] = ()  # without namespace declarations
    text: str = ""
    children: tuple["Node", ...] = ()

    def get(self, name: str) -> str | None:
        return next((value for key, value in self.attributes if key == name), None)

    def first(self, name: str) -> "Node":
        """The first child of a name; an empty one when there is none."""
        return next((child for child in self.children if child.name == name), Node(name))

    def all(self, name: str) -> list["Node"]:
        return [child for child in self.children if child.name == name]


_TOKEN = re.compile(r"<(/?)([^\s<>/]+)([^<>]*?)(/?)>|([^<>]+)")
_MIXED = re.compile(r">[^<]+<[^/]|</[^<>]*>[^<]|/>[^<]")
_ATTRIBUTE = re.compile(r'\s([^\s="<>]+)="([^"]*)"')


def parse(fragment: str) -> Node:
    """The element that a canonical fragment holds."""
    top: list[Node] = []
    open_: list[tuple[str, tuple[tuple[str, str], ...], list[str], list[Node]]] = []
    for close, name, attributes, empty, text in _TOKEN.findall(fragment):
        if text:
            if open_:
                open_[-1][2].append(escape.unescape(text))
            continue
        if not close:
            found = _ATTRIBUTE.findall(attributes)
            pairs = tuple((key, escape.unescape(value)) for key, value in found if not key.startswith("xmlns"))
            open_.append((name, pairs, [], []))
        if (close or empty) and open_:
            opened, pairs, texts, children = open_.pop()
            (open_[-1][3] if open_ else top).append(Node(opened, pairs, "".join(texts), tuple(children)))
    return top[0] if top else Node("")


def lines(fragment: str, indent: str) -> Iterator[str]:
    """The fragment over several lines, one element each; one that holds text beside elements stays on one line."""
    if _MIXED.search(fragment):
        yield indent + fragment
        return
    depth = 0
    pending = ""
    for token in _TOKEN.finditer(fragment):
        close, _, _, empty, text = token.groups()
        if text:
            pending += token[0]
        elif close:
            depth -= 1
            yield indent + "  " * depth + pending + token[0]
            pending = ""
        else:
            if pending:
                yield indent + "  " * (depth - 1) + pending
            pending = ""
            if empty:
                yield indent + "  " * depth + token[0]
            else:
                pending = token[0]
                depth += 1
