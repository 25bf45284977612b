"""The schema gate: validates a document against XSDs, offline and streaming; each error as the fault of a rule.

The schemas follow the text of the protocol (SM-12). libxml2 validates while it parses, so memory stays flat; it reports
no line then, so a document with errors is validated a second time, line by line.

A text of very many pieces is found before, for libxml2 joins them one by one in quadratic time: each reference,
comment, CDATA section and line of a text ends a piece. Nearly every document is passed by a search for end tags, one of
which is in every 64 KiB; only another one is parsed.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any
from xml.parsers import expat

from lxml import etree
from msgspec.structs import replace

from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.sitemap import Fault
from sitemap_action.sitemap.decode import MAX_TOKEN, TOO_LONG, PendingInput, inflate
from sitemap_action.sitemap.faults import StopReading, stop_reading, truncate
from sitemap_action.sitemap.protocol import EXTENSIONS, MAX_INFLATED, SITEMAP, date_fault

_WORK = 2**35
"""Characters that may be measured in one document: half a second, and a hundred times what long descriptions need."""

_FULL = 32_768  # bytes of a chunk that is not the last of a short document
_ROOTS = (b"<urlset", b"<sitemapindex")


def _may_have_long_text(chunks: Iterable[bytes]) -> bool:
    """Whether a chunk has no end tag, or holds behind the start of the root anything that may look like one."""
    before, started = b"", False
    for chunk in chunks:
        piece = before + chunk
        if not started:
            started = True
            piece = next((piece[piece.index(root) :] for root in _ROOTS if root in piece), piece)
        if (b"</" not in piece and len(chunk) > _FULL) or b"<!" in piece or b"<?" in piece:
            return True
        before = chunk[-1:]
    return False


def _measure_texts(chunks: Iterable[bytes]) -> Fault | None:
    """Where joining texts becomes too much work, or a token is too long; None where nothing is, or can be parsed."""
    search = _Search()
    pending = PendingInput(search.expat)
    try:
        for chunk in chunks:
            if not pending.add(chunk):
                continue
            search.expat.Parse(pending.take(), False)
            if search.line:
                return Fault("text-too-long", search.line)
            if pending.measure() > MAX_TOKEN:
                return Fault("too-much", search.expat.CurrentLineNumber, TOO_LONG, fatal=True)
    except (expat.ExpatError, LookupError, ValueError):  # the last two: an encoding that is unknown, or has wide codes
        return None  # the validator says it better
    return None


class _Search:
    """Adds up the characters before each piece of a text."""

    def __init__(self) -> None:
        self.line = self._length = self._work = 0
        self._next = 0  # byte after the last piece
        self.expat = expat.ParserCreate()
        self.expat.CharacterDataHandler = self._text
        self.expat.StartElementHandler = self.expat.EndElementHandler = self._tag

    def _text(self, text: str) -> None:
        start = self.expat.CurrentByteIndex
        if start != self._next or not text.isspace():  # blank lines are one piece
            self._work += self._length
        self._next = start + len(text)
        self._length += len(text)
        if self._work > _WORK and not self.line:
            self.line = self.expat.CurrentLineNumber

    def _tag(self, *_: object) -> None:
        self._length = 0


XSD = Path(__file__).with_name("xsd") / "all.xsd"

_MAX_FAULTS = 200
_EXPLAINED = 65_536  # bytes of a document that xmlschema reads
_SUBJECT = lazy_re(r"Element '(?:\{([^}']*)\})?([^']*)'")
_LINE = lazy_re(rb"\s*+((?:[^\n]++\n?|\Z))")  # with the blank lines before it, of which there may be millions
_BEFORE_LOC = lazy_re(rf"Expected is(?: one of)? \( \{{{re.escape(SITEMAP)}\}}loc\b")
_INDEX = lazy_re(rb"<(?:[\w.-]+:)?sitemapindex\b")
_EXTENSION = {uri: "hreflang" if prefix == "xhtml" else prefix for prefix, uri in EXTENSIONS.items()}


def schema_faults(data: bytes, limit: int = MAX_INFLATED) -> list[Fault]:
    """Up to two hundred schema errors of a document, compressed or not; empty when it is valid.

    `limit`: uncompressed bytes, beyond which it is not validated. Elements of a namespace without schema here are no
    fault: the protocol may be extended. A document that is not well-formed, or has a DOCTYPE, has that one fault.
    """
    if fault := _find_long_text(data, limit):
        return [fault]
    found = _validate(((0, piece) for piece in _inflate(data, limit)), is_index=False)
    if not found or found[0].fatal:
        return found
    is_index = _INDEX.search(next(_inflate(data, limit), b"")) is not None
    return _validate(_lines(_inflate(data, limit)), is_index=is_index)


def explain_faults(data: bytes, faults: Sequence[Fault]) -> list[Fault]:
    """The faults with path and cause of xmlschema as detail, where it finds an error on the same line.

    A document of more than 64 KiB, and what xmlschema accepts (it lets any `%` pass), keeps the words of libxml2.
    """
    causes = dict(_causes(data)) if faults and not faults[0].fatal else {}
    return [replace(fault, detail=causes.get(fault.line, fault.detail)) for fault in faults]


def _causes(data: bytes) -> Iterator[tuple[int, str]]:
    """(line, path and cause) of the first errors of a small document."""
    from xmlschema import XMLSchemaException  # noqa: PLC0415

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        document = b"".join(_inflate(data, _EXPLAINED))
        errors = list(islice(_explaining_schema().iter_errors(etree.fromstring(document, parser)), _MAX_FAULTS))
    except (StopReading, XMLSchemaException, UnicodeError, SyntaxError):
        return
    for error in reversed(errors):  # of several on a line, the first
        cause = " ".join((error.reason or "").split())
        yield int(error.sourceline or 0), truncate(f"{error.path}: {cause}".replace(f"{{{SITEMAP}}}", ""))


@cache
def _explaining_schema() -> Any:
    from xmlschema import XMLSchema  # noqa: PLC0415

    # An instance, never xmlschema.validate(): that one fetches the document's schemaLocation over the network.
    return XMLSchema(str(XSD), allow="local", defuse="always")


def _find_long_text(data: bytes, limit: int) -> Fault | None:
    try:
        return _measure_texts(_inflate(data, limit)) if _may_have_long_text(_inflate(data, limit)) else None
    except StopReading:
        return None  # the validation ends there too, and says why


def _inflate(data: bytes, limit: int) -> Iterator[bytes]:
    yield from inflate(data, lambda _: None, limit=limit)[0]


@cache
def _schema() -> etree.XMLSchema:
    return etree.XMLSchema(etree.parse(XSD))


class _Target:
    """Builds no tree, so that memory stays flat."""

    def doctype(self, _name: str | None, _public: str | None, _system: str | None) -> None:
        # Before validation: an entity reference is an internal error to libxml2's validator (SM-13).
        stop_reading("doctype")

    def close(self) -> None: ...


# How Python shows the bytes of a message of libxml2, at the end of one of lxml.
_BYTES = {quote: lazy_re(rf"\bb{quote}") for quote in ('"', "'")}


def _without_bytes(message: str) -> str:
    found = _BYTES[message[-1]].search(message) if message[-1:] in _BYTES else None
    return message if found is None else message[: found.start()] + message[found.end() : -1]


def _validate(pieces: Iterable[tuple[int, bytes]], *, is_index: bool) -> list[Fault]:
    """`pieces`: each with its line."""
    parser = etree.XMLParser(
        target=_Target(),  # type: ignore[arg-type]  # lxml calls only the methods that are there
        schema=_schema(),
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=True,
    )
    found: list[Fault] = []
    line = 0
    try:
        for line, piece in pieces:
            parser.feed(piece)
            found += _new_faults(parser, len(found), line, is_index=is_index)
            if len(found) >= _MAX_FAULTS:
                return found[:_MAX_FAULTS]
        parser.close()
    except StopReading as end:
        return [end.fault]
    except etree.XMLSyntaxError as error:
        detail = truncate(_without_bytes(error.msg or "not well-formed"))
        return [Fault("malformed", error.lineno or 0, detail, fatal=True)]
    return found + _new_faults(parser, len(found), line, is_index=is_index)


def _new_faults(parser: etree.XMLParser, seen: int, line: int, *, is_index: bool) -> list[Fault]:
    log = parser.feed_error_log
    return [_schema_fault(log[n].type_name, log[n].message, line, is_index=is_index) for n in range(seen, len(log))]


def _lines(chunks: Iterator[bytes]) -> Iterator[tuple[int, bytes]]:
    line = 1
    for chunk in chunks:
        for found in _LINE.finditer(chunk):
            line += chunk.count(b"\n", found.start(), found.start(1))
            yield line, found[0]
            line += found[1].endswith(b"\n")


def _schema_fault(kind: str, message: str, line: int, *, is_index: bool) -> Fault:
    """A schema error as the fault of the rule that covers it; `schema` where there is none."""
    subject = _SUBJECT.search(message)
    namespace, name = subject.groups(default="") if subject else ("", "")
    detail = truncate(message.replace(f"{{{SITEMAP}}}", ""))
    if namespace in _EXTENSION:
        misplaced = kind == "SCHEMAV_ELEMENT_CONTENT" and _BEFORE_LOC.search(message)
        return Fault("order" if misplaced else _EXTENSION[namespace], line, detail)
    if kind == "SCHEMAV_CVC_ELT_1":
        return Fault("namespace", line, detail)
    if kind.startswith(("SCHEMAV_CVC_COMPLEX_TYPE_3_2", "SCHEMAV_CVC_TYPE_3_1_1")):
        return Fault("attribute", line, detail)
    if kind == "SCHEMAV_CVC_COMPLEX_TYPE_2_3":
        return Fault("stray-text", line, detail)
    if kind == "SCHEMAV_ELEMENT_CONTENT":
        before_loc = _BEFORE_LOC.search(message) is not None
        return Fault(_content_code(namespace, name, before_loc=before_loc, is_index=is_index), line, detail)
    return Fault(_value_code(name, kind, message), line, detail)


def _content_code(namespace: str, name: str, *, before_loc: bool, is_index: bool) -> str:
    """The code of an element that lacks a child, or is out of place; `before_loc`: a <loc> is expected there."""
    if namespace != SITEMAP and before_loc:
        return "order"
    if name in {"urlset", "sitemapindex"}:
        return "empty"
    if name in {"url", "sitemap"}:
        return "missing-loc" if before_loc else "mixed"
    if name in {"changefreq", "priority"} and is_index:
        return "unknown-element"  # no place in <sitemap> is the right one (SM-15)
    return "order" if name in {"loc", "lastmod", "changefreq", "priority"} else "unknown-element"


def _value_code(name: str, kind: str, message: str) -> str:
    """The code of an invalid value."""
    if name == "loc":
        return {
            "SCHEMAV_CVC_TYPE_3_1_2": "unknown-element",
            "SCHEMAV_CVC_MINLENGTH_VALID": "loc-short",
            "SCHEMAV_CVC_MAXLENGTH_VALID": "loc-long",
        }.get(kind, "loc-escape")
    if name == "lastmod":
        value, found, _ = message.partition(": '")[2].rpartition("' is not a valid value")
        return (date_fault(value.strip(" \t\r\n")) if found else None) or "date"
    return name if name in {"changefreq", "priority"} else "schema"
