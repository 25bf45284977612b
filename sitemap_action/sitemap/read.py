"""Read one sitemap document: bytes in, events out (one Start, then entries, children and faults in document order).

A document passes four stages, each a generator over chunks of 64 KiB at most, so that memory stays flat:

1. `inflate` decompresses gzip, found by its magic bytes, twice at most.
2. `decode` converts to UTF-8, from the encoding of the byte order mark or the XML declaration.
3. The first byte selects a parser: `document.DocumentParser` (expat) for `<`, else `text.TextParser`, one URL a line.
   The root selects the body: `body.SitemapBody` (urlset, sitemapindex) or `feed.FeedBody` (RSS, Atom).
4. A urlset has a fast path: `fast.entries` matches runs of simple entries with one regular expression, and expat is
   given only the rest. It emits exactly the events that expat's callbacks would.

Events collect in one list, which is drained after every chunk. Nothing in the bytes makes `read` raise. A tolerated
error becomes a Fault, and reading continues (`faults.TOLERATED`; how each is read: `tolerances`). Any other raises
StopReading inside, which becomes one fatal Fault after the entries before it (`faults.FATAL`). `limits.ReadLimits`
bounds sizes, counts and depths, far above the limits of the protocol, whose breaches are findings of the checks.
"""

from collections.abc import Iterable, Iterator
from itertools import chain

from sitemap_action.model.sitemap import DocumentKind, DocumentStart, Fault, SitemapEvent
from sitemap_action.sitemap.decode import Decoded, decode
from sitemap_action.sitemap.document import DocumentParser
from sitemap_action.sitemap.faults import StopReading, stop_reading
from sitemap_action.sitemap.inflate import Inflated, inflate, peek
from sitemap_action.sitemap.limits import ReadLimits
from sitemap_action.sitemap.text_format import TextParser

_HTML = (b"<!doctype html", b"<html")
_HEAD = len(_HTML[0])  # bytes that select the parser
_WHITE = b" \t\r\n"


def read(data: bytes | Iterable[bytes], *, name: str = "", limits: ReadLimits = ReadLimits()) -> Iterator[SitemapEvent]:  # noqa: B008 - frozen
    """The events of one document, a Start first; it was read to its end when no fault is fatal.

    `name`: of the file or URL, whose suffix (`.gz`, `.txt`) must fit the content; "" when it need not, as where a
    server's Content-Encoding was decoded.
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
    """One document between inflate, decode and its parser."""

    def __init__(self, name: str, limits: ReadLimits) -> None:
        self.events: list[SitemapEvent] = []
        self._name = name
        self._limits = limits
        self._started = False
        self._document: DocumentParser | TextParser | None = None
        self._encoding = "utf-8"
        self._compressed = False

    def feed(self, data: bytes | Iterable[bytes]) -> Iterator[DocumentParser | TextParser]:
        """Yields after each chunk."""
        source: Inflated = inflate(data, self.events.append, self._name, self._limits.inflated)
        self._compressed = source.compressed
        decoded: Decoded = decode(source.chunks, self.events.append)
        self._encoding = decoded.encoding
        document, chunks = self._skip_white_space(decoded.chunks)
        self._document = document
        for chunk in chunks:
            document.feed(chunk)
            yield document
        document.close()
        yield document

    def _skip_white_space(self, chunks: Iterator[bytes]) -> tuple[DocumentParser | TextParser, Iterator[bytes]]:
        """White space before the XML declaration is tolerated (SM-04)."""
        skipped = 0
        padded = False
        for chunk in chunks:
            head = chunk.lstrip(_WHITE)
            skipped += chunk[: len(chunk) - len(head)].count(b"\n")
            padded = padded or len(head) < len(chunk)
            if head:
                head, rest = peek(chain((head,), chunks), _HEAD)
                return self._select_parser(head, skipped, padded=padded, chunks=rest)
        return stop_reading("empty-document")

    def _select_parser(
        self, head: bytes, skipped: int, *, padded: bool, chunks: Iterator[bytes]
    ) -> tuple[DocumentParser | TextParser, Iterator[bytes]]:
        def rest() -> Iterator[bytes]:
            yield head
            yield from chunks

        if head[:_HEAD].lower().startswith(_HTML):
            stop_reading("unknown-root", skipped + 1, "an HTML page")
        if not head.startswith(b"<"):
            return TextParser(self.events, self._limits, skipped), rest()
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
