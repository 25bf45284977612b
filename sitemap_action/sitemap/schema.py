"""The gate: a document against our XSDs, offline and streaming; each schema error as the fault of the rule it breaks.

The schemas are written from the protocol's text (SM-12). libxml2 validates while it parses, so memory stays flat; it
knows no line then, so a document with errors is looked at a second time, line by line.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from lxml import etree

from sitemap_action.model.sitemap import Fault
from sitemap_action.sitemap.dates import form
from sitemap_action.sitemap.faults import StopReading, clip, stop
from sitemap_action.sitemap.inflate import MAX_INFLATED, plain
from sitemap_action.sitemap.names import EXTENSIONS, SITEMAP

XSD = Path(__file__).with_name("xsd") / "all.xsd"

_MAX_FAULTS = 200
_SUBJECT = re.compile(r"Element '(?:\{([^}]*)\})?([^']*)'")
_VALUE = re.compile(r": '(.*)' is not a valid value", re.DOTALL)
_EXTENSION = {uri: "hreflang" if prefix == "xhtml" else prefix for prefix, uri in EXTENSIONS.items()}


def faults(data: bytes, limit: int = MAX_INFLATED) -> list[Fault]:
    """What the schema finds in a document, gzip or plain, up to the first two hundred; empty when it is valid.

    `limit`: bytes without compression, beyond which it is not looked at.
    Elements of a namespace that no schema here describes are no fault: the protocol lets anyone extend it. A document
    that is not well-formed, or has a DOCTYPE, gives that one fault.
    """
    found = _look((0, piece) for piece in _plain(data, limit))
    return _look(_lines(_plain(data, limit))) if found else []


def _plain(data: bytes, limit: int) -> Iterator[bytes]:
    yield from plain(data, lambda _: None, limit=limit).chunks


@cache
def _schema() -> etree.XMLSchema:
    return etree.XMLSchema(etree.parse(XSD))


class _Target:
    """Keeps nothing, so that no tree is built."""

    def doctype(self, _name: str | None, _public: str | None, _system: str | None) -> None:
        # Before validation: an entity reference is an internal error to libxml2's validator (SM-13).
        stop("doctype")

    def close(self) -> None: ...


def _look(pieces: Iterable[tuple[int, bytes]]) -> list[Fault]:
    """`pieces`: with the line that each stands on."""
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
            found += _news(parser, len(found), line)
            if len(found) >= _MAX_FAULTS:
                return found[:_MAX_FAULTS]
        parser.close()
    except StopReading as end:
        return [end.fault]
    except etree.XMLSyntaxError as error:
        return [Fault("malformed", error.lineno or 0, clip(error.msg or "not well-formed"), fatal=True)]
    return found + _news(parser, len(found), line)


def _news(parser: etree.XMLParser, seen: int, line: int) -> list[Fault]:
    log = parser.feed_error_log
    return [_fault(log[n].type_name, log[n].message, line) for n in range(seen, len(log))]


def _lines(chunks: Iterator[bytes]) -> Iterator[tuple[int, bytes]]:
    line = 1
    for chunk in chunks:
        for piece in chunk.splitlines(keepends=True):
            yield line, piece
            line += piece.endswith(b"\n")


def _fault(kind: str, message: str, line: int) -> Fault:
    """The rule that names a schema error, as its fault code; `schema` for those that none does."""
    subject = _SUBJECT.search(message)
    namespace, name = subject.groups(default="") if subject else ("", "")
    words = clip(message.replace(f"{{{SITEMAP}}}", ""))
    if namespace in _EXTENSION:
        return Fault(_EXTENSION[namespace], line, words)
    if kind == "SCHEMAV_CVC_ELT_1":
        return Fault("namespace", line, words)
    if kind.startswith(("SCHEMAV_CVC_COMPLEX_TYPE_3_2", "SCHEMAV_CVC_TYPE_3_1_1")):
        return Fault("attribute", line, words)
    if kind == "SCHEMAV_CVC_COMPLEX_TYPE_2_3":
        return Fault("stray-text", line, words)
    if kind == "SCHEMAV_ELEMENT_CONTENT":
        return Fault(_content(name, message), line, words)
    return Fault(_value(name, kind, message), line, words)


def _content(name: str, message: str) -> str:
    """An element that is missing, or that stands where another should."""
    if "Missing child" in message:
        return "empty" if name in {"urlset", "sitemapindex"} else "missing-loc"
    if name in {"url", "sitemap"}:
        return "mixed"
    return "order" if name in {"loc", "lastmod", "changefreq", "priority"} else "unknown-element"


def _value(name: str, kind: str, message: str) -> str:
    """A text that is not what its element holds."""
    if name == "loc":
        empty = "length of '0'" in message
        return {
            "SCHEMAV_CVC_TYPE_3_1_2": "unknown-element",
            "SCHEMAV_CVC_MINLENGTH_VALID": "missing-loc" if empty else "loc-short",
            "SCHEMAV_CVC_MAXLENGTH_VALID": "loc-long",
        }.get(kind, "loc-escape")
    if name == "lastmod":
        value = _VALUE.search(message)
        return (form(value[1].strip(" \t\r\n")) if value else None) or "date"
    return name if name in {"changefreq", "priority"} else "schema"
