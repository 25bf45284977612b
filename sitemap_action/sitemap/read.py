"""Read any sitemap: bytes in, entries, children and faults out, in document order, streaming and bounded.

XML (urlset, sitemapindex, RSS, Atom) or text, gzip or plain, in any encoding. Nothing in the bytes makes it raise: what
can be read over is read over and reported, what cannot ends the document with one fatal Fault after the entries before
it. Both lists stand in `faults.py`.
"""

from collections.abc import Iterable, Iterator

from sitemap_action.model.sitemap import DocumentKind, DocumentStart, Fault, SitemapEvent
from sitemap_action.sitemap.decode import Decoded, decode
from sitemap_action.sitemap.document import DocumentParser
from sitemap_action.sitemap.faults import StopReading, stop
from sitemap_action.sitemap.inflate import Plain, plain
from sitemap_action.sitemap.limits import ReadLimits
from sitemap_action.sitemap.text import Lines

_HTML = (b"<!doctype html", b"<html")
_WHITE = b" \t\r\n"


def read(data: bytes | Iterable[bytes], *, name: str = "", limits: ReadLimits = ReadLimits()) -> Iterator[SitemapEvent]:  # noqa: B008 - frozen
    """The events of one document, a Start first.

    `name`: of the file or URL, for what a name promises (`.gz`, `.txt`); "" when it promises nothing, as where a
    server's Content-Encoding was undone. The document was read whole when no fault is fatal.
    """
    reading = _Reading(name, limits)
    try:
        for document in reading.feed(data):
            if document.kind is not None and reading.events:
                yield from reading.drain()
    except StopReading as end:
        reading.events.append(end.fault)
    yield from reading.drain()


class _Reading:
    """One document on its way through inflate, decode and its reader."""

    def __init__(self, name: str, limits: ReadLimits) -> None:
        self.events: list[SitemapEvent] = []
        self._name = name
        self._limits = limits
        self._started = False
        self._document: DocumentParser | Lines | None = None
        self._encoding = "utf-8"
        self._compressed = False

    def feed(self, data: bytes | Iterable[bytes]) -> Iterator[DocumentParser | Lines]:
        """Yields after each piece."""
        source: Plain = plain(data, self.events.append, self._name, self._limits.inflated)
        self._compressed = source.compressed
        decoded: Decoded = decode(source.chunks, self.events.append)
        self._encoding = decoded.encoding
        document, chunks = self._choose(decoded.chunks)
        self._document = document
        for chunk in chunks:
            document.feed(chunk)
            yield document
        document.close()
        yield document

    def _choose(self, chunks: Iterator[bytes]) -> tuple[DocumentParser | Lines, Iterator[bytes]]:
        """XML begins with a tag; white space before its declaration is an error to report and read over (SM-04)."""
        skipped = 0
        for chunk in chunks:
            head = chunk.lstrip(_WHITE)
            skipped += chunk[: len(chunk) - len(head)].count(b"\n")
            if head:
                return self._begin(head, skipped, padded=len(head) < len(chunk) or skipped > 0, chunks=chunks)
        return stop("empty-document")

    def _begin(
        self, head: bytes, skipped: int, *, padded: bool, chunks: Iterator[bytes]
    ) -> tuple[DocumentParser | Lines, Iterator[bytes]]:
        def rest() -> Iterator[bytes]:
            yield head
            yield from chunks

        if head[:14].lower().startswith(_HTML):
            stop("unknown-root", skipped + 1, "an HTML page")
        if not head.startswith(b"<"):
            return Lines(self.events, self._limits, skipped), rest()
        if padded and head.startswith(b"<?xml"):
            self.events.append(Fault("leading-whitespace", 1))
        return DocumentParser(self.events, self._limits, skipped), rest()

    def drain(self) -> Iterator[SitemapEvent]:
        if not self._started:
            self._started = True
            yield self._start()
        yield from self.events
        self.events.clear()

    def _start(self) -> DocumentStart:
        document = self._document
        kind = (document and document.kind) or DocumentKind.UNKNOWN
        if kind is DocumentKind.TEXT and not self._name.lower().removesuffix(".gz").endswith(".txt") and self._name:
            self.events.insert(0, Fault("text-name"))
        return DocumentStart(kind, self._encoding, self._compressed, tuple(document.namespaces) if document else ())
