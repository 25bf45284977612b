"""Path and reason of schema errors as text, from a second validator, for a document that the gate refused.

xmlschema reports path and reason better than libxml2 and is twenty times slower, so it validates small documents whole
and of large ones one failing entry. Its import takes longer than a run, so it is imported where it is used.
"""

from functools import cache
from itertools import islice
from typing import Any
from xml.parsers import expat

from msgspec import Struct

from sitemap_action.sitemap.faults import StopReading, truncate
from sitemap_action.sitemap.inflate import inflate
from sitemap_action.sitemap.schema import XSD

_MAX_BYTES = 65_536  # of a document that is validated whole, or of an excerpt
_MAX_ERRORS = 20


class Explanation(Struct, frozen=True):
    """One schema error as text."""

    path: str  # "/urlset/url[3]/priority"
    reason: str
    line: int = 0  # of the entry, where only one was validated


def explain(data: bytes, line: int = 0) -> tuple[Explanation, ...]:
    """Why a well-formed document without DOCTYPE is invalid, up to twenty reasons; `line`: of an error of the gate."""
    document, start = _excerpt(data, line)
    return tuple(Explanation(path, reason, start) for path, reason in _errors(document)) if document else ()


def _errors(document: bytes) -> list[tuple[str, str]]:
    from xmlschema import XMLSchemaException  # noqa: PLC0415

    try:
        errors = list(islice(_schema().iter_errors(document.decode()), _MAX_ERRORS))
    except (XMLSchemaException, UnicodeError, SyntaxError):
        return []
    return [(truncate(error.path or ""), truncate(error.reason or "")) for error in errors]


@cache
def _schema() -> Any:
    from xmlschema import XMLSchema  # noqa: PLC0415

    # An instance, never xmlschema.validate(): that one fetches the document's schemaLocation over the network.
    return XMLSchema(str(XSD), allow="local", defuse="always")


def _excerpt(data: bytes, line: int) -> tuple[bytes, int]:
    """A small document whole, and 0; else its root with the one entry that covers a line, and the line of that entry.

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
    return whole[: finder.children] + whole[start:end] + f"</{finder.root}>".encode(), finder.line


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
