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
A document with a prefix that it never declares is read a second time, with that declaration (`undeclared`).
"""

from collections.abc import Collection, Iterator
from itertools import chain, islice

from sitemap_action.model.sitemap import DocumentKind, DocumentStart, Fault, SitemapEvent
from sitemap_action.sitemap.decode import Decoded, decode
from sitemap_action.sitemap.document import DocumentParser
from sitemap_action.sitemap.faults import StopReading, UnboundPrefix, stop_reading
from sitemap_action.sitemap.inflate import Inflated, inflate, peek
from sitemap_action.sitemap.limits import ReadLimits
from sitemap_action.sitemap.text_format import TextParser
from sitemap_action.sitemap.undeclared import Undeclared, declared, find_undeclared

_HTML = (b"<!doctype html", b"<html")
_HEAD = len(_HTML[0])  # bytes that select the parser
_WHITE = b" \t\r\n"


def read(
    data: bytes | Collection[bytes],
    *,
    name: str = "",
    limits: ReadLimits = ReadLimits(),  # noqa: B008 - frozen
) -> Iterator[SitemapEvent]:
    """The events of one document, a Start first; it was read to its end when no fault is fatal.

    `name`: of the file or URL, whose suffix (`.gz`, `.txt`) must fit the content; "" when it need not, as where a
    server's Content-Encoding was decoded.
    """
    reading = _Reading(name, limits)
    seen = 0
    try:
        for document in reading.feed(data):
            if document.kind is not None and reading.events:
                seen += len(reading.events) + (not reading.started)
                yield from reading.drain()
    except UnboundPrefix as unbound:
        yield from _read_again(data, unbound, reading, name, seen)
        return
    except StopReading as end:
        reading.events.append(end.fault)
    yield from reading.drain()


def _read_again(
    data: bytes | Collection[bytes], unbound: UnboundPrefix, first: "_Reading", name: str, seen: int
) -> Iterator[SitemapEvent]:
    """With every prefix declared. What was read before is the same, and is not repeated."""
    again = _Reading(name, first.limits)
    again.undeclared = first.find_undeclared(data, unbound.root)
    events = again.all_events(data)
    before = seen + len(first.events) + (not first.started)
    yield from islice(events, seen, before)
    yield Fault(unbound.fault.code, unbound.fault.line, again.undeclared.names)
    yield from events


class _Reading:
    """One document between inflate, decode and its parser."""

    def __init__(self, name: str, limits: ReadLimits) -> None:
        self.events: list[SitemapEvent] = []
        self.limits = limits
        self.started = False
        self.undeclared: Undeclared | None = None
        self._name = name
        self._document: DocumentParser | TextParser | None = None
        self._encoding = "utf-8"
        self._compressed = False

    def feed(self, data: bytes | Collection[bytes]) -> Iterator[DocumentParser | TextParser]:
        """Yields after each chunk."""
        document, chunks = self.stages(data)
        self._document = document
        for chunk in chunks:
            document.feed(chunk)
            yield document
        document.close()
        yield document

    def all_events(self, data: bytes | Collection[bytes]) -> Iterator[SitemapEvent]:
        """A prefix that cannot be declared ends the reading."""
        try:
            for document in self.feed(data):
                if document.kind is not None and self.events:
                    yield from self.drain()
        except UnboundPrefix as end:
            self.events.append(Fault("malformed", end.fault.line, "a prefix that is not declared", fatal=True))
        except StopReading as end:
            self.events.append(end.fault)
        yield from self.drain()

    def find_undeclared(self, data: bytes | Collection[bytes], root: int) -> Undeclared:
        """The prefixes that are used, as far as the document can be decoded. `root`: where the root's tag begins."""
        _, chunks = _Reading(self._name, self.limits).stages(data)
        return find_undeclared(_before_end(chunks), root)

    def stages(self, data: bytes | Collection[bytes]) -> tuple[DocumentParser | TextParser, Iterator[bytes]]:
        source: Inflated = inflate(data, self.events.append, self._name, self.limits.inflated)
        self._compressed = source.compressed
        decoded: Decoded = decode(source.chunks, self.events.append)
        self._encoding = decoded.encoding
        document, chunks = self._skip_white_space(decoded.chunks)
        return document, chunks if self.undeclared is None else declared(chunks, self.undeclared)

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
            return TextParser(self.events, self.limits, skipped), rest()
        if padded and head.startswith(b"<?xml"):
            self.events.append(Fault("leading-whitespace", 1))
        added = self.undeclared.added if self.undeclared is not None else frozenset[str]()
        return DocumentParser(self.events, self.limits, skipped, added), rest()

    def drain(self) -> Iterator[SitemapEvent]:
        if not self.started:
            self.started = True
            yield self._start()
        yield from self.events
        self.events.clear()

    def _start(self) -> DocumentStart:
        document = self._document
        kind = (document and document.kind) or DocumentKind.UNKNOWN
        if kind is DocumentKind.TEXT and not self._name.lower().removesuffix(".gz").endswith(".txt") and self._name:
            self.events.insert(0, Fault("text-name"))
        return DocumentStart(kind, self._encoding, self._compressed, tuple(document.namespaces) if document else ())


def _before_end(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Until the document ends, or cannot be read further."""
    try:
        yield from chunks
    except StopReading:
        return
