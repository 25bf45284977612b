"""Extension elements of an entry (image, video, news, xhtml, any other) as canonical XML strings, and back.

Canonical: usual prefixes, declared on the outermost tag and sorted; attributes sorted; all five special characters
escaped everywhere; no white space around text and between elements; `<x/>` for an empty element. So every `>` ends a
tag, a declaration can be found by text search, and equal elements are equal strings. XML 1.0 forbids some characters,
which are dropped (SM-24).
"""

import re
from collections.abc import Iterator, Mapping

from msgspec import Struct

from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.page import Alternate
from sitemap_action.sitemap.faults import stop_reading
from sitemap_action.sitemap.protocol import EXTENSIONS, IMAGE, PREFIXES, SEPARATOR, XHTML

_WHITE = " \t\r\n"
_MAX_ELEMENTS = 50_000
_MAX_DEPTH = 32
_MAX_NAMESPACES = 1_000  # without a usable prefix
_MAX_SIZE = 8_388_608
_LINK = f"{XHTML}{SEPARATOR}link"
_IMAGE_LOC = f"{IMAGE}{SEPARATOR}loc"

LINK = f'<xhtml:link xmlns:xhtml="{XHTML}"'
"""The start of a canonical extension that is a link."""


_FIVE = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;"}
_ESCAPED = lazy_re("[&<>\"'\r]")
_BLANK = lazy_re("[\t\n]")
_ILLEGAL = lazy_re("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_REFERENCE = lazy_re(r"&(amp|lt|gt|quot|apos|#[0-9]{1,7});")
_NAMED = {name[1:-1]: char for char, name in _FIVE.items()}


def escape_text(value: str) -> str:
    """Escaped for use between tags; characters that XML 1.0 §2.2 forbids are dropped."""
    if value.isascii() and value.isprintable() and not _ESCAPED.search(value):
        return value
    return _ESCAPED.sub(_reference, _ILLEGAL.sub("", value))


def escape_attribute(value: str) -> str:
    """Escaped for use between double quotes, tabs and line ends too: a parser replaces them by spaces."""
    escaped = escape_text(value)
    return _BLANK.sub(_reference, escaped) if "\n" in escaped or "\t" in escaped else escaped


def unescape(value: str) -> str:
    """The text that `escape_text` or `escape_attribute` escaped."""
    return _REFERENCE.sub(_character, value) if "&" in value else value


def _reference(match: re.Match[str]) -> str:
    return _FIVE.get(match[0]) or f"&#{ord(match[0])};"


def _character(match: re.Match[str]) -> str:
    return _NAMED.get(match[1]) or chr(int(match[1][1:]))


class NamespacePrefixes:
    """Namespace → prefix within one document: the usual one, else the one it declares, else ns1, ns2 …"""

    def __init__(self) -> None:
        self.known = dict(PREFIXES)
        self.declared: dict[str, str] = {}
        self._taken = set(PREFIXES.values())
        self._number = 0

    def find(self, namespace: str) -> str:
        prefix = self.known.get(namespace)
        if prefix is None:
            prefix = self.declared.get(namespace, "")
            while not prefix or prefix in self._taken or not prefix.isascii():
                self._number += 1
                prefix = f"ns{self._number}"
            if self._number > _MAX_NAMESPACES:
                stop_reading("too-much", detail=f"more than {_MAX_NAMESPACES:,} namespaces")
            self.known[namespace] = prefix
            self._taken.add(prefix)
        return prefix


class ExtensionElements:
    """The extension elements of one entry, built from expat's callbacks."""

    def __init__(self, prefixes: NamespacePrefixes) -> None:
        self._prefixes = prefixes
        self._names: dict[str, tuple[str, str]] = {}
        self.clear()

    def clear(self) -> None:
        self.elements: list[str] = []
        self.alternates: list[Alternate] = []
        self.images: list[str] = []
        self._count = self._size = 0
        self._reset()

    def take(self) -> tuple[tuple[Alternate, ...], tuple[str, ...], tuple[str, ...]]:
        """Returns alternates, images and elements, and clears them."""
        found = tuple(self.alternates), tuple(self.images), tuple(self.elements)
        self.clear()
        return found

    def _reset(self) -> None:
        """Forget what was built; the next element is an outermost one."""
        self._pieces: list[str] = []
        self._stack: list[str] = []
        self._declarations: set[str] = set()
        self._open = False  # the last piece is a start tag without its ">"

    def start(self, name: str, attributes: list[str], text: str, line: int) -> None:
        """`text`: since the last tag."""
        self._count += 1
        if self._count > _MAX_ELEMENTS or len(self._stack) >= _MAX_DEPTH:
            stop_reading("too-much", line, "elements or depth of one entry")
        if not self._stack and name == _LINK:
            self._alternate(attributes)
        if self._open:
            self._pieces.append(">")
        if text.strip(_WHITE) and self._stack:
            self._text(text, line)
        qualified, declaration = self._names.get(name) or self._qualify(name)
        if declaration:
            self._declarations.add(declaration)
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
        self._pieces[0] += "".join(sorted(self._declarations))
        self.elements.append("".join(self._pieces))
        self._reset()
        return True

    def _text(self, text: str, line: int) -> None:
        self._add_size(len(text), line)
        self._pieces.append(escape_text(text))

    def _add_size(self, size: int, line: int) -> None:
        self._size += size
        if self._size > _MAX_SIZE:
            stop_reading("too-much", line, f"more than {_MAX_SIZE:,} characters of extensions in one entry")

    def _attributes(self, attributes: list[str], line: int) -> None:
        pairs = []
        self._add_size(sum(map(len, attributes)), line)
        for at in range(0, len(attributes), 2):
            qualified, declaration = self._names.get(attributes[at]) or self._qualify(attributes[at])
            if declaration:
                self._declarations.add(declaration)
            pairs.append(f' {qualified}="{escape_attribute(attributes[at + 1])}"')
        pairs.sort()
        self._pieces += pairs

    def _qualify(self, name: str) -> tuple[str, str]:
        """The prefixed name, and the declaration that its prefix needs."""
        namespace, _, local = name.rpartition(SEPARATOR)
        if not namespace:
            found = (local, "")
        else:
            prefix = self._prefixes.find(namespace)
            declaration = "" if prefix == "xml" else f' xmlns:{prefix}="{escape_attribute(namespace)}"'
            found = (f"{prefix}:{local}", declaration)
        if len(self._names) < 10_000:
            self._names[name] = found
        return found

    def _alternate(self, attributes: list[str]) -> None:
        values = dict(zip(attributes[::2], attributes[1::2], strict=True))
        href, hreflang = values.get("href", "").strip(_WHITE), values.get("hreflang", "").strip(_WHITE)
        if href and hreflang and "alternate" in values.get("rel", "").lower().split():
            self.alternates.append(Alternate(hreflang, href))


class ExtensionNode(Struct, frozen=True):
    """One element of a canonical extension."""

    name: str  # with its prefix: "image:loc"
    attributes: tuple[tuple[str, str], ...] = ()  # without namespace declarations
    text: str = ""
    children: tuple["ExtensionNode", ...] = ()

    def get(self, name: str) -> str | None:
        return next((value for key, value in self.attributes if key == name), None)

    def first(self, name: str) -> "ExtensionNode":
        """The first child of a name; an empty one when there is none."""
        return next((child for child in self.children if child.name == name), ExtensionNode(name))

    def text_of(self, name: str) -> str:
        """The text of the first child of a name."""
        return self.first(name).text.strip()

    def all(self, name: str) -> list["ExtensionNode"]:
        return [child for child in self.children if child.name == name]


_TOKEN = lazy_re(r"<(/?)([^\s<>/]++)([^<>]*?)(/?)>|([^<>]++)")
_MIXED = lazy_re(r"<[^<>]*+>[^<]++<[^/]|</[^<>]*>[^<]|/>[^<]")
_ATTRIBUTE = lazy_re(r'\s([^\s="<>]+)="([^"]*)"')


def parse_extension(extension: str) -> ExtensionNode:
    """The outermost element of a canonical extension."""
    top: list[ExtensionNode] = []
    open_: list[tuple[str, tuple[tuple[str, str], ...], list[str], list[ExtensionNode]]] = []
    for close, name, attributes, empty, text in _TOKEN.findall(extension):
        if text:
            if open_:
                open_[-1][2].append(unescape(text))
            continue
        if not close:
            found = _ATTRIBUTE.findall(attributes)
            pairs = tuple((key, unescape(value)) for key, value in found if not key.startswith("xmlns"))
            open_.append((name, pairs, [], []))
        if (close or empty) and open_:
            opened, pairs, texts, children = open_.pop()
            (open_[-1][3] if open_ else top).append(ExtensionNode(opened, pairs, "".join(texts), tuple(children)))
    return top[0] if top else ExtensionNode("")


def format_extension(node: ExtensionNode) -> str:
    """A canonical extension, of an element and children with the usual prefix of one namespace."""
    prefix = node.name.partition(":")[0]
    return _format(node, f' xmlns:{prefix}="{EXTENSIONS[prefix]}"')


def _format(node: ExtensionNode, declaration: str) -> str:
    pairs = "".join(f' {key}="{escape_attribute(value)}"' for key, value in sorted(node.attributes))
    content = "".join(_format(one, "") for one in node.children) or escape_text(node.text)
    start = f"<{node.name}{declaration}{pairs}"
    return f"{start}>{content}</{node.name}>" if content else f"{start}/>"


def is_version_link(extension: str) -> bool:
    """Whether a canonical extension is a link with an hreflang."""
    return extension.startswith(LINK) and " hreflang=" in extension


def replace_versions(
    extensions: tuple[str, ...], versions: Mapping[str, str]
) -> tuple[tuple[Alternate, ...], tuple[str, ...]]:
    """(alternates, extensions) of an entry with these versions, hreflang → URL, and no other."""
    attributes = ((("href", url), ("hreflang", code), ("rel", "alternate")) for code, url in versions.items())
    links = (format_extension(ExtensionNode("xhtml:link", pairs)) for pairs in attributes)
    others = (one for one in extensions if not is_version_link(one))
    return tuple(Alternate(code, url) for code, url in versions.items()), (*links, *others)


def indented_lines(extension: str, indent: str) -> Iterator[str]:
    """A canonical extension over several lines, one element each; one with text beside elements stays on one line."""
    if _MIXED.search(extension):
        yield indent + extension
        return
    depth = 0
    pending = ""
    for token in _TOKEN.finditer(extension):
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


MARK = "undeclared:"
"""Begins the namespace of a prefix that no extension usually has."""

_USUAL = {prefix: uri for uri, prefix in PREFIXES.items()}
_QNAME = rb"([A-Za-z_][A-Za-z0-9_.-]{0,60}):[A-Za-z_][^\s<>\"'=/:]{0,60}"
_USED = lazy_re(rb"</?" + _QNAME + rb"(?=[\s/>])|\s" + _QNAME + rb"\s{0,20}=")
_DECLARED = lazy_re(rb"\sxmlns:([^\s=<>]{1,60})\s{0,20}=")
_NAME = lazy_re(rb"<[^\s/>]+(?=[\s/>])")
_OVERLAP = 200  # bytes: a name may be cut between two chunks
_MAX_PREFIXES = 100
_MAX_TAG = 8_388_608


class UndeclaredPrefixes:
    """The prefixes that one document uses and never declares, to be declared on its root (EXT-01, R-25).

    An XML parser ends at the first of them, so such a document is read again. A word of a text may look like one, and
    declaring it does no harm.

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
