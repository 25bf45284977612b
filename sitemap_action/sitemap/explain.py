"""Path and reason of schema errors as text, from a second validator, for a document that the gate refused.

xmlschema reports path and reason better than libxml2 and is twenty times slower, so it validates small documents whole
and of large ones one failing entry. Its import takes longer than a run, so it is imported where it is used.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice
from typing import Any
from xml.parsers import expat

from lxml import etree
from msgspec import Struct

from sitemap_action.model.sitemap import Fault
from sitemap_action.sitemap.faults import FATAL, GATE, TOLERATED, StopReading, truncate
from sitemap_action.sitemap.inflate import inflate
from sitemap_action.sitemap.plain_words import line_of, sentence
from sitemap_action.sitemap.schema import XSD

_MAX_BYTES = 65_536  # of a document that is validated whole, or of an excerpt
_MAX_ERRORS = 20


class Explanation(Struct, frozen=True):
    """One schema error in plain words."""

    path: str  # "/urlset/url[3]/priority"
    reason: str
    line: int = 0


def explain(data: bytes, line: int = 0) -> tuple[Explanation, ...]:
    """Why a well-formed document without DOCTYPE is invalid, up to twenty reasons; `line`: of an error of the gate."""
    document, skipped = _excerpt(data, line)
    return tuple(_errors(document, skipped)) if document else ()


def reasons(data: bytes, faults: Sequence[Fault]) -> Iterator[tuple[int, str]]:
    """(line, sentence) of the gate's faults, of which the explained ones come first, in full sentences."""
    explained = explain(data, faults[0].line) if faults and not faults[0].fatal else ()
    yield from ((one.line, one.reason) for one in explained)
    lines = {one.line for one in explained}
    messages = {**TOLERATED, **FATAL, **GATE}
    for fault in faults:
        if fault.line not in lines and len(explained) < _MAX_ERRORS:
            yield fault.line, f"{messages.get(fault.code, fault.code)}: {fault.detail}".removesuffix(": ")


def _errors(document: bytes, skipped: int) -> Iterator[Explanation]:
    """`skipped`: lines that the excerpt lacks."""
    from xmlschema import XMLSchemaException  # noqa: PLC0415

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        root = etree.fromstring(document, parser)
        plain = root.getroottree().docinfo.internalDTD is None
        errors = list(islice(_schema().iter_errors(root), _MAX_ERRORS)) if plain else []
    except (XMLSchemaException, UnicodeError, SyntaxError):
        return
    for error in errors:
        yield Explanation(truncate(error.path or ""), sentence(error), line_of(error) + skipped)


@cache
def _schema() -> Any:
    from xmlschema import XMLSchema  # noqa: PLC0415

    # An instance, never xmlschema.validate(): that one fetches the document's schemaLocation over the network.
    return XMLSchema(str(XSD), allow="local", defuse="always")


def _excerpt(data: bytes, line: int) -> tuple[bytes, int]:
    """A small document whole; else its root with the one entry that covers a line, and how many lines are left out.

    Empty where no entry covers it.
    """
    try:
        whole = b"".join(inflate(data, lambda _: None).chunks)
        if len(whole) <= _MAX_BYTES:
            return whole, 0
        finder = _EntryFinder(line)
        finder.expat.Parse(whole, True)
    except (StopReading, expat.ExpatError, LookupError, ValueError):  # the last two: of an encoding
        return b"", 0
    start, end = finder.start, whole.find(b">", finder.end) + 1
    if not finder.found or end - start + finder.children > _MAX_BYTES:
        return b"", 0
    skipped = finder.line - whole.count(b"\n", 0, finder.children) - 1
    return whole[: finder.children] + whole[start:end] + f"</{finder.root}>".encode(), skipped


class _EntryFinder:
    """Finds the byte range of the root's child that covers a line."""

    def __init__(self, line: int) -> None:
        self.expat = expat.ParserCreate()
        self.expat.StartElementHandler = self._start_element
        self.expat.EndElementHandler = self._end_element
        self.root = ""
        self.children = self.start = self.end = self.line = self._depth = 0
        self.found = False
        self._wanted = line

    def _start_element(self, name: str, _: dict[str, str]) -> None:
        self._depth += 1
        if self._depth == 1:
            self.root = name
        elif self._depth == 2 and not self.found:
            self.start, self.line = self.expat.CurrentByteIndex, self.expat.CurrentLineNumber
            self.children = self.children or self.start

    def _end_element(self, _: str) -> None:
        self._depth -= 1
        if self._depth == 1 and not self.found and self.line <= self._wanted <= self.expat.CurrentLineNumber:
            self.end, self.found = self.expat.CurrentByteIndex, True
